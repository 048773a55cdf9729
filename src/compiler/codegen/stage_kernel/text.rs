//! A stage's own text as it runs here: loops bounded, short ones unrolled where the target likes that, and searches rewritten for what
//! their neighbour grid promises.
//!
//! ```wgsl
//! while near_next(&it) { if (_loop_spent()) { break; } sum += _near_particles(it.index).mass; }
//! ```

use std::borrow::Cow;

use super::context::{Context, Instance};
use crate::ir::{Lanes, OWN, Part, bins};
use crate::stage::header::Port;
use crate::stage::syntax::tokens;
use crate::stage::types::PortType;
use crate::stage::{Bounded, neighbors};

pub(super) struct Text<'a> {
    pub source: Cow<'a, str>,
    /// Whether all loops are proven finite.
    pub finite: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(cx: &Context<'_>, of: Instance<'a>) -> Text<'a> {
        let dim = cx.graph.dim(of.node);
        let Bounded { source, finite } = of.stage.bounded(dim);
        // The text by which the pass has found that the loop can be shared.
        if let Lanes::Rows(lanes) = cx.op.lanes
            && of.index == OWN
            && let Some(shared) = of.stage.with_shared_loop(of.stage.unrolled(dim), dim, lanes)
        {
            return Text { source: Cow::Owned(shared), finite: *finite };
        }
        // An addition to a tile has its way around the tile with it: copies of both take more time than a loop, but for what is known of an axis.
        if cx.program.unrolled && of.index == OWN && bins::table(cx.op).is_some() {
            let axes = of.stage.unrolled_axes(dim);
            return Text { source: Cow::Owned(searching(cx, of, &axes).into_owned()), finite: *finite };
        }
        if cx.is_rolled() {
            return Text { source: searching(cx, of, of.stage.rolled(dim)), finite: *finite };
        }
        // Numbers of a cell stay in registers only where the text names them one by one.
        let numbered = of.stage.arrays().next().is_some();
        let text = match cx.op.shape.is_some() || cx.program.unrolled || numbered {
            true => of.stage.unrolled(dim),
            false => source.as_str(),
        };
        Text { source: searching(cx, of, text), finite: *finite }
    }
}

/// What becomes of a stage's loops over neighbours.
fn searching<'t>(cx: &Context<'_>, of: Instance<'_>, text: &'t str) -> Cow<'t, str> {
    let port = |name: &str, ty: PortType| of.stage.inputs().any(|p| p.ty == ty && p.name == name);
    let searches = |p: &Port| p.ty == PortType::NeighborGrid && of.stage.calls(&format!("{}_next", p.name));
    if !of.stage.inputs().any(searches) {
        return Cow::Borrowed(text);
    }
    let tokens = tokens(&of.stage.source);
    let iterators = neighbors::iterators(&tokens, &|name| port(name, PortType::NeighborGrid));
    let text = neighbors::without_clamp(text, &iterators, &|name| port(name, PortType::Particles));
    let leaves = cx.op.writes.iter().any(|w| w.stage == of.index && w.part == Part::Found);
    let goes_by = cx.reads(of.index).any(|r| r.part == Part::Found);
    let search = if leaves || goes_by { of.stage.search(cx.graph.dim(of.node)) } else { None };
    Cow::Owned(match search {
        Some(search) if goes_by => neighbors::from_cache(&neighbors::from_own(&text, &search.grid), &search.grid),
        Some(search) => neighbors::from_own(&text, &search.grid),
        None => text,
    })
}
