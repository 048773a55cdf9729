//! The plan as data: buffers, kernels, dispatches, and their relations.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::arena::{Arena, Id};
use crate::document::{ParamValue, Substeps};
use crate::graph::dynamics::Dynamics;
use crate::graph::{Domain, DomainId, File, FileOutput, NamedNumber, Shapes};
use crate::input::InputTrack;
use crate::ir::WireValue;
use crate::ir::stored::Stored;
use crate::scatter::{Places, ScatterCheck};
use crate::stage::types::{Scalar, ValueType};
use crate::tuning::Shape;

/// Offset of the workgroup counts for indirect dispatches in the buffer of a particle count or of a gate \[bytes\].
pub const COUNT_GROUPS: u64 = 16;

/// Size of a gate's entry for each dispatch that it controls: three workgroup counts \[bytes\].
pub(super) const GATE_ENTRY: u64 = 12;

/// Which buffer of a plan, and which kernel.
pub type BufferId = Id<Buffer>;
/// The id of a kernel.
pub type KernelId = Id<Kernel>;

/// Version of the plan's JSON format.
pub const PLAN_VERSION: u32 = 7;

/// What a compiled graph does in every frame, and on reset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the plan's format.
    pub version: u32,
    /// Title of the graph.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// Steps that a frame is divided into.
    #[serde(default, skip_serializing_if = "is_one_step")]
    pub substeps: Substeps,
    /// Seed of `random` and `frame.seed`.
    pub seed: u32,
    /// Recorded pointer and keys, used while there is no user input.
    pub input: Option<InputTrack>,
    /// Domains of the graph.
    pub domains: Arena<Domain>,
    /// GPU memory.
    pub buffers: Arena<Buffer>,
    /// Compute shaders; dispatches share them.
    pub kernels: Arena<Kernel>,
    /// Run when the simulation is reset.
    pub reset: Vec<Dispatch>,
    /// Invariant dispatches: their results are the same in every frame. Run before the first frame, and again after one
    /// of their parameters, or a State that they read, was set.
    #[serde(rename = "still")]
    pub invariant: Vec<Dispatch>,
    /// Run in every frame.
    pub frame: Vec<Dispatch>,
    /// Pairs of buffers that are swapped after every frame: a State's present value and its next one.
    pub swaps: Vec<(BufferId, BufferId)>,
    /// What survives a frame.
    pub states: Vec<State>,
    /// All wires by `node.port`.
    pub wires: BTreeMap<String, Wire>,
    /// Images of the Outputs.
    pub outputs: Vec<Picture>,
    /// Parameters that can be set without a new plan.
    pub settings: Vec<ParamSlot>,
    /// Numbers that expressions name, each after those that it names itself.
    pub numbers: Vec<NamedNumber>,
    /// Values that the plan depends on: `spacing.value` may determine `domain.resolution`. Changing one needs another
    /// plan.
    pub shapes: Shapes,
    /// Values that it was compiled with, by `node.param`: iterations, capacities, resolutions, widths, placements of
    /// files.
    pub made_with: BTreeMap<String, Vec<f64>>,
    /// What the plan's States depend on. It belongs to this version of the program, so it is not written.
    #[serde(skip)]
    pub dynamics: Dynamics,
    /// Constant words of the uniform buffer, such as iteration counters, by byte offset.
    pub words: Vec<(u32, i32)>,
    /// Size of the uniform buffer, which begins with the frame's block \[bytes\].
    pub uniform_bytes: u32,
    /// GPU memory of all buffers \[bytes\].
    pub memory: u64,
    /// Run-time warnings, by the index that kernels use.
    pub alarms: Vec<Alarm>,
    /// Grids that stages add to, with checks of the sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scatters: Vec<ScatterCheck>,
    /// Numbers that should stay within a range.
    pub watches: Vec<Watch>,
    /// Where each version of a wire is; empty unless they were kept.
    #[serde(skip)]
    pub versions: Versions,
    /// Grids of values that come from files.
    pub files: Vec<FileGrid>,
    /// Numbers over time that come from files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracks: Vec<FileTrack>,
    /// Wires whose values come from caches on disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub played: Vec<PlayedWire>,
    /// Why stages do not share dispatches, if they should but this did not compile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
    /// Nodes that share no dispatch while their text is edited ([`crate::PlanOptions::edited`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
}

