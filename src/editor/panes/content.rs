//! What the window asks of a pane: to draw, and to react to a new document, a lost device and the end of a frame.

use eframe::egui::{self, Ui};
use eframe::egui_wgpu::RenderState;

use crate::commands::action::Actions;
use crate::model::player::Player;
use crate::model::session::Session;

/// What is known of a dialog once it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// Whether the dialog stays open.
    pub(crate) open: bool,
    /// The window that it takes, unless it is a question before everything else.
    pub(crate) area: Option<egui::Rect>,
}

/// What a pane is drawn with. It changes the document through the session, and asks the rest of the window with actions.
pub(crate) struct Surroundings<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) player: &'a mut Player,
    pub(crate) render: &'a RenderState,
    /// The Output that the first view shows.
    pub(crate) output: Option<&'a str>,
    /// The wire or Output that the first view shows, by its path.
    pub(crate) seen: &'a str,
    pub(crate) actions: &'a mut Actions,
}

/// A pane. All but its drawing has a default.
pub(crate) trait PaneContent {
    /// Draws it. An error is a sentence that the window shows.
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String>;

    /// Whether the window draws the frame and margins of a pane of text around it.
    fn framed(&self) -> bool {
        false
    }

    /// Another document was opened: what belongs to the one before is forgotten.
    fn opened(&mut self) {}

    /// The graphics device was lost, and another one takes its place: textures and simulations of its own are gone.
    fn device_lost(&mut self, _session: &mut Session) {}

    /// Called after each frame of the window, drawn or not; `open` tells whether the pane has a place in it.
    fn after_frame(&mut self, _session: &mut Session, _open: bool) {}

    /// Paths of the wires that the running plan has to keep for it.
    fn wires(&self) -> Vec<String> {
        Vec::new()
    }

    /// Takes the keys that are for it while the pointer is over it, before they can be commands.
    fn take_keys(&mut self, _ctx: &egui::Context) {}

    /// Whether a gesture or a list in it has the keys, so that none is a command.
    fn busy(&self) -> bool {
        false
    }
}
