//! Everything a person can ask for: one list that feeds menus, buttons, shortcuts and the command palette.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, RichText, Ui};

use super::panes::Pane;
use super::theme;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    Open,
    Save,
    SaveAs,
    Quit,
    Undo,
    Redo,
    Delete,
    SelectAll,
    AddNode,
    Arrange,
    FrameAll,
    FrameSelection,
    Play,
    Step,
    Reset,
    Slower,
    Faster,
    FitPicture,
    ActualSize,
    AddView,
    ToggleHeat,
    ShowGraph,
    ShowView,
    ShowInspector,
    ShowPlan,
    ShowProblems,
    ResetPanes,
    Commands,
    DarkTheme,
    LightTheme,
}

use Command::*;

/// Menus in the order of the bar.
pub const MENUS: &[(&str, &[Command])] = &[
    ("File", &[Open, Save, SaveAs, Quit]),
    ("Edit", &[Undo, Redo, Delete, SelectAll, Commands]),
    ("Graph", &[AddNode, Arrange, FrameAll, FrameSelection]),
    ("Run", &[Play, Step, Reset, Slower, Faster]),
    ("View", &[AddView, FitPicture, ActualSize, ToggleHeat, DarkTheme, LightTheme]),
    ("Window", &[ShowGraph, ShowView, ShowInspector, ShowPlan, ShowProblems, ResetPanes]),
];

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

impl Command {
    pub fn all() -> impl Iterator<Item = Command> {
        MENUS.iter().flat_map(|(_, commands)| commands.iter().copied())
    }

    pub fn label(self) -> &'static str {
        self.entry().0
    }

    /// Its name, and the keys that mean it; the first are shown.
    fn entry(self) -> (&'static str, &'static [(Modifiers, Key)]) {
        match self {
            Open => ("Open…", &[(CTRL, Key::O)]),
            Save => ("Save", &[(CTRL, Key::S)]),
            SaveAs => ("Save as…", &[(CTRL_SHIFT, Key::S)]),
            Quit => ("Quit", &[(CTRL, Key::Q)]),
            Undo => ("Undo", &[(CTRL, Key::Z)]),
            Redo => ("Redo", &[(CTRL_SHIFT, Key::Z), (CTRL, Key::Y)]),
            Delete => ("Delete", &[(NONE, Key::Delete), (NONE, Key::X)]),
            SelectAll => ("Select all", &[(CTRL, Key::A)]),
            AddNode => ("Add a node…", &[(NONE, Key::Tab), (SHIFT, Key::A)]),
            Arrange => ("Tidy the layout", &[(NONE, Key::L)]),
            FrameAll => ("Show all nodes", &[(NONE, Key::Home), (NONE, Key::A)]),
            FrameSelection => ("Show the selection", &[(NONE, Key::F)]),
            Play => ("Play or pause", &[(NONE, Key::Space)]),
            Step => ("Compute one frame", &[(NONE, Key::ArrowRight)]),
            Reset => ("Start anew", &[(SHIFT, Key::Space)]),
            Slower => ("Slower", &[(NONE, Key::OpenBracket)]),
            Faster => ("Faster", &[(NONE, Key::CloseBracket)]),
            AddView => ("Another view", &[(CTRL_SHIFT, Key::V)]),
            FitPicture => ("Fit the picture", &[(SHIFT, Key::F)]),
            ActualSize => ("Picture in its own size", &[(SHIFT, Key::Num1)]),
            ToggleHeat => ("Heat on the nodes", &[(NONE, Key::H)]),
            ShowGraph => ("Graph", &[(CTRL, Key::Num1)]),
            ShowView => ("View", &[(CTRL, Key::Num2)]),
            ShowInspector => ("Inspector", &[(CTRL, Key::Num3), (NONE, Key::P)]),
            ShowPlan => ("Plan", &[(CTRL, Key::Num5)]),
            ShowProblems => ("Problems", &[(CTRL, Key::Num6)]),
            ResetPanes => ("Panes as at first", &[]),
            Commands => ("Find a command…", &[(CTRL, Key::P), (NONE, Key::F3)]),
            DarkTheme => ("Dark theme", &[]),
            LightTheme => ("Light theme", &[]),
        }
    }

    /// The pane that it brings up, for those that do.
    pub fn pane(self) -> Option<Pane> {
        match self {
            ShowGraph => Some(Pane::Graph),
            ShowView => Some(Pane::View(0)),
            ShowInspector => Some(Pane::Inspector),
            ShowPlan => Some(Pane::Plan),
            ShowProblems => Some(Pane::Problems),
            _ => None,
        }
    }

    fn shortcuts(self) -> impl Iterator<Item = KeyboardShortcut> {
        self.entry().1.iter().map(|(modifiers, key)| KeyboardShortcut::new(*modifiers, *key))
    }

    /// The command whose shortcut was pressed. While a widget has the keyboard, only those with Ctrl count, and text has its
    /// own undo and selection.
    pub fn pressed(ctx: &egui::Context) -> Option<Command> {
        let (typing, text) = (ctx.egui_wants_keyboard_input(), ctx.text_edit_focused());
        let mut all: Vec<(Command, KeyboardShortcut)> =
            Command::all().flat_map(|command| command.shortcuts().map(move |keys| (command, keys))).collect();
        // Ctrl+Shift+Z is Ctrl+Z too, so the longer one is asked first.
        all.sort_by_key(|(_, keys)| !keys.modifiers.shift);
        let pressed = all.into_iter().find(|(command, keys)| {
            if text && matches!(command, Undo | Redo | SelectAll) {
                return false;
            }
            (!typing || keys.modifiers.command) && ctx.input_mut(|input| input.consume_shortcut(keys))
        });
        pressed.map(|(command, _)| command)
    }

    /// What to press; empty when there is nothing to press.
    pub fn shortcut_text(self, ctx: &egui::Context) -> String {
        self.shortcuts().next().map_or_else(String::new, |keys| ctx.format_shortcut(&keys))
    }

    /// An entry of a menu; whether it was chosen.
    pub fn menu_entry(self, ui: &mut Ui, enabled: bool) -> bool {
        let shortcut = RichText::new(self.shortcut_text(ui.ctx())).color(theme::of(ui).faint);
        let button = egui::Button::new(self.label()).shortcut_text(shortcut).min_size(egui::vec2(220.0, 0.0));
        ui.add_enabled(enabled, button).clicked()
    }

    /// A button with a drawing of its own; whether it was pressed.
    pub fn button(self, ui: &mut Ui, icon: &str, label: &str) -> bool {
        let hint = format!("{label}  ({})", self.shortcut_text(ui.ctx()));
        let response = ui.add(egui::Button::new(RichText::new(icon).size(14.0)).min_size(egui::vec2(30.0, 22.0)));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label));
        response.on_hover_text(hint).clicked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_share_a_shortcut() {
        let mut seen = std::collections::HashMap::new();
        for command in Command::all() {
            for keys in command.shortcuts() {
                let other = seen.insert(format!("{keys:?}"), command);
                assert_eq!(other, None, "{command:?}");
            }
        }
    }
}
