//! The plan as data: buffers, kernels, dispatches, and what goes where.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::arena::{Arena, Id};
use crate::document::ParamValue;
use crate::graph::{Domain, DomainId, File, NamedNumber, Shapes};
use crate::input::InputTrack;
use crate::plan::ir::Value;
use crate::plan::ir::layout::Layout;
use crate::plan::scatter::{Places, ScatterCheck};
use crate::plan::tuning::Shape;
use crate::stage::types::{Precision, Scalar, ValueType, WireType};

/// Where in a count's buffer, or in the gate of a group that may stop, the groups of indirect dispatches begin \[bytes\].
pub const COUNT_GROUPS: u64 = 16;

/// Bytes of a gate for each dispatch behind it: its workgroups.
pub const GATE_ENTRY: u64 = 12;

/// Which buffer of a plan, and which kernel.
pub type BufferId = Id<Buffer>;
pub type KernelId = Id<Kernel>;

/// Version of the plan's format.
pub const PLAN_VERSION: u32 = 4;

/// What a compiled graph does every frame, and on reset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub version: u32,
    pub name: String,
    /// Frames a second.
    pub fps: f64,
    pub seed: u32,
    pub input: Option<InputTrack>,
    pub domains: Arena<Domain>,
    pub buffers: Arena<Buffer>,
    pub kernels: Arena<Kernel>,
    /// Run once when the simulation is reset.
    pub reset: Vec<Dispatch>,
    /// What gives the same in every frame. Run before the first frame, and again before the next one after a parameter of theirs,
    /// or a State that they read, was set.
    #[serde(rename = "still")]
    pub invariant: Vec<Dispatch>,
    /// Run every frame.
    pub frame: Vec<Dispatch>,
    /// Pairs of buffers that change places after every frame: what a State was, and what it becomes.
    pub swaps: Vec<(BufferId, BufferId)>,
    pub states: Vec<State>,
    /// Every wire by `node.port`.
    pub wires: BTreeMap<String, Wire>,
    pub outputs: Vec<Picture>,
    pub settings: Vec<Slot>,
    /// Numbers that expressions name, each behind those that it names itself.
    pub numbers: Vec<NamedNumber>,
    /// What the plan itself follows from: `spacing.value` may decide on `domain.resolution`. Another value makes another plan.
    pub shapes: Shapes,
    /// Values that it was made with by `node.param`: iterations, capacities, resolutions, widths, places of files.
    pub made_with: BTreeMap<String, Vec<f64>>,
    /// Words of the uniform buffer that never change: repeat counters and the like, by byte offset.
    pub words: Vec<(u32, i32)>,
    /// Size of the uniform buffer \[bytes\]. It begins with the frame's block.
    pub uniform_bytes: u32,
    /// GPU memory of all buffers \[bytes\].
    pub memory: u64,
    /// What can go wrong while it runs, by the index that a kernel marks.
    pub alarms: Vec<Alarm>,
    /// Grids that stages add to, and what is counted about the sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scatters: Vec<ScatterCheck>,
    /// Numbers that should keep to a range.
    pub watches: Vec<Watch>,
    /// Values that come from files.
    pub files: Vec<FileGrid>,
    /// Why stages do not share dispatches, where they should and that did not compile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
}

/// Signed distances to the shape in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileGrid {
    pub node: String,
    pub file: File,
    /// Folder that the file's path starts from.
    pub folder: PathBuf,
    /// Whether files outside that folder may be read too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anywhere: bool,
    pub domain: DomainId,
    pub buffer: BufferId,
}

/// Something that a kernel tells when it happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarm {
    pub node: String,
    pub cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// A loop spent its budget.
    Loop,
    /// A particle has more neighbours than can be visited.
    Neighbors,
    /// More particles were to be added than fit.
    Capacity,
}

impl Cause {
    /// Member of the uniform block that holds the alarm's index.
    pub fn member(self) -> &'static str {
        match self {
            Cause::Loop => "_alarm_loop",
            Cause::Neighbors => "_alarm_neighbors",
            Cause::Capacity => "_alarm_capacity",
        }
    }
}

/// A number that should keep to a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    pub node: String,
    pub port: String,
    pub buffer: BufferId,
    pub scalar: Scalar,
    pub range: (Option<f64>, Option<f64>),
    /// What the port's documentation says.
    pub doc: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// What it holds first.
    pub label: String,
    pub bytes: u64,
    /// What it holds in the course of a frame, in that order.
    pub holds: Vec<Holding>,
}

/// A value while its buffer holds it. Dispatches are counted through `invariant` and on through `frame`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    /// `node.port`, for particles `node.port.attribute`.
    pub wire: String,
    /// The dispatch that writes it first; absent where it is there before the frame.
    pub first: Option<usize>,
    /// The last dispatch that needs it; absent where it is kept beyond the frame.
    pub last: Option<usize>,
}

impl Buffer {
    /// The wires that take turns in it, each once, in the order in which they come.
    pub fn wires(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.holds.iter().map(|h| h.wire.as_str()).filter(|wire| seen.insert(*wire)).collect()
    }

    /// What it holds for a dispatch: what that one writes, or what it finds there.
    pub fn held(&self, dispatch: usize, written: bool) -> Option<&Holding> {
        let there = |h: &&Holding| {
            let begun = h.first.is_none_or(|first| if written { first <= dispatch } else { first < dispatch });
            begun && h.last.is_none_or(|last| last >= dispatch)
        };
        match written {
            true => self.holds.iter().rfind(there),
            false => self.holds.iter().find(there),
        }
    }
}

