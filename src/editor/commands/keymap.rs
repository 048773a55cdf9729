//! The keys of commands in force: those of `command`, except where the user has chosen others.

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{self, Event, InputState, Key, KeyboardShortcut, Modifiers, gui_zoom};

use super::command::Command;
use crate::model::settings::SavedKeys;

/// Keys that egui handles itself: they change the scale of the interface.
const SCALE: [KeyboardShortcut; 4] = [
    gui_zoom::kb_shortcuts::ZOOM_IN,
    gui_zoom::kb_shortcuts::ZOOM_IN_SECONDARY,
    gui_zoom::kb_shortcuts::ZOOM_OUT,
    gui_zoom::kb_shortcuts::ZOOM_RESET,
];

/// Commands that a text field has itself, with its own keys.
const OF_TEXT: [Command; 8] = [
    Command::Undo,
    Command::Redo,
    Command::SelectAll,
    Command::Cut,
    Command::Copy,
    Command::Paste,
    Command::PasteWithInputs,
    Command::MaximizePane,
];

/// What the user has changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Keymap {
    changed: HashMap<Command, Vec<KeyboardShortcut>>,
}

impl Keymap {
    /// Reads the keymap of the settings. Commands and keys of other versions are ignored here, and stay in the file.
    pub(crate) fn read(saved: &SavedKeys) -> Keymap {
        let saved_commands = Command::all().filter_map(|command| Some((command, saved.get(&command.id())?)));
        let mut keymap = Keymap::default();
        for (command, texts) in saved_commands {
            let keys: Vec<KeyboardShortcut> = texts.iter().filter_map(|text| from_text(text)).collect();
            // A list that is empty on purpose means no keys.
            if !keys.is_empty() || texts.is_empty() {
                keymap.set(command, keys);
            }
        }
        keymap
    }

    /// Writes the keys of these commands into those of the settings.
    pub(crate) fn write(&self, commands: &[Command], saved: &mut SavedKeys) {
        for command in commands {
            match self.changed.get(command) {
                Some(keys) => drop(saved.insert(command.id(), keys.iter().map(to_text).collect())),
                None => drop(saved.remove(&command.id())),
            }
        }
    }

    /// The keymap of a window.
    pub(crate) fn installed(ctx: &egui::Context) -> Arc<Keymap> {
        ctx.data(|data| data.get_temp(place())).unwrap_or_default()
    }

    /// Makes it the keymap of a window. egui forgets it with all else that it remembers, so this is done in every frame.
    pub(crate) fn install(self: &Arc<Keymap>, ctx: &egui::Context) {
        ctx.data_mut(|data| data.insert_temp(place(), self.clone()));
    }

    pub(crate) fn keys(&self, command: Command) -> Vec<KeyboardShortcut> {
        self.changed.get(&command).cloned().unwrap_or_else(|| command.default_keys().collect())
    }

    /// Whether the keys of a command are not the default ones.
    pub(crate) fn is_changed(&self, command: Command) -> bool {
        self.changed.contains_key(&command)
    }

    pub(crate) fn set(&mut self, command: Command, keys: Vec<KeyboardShortcut>) {
        if keys == command.default_keys().collect::<Vec<_>>() {
            self.changed.remove(&command);
        } else {
            self.changed.insert(command, keys);
        }
    }

    /// Takes keys away from a command.
    pub(crate) fn remove(&mut self, command: Command, keys: &[KeyboardShortcut]) {
        let kept = self.keys(command).into_iter().filter(|shortcut| !keys.contains(shortcut)).collect();
        self.set(command, kept);
    }

    /// Another command that has one of these keys.
    pub(crate) fn other(&self, command: Command, keys: &[KeyboardShortcut]) -> Option<(Command, KeyboardShortcut)> {
        let others = Command::all().filter(|other| *other != command);
        let mut shared = others
            .filter_map(|other| Some((other, self.keys(other).into_iter().find(|shortcut| keys.contains(shortcut))?)));
        shared.next()
    }

