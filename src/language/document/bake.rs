//! Bakes: wires whose values are kept on disk, frame by frame, and played from there.

use super::{Document, Extra, Scope};

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

impl Document {
    /// Changes the nodes whose wires are baked. `change` gets the level and the name of each node and returns the new ones, or
    /// `None` to keep them.
    pub fn retarget_bakes(&mut self, change: impl Fn(&Scope, &str) -> Option<(Scope, String)>) {
        for wire in self.bakes.values_mut().flat_map(|bake| &mut bake.wires) {
            let (path, port) = wire.split_once('.').map_or((wire.as_str(), None), |(path, port)| (path, Some(port)));
            let mut parts = Scope::parse(path).0;
            for index in (0..parts.len()).rev() {
                let (level, rest) = parts.split_at(index);
                let Some((name, after)) = rest.split_first() else { continue };
                if let Some((scope, name)) = change(&Scope(level.to_vec()), name) {
                    parts = scope.0.into_iter().chain([name]).chain(after.iter().cloned()).collect();
                    break;
                }
            }
            let path = parts.join("/");
            *wire = port.map_or(path.clone(), |port| format!("{path}.{port}"));
        }
    }
}
