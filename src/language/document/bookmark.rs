//! Bookmarks: views of the canvas that the user has saved, to return to.

use super::{Document, Extra, Scope};

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
        let (name, level, select) = (String::new(), String::new(), Vec::new());
        Bookmark { name, level, center: (0.0, 0.0), zoom: 1.0, select, extra: Extra::new() }
    }
}

impl Document {
    /// Changes the nodes that bookmarks refer to: the groups of their levels, and what they select. `change` gets the level and
    /// the name of each node and returns the new ones, or `None` to keep them. What goes into a group of the level is selected as that group.
    pub fn retarget_bookmarks(&mut self, change: impl Fn(&Scope, &str) -> Option<(Scope, String)>) {
        for bookmark in self.bookmarks.values_mut() {
            let before = Scope::parse(&bookmark.level);
            let moved = before.outside().and_then(|(outer, group)| change(&outer, group));
            let level = moved.map_or_else(|| before.clone(), |(outer, group)| outer.inside(&group));
            let on_level = |name: String| match change(&before, &name) {
                None => Some(name),
                Some((scope, name)) => {
                    let path = scope.inside(&name);
                    let below = path.0.strip_prefix(level.0.as_slice())?;
                    below.first().cloned()
                }
            };
            let mut select: Vec<String> =
                std::mem::take(&mut bookmark.select).into_iter().filter_map(on_level).collect();
            select.sort();
            select.dedup();
            (bookmark.level, bookmark.select) = (level.to_string(), select);
        }
    }
}