    /// All commands with their keys, those with most modifiers first: Ctrl+Shift+Z also matches Ctrl+Z.
    fn by_modifiers(&self) -> Vec<(Command, KeyboardShortcut)> {
        let pairs = Command::all().flat_map(|command| self.keys(command).into_iter().map(move |keys| (command, keys)));
        let mut all: Vec<(Command, KeyboardShortcut)> = pairs.collect();
        all.sort_by_key(|(_, keys)| {
            std::cmp::Reverse(usize::from(keys.modifiers.shift) + usize::from(keys.modifiers.alt))
        });
        all
    }

    /// The command whose keys were pressed. While a widget has the keyboard or a menu is open, only those with Ctrl, F1 and F11 count, and
    /// text has its own undo, selection, clipboard and Ctrl+Space. `typed`: a widget had the keyboard in the frame before. Escape has taken it away by now, and is
    /// still for that widget.
    pub(crate) fn pressed(&self, ctx: &egui::Context, typed: bool) -> Option<Command> {
        let elsewhere = typed || ctx.egui_wants_keyboard_input() || egui::Popup::is_any_open(ctx);
        let text = ctx.text_edit_focused();
        let focused = ctx.memory(|memory| memory.focused());
        let number = focused.is_some() && focused == ctx.data(|data| data.get_temp(text_keys()));
        let counts = |command: Command, keys: &KeyboardShortcut| {
            let anywhere = matches!(command, Command::FullScreen | Command::NodeHelp) && is_function_key(keys);
            let kept = (text && is_of_text(command, keys)) || (number && is_of_number(keys));
            !kept && (!elsewhere || keys.modifiers.command || anywhere)
        };
        let all = self.by_modifiers();
        let pressed = all.into_iter().filter(|(command, keys)| counts(*command, keys));
        ctx.input_mut(|input| pressed.into_iter().find(|(_, keys)| consume(input, keys)).map(|(command, _)| command))
    }
}

fn place() -> egui::Id {
    egui::Id::new("keymap")
}

/// While this widget has the keyboard, keys that select all, copy and paste are for its number. It says so in every frame.
pub(crate) fn keep_text_keys(ctx: &egui::Context, widget: egui::Id) {
    ctx.data_mut(|data| data.insert_temp(text_keys(), widget));
}

fn text_keys() -> egui::Id {
    egui::Id::new("text keys")
}

/// Whether a number field keeps these keys from a command.
fn is_of_number(keys: &KeyboardShortcut) -> bool {
    let commands = [Command::SelectAll, Command::Copy, Command::Paste];
    commands.iter().any(|command| command.default_keys().any(|default| default == *keys))
}

/// Whether a text field keeps these keys from a command: it has the same command, or these are its own keys.
fn is_of_text(command: Command, keys: &KeyboardShortcut) -> bool {
    OF_TEXT.contains(&command) || OF_TEXT.iter().any(|of_text| of_text.default_keys().any(|default| default == *keys))
}

