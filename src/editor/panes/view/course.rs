//! The view of a number: a plot of it over time, with other numbers, their values, and the whole as a table.

use eframe::egui::{self, Color32, RichText, Ui, vec2};

use super::plot::{self, Choices, Curve, Labels};
use super::ticks;
use super::widgets::choice;
use crate::commands::action::{Action, Actions};
use crate::edit;
use crate::model::session::Session;
use crate::sim::record::Record;
use crate::toolkit::theme;

/// Numbers over time: how they are shown.
#[derive(Default)]
pub(super) struct Course {
    /// Numbers shown beside that of the view.
    pub more: Vec<String>,
    choices: Choices,
    /// The axis shows seconds instead of frames.
    seconds: bool,
    /// Where the pointer is on the x axis.
    pointed: Option<f64>,
}

/// A number, or a component of a vector.
struct Series {
    wire: String,
    name: String,
    unit: String,
    color: Color32,
    /// Frame, time \[s\] and value.
    values: Vec<(u64, f64, f64)>,
    before: Vec<(u64, f64, f64)>,
}

/// The components of what was recorded under a title, each with its values.
pub(crate) fn components(record: &Record, wire: &str) -> Vec<Vec<(u64, f64, f64)>> {
    let mut all = Vec::new();
    for (frame, time, values) in record.position(wire).into_iter().flat_map(|place| record.values(place)) {
        if all.len() < values.len() {
            all.resize(values.len(), Vec::new());
        }
        all.iter_mut().zip(values).for_each(|(component, value)| component.push((frame, time, *value)));
    }
    all
}

impl Course {
    /// Another view of the same.
    pub(super) fn another(&self) -> Course {
        Course { more: self.more.clone(), choices: self.choices.clone(), seconds: self.seconds, pointed: None }
    }