/// A wire whose value comes from a cache on disk before each frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedWire {
    /// `node.port`; of a State its node.
    pub name: String,
    /// Whether the wire is a State, whose readers find the value of the frame before.
    pub state: bool,
    /// Most particles that there is room for; 0 for other wires.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub capacity: u32,
    /// The folder of the cache.
    pub folder: PathBuf,
    /// The memory of each part: for a whole wire one without a name, for particles one called `count` and one for each
    /// attribute.
    pub parts: Vec<PlayedPart>,
}

/// Memory that a cache fills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedPart {
    /// Empty, `count`, or the name of an attribute.
    pub name: String,
    /// Buffer that the cache fills.
    pub buffer: BufferId,
    /// Type, size and precision, as text.
    pub stored: String,
    /// Words of 32 bits.
    pub words: u64,
}

/// What comes from a file: signed distances to its shape, or the colours of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileGrid {
    /// Path of the node.
    pub node: String,
    /// The file and its placement.
    pub file: File,
    /// Which of its outputs.
    #[serde(default)]
    pub output: FileOutput,
    /// Folder that the file's path starts from.
    pub folder: PathBuf,
    /// Whether files outside that folder may be read too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anywhere: bool,
    /// The grid's domain.
    pub domain: DomainId,
    /// The buffer of the values.
    pub buffer: BufferId,
    /// Which part of particles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<FilePart>,
}

/// A number over time that comes from a file; its [`NamedNumber::track`] says how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTrack {
    /// The path that sets the number: `NODE.value`.
    pub number: String,
    /// Folder that the file's path starts from.
    pub folder: PathBuf,
    /// Whether files outside that folder may be read too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anywhere: bool,
}

/// An attribute of the particles of a file, or their count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    /// Name of the attribute; `None` for the count.
    pub attribute: Option<String>,
    /// Numbers of a particle.
    pub components: u32,
    /// Numbers of a particle, with padding.
    pub stride: u32,
    /// How the numbers are stored.
    pub scalar: Scalar,
    /// How many particles there is room for.
    pub capacity: u32,
}

/// A run-time warning that a kernel can raise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarm {
    /// Path of the node.
    pub node: String,
    /// What happened.
    pub cause: Cause,
}

/// The reason of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// A loop exceeded its budget.
    Loop,
    /// A particle has more neighbours than can be visited.
    Neighbors,
    /// More particles were emitted than fit.
    Capacity,
}

impl Cause {
    /// Name of the uniform block's member that holds the alarm's index.
    pub fn member(self) -> &'static str {
        match self {
            Cause::Loop => "_alarm_loop",
            Cause::Neighbors => "_alarm_neighbors",
            Cause::Capacity => "_alarm_capacity",
        }
    }
}

/// A number that should stay within a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Path of the node.
    pub node: String,
    /// Name of the port.
    pub port: String,
    /// The buffer of the number.
    pub buffer: BufferId,
    /// How the number is stored.
    pub scalar: Scalar,
    /// Minimum and maximum; `None` is unbounded. Where both are, the warning about another number of the node shows it.
    pub range: (Option<f64>, Option<f64>),
    /// The port's documentation.
    pub doc: String,
}

/// A block of GPU memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// The first wire that it holds.
    pub label: String,
    /// Size \[bytes\].
    pub bytes: u64,
    /// The wires that it holds in the course of a frame, in that order.
    pub holds: Vec<Holding>,
}

/// How long a buffer holds a value. Dispatches are numbered through `invariant` and then `frame`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    /// `node.port`, for particles `node.port.attribute`.
    pub wire: String,
    /// The dispatch that writes it first; `None` where it exists before the frame.
    pub first: Option<usize>,
    /// The last dispatch that needs it; `None` where it is kept beyond the frame.
    pub last: Option<usize>,
}

impl Buffer {
    /// The wires that share it, each once, in order.
    pub fn wires(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.holds.iter().map(|h| h.wire.as_str()).filter(|wire| seen.insert(*wire)).collect()
    }

