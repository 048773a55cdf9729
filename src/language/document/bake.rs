//! Bakes: wires whose values are kept on disk, frame by frame, and played from there.

use super::Extra;

/// Wires that are baked over a range of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Bake {
    /// The wires by `node.port`; a State by its name. Where it is empty: what images read from the simulation.
    pub wires: Vec<String>,
    /// The first and the last frame.
    pub frames: (u64, u64),
    /// The folder of the cache, relative to that of the graph. `NAME.bake` when empty.
    pub folder: String,
    /// Whether the graph runs from the cache.
    pub play: bool,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Default for Bake {
    fn default() -> Bake {
        Bake { wires: Vec::new(), frames: (1, 240), folder: String::new(), play: true, extra: Extra::new() }
    }
}

impl Bake {
    /// The folder of its cache, for a bake of this name.
    pub fn folder(&self, name: &str) -> String {
        if self.folder.is_empty() { format!("{name}.bake") } else { self.folder.clone() }
    }
}
