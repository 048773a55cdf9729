//! WGSL from operations: a kernel for each stage in its surroundings, kernels of the compiler's own, uniforms, and the finished plan.

mod assemble;
mod bins;
mod blocks;
pub(super) mod builtin;
mod connect;
pub(super) mod early_exit;
mod kernel_table;
mod layout;
mod one_workgroup;
pub(super) mod prelude;
mod reduction;
mod rename;
mod sides;
pub(super) mod stage_kernel;
mod task;
mod uniform_layout;
pub(super) mod uniforms;
pub(super) mod variants;
mod wgsl;
pub(super) mod writer;
