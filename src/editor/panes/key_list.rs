//! The keys of all commands, to search and to change: a section of the preferences.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, RichText, Ui, WidgetInfo, WidgetType, vec2};

use crate::commands::command::{Command, MENUS};
use crate::commands::keymap::{self, Keymap};
use crate::toolkit::theme;

/// Height of a row, and the width of each of the two buttons beside it \[points\].
const ROW: f32 = 22.0;
const BUTTON: f32 = 22.0;
/// Height of the list in a large window, and the least. What else is in the dialog takes `REST` \[points\].
const LARGEST: f32 = 380.0;
const LEAST: f32 = 60.0;
const REST: f32 = 220.0;
/// Height of the message below the list \[points\].
const MESSAGE: f32 = 46.0;

/// The row whose new keys are awaited.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    command: Command,
    /// The new keys are added to those that it has, not put in their place.
    add: bool,
}

/// Keys that are another command's, and what becomes of them if the answer is yes.
#[derive(Clone, Debug, PartialEq)]
struct Conflict {
    command: Command,
    /// All its keys then.
    keys: Vec<KeyboardShortcut>,
    shared: KeyboardShortcut,
    other: Command,
}

/// The state of the list.
#[derive(Debug, Default)]
pub(crate) struct KeyList {
    query: String,
    waiting: Option<Waiting>,
    conflict: Option<Conflict>,
    /// Why the last keys were not taken.
    refused: Option<String>,
}

/// Commands whose keys have changed, to be saved.
pub(crate) type Changed = Vec<Command>;

impl KeyList {
    /// Takes what was pressed in this frame while keys are awaited, before anything else reacts to it.
    pub(crate) fn record(&mut self, ctx: &egui::Context, keymap: &mut Keymap) -> Changed {
        let Some(Waiting { command, add }) = self.waiting else {
            self.answer_by_key(ctx);
            return Changed::new();
        };
        let Some(pressed) = ctx.input_mut(keymap::record) else { return Changed::new() };
        self.waiting = None;
        // Enter may have chosen the row by keyboard; it would hold on to the next keys.
        ctx.memory_mut(|memory| memory.focused().into_iter().for_each(|id| memory.surrender_focus(id)));
        let keys = match pressed.logical_key {
            Key::Escape if pressed.modifiers == Modifiers::NONE => return Changed::new(),
            Key::Delete | Key::Backspace if pressed.modifiers == Modifiers::NONE => Vec::new(),
            _ if keymap::scales_interface(&pressed) => {
                self.refused = Some(format!("{} always scales the interface.", keymap::shown(&pressed, ctx)));
                return Changed::new();
            }
            _ if add => {
                let mut keys = keymap.keys(command);
                keys.retain(|shortcut| *shortcut != pressed);
                keys.push(pressed);
                keys
            }
            _ => vec![pressed],
        };
        self.offer(keymap, command, keys)
    }

