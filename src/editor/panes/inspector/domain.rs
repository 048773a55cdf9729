//! The fields of a domain, and what follows from them.

use eframe::egui::{self, RichText, Ui, WidgetInfo, WidgetType};

use super::numbers::{constant_from, text_from_number};
use super::value::{Change, Field, Site, plain};
use super::{Inspected, theme};
use crate::document::{Domain, Edge, NodeKind, ParamValue};
use crate::expr::Numbers;
use crate::graph;
use crate::plan::mebibytes;
use crate::stage::edges::{AXES, Edges, SIDES};
use crate::stage::types::{EdgeRule, ValueType};
use crate::toolkit::row::{row, section};

const MAX_CELLS: f64 = 65_536.0;
const CELLS: [&str; 3] = ["cells x", "cells y", "cells z"];

pub(super) fn show(ui: &mut Ui, one: &mut Inspected<'_>, domain: &Domain) {
    let mut new = domain.clone();
    let editable = one.editable;
    let mut vary = None;
    section(ui, "Domain", |ui| {
        vary = ui.add_enabled_ui(editable, |ui| fields(ui, one, &mut new)).inner;
        facts(ui, domain, &one.numbers);
    });
    if new != *domain {
        one.change("domain", |node| node.kind = NodeKind::Domain(new));
    }
    if let Some((param, vary)) = vary {
        one.vary(param, vary);
    }
}

/// Returns the value that the chosen variant is to set from now on, or no longer, if that was chosen.
fn fields(ui: &mut Ui, one: &Inspected<'_>, domain: &mut Domain) -> Option<(&'static str, bool)> {
    let mut varied = None;
    row(ui, "space", "Whether stages run in 2D or 3D", |ui| {
        let edges = graph::edges(&domain.edge, domain.resolution.len() as u32).unwrap_or_default();
        for (axes, text) in [(2, "2D"), (3, "3D")] {
            if ui.selectable_label(domain.resolution.len() == axes, text).clicked() {
                let last = domain.resolution.last().cloned().unwrap_or(ParamValue::Number(64.0));
                let new = if let ParamValue::Number(n) = last { ParamValue::Number(n.min(128.0)) } else { last };
                domain.resolution.resize(axes, new);
                if matches!(domain.edge, Edge::Sides(_)) {
                    domain.edge = by_side(edges, axes as u32);
                }
            }
        }
    });
    for (axis, (cells, name)) in domain.resolution.iter_mut().zip(CELLS).enumerate() {
        let field = Field {
            range: (Some(1.0), Some(MAX_CELLS)),
            soft: (Some(8.0), Some(1024.0)),
            ..plain(name, ValueType::U32, "Cells along this axis. Changing it resets the States")
        };
        let site = one.site("resolution", true);
        let vary = fixed(ui, &Site { id: site.id.with(axis), now: None, ..site }, field, cells);
        varied = varied.or(vary.map(|vary| ("resolution", vary)));
    }
    let width = Field {
        range: (Some(1e-6), Some(1e6)),
        soft: (Some(0.01), Some(100.0)),
        unit: "m",
        ..plain("width", ValueType::F32, "Extent along x; cells are cubic")
    };
    let vary = fixed(ui, &one.site("width", true), width, &mut domain.width);
    edges(ui, domain);
    varied.or(vary.map(|vary| ("width", vary)))
}

