//! What fails around the program: the device is lost at any moment, memory runs out at any allocation.

#[path = "faults/device.rs"]
mod device;
#[path = "faults/memory.rs"]
mod memory;
#[cfg(unix)]
#[path = "faults/system.rs"]
mod system;
