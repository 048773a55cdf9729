//! What a sweep has written so far: the values, numbers and images of its tasks.

use std::path::{Path, PathBuf};

use super::SweepError;
use super::axis::text_of;
use super::manifest::{MANIFEST, Manifest, Task};
use super::task::{Finished, Timing};

/// The results of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What was to be run.
    pub manifest: Manifest,
    /// A row for each task.
    pub rows: Vec<Row>,
}

/// A task and, where it is complete, its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The task.
    pub task: Task,
    /// What it wrote.
    pub finished: Option<Finished>,
    /// How long it took.
    pub timing: Option<Timing>,
}

impl Results {
    /// Reads the folder of a sweep.
    ///
    /// # Errors
    /// A folder without a manifest.
    pub fn read(folder: &Path) -> Result<Results, SweepError> {
        let none = || format!("{}: there is no {MANIFEST}; name the folder of a sweep", folder.display());
        let manifest = Manifest::read(folder)?.ok_or_else(none)?;
        let row = |task: &Task| Row {
            task: task.clone(),
            finished: Finished::read(folder, task),
            timing: Timing::read(folder, task),
        };
        Ok(Results { rows: manifest.tasks.iter().map(row).collect(), manifest })
    }

    /// The number of complete tasks.
    pub fn complete(&self) -> usize {
        self.rows.iter().filter(|row| row.finished.is_some()).count()
    }

    /// Titles of the numbers; each component of a vector has its own, as `velocity.value:mean:0`.
    pub fn number_titles(&self) -> Vec<String> {
        let titles = |name: &String| {
            let count = self.rows.iter().filter_map(|row| Some(row.finished.as_ref()?.numbers.get(name)?.len())).max();
            match count {
                None | Some(0 | 1) => vec![name.clone()],
                Some(count) => (0..count).map(|at| format!("{name}:{at}")).collect(),
            }
        };
        self.manifest.options.numbers.iter().flat_map(titles).collect()
    }

    /// The numbers of a row, one for each title; `None` where there is none, or it is not finite.
    pub fn numbers(&self, row: &Row) -> Vec<Option<f64>> {
        let widths = self.manifest.options.numbers.iter().map(|name| {
            let count = self.rows.iter().filter_map(|row| Some(row.finished.as_ref()?.numbers.get(name)?.len())).max();
            (name, count.unwrap_or(0).max(1))
        });
        let own = |(name, count): (&String, usize)| {
            let values = row.finished.as_ref().and_then(|finished| finished.numbers.get(name));
            (0..count).map(|at| values.and_then(|values| *values.get(at)?)).collect::<Vec<_>>()
        };
        widths.flat_map(own).collect()
    }

    /// A table with a title line: the index, each parameter, each number, and the time of a frame \[ms\]. Cells of tasks that are not
    /// complete are empty; a number that is NaN or infinite is `nan`.
    pub fn to_csv(&self) -> String {
        let mut titles = vec!["index".to_string()];
        titles.extend(self.manifest.parameters.iter().cloned());
        titles.extend(self.number_titles());
        titles.push("ms_per_frame".into());
        let mut lines = vec![titles];
        for row in &self.rows {
            let mut cells = vec![row.task.index.to_string()];
            let values = self.manifest.parameters.iter().map(|name| row.task.values.get(name));
            cells.extend(values.map(|value| value.map(text_of).unwrap_or_default()));
            let none = if row.finished.is_some() { "nan" } else { "" };
            let number = |value: Option<f64>| value.map_or_else(|| none.into(), |value| value.to_string());
            cells.extend(self.numbers(row).into_iter().map(number));
            let timing = row.finished.as_ref().and(row.timing.as_ref());
            cells.push(timing.map_or_else(String::new, |timing| format!("{:.3}", timing.ms_per_frame)));
            lines.push(cells);
        }
        let line = |cells: Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
        lines.into_iter().map(line).collect()
    }

    /// The image of a row.
    pub fn image(&self, folder: &Path, row: &Row) -> Option<PathBuf> {
        Some(folder.join(row.task.folder()).join(&row.finished.as_ref()?.image))
    }
}

/// A cell of a CSV file.
fn quoted(cell: &str) -> String {
    let special = cell.contains([',', '"', '\n', '\r']);
    if special { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}
