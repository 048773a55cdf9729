//! What a sweep has written so far: the values, numbers and images of its tasks.

use std::path::{Path, PathBuf};

use super::SweepError;
use super::axis::text_of;
use super::manifest::{MANIFEST, Manifest, Task};
use super::task::{Finished, Timing};
use crate::quoting::csv;

/// The most components of a number.
const COMPONENTS: usize = 16;
/// The most cells of a table.
const MAX_CELLS: usize = 1 << 21;

/// The results of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What was to be run.
    pub manifest: Manifest,
    /// A row for each task.
    pub rows: Vec<Row>,
    /// Components of each number.
    widths: Vec<usize>,
}

/// A task and, where it is complete, its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The task.
    pub task: Task,
    /// What the task wrote.
    pub finished: Option<Finished>,
    /// How long it took.
    pub timing: Option<Timing>,
}

impl Results {
    /// Reads the folder of a sweep.
    ///
    /// # Errors
    /// A folder without a manifest; results that are larger than a sweep's.
    pub fn read(folder: &Path) -> Result<Results, SweepError> {
        let none = || format!("{}: there is no {MANIFEST}; name the folder of a sweep", folder.display());
        let manifest = Manifest::read(folder)?.ok_or_else(none)?;
        let is_listed = |name: &String| manifest.options.numbers.contains(name);
        let row = |task: &Task| {
            let mut finished = Finished::read(folder, task);
            if let Some(finished) = &mut finished {
                // What the sheet does not show takes no memory.
                finished.files = Vec::new();
                finished.numbers.retain(|name, _| is_listed(name));
                finished.numbers.values_mut().for_each(|values| values.truncate(COMPONENTS));
            }
            Row { task: task.clone(), finished, timing: Timing::read(folder, task) }
        };
        let rows: Vec<Row> = manifest.tasks.iter().map(row).collect();
        let width = |name: &String| {
            let counts = rows.iter().filter_map(|row| Some(row.finished.as_ref()?.numbers.get(name)?.len()));
            counts.max().unwrap_or(0).max(1)
        };
        let widths: Vec<usize> = manifest.options.numbers.iter().map(width).collect();
        let cells = rows.len().saturating_mul(manifest.parameters.len() + widths.iter().sum::<usize>());
        if cells > MAX_CELLS {
            let cause = format!("its table has {cells} cells, and at most {MAX_CELLS} are shown");
            return Err(format!("{}: {cause}; measure fewer numbers", folder.display()).into());
        }
        Ok(Results { rows, widths, manifest })
    }

    /// The number of complete tasks.
    pub fn complete(&self) -> usize {
        self.rows.iter().filter(|row| row.finished.is_some()).count()
    }

    /// Titles of the numbers; each component of a vector has its own, as `velocity.value:mean:0`.
    pub fn number_titles(&self) -> Vec<String> {
        let titles = |(name, width): (&String, &usize)| match width {
            1 => vec![name.clone()],
            width => (0..*width).map(|at| format!("{name}:{at}")).collect(),
        };
        self.manifest.options.numbers.iter().zip(&self.widths).flat_map(titles).collect()
    }

    /// The numbers of a row, one for each title; `None` where there is none, or it is not finite.
    pub fn numbers(&self, row: &Row) -> Vec<Option<f64>> {
        let cells = |(name, width): (&String, &usize)| {
            let values = row.finished.as_ref().and_then(|finished| finished.numbers.get(name));
            (0..*width).map(|at| values.and_then(|values| *values.get(at)?)).collect::<Vec<_>>()
        };
        self.manifest.options.numbers.iter().zip(&self.widths).flat_map(cells).collect()
    }

    /// A table with a title line: the index, each parameter, each number, and the time of a frame \[ms\]. Cells of tasks that are not
    /// complete are empty; a number that is NaN or infinite is `nan`.
    pub fn to_csv(&self) -> String {
        let mut titles = vec!["index".to_string()];
        titles.extend(self.manifest.parameters.iter().cloned());
        titles.extend(self.number_titles());
        titles.push("ms_per_frame".into());
        let line = |cells: &[String]| cells.iter().map(|cell| csv(cell)).collect::<Vec<_>>().join(",") + "\n";
        let mut text = line(&titles);
        for row in &self.rows {
            let mut cells = vec![row.task.index.to_string()];
            let values = self.manifest.parameters.iter().map(|name| row.task.values.get(name));
            cells.extend(values.map(|value| value.map(text_of).unwrap_or_default()));
            let none = if row.finished.is_some() { "nan" } else { "" };
            let number = |value: Option<f64>| value.map_or_else(|| none.into(), |value| value.to_string());
            cells.extend(self.numbers(row).into_iter().map(number));
            let timing = row.finished.as_ref().and(row.timing.as_ref());
            cells.push(timing.map_or_else(String::new, |timing| format!("{:.3}", timing.ms_per_frame)));
            text += &line(&cells);
        }
        text
    }

    /// The image of a row.
    pub fn image(&self, folder: &Path, row: &Row) -> Option<PathBuf> {
        Some(folder.join(row.task.folder()).join(&row.finished.as_ref()?.image))
    }
}
