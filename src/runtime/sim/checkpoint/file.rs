//! Checkpoints on disk: written as a whole, read as far as a plan has room for them.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::tensor::{TensorView, serialize};

use super::super::Snapshot;
use super::super::settings::{self, held_value};
use super::super::state_layout::{StateLayout, described};
use super::header::{self, Header, Tensor, Wrong};
use super::{About, BadState, Checkpoint, CheckpointError, StateAbout, VERSION, common, named};
use crate::files::written::Log;
use crate::files::{read, write};
use crate::plan::Plan;

/// A checkpoint on disk whose header was read and is sound. Its States are still unread.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointFile {
    path: PathBuf,
    header: Header,
}

impl Checkpoint {
    /// Writes the file: all of it or nothing.
    ///
    /// # Errors
    /// A folder that can't be written, or a full disk.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        self.write_by(path, write::replace).map(drop)
    }

    /// Writes the file in the folder of an export: what a killed process leaves is removed by the next one. Returns the States with NaN or
    /// infinity, which the file marks.
    ///
    /// # Errors
    /// As [`Checkpoint::write`].
    pub fn write_in_export(&self, path: &Path, log: &Log) -> Result<Vec<BadState>, CheckpointError> {
        self.write_by(path, |path, bytes| {
            log.add(path, bytes.len() as u64)?;
            write::replace_in_export(path, bytes)
        })
    }

    fn write_by(
        &self,
        path: &Path,
        write: impl Fn(&Path, &[u8]) -> io::Result<()>,
    ) -> Result<Vec<BadState>, CheckpointError> {
        let fault = |cause: String| CheckpointError::File { path: path.into(), doing: "written", cause };
        let bad = self.not_finite();
        let (mut views, mut states) = (Vec::new(), BTreeMap::new());
        for (((node, description), words), layout) in self.snapshot.states.iter().zip(&self.layouts) {
            let bytes = bytemuck::cast_slice(words);
            let view = TensorView::new(layout.kind, layout.shape.clone(), bytes).map_err(|e| fault(e.to_string()))?;
            views.push((node.clone(), view));
            let found = bad.iter().find(|state| state.node == *node);
            let about = StateAbout {
                description: description.clone(),
                sha256: header::hash_of(bytes),
                not_finite: found.map_or(0, |state| state.numbers),
                since: found.map(|state| state.since),
            };
            states.insert(node.clone(), about);
        }
        let about = About { states, ..self.about.clone() };
        let about = serde_json::to_string(&about).map_err(|e| fault(e.to_string()))?;
        let texts = HashMap::from([(header::ABOUT.to_string(), about), (header::HASH.into(), header::NO_HASH.into())]);
        let mut bytes = serialize(views, Some(texts)).map_err(|e| fault(e.to_string()))?;
        header::seal(&mut bytes).ok_or_else(|| {
            fault(format!("the text of its graph and its input is longer than {} MiB", header::MAX_HEADER >> 20))
        })?;
        write(path, &bytes).map_err(|e| fault(e.to_string()))?;
        Ok(bad)
    }
}

