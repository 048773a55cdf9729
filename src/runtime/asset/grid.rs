//! Values that were computed from a file.

use std::sync::Arc;

use super::frames::Frames;

/// The values that come from a file, and warnings about it.
#[derive(Clone, Debug, PartialEq)]
pub struct AssetGrid {
    /// One number for each cell centre, x fastest: signed distances \[m\], negative inside. For colours four numbers:
    /// linear red, green and blue, not multiplied by the alpha that follows. For a grid's numbers as many as the domain has
    /// dimensions where they are vectors. For a track one for each frame.
    pub values: Vec<f32>,
    /// Sentences for the user. The values are nevertheless usable.
    pub warnings: Vec<String>,
    /// The files of the sequence that these values are the first of.
    pub frames: Option<Arc<Frames>>,
}
