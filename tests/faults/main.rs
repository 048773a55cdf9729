//! What fails around the program: the device is lost at any moment, memory runs out at any allocation.

mod device;
mod memory;
#[cfg(unix)]
mod system;