    /// Escape is *Cancel* of the question, and does not close the dialog.
    fn answer_by_key(&mut self, ctx: &egui::Context) {
        if self.conflict.is_some() && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            self.conflict = None;
        }
    }

    /// Gives keys to a command, or asks first if one of them is another command's.
    fn offer(&mut self, keymap: &mut Keymap, command: Command, keys: Vec<KeyboardShortcut>) -> Changed {
        if let Some((other, shared)) = keymap.other(command, &keys) {
            self.conflict = Some(Conflict { command, keys, shared, other });
            return Changed::new();
        }
        keymap.set(command, keys);
        vec![command]
    }

    /// Takes the keys of a question from all other commands that have them.
    fn take(keymap: &mut Keymap, conflict: &Conflict) -> Changed {
        let mut changed = vec![conflict.command];
        while let Some((other, _)) = keymap.other(conflict.command, &conflict.keys) {
            keymap.remove(other, &conflict.keys);
            changed.push(other);
        }
        keymap.set(conflict.command, conflict.keys.clone());
        changed
    }

    /// Ends what is under way, since the list is no longer shown.
    pub(crate) fn close(&mut self) {
        *self = KeyList::default();
    }

    pub(crate) fn show(&mut self, ui: &mut Ui, keymap: &mut Keymap) -> Changed {
        if ui.input(|input| input.pointer.any_pressed()) {
            // A press anywhere else ends the wait; one on a row begins the next.
            (self.waiting, self.refused) = (None, None);
        }
        let mut changed = self.head(ui, keymap);
        let height = (ui.ctx().content_rect().height() - REST).clamp(LEAST, LARGEST);
        let scroll = egui::ScrollArea::vertical().auto_shrink(false).max_height(height).min_scrolled_height(height);
        scroll.id_salt("keys").show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            changed.extend(self.rows(ui, keymap));
        });
        ui.add_space(4.0);
        ui.allocate_ui(vec2(ui.available_width(), MESSAGE), |ui| {
            ui.set_min_height(MESSAGE);
            changed.extend(self.message(ui, keymap));
        });
        changed
    }

    fn head(&mut self, ui: &mut Ui, keymap: &mut Keymap) -> Changed {
        let mut changed = Changed::new();
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let all: Changed = Command::all().filter(|command| keymap.is_changed(*command)).collect();
                let button = ui.add_enabled(!all.is_empty(), egui::Button::new("Reset all"));
                if button.on_hover_text("Give all commands their default keys").clicked() {
                    (*keymap, self.conflict, changed) = (Keymap::default(), None, all);
                }
                let hint = "Search commands or keys";
                let field = egui::TextEdit::singleline(&mut self.query).hint_text(hint);
                let response = ui.add(field.desired_width(f32::INFINITY));
                response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, hint));
            });
        });
        changed
    }

    fn rows(&mut self, ui: &mut Ui, keymap: &mut Keymap) -> Changed {
        let query = self.query.to_lowercase();
        let mut changed = Changed::new();
        let mut none = true;
        for (menu, commands) in MENUS {
            let mut titled = false;
            for command in *commands {
                let keys = command.all_shortcuts_text(ui.ctx());
                let text = format!("{menu} {} {keys}", command.label()).to_lowercase();
                if !query.split_whitespace().all(|word| text.contains(word)) {
                    continue;
                }
                if !std::mem::replace(&mut titled, true) {
                    ui.add_space(if none { 0.0 } else { 6.0 });
                    ui.label(RichText::new(*menu).small().strong().color(theme::current(ui).faint));
                }
                none = false;
                changed.extend(self.row(ui, keymap, *command, &keys));
            }
        }
        if none {
            ui.label(RichText::new("No matches").color(theme::current(ui).faint));
        }
        changed
    }

    fn row(&mut self, ui: &mut Ui, keymap: &mut Keymap, command: Command, keys: &str) -> Changed {
        let look = theme::current(ui);
        let waits = self.waiting.is_some_and(|waiting| waiting.command == command);
        let name = command.label().trim_end_matches('…');
        // A file that was edited by hand may give two commands the same keys; the first one in the menus has them then.
        let shared = keymap.other(command, &keymap.keys(command));
        let color = match shared {
            Some(_) => look.warning,
            None if keymap.is_changed(command) || waits => look.accent,
            None => look.dim,
        };
        let mut changed = Changed::new();
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let shown = if waits { "Press keys…" } else { keys };
            let width = (ui.available_width() - 2.0 * (BUTTON + 2.0)).max(0.0);
            let button = egui::Button::selectable(waits, name)
                .right_text(RichText::new(shown).color(color))
                .min_size(vec2(width, ROW));
            let mut row = ui.add_sized(vec2(width, ROW), button);
            row.widget_info(|| {
                WidgetInfo::selected(WidgetType::Button, true, waits, format!("keys of {name}: {shown}"))
            });
            if let Some((other, shared)) = shared {
                let text = format!("{} is also a key of {}", keymap::shown(&shared, ui.ctx()), other.label());
                row = row.on_hover_text(text);
            }
            if row.clicked() {
                self.wait(command, false);
            }
            if small_button(ui, "+", true, &format!("Add keys to {name}")) {
                self.wait(command, true);
            } else if small_button(ui, "↺", keymap.is_changed(command), &format!("Reset keys of {name}")) {
                changed = self.offer(keymap, command, command.default_keys().collect());
            }
        });
        changed
    }

    fn wait(&mut self, command: Command, add: bool) {
        (self.waiting, self.conflict, self.refused) = (Some(Waiting { command, add }), None, None);
    }

    /// What can be done now, or a question.
    fn message(&mut self, ui: &mut Ui, keymap: &mut Keymap) -> Changed {
        let look = theme::current(ui);
        let Some(conflict) = self.conflict.clone() else {
            let (text, color) = match (&self.refused, self.waiting) {
                (Some(refused), _) => (refused.as_str(), look.warning),
                (None, Some(_)) => {
                    ("Press the new keys. Escape cancels, Delete or Backspace removes the keys.", look.text)
                }
                (None, None) => ("Click a command, then press its new keys. + adds keys to those it has.", look.dim),
            };
            ui.add(egui::Label::new(RichText::new(text).small().color(color)).wrap());
            return Changed::new();
        };
        let (name, other) = (title(conflict.command), title(conflict.other));
        let keys = keymap::shown(&conflict.shared, ui.ctx());
        let text = format!("{keys} belongs to {other}. Use it for {name} instead?");
        ui.add(egui::Label::new(RichText::new(text).color(look.warning)).wrap());
        let mut changed = Changed::new();
        ui.horizontal(|ui| {
            if ui.button(format!("Take from {other}")).clicked() {
                changed = KeyList::take(keymap, &conflict);
                self.conflict = None;
            }
            let cancel = ui.button("Cancel");
            cancel.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("Cancel keys of {name}")));
            if cancel.clicked() {
                self.conflict = None;
            }
        });
        changed
    }
}

fn title(command: Command) -> &'static str {
    command.label().trim_end_matches('…')
}

/// A button that is there only while it has something to do; its place stays free.
fn small_button(ui: &mut Ui, icon: &str, enabled: bool, name: &str) -> bool {
    let button = egui::Button::new(RichText::new(icon).small()).frame(false).min_size(vec2(BUTTON, ROW));
    let response = ui.add_visible(enabled, button);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    response.on_hover_text(name).clicked()
}
