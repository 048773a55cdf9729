//! The manifest of a sweep: what is run, with which values. Every task of a sweep reads the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SweepError;
use super::axis::{Axis, VARIANT, apply, text_of};
use super::random;
use crate::cancel::Cancel;
use crate::document::Document;
use crate::files::read::{self, ReadError};
use crate::files::{Access, write};
use crate::graph::Graph;
use crate::job::JobError;
use crate::library::Library;
use crate::record::Fingerprint;
use crate::sim::checkpoint::CheckpointFile;
use crate::sink::About;

/// The most tasks of a sweep.
pub const MAX_TASKS: usize = 10_000;
/// The most parameters that vary, and the most numbers that are measured.
pub const MAX_COLUMNS: usize = 256;
/// The most values of all tasks, and of a manifest.
const MAX_VALUES: usize = 1 << 20;
/// The name of the manifest in the folder of a sweep.
pub const MANIFEST: &str = "manifest.json";
/// The version of the layout of manifests and of the folders of tasks.
const VERSION: u32 = 1;
/// A manifest of the most tasks, with long names, is smaller \[bytes\].
const MAX_MANIFEST: u64 = 64 << 20;
/// Digits of the folders of tasks.
const DIGITS: usize = 4;

/// What was asked for. Two sweeps with equal options of the same graph are the same sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Parameters that vary, with their values, as typed.
    pub set: Vec<String>,
    /// The number of random points; all combinations when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<u64>,
    /// Chooses which random points.
    #[serde(skip_serializing_if = "is_default")]
    pub seed: u64,
    /// The first frame that is written, and the last one.
    pub frames: (u64, u64),
    /// The wire or Output that is shown, as typed; the topmost Output when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Size of images \[pixels\]; that of the Output when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<(u32, u32)>,
    /// Numbers that are measured after the last frame, as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<String>,
    /// What else is written, as typed: `[NAME=]WIRE[+..][:FORMAT]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<String>,
    /// Names of files without their ending, with tokens as those of an export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// Size up to which numbers are left out of sparse files.
    #[serde(skip_serializing_if = "is_default")]
    pub cutoff: f32,
    /// Values that all tasks have: `node.param=value`, as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
    /// The variant of the graph that all tasks have; the one that the file chooses when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Frames per second; those of the graph when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Recorded pointer and keys that all tasks play, as text; those of the graph when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The file of the checkpoint that all tasks continue from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The manifest of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the layout.
    pub version: u32,
    /// The program that wrote it, with its version.
    pub program: String,
    /// The name of the graph's file, without folders.
    pub graph: String,
    /// The [`Fingerprint`] of the graph before its values are set, in hexadecimal.
    pub hash: String,
    /// What was asked for.
    pub options: Options,
    /// The parameters that vary, in order: the last one varies fastest.
    pub parameters: Vec<String>,
    /// The tasks by their index, from 0.
    pub tasks: Vec<Task>,
}

/// One run of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Number of the task, from 0, and name of its folder.
    pub index: usize,
    /// Value of each parameter.
    pub values: BTreeMap<String, Value>,
}

impl Task {
    /// The name of its folder: `0007`.
    pub fn folder(&self) -> String {
        format!("{:0DIGITS$}", self.index)
    }
}

