//! The curve pane: keys of the selected nodes over frames, with their tangents.
//!
//! It keeps no copy of the curves. Each pass reads them from the document, and a gesture writes them back as one undo step.

mod clip;
mod drag;
mod paint;
mod plot;
#[cfg(test)]
mod tests;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{self, Key, Modifiers, Rect, RichText, Sense, Ui, pos2, vec2};

use crate::commands::action::{Action, Actions};
use crate::curve::{Keyframes, Tangent};
use crate::model::declared::declared;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::stage::header::ParamType;
use crate::stage::types::Scalar;
use crate::toolkit::theme;
use drag::Drag;
use plot::{Plot, Sight};

/// Height of the bar above the plot, and width of the list of curves \[points\].
const BAR: f32 = 28.0;
const LIST: f32 = 170.0;
/// Below this width there is no list \[points\].
const NARROW: f32 = 420.0;

/// A value with keys.
#[derive(Clone, Debug, PartialEq)]
struct Track {
    node: String,
    param: String,
    keys: Keyframes,
    /// Values outside are errors.
    range: (Option<f64>, Option<f64>),
    /// Whether the value takes whole numbers.
    whole: bool,
}

/// One component of a key: a point of a curve. By the path of the value, and the index of the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    value: String,
    key: usize,
    part: usize,
}

/// What was asked for by a key, a button or the menu.
#[derive(Clone, Debug, PartialEq)]
enum Wish {
    Delete,
    SelectAll,
    Fit,
    Copy,
    Cut,
    Paste(String),
    Kind(Kind),
}

/// A tangent without its slopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Auto,
    Linear,
    Step,
    Free,
}

impl Kind {
    const ALL: [(Kind, &'static str, &'static str); 4] = [
        (Kind::Auto, "Auto", "Smooth, and never beyond the values of the neighbours"),
        (Kind::Linear, "Linear", "Straight lines to the neighbours"),
        (Kind::Step, "Step", "Keeps the value until the next key"),
        (Kind::Free, "Free", "Slopes set by hand: drag the handles of a selected key"),
    ];

    fn of(tangent: &Tangent) -> Kind {
        match tangent {
            Tangent::Auto => Kind::Auto,
            Tangent::Linear => Kind::Linear,
            Tangent::Step => Kind::Step,
            Tangent::Free(..) => Kind::Free,
        }
    }
}

/// What is in sight and selected.
#[derive(Default)]
pub(crate) struct CurvePane {
    /// Where the user has panned or zoomed; otherwise all keys are in sight.
    sight: Option<Sight>,
    chosen: BTreeSet<Spot>,
    drag: Option<Drag>,
    /// Components of values that are not shown.
    hidden: BTreeSet<(String, usize)>,
    /// Keys may be moved between frames.
    between: bool,
    wishes: Vec<Wish>,
    /// The frame that the playhead was dragged to.
    asked: Option<u64>,
    /// Each curve fills the height of the plot.
    normalized: bool,
    /// Minimum and range of each curve then, by value and component.
    spans: BTreeMap<(String, usize), (f64, f64)>,
}

impl Track {
    fn path(&self) -> String {
        format!("{}.{}", self.node, self.param)
    }

    /// The name of a component in the list.
    fn label(&self, part: usize, path: bool) -> String {
        let node = self.node.rsplit('/').next().unwrap_or(&self.node);
        let name = if path { format!("{node}.{}", self.param) } else { self.param.clone() };
        match (self.keys.components(), ["x", "y", "z", "w"].get(part)) {
            (2.., Some(axis)) => format!("{name} {axis}"),
            _ => name,
        }
    }

    /// The nearest value that the parameter takes.
    fn fit(&self, value: f64) -> f64 {
        let value = if self.whole { value.round() } else { value };
        let value = self.range.0.map_or(value, |low| value.max(low));
        self.range.1.map_or(value, |high| value.min(high))
    }
}

/// The values with keys of the selected nodes, or of the open level.
fn tracks(session: &Session) -> Vec<Track> {
    let declared = |node: &str, param: &str| {
        let name = node.rsplit('/').next().unwrap_or(node);
        let params = declared(session.nodes().get(name)?, session.library());
        params.into_iter().find(|declared| declared.name == param)
    };
    let tracks = session.keyed_values().into_iter().map(|(node, param, keys)| {
        let declared = declared(&node, &param);
        // With an expression the range is that of its result.
        let range = declared.as_ref().filter(|_| keys.expr.is_none()).map_or((None, None), |param| param.range);
        let whole = declared.is_some_and(|param| match param.ty {
            ParamType::Bool => true,
            ty => ty.value().scalar() != Scalar::F32,
        });
        Track { node, param, keys, range, whole }
    });
    tracks.collect()
}

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
        let known = |spot: &Spot| {
            let track = tracks.iter().find(|track| track.path() == spot.value)?;
            track.keys.keys.get(spot.key).filter(|key| spot.part < key.value.len())
        };
        self.chosen.retain(|spot| known(spot).is_some());
        let whole = ui.available_rect_before_wrap();
        ui.painter().rect_filled(whole, 0.0, theme::of(ui).panel);
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
        actions.extend(self.asked.take().map(Action::GoToFrame));
        // A gesture may have changed them.
        let tracks = self::tracks(session);
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
                    let color = paint::color(index, theme::of(ui));
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
        let fresh = if changed { self::tracks(session) } else { tracks.to_vec() };
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

    /// The value at the bottom, and the range up to the top, of a curve that fills the plot; 0 and 1 where values are as they are.
    fn span(&self, track: &Track, part: usize) -> (f64, f64) {
        self.spans.get(&(track.path(), part)).copied().unwrap_or((0.0, 1.0))
    }

    /// The height of a value in the plot.
    fn up(&self, track: &Track, part: usize, value: f64) -> f64 {
        let (low, range) = self.span(track, part);
        (value - low) / range
    }

    fn shows(&self, track: &Track, part: usize) -> bool {
        !self.hidden.contains(&(track.path(), part))
    }
}

/// Frames and values of a curve between its ends. It may go beyond its keys.
fn samples(track: &Track, part: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
    let keys = &track.keys.keys;
    let ends = (keys.first().map_or(0.0, |key| key.frame), keys.last().map_or(0.0, |key| key.frame));
    let between = (0..=64).map(move |step| ends.0 + (ends.1 - ends.0) * f64::from(step) / 64.0);
    let frames = keys.iter().map(|key| key.frame).chain(between);
    frames.map(move |frame| (frame, track.keys.component(part, frame)))
}

/// Minimum and range of a curve.
fn span(track: &Track, part: usize) -> (f64, f64) {
    let ends = |(low, high): (f64, f64), (_, value): (f64, f64)| (low.min(value), high.max(value));
    let (low, high) = samples(track, part).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if high > low { (low, high - low) } else { (low - 0.5, 1.0) }
}

/// What to do where there are no keys.
fn hint(ui: &Ui, area: Rect, session: &Session) {
    let text = match session.selection.nodes.is_empty() {
        true => "No value on this level has keys. ◇ in a row of the inspector inserts one.",
        false => "No value of the selected nodes has keys. ◇ in a row of the inspector inserts one.",
    };
    let look = theme::of(ui);
    ui.painter().text(area.center(), egui::Align2::CENTER_CENTER, text, egui::FontId::proportional(13.0), look.faint);
}
