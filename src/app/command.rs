//! All commands: one list that feeds menus, buttons, shortcuts and the command palette.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, RichText, Ui};

use super::canvas::Align;
use super::panes::Pane;
use super::theme;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Command {
    New,
    Open,
    Save,
    SaveAs,
    Export,
    Quit,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    PasteWithInputs,
    Duplicate,
    Delete,
    SelectAll,
    Find,
    History,
    StoreA,
    StoreB,
    SwitchSnapshot,
    Preferences,
    Commands,
    NextProblem,
    PreviousProblem,
    AddNode,
    Bypass,
    Rename,
    Link,
    ReplaceStage,
    MakeLocalCopy,
    Group,
    Ungroup,
    Enter,
    Leave,
    FrameNodes,
    Before,
    After,
    Arrange,
    Align(Align),
    FrameAll,
    FrameSelection,
    Play,
    Step,
    Reset,
    Slower,
    Faster,
    StopLoading,
    CancelDriver,
    LowerResolution,
    LoadAgain,
    ViewOutput,
    Pin,
    FitImage,
    ActualSize,
    ToggleHeat,
    ToggleMinimap,
    ToggleThumbnails,
    ToggleHandles,
    ToggleRuler,
    ShowGraph,
    ShowView,
    ShowInspector,
    ShowCode,
    ShowPlan,
    ShowProblems,
    ShowVariations,
    ResetPanes,
    DarkTheme,
    LightTheme,
    MaximizePane,
    FullScreen,
    NodeHelp,
    GettingStarted,
    StageLanguage,
    Shortcuts,
    About,
}

use Command::*;

/// Menus in the order of the bar.
pub(super) const MENUS: &[(&str, &[Command])] = &[
    ("File", &[New, Open, Save, SaveAs, Export, Quit]),
    (
        "Edit",
        &[
            Undo,
            Redo,
            History,
            StoreA,
            StoreB,
            SwitchSnapshot,
            Cut,
            Copy,
            Paste,
            PasteWithInputs,
            Duplicate,
            Delete,
            SelectAll,
            Find,
            Commands,
            Preferences,
        ],
    ),
    (
        "Graph",
        &[
            AddNode,
            Link,
            Bypass,
            Rename,
            ReplaceStage,
            MakeLocalCopy,
            Group,
            Ungroup,
            Enter,
            Leave,
            FrameNodes,
            Before,
            After,
            Arrange,
            Command::Align(Align::Left),
            Command::Align(Align::Center),
            Command::Align(Align::Right),
            Command::Align(Align::Top),
            Command::Align(Align::Middle),
            Command::Align(Align::Bottom),
            Command::Align(Align::Columns),
            Command::Align(Align::Rows),
            NextProblem,
            PreviousProblem,
        ],
    ),
    ("Run", &[Play, Step, Reset, Slower, Faster, LowerResolution, StopLoading, CancelDriver, LoadAgain]),
    (
        "View",
        &[
            ViewOutput,
            Pin,
            FitImage,
            ActualSize,
            ToggleHandles,
            ToggleRuler,
            FrameAll,
            FrameSelection,
            ToggleThumbnails,
            ToggleHeat,
            ToggleMinimap,
        ],
    ),
    (
        "Window",
        &[
            ShowGraph,
            ShowView,
            ShowInspector,
            ShowCode,
            ShowPlan,
            ShowProblems,
            ShowVariations,
            MaximizePane,
            FullScreen,
            ResetPanes,
            DarkTheme,
            LightTheme,
        ],
    ),
    ("Help", &[NodeHelp, GettingStarted, StageLanguage, Shortcuts, About]),
];

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

impl Command {
    pub(super) fn all() -> impl Iterator<Item = Command> {
        MENUS.iter().flat_map(|(_, commands)| commands.iter().copied())
    }

