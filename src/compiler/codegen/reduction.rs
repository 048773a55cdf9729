//! What a reduction starts from and how two of its values become one, for kernels that reduce and for the one that joins their results.
//!
//! ```wgsl
//! workgroupBarrier();
//! for (var s = 128u; s > 0u; s >>= 1u) {
//!     if (_lane < s) { let p = _shared[_lane]; let q = _shared[_lane + s]; _shared[_lane] = max(p, q); }
//!     workgroupBarrier();
//! }
//! ```

use crate::ir::workgroups::LANES;
use crate::stage::header::Reduction;
use crate::stage::types::Scalar;

/// The value that changes no other.
pub(super) fn neutral(reduction: Reduction, scalar: Scalar) -> &'static str {
    match (reduction, scalar) {
        (Reduction::Sum, Scalar::F32) => "0.0",
        (Reduction::Sum, _) => "0",
        (Reduction::Max, Scalar::F32) => "-3.4028234e38",
        (Reduction::Min, Scalar::F32) => "3.4028234e38",
        (Reduction::Max, Scalar::I32) => "-2147483647 - 1",
        (Reduction::Min, Scalar::I32) => "2147483647",
        (Reduction::Max, Scalar::U32) => "0u",
        (Reduction::Min, Scalar::U32) => "4294967295u",
    }
}

/// The expression that joins two values.
pub(super) fn joined(reduction: Reduction, a: &str, b: &str) -> String {
    match reduction {
        Reduction::Sum => format!("{a} + {b}"),
        Reduction::Max => format!("max({a}, {b})"),
        Reduction::Min => format!("min({a}, {b})"),
    }
}

/// The atomic function of a reduction of whole numbers.
pub(super) fn atomic(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "atomicAdd",
        Reduction::Max => "atomicMax",
        Reduction::Min => "atomicMin",
    }
}

/// The tree in workgroup memory, after every lane has stored its value: the result is in element 0.
pub(super) fn tree(variable: &str, reduction: Reduction) -> String {
    let (half, join) = (LANES / 2, joined(reduction, "p", "q"));
    format!(
        "workgroupBarrier();\n    \
         for (var s = {half}u; s > 0u; s >>= 1u) {{\n        \
             if (_lane < s) {{ let p = {variable}[_lane]; let q = {variable}[_lane + s]; {variable}[_lane] = {join}; }}\n        \
             workgroupBarrier();\n    \
         }}"
    )
}
