//! The States of a simulation in a file, from which it continues with the same bits: in another process, on another day.
//!
//! The format is [safetensors](https://github.com/huggingface/safetensors): a tensor for each State, named after it, with the axes
//! z, y, x and component for grids, and particle and component for particles. Everything else is text in its header.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::debug::Report;
use super::{FrameInput, Simulation, Snapshot, timeline};
use crate::files::{read, write};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::stage::types::{Scalar, WireType};

/// Limit of a file \[bytes\].
const MAX_FILE: u64 = 64 << 30;
/// Name of the text in the header that holds [`About`].
const HEADER: &str = "stagewright";
/// Name of the hash of all tensors.
const HASH: &str = "sha256";
/// Version of the format.
const VERSION: u32 = 1;

/// States after a frame, with what made them.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What made them.
    pub about: About,
    /// The States.
    pub snapshot: Snapshot,
    /// How each State is stored, in the order of the file.
    tensors: Vec<Tensor>,
}

/// What made the States of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    version: u32,
    /// Name and version of the program.
    pub program: String,
    /// Adapter, backend and driver; another one may round differently.
    pub adapter: String,
    /// The graph as text.
    pub graph: String,
    /// A hash of everything that the frames depend on, where it was computed.
    #[serde(default)]
    pub inputs: Option<String>,
    /// The input of the frames until now, as the text of a recording, where it was given live.
    #[serde(default)]
    pub recording: Option<String>,
    /// Where the next frame stopped, in a checkpoint of what that frame starts from.
    #[serde(default)]
    pub stop: Option<Box<Stop>>,
    frame: u64,
    /// Bits of a 64-bit float \[s\].
    time: u64,
    /// Descriptions of the States by name.
    states: BTreeMap<String, String>,
    /// Values that expressions have kept: bits of 64-bit floats.
    #[serde(default)]
    held: Vec<(String, Vec<u64>)>,
}

/// Where a run stopped inside the frame after a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// What the stop said.
    pub report: Report,
    /// The input of the frame.
    pub input: FrameInput,
}

#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    node: String,
    description: String,
    kind: Dtype,
    shape: Vec<usize>,
}

/// Why a checkpoint can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The operating system's error.
    #[error("the checkpoint {} can't be {doing}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `written` or `read`.
        doing: &'static str,
        /// The error.
        cause: String,
    },
    /// It is another kind of file.
    #[error("{} is not a checkpoint of Stagewright: {cause}; give a file that `render --checkpoint-every` or the editor has saved", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// Its contents do not match their hash.
    #[error("the checkpoint {} is damaged: its contents do not match their hash; use an earlier one", .0.display())]
    Damaged(PathBuf),
    /// A later version of the format.
    #[error("the checkpoint {} was written by {program}, whose format this version does not know; update Stagewright", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Name and version of the program.
        program: String,
    },
}

impl Checkpoint {
    /// Whether it holds a State, by its node and its description.
    pub fn holds(&self, node: &str, description: &str) -> bool {
        self.about.states.get(node).is_some_and(|known| known == description)
    }

    /// The file's extension.
    pub const EXTENSION: &'static str = "safetensors";

    /// A checkpoint of a simulation. `graph` is the document's text that it runs; `inputs` is a hash of everything that the frames depend on.
    pub fn new(simulation: &Simulation, snapshot: Snapshot, graph: String, inputs: Option<String>) -> Checkpoint {
        let plan = simulation.plan();
        let tensor = |((node, description), words): (&(String, String), &Vec<u32>)| {
            let (kind, shape) = shape(plan, node, words.len());
            Tensor { node: node.clone(), description: description.clone(), kind, shape }
        };
        let tensors = snapshot.states.iter().map(tensor).collect();
        let about = About {
            version: VERSION,
            program: format!("stagewright {}", env!("CARGO_PKG_VERSION")),
            adapter: simulation.gpu().name().to_string(),
            graph,
            inputs,
            recording: None,
            stop: None,
            frame: snapshot.frame,
            time: snapshot.time.to_bits(),
            states: snapshot.states.keys().cloned().collect(),
            held: snapshot
                .held
                .iter()
                .map(|(path, values)| (path.clone(), values.iter().map(|v| v.to_bits()).collect()))
                .collect(),
        };
        Checkpoint { about, snapshot, tensors }
    }

