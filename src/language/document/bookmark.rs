//! Bookmarks: views of the canvas that the user has saved, to return to.

use super::Extra;

/// A saved view of the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Bookmark {
    /// The user's name for it; may be empty.
    pub name: String,
    /// The level that it shows, as the path of its group; empty for the document itself.
    pub level: String,
    /// The point of the level in the middle of the canvas \[points\].
    pub center: (f32, f32),
    /// The zoom of the canvas; 1 is the size of the document's points.
    pub zoom: f32,
    /// The nodes that are selected, by name.
    pub select: Vec<String>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Default for Bookmark {
    fn default() -> Bookmark {
        Bookmark {
            name: String::new(),
            level: String::new(),
            center: (0.0, 0.0),
            zoom: 1.0,
            select: Vec::new(),
            extra: Extra::new(),
        }
    }
}