fn is_function_key(keys: &KeyboardShortcut) -> bool {
    let name = keys.logical_key.name();
    name.len() > 1 && name.strip_prefix('F').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether egui itself reacts to these keys, so that no command can have them.
pub(crate) fn scales_interface(keys: &KeyboardShortcut) -> bool {
    SCALE.iter().any(|scale| scale.logical_key == keys.logical_key && keys.modifiers.command && !keys.modifiers.alt)
}

/// The keys of an event, if it is a key press. The window system turns those of the clipboard into events of their own.
fn keys_of(event: &Event, held: Modifiers) -> Option<KeyboardShortcut> {
    let clipboard = |key| Some(KeyboardShortcut::new(plain(held) | Modifiers::COMMAND, key));
    match event {
        Event::Key { key, physical_key, pressed: true, modifiers, .. } => {
            // On many keyboards Shift makes another sign of a digit: Shift+1 is not Shift+!.
            let digit = physical_key.filter(|physical| modifiers.shift && is_digit(*physical) && is_sign(*key));
            Some(KeyboardShortcut::new(plain(*modifiers), digit.unwrap_or(*key)))
        }
        Event::Cut => clipboard(Key::X),
        Event::Copy => clipboard(Key::C),
        Event::Paste(_) => clipboard(Key::V),
        _ => None,
    }
}

fn is_digit(key: Key) -> bool {
    (Key::Num0..=Key::Num9).contains(&key)
}

fn is_sign(key: Key) -> bool {
    !is_digit(key) && key.symbol_or_name().chars().count() == 1 && !(Key::A..=Key::Z).contains(&key)
}

/// The modifiers as shortcuts have them: Ctrl, or ⌘ on macOS, is `command` alone.
fn plain(held: Modifiers) -> Modifiers {
    let Modifiers { alt, shift, command, ctrl, .. } = held;
    // Only on macOS the two differ.
    Modifiers { alt, shift, command, ctrl: ctrl && !command, mac_cmd: false }
}

/// Takes the press of these keys from the events of the frame. The text of the clipboard stays: the command reads it.
fn consume(input: &mut InputState, keys: &KeyboardShortcut) -> bool {
    let held = input.modifiers;
    let is = |event: &Event| {
        keys_of(event, held).is_some_and(|pressed| {
            pressed.logical_key == keys.logical_key && pressed.modifiers.matches_logically(keys.modifiers)
        })
    };
    let pressed = input.events.iter().any(is);
    input.events.retain(|event| !is(event) || matches!(event, Event::Paste(_)));
    pressed
}

/// Takes everything that was typed in this frame, so that nothing else reacts to it. Returns the first keys that a command can have.
pub(crate) fn record(input: &mut InputState) -> Option<KeyboardShortcut> {
    let held = input.modifiers;
    let pressed =
        input.events.iter().filter_map(|event| keys_of(event, held)).find(|keys| !is_modifier(keys.logical_key));
    let typed = |event: &Event| {
        matches!(event, Event::Key { .. } | Event::Text(_) | Event::Cut | Event::Copy | Event::Paste(_) | Event::Ime(_))
    };
    input.events.retain(|event| !typed(event));
    pressed
}

fn is_modifier(key: Key) -> bool {
    use Key::{AltLeft, AltRight, ControlLeft, ControlRight, ShiftLeft, ShiftRight, SuperLeft, SuperRight};
    matches!(key, ShiftLeft | ShiftRight | ControlLeft | ControlRight | AltLeft | AltRight | SuperLeft | SuperRight)
}

/// Keys as in the settings file, such as `Ctrl+Shift+Z`; the same on every system.
fn to_text(keys: &KeyboardShortcut) -> String {
    let Modifiers { alt, shift, command, ctrl, .. } = keys.modifiers;
    let names = [(command, "Ctrl"), (ctrl, "Control"), (shift, "Shift"), (alt, "Alt")];
    let held = names.iter().filter(|(held, _)| *held).map(|(_, name)| *name);
    held.chain([keys.logical_key.name()]).collect::<Vec<_>>().join("+")
}

/// The keys of such a text; `None` where one is not known.
fn from_text(text: &str) -> Option<KeyboardShortcut> {
    let mut modifiers = Modifiers::NONE;
    let (held, key) = text.rsplit_once('+').map_or(("", text), |(held, key)| (held, key));
    for name in held.split('+').map(str::trim).filter(|name| !name.is_empty()) {
        modifiers |= match name {
            "Ctrl" => Modifiers::COMMAND,
            "Control" => Modifiers::CTRL,
            "Shift" => Modifiers::SHIFT,
            "Alt" => Modifiers::ALT,
            _ => return None,
        };
    }
    Some(KeyboardShortcut::new(modifiers, Key::from_name(key.trim())?))
}

/// Keys as a person reads them on this system. Brackets are written as on the keyboard, since no key is labelled with their names.
pub(crate) fn shown(keys: &KeyboardShortcut, ctx: &egui::Context) -> String {
    with_brackets(keys, ctx.format_shortcut(keys))
}

/// Keys as the manual, which a test writes, has them.
#[cfg(test)]
pub(crate) fn in_manual(keys: &KeyboardShortcut) -> String {
    with_brackets(keys, keys.format(&egui::ModifierNames::NAMES, false))
}

fn with_brackets(keys: &KeyboardShortcut, text: String) -> String {
    match keys.logical_key {
        Key::OpenBracket | Key::CloseBracket => {
            text.replace(keys.logical_key.name(), keys.logical_key.symbol_or_name())
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::player;

    const CTRL: Modifiers = Modifiers::COMMAND;

    fn keys(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
        KeyboardShortcut::new(modifiers, key)
    }

    fn press(modifiers: Modifiers, key: Key, physical_key: Option<Key>) -> Event {
        Event::Key { key, physical_key, pressed: true, repeat: false, modifiers }
    }

    /// The command that these events of a frame stand for.
    fn pressed(keymap: &Keymap, modifiers: Modifiers, events: Vec<Event>) -> Option<Command> {
        let (ctx, mut result) = (egui::Context::default(), None);
        let input = egui::RawInput { events, modifiers, ..egui::RawInput::default() };
        let _ = ctx.run_ui(input, |ui| result = keymap.pressed(ui.ctx(), false));
        result
    }

    #[test]
    fn all_keys_are_read_back_from_their_text() {
        for key in Key::ALL {
            for modifiers in [Modifiers::NONE, CTRL, CTRL | Modifiers::SHIFT, Modifiers::ALT | Modifiers::CTRL] {
                let keys = keys(modifiers, *key);
                assert_eq!(from_text(&to_text(&keys)), Some(keys), "{}", to_text(&keys));
            }
        }
        assert_eq!(to_text(&keys(CTRL | Modifiers::SHIFT | Modifiers::ALT, Key::Z)), "Ctrl+Shift+Alt+Z");
        for broken in ["", "+", "Ctrl+", "Hyper+Z", "Ctrl+Zed"] {
            assert_eq!(from_text(broken), None, "{broken}");
        }
    }

    #[test]
    fn only_what_differs_is_saved_and_what_is_unknown_stays() {
        let mut saved = SavedKeys::from([
            ("of_the_future".into(), vec!["Ctrl+U".into()]),
            ("group".into(), vec!["Ctrl+Zed".into()]),
            ("undo".into(), vec!["Ctrl+U".into(), "Hyper+U".into()]),
            ("play".into(), Vec::new()),
        ]);
        let mut keymap = Keymap::read(&saved);
        assert_eq!(keymap.keys(Command::Group), [keys(CTRL, Key::G)], "no key of it is known, so it has the default");
        assert_eq!((keymap.keys(Command::Undo), keymap.keys(Command::Play)), (vec![keys(CTRL, Key::U)], vec![]));
        keymap.set(Command::Undo, vec![keys(CTRL, Key::Z)]);
        keymap.set(Command::Step, vec![keys(Modifiers::SHIFT, Key::ArrowRight)]);
        keymap.write(&[Command::Undo, Command::Step], &mut saved);
        let names: Vec<&str> = saved.keys().map(String::as_str).collect();
        assert_eq!(names, ["group", "of_the_future", "play", "step"], "undo has its default again");
        assert_eq!(saved["step"], ["Shift+Right"]);
        assert_eq!(Keymap::read(&saved).keys(Command::Step), keymap.keys(Command::Step));
    }

    #[test]
    fn keys_lead_to_the_command_that_has_them_now() {
        let mut keymap = Keymap::default();
        assert_eq!(pressed(&keymap, CTRL, vec![press(CTRL, Key::G, None)]), Some(Command::Group));
        let both = CTRL | Modifiers::SHIFT;
        assert_eq!(pressed(&keymap, both, vec![press(both, Key::Z, None)]), Some(Command::Redo));
        assert_eq!(keymap.other(Command::Play, &[keys(CTRL, Key::G)]), Some((Command::Group, keys(CTRL, Key::G))));
        keymap.remove(Command::Group, &[keys(CTRL, Key::G)]);
        keymap.set(Command::Play, vec![keys(CTRL, Key::G)]);
        assert_eq!(pressed(&keymap, CTRL, vec![press(CTRL, Key::G, None)]), Some(Command::Play));
        assert_eq!(pressed(&keymap, Modifiers::NONE, vec![press(Modifiers::NONE, Key::Space, None)]), None);
        assert_eq!(keymap.other(Command::Play, &[keys(CTRL, Key::G)]), None);
    }

    #[test]
    fn clipboard_events_count_as_their_keys() {
        let mut keymap = Keymap::default();
        assert_eq!(pressed(&keymap, CTRL, vec![Event::Copy]), Some(Command::Copy));
        assert_eq!(
            pressed(&keymap, Modifiers::SHIFT | CTRL, vec![Event::Paste("a".into())]),
            Some(Command::PasteWithInputs)
        );
        keymap.set(Command::Copy, Vec::new());
        keymap.set(Command::Play, vec![keys(CTRL, Key::C)]);
        assert_eq!(pressed(&keymap, CTRL, vec![Event::Copy]), Some(Command::Play));
    }

    #[test]
    fn a_digit_with_shift_is_that_digit_whatever_sign_it_makes() {
        let shift = Modifiers::SHIFT;
        let event = press(shift, Key::Exclamationmark, Some(Key::Num1));
        assert_eq!(keys_of(&event, shift), Some(keys(shift, Key::Num1)));
        assert_eq!(pressed(&Keymap::default(), shift, vec![event]), Some(Command::ActualSize));
        let event = press(shift, Key::Questionmark, Some(Key::Slash));
        assert_eq!(keys_of(&event, shift), Some(keys(shift, Key::Questionmark)));
    }

    #[test]
    fn recording_takes_all_that_is_typed_and_waits_for_a_key() {
        let mut input = InputState::default();
        input.events = vec![press(CTRL, Key::ControlLeft, None), Event::Text("g".into()), Event::PointerGone];
        assert_eq!(record(&mut input), None);
        assert_eq!(input.events, [Event::PointerGone]);
        input.events = vec![press(CTRL, Key::ControlLeft, None), press(CTRL | Modifiers::CTRL, Key::G, None)];
        assert_eq!(record(&mut input), Some(keys(CTRL, Key::G)));
        assert!(scales_interface(&keys(CTRL, Key::Plus)) && !scales_interface(&keys(CTRL, Key::G)));
    }

    /// The keys that the graph gets in a frame with these events, and the remaining shortcut.
    fn shared(ctx: &egui::Context, events: Vec<Event>, graph: bool) -> (u32, Option<Command>) {
        let mut result = (0, None);
        let input = egui::RawInput { events, ..egui::RawInput::default() };
        let _ = ctx.run_ui(input, |ui| {
            let bits = if graph { ui.ctx().input_mut(player::keys) } else { 0 };
            result = (bits, Keymap::default().pressed(ui.ctx(), false));
        });
        result
    }

    #[test]
    fn the_space_key_goes_to_the_graph_or_to_the_shortcut_but_never_to_both() {
        let (ctx, modifiers) = (egui::Context::default(), Modifiers::NONE);
        let space = |pressed| Event::Key { key: Key::Space, physical_key: None, pressed, repeat: false, modifiers };
        let play = Some(Command::Play);
        assert_eq!(shared(&ctx, vec![space(true)], true), (1, None));
        assert_eq!(shared(&ctx, vec![], true), (1, None), "the key is held");
        assert_eq!(shared(&ctx, vec![space(false)], true), (0, None));
        assert_eq!(shared(&ctx, vec![space(true), space(false)], true), (1, None), "a tap within a frame counts");
        assert_eq!(shared(&ctx, vec![space(true)], false), (0, play), "not over the image, it plays and pauses");
    }
}
