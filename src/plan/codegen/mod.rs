//! WGSL from operations: a kernel for each stage in its surroundings, kernels of the compiler's own, uniforms, and the finished plan.

mod assemble;
pub mod builtin;
pub mod early_exit;
mod kernel_table;
mod layout;
pub mod prelude;
mod reduction;
pub mod stage_kernel;
mod task;
mod uniform_layout;
pub mod uniforms;
pub mod variants;
mod wgsl;
pub mod writer;