    /// All of its numbers, the view's own first.
    fn wires<'a>(&'a self, view_wire: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::once(view_wire).chain(self.more.iter().map(String::as_str))
    }

    fn series(&self, ui: &Ui, session: &Session, view_wire: &str) -> Vec<Series> {
        let look = theme::current(ui);
        let mut all = Vec::new();
        for wire in self.wires(view_wire) {
            let (now, mut before) = (components(session.recorded(), wire), components(session.recorded_before(), wire));
            let unit = edit::signature::unit(session.document(), wire, session.library());
            let several = now.len().max(before.len()) > 1;
            before.resize(before.len().max(now.len()), Vec::new());
            let mut now = now.into_iter();
            for (index, before) in before.into_iter().enumerate() {
                let part = ["x", "y", "z", "w"].get(index).copied().unwrap_or_default();
                all.push(Series {
                    wire: wire.into(),
                    name: if several { format!("{wire}.{part}") } else { wire.into() },
                    unit: unit.clone(),
                    color: look.curve(all.len()),
                    values: now.next().unwrap_or_default(),
                    before,
                });
            }
        }
        all
    }

    /// Draws the plot.
    pub(super) fn show(&mut self, ui: &mut Ui, session: &Session, view_wire: &str) {
        let series = self.series(ui, session, view_wire);
        let seconds = self.seconds;
        let point = |(frame, time, value): &(u64, f64, f64)| (if seconds { *time } else { *frame as f64 }, *value);
        let faint = |values: &[(u64, f64, f64)], faint: bool, color: Color32| Curve {
            color: if faint { color.gamma_multiply(0.5) } else { color },
            faint,
            points: values.iter().map(point).collect(),
        };
        let curves: Vec<Curve> = series
            .iter()
            .flat_map(|one| [faint(&one.before, true, one.color), faint(&one.values, false, one.color)])
            .filter(|curve| !curve.points.is_empty())
            .collect();
        let longest = series.iter().map(|one| &one.values).max_by_key(|values| values.len());
        let mut units = series.iter().map(|one| one.unit.as_str());
        let unit = units.next().filter(|first| units.all(|unit| unit == *first)).unwrap_or_default();
        let labels = Labels {
            name: format!("History of {} frames", longest.map_or(0, Vec::len)),
            x: if seconds { "time [s]" } else { "frame" },
            y: unit,
            whole: !seconds,
            marks: longest.map(|values| marks(session, &series, values, seconds)).unwrap_or_default(),
            playhead: None,
        };
        self.pointed = plot::show(ui, &curves, &labels, &mut self.choices).pointed;
    }

    /// What is below the plot: choices, and the values of each number.
    pub(super) fn controls(&mut self, ui: &mut Ui, session: &mut Session, view_wire: &str, actions: &mut Actions) {
        let series = self.series(ui, session, view_wire);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            self.axes(ui, &series);
            ui.separator();
            self.add(ui, session, view_wire);
            ui.separator();
            self.table(ui, session, view_wire, actions);
            if ui.small_button("Clear").on_hover_text("Forget the recorded values").clicked() {
                let wires: Vec<String> = self.wires(view_wire).map(str::to_string).collect();
                wires.iter().for_each(|wire| session.forget_number(wire));
                self.choices.part = None;
            }
        });
        self.values(ui, &series);
    }

    fn axes(&mut self, ui: &mut Ui, series: &[Series]) {
        let curve = |one: &Series| {
            let points = one.values.iter().map(|(frame, _, value)| (*frame as f64, *value)).collect();
            Curve { color: one.color, faint: false, points }
        };
        let by_values = || plot::spans_decades(&series.iter().map(curve).collect::<Vec<_>>());
        let log = self.choices.log.unwrap_or_else(by_values);
        if choice(ui, log, "Log", "Logarithmic scale for values above zero").clicked() {
            self.choices.log = Some(!log);
        }
        if choice(ui, self.seconds, "Time", "Show seconds instead of frames").clicked() {
            self.seconds = !self.seconds;
            self.choices.part = None;
        }
    }

    /// A list of numbers to show in the same plot.
    fn add(&mut self, ui: &mut Ui, session: &Session, view_wire: &str) {
        let menu = ui.menu_button(RichText::new("Add number").small(), |ui| {
            egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                let mut others = session.numbers_of_level();
                others.retain(|wire| self.wires(view_wire).all(|shown| shown != wire));
                if others.is_empty() {
                    ui.label(RichText::new("This level has no other numbers").small());
                }
                for wire in others {
                    if ui.button(RichText::new(&wire).monospace()).clicked() {
                        self.more.push(wire);
                        ui.close();
                    }
                }
            });
        });
        menu.response.on_hover_text("Show another number in this plot");
    }

    fn table(&self, ui: &mut Ui, session: &Session, view_wire: &str, actions: &mut Actions) {
        let text = || {
            let record = session.recorded();
            record.columns_to_csv(&self.wires(view_wire).filter_map(|wire| record.position(wire)).collect::<Vec<_>>())
        };
        if ui.small_button("Copy").on_hover_text("Copy all recorded values as CSV").clicked() {
            ui.ctx().copy_text(text());
        }
        if ui.small_button("Save as CSV…").on_hover_text("Save all recorded values, one row for each frame").clicked()
        {
            actions.push(Action::SaveTable { name: view_wire.replace(['/', '.'], "_"), text: text() });
        }
    }

    /// The last value of each number, its extremes in the part on show, and the value at the pointer.
    fn values(&mut self, ui: &mut Ui, series: &[Series]) {
        let look = theme::current(ui);
        let place = |(frame, time, _): &(u64, f64, f64)| if self.seconds { *time } else { *frame as f64 };
        let near = |values: &[(u64, f64, f64)]| {
            let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, v)| (place(v), i as f64)).collect();
            plot::nearest(&points, self.pointed?).and_then(|(_, index)| values.get(index as usize).copied())
        };
        let part = self.choices.part.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let small = |text: &str| RichText::new(text).small().color(look.faint);
        let pointed = series.iter().find_map(|one| near(&one.values));
        let mut removed = None;
        egui::Grid::new("numbers").num_columns(6).spacing(vec2(14.0, 2.0)).show(ui, |ui| {
            let before = series.iter().any(|one| !one.before.is_empty());
            ui.label(small(if before { "faint: the run before" } else { "" }));
            ["last", "min", "max"].iter().for_each(|title| drop(ui.label(small(title))));
            ui.label(small(&match pointed {
                Some((frame, time, _)) => format!("frame {frame}, {} s", ticks::number(time)),
                None => "Point at the plot to read values".into(),
            }));
            ui.end_row();
            for one in series {
                let shown = one.values.iter().filter(|value| (part.0..=part.1).contains(&place(value)));
                let finite = shown.map(|value| value.2).filter(|value| value.is_finite());
                let (low, high) = finite.clone().fold((f64::NAN, f64::NAN), |(low, high), v| (v.min(low), v.max(high)));
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 4.0;
                    ui.label(RichText::new("●").small().color(one.color));
                    ui.label(RichText::new(&one.name).monospace());
                });
                let last = one.values.last().map(|value| value.2);
                for value in [last, Some(low).filter(|v| !v.is_nan()), Some(high).filter(|v| !v.is_nan())] {
                    ui.label(RichText::new(value.map_or("–".into(), ticks::number)).monospace());
                }
                let at = near(&one.values).map(|value| ticks::number(value.2)).unwrap_or_default();
                ui.label(RichText::new(at).monospace().color(look.text));
                ui.horizontal(|ui| {
                    ui.label(small(&one.unit));
                    if self.more.contains(&one.wire) {
                        let remove = ui.small_button("✖").on_hover_text("Remove from the plot");
                        let name = format!("remove {}", one.wire);
                        remove.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
                        removed = removed.take().or(remove.clicked().then(|| one.wire.clone()));
                    }
                });
                ui.end_row();
            }
        });
        if let Some(wire) = removed {
            self.more.retain(|other| *other != wire);
        }
    }
}

/// The reset that the record begins with, and changes of the graph since, on the x axis.
fn marks(session: &Session, series: &[Series], values: &[(u64, f64, f64)], seconds: bool) -> Vec<(f64, &'static str)> {
    let at = |frame: u64| {
        let found = values.binary_search_by_key(&frame, |(frame, ..)| *frame).ok()?;
        values.get(found).map(|(frame, time, _)| if seconds { *time } else { *frame as f64 })
    };
    let reset = series.iter().any(|one| !one.before.is_empty()).then(|| at(1)).flatten();
    let mut marks: Vec<(f64, &'static str)> = reset.into_iter().map(|at| (at, "reset")).collect();
    let changes: Vec<f64> = session.changes_of_graph().iter().filter_map(|frame| at(*frame)).collect();
    // A text for the first of changes that follow each other, such as those of a drag.
    let mut last = f64::NEG_INFINITY;
    for change in changes {
        marks.push((change, if change - last > if seconds { 0.5 } else { 30.0 } { "change" } else { "" }));
        last = change;
    }
    marks
}