    pub(super) fn label(self) -> &'static str {
        self.entry().0
    }

    /// Its name and its shortcuts; the first one is shown.
    fn entry(self) -> (&'static str, &'static [(Modifiers, Key)]) {
        match self {
            New => ("New…", &[(CTRL, Key::N)]),
            Export => ("Export image sequence…", &[(CTRL, Key::E)]),
            Open => ("Open…", &[(CTRL, Key::O)]),
            Save => ("Save", &[(CTRL, Key::S)]),
            SaveAs => ("Save as…", &[(CTRL_SHIFT, Key::S)]),
            Quit => ("Quit", &[(CTRL, Key::Q)]),
            Undo => ("Undo", &[(CTRL, Key::Z)]),
            Redo => ("Redo", &[(CTRL_SHIFT, Key::Z), (CTRL, Key::Y)]),
            Cut => ("Cut", &[(CTRL, Key::X)]),
            Copy => ("Copy", &[(CTRL, Key::C)]),
            Paste => ("Paste", &[(CTRL, Key::V)]),
            PasteWithInputs => ("Paste with inputs", &[(CTRL_SHIFT, Key::V)]),
            Duplicate => ("Duplicate", &[(CTRL, Key::D), (SHIFT, Key::D)]),
            Delete => ("Delete", &[(NONE, Key::Delete), (NONE, Key::Backspace), (NONE, Key::X)]),
            SelectAll => ("Select all", &[(CTRL, Key::A)]),
            Find => ("Find node or parameter…", &[(CTRL, Key::F)]),
            Commands => ("Find command…", &[(CTRL, Key::P), (NONE, Key::F3)]),
            NextProblem => ("Next problem", &[(NONE, Key::F8)]),
            PreviousProblem => ("Previous problem", &[(SHIFT, Key::F8)]),
            AddNode => ("Add node…", &[(NONE, Key::Tab), (SHIFT, Key::A)]),
            Bypass => ("Bypass", &[(NONE, Key::M), (NONE, Key::B)]),
            Rename => ("Rename", &[(NONE, Key::F2)]),
            Link => ("Connect selected nodes", &[(NONE, Key::W)]),
            ReplaceStage => ("Replace node…", &[(SHIFT, Key::S)]),
            MakeLocalCopy => ("Make local copy", &[(CTRL, Key::M)]),
            Group => ("Group", &[(CTRL, Key::G)]),
            Ungroup => ("Ungroup", &[(CTRL_SHIFT, Key::G)]),
            Enter => ("Open group", &[(NONE, Key::Enter)]),
            Leave => ("Go up one level", &[(NONE, Key::Escape), (NONE, Key::U)]),
            FrameNodes => ("Add comment frame", &[(CTRL, Key::J), (NONE, Key::C)]),
            Before => ("Select inputs", &[(ALT, Key::ArrowLeft)]),
            After => ("Select outputs", &[(ALT, Key::ArrowRight)]),
            Arrange => ("Auto-layout", &[(NONE, Key::L)]),
            Command::Align(align) => (aligned(align), &[]),
            FrameAll => ("Frame all", &[(NONE, Key::Home), (NONE, Key::A)]),
            FrameSelection => ("Frame selected", &[(NONE, Key::F)]),
            Play => ("Play/pause", &[(NONE, Key::Space)]),
            Step => ("Step one frame", &[(NONE, Key::ArrowRight)]),
            Reset => ("Reset simulation", &[(SHIFT, Key::Space)]),
            Slower => ("Slower", &[(NONE, Key::OpenBracket)]),
            Faster => ("Faster", &[(NONE, Key::CloseBracket)]),
            StopLoading => ("Stop loading", &[]),
            CancelDriver => ("Cancel shader compilation", &[]),
            LowerResolution => ("Lower resolution", &[]),
            LoadAgain => ("Reload files", &[]),
            ViewOutput => ("View output", &[(NONE, Key::D)]),
            Pin => ("Pin view", &[(NONE, Key::K)]),
            FitImage => ("Fit image", &[(SHIFT, Key::F)]),
            ActualSize => ("Actual size (100 %)", &[(SHIFT, Key::Num1)]),
            ToggleHeat => ("GPU time heat map", &[(NONE, Key::H)]),
            ToggleMinimap => ("Minimap", &[(NONE, Key::N)]),
            ToggleThumbnails => ("Node thumbnails", &[(NONE, Key::T)]),
            ToggleHandles => ("Handles", &[(SHIFT, Key::H)]),
            ToggleRuler => ("Ruler", &[(SHIFT, Key::R)]),
            ShowGraph => ("Graph", &[(CTRL, Key::Num1)]),
            ShowView => ("View", &[(CTRL, Key::Num2)]),
            ShowInspector => ("Inspector", &[(CTRL, Key::Num3), (NONE, Key::P)]),
            ShowCode => ("Code", &[(CTRL, Key::Num4)]),
            ShowPlan => ("Plan", &[(CTRL, Key::Num5)]),
            ShowProblems => ("Problems", &[(CTRL, Key::Num6)]),
            ShowVariations => ("Variations", &[(CTRL, Key::Num7)]),
            ResetPanes => ("Reset layout", &[]),
            DarkTheme => ("Dark theme", &[]),
            LightTheme => ("Light theme", &[]),
            History => ("History…", &[(ALT, Key::H)]),
            StoreA => ("Store snapshot A", &[(ALT, Key::A)]),
            StoreB => ("Store snapshot B", &[(ALT, Key::B)]),
            SwitchSnapshot => ("Switch A/B", &[(NONE, Key::Q)]),
            Preferences => ("Preferences…", &[(CTRL, Key::Comma)]),
            MaximizePane => ("Maximize pane", &[(CTRL, Key::Space)]),
            FullScreen => ("Full screen", &[(NONE, Key::F11)]),
            NodeHelp => ("Reference of selected node", &[(NONE, Key::F1)]),
            GettingStarted => ("Getting started", &[]),
            StageLanguage => ("Stage language", &[]),
            Shortcuts => ("Shortcuts", &[]),
            About => ("About Stagewright", &[]),
        }
    }

    /// The title of the submenu that it is in, if it is in one.
    pub(super) fn submenu(self) -> Option<&'static str> {
        matches!(self, Command::Align(_)).then_some("Align and distribute")
    }

    /// The pane that the command shows, if it shows one.
    pub(super) fn pane(self) -> Option<Pane> {
        match self {
            ShowGraph => Some(Pane::Graph),
            ShowView => Some(Pane::View(0)),
            ShowInspector => Some(Pane::Inspector),
            ShowCode => Some(Pane::Code),
            ShowPlan => Some(Pane::Plan),
            ShowProblems => Some(Pane::Problems),
            ShowVariations => Some(Pane::Variations),
            _ => None,
        }
    }

    /// A shortcut as text. Brackets are written as on the keyboard, since no key is labelled with their names.
    fn written(keys: &KeyboardShortcut, text: String) -> String {
        match keys.logical_key {
            Key::OpenBracket | Key::CloseBracket => {
                text.replace(keys.logical_key.name(), keys.logical_key.symbol_or_name())
            }
            _ => text,
        }
    }

    fn shortcuts(self) -> impl Iterator<Item = KeyboardShortcut> {
        self.entry().1.iter().map(|(modifiers, key)| KeyboardShortcut::new(*modifiers, *key))
    }

    /// The command whose shortcut was pressed. While a widget has the keyboard, only those with Ctrl, F1 and F11 count, and
    /// text has its own undo, selection, clipboard and Ctrl+Space. `typed`: one had it in the frame before. Escape has taken it away by now, and is
    /// still for that widget.
    pub(super) fn pressed(ctx: &egui::Context, typed: bool) -> Option<Command> {
        let (typing, text) = (typed || ctx.egui_wants_keyboard_input(), ctx.text_edit_focused());
        let own = |command: &Command| {
            matches!(command, Undo | Redo | SelectAll | Cut | Copy | Paste | PasteWithInputs | MaximizePane)
        };
        let anywhere = |command: &Command| matches!(command, FullScreen | NodeHelp);
        // The window system turns these three into events of its own.
        let clipboard = ctx.input(|input| {
            let with_inputs = input.modifiers.shift;
            input.events.iter().find_map(|event| match event {
                egui::Event::Cut => Some(Cut),
                egui::Event::Copy => Some(Copy),
                egui::Event::Paste(_) => Some(if with_inputs { PasteWithInputs } else { Paste }),
                _ => None,
            })
        });
        if let Some(command) = clipboard.filter(|_| !text) {
            return Some(command);
        }
        let mut all: Vec<(Command, KeyboardShortcut)> =
            Command::all().flat_map(|command| command.shortcuts().map(move |keys| (command, keys))).collect();
        // Ctrl+Shift+Z also matches Ctrl+Z, so the longer one is tested first.
        all.sort_by_key(|(_, keys)| !keys.modifiers.shift);
        let popup = egui::Popup::is_any_open(ctx);
        let pressed = all.into_iter().find(|(command, keys)| {
            // Escape closes a menu or a list before it leaves a group.
            if (text && own(command)) || (popup && keys.logical_key == Key::Escape) {
                return false;
            }
            (!typing || keys.modifiers.command || anywhere(command))
                && ctx.input_mut(|input| input.consume_shortcut(keys))
        });
        pressed.map(|(command, _)| command)
    }

    /// The first shortcut as text; empty if there is none.
    pub(super) fn shortcut_text(self, ctx: &egui::Context) -> String {
        self.shortcuts().next().map_or_else(String::new, |keys| Self::written(&keys, ctx.format_shortcut(&keys)))
    }

    /// All shortcuts as text.
    pub(super) fn all_shortcuts_text(self, ctx: &egui::Context) -> String {
        let all = self.shortcuts().map(|keys| Self::written(&keys, ctx.format_shortcut(&keys)));
        all.collect::<Vec<_>>().join(", ")
    }

    /// Draws a menu entry. Returns whether it was clicked.
    pub(super) fn menu_entry(self, ui: &mut Ui, enabled: bool) -> bool {
        let shortcut = RichText::new(self.shortcut_text(ui.ctx())).color(theme::of(ui).faint);
        let button = egui::Button::new(self.label()).shortcut_text(shortcut).min_size(egui::vec2(220.0, 0.0));
        ui.add_enabled(enabled, button).clicked()
    }

    /// Draws a button with an icon. Returns whether it was clicked.
    pub(super) fn button(self, ui: &mut Ui, icon: &str, label: &str) -> bool {
        let hint = match self.shortcut_text(ui.ctx()) {
            keys if keys.is_empty() => label.to_string(),
            keys => format!("{label}  ({keys})"),
        };
        let response = ui.add(egui::Button::new(RichText::new(icon).size(14.0)).min_size(egui::vec2(30.0, 22.0)));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label));
        response.on_hover_text(hint).clicked()
    }
}

