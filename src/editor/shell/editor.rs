//! The editor: everything in the window.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use eframe::egui;
use eframe::egui_wgpu;
use egui_tiles::Tree;

use super::dialog_stack::Dialogs;
use super::hints::Hints;
use super::tiles;
use crate::commands::command::Command;
use crate::commands::keymap::Keymap;
use crate::model::pane::Pane;
use crate::model::player::Player;
use crate::model::session::Session;
use crate::model::settings::Stops;
use crate::panes::files::Files;
use crate::panes::key_list::KeyList;
use crate::panes::table::Panes;
use crate::panes::timeline::TimelinePane;
use crate::panes::view::{ThumbnailViews, View};
use crate::toolkit::notice::Notice;

/// Everything in the window.
pub struct Editor {
    pub(super) session: Session,
    pub(super) player: Player,
    pub(super) timeline: TimelinePane,
    pub(super) views: BTreeMap<u64, View>,
    pub(super) shown: Shown,
    pub(super) thumbnails: Thumbnails,
    pub(super) panes: Panes,
    pub(super) layout: Layout,
    pub(super) files: Files,
    pub(super) dialogs: Dialogs,
    pub(super) notice: Option<Notice>,
    pub(super) hints: Hints,
    pub(super) keyboard: Keyboard,
    pub(super) host: Host,
    /// The graph file and what stops its run, as they were remembered.
    pub(super) stops: (Option<PathBuf>, Stops),
}

/// What the views show.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The running plan, by the session's count.
    pub(super) plan: u64,
    /// The views are to be updated.
    pub(super) stale: bool,
}

/// Pictures at the nodes of the canvas.
#[derive(Default)]
pub(super) struct Thumbnails {
    pub(super) views: ThumbnailViews,
    pub(super) shown: bool,
}

/// How panes share the window, and those that are outside of it.
pub(super) struct Layout {
    pub(super) tiles: Tree<Pane>,
    /// Views that are in windows of their own.
    pub(super) windows: OwnWindows,
    /// The pane that the pointer was over last.
    pub(super) pointed: Option<Pane>,
}

impl Default for Layout {
    fn default() -> Self {
        Self { tiles: tiles::arrangement(), windows: OwnWindows::new(), pointed: None }
    }
}

/// Keys and the clipboard, and who else needs them.
#[derive(Default)]
pub(super) struct Keyboard {
    pub(super) keymap: Arc<Keymap>,
    /// The command that waits for the text of the clipboard, and the frame in which it was requested.
    pub(super) pasting: Option<(Command, u64)>,
    /// A widget had the keyboard in the last frame.
    pub(super) typed: bool,
    /// The graph reads the keyboard.
    pub(super) hears_keys: bool,
}

/// The window that the editor is in.
pub(super) struct Host {
    pub(super) render: egui_wgpu::RenderState,
    /// The context of the current window, which other threads wake.
    pub(super) awake: Awake,
    pub(super) title: String,
    /// All questions before closing were answered.
    pub(super) closing: bool,
}

/// The context of the window that threads wake.
pub(super) type Awake = Arc<Mutex<egui::Context>>;

/// A view's own window, by what it did in the last frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnWindow {
    /// A widget had the keyboard.
    pub(super) typed: bool,
    /// A button was held or a field was being edited, so a gesture may be under way.
    pub(super) busy: bool,
}

/// The windows by the numbers of their views.
pub(crate) type OwnWindows = BTreeMap<u64, OwnWindow>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Section {
    #[default]
    General,
    Keys,
}

/// What the dialog shows.
#[derive(Debug, Default)]
pub(crate) struct Preferences {
    pub(super) section: Section,
    pub(super) keys: KeyList,
}

impl Preferences {
    /// To be called when the dialog is closed. It shows the same section the next time.
    pub(crate) fn close(&mut self) {
        self.keys.close();
    }
}