    /// What the buffer holds for a dispatch: the wire that the dispatch writes, or the one that it reads.
    pub fn held(&self, dispatch: usize, written: bool) -> Option<&Holding> {
        let there = |h: &&Holding| {
            let begun = h.first.is_none_or(|first| if written { first <= dispatch } else { first < dispatch });
            begun && h.last.is_none_or(|last| last >= dispatch)
        };
        // The one that begun last: a State's value of before that nobody reads lasts on paper, though other wires have its memory.
        self.holds.iter().rfind(there)
    }
}

/// A compute shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Stage or built-in task.
    pub name: String,
    /// The first node that needs it, for errors.
    pub node: String,
    /// The complete text of the shader.
    pub wgsl: String,
    /// Invocations of a workgroup along x, y and z.
    pub workgroup: [u32; 3],
    /// Storage buffers in the order of their bindings, from binding 2. Bindings 0 and 1 are the uniform blocks.
    pub bindings: Vec<Binding>,
    /// Every loop is proven finite, so the driver need not bound it.
    pub finite: bool,
    /// Every index is proven to be in bounds, so the driver need not check it.
    pub in_bounds: bool,
    /// Whether the kernel raises alarms, whose flags are bound after its own buffers.
    pub warns: bool,
    /// Number of lines of the stage's text with what it uses of shared files, which precede the generated text.
    pub own_lines: usize,
    /// Size of its uniform block \[bytes\].
    pub uniform_bytes: u32,
}

/// A storage buffer of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// Name of the variable in the shader.
    pub name: String,
    /// Whether the kernel writes it.
    pub writes: bool,
}

/// One run of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    /// The compute shader.
    pub kernel: KernelId,
    /// Path of the node that it belongs to.
    pub node: String,
    /// Which part of the node: an iteration, a colour, a built-in task.
    pub part: String,
    /// Other nodes whose work it does before its own, in this order.
    pub with: Vec<String>,
    /// A buffer for each of the kernel's bindings.
    pub buffers: Vec<BufferId>,
    /// What the dispatch's invocations run over.
    pub over: Over,
    /// Shape and actual number of sweeps of the dispatch, unless it has the plain shape.
    pub shape: Option<(Shape, u32)>,
    /// Workgroups along x, y and z; an upper limit where the number is read on the GPU.
    pub groups: [u32; 3],
    /// Where the number of workgroups is read from on the GPU, if it is not fixed.
    pub indirect: Option<Indirect>,
    /// Byte offset of its uniform block.
    pub uniform: u32,
}

/// Three words of a buffer with the number of workgroups: as the live particles of a set need, or zero where a group
/// has stopped before this iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Indirect {
    /// The buffer that the numbers are read from.
    pub buffer: BufferId,
    /// \[bytes\]
    pub offset: u64,
    /// Whether the number is that of what there is, particles or blocks of cells, rather than what a group that may stop says.
    pub living: bool,
}

impl Dispatch {
    /// The nodes whose work it does, its own first.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.node).chain(&self.with).map(String::as_str)
    }
}

/// What a dispatch runs over: the iteration source of a stage, or the elements of a built-in task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    /// One invocation.
    Once,
    /// Cells of a domain.
    Cells(DomainId),
    /// Cells of a domain and their faces, one more along each axis.
    Faces(DomainId),
    /// Particles of a set with this capacity; only the live ones where the dispatch is indirect.
    Particles(u32),
    /// Words of memory.
    Words(u64),
    /// Partial results, in one workgroup.
    Partials(u64),
    /// Pixels of an image.
    Pixels(u32, u32),
    /// What so many small dispatches run over, one after the other in one workgroup.
    Turns(u32),
}

/// A value that survives a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The node; for particles `node.attribute` and `node.count`.
    pub node: String,
    /// The buffer of its present value.
    pub buffer: BufferId,
    /// Type, domain and start value: when a recompilation does not change this, the contents are kept.
    pub description: String,
    /// How many particles a set has room for, at the buffer of its count; `None` for everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
}

fn is_one_step(substeps: &Substeps) -> bool {
    *substeps == Substeps::default()
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A value that is stored in a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    /// Type, size and precision.
    #[serde(flatten)]
    pub stored: Stored,
    /// The buffer that holds it.
    pub buffer: BufferId,
    /// Whether the value is still in memory when the frame ends.
    pub kept: bool,
    /// Whether the wire is a State's value, which is the next frame's once the frame has ended.
    pub state: bool,
}

