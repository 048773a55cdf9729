//! Cells in which a stage does not run: their results are zero.
//!
//! ```wgsl
//! fn _covered(_c: vec2i) -> bool { let _b = clamp(_c, vec2i(0), vec2i(63, 47)) / 8; return (_where[8 + (_b.y * 9 + _b.x)] & 1u) != 0u; }
//! fn _runs(_c: vec2i) -> bool { return _covered(_c); }
//! if (!_runs(_cell)) { { let _none = f32(); _write_p[..] = _none; } return; }
//! ```

use std::fmt::Write as _;

use super::store::{self, StoreTarget};
use crate::codegen::blocks::block_of;
use crate::codegen::sides::{mask, periodic};
use crate::codegen::stage_kernel::context::{Context, Instance, Written};
use crate::codegen::stage_kernel::names::{self, BLOCKS};
use crate::codegen::wgsl::{cell_literal, cell_type, cells_literal, clamped, element, of_color, wrapped};
use crate::ir::{Part, blocks, workgroups};
use crate::stage::types::{Element, PortType, WireType};

/// The condition under which a cell is not computed.
pub(super) const OUTSIDE: &str = "!_runs(_cell)";

/// What a dispatch by the list knows of an invocation.
pub(super) const ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_id) _id: vec3u";

/// Arguments of a dispatch by the list, with the place of an invocation in its workgroup.
pub(super) const LANE_ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_id) _id: vec3u, @builtin(local_invocation_index) _lane: u32";

/// `let _rank = ..`: where a workgroup's part of a sum goes, along the list; a large number where its block is not listed. `None` where no
/// workgroup has part of a block.
pub(super) fn rank(cx: &Context<'_>) -> Option<String> {
    workgroups::summed_blocks(cx.graph, cx.op)?;
    if cx.listed {
        return Some("    let _rank = _task;\n".into());
    }
    let (domain, dim) = (cx.domain(cx.node), cx.dim);
    let (groups, _) = blocks::groups(dim);
    let place = element("_b", blocks::blocks(&domain), dim);
    Some(format!(
        "    let _b = vec3i(_group / vec3u(1u, 1u, {groups}u));\n    \
             let _rank = {groups}u * (({BLOCKS}[{} + {place}] >> 1u) - 1u) + _group.z % {groups}u;\n",
        blocks::HEAD_WORDS
    ))
}

/// `let _cell = ..`: the cell of an invocation in the list's blocks; `None` where all cells are dispatched.
pub(super) fn place(cx: &Context<'_>) -> Option<String> {
    let (domain, dim) = (cx.domain(cx.node), cx.dim);
    let ([x, y, _], (groups, [.., deep])) = (blocks::blocks(&domain), blocks::groups(dim));
    let (block, list) = (cells_literal(blocks::block(dim), dim), blocks::list(&domain));
    let within = match dim {
        3 => format!("vec3i(_id + vec3u(0u, 0u, {deep}u * (_task % {groups}u)))"),
        _ => "vec2i(_id.xy)".to_string(),
    };
    // Blocks begin with a cell of the first colour.
    let within = match cx.leaves_other_color() {
        true => of_color(&within, dim),
        false => format!("let _in = {within};"),
    };
    let at = block_of("_b", [x, y], dim);
    cx.listed.then(|| {
        format!(
            "    let _task = _group.y * _groups.x + _group.x;\n    \
                 if (_task >= {groups}u * {BLOCKS}[1]) {{ return; }}\n    \
                 let _b = i32({BLOCKS}[{list}u + _task / {groups}u]);\n    \
                 _block = {at}; _own = {BLOCKS}[{head}u + u32(_b)];\n    \
                 {within}\n    \
                 let _cell = _block * {block} + _in;\n",
            head = blocks::HEAD_WORDS
        )
    })
}

/// Whether each invocation asks if the stage runs in its cell: there are blocks in the list in which faces lie alone.
pub(super) fn asks(cx: &Context<'_>) -> bool {
    blocks::table(cx.op).is_some()
}

