//! The top of a node's inspector: its name, bypass, colour and title.

use std::collections::BTreeSet;

use eframe::egui::{
    self, CornerRadius, Popup, PopupCloseBehavior, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, WidgetInfo,
    WidgetType, color_picker, vec2,
};

use super::{Inspected, theme};
use crate::document::{Color, NodeKind};
use crate::edit;
use crate::model::session::Session;
use crate::panes::presets;
use crate::toolkit::row::{self, HEIGHT};

/// Colours to choose from, among them those of kinds of nodes.
const COLORS: [&str; 10] =
    ["#2c628e", "#5c4892", "#18707a", "#347062", "#7a7028", "#a07030", "#94563e", "#964040", "#82466c", "#54606e"];

/// Draws it. An `Err` is a message for the user.
pub(super) fn show(ui: &mut Ui, one: &mut Inspected<'_>) -> Result<(), String> {
    let look = theme::current(ui);
    let node_color = one.node.color.map(theme::color);
    let color = node_color.unwrap_or_else(|| look.kind(&one.node.kind));
    let mut result = Ok(());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let id = one.id("name");
        let can_bypass = one.node.kind.info().has_bypass();
        let right = 26.0 + if can_bypass { 54.0 } else { 0.0 };
        let width = ui.available_width() - right;
        let margin = egui::Margin { left: 12, right: 6, top: 3, bottom: 3 };
        ui.add_enabled_ui(one.editable, |ui| {
            let (response, typed) = row::text(ui, id, &one.name, |text| {
                egui::TextEdit::singleline(text)
                    .font(egui::TextStyle::Heading)
                    .margin(margin)
                    .desired_width(width - 20.0)
            });
            let strip = Rect::from_min_size(response.rect.min, vec2(4.0, response.rect.height()));
            ui.painter().rect_filled(strip, CornerRadius { nw: 4, sw: 4, ..CornerRadius::ZERO }, color);
            response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, "name"));
            response.on_hover_text("Name of the node, used by wires and problems");
            if let Some(new) = typed {
                result = rename(one, new.trim());
            }
            let names = BTreeSet::from([one.name.clone()]);
            if can_bypass {
                self::bypass(ui, one.session, &names, one.node.muted);
            }
            self::color(ui, one.session, &names, one.node.color, color);
        });
    });
    varied(ui, one);
    let library = one.session.library().clone();
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(edit::signature::node(&one.node, &library).title).strong());
        if let NodeKind::Stage(stage) = &one.node.kind {
            ui.label(RichText::new(stage).monospace().color(look.faint));
        }
        let nodes = [(one.name.clone(), one.node.clone())];
        presets::button(ui, one.session, &nodes, one.actions);
    });
    result
}

/// What the chosen variant replaces of the node.
fn varied(ui: &mut Ui, one: &Inspected<'_>) {
    let replaced = one.session.document().replaced_by_variant(&one.path);
    if let (Some(name), false) = (one.session.variant(), replaced.is_empty()) {
        let text = format!("Variant {name}: {}", replaced.join(", "));
        let label = egui::Label::new(RichText::new(text).small().color(theme::current(ui).warning)).wrap();
        ui.add(label).on_hover_text("What the chosen variant sets here. Changes of it leave the default as it is");
    }
}

fn rename(one: &mut Inspected<'_>, new: &str) -> Result<(), String> {
    let (mut renamed, scope) = (one.session.document().clone(), one.session.scope().clone());
    edit::rename(&mut renamed, &scope, &one.name, new)?;
    one.session.edit("rename", |document| *document = renamed);
    one.session.selection.nodes = BTreeSet::from([new.to_string()]);
    Ok(())
}

/// A button that bypasses nodes.
pub(super) fn bypass(ui: &mut Ui, session: &mut Session, names: &BTreeSet<String>, muted: bool) {
    let text = RichText::new("Bypass").color(if muted { theme::current(ui).warning } else { theme::current(ui).dim });
    let button = ui.add(egui::Button::selectable(muted, text).min_size(vec2(50.0, HEIGHT)));
    button.widget_info(|| WidgetInfo::selected(WidgetType::Button, true, muted, "bypass"));
    let hint = if muted {
        "The node is bypassed. Click to turn it on again"
    } else {
        "Bypass the node: its input passes through unchanged"
    };
    if button.on_hover_text(hint).clicked() {
        let scope = session.scope().clone();
        session.edit("bypass", |document| edit::bypass(document, &scope, names, !muted));
    }
}

/// A field for the colour of nodes on the canvas.
pub(super) fn color(
    ui: &mut Ui,
    session: &mut Session,
    names: &BTreeSet<String>,
    node_color: Option<Color>,
    shown: egui::Color32,
) {
    let chosen = choose(ui, node_color, shown, "Colour on the canvas");
    if let Some(color) = chosen {
        let scope = session.scope().clone();
        session.arrange("color", |document| edit::set_color(document, &scope, names, color));
    }
}

/// A swatch that opens a colour picker. Returns what was chosen: a colour, or the default.
pub(super) fn choose(ui: &mut Ui, current: Option<Color>, shown: egui::Color32, hint: &str) -> Option<Option<Color>> {
    let button = swatch(ui, shown, vec2(22.0, HEIGHT), "color");
    let button = button.on_hover_text(hint);
    let popup = Popup::from_toggle_button_response(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let inner = popup.show(|ui| {
        let mut chosen = None;
        ui.set_width(super::color::PICKER);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
            for color in COLORS.iter().filter_map(|digits| Color::parse(digits)) {
                if swatch(ui, theme::color(color), vec2(20.0, 18.0), &color.to_string()).clicked() {
                    chosen = Some(Some(color));
                }
            }
        });
        ui.spacing_mut().slider_width = super::color::PICKER - 4.0;
        let mut picked = shown;
        if color_picker::color_picker_color32(ui, &mut picked, color_picker::Alpha::Opaque) {
            chosen = Some(Some(Color([picked.r(), picked.g(), picked.b()])));
        }
        if ui.add_enabled(current.is_some(), egui::Button::new("Default colour")).clicked() {
            chosen = Some(None);
        }
        chosen
    });
    inner.and_then(|inner| inner.inner)
}

fn swatch(ui: &mut Ui, color: egui::Color32, size: egui::Vec2, label: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    ui.painter().rect_filled(rect, CornerRadius::same(3), color);
    let look = theme::current(ui);
    let stroke = if response.hovered() { look.text } else { look.line };
    ui.painter().rect_stroke(rect, CornerRadius::same(3), Stroke::new(1.0, stroke), StrokeKind::Inside);
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::ColorButton, enabled, label));
    response
}
