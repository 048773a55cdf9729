//! One task of a sweep: a run of the graph with its values, whose files come into a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SweepError;
use super::manifest::{Manifest, Task, check_values, label};
use crate::DEFAULT;
use crate::asset::Work;
use crate::cancel::Cancel;
use crate::document::Document;
use crate::files::{Access, portable, read, write};
use crate::gpu::{Gpu, Making};
use crate::graph::Graph;
use crate::graph::measurement::Measurement;
use crate::job::{Export, Item, JobError, Progress, Ready};
use crate::library::Library;
use crate::place::Folder;
use crate::plan::{Keep, MemoryBudget, Plan, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::record::Fingerprint;
use crate::select::{Choices, DEFAULT_NAMES, Request, items};
use crate::settings::Settings;
use crate::sim::Simulation;
use crate::sim::checkpoint::CheckpointFile;
use crate::sim::files;
use crate::sim::record::Record;

/// The file that marks a task as complete: its values and numbers. It is written last.
pub const VALUES: &str = "values.json";
/// What differs from run to run: how long the task took, and where.
pub const TIMING: &str = "timing.json";
/// Largest size of a [`VALUES`] or [`TIMING`] file \[bytes\]. Most have some hundred bytes, and more with many numbers
/// or frames.
const MAX_FILE: u64 = 1 << 22;
/// The most entries of one, most of which are files.
const MAX_ENTRIES: usize = 100_000;

/// What is known of a complete task. Running it again gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The task's index.
    pub index: usize,
    /// Value of each parameter.
    pub values: BTreeMap<String, Value>,
    /// The [`Fingerprint`] of the graph with these values, in hexadecimal.
    pub hash: String,
    /// The first frame that was written, and the last one.
    pub frames: (u64, u64),
    /// Simulated time at the end of the last frame \[s\].
    pub time: f64,
    /// Numbers after the last frame, by what was typed; vectors have several, and NaN and infinity are `null`.
    pub numbers: BTreeMap<String, Vec<Option<f64>>>,
    /// The file of the last frame's image.
    pub image: String,
    /// All files, besides these two.
    pub files: Vec<String>,
}

/// How long a task took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Time of a frame, with what is written; without the first one, in which a driver may still compile \[ms\].
    pub ms_per_frame: f64,
    /// Time of all frames \[s\].
    pub seconds: f64,
    /// Time to compile the graph and its shaders \[s\].
    pub compile_seconds: f64,
    /// The graphics adapter.
    pub adapter: String,
}

impl Finished {
    /// The result of a task in the folder of a sweep, where it is complete. No link is followed, and no file outside of the task's folder
    /// is one of its files.
    pub fn read(folder: &Path, task: &Task) -> Option<Finished> {
        let task_folder = own_folder(folder, task)?;
        let bytes = read::bytes_without_links(&task_folder.join(VALUES), MAX_FILE).ok()?;
        check_values(&bytes, MAX_ENTRIES).ok()?;
        let finished: Finished = serde_json::from_slice(&bytes).ok()?;
        let whole = |name: &String| {
            let about = || fs::symlink_metadata(task_folder.join(name));
            portable::fault(name).is_none() && about().is_ok_and(|about| about.is_file() && about.len() > 0)
        };
        let is_current = finished.values == task.values && finished.files.contains(&finished.image);
        (is_current && finished.files.iter().all(whole)).then_some(finished)
    }
}

