//! Compares two wires or images: of the running graph, or of a frame that was held. Nothing is measured or kept while the pane is closed.

mod body;
mod images;
mod measure;
mod numbers;
mod pane;
mod sides;

use std::time::Duration;

pub(super) use pane::ComparePane;

/// How often to look whether values have arrived from the GPU.
const SOON: Duration = Duration::from_millis(10);
