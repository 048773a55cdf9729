//! The curve pane: keys of the selected nodes over frames, with their tangents.
//!
//! It keeps no copy of the curves. Each pass reads them from the document, and a gesture writes them back as one undo step.

mod clip;
mod drag;
mod paint;
mod plot;
mod state;
#[cfg(test)]
mod tests;
mod tools;
mod track;

use eframe::egui::{self, Key, Modifiers, Rect, RichText, Sense, Ui, pos2, vec2};

use crate::commands::action::{Action, Actions};
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::toolkit::theme;
use plot::{Plot, Sight};
pub(crate) use state::CurvePane;
use state::Wish;
use track::{Kind, Spot, Track, samples, span, tracks};

/// Height of the bar above the plot, and width of the list of curves \[points\].
const BAR: f32 = 28.0;
const LIST: f32 = 170.0;
/// Below this width there is no list \[points\].
const NARROW: f32 = 420.0;

impl PaneContent for CurvePane {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.actions)
    }

    fn opened(&mut self) {
        *self = CurvePane { between: self.between, normalized: self.normalized, ..CurvePane::default() };
    }

    fn take_keys(&mut self, ctx: &egui::Context) {
        let mut wishes = Vec::new();
        ctx.input_mut(|input| {
            let keys = [
                (Key::Delete, Wish::Delete),
                (Key::Backspace, Wish::Delete),
                (Key::A, Wish::SelectAll),
                (Key::F, Wish::Fit),
                (Key::Home, Wish::Fit),
                (Key::Num1, Wish::Kind(Kind::Auto)),
                (Key::Num2, Wish::Kind(Kind::Linear)),
                (Key::Num3, Wish::Kind(Kind::Step)),
                (Key::Num4, Wish::Kind(Kind::Free)),
            ];
            for (key, wish) in keys {
                if input.consume_key(Modifiers::NONE, key) {
                    wishes.push(wish);
                }
            }
            if input.consume_key(Modifiers::COMMAND, Key::A) {
                wishes.push(Wish::SelectAll);
            }
            input.events.retain(|event| {
                let wish = match event {
                    egui::Event::Copy => Wish::Copy,
                    egui::Event::Cut => Wish::Cut,
                    egui::Event::Paste(text) if clip::is_clip(text) => Wish::Paste(text.clone()),
                    _ => return true,
                };
                wishes.push(wish);
                false
            });
        });
        self.wishes.append(&mut wishes);
    }
}

