//! The list of images and wires to choose from.

use eframe::egui::Ui;

use super::sides::{about, subjects};
use crate::sim::Simulation;
use crate::sim::host_copy::CopySubject;
use crate::toolkit::picker::{self, Picker};

/// What is chosen from the open list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choosing {
    /// What of the running graph is compared.
    Live,
    /// The other wire of the same graph.
    Wire,
    /// What of the other graph is compared.
    OfOther,
}

/// The open list, its purpose, and what its items stand for.
pub(super) struct List {
    pub choosing: Choosing,
    pub subjects: Vec<CopySubject>,
    pub picker: Picker,
}

impl List {
    /// What a simulation computes, below what is drawn so far.
    pub(super) fn new(ui: &Ui, simulation: &Simulation, choosing: Choosing) -> List {
        let subjects = subjects(simulation.plan());
        let item = |subject: &CopySubject| picker::Item {
            title: subject.name().into(),
            group: if matches!(subject, CopySubject::Output(_)) { "Images" } else { "Wires" }.into(),
            words: String::new(),
            note: about(simulation.plan(), subject),
            doc: String::new(),
            color: None,
            enabled: true,
        };
        let items = subjects.iter().map(item).collect();
        let at = ui.min_rect().left_bottom();
        List { choosing, subjects, picker: Picker::new(at, "Image or wire", items) }
    }
}
