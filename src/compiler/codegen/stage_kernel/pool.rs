//! Grids that have memory for blocks of cells alone: where a cell lies in it.
//!
//! ```wgsl
//! fn _where_cell(_c: vec2i) -> i32 { let _b = _c >> vec2u(3); var _w = _own; if (any(_b != _block)) { _w = _where[8 + (_b.y * 9 + _b.x)]; } .. }
//! ```

use std::fmt::Write as _;

use super::context::Context;
use super::names;
use crate::codegen::wgsl::{cell_type, element};
use crate::ir::{OWN, Part, Read, WireValue, blocks};
use crate::stage::types::{ValueType, WireType};

/// The function that says where a cell of a grid, or a face, lies in a pool; `None` where all have memory.
pub(super) fn function(cx: &Context<'_>, value: &WireValue) -> Option<String> {
    let table = value.pooled?;
    let read = tables(cx).find(|read| read.value == table)?;
    Some(name(&read.part, value.ty))
}

fn name(table: &Part, ty: WireType) -> String {
    let what = if ty == WireType::FaceGrid { "face" } else { "cell" };
    format!("{}_{what}", names::blocks(table))
}

/// The tables of blocks that an operation has.
fn tables<'c>(cx: &'c Context<'_>) -> impl Iterator<Item = &'c Read> {
    cx.op.reads.iter().filter(|read| read.stage == OWN && matches!(read.part, Part::Blocks | Part::Slots(_)))
}

/// Functions that find cells and faces, for the tables by which an operation finds its grids.
pub(super) fn functions(cx: &Context<'_>) -> String {
    let values = || cx.op.inputs().chain(cx.op.writes.iter().map(|write| write.value));
    let pooled = |read: &&Read| values().any(|value| cx.program.values[value].pooled == Some(read.value));
    let mut out = String::new();
    if cx.listed {
        let _ = writeln!(out, "var<private> _block: {};\nvar<private> _own: u32;", cell_type(cx.dim));
    }
    for read in tables(cx).filter(pooled) {
        let Some(domain) = cx.domain_of(&cx.program.values[read.value]) else { continue };
        let dim = domain.dim;
        let cell = cell_type(domain.dim);
        let table = names::blocks(&read.part);
        let word = format!("{table}[{} + {}]", blocks::HEAD_WORDS, element("_b", blocks::blocks(domain), dim));
        // Most of what a stage reads lies in the block whose cells it computes.
        let word = match cx.listed && read.part == Part::Blocks {
            true => format!("var _w = _own; if (any(_b != _block)) {{ _w = {word}; }}"),
            false => format!("let _w = {word};"),
        };
        let within = element("_l", blocks::block(dim), dim);
        // Where a stage has only faces, it has no cells.
        for (ty, place) in [
            (WireType::FaceGrid, "_w >> 1u"),
            (WireType::Grid(ValueType::F32), "select(0u, _w >> 1u, (_w & 1u) == 1u)"),
        ] {
            let _ = writeln!(
                out,
                "fn {}(_c: {cell}) -> i32 {{ let _b = _c >> vec{dim}u(3u); let _l = _c & {cell}(7); {word} return i32({place}) * {} + {within}; }}",
                name(&read.part, ty),
                blocks::cells(dim),
            );
        }
    }
    out
}
