//! Popups that are open over the canvas and have the keyboard: the palette, lists of inputs, menus, and fields for names.

use eframe::egui::{Pos2, Rect};

use super::palette::Palette;
use crate::document::Link;
use crate::edit::InputEnd;

/// Popups over the canvas, which have the keyboard while they are open.
#[derive(Default)]
pub(super) struct Popups {
    pub palette: Option<Palette>,
    pub chooser: Option<Chooser>,
    pub menu: Option<Menu>,
    pub renaming: Option<Renaming>,
}

impl Popups {
    pub(super) fn any(&self) -> bool {
        self.palette.is_some() || self.chooser.is_some() || self.menu.is_some() || self.renaming.is_some()
    }
}

/// Subject of a menu: nodes, a wire, or a comment frame.
#[derive(Clone, Debug)]
pub(super) enum MenuTarget {
    /// The selected nodes, of which this one was clicked.
    Nodes(String),
    Wire(Link, InputEnd),
    Frame,
}

/// An open menu.
pub(super) struct Menu {
    pub at: Pos2,
    pub subject: MenuTarget,
}

/// A name being typed.
pub(super) struct Renaming {
    pub subject: RenameTarget,
    pub text: String,
    pub fresh: bool,
}

/// Subject of a new name: a node, a comment frame, or a bookmark.
pub(super) enum RenameTarget {
    Node(String),
    Frame(usize),
    /// A bookmark by its number, with the place of its button.
    Bookmark(String, Rect),
}

/// An open list of what a wire could be connected to: parameters that a number could drive, or all inputs that the wire fits.
pub(super) struct Chooser {
    pub at: Pos2,
    pub from: Link,
    pub node: String,
    pub inputs: Vec<String>,
}
