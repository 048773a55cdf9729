//! Finds the blocks of cells in which a grid is not zero, as [`crate::ir::blocks`] describes their table.

use super::builtin::per_word;
use crate::codegen::wgsl::{
    COMPONENTS, cell_literal, cell_type, cells_literal, clamped, element, float, position_type, wrapped,
};
use crate::graph::Domain;
use crate::ir::blocks;
use crate::ir::layout::Layout;
use crate::ir::workgroups::{LANES, MAX_GROUPS};
use crate::stage::types::ValueType;

/// A workgroup for each block of a domain looks at the cells of a grid that lie in it. `pooled`: whether the grid is in a pool, whose table
/// comes behind it.
pub(super) fn find(domain: &Domain, layout: Layout, pooled: bool) -> String {
    let dim = domain.dim;
    let ([x, y, _], count) = (blocks::blocks(domain), blocks::count(domain));
    let last = cells_literal(domain.resolution, dim);
    let place = block_of("b", [x, y], dim);
    let width = cells_literal(blocks::block(dim), dim);
    let (size, rest) = counted("n", "k", dim);
    let (table, pool) = match pooled {
        true => (
            "@group(0) @binding(3) var<storage, read> _table: array<u32>;\n",
            Some(format!(
                "i32(select(0u, _table[{0}u + i] >> 1u, (_table[{0}u + i] & 1u) == 1u)) * {1} + {2}",
                blocks::HEAD_WORDS,
                blocks::cells(dim),
                element("(c - first)", blocks::block(dim), dim)
            )),
        ),
        false => ("", None),
    };
    let element = pool.unwrap_or_else(|| element("c", domain.resolution, dim));
    let there = is_there(layout, &element, domain.cells());
    format!(
        "@group(0) @binding(2) var<storage, read> _in: {buffer};\n{table}\
         @group(0) @binding({out}) var<storage, read_write> _out: array<u32>;\n\
         var<workgroup> _any: atomic<u32>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let i = group.y * groups.x + group.x;\n    \
             if (i >= {count}u) {{ return; }}\n    \
             if (lane == 0u) {{ atomicStore(&_any, 0u); }}\n    \
             workgroupBarrier();\n    \
             let b = i32(i); let at = {place};\n    \
             let first = at * {width};\n    \
             let n = min(first + {width}, {last}) - first;\n    \
             for (var k = lane; k < select(u32({size}), 0u, any(n <= {none})); k += {LANES}u) {{\n        \
                 let c = first + {rest};\n        \
                 if ({there}) {{ atomicStore(&_any, 1u); }}\n    \
             }}\n    \
             workgroupBarrier();\n    \
             if (lane == 0u) {{ _out[{found}u + i] = atomicLoad(&_any); }}\n    \
             if (i == 0u && lane < {head}u) {{ _out[lane] = select(0u, 1u, lane == 6u); }}\n\
         }}\n",
        found = blocks::found(domain),
        head = blocks::HEAD_WORDS,
        buffer = layout.buffer(),
        out = if pooled { 4 } else { 3 },
        none = cell_literal([0; 3], dim),
    )
}

/// Lists each block that was found, and all around it; across periodic sides those of the other end. Blocks that have only faces of those
/// are listed too. `places`: how many places a pool has, the one for zeros included. The order of the list is that of the invocations, which
/// nothing may depend on.
pub(super) fn widen(domain: &Domain, places: u32) -> String {
    let (dim, count) = (domain.dim, blocks::count(domain));
    let (all, n) = (blocks::blocks(domain), blocks::blocks_of_cells(domain).map(i64::from));
    let [x, y, _] = all;
    let around = if dim == 3 { "vec3i(k % 3, k / 3 % 3, k / 9)" } else { "vec2i(k % 3, k / 3)" };
    let cells = cell_type(dim);
    let wraps: Vec<bool> = (0..dim as usize).map(|axis| domain.edge.wraps(axis)).collect();
    let periodic = format!("vec{dim}<bool>({})", wraps.iter().map(bool::to_string).collect::<Vec<_>>().join(", "));
    // The block that a name outside stands for.
    let shown = |b: &str| format!("select({}, {}, {periodic})", clamped(b, n, dim), wrapped(b, n, dim));
    let mut beside = Vec::new();
    for axis in 0..dim as usize {
        let letter = COMPONENTS[axis];
        let unit = cell_literal([0, 1, 2].map(|a| i64::from(a == axis)), dim);
        beside.push(format!("runs(at - {unit})"));
        if wraps[axis] {
            // The faces at the end are those at the beginning.
            beside.push(format!("(at.{letter} == {last} && runs(at - {unit} * {last}))", last = all[axis] - 1));
        }
    }
    let (groups, _) = blocks::groups(dim);
    let body = format!(
        "let b = i32(i); let at = {at};\n    \
         let own = runs(at);\n    \
         var word = 0u;\n    \
         if (own || {beside}) {{\n        \
             let rank = atomicAdd(&_table[0], 1u);\n        \
             if (rank + 1u < {places}u) {{\n            \
                 word = 2u * (rank + 1u) + select(0u, 1u, own);\n            \
                 atomicAdd(&_table[1], 1u); atomicStore(&_table[{list}u + rank], i);\n            \
                 let n = {groups}u * (rank + 1u);\n            \
                 atomicMax(&_table[4], min(n, {row}u)); atomicMax(&_table[5], (n + {row}u - 1u) / {row}u);\n        \
             }}\n    \
         }}\n    \
         if (i == 0u) {{ atomicStore(&_table[6], 1u); }}\n    \
         atomicStore(&_table[{head}u + i], word);",
        at = block_of("b", [x, y], dim),
        beside = beside.join(" || "),
        head = blocks::HEAD_WORDS,
        list = blocks::list(domain),
        row = MAX_GROUPS,
    );
    let declarations = format!(
        "@group(0) @binding(2) var<storage, read_write> _table: array<atomic<u32>>;\n\
         fn runs(at: {cells}) -> bool {{\n    \
             let b = {own};\n    \
             for (var k = 0; k < {near}; k++) {{\n        \
                 let c = b + {around} - {cells}(1); let d = {d};\n        \
                 if (atomicLoad(&_table[{found}u + u32({element})]) != 0u) {{ return true; }}\n    \
             }}\n    \
             return false;\n\
         }}\n",
        own = shown("at"),
        near = 3i32.pow(dim),
        d = shown("c"),
        found = blocks::found(domain),
        element = element("d", all, dim),
    );
    per_word(&declarations, count, &body)
}