impl Wire {
    /// How a value is stored in its buffer.
    pub(crate) fn new(value: &WireValue, buffer: BufferId) -> Wire {
        Wire { stored: value.stored, buffer, kept: false, state: false }
    }
}

impl Deref for Wire {
    type Target = Stored;

    fn deref(&self) -> &Stored {
        &self.stored
    }
}

/// Where each version of a wire is in the course of a frame, for a debugger that stops between two dispatches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Versions {
    /// The versions of each wire, by the name of the wire, in the order in which they are written.
    pub wires: BTreeMap<String, Vec<Version>>,
    /// What each dispatch of the frame reads and writes.
    pub dispatches: Vec<Accesses>,
}

/// A version of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The wire has this version once so many dispatches have run.
    pub from: usize,
    /// The version is in memory until so many dispatches have run; to the end of the frame when `None`.
    pub until: Option<usize>,
    /// The dispatch that writes it; `None` where it exists before the frame.
    pub written: Option<usize>,
    /// Type and buffer of the version.
    pub wire: Wire,
}

/// What a dispatch reads and writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accesses {
    /// Which iteration of its stage it belongs to.
    pub iteration: u32,
    /// Which iteration of the group around it it belongs to.
    pub substep: u32,
    /// The wires that it reads, without those that it only updates.
    pub reads: Vec<(String, Wire)>,
    /// The wires that it writes.
    pub writes: Vec<WireUpdate>,
    /// How the dispatch hands particles other indices.
    pub reorders: Option<Reorders>,
}

/// A dispatch that moves particles. It reads their attributes in the order in which it writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reorders {
    /// How.
    pub kind: Reorder,
    /// The buffer that says where.
    pub index: BufferId,
    /// The buffer that says how many particles there are, in its first word.
    pub count: Option<BufferId>,
}

/// How a dispatch moves particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reorder {
    /// Place `i` gets the particle `index[i]`.
    Gather,
    /// The particle `i` goes to the place `index[i]`.
    Scatter,
    /// The particle `i` goes to the place `index[i]` where `index[i + 1]` is greater. Otherwise it is removed.
    Compact,
}

/// What a dispatch writes.
#[derive(Clone, Debug, PartialEq)]
pub struct WireUpdate {
    /// Name of the wire.
    pub wire: String,
    /// The version that it writes.
    pub after: Wire,
    /// The version that it updates.
    pub before: Option<Wire>,
}

/// The image of an Output: one `u32` a pixel, RGBA bytes in sRGB, top row first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Path of the Output node.
    pub node: String,
    /// The buffer of the pixels.
    pub buffer: BufferId,
    /// \[pixels\]
    pub width: u32,
    /// \[pixels\]
    pub height: u32,
}

/// A parameter and its places in the uniform buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParamSlot {
    /// `node.param`, and other paths that set it.
    pub paths: Vec<String>,
    /// Type of the parameter.
    pub ty: ValueType,
    /// Number of dimensions of a `Vec`.
    pub dim: u32,
    /// Minimum and maximum; `None` is unbounded.
    pub range: (Option<f64>, Option<f64>),
    /// The value or expression as written in the document.
    pub value: ParamValue,
    /// Numbers that the expression names, each with the path that sets it.
    pub uses: BTreeMap<String, String>,
    /// Byte offsets in the uniform buffer.
    pub offsets: Vec<u32>,
}

impl Plan {
    /// Where the counts of scatter ports are stored.
    pub fn scatter_places(&self) -> Places {
        Places::new(self.alarms.len(), &self.scatters)
    }

    /// Whether a kernel's text contains these words: `frame.keys` in a graph that reads keys.
    pub fn reads(&self, words: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.wgsl.contains(words))
    }

    /// Nodes that no frame runs, because all their operations are invariant.
    pub fn invariant_nodes(&self) -> BTreeSet<&str> {
        let frame: BTreeSet<&str> = self.frame.iter().flat_map(Dispatch::nodes).collect();
        self.invariant.iter().flat_map(Dispatch::nodes).filter(|node| !frame.contains(node)).collect()
    }

    /// The image of an Output, or of the first one.
    pub fn output(&self, node: Option<&str>) -> Option<&Picture> {
        match node {
            Some(node) => self.outputs.iter().find(|o| o.node == node),
            None => self.outputs.first(),
        }
    }
}

/// Formats a size as `12.5 MiB`.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
