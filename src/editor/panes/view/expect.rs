//! Creates an expectation of the viewed wire from its current value.

use eframe::egui::{RichText, Ui};

use crate::commands::action::{Action, Actions};
use crate::document::Expect;
use crate::edit;
use crate::graph::expect::{ExpectSubject, Statistic, rounded};
use crate::model::session::Session;
use crate::sim::Simulation;
use crate::sim::expect::found_now;
use crate::sim::wire_view::{Show, View};
use crate::stage::types::WireType;

/// Relative tolerance of later results.
const MARGIN: f64 = 0.05;
/// Frames over which a value is expected to stay the same.
const LONGER: u64 = 60;

/// What can be expected of a wire.
#[derive(Clone, Copy, PartialEq)]
enum Choice {
    Value,
    Mean,
    Range,
    Finite,
    Sum,
    Count,
}

impl Choice {
    fn label(self) -> &'static str {
        match self {
            Choice::Value => "This value, ± 5 %",
            Choice::Mean => "This mean, ± 5 %",
            Choice::Range => "Values between min and max, 5 % margin",
            Choice::Finite => "No NaN",
            Choice::Sum => "Sum unchanged for 60 frames",
            Choice::Count => "This number of particles",
        }
    }
}

/// The menu that adds an expectation for the current frame.
pub(super) fn button(ui: &mut Ui, session: &mut Session, view: &View, actions: &mut Actions) {
    let ty = session.carried(&view.wire);
    let choices: &[Choice] = match ty {
        None => &[Choice::Count],
        Some(WireType::Number(_)) => &[Choice::Value, Choice::Finite],
        Some(_) => &[Choice::Range, Choice::Mean, Choice::Sum, Choice::Finite],
    };
    let frame = session.running_simulation().map_or(0, Simulation::frame);
    let mut chosen = None;
    let hint = "Add an expectation for this frame. The inspector lists them when nothing is selected.";
    ui.add_enabled_ui(frame > 0, |ui| {
        let menu = ui.menu_button(RichText::new("Expect").small(), |ui| {
            for choice in choices {
                if ui.button(choice.label()).clicked() {
                    chosen = Some(*choice);
                    ui.close();
                }
            }
        });
        menu.response.on_hover_text(hint).on_disabled_hover_text("Play at least one frame first");
    });
    let Some(choice) = chosen else { return };
    let made = match session.running_simulation() {
        Some(simulation) => expectations(simulation, view, ty, choice),
        None => Err("nothing runs yet".into()),
    };
    actions.push(Action::Tell(match made {
        Ok(made) => {
            let count = made.len();
            session.edit_expectations(|document| {
                made.into_iter().for_each(|expect| edit::add_expectation(document, expect));
            });
            let what = if count == 1 { "Expectation" } else { "Expectations" };
            format!("{what} added for frame {frame}. The inspector lists them when nothing is selected.")
        }
        Err(cause) => format!("Cannot add an expectation: {cause}"),
    }));
}

fn expectations(
    simulation: &Simulation,
    view: &View,
    ty: Option<WireType>,
    choice: Choice,
) -> Result<Vec<Expect>, String> {
    let (wire, frame) = (view.wire.as_str(), simulation.frame());
    let subject = match (ty, wire.rsplit_once('.')) {
        (None, _) => ExpectSubject::Attribute(wire.into(), "count".into()),
        (Some(WireType::Attribute(_)), Some((set, attribute))) => {
            ExpectSubject::Attribute(set.into(), attribute.into())
        }
        _ => ExpectSubject::Wire(wire.into()),
    };
    let component = match view.show {
        Show::Component(index) => Some(u32::from(index)),
        _ => None,
    };
    let now = |statistic| {
        let found = found_now(simulation, &subject, statistic, component).map_err(|problem| problem.to_string())?;
        match found.values.iter().all(|value| value.is_finite()) {
            true => Ok(found.values.into_iter().map(rounded).collect::<Vec<f64>>()),
            false => Err("there are values that are NaN or infinite".to_string()),
        }
    };
    let base = Expect { at: vec![frame], of: subject.to_string(), component, ..Expect::default() };
    let with = |statistic: Statistic| Some(statistic.name().to_string()).filter(|name| !name.is_empty());
    let near = |statistic| {
        let equals = Some(now(statistic)?);
        Ok::<_, String>(Expect { statistic: with(statistic), equals, relative: Some(MARGIN), ..base.clone() })
    };
    Ok(match choice {
        Choice::Value => vec![near(Statistic::Value)?],
        Choice::Mean => vec![near(Statistic::Mean)?],
        Choice::Finite => {
            let statistic = with(Statistic::Nan);
            vec![Expect { statistic, component: None, equals: Some(vec![0.0]), ..base }]
        }
        Choice::Count => {
            vec![Expect { component: None, equals: Some(now(Statistic::Value)?), ..base }]
        }
        Choice::Sum => {
            let at = vec![frame + LONGER];
            let unchanged_since = Some(frame);
            let relative = Some(1e-4);
            vec![Expect { at, statistic: with(Statistic::Sum), unchanged_since, relative, ..base }]
        }
        Choice::Range => {
            let ends = [now(Statistic::Min)?, now(Statistic::Max)?].map(|v| v.first().copied().unwrap_or(0.0));
            let margin = MARGIN * (ends[1] - ends[0]).max(MARGIN * ends[1].abs());
            let within = Some((rounded(ends[0] - margin), rounded(ends[1] + margin)));
            let one = |statistic| Expect { statistic: with(statistic), within, ..base.clone() };
            vec![one(Statistic::Min), one(Statistic::Max)]
        }
    })
}
