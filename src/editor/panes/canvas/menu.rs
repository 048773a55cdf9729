//! Context menus of nodes, wires and comment frames.

use eframe::egui::{self, Key, Pos2, RichText, Ui, vec2};

use super::popups::{Menu, MenuTarget};
use super::state::Canvas;
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::document::{Color, Link};
use crate::edit;
use crate::model::session::{Selection, Session};
use crate::toolkit::command_button::menu_entry;
use crate::toolkit::menu_scroll::scrolled;
use crate::toolkit::theme;

/// Colours to give nodes and frames.
const COLORS: [Color; 8] = [
    Color([150, 64, 64]),
    Color([160, 112, 48]),
    Color([122, 112, 40]),
    Color([52, 112, 76]),
    Color([24, 106, 116]),
    Color([44, 98, 142]),
    Color([96, 76, 146]),
    Color([130, 70, 108]),
];

/// What was chosen.
enum Choice {
    Command(Command),
    Color(Option<Color>),
    See(Link),
    Dot,
    Cut,
}

impl Canvas {
    /// Opens the context menu of what is under the pointer, or the palette over the background.
    pub(super) fn open_menu(&mut self, ui: &Ui, session: &mut Session, at: Pos2) {
        let subject = if let Some(name) = self.node_at(at) {
            if !session.selection.contains(&name) {
                session.selection.nodes = std::iter::once(name.clone()).collect();
            }
            session.selection.frame = None;
            Some(MenuTarget::Nodes(name))
        } else if let Some(wire) = self.wire_at(at) {
            Some(MenuTarget::Wire(wire.from.clone(), wire.to.clone()))
        } else if let Some(index) = self.frame_at(session, at) {
            session.selection = Selection::of_frame(index);
            Some(MenuTarget::Frame)
        } else {
            None
        };
        match subject {
            Some(subject) => self.popups.menu = Some(Menu { at, subject }),
            None if session.editable() => self.open_palette(ui.ctx(), session, Some(at)),
            None => {}
        }
    }

    /// Shows the open menu and carries out what was chosen.
    pub(super) fn show_menu(&mut self, ui: &Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let Some(menu) = &self.popups.menu else { return Ok(()) };
        let mut choice = None;
        let area = egui::Area::new(egui::Id::new("canvas menu")).order(egui::Order::Foreground).fixed_pos(menu.at);
        let area = area.constrain(true).show(ui.ctx(), |ui| {
            egui::Frame::menu(ui.style()).show(ui, |ui| {
                ui.set_width(230.0);
                choice = scrolled(ui, |ui| match &menu.subject {
                    MenuTarget::Nodes(name) => nodes(ui, session, name),
                    MenuTarget::Wire(from, _) => wire(ui, session, from),
                    MenuTarget::Frame => frame(ui),
                });
            });
        });
        let escape = ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape));
        let outside = ui.input(|input| input.pointer.any_pressed()) && !area.response.contains_pointer();
        let Some(choice) = choice else {
            if escape || outside {
                self.popups.menu = None;
            }
            return Ok(());
        };
        let Some(menu) = self.popups.menu.take() else { return Ok(()) };
        self.chosen(session, menu, choice, actions)
    }

    fn chosen(
        &mut self,
        session: &mut Session,
        menu: Menu,
        choice: Choice,
        actions: &mut Actions,
    ) -> Result<(), String> {
        match (choice, menu.subject) {
            (Choice::Command(command), _) => actions.push(Action::Run(command)),
            (Choice::See(link), _) => actions.push(Action::ViewWire(link)),
            (Choice::Color(color), _) => self.set_color(session, color),
            (Choice::Dot, MenuTarget::Wire(from, to)) => {
                self.add_dot(session, menu.at, from, std::slice::from_ref(&to))?;
            }
            (Choice::Cut, MenuTarget::Wire(_, to)) => {
                let scope = session.scope().clone();
                session.edit("cut", |document| edit::disconnect(document, &scope, &to));
            }
            (Choice::Dot | Choice::Cut, _) => {}
        }
        Ok(())
    }

    /// Colours the selection.
    fn set_color(&self, session: &mut Session, color: Option<Color>) {
        let scope = session.scope().clone();
        let names = session.selection.nodes.clone();
        let frame = session.selection.frame;
        session.arrange("color", |document| {
            edit::set_color(document, &scope, &names, color);
            if let Some(frame) = frame {
                // The frame exists: it was clicked.
                let _ = edit::update_frame(document, &scope, frame, |frame| frame.color = color);
            }
        });
    }
}

fn entry(ui: &mut Ui, command: Command, enabled: bool) -> Option<Choice> {
    menu_entry(ui, command, enabled).then_some(Choice::Command(command))
}

fn nodes(ui: &mut Ui, session: &Session, name: &str) -> Option<Choice> {
    let editable = session.editable();
    let group = session.nodes().get(name).is_some_and(|node| edit::group_of(node, session.library()).is_some());
    let mut choice = entry(ui, Command::ViewOutput, true).or(entry(ui, Command::Bake, true));
    ui.separator();
    for command in [Command::Bypass, Command::Duplicate, Command::Copy, Command::Delete] {
        choice = choice.or(entry(ui, command, editable || command == Command::Copy));
    }
    ui.separator();
    for command in [Command::Rename, Command::ReplaceStage, Command::CompareStage, Command::MakeLocalCopy] {
        choice = choice.or(entry(ui, command, editable));
    }
    choice = choice.or(colors(ui, editable));
    ui.separator();
    for command in [Command::Group, Command::FrameNodes] {
        choice = choice.or(entry(ui, command, editable));
    }
    ui.separator();
    for command in [Command::RunToNode, Command::ToggleBreakpoint] {
        choice = choice.or(entry(ui, command, session.running_simulation().is_some()));
    }
    if group {
        ui.separator();
        choice = choice.or(entry(ui, Command::Enter, true)).or(entry(ui, Command::Ungroup, editable));
    }
    choice
}

fn wire(ui: &mut Ui, session: &Session, from: &Link) -> Option<Choice> {
    let editable = session.editable();
    let mut item =
        |text: &str, enabled| ui.add_enabled(enabled, egui::Button::new(text).min_size(vec2(220.0, 0.0))).clicked();
    let see = item("View wire", true);
    let dot = item("Add reroute", editable);
    let cut = item("Delete wire", editable);
    match (see, dot, cut) {
        (true, ..) => Some(Choice::See(from.clone())),
        (_, true, _) => Some(Choice::Dot),
        (.., true) => Some(Choice::Cut),
        _ => None,
    }
}

fn frame(ui: &mut Ui) -> Option<Choice> {
    let mut choice = None;
    for command in [Command::Rename, Command::Delete] {
        choice = choice.or(entry(ui, command, true));
    }
    choice.or(colors(ui, true))
}

/// A row of colours, and a button for the default colour.
fn colors(ui: &mut Ui, enabled: bool) -> Option<Choice> {
    let mut choice = None;
    ui.add_enabled_ui(enabled, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            ui.add_space(8.0);
            for color in COLORS {
                let button = egui::Button::new("").fill(theme::color(color)).min_size(vec2(18.0, 18.0));
                let response = ui.add(button);
                response.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("colour {color}"))
                });
                if response.clicked() {
                    choice = Some(Choice::Color(Some(color)));
                }
            }
            let none = egui::Button::new(RichText::new("✖").small()).min_size(vec2(18.0, 18.0));
            if ui.add(none).on_hover_text("Default colour").clicked() {
                choice = Some(Choice::Color(None));
            }
        });
    });
    choice
}