impl Timing {
    /// How long a task took, where that is known.
    pub fn read(folder: &Path, task: &Task) -> Option<Timing> {
        let bytes = read::bytes_without_links(&own_folder(folder, task)?.join(TIMING), MAX_FILE).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

/// The folder of a task, where it is there and no link.
fn own_folder(folder: &Path, task: &Task) -> Option<PathBuf> {
    let path = folder.join(task.folder());
    fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir()).then_some(path)
}

/// What a task is doing.
pub enum Step<'a> {
    /// The driver compiles shaders.
    Compiling(&'a Making),
    /// Frames are computed.
    Frames(&'a Progress),
    /// All frames are computed, with these warnings.
    Warned(&'a Problems),
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The task ran.
    Done(Box<Finished>, Timing),
    /// The task was complete before.
    Kept(Box<Finished>),
    /// The task was cancelled, and its folder holds nothing that counts.
    Cancelled,
}

/// What all tasks of a sweep have in common.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// What is run.
    pub manifest: &'a Manifest,
    /// The graph without the values of a task.
    pub base: &'a Document,
    /// Stages of the graph.
    pub library: &'a Library,
    /// Which files it may read.
    pub access: &'a Access,
    /// The checkpoint of the manifest's options.
    pub from: Option<&'a CheckpointFile>,
    /// The folder of the sweep.
    pub folder: &'a Path,
}

impl Context<'_> {
    /// Runs a task, unless it is complete. `go_on` is called while the driver compiles and after each frame; when it returns false,
    /// the task ends.
    ///
    /// # Errors
    /// A graph that does not compile with these values, files that cannot be written, a device that fails.
    pub fn run(&self, gpu: &Gpu, task: &Task, go_on: &mut dyn FnMut(Step<'_>) -> bool) -> Result<Outcome, SweepError> {
        let problems = |problems: Problems| SweepError::Problems(label(self.manifest, task), problems);
        let document = self.manifest.document(self.base, task)?;
        let inputs = Fingerprint::of(&document, self.library, self.access, &Cancel::default());
        let inputs = inputs.ok_or_else(|| "it was cancelled".to_string())?.from(self.from);
        if let Some(finished) = Finished::read(self.folder, task).filter(|finished| finished.hash == inputs.text()) {
            return Ok(Outcome::Kept(Box::new(finished)));
        }
        let began = Instant::now();
        let (graph, export, mut record, options) = self.wanted(task, &document).map_err(problems)?;
        // What was measured on one machine may round otherwise than on another, and tasks run on several.
        let options = PlanOptions { tuning: gpu.tuning(), memory_budget: gpu.memory_budget(), ..options };
        let plan = Plan::compile(&graph, &options).map_err(problems)?;
        let mut wanted = true;
        let prepared = Simulation::prepared(gpu, plan, &Work::default(), &mut |making| {
            wanted = go_on(Step::Compiling(making));
            wanted
        });
        let mut simulation = match prepared {
            Err(_) if !wanted => return Ok(Outcome::Cancelled),
            other => other.map_err(problems)?,
        };
        if let Some(file) = self.from {
            let checkpoint = file.load(simulation.plan()).map_err(|error| SweepError::Message(error.to_string()))?;
            let bad = checkpoint.not_finite();
            if !bad.is_empty() {
                return Err(SweepError::Message(file.not_finite(&bad, None).to_string()));
            }
            let different = simulation.resume(&checkpoint);
            if !different.is_empty() {
                return Err(problems(different));
            }
        }
        let start = simulation.frame();
        let compile_seconds = began.elapsed().as_secs_f64();

        let failed = |error: JobError| match error {
            JobError::Graph(found) => problems(found),
            JobError::Taken { path, .. } => {
                let cause = "it was not written by this sweep; choose another folder";
                SweepError::Message(format!("{}: {cause}", path.display()))
            }
            other => SweepError::Message(other.to_string()),
        };
        // The folder is locked, and one that is a link was refused.
        let mut ready = Ready::lock(&export, &inputs, &simulation).map_err(failed)?;
        // Until the values are written, too: another process would take the task for one that never ran.
        let _locks = ready.locks();
        // Not complete from here on.
        match fs::remove_file(export.folder.join(VALUES)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.fault(task, &error)),
            _ => {}
        }
        let (began, mut first) = (Instant::now(), None);
        let (progress, ..) = ready
            .run(&mut simulation, |progress, _| {
                first = first.or_else(|| (progress.frame > 0).then(|| (progress.frame, Instant::now())));
                go_on(Step::Frames(progress))
            })
            .map_err(failed)?;
        if progress.frame != progress.last {
            return Ok(Outcome::Cancelled);
        }
        record.take(&simulation).map_err(|problem| problems(problem.into()))?;
        let warnings = Problems(simulation.warnings(true).0.into_iter().chain(self.not_finite(&record)).collect());
        if !warnings.is_empty() {
            go_on(Step::Warned(&warnings));
        }
        let (seconds, last) = (began.elapsed().as_secs_f64(), progress.last);
        let after_first = first.filter(|(frame, _)| *frame < last);
        let each = after_first.map_or(seconds / last.saturating_sub(start).max(1) as f64, |(frame, since)| {
            since.elapsed().as_secs_f64() / (last - frame) as f64
        });
        let timing = Timing { ms_per_frame: 1e3 * each, seconds, compile_seconds, adapter: gpu.name().to_string() };
        let finished = self.finished(task, &inputs, &simulation, &record, &export)?;
        self.write(task, TIMING, &timing)?;
        self.write(task, VALUES, &finished)?;
        Ok(Outcome::Done(Box::new(finished), timing))
    }

    /// Checks that a task finds what it writes and measures, that its graph compiles, and that its files can be read. Needs no device.
    ///
    /// # Errors
    /// What would keep the task from running.
    pub fn check(&self, task: &Task) -> Result<(), SweepError> {
        let document = self.manifest.document(self.base, task)?;
        let compile = || {
            let (graph, _, _, options) = self.wanted(task, &document)?;
            // How much memory there is on the machine that runs it is not known here.
            let memory_budget = MemoryBudget { bytes: u64::MAX, ..options.memory_budget };
            files::check(&Plan::compile(&graph, &PlanOptions { memory_budget, ..options })?)
        };
        compile().map_err(|problems| SweepError::Problems(label(self.manifest, task), problems))
    }

    /// The graph of a task, what is written, what is measured, and how its plan is compiled.
    fn wanted(&self, task: &Task, document: &Document) -> Result<(Graph, Export, Record, PlanOptions), Problems> {
        let graph = Graph::build(document, self.library)?;
        let export = self.export(task, document, &graph)?;
        let parse = |text: &String| Ok((text.clone(), Measurement::parse(text, document, &graph)?));
        let numbers = self.manifest.options.numbers.iter();
        let record = Record::new(numbers.map(parse).collect::<Result<_, Problems>>()?);
        let options = export.plan_options(self.access);
        let keep = match options.keep {
            Keep::Wires(wires) => Keep::Wires(wires.into_iter().chain(record.wires()).collect()),
            other if record.wires().next().is_none() => other,
            _ => Keep::Wires(record.wires().collect()),
        };
        Ok((graph, export, record, PlanOptions { keep, ..options }))
    }

    /// Warnings of measured numbers that are NaN or infinite: the table has nothing in their place.
    fn not_finite<'r>(&'r self, record: &'r Record) -> impl Iterator<Item = Problem> + 'r {
        self.manifest.options.numbers.iter().enumerate().filter_map(|(at, text)| {
            let (frame, _, values) = record.values(at).last()?;
            let bad = values.iter().find(|value| !value.is_finite())?;
            let cause = format!("`{text}` is {bad} after frame {frame}");
            let remedy = "`render --stop-on nan` with these values finds where it begins";
            Some(Problem::new("", "", cause, remedy).warning())
        })
    }

    /// What is written for a task: its image first.
    fn export(&self, task: &Task, document: &Document, graph: &Graph) -> Result<Export, Problems> {
        let options = &self.manifest.options;
        let stem = Path::new(&self.manifest.graph).file_stem().unwrap_or_default().to_string_lossy();
        let folder = Folder::plain(&self.folder.join(task.folder()), &stem);
        let choices = Choices {
            formats: &[DEFAULT],
            names: options.names.as_deref().unwrap_or(DEFAULT_NAMES),
            folder: &folder,
            size: options.size,
            settings: Settings { cutoff: options.cutoff, ..Settings::default() },
        };
        let parse = |text: &String| Request::parse(text).map_err(|cause| Problem::new("", "", cause, ""));
        let image: Vec<Request> = options.image.iter().map(parse).collect::<Result<_, _>>()?;
        let mut all: Vec<Item> = items(&image, &choices, document, graph)?;
        if !options.exports.is_empty() {
            let requests = options.exports.iter().map(parse).collect::<Result<Vec<Request>, _>>()?;
            let others = items(&requests, &Choices { formats: &[], ..choices }, document, graph)?;
            // The image may be named once more.
            all.extend(others.into_iter().filter(|item| Some(item) != all.first()).collect::<Vec<Item>>());
        }
        let (first, last) = options.frames;
        Ok(Export {
            frames: (first..=last).into(),
            size: options.size,
            items: all,
            folder: folder.path,
            resume: false,
            overwrite: false,
            // Numbers are measured after the last frame alone, which is written.
            unseen: true,
            checkpoints: None,
        })
    }

    fn finished(
        &self,
        task: &Task,
        inputs: &Fingerprint,
        simulation: &Simulation,
        record: &Record,
        export: &Export,
    ) -> Result<Finished, SweepError> {
        let numbers = self.manifest.options.numbers.iter().enumerate().map(|(at, text)| {
            let values = record.values(at).last().map_or(&[][..], |(_, _, values)| values);
            (text.clone(), values.iter().map(|number| Some(*number).filter(|number| number.is_finite())).collect())
        });
        let image = Export { items: export.items.iter().take(1).cloned().collect(), ..export.clone() };
        let image = image.path(simulation.frame());
        let mut files = Vec::new();
        for entry in fs::read_dir(&export.folder).map_err(|error| self.fault(task, &error))? {
            let name = entry.map_err(|error| self.fault(task, &error))?.file_name().to_string_lossy().into_owned();
            if ![VALUES, TIMING].contains(&name.as_str()) && !name.starts_with('.') {
                files.push(name);
            }
        }
        files.sort();
        Ok(Finished {
            index: task.index,
            values: task.values.clone(),
            hash: inputs.text().into(),
            frames: self.manifest.options.frames,
            time: simulation.time(),
            numbers: numbers.collect(),
            image: image.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            files,
        })
    }

    fn write(&self, task: &Task, name: &str, value: &impl Serialize) -> Result<(), SweepError> {
        let mut text = serde_json::to_string_pretty(value).map_err(|e| e.to_string())?;
        text.push('\n');
        let path: PathBuf = self.folder.join(task.folder()).join(name);
        // What a killed task leaves of it is removed with what is left of its frames.
        write::replace_in_export(&path, text.as_bytes()).map_err(|error| self.fault(task, &error))
    }

    fn fault(&self, task: &Task, error: &io::Error) -> SweepError {
        let folder = self.folder.join(task.folder());
        SweepError::Message(format!("{}: {error}; choose another folder", folder.display()))
    }
}