/// The functions that say whether a cell lies in the blocks, and whether the stage runs there; nothing where it runs everywhere.
pub(super) fn functions(cx: &Context<'_>) -> String {
    let Some(covered) = covered(cx, cx.dispatched()) else { return String::new() };
    let dim = cx.dim;
    let mut runs = "_covered(_c)".to_string();
    if cx.node.fills_faces() {
        let behind = |axis: usize| cell_literal([0, 1, 2].map(|a| i64::from(a == axis)), dim);
        (0..dim as usize).for_each(|axis| runs += &format!(" || _covered(_c - {})", behind(axis)));
    }
    format!("{covered}fn _runs(_c: {}) -> bool {{ return {runs}; }}\n", cell_type(dim))
}

/// The function that says whether a cell lies in the blocks by which one of the dispatch's stages runs, where it has their table.
pub(in crate::codegen::stage_kernel) fn covered(cx: &Context<'_>, of: Instance<'_>) -> Option<String> {
    let read = blocks::read(cx.op, of.index)?;
    let (domain, dim) = (cx.domain(of.node), cx.graph.dim(of.node));
    let (width, tiles, head) = match read.part {
        Part::Covered(width) => (width, blocks::tiles(&domain, width), 0),
        _ => (blocks::block(dim)[0], blocks::blocks(&domain), blocks::HEAD_WORDS),
    };
    // Cells beyond a border are as those at it, or as those at the other end.
    let (n, wraps) = (domain.resolution.map(i64::from), periodic(domain.edge));
    let near = match wraps.iter().take(dim as usize).any(|wraps| *wraps) {
        true => format!("select({}, {}, {})", clamped("_c", n, dim), wrapped("_c", n, dim), mask(wraps, dim)),
        false => clamped("_c", n, dim),
    };
    Some(format!(
        "fn _covered(_c: {}) -> bool {{ let _b = {near} / {width}; return ({}[{head} + {}] & 1u) != 0u; }}\n",
        cell_type(dim),
        names::table(read),
        element("_b", tiles, dim),
    ))
}

/// The statement that marks the block of a cell, unless what the stage returns for it is zero.
pub(super) fn mark(cx: &Context<'_>, written: &Written<'_>, (table, result): (&str, &str)) -> Option<String> {
    let (domain, dim) = (cx.domain(cx.node), cx.dim);
    let PortType::Grid(Element::Fixed(ty)) = &written.port.ty else { return None };
    let there = match ty.components(dim) {
        1 => format!("{result} != {}()", ty.wgsl(dim)),
        _ => format!("any({result} != {}())", ty.wgsl(dim)),
    };
    let place = element("_b", blocks::blocks(&domain), dim);
    Some(format!("if ({there}) {{ let _b = _cell / 8; {table}[{} + {place}] = 1u; }}", blocks::found(&domain)))
}

/// The statements that store zero to all that the dispatch writes in a cell.
pub(super) fn zeros(cx: &Context<'_>, slot: StoreTarget) -> String {
    let mut out = String::new();
    for written in cx.all_writes() {
        let (port, value) = (written.port, written.value);
        // Of a grid in a pool all other cells have no memory. Of faces they have, in blocks with cells behind them.
        let pooled = value.pooled.is_some() && value.ty != WireType::FaceGrid;
        let stays = pooled || written.in_place && written.write.settled;
        if stays
            || written.write.transient
            || written.write.part != Part::Whole
            || port.scatter.is_some()
            || port.reduce.is_some()
        {
            continue;
        }
        let store = store::exact(cx, value, &written.target, slot, "_none");
        let store = store::repeated(cx, value, format!("{{ let _none = {}(); {store} }}", value.layout().wgsl()));
        // Faces have a layer beyond the cells.
        let beyond = value.ty != WireType::FaceGrid && cx.node.fills_faces();
        let _ = if beyond { write!(out, "if (inside(_cell)) {store} ") } else { write!(out, "{store} ") };
    }
    let _ = write!(out, "{}", store::cleared(cx));
    out
}
