//! The plan: what a graph compiles to. Plain data without a GPU type in it; it prints, compares and serialises, and an
//! engine only carries it out.

mod accessors;
mod again;
mod allocate;
mod binds;
mod builtin;
mod cost;
mod expand;
mod found;
mod fuse;
mod groups;
mod halo;
mod handles;
mod kernel;
mod layout;
mod lean;
mod links;
pub(crate) mod module;
mod moves;
mod pack;
mod part;
mod patience;
mod prelude;
mod rows;
mod scatter;
mod schedule;
mod stage_kernel;
mod still;
#[cfg(test)]
mod tests;
mod text;
mod tile;
mod traffic;
pub mod tuning;
mod uniforms;
mod until;
mod validate;
mod variants;
mod zeros;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cancel::Cancel;
use crate::document::ParamValue;
use crate::graph::{Domain, File, Graph, NamedNumber, Shapes};
use crate::problem::{Problem, Problems};
use crate::sim::input::InputTrack;
use crate::stage::types::{Precision, Scalar, ValueType, WireType};

pub(crate) use layout::Layout;
pub use scatter::{HEAD_WORDS as SCATTER_HEAD, Places, ScatterCheck};
pub use tuning::{Shape, Tuning};
pub use uniforms::FRAME_BYTES;
pub use validate::forget_passed;
use variants::Writers;

/// Where in a count's buffer, or in the gate of a group that may stop, the groups of indirect dispatches begin \[bytes\].
pub const COUNT_GROUPS: u64 = 16;

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
    pub domains: Vec<Domain>,
    pub buffers: Vec<Buffer>,
    pub kernels: Vec<Kernel>,
    /// Run once when the simulation is reset.
    pub reset: Vec<Dispatch>,
    /// What gives the same in every frame. Run before the first frame, and again before the next one after a parameter of theirs,
    /// or a State that they read, was set.
    pub still: Vec<Dispatch>,
    /// Run every frame.
    pub frame: Vec<Dispatch>,
    /// Pairs of buffers that change places after every frame: what a State was, and what it becomes.
    pub swaps: Vec<(usize, usize)>,
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
    pub domain: usize,
    pub buffer: usize,
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
    fn member(self) -> &'static str {
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
    pub buffer: usize,
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

/// A value while its buffer holds it. Dispatches are counted through `still` and on through `frame`.
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
    pub kernel: usize,
    /// Path of the node that it belongs to.
    pub node: String,
    /// Which part of the node: a repeat, a colour, a helper task.
    pub part: String,
    /// Nodes that it does the work of before its own, in that order.
    pub with: Vec<String>,
    /// A buffer for each of the kernel's bindings.
    pub buffers: Vec<usize>,
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
    pub buffer: usize,
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
    /// Cells of the domain of this index.
    Cells(usize),
    /// Cells of a domain and their faces, one more along each axis.
    Faces(usize),
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
    pub buffer: usize,
    /// Type, domain and start value: when a recompile leaves this alone, the contents stay.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    pub ty: WireType,
    pub domain: Option<usize>,
    /// Dimensions of the space that a `Vec` of it lives in.
    pub dim: u32,
    /// Particles that it has room for, where it is an attribute.
    pub capacity: u32,
    /// The domain in whose space its particles are, where it is an attribute.
    pub space: Option<usize>,
    /// How its numbers are stored.
    pub precision: Precision,
    pub buffer: usize,
    /// Whether the value is still there when the frame ends, or its memory went to another wire.
    pub kept: bool,
    /// Whether it is a State's value, which is next frame's once the frame has ended.
    pub state: bool,
}

impl Wire {
    /// How its elements lie in memory.
    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.ty, self.dim, self.precision)
    }
}

/// A picture that an Output makes: one `u32` a pixel, RGBA bytes in sRGB, top row first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    pub node: String,
    pub buffer: usize,
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

/// Which wires must still hold their value when the frame ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Keep {
    /// States and pictures.
    #[default]
    Needed,
    /// Also these, by `node.port`, or `node` for all of its wires. Names of nothing keep nothing.
    Wires(Vec<String>),
    /// All, apart from those that only the start of a State reads.
    All,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlanOptions {
    pub keep: Keep,
    /// Refuse plans that need more GPU memory than this \[bytes\].
    pub memory_budget: u64,
    /// Size of every picture \[pixels\], instead of what the Outputs say.
    pub size: Option<(u32, u32)>,
    pub outputs: Outputs,
    /// Where files that the graph names are: beside its own.
    pub folder: PathBuf,
    /// Read files outside that folder too, which a graph from somebody else may not.
    pub allow_files: bool,
    /// Compute what does not change from frame to frame once. Off is there to compare with.
    pub hoist: bool,
    /// How dispatches are carried out. What is computed does not depend on it, but for how often half precision rounds on tiles.
    pub tuning: Tuning,
    /// Ends the compilation early once it is set.
    pub cancel: Cancel,
}

/// Which pictures a plan makes, and with them what is computed at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outputs {
    #[default]
    All,
    /// The first in the author's order ([`Graph::outputs`]).
    First,
    /// The one of this name.
    One(String),
    /// None of them: only what is kept.
    None,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            keep: Keep::Needed,
            memory_budget: 8 << 30,
            size: None,
            outputs: Outputs::All,
            folder: PathBuf::new(),
            allow_files: false,
            hoist: true,
            tuning: Tuning::default(),
            cancel: Cancel::default(),
        }
    }
}

