//! The pane of plots: numbers, statistics of wires, cells and particles over frames, with the playhead.
//!
//! The session measures what it shows, whether or not the pane is open; the pane keeps only how the curves are shown.

mod series;

use std::collections::BTreeSet;

use eframe::egui::{self, Color32, Rect, RichText, Ui, pos2, vec2};

use super::view::plot::{self, Choices, Labels};
use super::view::ticks;
use super::view::widgets::choice;
use crate::commands::action::{Action, Actions};
use crate::graph::expect::Statistic;
use crate::model::player::Player;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::toolkit::theme;
use series::Series;

/// Height of the bar above the plot, and least and greatest width of the list of curves \[points\].
const BAR: f32 = 30.0;
const LIST: (f32, f32) = (150.0, 330.0);
/// Height of the list of wires in the menu \[points\].
const WIRES: f32 = 320.0;

/// How the curves are shown.
pub(crate) struct PlotPane {
    choices: Choices,
    /// Curves that are not drawn, by name.
    hidden: BTreeSet<String>,
    /// What is plotted of the wire that is chosen from the menu.
    statistic: Statistic,
    /// The x axis shows seconds instead of frames.
    seconds: bool,
    /// Where the pointer is on the x axis.
    pointed: Option<f64>,
    /// The playhead is held, and whether playing goes on once it is let go.
    held: Option<bool>,
}

impl Default for PlotPane {
    fn default() -> PlotPane {
        let (choices, hidden) = (Choices::default(), BTreeSet::new());
        PlotPane { choices, hidden, statistic: Statistic::Max, seconds: false, pointed: None, held: None }
    }
}

impl PaneContent for PlotPane {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.player, around.actions)
    }

    fn opened(&mut self) {
        *self = PlotPane::default();
    }
}

impl PlotPane {
    /// Draws the pane. An `Err` is a message for the user.
    fn draw(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        player: &mut Player,
        actions: &mut Actions,
    ) -> Result<(), String> {
        let whole = ui.available_rect_before_wrap();
        ui.painter().rect_filled(whole, 0.0, theme::current(ui).panel);
        let series = series::plotted(session, theme::current(ui));
        let bar = Rect::from_min_size(whole.min, vec2(whole.width(), BAR));
        let result = ui
            .scope_builder(egui::UiBuilder::new().max_rect(bar.shrink2(vec2(8.0, 2.0))), |ui| {
                ui.horizontal_centered(|ui| self.tools(ui, session, &series, actions)).inner
            })
            .inner;
        let list = (0.4 * whole.width()).clamp(LIST.0, LIST.1);
        let below = Rect::from_min_max(pos2(whole.left(), bar.bottom()), whole.max);
        let (left, right) = below.split_left_right_at_x((below.right() - list).max(below.left()));
        if series.is_empty() {
            let text = "No curves. Add curve lists numbers and wires; Plot in the view of a wire adds one, too.";
            let font = egui::FontId::proportional(13.0);
            ui.painter().text(below.center(), egui::Align2::CENTER_CENTER, text, font, theme::current(ui).faint);
            return result;
        }
        ui.scope_builder(egui::UiBuilder::new().max_rect(left), |ui| self.plot(ui, session, player, &series));
        ui.scope_builder(egui::UiBuilder::new().max_rect(right.shrink2(vec2(8.0, 2.0))), |ui| {
            self.list(ui, session, &series);
        });
        result
    }

