//! Who gets a key. [`Holder`] says the order. What it leaves goes to the graph, if that reads keys and the pointer is over
//! its image, then to the pane under the pointer where no dialog covers it, then, for Escape, to a seek that is under
//! way, and last to the commands of the keymap.

use eframe::egui;

use super::Editor;
use crate::commands::command::Command;
use crate::model::player;
use crate::panes::view::View;

/// What gets the keys of a frame before the graph and the panes do: the first of these that is there when the frame begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    /// A modal dialog of the stack with its text fields, or a list or gesture of a pane, has all keys.
    Modal,
    /// A widget that has the keyboard, such as a text field, has all keys but those of commands with Ctrl, F1 and F11.
    Widget,
    /// An open menu has all keys but those of commands with Ctrl, F1 and F11.
    Popup,
    /// The dialog in front has Escape, and keys of its own.
    Dialog,
    Nothing,
}

impl Editor {
    /// What gets the keys of this frame in a window first, before anything is drawn: what a key closes does not pass it
    /// on. `typed`: a widget of the window had the keyboard in the last frame.
    pub(super) fn key_holder(&self, ctx: &egui::Context, typed: bool) -> Holder {
        if !self.takes_commands() {
            Holder::Modal
        } else if typed || ctx.egui_wants_keyboard_input() {
            Holder::Widget
        } else if egui::Popup::is_any_open(ctx) {
            Holder::Popup
        } else if self.has_dialog() {
            Holder::Dialog
        } else {
            Holder::Nothing
        }
    }

    /// Whether keys may be commands: nothing is open or held that has all of them.
    pub(super) fn takes_commands(&self) -> bool {
        !self.dialogs.has_modal()
            && !self.panes.all().iter().any(|pane| pane.busy())
            && !self.views.values().any(View::holds_handle)
    }

    /// Gives keys to the dialog in front.
    pub(super) fn take_keys_first(&mut self, holder: Holder, ctx: &egui::Context) {
        if holder != Holder::Modal {
            self.record_dialog_keys(ctx);
        }
        if holder == Holder::Dialog {
            self.take_dialog_keys(ctx);
        }
    }

    /// Takes the keys that the graph reads, if a window's pointer is `over` its image. Returns the bits of those that are
    /// down; without the graph they are shortcuts.
    pub(super) fn take_graph_keys(&self, holder: Holder, over: bool, ctx: &egui::Context) -> u32 {
        // What has opened since has the keys, too.
        let free = holder > Holder::Popup && self.takes_commands();
        if self.keyboard.hears_keys && over && free { ctx.input_mut(player::keys) } else { 0 }
    }

    /// Gives what is left to the pane under the pointer, to a seek, and to commands.
    pub(super) fn take_other_keys(&mut self, holder: Holder, ctx: &egui::Context) {
        // What has opened since has the keys, too.
        if holder == Holder::Modal || !self.takes_commands() {
            return;
        }
        if holder > Holder::Popup
            && !is_pointer_over_dialog(ctx)
            && let Some(pane) = self.layout.pointed.and_then(|pane| self.panes.get(pane))
        {
            pane.take_keys(ctx);
        }
        let escaped = || ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
        if holder > Holder::Popup && self.player.target().is_some() && escaped() {
            self.execute(Command::StopSeek, ctx);
        }
        if let Some(command) =
            self.arrived_paste(ctx).or_else(|| self.keyboard.keymap.pressed(ctx, self.keyboard.typed))
        {
            self.execute(command, ctx);
        }
    }
}

/// Whether a dialog, or another area over the panes, is under the pointer.
fn is_pointer_over_dialog(ctx: &egui::Context) -> bool {
    let pointer = ctx.input(|input| input.pointer.latest_pos());
    pointer.and_then(|position| ctx.layer_id_at(position)).is_some_and(|layer| layer.order > egui::Order::Background)
}
