//! Variants of the graph: the list at the foot of the window, and the dialogs that name them.

use eframe::egui::{self, Align2, Id, RichText, Ui};

use crate::commands::command::Command;
use crate::model::session::Session;
use crate::toolkit::{markup, notice, theme};

/// What the list calls the graph without a variant.
pub(crate) const DEFAULT: &str = "Default";
/// Width of the dialog \[points\].
const WIDTH: f32 = 320.0;

/// What a name is typed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// A variant to be added.
    Store,
    /// A variant to be renamed.
    Rename(String),
}

/// The dialog that asks for a name.
pub(crate) struct NameDialog {
    naming: Naming,
    text: String,
    /// Why the name could not be used.
    refused: String,
    fresh: bool,
}

impl NameDialog {
    pub(crate) fn new(naming: Naming) -> NameDialog {
        let text = match &naming {
            Naming::Store => String::new(),
            Naming::Rename(name) => name.clone(),
        };
        NameDialog { naming, text, refused: String::new(), fresh: true }
    }

    /// Draws it. Returns whether it is over.
    pub(crate) fn show(&mut self, ctx: &egui::Context, session: &mut Session) -> bool {
        let title = match &self.naming {
            Naming::Store => "Store as variant",
            Naming::Rename(_) => "Rename variant",
        };
        let mut open = true;
        let mut done = false;
        let mut cancelled = false;
        let window = egui::Window::new(title).id(Id::new("variant name")).open(&mut open).collapsible(false);
        let window = window.resizable(false).pivot(Align2::CENTER_CENTER).default_pos(ctx.content_rect().center());
        window.show(ctx, |ui| {
            ui.set_width(WIDTH);
            if self.naming == Naming::Store {
                ui.add(egui::Label::new(RichText::new(what_is_stored(session)).color(theme::current(ui).dim)).wrap());
            }
            let field = egui::TextEdit::singleline(&mut self.text).hint_text("Name").desired_width(f32::INFINITY);
            let response = ui.add(field);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "variant name"));
            if std::mem::take(&mut self.fresh) {
                response.request_focus();
            }
            done = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            cancelled = ui.input(|input| input.key_pressed(egui::Key::Escape));
            if !self.refused.is_empty() {
                ui.add(egui::Label::new(RichText::new(&self.refused).color(theme::current(ui).error)).wrap());
            }
            ui.horizontal(|ui| {
                done |= ui.button("OK").clicked();
                cancelled |= ui.button("Cancel").clicked();
            });
        });
        if cancelled || !open {
            return true;
        }
        if !done {
            return false;
        }
        let name = self.text.trim();
        let result = match &self.naming {
            Naming::Store => session.store_variant(name),
            Naming::Rename(old) => session.rename_variant(old, name),
        };
        self.refused = result.err().map(|sentence| markup::plain(&sentence)).unwrap_or_default();
        self.fresh = !self.refused.is_empty();
        !self.fresh
    }
}

/// What a new variant is made of, in one sentence.
fn what_is_stored(session: &Session) -> String {
    if let Some(chosen) = session.variant() {
        return format!("A copy of the variant {chosen}.");
    }
    match session.selection.nodes.is_empty() {
        true => "Everything that differs from the saved graph. The default returns to the saved graph there.".into(),
        false => "Everything that differs from the saved graph, and the values of the selected nodes.".into(),
    }
}

/// The list of variants, where the graph has some. Returns the command that was chosen.
pub(crate) fn chooser(ui: &mut Ui, session: &mut Session) -> Option<Command> {
    if session.document().variants.is_empty() {
        return None;
    }
    let (mut chosen_command, mut chosen) = (None, None);
    let current = session.variant().map(str::to_string);
    let text = current.clone().unwrap_or_else(|| DEFAULT.into());
    ui.label(RichText::new("Variant").color(theme::current(ui).faint).small());
    let button = ui.menu_button(RichText::new(format!("{text} ⏷")), |ui| {
        ui.set_min_width(150.0);
        if ui.selectable_label(current.is_none(), DEFAULT).clicked() {
            chosen = Some(None);
        }
        for (name, variant) in &session.document().variants {
            let label = ui.selectable_label(current.as_ref() == Some(name), name);
            let label = if variant.about.is_empty() { label } else { label.on_hover_text(&variant.about) };
            if label.clicked() {
                chosen = Some(Some(name.clone()));
            }
        }
        ui.separator();
        let others = session.document().variant_names().filter(|name| current.as_ref().is_some_and(|now| now != name));
        let others: Vec<&str> = others.filter(|name| !name.contains('+')).collect();
        if let Some(current) = current.as_ref().filter(|_| !others.is_empty()) {
            ui.menu_button("Together with", |ui| {
                for other in others {
                    if ui.button(other).on_hover_text("Both variants, as one of its own").clicked() {
                        chosen = Some(Some(format!("{current} + {other}")));
                    }
                }
            });
        }
        for command in [Command::StoreVariant, Command::RenameVariant, Command::RemoveVariant] {
            let enabled = command == Command::StoreVariant || current.is_some();
            if ui.add_enabled(enabled, egui::Button::new(command.label())).clicked() {
                chosen_command = Some(command);
            }
        }
        if chosen_command.is_some() || chosen.is_some() {
            ui.close();
        }
    });
    let name = format!("Variant: {text}");
    button.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, &name));
    if let Some(name) = chosen
        && let Err(sentence) = session.choose_variant(name.as_deref())
    {
        notice::tell(ui.ctx(), sentence);
    }
    chosen_command
}