    /// The bar above the plot.
    fn tools(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        series: &[Series],
        actions: &mut Actions,
    ) -> Result<(), String> {
        ui.spacing_mut().item_spacing.x = 6.0;
        let result = self.add(ui, session);
        if series.is_empty() {
            return result;
        }
        ui.separator();
        let shown: Vec<_> = self.shown(series).map(|one| one.curve(&one.values, false, self.seconds)).collect();
        let log = self.choices.log.unwrap_or_else(|| plot::spans_decades(&shown));
        if choice(ui, log, "Log", "Logarithmic scale for values above zero").clicked() {
            (self.choices.log, self.choices.values) = (Some(!log), None);
        }
        if choice(ui, self.seconds, "Seconds", "Simulated time along the axis instead of frames").clicked() {
            (self.seconds, self.choices.part) = (!self.seconds, None);
        }
        ui.add_enabled_ui(self.choices.values.is_some(), |ui| {
            let hint = "Fit the value axis to the curves. The wheel beside the axis zooms it, a drag pans it";
            if ui.small_button("Fit").on_hover_text(hint).on_disabled_hover_text(hint).clicked() {
                self.choices.values = None;
            }
        });
        ui.add_enabled_ui(self.choices.part.is_some(), |ui| {
            if ui.small_button("Show all").on_hover_text("Show all frames, as a double-click does").clicked() {
                (self.choices.part, self.choices.values) = (None, None);
            }
        });
        ui.separator();
        if ui.small_button("Copy").on_hover_text("Copy all recorded values as CSV").clicked() {
            ui.ctx().copy_text(table(session));
        }
        if ui.small_button("Save as CSV…").on_hover_text("Save all recorded values, one row for each frame").clicked()
        {
            actions.push(Action::SaveTable { name: "plots".into(), text: table(session) });
        }
        if ui.small_button("Clear").on_hover_text("Forget the recorded values").clicked() {
            session.plotted().to_vec().iter().for_each(|curve| session.forget_number(&curve.title));
            self.choices.part = None;
        }
        result
    }

    /// The menu that adds curves.
    fn add(&mut self, ui: &mut Ui, session: &mut Session) -> Result<(), String> {
        let behavior = egui::PopupCloseBehavior::CloseOnClickOutside;
        let config = egui::containers::menu::MenuConfig::new().close_behavior(behavior);
        let mut chosen = None;
        let button = egui::containers::menu::MenuButton::new(RichText::new("Add curve").small()).config(config);
        let (response, _) = button.ui(ui, |ui| {
            let (numbers, many) = session.wires_to_plot();
            let small = |text: &str| RichText::new(text).small();
            egui::ScrollArea::vertical().max_height(WIRES).show(ui, |ui| {
                for wire in &numbers {
                    if ui.button(RichText::new(wire).monospace()).clicked() {
                        chosen = Some((wire.clone(), Statistic::Value));
                    }
                }
                if !many.is_empty() {
                    ui.label(small("Of all values of a wire:"));
                    ui.horizontal_wrapped(|ui| {
                        for (name, statistic) in Statistic::NAMED {
                            ui.selectable_value(&mut self.statistic, statistic, small(name));
                        }
                    });
                }
                for wire in &many {
                    if ui.button(RichText::new(wire).monospace()).clicked() {
                        chosen = Some((wire.clone(), self.statistic));
                    }
                }
                if numbers.is_empty() && many.is_empty() {
                    ui.label(small("This level computes nothing that can be plotted"));
                }
            });
        });
        response.on_hover_text("Plot a number, or a statistic of a wire, of the open level");
        chosen.map_or(Ok(()), |(wire, statistic)| session.plot(&wire, statistic, None))
    }

    fn shown<'a>(&'a self, series: &'a [Series]) -> impl Iterator<Item = &'a Series> {
        series.iter().filter(|one| !self.hidden.contains(&one.name))
    }

