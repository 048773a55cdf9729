//! Entry points over cells: one cell, two or four an invocation, blocks with a halo, and reductions.
//!
//! ```wgsl
//! let _cell = vec2i(_id.xy) * vec2i(4, 1);
//! if (any(_cell >= vec2i(64, 48))) { return; }
//! ```

use super::cell::{cell, computed, other_color};
use super::parts::{CELL_ARGUMENT, Entry, PLACE_ARGUMENTS};
use super::store::{StoreTarget, stores};
use super::{blocks, halo, pairs, reduce, rows};
use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::mapping::Mapping;
use crate::codegen::stage_kernel::text::Text;
use crate::codegen::wgsl::{axes, cell_literal, cell_type, cells_literal, of_color};

pub(super) fn entry(cx: &Context<'_>, text: &Text<'_>) -> Entry {
    if let Mapping::Halo(shape) = cx.mapping {
        return halo::entry(cx, &shape, text);
    }
    let (place, argument) = match blocks::place(cx) {
        Some(place) => (place, blocks::ARGUMENTS),
        None => (place(cx), CELL_ARGUMENT),
    };
    let outside = format!("any(_cell >= {})", cells_literal(cx.extent(), cx.dim));
    let functions = blocks::functions(cx);
    if cx.reduces() {
        let slot = StoreTarget::Element;
        let reduced = reduce::reduced(cx, &outside, &computed(cx, slot), &stores(cx, "", slot));
        let arguments = match cx.listed {
            true => blocks::LANE_ARGUMENTS.to_string(),
            false => format!("{CELL_ARGUMENT}, {PLACE_ARGUMENTS}"),
        };
        return Entry { functions, ..Entry::new(arguments, place + &reduced) };
    }
    let inside = match cx.mapping {
        Mapping::Row(_) => rows::rows(cx),
        Mapping::Pair(_) => pairs::pairs(cx),
        _ => single(cx),
    };
    let body = format!("{place}    if ({outside}) {{ return; }}\n{inside}");
    Entry { functions, ..Entry::new(argument, body) }
}

/// `let _cell = ..`: the first cell of an invocation.
fn place(cx: &Context<'_>) -> String {
    let step = match cx.mapping {
        Mapping::Row(shape) | Mapping::Pair(shape) => {
            format!(" * {}", cell_literal([i64::from(shape.cells), 1, 1], cx.dim))
        }
        _ => String::new(),
    };
    let first = format!("{}(_id.{})", cell_type(cx.dim), axes(cx.dim));
    if cx.leaves_other_color() {
        return format!("    {}\n    let _cell = _in;\n", of_color(&first, cx.dim));
    }
    format!("    let _cell = {first}{step};\n")
}

/// One cell, unless it is of the other colour.
fn single(cx: &Context<'_>) -> String {
    let other = other_color(cx, StoreTarget::Element);
    let other = other.map_or(String::new(), |(other, keep)| format!("    if ({other}) {{ {keep}return; }}\n"));
    let outside = match blocks::asks(cx) {
        true => format!("    if ({}) {{ {}return; }}\n", blocks::OUTSIDE, blocks::zeros(cx, StoreTarget::Element)),
        false => String::new(),
    };
    format!("{other}{outside}    {}\n", cell(cx, StoreTarget::Element))
}