impl Manifest {
    /// The manifest of these options. `document` is the graph with everything that all tasks have, `name` the name of its file,
    /// `from` the checkpoint of the options.
    ///
    /// # Errors
    /// Parameters and ranges that cannot be read or that the graph does not have, too many tasks, and a checkpoint of a frame that
    /// is to be written.
    pub fn new(
        options: &Options,
        name: &str,
        document: &Document,
        library: &Library,
        access: &Access,
        from: Option<&CheckpointFile>,
    ) -> Result<Manifest, SweepError> {
        let mut axes = options.set.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<Axis>, String>>()?;
        if axes.is_empty() {
            return Err("nothing varies; give --set NODE.PARAM=VALUES, for example --set jet.rate=10..60:6"
                .to_string()
                .into());
        }
        let fixed = |param: &String| param.split_once('=').map(|(name, _)| name.trim().to_string());
        let mut fixed: BTreeSet<String> = options.params.iter().filter_map(fixed).collect();
        fixed.extend(options.variant.is_some().then(|| VARIANT.to_string()));
        if let Some(both) = axes.iter().find(|axis| fixed.contains(&axis.name)) {
            let option = if both.name == VARIANT { "--variant" } else { "--param" };
            return Err(format!("--set {}: {option} sets it too, for all tasks; give one of the two", both.name).into());
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = axes.iter().find(|axis| !names.insert(&axis.name)) {
            return Err(format!("--set {}: it is there twice; give all values in one", twice.name).into());
        }
        let (first, last) = options.frames;
        if first == 0 || last < first {
            return Err(format!(
                "invalid frame range {first}-{last}: first must be at least 1 and must not exceed last"
            )
            .into());
        }
        if let Some(present) = from.map(CheckpointFile::frame).filter(|present| *present >= first) {
            return Err(JobError::Past { first, present }.to_string().into());
        }
        for axis in &mut axes {
            let name = axis.name.clone();
            axis.round_to_whole(|value| {
                let mut document = document.clone();
                apply(&mut document, &name, value).is_ok() && Graph::build(&document, library).is_ok()
            });
        }
        let rows = match options.random {
            None => combinations(&axes)?,
            Some(count) => drawn(&axes, count, options.seed)?,
        };
        let task = |(index, values): (usize, Vec<Value>)| Task {
            index,
            values: axes.iter().map(|axis| axis.name.clone()).zip(values).collect(),
        };
        let hash = Fingerprint::of(document, library, access, &Cancel::default());
        let hash = hash.map(|hash| hash.from(from));
        let manifest = Manifest {
            version: VERSION,
            program: About::PROGRAM.into(),
            graph: name.into(),
            hash: hash.map_or_else(String::new, |hash| hash.text().into()),
            options: options.clone(),
            parameters: axes.iter().map(|axis| axis.name.clone()).collect(),
            tasks: rows.into_iter().enumerate().map(task).collect(),
        };
        manifest.check_limits()?;
        Ok(manifest)
    }

    /// Where the manifest of a folder is.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(MANIFEST)
    }

    /// The manifest of a folder; `None` where there is none.
    ///
    /// # Errors
    /// A file that cannot be read or is not a manifest.
    pub fn read(folder: &Path) -> Result<Option<Manifest>, SweepError> {
        let path = Manifest::path(folder);
        let fault = |cause: String| SweepError::Message(format!("{}: {cause}; choose another folder", path.display()));
        match read::bytes_without_links(&path, MAX_MANIFEST) {
            Err(ReadError::Missing) => Ok(None),
            Err(error) => Err(fault(error.to_string())),
            Ok(bytes) => {
                check_values(&bytes, 2 * MAX_VALUES).map_err(fault)?;
                let manifest: Manifest = serde_json::from_slice(&bytes)
                    .map_err(|e| fault(format!("it is not the manifest of a sweep ({e})")))?;
                if manifest.version != VERSION {
                    let other = manifest.version;
                    return Err(fault(format!("it has version {other}, and this program writes {VERSION}")));
                }
                manifest.check_limits().map_err(fault)?;
                Ok(Some(manifest))
            }
        }
    }

    /// The limits of a sweep. Indices are those of the tasks' positions, so that no two tasks have one folder.
    fn check_limits(&self) -> Result<(), String> {
        let (tasks, numbers) = (self.tasks.len(), self.options.numbers.len());
        if tasks == 0 || tasks > MAX_TASKS {
            return Err(format!("it has {tasks} tasks, and a sweep has 1 to {MAX_TASKS}"));
        }
        if self.parameters.len() > MAX_COLUMNS || numbers > MAX_COLUMNS {
            return Err(format!("a sweep has at most {MAX_COLUMNS} parameters that vary and as many numbers"));
        }
        if tasks.saturating_mul(self.parameters.len().max(1)) > MAX_VALUES {
            return Err(format!("it has more than {MAX_VALUES} values in all"));
        }
        match self.tasks.iter().enumerate().find(|(at, task)| *at != task.index) {
            Some((at, task)) => Err(format!("task {at} has the index {}", task.index)),
            None => Ok(()),
        }
    }

