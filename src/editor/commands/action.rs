//! What panes ask of the rest of the window. A pane changes the document by itself, through the session. What concerns another
//! pane or the window it asks for with an action, and the editor carries all of them out in one place (`execute`).

use std::path::PathBuf;

use super::command::Command;
use crate::document::Link;
use crate::model::presets::PresetWish;
use crate::model::session::{Session, SnapshotSlot};
use crate::plan::KernelId;
use crate::problem::{Problem, SourcePlace};

/// Something that a pane asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// A command, as if it was chosen from a menu.
    Run(Command),
    /// Selects a node by its path, and brings it into view.
    GoToNode(String),
    /// Brings the selection into view on the canvas.
    Reveal,
    /// Shows a wire of the open level in the first view.
    ViewWire(Link),
    /// Brings up the code of the selected node, at this place.
    ShowCode(SourcePlace),
    /// Shows a place in a shared file that the selected node uses, by the file's name.
    ShowShared(String, SourcePlace),
    /// Pauses, and goes to a frame.
    GoToFrame(u64),
    /// Brings up the manual of the stage language at a heading, by the name that links use.
    ShowLanguage(String),
    /// Adds a view of what the view with this number shows.
    PinView(u64),
    /// Moves the view with this number into its own window, or back.
    OwnWindow(u64),
    /// Shows the text of a kernel of the running plan.
    ShowKernel(KernelId),
    /// Goes to where so many dispatches of the frame have run.
    SeekInFrame(usize),
    /// Shows the history of an element of a wire: of a cell, or of what is at this index.
    PickElement { wire: String, cell: Option<[u32; 3]>, index: u64 },
    /// Follows the particle of a wire that has this index.
    FollowParticle { wire: String, index: u64 },
    /// Renders the images of the views again.
    RefreshViews,
    /// Lets the graphs of this folder read files outside it.
    AllowFiles,
    /// Saves the unsaved text of a stage file.
    SaveStage(PathBuf),
    /// Asks where to save a table, with a file name without its extension, and writes it.
    SaveTable { name: String, text: String },
    /// Asks for a graph file, to compare the graph with.
    CompareFile,
    /// Switches to a snapshot that was stored.
    ShowSnapshot(SnapshotSlot),
    /// Asks what a preset is to be called, or whether to delete it.
    Preset(PresetWish),
    /// Shows an error, or another message that stays until it is dismissed.
    Tell(String),
}

/// Actions in the order in which they were asked for.
pub(crate) type Actions = Vec<Action>;

/// Opens the level of a node and selects it. Returns the action that brings it into view, if it is there.
#[must_use]
pub(crate) fn go_to(session: &mut Session, path: &str) -> Option<Action> {
    session.select_path(path).then_some(Action::Reveal)
}

/// Opens the level of a problem's node and selects it. Returns the actions that bring it into view and show the place in its
/// text, if it has one.
#[must_use]
pub(crate) fn go_to_problem(session: &mut Session, problem: &Problem) -> Actions {
    let code = problem.place.map(|place| match problem.file.as_str() {
        "" => Action::ShowCode(place),
        file => Action::ShowShared(file.into(), place),
    });
    go_to(session, &problem.node).into_iter().chain(code).collect()
}
