//! The engine: runs a plan. The only module that calls a graphics driver.

mod bandwidth;
mod compile;
mod device;
mod driver;
mod engine;
mod heaps;
mod injected;
mod invariant;
mod limits;
mod mapped;
mod memory;
mod pipelines;
mod readback;
mod recorder;
pub(crate) mod scan;
mod slices;
pub(crate) mod stepping;
mod store;
mod timing;
mod uniform_branches;
mod upload_ring;
pub(crate) mod values;
pub mod wire_view;

pub use bandwidth::copy_bandwidth;
pub use device::{Gpu, GpuError, GpuOptions, describe, device_descriptor, restrict};
pub use driver::{Making, wait_for_pipelines};
pub use engine::Copies;
pub use engine::Engine;
pub use memory::OutOfMemory;
pub use readback::Reading;
pub use timing::{List, NodeTime, Profile, Recent, Spread};
