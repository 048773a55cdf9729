//! All commands: one list that feeds menus, buttons, shortcuts and the command palette.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers};

use super::keymap::{self, Keymap};
use crate::editor::model::alignment::Align;
use crate::editor::model::pane::Pane;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Command {
    New,
    Open,
    Save,
    SaveAs,
    SaveCheckpoint,
    Export,
    Bake,
    PlayBakes,
    RunLive,
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
    ChooseVariant,
    StoreVariant,
    RenameVariant,
    RemoveVariant,
    InsertKey,
    NextKey,
    PreviousKey,
    AutoKey,
    AddNode,
    Bypass,
    Rename,
    Link,
    ReplaceStage,
    CompareStage,
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
    /// By their numbers.
    SetBookmark(u8),
    GoToBookmark(u8),
    Play,
    Step,
    StepBack,
    FirstFrame,
    LastFrame,
    Loop,
    LoopStart,
    LoopEnd,
    RealTime,
    FromStart,
    KeepInput,
    SaveInput,
    CutInput,
    ClearInput,
    ClearCheckpoints,
    Reset,
    Slower,
    Faster,
    StopSeek,
    StopLoading,
    CancelDriver,
    LowerResolution,
    LoadAgain,
    StepDispatch,
    StepNode,
    StepIteration,
    DispatchBack,
    RunToNode,
    LeaveFrame,
    ToggleBreakpoint,
    FindFirstNan,
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
    ShowSweep,
    ShowCurves,
    ShowDebugger,
    ShowPlots,
    ShowCompare,
    ResetPanes,
    DarkTheme,
    LightTheme,
    MaximizePane,
    OwnWindow,
    FullScreen,
    NodeHelp,
    GettingStarted,
    StageLanguage,
    Shortcuts,
    About,
}

use Command::*;

/// The numbers of the bookmarks that commands set and go to.
pub(crate) const BOOKMARKS: std::ops::RangeInclusive<u8> = 1..=4;

