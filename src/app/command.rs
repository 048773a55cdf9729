//! Everything a person can ask for: one list that feeds menus, buttons and shortcuts.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, RichText, Ui};

use super::theme;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    New,
    Open,
    Save,
    SaveAs,
    Export,
    Quit,
    Undo,
    Redo,
    Delete,
    AddNode,
    Arrange,
    FrameAll,
    FrameSelection,
    Play,
    Step,
    Reset,
}

use Command::*;

/// Menus in the order of the bar.
pub const MENUS: &[(&str, &[Command])] = &[
    ("File", &[New, Open, Save, SaveAs, Export, Quit]),
    ("Edit", &[Undo, Redo, Delete]),
    ("Graph", &[AddNode, Arrange, FrameAll, FrameSelection]),
    ("Run", &[Play, Step, Reset]),
];

impl Command {
    pub fn label(self) -> &'static str {
        match self {
            New => "New…",
            Open => "Open…",
            Save => "Save",
            SaveAs => "Save as…",
            Export => "Export pictures…",
            Quit => "Quit",
            Undo => "Undo",
            Redo => "Redo",
            Delete => "Delete nodes",
            AddNode => "Add a node…",
            Arrange => "Arrange nodes",
            FrameAll => "Show all nodes",
            FrameSelection => "Show the selection",
            Play => "Play or pause",
            Step => "Compute one frame",
            Reset => "Start anew",
        }
    }

    fn shortcut(self) -> KeyboardShortcut {
        let both = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        let (modifiers, key) = match self {
            New => (Modifiers::COMMAND, Key::N),
            Open => (Modifiers::COMMAND, Key::O),
            Save => (Modifiers::COMMAND, Key::S),
            SaveAs => (both, Key::S),
            Export => (Modifiers::COMMAND, Key::E),
            Quit => (Modifiers::COMMAND, Key::Q),
            Undo => (Modifiers::COMMAND, Key::Z),
            Redo => (both, Key::Z),
            Delete => (Modifiers::NONE, Key::Delete),
            AddNode => (Modifiers::SHIFT, Key::A),
            Arrange => (Modifiers::NONE, Key::L),
            FrameAll => (Modifiers::NONE, Key::Home),
            FrameSelection => (Modifiers::NONE, Key::F),
            Play => (Modifiers::NONE, Key::Space),
            Step => (Modifiers::NONE, Key::ArrowRight),
            Reset => (Modifiers::SHIFT, Key::Space),
        };
        KeyboardShortcut::new(modifiers, key)
    }

    /// The command whose shortcut was pressed. While a widget has the keyboard, only those with Ctrl count, and text has its
    /// own undo.
    pub fn pressed(ctx: &egui::Context) -> Option<Command> {
        let (typing, text) = (ctx.egui_wants_keyboard_input(), ctx.text_edit_focused());
        let mut all: Vec<Command> = MENUS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        // Ctrl+Shift+Z is Ctrl+Z too, so the longer one is asked first.
        all.sort_by_key(|command| !command.shortcut().modifiers.shift);
        all.into_iter().find(|command| {
            let shortcut = command.shortcut();
            if text && matches!(command, Undo | Redo) {
                return false;
            }
            (!typing || shortcut.modifiers.command) && ctx.input_mut(|input| input.consume_shortcut(&shortcut))
        })
    }

    pub fn shortcut_text(self, ctx: &egui::Context) -> String {
        ctx.format_shortcut(&self.shortcut())
    }

    /// An entry of a menu; whether it was chosen.
    pub fn menu_entry(self, ui: &mut Ui, enabled: bool) -> bool {
        let shortcut = RichText::new(self.shortcut_text(ui.ctx())).color(theme::FAINT);
        let button = egui::Button::new(self.label()).shortcut_text(shortcut).min_size(egui::vec2(210.0, 0.0));
        ui.add_enabled(enabled, button).clicked()
    }

    /// A button with a drawing of its own; whether it was pressed.
    pub fn button(self, ui: &mut Ui, icon: &str) -> bool {
        let hint = format!("{}  ({})", self.label(), self.shortcut_text(ui.ctx()));
        ui.add(egui::Button::new(RichText::new(icon).size(14.0)).min_size(egui::vec2(30.0, 22.0)))
            .on_hover_text(hint)
            .clicked()
    }
}
