//! Renames nodes, comment frames and bookmarks on the canvas.

use eframe::egui::{self, Key, Rect, Ui};

use super::popups::{RenameTarget, Renaming};
use super::state::Canvas;
use crate::edit;
use crate::model::session::Session;

impl Canvas {
    /// Begins to edit the name of a node.
    pub(super) fn rename(&mut self, session: &Session, name: &str) {
        if session.nodes().contains_key(name) {
            self.popups.renaming =
                Some(Renaming { subject: RenameTarget::Node(name.into()), text: name.into(), fresh: true });
        }
    }

    /// Begins to edit the title of a frame.
    pub(super) fn rename_frame(&mut self, session: &Session, index: usize) {
        if let Some(frame) = session.frames().get(index) {
            self.popups.renaming =
                Some(Renaming { subject: RenameTarget::Frame(index), text: frame.title.clone(), fresh: true });
        }
    }

    /// Begins to edit the name of a bookmark, whose button is at this place.
    pub(super) fn rename_bookmark(&mut self, number: &str, name: &str, place: Rect) {
        let subject = RenameTarget::Bookmark(number.into(), place);
        self.popups.renaming = Some(Renaming { subject, text: name.into(), fresh: true });
    }

    /// Shows the field in place of the name. Enter accepts the text, Escape cancels.
    pub(super) fn show_renaming(&mut self, ui: &Ui, session: &mut Session) -> Result<(), String> {
        let Some(renaming) = &self.popups.renaming else { return Ok(()) };
        let place = match &renaming.subject {
            RenameTarget::Node(name) => self.drawn.ids.get(name).and_then(|id| self.paint.rects.get(id)).copied(),
            RenameTarget::Frame(index) => {
                Some(self.frame_rect(session, *index)).filter(|_| *index < session.frames().len())
            }
            RenameTarget::Bookmark(number, place) => {
                Some(*place).filter(|_| session.document().bookmarks.contains_key(number))
            }
        };
        let Some(renaming) = &mut self.popups.renaming else { return Ok(()) };
        let Some(place) = place else {
            self.popups.renaming = None;
            return Ok(());
        };
        let escape = ui.input(|input| input.key_pressed(Key::Escape));
        let area = egui::Area::new(egui::Id::new("rename")).order(egui::Order::Foreground).fixed_pos(place.min);
        let field = area.show(ui.ctx(), |ui| {
            let width = place.width().clamp(140.0, 320.0);
            let field = egui::TextEdit::singleline(&mut renaming.text).desired_width(width);
            let response = ui.add(field);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "New name"));
            response
        });
        let response = field.inner;
        if std::mem::take(&mut renaming.fresh) {
            response.request_focus();
            let mut state = egui::TextEdit::load_state(ui.ctx(), response.id).unwrap_or_default();
            let end = egui::text::CCursor::new(renaming.text.chars().count());
            state.cursor.set_char_range(Some(egui::text::CCursorRange::two(egui::text::CCursor::new(0), end)));
            state.store(ui.ctx(), response.id);
        }
        if !response.lost_focus() {
            return Ok(());
        }
        let Some(Renaming { subject, text, .. }) = self.popups.renaming.take().filter(|_| !escape) else {
            return Ok(());
        };
        let scope = session.scope().clone();
        match subject {
            RenameTarget::Node(name) => {
                let new = text.trim().to_string();
                let mut after = session.document().clone();
                edit::rename(&mut after, &scope, &name, &new)?;
                session.edit("rename", |document| *document = after);
                session.selection.nodes = std::iter::once(new).collect();
                Ok(())
            }
            RenameTarget::Bookmark(number, _) => {
                let mut result = Ok(());
                session.arrange("rename bookmark", |document| {
                    result = edit::rename_bookmark(document, &number, &text);
                });
                session.end_gesture();
                result.map_err(String::from)
            }
            RenameTarget::Frame(index) => {
                let mut result = Ok(());
                session.arrange("title", |document| {
                    result = edit::update_frame(document, &scope, index, |frame| frame.title = text);
                });
                result.map_err(String::from)
            }
        }
    }
}