impl CurvePane {
    /// Draws the pane. An `Err` is a message for the user.
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let tracks = tracks(session);
        let key_at = |spot: &Spot| {
            let track = tracks.iter().find(|track| track.path() == spot.value)?;
            track.keys.keys.get(spot.key).filter(|key| spot.part < key.value.len())
        };
        self.chosen.retain(|spot| key_at(spot).is_some());
        let whole = ui.available_rect_before_wrap();
        ui.painter().rect_filled(whole, 0.0, theme::current(ui).panel);
        let bar = Rect::from_min_size(whole.min, vec2(whole.width(), BAR));
        let editable = session.editable();
        ui.scope_builder(egui::UiBuilder::new().max_rect(bar.shrink2(vec2(8.0, 2.0))), |ui| {
            ui.add_enabled_ui(editable, |ui| self.tools(ui, session, &tracks));
        });
        let list = if whole.width() < NARROW { 0.0 } else { LIST };
        let below = Rect::from_min_max(pos2(whole.left(), bar.bottom()), whole.max);
        if list > 0.0 && !tracks.is_empty() {
            let area = Rect::from_min_max(below.min, pos2(below.left() + list, below.bottom()));
            ui.scope_builder(egui::UiBuilder::new().max_rect(area.shrink2(vec2(8.0, 2.0))), |ui| {
                self.list(ui, &tracks);
            });
        }
        let area = Rect::from_min_max(pos2(below.left() + list, below.top()), below.max);
        if tracks.is_empty() {
            self.wishes.clear();
            hint(ui, below, session);
            return Ok(());
        }
        self.plot(ui, area, session, &tracks);
        actions.extend(self.dragged_frame.take().map(Action::GoToFrame));
        // A gesture may have changed them.
        let tracks = track::tracks(session);
        self.fulfil(ui.ctx(), session, &tracks)
    }

    /// Which components are shown, with their colours.
    fn list(&mut self, ui: &mut Ui, tracks: &[Track]) {
        let several = tracks.iter().any(|track| tracks.first().is_some_and(|first| first.node != track.node));
        egui::ScrollArea::vertical().id_salt("curves").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let mut index = 0;
            for track in tracks {
                for part in 0..track.keys.components() {
                    let place = (track.path(), part);
                    let mut on = !self.hidden.contains(&place);
                    let color = paint::color(index, theme::current(ui));
                    index += 1;
                    ui.horizontal(|ui| {
                        let (rect, _) = ui.allocate_exact_size(vec2(8.0, 16.0), Sense::hover());
                        let swatch = Rect::from_center_size(rect.center(), vec2(8.0, 8.0));
                        ui.painter().rect_filled(swatch, 2.0, if on { color } else { color.gamma_multiply(0.3) });
                        let label = track.label(part, several);
                        let text = RichText::new(&label).small();
                        let response = ui.add(egui::Checkbox::new(&mut on, text));
                        response.widget_info(|| {
                            egui::WidgetInfo::selected(egui::WidgetType::Checkbox, true, on, format!("curve {label}"))
                        });
                        let response = match &track.keys.expr {
                            Some(expr) => response.on_hover_text(format!("{}: the value is {expr}", track.path())),
                            None => response.on_hover_text(track.path()),
                        };
                        if response.changed() {
                            _ = if on { self.hidden.remove(&place) } else { self.hidden.insert(place) };
                        }
                    });
                }
            }
        });
    }

    /// The plot, and what is done in it.
    fn plot(&mut self, ui: &mut Ui, area: Rect, session: &mut Session, tracks: &[Track]) {
        let response = ui.interact(area, ui.id().with("plot"), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "curves"));
        if self.drag.is_none() {
            let spans = tracks.iter().flat_map(|track| {
                (0..track.keys.components()).map(move |part| ((track.path(), part), span(track, part)))
            });
            self.spans = spans.filter(|_| self.normalized).collect();
        }
        let sight = self.drag.as_ref().map(|drag| drag.sight).or(self.sight);
        let plot = Plot { rect: area, sight: sight.unwrap_or_else(|| self.all(tracks)) };
        self.zoom(ui, &response, &plot);
        let hover = response.hover_pos().and_then(|at| self.near(&plot, tracks, at));
        let changed = self.gesture(ui, &response, &plot, session, tracks);
        // A gesture has changed what is drawn.
        let fresh = if changed { track::tracks(session) } else { tracks.to_vec() };
        paint::plot(ui, &plot, self, &fresh, session.frame(), hover.as_ref());
        self.menu(&response);
    }

    /// A view of all keys that are shown.
    fn all(&self, tracks: &[Track]) -> Sight {
        let shown = tracks.iter().flat_map(|track| {
            let parts = (0..track.keys.components()).filter(|part| self.shows(track, *part));
            parts.map(move |part| (track, part))
        });
        Sight::around(shown.flat_map(|(track, part)| {
            let (low, range) = self.span(track, part);
            samples(track, part).map(move |(frame, value)| (frame, (value - low) / range))
        }))
    }
}

/// What to do where there are no keys.
fn hint(ui: &Ui, area: Rect, session: &Session) {
    let text = match session.selection.nodes.is_empty() {
        true => "No value on this level has keys. ◇ in a row of the inspector inserts one.",
        false => "No value of the selected nodes has keys. ◇ in a row of the inspector inserts one.",
    };
    let look = theme::current(ui);
    ui.painter().text(area.center(), egui::Align2::CENTER_CENTER, text, egui::FontId::proportional(13.0), look.faint);
}
