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
mod bound;
mod checks;
mod context;
mod declarations;
mod entry;
mod inlined;
mod mapping;
mod members;
mod names;
mod results;
mod text;
mod tiles;

use crate::plan::codegen::prelude::{self, Wanted};
use crate::plan::codegen::uniforms::Block;
use crate::plan::data::{Alarm, Kernel};
use crate::plan::ir::workgroups::workgroup;
use crate::plan::scatter::ScatterCheck;
use alarms::Guards;
use inlined::Module;
use text::Text;
use tiles::Tiles;

pub use bound::Bound;
pub use context::Context;

/// A stage's kernel, and what the plan has to know of it.
pub struct StageKernel {
    pub kernel: Kernel,
    pub block: Block,
    /// The text with the stage's own as it was written, where loops had to be changed.
    pub as_written: Option<String>,
    /// What can go wrong while it runs.
    pub alarms: Vec<Alarm>,
    /// What is counted about the ports that it adds to.
    pub scatters: Vec<ScatterCheck>,
}

/// The sections of a kernel behind the user's text, in their order.
struct Sections {
    prelude: String,
    types: String,
    uniforms: String,
    buffers: String,
    alarms: String,
    checks: String,
    variables: String,
    accessors: String,
    entry: String,
    modules: String,
}

/// Writes the kernel of an operation.
pub fn write(cx: &Context<'_>) -> StageKernel {
    let own = cx.own();
    let text = Text::of(cx, own);
    let accessors = accessors::accessors(cx, own, &text);
    let modules: Vec<Module<'_>> = cx.inlined().map(|of| inlined::module(cx, of)).collect();
    let (modules, inlined): (Vec<String>, Vec<Guards<'_>>) = modules.into_iter().map(|m| (m.text, m.guards)).unzip();
    let own_guards = Guards::of(cx, own, &accessors, text.finite);
    let guards: Vec<Guards<'_>> = [own_guards].into_iter().chain(inlined).collect();
    let block = members::block(cx, &guards);
    let (alarms, checks) = (alarms::alarms(&guards), checks::functions(cx));
    let warns = !alarms.is_empty() || !checks.is_empty();
    let raised = warns.then(|| alarms::functions(bound::next_binding(&cx.bound), &guards));
    let sections = Sections {
        prelude: String::new(),
        types: declarations::types(cx, own),
        uniforms: String::new(),
        buffers: bound::declarations(&cx.bound),
        alarms: raised.unwrap_or_default(),
        checks,
        variables: declarations::variables(cx),
        accessors,
        entry: entry::entry(cx, &text),
        modules: modules.concat(),
    };
    let sections = sections.with_prelude(cx, &block);
    let source = &cx.stage.source;
    let kernel = Kernel {
        name: cx.stage.name.clone(),
        node: cx.node.path.clone(),
        wgsl: sections.behind(&text.source),
        workgroup: workgroup(cx.graph, cx.node, cx.op.shape),
        bindings: bound::bindings(&cx.bound),
        finite: guards.iter().all(|of| !of.loops),
        in_bounds: cx.op.stages.ids().all(|k| cx.instance(k).is_some_and(|of| of.stage.stays_in_bounds())),
        warns,
        own_lines: text.source.lines().count(),
        uniform_bytes: block.bound_bytes(),
    };
    let as_written = (text.source != *source).then(|| sections.behind(source));
    StageKernel { kernel, block, as_written, alarms, scatters: checks::checks(cx) }
}

impl Sections {
    /// Adds what the other sections and the user's text name: the prelude, and the blocks and counters of uniforms.
    fn with_prelude(self, cx: &Context<'_>, block: &Block) -> Sections {
        let mut wanted = Wanted::default();
        // Bounding and unrolling add no words that anything is there for.
        wanted.add_words(cx.stage.words());
        let named = [&self.buffers, &self.alarms, &self.checks, &self.variables, &self.accessors, &self.entry];
        named.into_iter().for_each(|section| wanted.add_text(section));
        let ring = Tiles::of(cx).map_or(0, |tiles| tiles.ring);
        let prelude = prelude::prelude(&cx.domain(cx.node), ring, &mut wanted);
        // Modules have a prelude of their own.
        wanted.add_text(&self.modules);
        Sections { prelude, uniforms: declarations::uniforms(block, &wanted), ..self }
    }

    /// The whole kernel: a stage's own text, and all sections behind it.
    fn behind(&self, own: &str) -> String {
        let Sections { prelude, types, uniforms, buffers, alarms, checks, variables, accessors, entry, modules } = self;
        format!(
            "{}\n\n// ---- generated ----\n\
             {prelude}{types}{uniforms}{buffers}{alarms}{checks}{variables}{accessors}{entry}{modules}",
            own.trim_end()
        )
    }
}
