//! What a sweep varies, as the user chooses it.

use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{self, PopupCloseBehavior, RichText, Ui, vec2};

use crate::document::{Document, ParamValue};
use crate::library::Library;
use crate::model::session::Session;
use crate::panes::variations::{Variable, Varied, candidates};
use crate::sweep::axis::Axis;
use crate::toolkit::{row, theme};

/// Values of a parameter that is added.
const COUNT: u32 = 4;
/// Height of the list of parameters at most \[points\].
const LIST: f32 = 320.0;
/// Width of the field for values \[points\].
const FIELD: f32 = 110.0;

/// A parameter and its values, as on the command line: `10..60:6`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    pub name: String,
    pub values: String,
}

impl Chosen {
    /// What `--set` takes.
    pub(super) fn text(&self) -> String {
        format!("{}={}", self.name, self.values)
    }
}

/// Values to begin with: the range of the slider.
fn values(document: &Document, node: &str, param: &str, library: &Library) -> Option<String> {
    if param == "iterations" {
        let Some(ParamValue::Number(present)) = document.node(node)?.iterations else { return None };
        let present = present.max(1.0);
        return Some(format!("{},{present},{}", (present / 2.0).ceil(), present * 2.0));
    }
    let (low, high) = Variable::find(document, &Varied::new(node, param), library)?.ends();
    Some(format!("{low}..{high}:{COUNT}"))
}

/// Parameters of the selected nodes that can vary, as node and parameter.
fn offered(session: &Session) -> Vec<(String, String)> {
    let mut found = candidates(session);
    for name in &session.selection.nodes {
        let path = session.scope().path(name);
        let node = session.document().node(&path);
        if node.is_some_and(|node| matches!(node.iterations, Some(ParamValue::Number(_)))) {
            found.push((path, "iterations".into()));
        }
    }
    found
}

/// The menu of what can vary.
pub(super) fn add(ui: &mut Ui, session: &Session, chosen: &mut Vec<Chosen>) {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let menu = MenuButton::new("Parameters").config(config).ui(ui, |ui| {
        let offered = offered(session);
        if offered.is_empty() {
            ui.set_max_width(240.0);
            ui.label(
                "Select nodes whose parameters are to vary. Numbers that a wire or an expression sets do not vary.",
            );
        }
        // The menu remembers how large it was for the nodes that were selected before.
        let scroll = egui::ScrollArea::vertical().max_height(LIST).min_scrolled_height(LIST);
        scroll.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            for (node, param) in &offered {
                let name = format!("{node}.{param}");
                toggle(ui, chosen, &name, || values(session.document(), node, param, session.library()));
            }
            if !offered.is_empty() {
                ui.separator();
            }
            toggle(ui, chosen, "seed", || Some("1..4:4".into()));
        });
    });
    let response = menu.0.on_hover_text("Numbers and iterations of the selected nodes, and the seed of the graph");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Choose what varies"));
}

fn toggle(ui: &mut Ui, chosen: &mut Vec<Chosen>, name: &str, values: impl FnOnce() -> Option<String>) {
    let mut on = chosen.iter().any(|one| one.name == name);
    if ui.checkbox(&mut on, name).changed() {
        match on {
            true => chosen.push(Chosen { name: name.into(), values: values().unwrap_or_default() }),
            false => chosen.retain(|one| one.name != name),
        }
    }
}

/// The number of combinations; `None` where values cannot be read.
pub(super) fn combinations(chosen: &[Chosen]) -> Option<u64> {
    let count = |one: &Chosen| Some(Axis::parse(&one.text()).ok()?.all().ok()?.len() as u64);
    chosen.iter().map(count).try_fold(1u64, |product, count| product.checked_mul(count?))
}

/// A field for the values of each parameter. `random`: a range needs no number of values. Returns the first error.
pub(super) fn fields(ui: &mut Ui, chosen: &mut Vec<Chosen>, enabled: bool, random: bool) -> Option<String> {
    let look = theme::current(ui);
    let (mut gone, mut fault) = (None, None);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for (index, one) in chosen.iter_mut().enumerate() {
            let read = Axis::parse(&one.text());
            let error = read.and_then(|axis| if random { Ok(Vec::new()) } else { axis.all() }).err();
            let frame = egui::Frame::new().fill(look.field).corner_radius(4).inner_margin(vec2(6.0, 0.0));
            let contents = |ui: &mut Ui| {
                ui.add(egui::Label::new(&one.name).extend());
                let color = if error.is_some() { look.error } else { look.text };
                let field = egui::TextEdit::singleline(&mut one.values).desired_width(FIELD).text_color(color);
                let response = ui.add_enabled(enabled, field);
                let name = format!("values {}", one.name);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, enabled, &name));
                response.on_hover_text(
                    "10..60:6: six values from 10 to 60; 0.001..1:4:log: in equal factors; 10,20,40: these",
                );
                let icon = RichText::new("✖").small().color(look.dim);
                if row::small(ui, icon, enabled, &format!("do not sweep {}", one.name), "Do not vary this") {
                    gone = Some(index);
                }
            };
            frame.show(ui, |ui| ui.horizontal(contents));
            fault = fault.take().or(error);
        }
    });
    if let Some(index) = gone {
        chosen.remove(index);
    }
    fault
}
