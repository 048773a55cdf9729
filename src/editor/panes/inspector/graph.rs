//! The graph's own fields, shown when nothing is selected, and those of a comment frame.

use std::collections::BTreeSet;

use eframe::egui::{self, Label, RichText, Ui};

use super::value::{Change, Field, Site, plain};
use super::{dim_label, expectations, head, theme};
use crate::commands::action::Actions;
use crate::document::{Document, Frame, ParamValue, Substeps};
use crate::edit;
use crate::expr::Numbers;
use crate::model::session::Session;
use crate::plan::mebibytes;
use crate::stage::types::ValueType;
use crate::toolkit::row::{row, section, text_row};

/// The graph's own fields.
pub(super) fn fields(ui: &mut Ui, session: &mut Session) {
    let document = session.document();
    let name = document.name.clone();
    let about = document.about.clone();
    let fps = document.fps;
    let seed = document.seed;
    section(ui, "Graph", |ui| {
        let typed = text_row(ui, id("name"), "name", "", &name, 1);
        if let Some(name) = typed {
            session.arrange("name", |document| document.name = name);
        }
        let typed = text_row(ui, id("about"), "about", "What the graph shows, and its sources", &about, 3);
        if let Some(about) = typed {
            session.arrange("about", |document| document.about = about);
        }
        let hint = "Frames per second of simulated time. The time step is its inverse";
        let rate = Field {
            default: ParamValue::Number(60.0),
            range: (Some(1.0), Some(10_000.0)),
            soft: (Some(1.0), Some(240.0)),
            unit: "fps",
            ..plain("frame rate", ValueType::F32, hint)
        };
        if let Some(fps) = number(ui, &rate, fps) {
            session.edit("frame rate", |document| document.fps = fps);
        }
        substeps(ui, session);
        let seeds = Field {
            range: (Some(0.0), Some(f64::from(u32::MAX))),
            soft: (Some(0.0), Some(1000.0)),
            ..plain("seed", ValueType::U32, "Seed of random() and frame.seed")
        };
        if let Some(seed) = number(ui, &seeds, f64::from(seed)) {
            session.edit("seed", |document| document.seed = seed as u32);
        }
        if let Some(summary) = recorded(session.document()) {
            let hint = "Recorded pointer and keys, played while there is no user input";
            row(ui, "input", hint, |ui| dim_label(ui, summary));
        }
    });
}

/// How many steps a frame is divided into, and the Courant number that decides it.
fn substeps(ui: &mut Ui, session: &mut Session) {
    let now = session.document().substeps;
    let bounded = matches!(now, Substeps::Bounded { .. });
    let hint = match bounded {
        true => "The most steps that a frame is divided into",
        false => "Steps that a frame is divided into. All stages run in each, with a time step that is as much shorter",
    };
    let count = Field {
        default: ParamValue::Number(1.0),
        range: (Some(1.0), Some(f64::from(Substeps::LIMIT))),
        soft: (Some(1.0), Some(16.0)),
        ..plain(if bounded { "most substeps" } else { "substeps" }, ValueType::U32, hint)
    };
    let mut next = now;
    if let Some(count) = number(ui, &count, f64::from(now.most())) {
        next = match now {
            Substeps::Bounded { courant, dt, .. } => Substeps::Bounded { courant, dt, most: count as u32 },
            _ => Substeps::Fixed(count as u32),
        };
    }
    let hint = "As few substeps as keep each within a Courant number and a longest time step";
    let mut wanted = bounded;
    row(ui, "adaptive", hint, |ui| ui.checkbox(&mut wanted, ""));
    if wanted != bounded {
        let most = if now.most() > 1 { now.most() } else { Substeps::USUAL_MOST };
        next = match wanted {
            true => Substeps::Bounded { courant: Some(0.9), dt: None, most },
            false => Substeps::Fixed(now.most()),
        };
    }
    if let Substeps::Bounded { courant, dt, most } = now {
        let hint = "The greatest Courant number of a step: the cells that the fastest value crosses. 0: none";
        let bound = Field {
            default: ParamValue::Number(0.9),
            range: (Some(0.0), Some(1000.0)),
            soft: (Some(0.0), Some(4.0)),
            ..plain("Courant number", ValueType::F32, hint)
        };
        let some = |value: f64| (value > 0.0).then_some(value);
        if let Some(courant) = number(ui, &bound, courant.unwrap_or(0.0)) {
            next = Substeps::Bounded { courant: some(courant), dt, most };
        }
        let bound = Field {
            default: ParamValue::Number(0.0),
            range: (Some(0.0), Some(1.0)),
            soft: (Some(0.0), Some(0.05)),
            unit: "s",
            ..plain("longest step", ValueType::F32, "The longest time step. 0: none")
        };
        if let Some(dt) = number(ui, &bound, dt.unwrap_or(0.0)) {
            next = Substeps::Bounded { courant, dt: some(dt), most };
        }
        if let Substeps::Bounded { courant: None, dt: None, most } = next {
            next = Substeps::Fixed(most);
        }
    }
    if next != now {
        session.edit("substeps", |document| document.substeps = next);
    }
}

