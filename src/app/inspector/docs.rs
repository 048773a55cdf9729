//! What a node says of itself: title, text with its equations, and sources.

use eframe::egui::{self, RichText, Ui};

use crate::app::theme;
use crate::document::{Node, NodeKind};
use crate::edit;
use crate::library::Library;
use crate::stage::Stage;

/// Title, text with its equations, and sources.
pub(super) fn stage(ui: &mut Ui, stage: &Stage) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(&stage.header.title).heading());
        ui.label(RichText::new(&stage.name).monospace().color(theme::of(ui).faint));
    });
    stage.header.doc.iter().for_each(|line| prose(ui, line));
    for source in &stage.header.source {
        ui.label(RichText::new(format!("Source: {source}")).small().color(theme::of(ui).dim));
    }
}

/// A line of documentation. Headers set an equation apart by two spaces.
fn prose(ui: &mut Ui, line: &str) {
    let mut parts = line.split("  ").map(str::trim).filter(|part| !part.is_empty());
    if let Some(text) = parts.next() {
        ui.label(text);
    }
    for equation in parts {
        let frame =
            egui::Frame::new().fill(theme::of(ui).field).corner_radius(4).inner_margin(egui::Margin::symmetric(8, 4));
        let equation =
            RichText::new(equation.trim_end_matches(['.', ',', ';'])).monospace().color(theme::of(ui).accent);
        frame.show(ui, |ui| ui.label(equation));
    }
}

/// What a node is that is no stage.
pub(super) fn host(ui: &mut Ui, node: &Node, library: &Library) {
    let (title, text) = match &node.kind {
        NodeKind::Domain(_) => ("Domain", "A box in space, cut into cubic cells. Stages run once for each."),
        NodeKind::State(_) => {
            ("State", "What survives a frame. Its value is what its `next` was when the frame before ended.")
        }
        NodeKind::Number(_) => ("Number", "A constant or an expression, for parameters and inputs that take a number."),
        NodeKind::Output(_) => {
            ("Output", "A picture that leaves the graph: for the viewport, and for `stagewright render`.")
        }
        NodeKind::Group(_) => ("Group", "A graph inside the graph."),
        NodeKind::Stage(name) => match edit::group_of(node, library) {
            Some(group) => (name.as_str(), group.about.as_str()),
            None => (name.as_str(), "No stage of this name is known."),
        },
        NodeKind::Custom(_) => ("Custom", "The text does not read as a stage yet; the problems say why."),
        NodeKind::File(_) => (
            "File",
            "Signed distances to the shape in a file beside the graph: a mesh (.obj, .gltf, .glb) in 3D, a picture (.png) in 2D.",
        ),
        NodeKind::Reroute => ("Reroute", "A dot on a wire, to lead it round other nodes."),
        NodeKind::Unknown => ("Unknown", ""),
    };
    ui.label(RichText::new(title).heading());
    ui.label(RichText::new(text).color(theme::of(ui).dim));
}
