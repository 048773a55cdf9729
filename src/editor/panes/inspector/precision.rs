//! How the grids of a node are stored.

use eframe::egui::{self, Ui, WidgetInfo, WidgetType};

use super::Inspected;
use crate::document::NodeKind;
use crate::edit;
use crate::graph::precision;
use crate::stage::types::{Precision, WireType};
use crate::toolkit::row::row;

/// Whether the node has a choice of precision, or a setting that does not apply and can be removed.
pub(super) fn applies(one: &Inspected<'_>) -> bool {
    let can = match &one.node.kind {
        NodeKind::State(ty) => WireType::parse(ty).is_some_and(|ty| precision::of_state(ty).is_ok()),
        _ => edit::stage_of(&one.node, one.session.library()).is_some_and(|stage| precision::of_stage(&stage).is_ok()),
    };
    can || one.node.precision.is_some()
}

pub(super) fn show(ui: &mut Ui, one: &mut Inspected<'_>) {
    let current = one.node.precision.clone().unwrap_or_else(|| Precision::F32.name().to_string());
    let about = "Storage format of its grids: f16 takes half the memory, has three digits and a maximum of 65,504. Stages always compute in f32";
    let mut chosen = None;
    row(ui, "precision", about, |ui| {
        let combo = egui::ComboBox::from_id_salt("precision").selected_text(&current).width(ui.available_width());
        let shown = combo.truncate().show_ui(ui, |ui| {
            for choice in Precision::ALL {
                if ui.selectable_label(choice.name() == current, choice.name()).clicked() {
                    chosen = Some(choice);
                }
            }
        });
        shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "param precision"));
    });
    if let Some(choice) = chosen {
        let named = (choice != Precision::default()).then(|| choice.name().to_string());
        one.change("precision", |node| node.precision = named);
    }
}
