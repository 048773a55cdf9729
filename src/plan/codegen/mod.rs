//! WGSL from operations: a kernel for each stage in its surroundings, kernels of the compiler's own, uniforms, and the finished plan.

pub mod accessors;
mod assemble;
pub mod builtin;
pub mod early_exit;
mod kernel_table;
mod memory;
pub mod prelude;
pub mod stage_kernel;
mod task;
mod uniform_layout;
pub mod uniforms;
pub mod variants;
pub mod writer;
