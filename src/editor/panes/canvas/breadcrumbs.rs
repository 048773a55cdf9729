//! The bar above the canvas: the path of the open group, and the bookmarks.

use eframe::egui::{self, Align, Layout, RichText, Ui};

use super::state::Canvas;
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::model::session::Session;
use crate::toolkit::theme;

impl Canvas {
    /// Draws the bar. Without an open group and without bookmarks there is none.
    pub(super) fn breadcrumbs(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        if session.scope().is_root() && session.document().bookmarks.is_empty() {
            return;
        }
        let bar = egui::Panel::top("breadcrumbs").exact_size(theme::BAR_HEIGHT).frame(theme::bar(ui));
        let level = bar.show(ui, |ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                self.bookmark_bar(ui, session, actions);
                // A long path shows its end, which is where one is.
                let scroll = egui::ScrollArea::horizontal().auto_shrink(false).stick_to_right(true);
                let scroll = scroll.scroll_bar_visibility(egui::scroll_area::ScrollBarVisibility::AlwaysHidden);
                scroll
                    .show(ui, |ui| {
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| path(ui, session, actions)).inner
                    })
                    .inner
            })
            .inner
        });
        if let Some(depth) = level.inner {
            session.open_level(depth);
        }
    }
}

/// The path from the document to the open group, as links. Returns how many groups are to stay open.
fn path(ui: &mut Ui, session: &Session, actions: &mut Actions) -> Option<usize> {
    let look = theme::current(ui);
    let mut level = None;
    ui.spacing_mut().item_spacing.x = 4.0;
    let names = std::iter::once("graph").chain(session.scope().0.iter().map(String::as_str));
    let last = session.scope().0.len();
    for (depth, name) in names.enumerate() {
        if depth > 0 {
            ui.label(RichText::new("›").color(look.faint));
        }
        if depth == last {
            ui.label(RichText::new(name).strong());
        } else if ui.link(name).clicked() {
            level = Some(depth);
        }
    }
    if !session.editable() {
        ui.add_space(12.0);
        ui.label(RichText::new("Library group (read-only)").color(look.dim).small());
        let hint = "Copies the group into the graph so that you can edit it";
        if ui.small_button("Make local copy").on_hover_text(hint).clicked() {
            actions.push(Action::Run(Command::MakeLocalCopy));
        }
    }
    level
}