/// Whether blocks of another domain's cells cover each tile of a domain: several invocations look at them, where they are many.
pub(super) fn cover(domain: &Domain, by: &Domain, width: u32) -> String {
    let (dim, cells, positions) = (domain.dim, cell_type(domain.dim), position_type(domain.dim));
    let ([x, y, _], all) = (blocks::tiles(domain, width), blocks::blocks(by));
    let (count, lanes) = blocks::tile_lanes(domain, by, width);
    let (own, ratio) = (LANES / lanes, float(domain.cell_size / by.cell_size));
    let (end, last) =
        (cells_literal(domain.resolution, dim), cell_literal(by.resolution.map(|n| i64::from(n) - 1), dim));
    let block = cells_literal(blocks::block(dim), dim);
    let (size, rest) = counted("n", "k", dim);
    format!(
        "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;\n\
         var<workgroup> _none: array<atomic<u32>, {own}>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let own = lane / {lanes}u; let part = lane % {lanes}u;\n    \
             let i = (group.y * groups.x + group.x) * {own}u + own;\n    \
             if (part == 0u) {{ atomicStore(&_none[own], 0u); }}\n    \
             workgroupBarrier();\n    \
             if (i < {count}u) {{\n        \
                 let b = i32(i); let at = {at} * {width}; let next = min(at + {width}, {end});\n        \
                 let first = min({cells}(floor({positions}(at) * {ratio} + 0.001)), {last}) / {block};\n        \
                 let n = max(min({cells}(ceil({positions}(next) * {ratio} - 0.001)) - 1, {last}) / {block} - first, {cells}(0)) + 1;\n        \
                 for (var k = part; k < u32({size}); k += {lanes}u) {{\n            \
                     let d = first + {rest};\n            \
                     if ((_in[{head}u + u32({d})] & 1u) == 0u) {{ atomicStore(&_none[own], 1u); break; }}\n        \
                 }}\n    \
             }}\n    \
             workgroupBarrier();\n    \
             if (i < {count}u && part == 0u) {{ _out[i] = 1u - atomicLoad(&_none[own]); }}\n\
         }}\n",
        at = block_of("b", [x, y], dim),
        head = blocks::HEAD_WORDS,
        d = element("d", all, dim),
    )
}

/// The number of cells in a box of `size`, and the place in it of the cell with the number `k`.
fn counted(size: &str, k: &str, dim: u32) -> (String, String) {
    let n = size;
    match dim {
        3 => (
            format!("{n}.x * {n}.y * {n}.z"),
            format!("vec3i(i32({k}) % {n}.x, i32({k}) / {n}.x % {n}.y, i32({k}) / ({n}.x * {n}.y))"),
        ),
        _ => (format!("{n}.x * {n}.y"), format!("vec2i(i32({k}) % {n}.x, i32({k}) / {n}.x)")),
    }
}

/// The coordinates of the block with this number.
pub(super) fn block_of(number: &str, [x, y]: [u32; 2], dim: u32) -> String {
    match dim {
        3 => format!("vec3i({number} % {x}, {number} / {x} % {y}, {number} / {})", x * y),
        _ => format!("vec2i({number} % {x}, {number} / {x})"),
    }
}

/// Whether any number of an element is not zero.
fn is_there(layout: Layout, index: &str, elements: u64) -> String {
    let value = layout.value;
    let (numbers, ty) = (value.components(layout.dim), layout.wgsl());
    if value.is_array() {
        let number =
            |k: u32| format!("{} != 0.0", layout.load_number("_in", &format!("({index})"), &k.to_string(), elements));
        return (0..numbers).map(number).collect::<Vec<_>>().join(" || ");
    }
    let load = layout.load("_in", index);
    match value {
        ValueType::Mat => {
            let column = |k: u32| format!("any(({load})[{k}] != vec{}f())", layout.dim);
            (0..layout.dim).map(column).collect::<Vec<_>>().join(" || ")
        }
        _ if numbers == 1 => format!("{load} != {ty}()"),
        _ => format!("any({load} != {ty}())"),
    }
}