/// The rule of all sides, or a row for each of them.
fn edges(ui: &mut Ui, domain: &mut Domain) {
    const BY_SIDE: &str = "by side";
    let dim = domain.resolution.len() as u32;
    let rules = graph::edges(&domain.edge, dim).unwrap_or_default();
    let shown = match &domain.edge {
        Edge::All(rule) => rule.clone(),
        Edge::Sides(_) => BY_SIDE.into(),
    };
    let all = EdgeRule::ALL.map(EdgeRule::name);
    match choice(ui, "edge", "What stages read outside the domain", &shown, all.into_iter().chain([BY_SIDE])) {
        Some(BY_SIDE) => domain.edge = by_side(rules, dim),
        Some(rule) => domain.edge = rule.into(),
        None => {}
    }
    if matches!(domain.edge, Edge::All(_)) {
        return;
    }
    for (axis, names) in SIDES.iter().enumerate().take(dim as usize) {
        for (side, name) in names.iter().enumerate() {
            let old = rules.rule(axis, side);
            let chosen = choice(ui, name, "What stages read beyond this side", old.name(), all.into_iter());
            let Some(rule) = chosen.and_then(EdgeRule::parse).filter(|rule| *rule != old) else { continue };
            let mut new = rules;
            // An axis is periodic on both sides.
            let both = [old, rule].contains(&EdgeRule::Wrap);
            new.set(if both { AXES[axis] } else { name }, rule);
            domain.edge = by_side(new, dim);
        }
    }
}

/// The rule of every side by its name.
fn by_side(edges: Edges, dim: u32) -> Edge {
    let sides = SIDES.iter().enumerate().take(dim as usize).flat_map(|(axis, names)| {
        names.iter().enumerate().map(move |(side, name)| (name.to_string(), edges.rule(axis, side).name().to_string()))
    });
    Edge::Sides(sides.collect())
}

/// A list of names, and the one that the user has chosen.
fn choice<'n>(
    ui: &mut Ui,
    name: &str,
    doc: &str,
    shown: &str,
    names: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    let mut chosen = None;
    row(ui, name, doc, |ui| {
        let combo = egui::ComboBox::from_id_salt(name).selected_text(shown);
        let shown = combo.width(ui.available_width()).show_ui(ui, |ui| {
            for name in names {
                if ui.selectable_label(shown == name, name).clicked() {
                    chosen = Some(name);
                }
            }
        });
        shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, format!("param {name}")));
    });
    chosen
}

/// A number that shapes the plan and has no default: a constant, or an expression of constant numbers.
/// Returns whether the chosen variant is to set it from now on, if that was chosen.
pub(super) fn fixed(ui: &mut Ui, site: &Site<'_>, field: Field<'_>, value: &mut ParamValue) -> Option<bool> {
    let field = Field { default: value.clone(), ..field };
    match field.show(ui, site, Some(value))? {
        Change::Set(new) => *value = new,
        Change::Vary(vary) => return Some(vary),
        Change::Reset | Change::Border(_) | Change::Key { .. } | Change::Unkey => {}
    }
    None
}

/// Values that follow from the numbers.
fn facts(ui: &mut Ui, domain: &Domain, numbers: &Numbers) {
    let number = |value: &ParamValue| match value {
        ParamValue::Number(number) => Some(*number),
        ParamValue::Expression(text) => match constant_from(text, numbers)? {
            ParamValue::Number(number) => Some(number),
            _ => None,
        },
        _ => None,
    };
    let cells: Option<Vec<f64>> = domain.resolution.iter().map(number).collect();
    let (Some(cells), Some(width)) = (cells, number(&domain.width)) else { return };
    let Some(across) = cells.first().copied().filter(|cells| *cells >= 1.0) else { return };
    let total: f64 = cells.iter().product();
    let size = width / across;
    let extent: Vec<String> = cells.iter().map(|cells| text_from_number(round(cells * size))).collect();
    for (name, text, doc) in [
        ("extent", format!("{} m", extent.join(" × ")), "Along each axis"),
        ("cell", format!("{} m", text_from_number(round(size))), "Cell size"),
        ("cells", grouped(total), "In total"),
        ("f32 grid", mebibytes((4.0 * total) as u64), "GPU memory of one f32 value per cell"),
    ] {
        row(ui, name, doc, |ui| ui.label(RichText::new(text).color(theme::current(ui).dim)));
    }
}

/// To four digits.
fn round(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// `1,048,576`
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_readable() {
        assert_eq!([1.0, 999.0, 1000.0, 16_777_216.0].map(grouped), ["1", "999", "1,000", "16,777,216"]);
        assert_eq!(round(1.0 / 256.0), 0.003_906);
    }
}
