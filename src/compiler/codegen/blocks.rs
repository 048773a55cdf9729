//! Finds the blocks of cells in which a grid is not zero, as [`crate::ir::blocks`] describes their table.

use super::reduction::tree;
use crate::codegen::wgsl::{
    COMPONENTS, cell_literal, cell_type, cells_literal, clamped, element, float, position_type, wrapped,
};
use crate::graph::Domain;
use crate::ir::blocks;
use crate::ir::layout::Layout;
use crate::ir::workgroups::{LANES, MAX_GROUPS};
use crate::stage::header::Reduction;
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
         }}\n",
        found = blocks::found(domain),
        buffer = layout.buffer(),
        out = if pooled { 4 } else { 3 },
        none = cell_literal([0; 3], dim),
    )
}

/// Says of each block whether stages run there: in those that were found, and all around them; across periodic sides those of the other end.
/// Blocks that have only faces of such ones get a place too. The word of a block has its number among those of its workgroup.
pub(super) fn widen(domain: &Domain) -> String {
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
    format!(
        "@group(0) @binding(2) var<storage, read_write> _table: array<u32>;\n\
         var<workgroup> _ranks: array<u32, {LANES}>;\n\
         fn runs(at: {cells}) -> bool {{\n    \
             let b = {block_here};\n    \
             for (var k = 0; k < {near}; k++) {{\n        \
                 let c = b + {around} - {cells}(1); let d = {d};\n        \
                 if (_table[{found}u + u32({element})] != 0u) {{ return true; }}\n    \
             }}\n    \
             return false;\n\
         }}\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let chunk = group.y * groups.x + group.x; let i = chunk * {LANES}u + lane;\n    \
             var word = 0u;\n    \
             if (i < {count}u) {{\n        \
                 let b = i32(i); let at = {at};\n        \
                 if (runs(at)) {{ word = 3u; }} else if ({beside}) {{ word = 2u; }}\n    \
             }}\n    \
             var rank = word >> 1u;\n    \
             for (var step = 1u; step < {LANES}u; step *= 2u) {{\n        \
                 _ranks[lane] = rank;\n        \
                 workgroupBarrier();\n        \
                 if (lane >= step) {{ rank += _ranks[lane - step]; }}\n        \
                 workgroupBarrier();\n    \
             }}\n    \
             if (i < {count}u) {{ _table[{head}u + i] = select(0u, word + 4u * (rank - 1u), word != 0u); }}\n    \
             if (lane == {last}u && chunk * {LANES}u < {count}u) {{ _table[{sums}u + chunk] = rank; }}\n\
         }}\n",
        block_here = shown("at"),
        near = 3i32.pow(dim),
        d = shown("c"),
        found = blocks::found(domain),
        element = element("d", all, dim),
        at = block_of("b", [x, y], dim),
        beside = beside.join(" || "),
        head = blocks::HEAD_WORDS,
        last = LANES - 1,
        sums = blocks::sums(domain),
    )
}

/// Lists the blocks that have a place, in their order. `places`: how many a pool has, the one for zeros included.
pub(super) fn place(domain: &Domain, places: u32) -> String {
    let count = blocks::count(domain);
    let chunks = count.div_ceil(u64::from(LANES));
    format!(
        "@group(0) @binding(2) var<storage, read_write> _table: array<u32>;\n\
         var<workgroup> _before: array<u32, {LANES}>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let chunk = group.y * groups.x + group.x; let i = chunk * {LANES}u + lane;\n    \
             var before = 0u;\n    \
             for (var k = lane; k < min(chunk, {chunks}u); k += {LANES}u) {{ before += _table[{sums}u + k]; }}\n    \
             _before[lane] = before;\n    \
             {tree}\n    \
             let first = _before[0];\n    \
             if (i < {count}u) {{\n        \
                 let word = _table[{head}u + i]; let rank = first + (word >> 2u); var placed = 0u;\n        \
                 if (word != 0u && rank + 1u < {places}u) {{\n            \
                     placed = 2u * (rank + 1u) + (word & 1u);\n            \
                     _table[{list}u + rank] = i;\n        \
                 }}\n        \
                 _table[{head}u + i] = placed;\n    \
             }}\n    \
             if (lane == 0u && chunk + 1u == {chunks}u) {{\n        \
                 let all = first + _table[{sums}u + chunk]; let listed = min(all, {places}u - 1u); let n = {groups}u * listed;\n        \
                 _table[0] = all; _table[1] = listed;\n        \
                 _table[4] = min(n, {row}u); _table[5] = (n + {row}u - 1u) / {row}u; _table[6] = 1u;\n    \
             }}\n\
         }}\n",
        sums = blocks::sums(domain),
        tree = tree("_before", Reduction::Sum).replace("_lane", "lane"),
        head = blocks::HEAD_WORDS,
        list = blocks::list(domain),
        groups = blocks::groups(domain.dim).0,
        row = MAX_GROUPS,
    )
}

/// Whether blocks of another domain's cells cover each tile of a domain: several invocations look at them, where they are many.
pub(super) fn cover(domain: &Domain, by: &Domain, width: u32) -> String {
    let dim = domain.dim;
    let cells = cell_type(domain.dim);
    let positions = position_type(domain.dim);
    let ([x, y, _], all) = (blocks::tiles(domain, width), blocks::blocks(by));
    let (count, lanes) = blocks::tile_lanes(domain, by, width);
    let (group_tiles, ratio) = (LANES / lanes, float(domain.cell_size / by.cell_size));
    let (end, last) =
        (cells_literal(domain.resolution, dim), cell_literal(by.resolution.map(|n| i64::from(n) - 1), dim));
    let block = cells_literal(blocks::block(dim), dim);
    let (size, rest) = counted("n", "k", dim);
    format!(
        "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;\n\
         var<workgroup> _none: array<atomic<u32>, {group_tiles}>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let own = lane / {lanes}u; let part = lane % {lanes}u;\n    \
             let i = (group.y * groups.x + group.x) * {group_tiles}u + own;\n    \
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
