//! Adds curves of the viewed wire to the pane of plots.

use eframe::egui::{RichText, Ui};

use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::graph::expect::Statistic;
use crate::model::session::Session;
use crate::sim::wire_view::{Show, View};
use crate::stage::types::WireType;

/// The menu that plots a number, or a statistic of many values.
pub(super) fn button(ui: &mut Ui, session: &mut Session, view: &View, actions: &mut Actions) {
    let component = match view.show {
        Show::Component(index) => Some(u32::from(index)),
        _ => None,
    };
    let choices: &[(&str, Statistic)] = match session.carried(&view.wire) {
        None => &[("number of particles", Statistic::Value)],
        Some(WireType::Number(_)) => &[("value", Statistic::Value)],
        Some(_) => &Statistic::NAMED,
    };
    let mut chosen = None;
    let menu = ui.menu_button(RichText::new("Plot").small(), |ui| {
        for (name, statistic) in choices {
            if ui.button(*name).clicked() {
                chosen = Some(*statistic);
                ui.close();
            }
        }
    });
    let hint =
        "Plot this over frames. Ctrl+click on the image plots a cell or a particle, Shift+click follows a particle.";
    menu.response.on_hover_text(hint);
    if let Some(statistic) = chosen {
        let component = component.filter(|_| statistic != Statistic::Value && !statistic.counts());
        answer(session.plot(&view.wire, statistic, component), actions);
    }
}

/// Plots the components of a cell or a particle.
pub(super) fn element(session: &mut Session, view: &View, cell: Option<[u32; 3]>, index: u64, actions: &mut Actions) {
    let statistic = match cell {
        Some(cell) => Statistic::Cell(cell),
        None => Statistic::Particle(u32::try_from(index).unwrap_or(u32::MAX)),
    };
    answer(session.plot(&view.wire, statistic, None), actions);
}

fn answer(result: Result<(), String>, actions: &mut Actions) {
    actions.push(result.map_or_else(Action::Tell, |()| Action::Run(Command::ShowPlots)));
}
