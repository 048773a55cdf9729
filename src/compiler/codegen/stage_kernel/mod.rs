//! The WGSL of a stage in its surroundings: the user's text first and untouched, then what the compiler generates around it. Each module
//! emits one kind of text and says in its header what that looks like; [`Context`] holds what all of them ask.
//!
//! ```wgsl
//! fn stage(cell: Cell) -> f32 { return 0.5 * p(cell) + params.gain; }
//!
//! // ---- generated ----
//! alias Cell = vec2i;
//! struct Params { gain: f32 }
//! @group(0) @binding(1) var<uniform> params: Params;
//! @group(0) @binding(2) var<storage, read> _read_p: array<f32>;
//! @group(0) @binding(3) var<storage, read_write> _write_q: array<f32>;
//! fn p(_cell: vec2i) -> f32 { .. }
//! @compute @workgroup_size(32, 8, 1)
//! fn _main(@builtin(global_invocation_id) _id: vec3u) { .. }
//! ```

mod accessors;
mod alarms;
mod bins;
mod bound;
mod checks;
mod context;
mod declarations;
mod entry;
mod inlined;
mod mapping;
mod members;
mod names;
mod pool;
mod results;
mod text;
mod tiles;

use std::sync::Arc;

use crate::codegen::prelude::{self, UsedNames};
use crate::codegen::uniforms::Block;
use crate::data::{Alarm, Kernel};
use crate::scatter::ScatterCheck;
use crate::stage::UsedLines;
use alarms::Guards;
use inlined::Module;
use text::Text;
use tiles::Tiles;

pub(crate) use bound::Bound;
pub(crate) use context::Context;

/// A stage's kernel, and what the plan has to know of it.
pub(crate) struct StageKernel {
    pub kernel: Kernel,
    pub block: Block,
    /// The text with the stage's own as it was written, where loops had to be changed.
    pub as_written: Option<String>,
    /// Lines of the stage's text that come from shared files.
    pub used: Arc<[UsedLines]>,
    /// What can go wrong while it runs.
    pub alarms: Vec<Alarm>,
    /// What is counted about the ports that it adds to.
    pub scatters: Vec<ScatterCheck>,
}

/// Writes the kernel of an operation.
pub(crate) fn write(cx: &Context<'_>) -> StageKernel {
    let text = Text::new(cx, cx.dispatched());
    let accessors = accessors::accessors(cx, cx.dispatched(), &text);
    let modules: Vec<Module<'_>> = cx.inlined().map(|of| inlined::module(cx, of)).collect();
    let (modules, inlined): (Vec<String>, Vec<Guards<'_>>) = modules.into_iter().map(|m| (m.text, m.guards)).unzip();
    let mut guards = vec![Guards::new(cx, cx.dispatched(), &accessors, text.finite)];
    guards.extend(inlined);
    let block = members::block(cx, &guards);
    let (alarms, scatters) = (alarms::alarms(&guards), checks::checks(cx));
    let warns = !alarms.is_empty() || !scatters.is_empty();
    let sections = Sections {
        declarations: declarations::declarations(cx, warns.then_some(guards.as_slice())),
        accessors,
        entry: entry::entry(cx, &text),
        modules: modules.concat(),
    };
    let generated = sections.assembled(cx, &block);
    let behind = |stage_text: &str| format!("{}\n\n// ---- generated ----\n{generated}", stage_text.trim_end());
    let source = &cx.stage.source;
    let kernel = Kernel {
        name: cx.stage.name.clone(),
        node: cx.node.path.clone(),
        wgsl: behind(&text.source),
        workgroup: cx.workgroup(),
        bindings: bound::bindings(&cx.bound),
        finite: guards.iter().all(|of| !of.loops),
        in_bounds: cx.op.stages.ids().all(|k| cx.instance(k).is_some_and(|of| of.stage.stays_in_bounds())),
        warns,
        own_lines: text.source.lines().count(),
        uniform_bytes: block.bound_bytes(),
    };
    let as_written = (text.source != *source).then(|| behind(source));
    StageKernel { kernel, block, as_written, used: cx.stage.used().lines(), alarms, scatters }
}

/// What is generated for the stages of a kernel. What stands in front of it depends on the names that it uses.
struct Sections {
    /// Buffers, alarms, checks and variables.
    declarations: String,
    accessors: String,
    entry: String,
    /// Inlined stages.
    modules: String,
}

impl Sections {
    /// All that stands behind the user's text, in its order.
    fn assembled(&self, cx: &Context<'_>, block: &Block) -> String {
        let Sections { declarations, accessors, entry, modules } = self;
        let mut used = UsedNames::default();
        // Bounding and unrolling add no words that anything is there for.
        used.add_words(cx.stage.words());
        [declarations, accessors, entry].into_iter().for_each(|section| used.add_text(section));
        let ring = Tiles::of(cx).map_or(0, |tiles| tiles.ring);
        let prelude = prelude::prelude(&cx.domain(cx.node), (ring, cx.node.blocks.is_some()), &mut used);
        // Modules have a prelude of their own, and the uniform blocks in common.
        used.add_text(modules);
        let (types, uniforms) = (declarations::types(cx, cx.dispatched()), declarations::uniforms(block, &used));
        [&prelude, &types, &uniforms, declarations, accessors, entry, modules].map(String::as_str).concat()
    }
}