    /// Writes the file: all of it or nothing.
    ///
    /// # Errors
    /// A folder that can't be written, or a full disk.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        self.write_by(path, write::replace)
    }

    /// The same in the folder of an export: what a killed process leaves is removed by the next one.
    ///
    /// # Errors
    /// As [`Checkpoint::write`].
    pub fn write_in_export(&self, path: &Path) -> Result<(), CheckpointError> {
        self.write_by(path, write::replace_in_export)
    }

    fn write_by(&self, path: &Path, write: fn(&Path, &[u8]) -> io::Result<()>) -> Result<(), CheckpointError> {
        let fault = |cause: String| CheckpointError::File { path: path.into(), doing: "written", cause };
        let mut views = Vec::new();
        for (tensor, words) in self.tensors.iter().zip(self.snapshot.states.values()) {
            let bytes = bytemuck::cast_slice(words);
            let view = TensorView::new(tensor.kind, tensor.shape.clone(), bytes).map_err(|e| fault(e.to_string()))?;
            views.push((tensor.node.clone(), view));
        }
        let about = serde_json::to_string(&self.about).map_err(|e| fault(e.to_string()))?;
        let header = HashMap::from([(HEADER.to_string(), about), (HASH.to_string(), self.hash())]);
        let bytes = serialize(views, Some(header)).map_err(|e| fault(e.to_string()))?;
        write(path, &bytes).map_err(|e| fault(e.to_string()))
    }

    /// SHA-256 of the States with their names, in hexadecimal.
    pub fn hash(&self) -> String {
        let names = self.tensors.iter().map(|tensor| tensor.node.as_str());
        digest(names.zip(self.snapshot.states.values().map(|words| bytemuck::cast_slice(words))))
    }

    /// Reads a file and checks it.
    ///
    /// # Errors
    /// A file that is missing, damaged, of another kind or too new.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let fault = |cause: String| CheckpointError::File { path: path.into(), doing: "read", cause };
        let other = |cause: String| CheckpointError::Other { path: path.into(), cause };
        let bytes = read::bytes(path, MAX_FILE).map_err(|e| fault(e.to_string()))?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|e| other(e.to_string()))?;
        let texts = header.metadata().as_ref();
        let about =
            texts.and_then(|texts| texts.get(HEADER)).ok_or_else(|| other("its header has no such text".into()))?;
        let about: About = serde_json::from_str(about).map_err(|e| other(e.to_string()))?;
        if about.version > VERSION {
            return Err(CheckpointError::Newer { path: path.into(), program: about.program });
        }
        let tensors = SafeTensors::deserialize(&bytes).map_err(|e| other(e.to_string()))?;
        let mut views: Vec<(String, TensorView<'_>)> = tensors.tensors();
        views.sort_by(|(one, _), (two, _)| one.cmp(two));
        let hash = digest(views.iter().map(|(name, view)| (name.as_str(), view.data())));
        if texts.and_then(|texts| texts.get(HASH)) != Some(&hash) {
            return Err(CheckpointError::Damaged(path.into()));
        }
        let mut snapshot = Snapshot {
            time: f64::from_bits(about.time),
            frame: about.frame,
            states: BTreeMap::new(),
            held: about
                .held
                .iter()
                .map(|(path, bits)| (path.clone(), bits.iter().map(|b| f64::from_bits(*b)).collect()))
                .collect(),
        };
        let mut kept = Vec::new();
        for (node, view) in views {
            let Some(description) = about.states.get(&node).cloned() else { continue };
            // The file's numbers need not be aligned.
            let words = view.data().chunks_exact(4).filter_map(|word| Some(u32::from_le_bytes(word.try_into().ok()?)));
            snapshot.states.insert((node.clone(), description.clone()), words.collect());
            kept.push(Tensor { node, description, kind: view.dtype(), shape: view.shape().to_vec() });
        }
        Ok(Checkpoint { about, snapshot, tensors: kept })
    }
}

impl Simulation {
    /// Continues from a checkpoint. Returns a warning for each State that starts from its initial value, because the checkpoint does
    /// not hold it as the graph describes it now.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Problems {
        let held = &checkpoint.snapshot.states;
        let mut problems = Problems::default();
        if checkpoint.snapshot.frame == 0 && held.is_empty() {
            // That of the start.
            self.reset();
            return problems;
        }
        for state in timeline::held(self.plan()) {
            if held.contains_key(&(state.node.clone(), state.description.clone())) {
                continue;
            }
            let there = checkpoint.about.states.get(&state.node);
            let cause = match there {
                Some(there) => format!(
                    "the checkpoint holds it as {there}, and the graph as {}, so it starts from its initial value",
                    state.description
                ),
                None => "the checkpoint does not hold it, so it starts from its initial value".into(),
            };
            problems.push(
                Problem::new(&state.node, "", cause, "use the graph that the checkpoint was made with").warning(),
            );
        }
        self.restore(&checkpoint.snapshot);
        problems
    }
}

/// The hash of tensors with their names, in the order of names.
fn digest<'t>(tensors: impl Iterator<Item = (&'t str, &'t [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, bytes) in tensors {
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The type and the axes of a State of so many words.
fn shape(plan: &Plan, node: &str, words: usize) -> (Dtype, Vec<usize>) {
    let plain = (Dtype::U32, vec![words]);
    let Some(wire) = plan.wires.get(node).or_else(|| plan.wires.get(&format!("{node}.value"))) else { return plain };
    let layout = wire.layout();
    let kind = match (layout.is_half(), wire.ty.value().scalar()) {
        (true, _) => Dtype::F16,
        (false, Scalar::F32) => Dtype::F32,
        (false, Scalar::I32) => Dtype::I32,
        (false, Scalar::U32) => Dtype::U32,
    };
    let numbers = if layout.is_half() { 2 * words } else { words };
    let components = layout.numbers() as usize;
    let domain = wire.domain.and_then(|domain| plan.domains.get(domain));
    let cells =
        domain.map(|domain| if wire.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution });
    let axes: Vec<usize> = match cells {
        Some([x, y, z]) => [z, y, x].into_iter().map(|n| n as usize).chain([components]).collect(),
        None => vec![numbers / components.max(1), components],
    };
    if axes.iter().product::<usize>() == numbers { (kind, axes) } else { (kind, vec![numbers]) }
}
