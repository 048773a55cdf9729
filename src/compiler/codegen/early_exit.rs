//! Kernels of groups that may stop early: the test of a gate, and how many repeats were made.

use crate::data::COUNT_GROUPS;
use crate::ir::workgroups::LANES;
use crate::ir::{Op, Program};

/// The gate that a gate's test follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing: the repeats so far were made.
    Nothing,
    /// The gate of a group around.
    Around,
    /// The gate before of the same group.
    Own,
}

pub(crate) fn before(program: &Program, op: &Op) -> Before {
    let Some(gate) = op.reads.get(1).map(|r| r.value) else { return Before::Nothing };
    match program.testers.get(&gate) {
        Some(node) if *node == op.node => Before::Own,
        _ => Before::Around,
    }
}

/// Writes a gate: whether the group goes on, the repeats that it has made, and from byte [`COUNT_GROUPS`] the workgroups of what is
/// behind the gate. A number that is NaN is not below anything.
pub(crate) fn test(before: Before, every: u32, table: &[[u32; 3]]) -> String {
    let (binding, was, made) = match before {
        Before::Nothing => ("", "true", format!("{every}u")),
        Before::Around => (BEFORE, "_before[0] != 0u", format!("{every}u")),
        Before::Own => (BEFORE, "_before[0] != 0u", format!("_before[1] + select(0u, {every}u, _before[0] != 0u)")),
    };
    let out = if before == Before::Nothing { 3 } else { 4 };
    let words = table.iter().flatten().enumerate();
    let first = COUNT_GROUPS / 4;
    let rows: String =
        words.map(|(i, n)| format!("    _out[{}] = select(0u, {n}u, open);\n", first + i as u64)).collect();
    format!(
        "struct Params {{ below: f32 }}\n\
         @group(0) @binding(1) var<uniform> params: Params;\n\
         @group(0) @binding(2) var<storage, read> _number: array<f32>;\n\
         {binding}\
         @group(0) @binding({out}) var<storage, read_write> _out: array<u32>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(local_invocation_index) lane: u32) {{\n    \
             if (lane > 0u) {{ return; }}\n    \
             let open = {was} && !(_number[0] < params.below);\n    \
             _out[0] = select(0u, 1u, open);\n    \
             _out[1] = {made};\n\
         {rows}}}\n"
    )
}

const BEFORE: &str = "@group(0) @binding(3) var<storage, read> _before: array<u32>;\n";

/// Repeats that a group has made: as many as the last gate says, and `rest` more if it was open.
pub(crate) fn repeats(rest: u32) -> String {
    format!(
        "@group(0) @binding(2) var<storage, read> _gate: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(local_invocation_index) lane: u32) {{\n    \
             if (lane == 0u) {{ _out[0] = _gate[1] + select(0u, {rest}u, _gate[0] != 0u); }}\n\
         }}\n"
    )
}
