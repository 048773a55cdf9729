//! The entry point: from invocation to element, the call of the stage, and what becomes of its result.
//!
//! ```wgsl
//! @compute @workgroup_size(32, 8, 1)
//! fn _main(@builtin(global_invocation_id) _id: vec3u) {
//!     let _cell = vec2i(_id.xy);
//!     if (any(_cell >= vec2i(64, 48))) { return; }
//!     let _result = stage(_cell); _write_p[_cell.y * 64 + _cell.x] = _result;
//! }
//! ```

mod bins;
pub(super) mod blocks;
mod call;
mod cell;
mod cells;
mod halo;
mod packs;
mod pairs;
mod particles;
mod parts;
mod reduce;
mod rows;
mod store;
pub(super) mod tile;

use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::text::Text;
use crate::codegen::wgsl::position_type;
use crate::stage::IterationSource;
use parts::Entry;
use store::StoreTarget;

/// The entry point, behind the functions that it calls. `text`: of the dispatched stage.
pub(super) fn entry(cx: &Context<'_>, text: &Text<'_>) -> String {
    let [x, y, z] = cx.workgroup();
    let (counters, entry) = match tile::entry(cx) {
        Some(tiles) => (String::new(), tiles),
        None => (counters(cx), by_source(cx, text)),
    };
    let Entry { functions, arguments, body } = entry;
    format!("{functions}@compute @workgroup_size({x}, {y}, {z})\nfn _main({arguments}) {{\n{counters}{body}}}\n")
}

/// The entry point by what the stage is called for.
fn by_source(cx: &Context<'_>, text: &Text<'_>) -> Entry {
    match cx.stage.source() {
        IterationSource::Once => {
            let stores = store::stores(cx, "0", StoreTarget::Element);
            Entry::new("", format!("    {}{stores}\n", call::call(cx, "")))
        }
        IterationSource::Cells => cells::entry(cx, text),
        IterationSource::Particles => particles::entry(cx),
        // Never dispatched; there to be validated.
        IterationSource::Positions => {
            Entry::new("", format!("    let _result = stage({}());\n", position_type(cx.dim)))
        }
    }
}

/// Statements that set the counters that a stage may name.
fn counters(cx: &Context<'_>) -> String {
    let used = ["iteration", "substep"].into_iter().filter(|counter| cx.names(counter));
    used.map(|counter| format!("    {counter} = params._{counter};\n")).collect()
}
