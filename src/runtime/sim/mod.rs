//! The simulation: a plan on a device, stepped frame by frame. The command line, the editor and other programs all use
//! this interface.

mod caches;
pub mod camera;
pub mod checkpoint;
pub mod compare;
pub mod debug;
pub mod expect;
pub mod field;
pub mod files;
mod frame;
pub mod frame_loop;
pub mod hash;
pub mod hashes;
pub mod host_copy;
mod lookup;
mod nan_search;
pub mod nan_watch;
mod playback;
pub mod record;
pub mod saver;
mod scatter;
mod sequence;
mod settings;
mod simulation;
mod snapshot;
mod state_layout;
mod step;
mod substeps;
pub mod timeline;
mod watch;
pub mod wire_view;

pub use crate::input::FrameInput;
pub use field::{Field, Image};
pub use playback::Played;
pub use simulation::Simulation;
use simulation::lost;
pub use snapshot::{Snapshot, SnapshotReading};
pub use watch::Watched;