/// A compute shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Stage or built-in task.
    pub name: String,
    /// The first node that needs it, for errors.
    pub node: String,
    pub wgsl: String,
    pub workgroup: [u32; 3],
    /// Storage buffers in the order of their bindings, from binding 2; bindings 0 and 1 are the uniform blocks.
    pub bindings: Vec<Binding>,
    /// Every loop is proven finite, so the driver need not count rounds.
    pub finite: bool,
    /// Every index is proven to be in bounds, so the driver need not check them.
    pub in_bounds: bool,
    /// It raises alarms, whose flags are bound behind its own buffers.
    pub warns: bool,
    /// Lines of the stage's own text in front of the generated text.
    pub own_lines: usize,
    /// Size of its uniform block \[bytes\].
    pub uniform_bytes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    pub name: String,
    pub writes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    pub kernel: KernelId,
    /// Path of the node that it belongs to.
    pub node: String,
    /// Which part of the node: a repeat, a colour, a helper task.
    pub part: String,
    /// Nodes that it does the work of before its own, in that order.
    pub with: Vec<String>,
    /// A buffer for each of the kernel's bindings.
    pub buffers: Vec<BufferId>,
    /// What its invocations are for.
    pub over: Over,
    /// How it is carried out, where it is not the plain way: its shape, and the sweeps that it really makes.
    pub shape: Option<(Shape, u32)>,
    pub groups: [u32; 3],
    /// Where the GPU says how many of those groups run.
    pub indirect: Option<Indirect>,
    /// Byte offset of its uniform block.
    pub uniform: u32,
}

/// Three words of a buffer that say how many workgroups run: as the living particles of a set need, or none where a group has
/// stopped before this repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Indirect {
    pub buffer: BufferId,
    /// \[bytes\]
    pub offset: u64,
    /// Whether a count says it, and not a group that may stop.
    pub living: bool,
}

impl Dispatch {
    /// The nodes whose work it does, its own first.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.node).chain(&self.with).map(String::as_str)
    }
}

/// What a dispatch runs over: the iteration source of a stage, or what a task of the compiler's own goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    /// A single time.
    Once,
    /// Cells of a domain.
    Cells(DomainId),
    /// Cells of a domain and their faces, one more along each axis.
    Faces(DomainId),
    /// Particles of a set with room for so many; only the living where the dispatch is indirect.
    Particles(u32),
    /// Words of memory.
    Words(u64),
    /// Partial results, in one workgroup.
    Partials(u64),
    /// Pixels of a picture.
    Pixels(u32, u32),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The node; for particles `node.attribute` and `node.count`.
    pub node: String,
    pub buffer: BufferId,
    /// Type, domain and start value: when a recompile leaves this alone, the contents stay.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    pub ty: WireType,
    pub domain: Option<DomainId>,
    /// Dimensions of the space that a `Vec` of it lives in.
    pub dim: u32,
    /// Particles that it has room for, where it is an attribute.
    pub capacity: u32,
    /// The domain in whose space its particles are, where it is an attribute.
    pub space: Option<DomainId>,
    /// How its numbers are stored.
    pub precision: Precision,
    pub buffer: BufferId,
    /// Whether the value is still there when the frame ends, or its memory went to another wire.
    pub kept: bool,
    /// Whether it is a State's value, which is next frame's once the frame has ended.
    pub state: bool,
}

impl Wire {
    /// What a value is, in its buffer.
    pub(crate) fn new(value: &Value, buffer: BufferId) -> Wire {
        Wire {
            ty: value.ty,
            domain: value.domain,
            dim: value.dim,
            capacity: value.capacity,
            space: value.space,
            precision: value.precision,
            buffer,
            kept: false,
            state: false,
        }
    }

    /// How its elements lie in memory.
    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.ty, self.dim, self.precision)
    }
}

/// A picture that an Output makes: one `u32` a pixel, RGBA bytes in sRGB, top row first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    pub node: String,
    pub buffer: BufferId,
    pub width: u32,
    pub height: u32,
}

/// A parameter and where its value goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// `node.param`, and other names that set it.
    pub paths: Vec<String>,
    pub ty: ValueType,
    pub dim: u32,
    pub range: (Option<f64>, Option<f64>),
    pub value: ParamValue,
    /// Numbers that the expression names, each with the path that sets it.
    pub uses: BTreeMap<String, String>,
    /// Byte offsets in the uniform buffer.
    pub offsets: Vec<u32>,
}

impl Plan {
    /// Where the counts about scatter ports lie.
    pub fn scatter_places(&self) -> Places {
        Places::new(self.alarms.len(), &self.scatters)
    }

    /// Whether a kernel's text has these words: `frame.keys` in a graph that listens to keys.
    pub fn reads(&self, words: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.wgsl.contains(words))
    }

    /// Nodes that no frame runs, for their operations are invariant.
    pub fn invariant_nodes(&self) -> BTreeSet<&str> {
        let frame: BTreeSet<&str> = self.frame.iter().flat_map(Dispatch::nodes).collect();
        self.invariant.iter().flat_map(Dispatch::nodes).filter(|node| !frame.contains(node)).collect()
    }

    pub fn output(&self, node: Option<&str>) -> Option<&Picture> {
        match node {
            Some(node) => self.outputs.iter().find(|o| o.node == node),
            None => self.outputs.first(),
        }
    }
}

/// `12.5 MiB`
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