impl CheckpointFile {
    /// Reads the header of a file and checks it.
    ///
    /// # Errors
    /// A file that is missing, of another kind or version, or whose header or length is not what it was.
    pub fn open(path: &Path) -> Result<CheckpointFile, CheckpointError> {
        let (_, header) = opened(path)?;
        Ok(CheckpointFile { path: path.into(), header })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What made the States.
    pub fn about(&self) -> &About {
        &self.header.about
    }

    /// Frames computed since the start.
    pub fn frame(&self) -> u64 {
        self.header.about.frame
    }

    /// A hash of the States with their names, in hexadecimal.
    pub fn hash(&self) -> String {
        let states = &self.header.about.states;
        let text: String =
            states.iter().map(|(name, state)| format!("{}:{name}{}", name.len(), state.sha256)).collect();
        header::hash_of(text.as_bytes())
    }

    /// The States that are marked: they hold NaN or infinity.
    pub fn marked(&self) -> Vec<BadState> {
        let states = self.header.about.states.iter().filter(|(_, state)| state.not_finite > 0);
        let since = |state: &StateAbout| state.since.unwrap_or(self.frame());
        states
            .map(|(node, state)| BadState { node: node.clone(), numbers: state.not_finite, since: since(state) })
            .collect()
    }

    /// Why the checkpoint should not be continued from. `sound` is the last checkpoint of its folder without NaN and
    /// infinity.
    pub fn not_finite(&self, states: &[BadState], sound: Option<&Path>) -> CheckpointError {
        let remedy = match sound {
            Some(sound) => format!("continue from {}, the last sound one of its folder", sound.display()),
            None => "its folder has no earlier one without".to_string(),
        };
        CheckpointError::NotFinite { path: self.path.clone(), states: named(states), remedy }
    }

    /// Reads the States that a plan has too. All of the header is compared with the plan first.
    ///
    /// # Errors
    /// A State of another type or shape, more particles than there is room for, held values that their parameters can't have; numbers
    /// that do not match their hash.
    pub fn load(&self, plan: &Plan) -> Result<Checkpoint, CheckpointError> {
        let about = &self.header.about;
        let unfit = |cause: String| CheckpointError::Unfit { path: self.path.clone(), cause };
        let damaged = |part: String| CheckpointError::Damaged { path: self.path.clone(), part };
        let wanted: Vec<_> = common(plan, about).collect();
        for (state, layout) in &wanted {
            let Some(Tensor { kind, shape, .. }) = self.header.tensors.get(&state.node) else { continue };
            if (*kind, shape) != (layout.kind, &layout.shape) {
                let (is, wants) = (described(*kind, shape), described(layout.kind, &layout.shape));
                return Err(unfit(format!("it holds {} as {is}, and the graph as {wants}", state.node)));
            }
        }
        let held = held(about);
        check_held(plan, &held).map_err(unfit)?;
        let (mut file, now) = opened(&self.path)?;
        if now != self.header {
            let (path, cause) = (self.path.clone(), "it was replaced meanwhile; try again".into());
            return Err(CheckpointError::File { path, doing: "read", cause });
        }
        let (mut states, mut layouts) = (BTreeMap::new(), BTreeMap::new());
        for (state, layout) in wanted {
            let (Some(tensor), Some(saved)) = (self.header.tensors.get(&state.node), about.states.get(&state.node))
            else {
                continue;
            };
            let fault = |error: io::Error| {
                let (path, cause) = (self.path.clone(), error.to_string());
                CheckpointError::File { path, doing: "read", cause }
            };
            let words = words(&mut file, tensor, &layout, &saved.sha256).map_err(fault)?;
            let words = words.ok_or_else(|| damaged(format!("the State {}", state.node)))?;
            let live = words.first().copied().unwrap_or(0);
            if let Some(capacity) = layout.capacity.filter(|capacity| live > *capacity) {
                let set = state.node.strip_suffix(".count").unwrap_or(&state.node);
                return Err(unfit(format!("it holds {live} particles of {set}, and there is room for {capacity}")));
            }
            let key = (state.node.clone(), state.description.clone());
            states.insert(key.clone(), words);
            layouts.insert(key, layout);
        }
        let snapshot = Snapshot { time: f64::from_bits(about.time), frame: about.frame, states, held };
        let since = |(node, state): (&String, &StateAbout)| Some((node.clone(), state.since?));
        let seen = about.states.iter().filter_map(since).collect();
        Ok(Checkpoint { about: about.clone(), snapshot, layouts: layouts.into_values().collect(), seen })
    }
}

/// An open file behind its header, and the header.
fn opened(path: &Path) -> Result<(File, Header), CheckpointError> {
    let fault = |cause: String| CheckpointError::File { path: path.into(), doing: "read", cause };
    let (mut file, length) = read::open(path).map_err(|error| fault(error.to_string()))?;
    match Header::read(&mut file, length) {
        Ok(header) => Ok((file, header)),
        Err(Wrong::Other(cause)) => Err(CheckpointError::Other { path: path.into(), cause }),
        Err(Wrong::Damaged) => Err(CheckpointError::Damaged { path: path.into(), part: "its header".into() }),
        Err(Wrong::Version(version, program)) => {
            let remedy = match version > VERSION {
                true => "update Stagewright",
                false => "its contents can't be verified, so compute its frames again",
            };
            Err(CheckpointError::Version { path: path.into(), program, remedy })
        }
    }
}

/// The words of a tensor, which has as many as its layout; `None` where they do not match their hash.
fn words(file: &mut File, tensor: &Tensor, layout: &StateLayout, hash: &str) -> io::Result<Option<Vec<u32>>> {
    file.seek(SeekFrom::Start(tensor.bytes.start))?;
    let mut words = vec![0u32; layout.words];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    file.read_exact(bytes)?;
    let same = header::hash_of(bytes) == hash;
    words.iter_mut().for_each(|word| *word = u32::from_le(*word));
    Ok(same.then_some(words))
}

fn held(about: &About) -> Vec<(String, Vec<f64>)> {
    let values = |bits: &Vec<u64>| bits.iter().map(|bits| f64::from_bits(*bits)).collect();
    about.held.iter().map(|(path, bits)| (path.clone(), values(bits))).collect()
}

/// Compares values that expressions have kept with the parameters of a plan. Parameters of another version of the graph are passed
/// over; those of this one may have no value that they could not get otherwise.
fn check_held(plan: &Plan, held: &[(String, Vec<f64>)]) -> Result<(), String> {
    let slots: HashMap<&str, &crate::plan::ParamSlot> =
        plan.settings.iter().map(|slot| (settings::path(slot), slot)).collect();
    for (path, values) in held.iter().filter(|(_, values)| !values.is_empty()) {
        if values.len() > 4 || values.iter().any(|value| !value.is_finite()) {
            return Err(format!("the value that it has kept for {path} is none"));
        }
        if let Some(slot) = slots.get(path.as_str()) {
            held_value(slot, values).map_err(|(cause, _)| format!("the value that it has kept for {path}: {cause}"))?;
        }
    }
    Ok(())
}