fn id(field: &str) -> egui::Id {
    egui::Id::new(("graph", field))
}

/// A constant that takes effect when it is released.
fn number(ui: &mut Ui, field: &Field<'_>, value: f64) -> Option<f64> {
    let none = Numbers::new();
    let site = Site {
        id: id(field.name),
        path: field.name.into(),
        numbers: &none,
        now: None,
        mixed: false,
        held: true,
        inputs: None,
        clock: None,
        computed: false,
        border: None,
        variant: None,
    };
    match field.show(ui, &site, Some(&ParamValue::Number(value)))? {
        Change::Set(ParamValue::Number(new)) => Some(new),
        Change::Reset => match field.default {
            ParamValue::Number(default) => Some(default),
            _ => None,
        },
        Change::Set(_) | Change::Key { .. } | Change::Unkey | Change::Border(_) | Change::Vary(_) => None,
    }
}

/// The recorded input, in one line.
fn recorded(document: &Document) -> Option<String> {
    let track = document.input.as_ref()?;
    let last = track.pointer.iter().map(|key| key.t).chain(track.keys.iter().map(|span| span.to));
    let end = last.fold(0.0_f32, f32::max);
    let kind = if track.repeat { "Loops every" } else { "Lasts" };
    let counted = |count: usize, what: &str, end: &str| format!("{count} {what}{}", if count == 1 { "" } else { end });
    let (pointer, keys) =
        (counted(track.pointer.len(), "pointer key", "s"), counted(track.keys.len(), "key press", "es"));
    Some(format!("{kind} {end} s: {pointer}, {keys}"))
}

/// Statistics and expectations of the graph.
pub(super) fn results(ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
    statistics(ui, session);
    expectations::show(ui, session, actions);
}

fn statistics(ui: &mut Ui, session: &mut Session) {
    section(ui, "Statistics", |ui| {
        let nodes = session.document().nodes.len();
        row(ui, "nodes", "", |ui| ui.label(nodes.to_string()));
        if let Some(simulation) = session.running_simulation() {
            let plan = simulation.plan();
            row(ui, "dispatches", "Compute dispatches per frame", |ui| ui.label(plan.frame.len().to_string()));
            if !plan.invariant.is_empty() {
                let about =
                    "Compute dispatches that run only before the first frame and when one of their parameters changes";
                row(ui, "once", about, |ui| ui.label(plan.invariant.len().to_string()));
            }
            row(ui, "GPU memory", "", |ui| ui.label(mebibytes(plan.memory)));
            for watched in simulation.watched() {
                let (low, high) = watched.range;
                let inside =
                    low.is_none_or(|low| watched.value >= low) && high.is_none_or(|high| watched.value <= high);
                let text = RichText::new(format!("{:.4}", watched.value)).monospace();
                let bound = |b: Option<f64>| b.map_or_else(String::new, |b| b.to_string());
                row(ui, &watched.name, &format!("Expected range: {}..{}", bound(low), bound(high)), |ui| {
                    ui.label(if inside { text } else { text.color(theme::current(ui).warning) })
                });
            }
        }
        let name = session.gpu().name().to_string();
        row(ui, "GPU", &name, |ui| ui.add(Label::new(&name).truncate()));
    });
}

/// The fields of the selected comment frame.
pub(super) fn frame(ui: &mut Ui, session: &mut Session) {
    let Some(index) = session.selection.frame else { return };
    let Some(before) = session.frames().get(index).cloned() else { return };
    let mut now = before.clone();
    let editable = session.editable();
    ui.label(RichText::new("Comment frame").heading());
    ui.add_enabled_ui(editable, |ui| frame_fields(ui, session, index, &mut now));
    let inside = edit::frame_contents(session.level(), index, |_| (0.0, 0.0));
    row(ui, "around", "Nodes whose top left corner is in the frame", |ui| names(ui, &inside));
    if now != before {
        let scope = session.scope().clone();
        // The frame exists, since it is shown.
        session.arrange("frame", |document| drop(edit::update_frame(document, &scope, index, |frame| *frame = now)));
    }
}

fn frame_fields(ui: &mut Ui, session: &Session, index: usize, frame: &mut Frame) {
    let id = |field: &str| egui::Id::new(("frame", session.scope(), index, field));
    if let Some(title) = text_row(ui, id("title"), "title", "", &frame.title, 1) {
        frame.title = title;
    }
    if let Some(text) = text_row(ui, id("text"), "text", "", &frame.text, 4) {
        frame.text = text;
    }
    row(ui, "colour", "On the canvas", |ui| {
        let shown = frame.color.map_or(theme::current(ui).frame, theme::color);
        if let Some(color) = head::choose(ui, frame.color, shown, "Colour on the canvas") {
            frame.color = color;
        }
    });
}

fn names(ui: &mut Ui, names: &BTreeSet<String>) {
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = if all.is_empty() { "no nodes".to_string() } else { all.join(", ") };
    ui.add(Label::new(RichText::new(text).color(theme::current(ui).dim)).wrap());
}
