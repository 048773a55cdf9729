//! Sorts particles into bins of cells, as [`crate::ir::bins`] describes the table: each is counted in its bin, and after a prefix sum of the counts
//! goes to its place in the list. The order within a bin is that of the invocations, which nothing may depend on.

use crate::codegen::wgsl::{axes, cell_literal, cell_type, cells_literal, element, float, position_type};
use crate::graph::Domain;
use crate::ir::bins;
use crate::ir::layout::Layout;
use crate::ir::workgroups::LANES;

/// Counts the particles of each bin, and numbers them.
pub(super) fn count(domain: &Domain, capacity: u32, position: Layout) -> String {
    let declarations = "@group(0) @binding(4) var<storage, read_write> _counts: array<atomic<u32>>;\n\
         @group(0) @binding(5) var<storage, read_write> _ranks: array<u32>;\n";
    kernel(domain, capacity, position, declarations, "_ranks[i] = atomicAdd(&_counts[bin(i)], 1u);")
}

/// Writes the list, and a chunk for every workgroup's share of a bin.
pub(super) fn list(domain: &Domain, capacity: u32, position: Layout) -> String {
    let declarations = "@group(0) @binding(4) var<storage, read> _starts: array<u32>;\n\
         @group(0) @binding(5) var<storage, read> _ranks: array<u32>;\n\
         @group(0) @binding(6) var<storage, read_write> _bins: array<atomic<u32>>;\n";
    let head = bins::HEAD_WORDS;
    let words = bins::CHUNK_WORDS;
    let list = bins::list(domain, capacity);
    let body = format!(
        "let b = bin(i); let rank = _ranks[i]; let place = _starts[b] + rank;\n    \
         atomicStore(&_bins[{list}u + place], i);\n    \
         if (rank % {LANES}u != 0u) {{ return; }}\n    \
         let chunk = {head}u + {words}u * atomicAdd(&_bins[0], 1u);\n    \
         atomicStore(&_bins[chunk], place);\n    \
         atomicStore(&_bins[chunk + 1u], min(place + {LANES}u, _starts[b + 1u]));\n    \
         atomicStore(&_bins[chunk + 2u], b);"
    );
    kernel(domain, capacity, position, declarations, &body)
}

/// A kernel that runs once a particle: `body` may use its index `i` and its bin.
fn kernel(domain: &Domain, capacity: u32, position: Layout, declarations: &str, body: &str) -> String {
    let dim = domain.dim;
    let cells = cell_type(domain.dim);
    let positions = position_type(domain.dim);
    let last = cell_literal(domain.resolution.map(|n| i64::from(n) - 1), dim);
    let edges: Vec<String> = domain.edges().iter().take(dim as usize).map(|edge| float(*edge)).collect();
    let (buffer, load) = (position.buffer(), position.load("_position", "i"));
    format!(
        "@group(0) @binding(2) var<storage, read> _position: {buffer};\n\
         @group(0) @binding(3) var<storage, read> _count: array<u32>;\n\
         {declarations}\
         fn bin(i: u32) -> u32 {{\n    \
             let p = {load}.{axes} / {positions}({edges});\n    \
             let c = clamp({cells}(floor(p)), {cells}(0), {last}) / {bin};\n    \
             return u32({element});\n\
         }}\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let i = (group.y * groups.x + group.x) * {LANES}u + lane;\n    \
             if (i >= min(_count[0], {capacity}u)) {{ return; }}\n    \
             {body}\n\
         }}\n",
        axes = axes(dim),
        edges = edges.join(", "),
        bin = cells_literal(bins::bin(dim), dim),
        element = element("c", bins::bins(domain), dim),
    )
}