    /// Writes the manifest into a folder, which is created; where it is there already, nothing is written.
    ///
    /// # Errors
    /// A folder of another sweep, or one that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SweepError> {
        let fault = |e: io::Error| SweepError::Message(format!("{}: {e}; choose another folder", folder.display()));
        write::create_folder(folder).map_err(fault)?;
        let _lock = super::lock(folder)?;
        if let Some(other) = Manifest::read(folder)? {
            return self.same(&other, folder);
        }
        let there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
        let tasks = self.tasks.iter().map(Task::folder);
        if let Some(name) = tasks.chain(super::RESULTS.map(String::from)).find(|name| there(name)) {
            let cause = format!("it has {name} and no {MANIFEST}");
            return Err(format!("{}: {cause}; choose another folder", folder.display()).into());
        }
        let mut text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        text.push('\n');
        if text.len() as u64 > MAX_MANIFEST {
            return Err(format!("the manifest is larger than {} MiB; give fewer values", MAX_MANIFEST >> 20).into());
        }
        write::replace_in_export(&Manifest::path(folder), text.as_bytes()).map_err(fault)
    }

    /// # Errors
    /// How the sweep of a folder differs from this one.
    pub fn same(&self, other: &Manifest, folder: &Path) -> Result<(), SweepError> {
        if self == other {
            return Ok(());
        }
        let cause = if self.options != other.options {
            format!("it holds a sweep with other options ({})", other.options.set.join(", "))
        } else if self.program != other.program {
            format!("its sweep was begun by {}, and this is {}", other.program, self.program)
        } else if self.hash != other.hash {
            "the graph, its stages or its files have changed since its sweep was begun".to_string()
        } else {
            format!("its {MANIFEST} was changed")
        };
        // What the folder's manifest says is text of somebody else.
        let cause = crate::printable::name(&cause);
        Err(format!("{}: {cause}; choose another folder with --out", folder.display()).into())
    }

    /// A graph with the values of a task.
    ///
    /// # Errors
    /// A value that it does not have.
    pub fn document(&self, base: &Document, task: &Task) -> Result<Document, SweepError> {
        let mut document = base.clone();
        let (first, rest): (Vec<&String>, Vec<&String>) =
            self.parameters.iter().partition(|name| super::axis::comes_first(name));
        for name in first.into_iter().chain(rest) {
            let Some(value) = task.values.get(name) else { continue };
            apply(&mut document, name, value)
                .map_err(|cause| SweepError::Message(format!("--set {name}={}: {cause}", text_of(value))))?;
        }
        Ok(document)
    }

    /// Checks that the graph takes all values, before anything runs.
    ///
    /// # Errors
    /// The first value that it does not take.
    pub fn check(&self, base: &Document, library: &Library) -> Result<(), SweepError> {
        let mut checked = BTreeSet::new();
        for task in &self.tasks {
            let new = |name: &&String| {
                let value = task.values.get(*name).map(text_of).unwrap_or_default();
                checked.insert(((*name).clone(), value))
            };
            let fresh: Vec<&String> = self.parameters.iter().filter(new).collect();
            // Values that others had are fine.
            if !fresh.is_empty() {
                self.check_task(base, library, task)?;
            }
        }
        Ok(())
    }

    /// Checks that the graph takes the values of a task.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check_task(&self, base: &Document, library: &Library, task: &Task) -> Result<(), SweepError> {
        let document = self.document(base, task)?;
        Graph::build(&document, library)
            .map(|_| ())
            .map_err(|problems| SweepError::Problems(label(self, task), problems))
    }
}

/// Refuses JSON of more values than this before memory is taken for them.
///
/// # Errors
/// A sentence without its beginning, which names the file.
pub(super) fn check_values(json: &[u8], most: usize) -> Result<(), String> {
    let mut count = 0;
    let mut quoted = false;
    let mut escaped = false;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' => count += usize::from(!quoted),
            _ => {}
        }
    }
    if count > most { Err(format!("it has more than {most} values")) } else { Ok(()) }
}

/// The values of a task in one line: `jet.rate=10 pressure.iterations=20`.
pub fn label(manifest: &Manifest, task: &Task) -> String {
    let one = |name: &String| Some(format!("{name}={}", text_of(task.values.get(name)?)));
    manifest.parameters.iter().filter_map(one).collect::<Vec<_>>().join(" ")
}

/// All combinations of the values; the last parameter varies fastest.
fn combinations(axes: &[Axis]) -> Result<Vec<Vec<Value>>, SweepError> {
    let mut rows = vec![Vec::new()];
    for axis in axes {
        let values = axis.all()?;
        if rows.len() * values.len() > MAX_TASKS {
            return Err(
                format!("there are more than {MAX_TASKS} combinations; give fewer values, or --random N").into()
            );
        }
        let with = |row: &Vec<Value>| {
            let row = row.clone();
            values.iter().map(move |value| row.iter().cloned().chain([value.clone()]).collect())
        };
        rows = rows.iter().flat_map(with).collect();
    }
    Ok(rows)
}

/// Random points.
fn drawn(axes: &[Axis], count: u64, seed: u64) -> Result<Vec<Vec<Value>>, SweepError> {
    if !(1..=MAX_TASKS as u64).contains(&count) {
        return Err(format!("--random {count}: give a number from 1 to {MAX_TASKS}").into());
    }
    let dimensions = axes.iter().map(Axis::dimensions).sum();
    let row = |index: u64| {
        let point = random::point(index, seed, dimensions);
        let mut rest = point.as_slice();
        let value = |axis: &Axis| {
            let (coordinates, others) = rest.split_at_checked(axis.dimensions()).unwrap_or((rest, &[]));
            rest = others;
            axis.drawn(coordinates).map_err(SweepError::from)
        };
        axes.iter().map(value).collect()
    };
    (0..count).map(row).collect()
}
