//! Labels of the connected parts of a grid: within each tile in workgroup memory, then across the borders of tiles. A label is 1 and the
//! index of the part's first cell, 0 where the part is joined with the outside, and 4294967295 for a cell of no part. Roots are the
//! lowest labels, so the result does not depend on the order of invocations.
//! Source: Komura, Comput. Phys. Commun. 194, 2015; Playne and Hawick, IEEE Trans. Parallel Distrib. Syst. 29, 2018 (label equivalence by atomics).

use crate::graph::Domain;
use crate::ir::Task;
use crate::ir::workgroups::{LANES, connect_tile, connect_tiles};

/// What a stage returns for a cell: bits 0 to 2 join it with the cell below along an axis, bit 3 says that it is part of something, bit 4
/// joins it with the outside.
const OUTSIDE: u32 = 4;

/// The kernel of a step, and its name.
pub(super) fn kernel(task: &Task, domain: &Domain) -> (&'static str, String) {
    match task {
        Task::ConnectTiles => ("connect tiles", within_tiles(domain)),
        Task::ConnectBorders => ("connect borders", across_borders(domain)),
        _ => ("connect end", every_cell(domain)),
    }
}

const ENTRY: &str = "@compute @workgroup_size(256)\n\
     fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {\n    ";

/// Root of a label. A chain of labels decreases, so it is finite.
const FIND: &str = "fn find(start: u32) -> u32 {\n    \
         var label = start;\n    \
         for (var k = 0u; k < 30000u && label != 0u; k++) {\n        \
             let next = atomicLoad(&_labels[label - 1u]);\n        \
             if (next >= label) { break; }\n        \
             label = next;\n    \
         }\n    \
         return label;\n\
     }\n";

/// Joins two labels: the higher root gets the lower one, or what another invocation has given it meanwhile is joined, too.
const JOIN: &str = "fn join(one: u32, other: u32) {\n    \
         var a = one; var b = other;\n    \
         for (var k = 0u; k < 1000u; k++) {\n        \
             a = find(a); b = find(b);\n        \
             if (a == b) { return; }\n        \
             let low = min(a, b); let high = max(a, b);\n        \
             let old = atomicMin(&_labels[high - 1u], low);\n        \
             if (old == high) { return; }\n        \
             a = old; b = low;\n    \
         }\n\
     }\n";

fn sizes(domain: &Domain) -> String {
    let [x, y, z] = domain.resolution;
    let [w, h, d] = connect_tile(domain.dim);
    format!("const SIZE = vec3u({x}u, {y}u, {z}u);\nconst TILE = vec3u({w}u, {h}u, {d}u);\n")
}

/// Each cell gets the label of the first cell of its part of a tile.
fn within_tiles(domain: &Domain) -> String {
    format!(
        "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;\n\
         var<workgroup> _labels: array<atomic<u32>, {LANES}>;\n\
         {sizes}{FIND}{JOIN}{ENTRY}\
             let tiles = (SIZE + TILE - 1u) / TILE;\n    \
             let tile = group.y * groups.x + group.x;\n    \
             let first = TILE * vec3u(tile % tiles.x, tile / tiles.x % tiles.y, tile / (tiles.x * tiles.y));\n    \
             let at = vec3u(lane % TILE.x, lane / TILE.x % TILE.y, lane / (TILE.x * TILE.y));\n    \
             let cell = first + at;\n    \
             let inside = tile < {count}u && all(cell < SIZE);\n    \
             let index = cell.x + SIZE.x * (cell.y + SIZE.y * cell.z);\n    \
             var faces = 0u;\n    \
             if (inside) {{ faces = _in[index]; }}\n    \
             atomicStore(&_labels[lane], lane + 1u);\n    \
             workgroupBarrier();\n    \
             if ((faces & 1u) != 0u && at.x > 0u) {{ join(lane + 1u, lane); }}\n    \
             if ((faces & 2u) != 0u && at.y > 0u) {{ join(lane + 1u, lane + 1u - TILE.x); }}\n    \
             if ((faces & 4u) != 0u && at.z > 0u) {{ join(lane + 1u, lane + 1u - TILE.x * TILE.y); }}\n    \
             workgroupBarrier();\n    \
             let root = find(lane + 1u) - 1u;\n    \
             let place = first + vec3u(root % TILE.x, root / TILE.x % TILE.y, root / (TILE.x * TILE.y));\n    \
             let label = place.x + SIZE.x * (place.y + SIZE.y * place.z) + 1u;\n    \
             if (inside) {{ _out[index] = select(label, 0xffffffffu, faces == 0u); }}\n\
         }}\n",
        sizes = sizes(domain),
        count = connect_tiles(domain)
    )
}

/// Joins parts of tiles where a face between two tiles, or around a periodic axis, joins cells, and those that the outside joins.
fn across_borders(domain: &Domain) -> String {
    format!(
        "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _labels: array<atomic<u32>>;\n\
         {sizes}{FIND}{JOIN}{ENTRY}\
             let index = (group.y * groups.x + group.x) * {LANES}u + lane;\n    \
             if (index >= {cells}u) {{ return; }}\n    \
             let cell = vec3u(index % SIZE.x, index / SIZE.x % SIZE.y, index / (SIZE.x * SIZE.y));\n    \
             let borders = (cell & (TILE - 1u)) == vec3u(0u);\n    \
             let faces = _in[index];\n    \
             let stride = vec3u(1u, SIZE.x, SIZE.x * SIZE.y);\n    \
             for (var axis = 0u; axis < 3u; axis++) {{\n        \
                 let below = select(index - stride[axis], index + stride[axis] * (SIZE[axis] - 1u), cell[axis] == 0u);\n        \
                 if ((faces >> axis & 1u) != 0u && borders[axis]) {{ join(index + 1u, below + 1u); }}\n    \
             }}\n    \
             if ((faces >> {OUTSIDE}u & 1u) != 0u) {{ join(index + 1u, 0u); }}\n\
         }}\n",
        sizes = sizes(domain),
        cells = domain.cells()
    )
}

/// Each cell gets its root.
fn every_cell(domain: &Domain) -> String {
    format!(
        "@group(0) @binding(2) var<storage, read> _labels: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;\n\
         {find}{ENTRY}\
             let index = (group.y * groups.x + group.x) * {LANES}u + lane;\n    \
             if (index >= {cells}u) {{ return; }}\n    \
             let label = _labels[index];\n    \
             if (label == 0xffffffffu) {{ _out[index] = label; return; }}\n    \
             _out[index] = find(label);\n\
         }}\n",
        find = FIND.replace("atomicLoad(&_labels[label - 1u])", "_labels[label - 1u]"),
        cells = domain.cells()
    )
}