fn aligned(align: Align) -> &'static str {
    match align {
        Align::Left => "Align left",
        Align::Center => "Align center",
        Align::Right => "Align right",
        Align::Top => "Align top",
        Align::Middle => "Align middle",
        Align::Bottom => "Align bottom",
        Align::Columns => "Distribute horizontally",
        Align::Rows => "Distribute vertically",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Markers around the manual's table.
    const FROM: &str = "<!-- commands: written by the test of src/app/command.rs -->\n";
    const TO: &str = "<!-- end of commands -->";

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

    fn table() -> String {
        let mut text = "\n| menu | command | keys |\n|---|---|---|\n".to_string();
        for (menu, commands) in MENUS {
            for command in *commands {
                let keys = command
                    .shortcuts()
                    .map(|keys| Command::written(&keys, keys.format(&egui::ModifierNames::NAMES, false)));
                let keys = keys.collect::<Vec<_>>().join(", ");
                text += &format!("| {menu} | {} | {keys} |\n", command.label().trim_end_matches('…'));
            }
        }
        text + "\n"
    }

    #[test]
    fn the_manual_lists_every_command_with_its_keys() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/editor.md");
        let manual = std::fs::read_to_string(path).unwrap();
        let (before, rest) = manual.split_once(FROM).expect("the manual has a place for the commands");
        let (listed, after) = rest.split_once(TO).expect("the place ends");
        if std::env::var_os("STAGEWRIGHT_BLESS").is_some() {
            std::fs::write(path, format!("{before}{FROM}{}{TO}{after}", table())).unwrap();
        } else {
            assert_eq!(listed, table(), "run the tests with STAGEWRIGHT_BLESS=1 to rewrite it");
        }
    }
}
