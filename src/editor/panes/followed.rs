//! The particle that is followed, in the Debugger pane: its attributes by frame, which can be plotted and saved.

use eframe::egui::{self, RichText, Ui, WidgetInfo, WidgetType};

use super::view::ticks::number;
use super::view::widgets::choice;
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::model::session::{Following, Session};
use crate::toolkit::theme::Look;

/// Height of a row, and of the list \[points\].
const ROW: f32 = 16.0;
const LIST: f32 = 170.0;
/// Width of a component \[points\].
const COMPONENT: f32 = 76.0;

/// Draws it, if a particle is followed.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, look: &Look, actions: &mut Actions) {
    let now = session.frame();
    let Some(following) = session.following_mut() else { return };
    ui.add_space(4.0);
    let mut stops = false;
    ui.horizontal_wrapped(|ui| {
        let name = "Stop following";
        let stop = ui.small_button("✖");
        stop.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, name));
        stops = stop.on_hover_text(name).clicked();
        let text = format!("Followed: {} (frame {})", following.name(), following.picked_at());
        ui.label(RichText::new(text).color(look.dim));
        if following.is_busy() {
            ui.spinner();
        }
        if following.is_gone() {
            let last = following.points().last().map_or(0, |point| point.frame);
            ui.label(RichText::new(format!("removed after frame {last}")).color(look.faint));
        }
    });
    let names: Vec<String> = following
        .points()
        .last()
        .map(|point| point.values.iter().map(|(name, _)| name.clone()).collect())
        .unwrap_or_default();
    if !names.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new("Plot").small().color(look.faint));
            for name in &names {
                if choice(ui, following.is_plotted(name), name, "Plot this attribute over frames").clicked() {
                    following.plot(name);
                    if following.is_plotted(name) {
                        actions.push(Action::Run(Command::ShowPlots));
                    }
                }
            }
            if ui.small_button("Save as CSV…").on_hover_text("Save all attributes, one row for each frame").clicked()
            {
                actions.push(Action::SaveTable { name: "particle".into(), text: table(following) });
            }
        });
        list(ui, following, now, look, actions);
    }
    if stops {
        session.stop_following();
    }
}

/// One row for each frame, the last one at the top.
fn list(ui: &mut Ui, following: &Following, now: u64, look: &Look, actions: &mut Actions) {
    let points = following.points();
    let area = egui::ScrollArea::both().id_salt("followed").max_height(LIST).auto_shrink([false, true]);
    area.show_rows(ui, ROW, points.len() + 1, |ui, rows| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for row in rows {
            ui.horizontal(|ui| {
                ui.set_height(ROW);
                let Some(point) = row.checked_sub(1).and_then(|back| points.iter().rev().nth(back)) else {
                    cell(ui, COMPONENT, "frame", look.faint);
                    cell(ui, COMPONENT, "index", look.faint);
                    for (name, value) in points.last().iter().flat_map(|point| &point.values) {
                        cell(ui, COMPONENT * value.len() as f32, name, look.faint);
                    }
                    return;
                };
                let color = if point.frame == now { look.accent } else { look.text };
                let text = RichText::new(point.frame.to_string()).monospace().small().color(color);
                let link = ui.add_sized([COMPONENT, ROW], egui::Link::new(text));
                link.widget_info(|| {
                    WidgetInfo::labeled(WidgetType::Link, true, format!("followed in frame {}", point.frame))
                });
                if link.on_hover_text("Go to this frame").clicked() {
                    actions.push(Action::GoToFrame(point.frame));
                }
                cell(ui, COMPONENT, &point.index.to_string(), look.dim);
                for value in point.values.iter().flat_map(|(_, value)| value) {
                    cell(ui, COMPONENT, &number(*value), color);
                }
            });
        }
    });
}

fn cell(ui: &mut Ui, width: f32, text: &str, color: egui::Color32) {
    let text = RichText::new(text).monospace().small().color(color);
    ui.add_sized([width, ROW], egui::Label::new(text).truncate());
}

/// All of it as CSV.
fn table(following: &Following) -> String {
    let mut text = String::from("frame,time,index");
    let axes = |count: usize, part: usize| match (count, ["x", "y", "z", "w"].get(part)) {
        (1, _) => String::new(),
        (_, Some(axis)) => format!(".{axis}"),
        (_, None) => format!(".{part}"),
    };
    for (name, value) in following.points().first().iter().flat_map(|point| &point.values) {
        (0..value.len()).for_each(|part| text.push_str(&format!(",{name}{}", axes(value.len(), part))));
    }
    text.push('\n');
    for point in following.points() {
        text.push_str(&format!("{},{},{}", point.frame, point.time, point.index));
        point.values.iter().flat_map(|(_, value)| value).for_each(|value| text.push_str(&format!(",{value}")));
        text.push('\n');
    }
    text
}