impl Plan {
    /// Compiles a checked graph.
    ///
    /// # Errors
    /// WGSL that does not validate, with the user's own line; a plan that is too large, with the number; that
    /// [`PlanOptions::cancel`] was set, in which case the result is not of interest.
    pub fn compile(graph: &Graph, options: &PlanOptions) -> Result<Plan, Problems> {
        crate::deep_stack(|| {
            std::thread::scope(|scope| {
                // All threads begin while operations are laid out. Without this one they do when they are needed.
                let _ = std::thread::Builder::new().spawn_scoped(scope, validate::Checks::prepare);
                let writers = Writers::begin(scope, graph, &options.cancel);
                let plan = Plan::compile_as(graph, &writers, options, &options.tuning);
                if options.cancel.is_cancelled() {
                    return Err(cancelled());
                }
                let (Err(problems), true) = (&plan, options.tuning.fuse) else { return plan };
                // Where stages share a kernel, a mistake is not at its own line; each by itself, it is.
                let tuning = Tuning { fuse: false, ..options.tuning.clone() };
                let apart = Plan::compile_as(graph, &writers, options, &tuning)?;
                Ok(Plan { apart: Some(problems.to_string()), ..apart })
            })
        })
    }

    fn compile_as<'g>(
        graph: &'g Graph,
        writers: &Writers<'g>,
        options: &PlanOptions,
        tuning: &Tuning,
    ) -> Result<Plan, Problems> {
        let mut program = expand::frame(graph, options)?;
        let mut start = expand::reset(graph, &program, options)?;
        let on = || if options.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) };
        if options.hoist {
            still::mark(graph, &mut program);
        }
        if tuning.fuse {
            again::drop_repeats(graph, &mut program);
        }
        tile::join(graph, &mut program, tuning);
        program.unrolled = tuning.otherwise == tuning::Otherwise::Gpu;
        halo::assign(graph, &mut program, tuning);
        on()?;
        if tuning.fuse {
            lean::thin(graph, &mut program);
            let anew = tuning.otherwise == tuning::Otherwise::Gpu;
            let room = fuse::room(&program).max(tuning.buffers as usize);
            moves::join(graph, &mut program, room);
            fuse::fuse(graph, &mut program, (anew, !tuning.packs()), room);
            found::keep(graph, &mut program, room);
            if tuning.packs() {
                pack::pack(graph, &mut program, room);
                // Who reads packs has buffers to spare.
                fuse::fuse(graph, &mut program, (anew, true), room);
            }
        }
        on()?;
        rows::widen(graph, &mut program, tuning);
        rows::pair(graph, &mut program);
        rows::pair(graph, &mut start);
        schedule::schedule(&mut program);
        on()?;
        until::settle(graph, &mut program)?;
        schedule::schedule(&mut start);
        on()?;
        let layout = allocate::allocate(graph, &program, &start)?;
        check_memory(&layout, options.memory_budget)?;
        on()?;
        let checks = validate::Checks::start(kernel::probes(graph, &program, &start))?;
        let (still, program, start) = (program.still(), Arc::new(program), Arc::new(start));
        let mut writer = kernel::Writer::new(graph, writers, checks);
        let [mut frame, reset] = writer.dispatches([(&program, &layout.frame), (&start, &layout.reset)])?;
        let (frame, still) = (frame.split_off(still), frame);
        on()?;
        let (plan, checks) = writer.finish(layout, kernel::Dispatches { reset, still, frame }, options);
        checks.finish()?;
        Ok(plan)
    }

    /// The plan as stable text.
    pub fn to_text(&self) -> String {
        text::plan(self)
    }

    /// The plan as text with every kernel's WGSL.
    pub fn to_text_with_wgsl(&self) -> String {
        text::plan_with_wgsl(self)
    }

    /// Whether a kernel's text has these words: `frame.keys` in a graph that listens to keys.
    pub fn reads(&self, words: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.wgsl.contains(words))
    }

    /// Nodes that no frame runs, for their operations are still.
    pub fn still_nodes(&self) -> BTreeSet<&str> {
        let frame: BTreeSet<&str> = self.frame.iter().flat_map(Dispatch::nodes).collect();
        self.still.iter().flat_map(Dispatch::nodes).filter(|node| !frame.contains(node)).collect()
    }

    /// What a dispatch runs over, in words: `cells of box (512 x 512)`.
    pub fn over(&self, dispatch: &Dispatch) -> String {
        text::over(self, dispatch)
    }

    /// A dispatch as the plan's text has it.
    pub fn line(&self, dispatch: &Dispatch) -> String {
        text::line(self, dispatch)
    }

    pub fn output(&self, node: Option<&str>) -> Option<&Picture> {
        match node {
            Some(node) => self.outputs.iter().find(|o| o.node == node),
            None => self.outputs.first(),
        }
    }
}

/// What a compilation ends with that nobody waits for.
fn cancelled() -> Problems {
    Problem::new("", "", "compilation was cancelled", "").into()
}

fn check_memory(layout: &allocate::Layout, budget: u64) -> Result<(), Problems> {
    let total = layout.buffers.iter().try_fold(0u64, |sum, b| sum.checked_add(b.bytes));
    if total.is_some_and(|total| total <= budget) {
        return Ok(());
    }
    let largest = layout.buffers.iter().max_by_key(|b| b.bytes);
    let (label, bytes) = largest.map_or(("", 0), |b| (b.label.as_str(), b.bytes));
    let needs = total.map_or("over 16 EiB".to_string(), mebibytes);
    let cause = format!(
        "the graph needs {needs} of GPU memory, the budget is {}; the largest wire `{label}` alone takes {}",
        mebibytes(budget),
        mebibytes(bytes)
    );
    Err(Problem::new(
        "",
        "",
        cause,
        "lower the resolution of its domain; the command line takes a larger budget with --memory-budget",
    )
    .into())
}

/// `12.5 MiB`
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