/// Menus in the order of the bar.
pub(crate) const MENUS: &[(&str, &[Command])] = &[
    ("File", &[New, Open, Save, SaveAs, SaveCheckpoint, Export, Bake, Quit]),
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
            CompareStage,
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
            SetBookmark(1),
            SetBookmark(2),
            SetBookmark(3),
            SetBookmark(4),
            GoToBookmark(1),
            GoToBookmark(2),
            GoToBookmark(3),
            GoToBookmark(4),
            ChooseVariant,
            StoreVariant,
            RenameVariant,
            RemoveVariant,
            InsertKey,
            NextKey,
            PreviousKey,
            AutoKey,
            NextProblem,
            PreviousProblem,
        ],
    ),
    (
        "Run",
        &[
            Play,
            Step,
            StepBack,
            FirstFrame,
            LastFrame,
            Reset,
            PlayBakes,
            RunLive,
            Slower,
            Faster,
            RealTime,
            FromStart,
            Loop,
            LoopStart,
            LoopEnd,
            KeepInput,
            SaveInput,
            CutInput,
            ClearInput,
            ClearCheckpoints,
            LowerResolution,
            StopSeek,
            StopLoading,
            CancelDriver,
            LoadAgain,
        ],
    ),
    (
        "Debug",
        &[StepDispatch, StepNode, StepIteration, DispatchBack, RunToNode, LeaveFrame, ToggleBreakpoint, FindFirstNan],
    ),
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
            ShowSweep,
            ShowCurves,
            ShowDebugger,
            ShowPlots,
            ShowCompare,
            MaximizePane,
            OwnWindow,
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
    pub(crate) fn all() -> impl Iterator<Item = Command> {
        MENUS.iter().flat_map(|(_, commands)| commands.iter().copied())
    }

    pub(crate) fn label(self) -> &'static str {
        self.entry().0
    }

    /// Its name and its shortcuts; the first one is shown.
    fn entry(self) -> (&'static str, &'static [(Modifiers, Key)]) {
        match self {
            New => ("New…", &[(CTRL, Key::N)]),
            Export => ("Export…", &[(CTRL, Key::E)]),
            Bake => ("Bake…", &[]),
            PlayBakes => ("Play from cache", &[]),
            RunLive => ("Run live", &[]),
            Open => ("Open…", &[(CTRL, Key::O)]),
            Save => ("Save", &[(CTRL, Key::S)]),
            SaveCheckpoint => ("Save checkpoint…", &[]),
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
            ChooseVariant => ("Choose variant…", &[]),
            StoreVariant => ("Store as variant…", &[]),
            RenameVariant => ("Rename variant…", &[]),
            RemoveVariant => ("Delete variant", &[]),
            InsertKey => ("Insert or remove key", &[(SHIFT, Key::I)]),
            NextKey => ("Go to next key", &[(NONE, Key::Period)]),
            PreviousKey => ("Go to previous key", &[(NONE, Key::Comma)]),
            AutoKey => ("Auto-key", &[]),
            AddNode => ("Add node…", &[(NONE, Key::Tab), (SHIFT, Key::A)]),
            Bypass => ("Bypass", &[(NONE, Key::M), (NONE, Key::B)]),
            Rename => ("Rename", &[(NONE, Key::F2)]),
            Link => ("Connect selected nodes", &[(NONE, Key::W)]),
            ReplaceStage => ("Replace node…", &[(SHIFT, Key::S)]),
            CompareStage => ("Compare with…", &[]),
            MakeLocalCopy => ("Make local copy", &[(CTRL, Key::M)]),
            Group => ("Group", &[(CTRL, Key::G)]),
            Ungroup => ("Ungroup", &[(CTRL_SHIFT, Key::G)]),
            Enter => ("Open group", &[(NONE, Key::Enter)]),
            Leave => ("Go up one level", &[(NONE, Key::Escape), (NONE, Key::U)]),
            FrameNodes => ("Add comment frame", &[(CTRL, Key::J), (NONE, Key::C)]),
            Before => ("Select inputs", &[(ALT, Key::ArrowLeft)]),
            After => ("Select outputs", &[(ALT, Key::ArrowRight)]),
            Arrange => ("Auto-layout", &[(NONE, Key::L)]),
            Command::Align(align) => (align.label(), &[]),
            FrameAll => ("Frame all", &[(NONE, Key::Home), (NONE, Key::A)]),
            SetBookmark(1) => ("Set bookmark 1", &[(ALT, Key::Num1)]),
            SetBookmark(2) => ("Set bookmark 2", &[(ALT, Key::Num2)]),
            SetBookmark(3) => ("Set bookmark 3", &[(ALT, Key::Num3)]),
            SetBookmark(_) => ("Set bookmark 4", &[(ALT, Key::Num4)]),
            GoToBookmark(1) => ("Go to bookmark 1", &[(NONE, Key::Num1)]),
            GoToBookmark(2) => ("Go to bookmark 2", &[(NONE, Key::Num2)]),
            GoToBookmark(3) => ("Go to bookmark 3", &[(NONE, Key::Num3)]),
            GoToBookmark(_) => ("Go to bookmark 4", &[(NONE, Key::Num4)]),
            FrameSelection => ("Frame selected", &[(NONE, Key::F)]),
            Play => ("Play/pause", &[(NONE, Key::Space)]),
            Step => ("Step one frame", &[(NONE, Key::ArrowRight)]),
            StepBack => ("Step back one frame", &[(NONE, Key::ArrowLeft)]),
            FirstFrame => ("Go to first frame", &[(SHIFT, Key::ArrowLeft)]),
            LastFrame => ("Go to last frame", &[(SHIFT, Key::ArrowRight)]),
            Loop => ("Loop playback", &[]),
            LoopStart => ("Set loop start", &[(NONE, Key::I)]),
            LoopEnd => ("Set loop end", &[(NONE, Key::O)]),
            RealTime => ("Play in real time", &[]),
            FromStart => ("Changes apply from the start", &[]),
            KeepInput => ("Save input to graph", &[]),
            SaveInput => ("Save input as…", &[]),
            CutInput => ("Discard input after this frame", &[]),
            ClearInput => ("Discard all input", &[]),
            ClearCheckpoints => ("Free timeline memory", &[]),
            Reset => ("Reset simulation", &[(SHIFT, Key::Space)]),
            Slower => ("Slower", &[(NONE, Key::OpenBracket)]),
            Faster => ("Faster", &[(NONE, Key::CloseBracket)]),
            StopSeek => ("Stop going to the frame", &[]),
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
            ShowSweep => ("Sweep", &[]),
            ShowCurves => ("Curves", &[(CTRL, Key::Num8)]),
            ShowDebugger => ("Debugger", &[]),
            ShowPlots => ("Plots", &[(CTRL, Key::Num9)]),
            ShowCompare => ("Compare", &[(SHIFT, Key::C)]),
            ResetPanes => ("Reset layout", &[]),
            DarkTheme => ("Dark theme", &[]),
            LightTheme => ("Light theme", &[]),
            StepDispatch => ("Step one dispatch", &[(NONE, Key::F6)]),
            StepNode => ("Step one node", &[(NONE, Key::F10)]),
            StepIteration => ("Step one iteration", &[(NONE, Key::F7)]),
            DispatchBack => ("Step back one dispatch", &[(SHIFT, Key::F6)]),
            RunToNode => ("Run to selected node", &[(CTRL, Key::F10)]),
            LeaveFrame => ("Leave frame", &[(SHIFT, Key::F5)]),
            ToggleBreakpoint => ("Toggle breakpoint", &[(NONE, Key::F9)]),
            FindFirstNan => ("Find first NaN", &[]),
            History => ("History…", &[(ALT, Key::H)]),
            StoreA => ("Store snapshot A", &[(ALT, Key::A)]),
            StoreB => ("Store snapshot B", &[(ALT, Key::B)]),
            SwitchSnapshot => ("Switch A/B", &[(NONE, Key::Q)]),
            Preferences => ("Preferences…", &[(CTRL, Key::Comma)]),
            MaximizePane => ("Maximize pane", &[(CTRL, Key::Space)]),
            OwnWindow => ("View in own window", &[(SHIFT, Key::F11)]),
            FullScreen => ("Full screen", &[(NONE, Key::F11)]),
            NodeHelp => ("Reference of selected node", &[(NONE, Key::F1)]),
            GettingStarted => ("Getting started", &[]),
            StageLanguage => ("Stage language", &[]),
            Shortcuts => ("Shortcuts", &[]),
            About => ("About Stagewright", &[]),
        }
    }

    /// The title of the submenu that it is in, if it is in one.
    pub(crate) fn submenu(self) -> Option<&'static str> {
        match self {
            Command::Align(_) => Some("Align and distribute"),
            SetBookmark(_) | GoToBookmark(_) => Some("Bookmarks"),
            ChooseVariant | StoreVariant | RenameVariant | RemoveVariant => Some("Variants"),
            InsertKey | NextKey | PreviousKey | AutoKey => Some("Keys"),
            Loop | LoopStart | LoopEnd => Some("Loop"),
            KeepInput | SaveInput | CutInput | ClearInput => Some("Recorded input"),
            _ => None,
        }
    }

    /// Whether it opens something in the main window that is typed into or answered.
    pub(crate) fn opens_something(self) -> bool {
        let asks = matches!(
            self,
            New | Open
                | SaveAs
                | SaveCheckpoint
                | SaveInput
                | Export
                | Bake
                | Quit
                | Find
                | Commands
                | AddNode
                | Rename
                | ReplaceStage
                | CompareStage
                | History
                | About
        );
        asks || self.pane().is_some()
            || matches!(self, Preferences | NodeHelp | GettingStarted | StageLanguage | Shortcuts)
    }

    /// The pane that the command shows, if it shows one.
    pub(crate) fn pane(self) -> Option<Pane> {
        match self {
            ShowGraph => Some(Pane::Graph),
            ShowView => Some(Pane::View(0)),
            ShowInspector => Some(Pane::Inspector),
            ShowCode => Some(Pane::Code),
            ShowPlan => Some(Pane::Plan),
            ShowProblems => Some(Pane::Problems),
            ShowVariations => Some(Pane::Variations),
            ShowSweep => Some(Pane::Sweep),
            ShowCurves => Some(Pane::Curves),
            ShowDebugger => Some(Pane::Debugger),
            ShowPlots => Some(Pane::Plots),
            ShowCompare => Some(Pane::Compare),
            _ => None,
        }
    }

    /// Its name in the settings file. The user's keys are saved by it, so the name of a variant stays as it is.
    pub(crate) fn id(self) -> String {
        let mut id = String::new();
        for letter in format!("{self:?}").chars().filter(|letter| *letter != ')') {
            let begins = letter.is_uppercase() && !id.is_empty() && !id.ends_with('_');
            id.extend(begins.then_some('_'));
            id.push(if letter == '(' { '_' } else { letter.to_ascii_lowercase() });
        }
        id
    }

    /// The keys that it has unless the user chooses others.
    pub(crate) fn default_keys(self) -> impl Iterator<Item = KeyboardShortcut> {
        self.entry().1.iter().map(|(modifiers, key)| KeyboardShortcut::new(*modifiers, *key))
    }

    /// The first of its keys as text; empty if it has none.
    pub(crate) fn shortcut_text(self, ctx: &egui::Context) -> String {
        Keymap::of(ctx).keys(self).first().map_or_else(String::new, |keys| keymap::shown(keys, ctx))
    }

    /// All its keys as text.
    pub(crate) fn all_shortcuts_text(self, ctx: &egui::Context) -> String {
        let all = Keymap::of(ctx).keys(self);
        all.iter().map(|keys| keymap::shown(keys, ctx)).collect::<Vec<_>>().join(", ")
    }

    /// A tooltip, with its keys behind it.
    pub(crate) fn hint(self, ctx: &egui::Context, text: &str) -> String {
        match self.shortcut_text(ctx) {
            keys if keys.is_empty() => text.to_string(),
            keys => format!("{text}  ({keys})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Markers around the manual's table.
    const FROM: &str = "<!-- commands: written by the test of src/editor/commands/command.rs -->\n";
    const TO: &str = "<!-- end of commands -->";

    #[test]
    fn no_two_commands_share_a_shortcut() {
        let mut seen = std::collections::HashMap::new();
        for command in Command::all() {
            for keys in command.default_keys() {
                let other = seen.insert(format!("{keys:?}"), command);
                assert_eq!(other, None, "{command:?}");
            }
        }
    }

    #[test]
    fn ids_in_settings_files_stay_as_they_are() {
        let ids: Vec<String> = Command::all().map(Command::id).collect();
        let one = |command: Command| command.id();
        assert_eq!(
            [one(Play), one(MakeLocalCopy), one(Command::Align(Align::Left))],
            ["play", "make_local_copy", "align_left"]
        );
        let unique: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        insta::assert_snapshot!(ids.join(" "));
    }

    fn table() -> String {
        let mut text = "\n| menu | command | keys |\n|---|---|---|\n".to_string();
        for (menu, commands) in MENUS {
            for command in *commands {
                let keys = command.default_keys().map(|keys| keymap::in_manual(&keys));
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