    /// The plot with its playhead.
    fn plot(&mut self, ui: &mut Ui, session: &Session, player: &mut Player, series: &[Series]) {
        let shown: Vec<&Series> = self.shown(series).collect();
        let seconds = self.seconds;
        let both = shown
            .iter()
            .flat_map(|one| [one.curve(&one.before, true, seconds), one.curve(&one.values, false, seconds)]);
        let curves: Vec<plot::Curve> = both.filter(|curve| !curve.points.is_empty()).collect();
        let frames = shown.iter().map(|one| one.values.len()).max().unwrap_or(0);
        let mut units = shown.iter().map(|one| one.unit.as_str());
        let unit = units.next().filter(|first| units.all(|unit| unit == *first)).unwrap_or_default().to_string();
        let now = player.target().unwrap_or(session.frame());
        let labels = Labels {
            name: format!("Curves over {frames} frames"),
            x: if seconds { "s" } else { "frame" },
            y: &unit,
            whole: !seconds,
            marks: Vec::new(),
            playhead: Some(if seconds { series::time(series, now, session.document().fps) } else { now as f64 }),
        };
        let answer = plot::show(ui, &curves, &labels, &mut self.choices);
        self.pointed = answer.pointed;
        let frame = |at: f64| match seconds {
            true => series::frame(series, at, session.document().fps),
            false => at.round().max(0.0) as u64,
        };
        if let Some(wanted) = answer.wanted.map(frame) {
            player.playing = false;
            if wanted != now {
                player.go_to(wanted);
            }
        }
        match (answer.held, self.held) {
            (true, None) => self.held = Some(player.playing),
            (false, Some(resumes)) => {
                self.held = None;
                player.playing |= resumes;
            }
            _ => {}
        }
    }

    /// The curves with their colours, and their values at the pointer or at the playhead.
    fn list(&mut self, ui: &mut Ui, session: &mut Session, series: &[Series]) {
        let look = theme::current(ui);
        let fps = session.document().fps;
        let pointed = self.pointed.map(|at| if self.seconds { series::frame(series, at, fps) as f64 } else { at });
        let at = pointed.unwrap_or(session.frame() as f64);
        let found: Vec<_> = series.iter().map(|one| one.near(at)).collect();
        let place = found.iter().flatten().next();
        let head = place
            .map_or("no values yet".into(), |(frame, time, _)| format!("frame {frame}, {} s", ticks::number(*time)));
        let mut removed = None;
        egui::ScrollArea::vertical().id_salt("curves").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(RichText::new(head).small().color(look.faint));
            for (one, found) in series.iter().zip(found) {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 4.0;
                    self.swatch(ui, one);
                    let value = found.map_or("–".into(), |(_, _, value)| ticks::number(value));
                    let value = match one.unit.as_str() {
                        "" => value,
                        unit => format!("{value} {unit}"),
                    };
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        let remove = ui.add(egui::Button::new(RichText::new("✖").small()).frame(false));
                        let name = format!("remove curve {}", one.name);
                        remove.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
                        if remove.on_hover_text("Remove the curve").clicked() {
                            removed = Some(one.title.clone());
                        }
                        ui.label(RichText::new(value).monospace().small().color(look.text));
                        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                            let name = RichText::new(&one.name).monospace().small();
                            ui.add(egui::Label::new(name).truncate()).on_hover_text(&one.name);
                        });
                    });
                });
            }
        });
        if let Some(title) = removed {
            session.stop_plotting(&title);
        }
    }

    /// A box in the colour of the curve that hides and shows it.
    fn swatch(&mut self, ui: &mut Ui, one: &Series) {
        let shown = !self.hidden.contains(&one.name);
        let color = if shown { one.color } else { Color32::TRANSPARENT };
        let swatch = egui::Button::new("").fill(color).stroke(egui::Stroke::new(1.0, one.color));
        let response = ui.add(swatch.min_size(vec2(12.0, 12.0)).corner_radius(2.0).small());
        let name = format!("curve {}", one.name);
        response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Checkbox, true, shown, &name));
        if response.on_hover_text(if shown { "Hide" } else { "Show" }).clicked() {
            _ = if shown { self.hidden.insert(one.name.clone()) } else { self.hidden.remove(&one.name) };
        }
    }
}

/// All recorded values of the curves.
fn table(session: &Session) -> String {
    let record = session.recorded();
    let columns = session.plotted().iter().filter_map(|curve| record.position(&curve.title));
    record.columns_to_csv(&columns.collect::<Vec<_>>())
}
