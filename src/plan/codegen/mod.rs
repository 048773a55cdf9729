//! WGSL from operations: a kernel for each stage in its surroundings, kernels of the compiler's own, uniforms, and the finished plan.

pub mod accessors;
pub mod builtin;
pub mod early_exit;
mod memory;
pub mod prelude;
pub mod stage_kernel;
pub mod uniforms;
pub mod variants;
pub mod writer;
