//! Widgets for values: one for each type that a stage may declare, from its own declaration.

use eframe::egui::{self, Align, Id, Layout, RichText, Ui, WidgetText, vec2};

use super::numbers::{choices, components, constant_from, text_from_number, text_from_value, tidy};
use crate::app::theme;
use crate::document::ParamValue;
use crate::expr::{ExprContext, Expression, Numbers};
use crate::stage::header::{ParamType, Range};
use crate::stage::types::Scalar;

/// Width of the names in front of the widgets \[points\].
const NAMES: f32 = 118.0;
const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// What is known of a value that can be edited.
pub struct Field<'a> {
    pub name: &'a str,
    pub ty: ParamType,
    /// Dimensions of the domain, for vectors in space.
    pub dim: u32,
    pub default: ParamValue,
    pub range: Range,
    pub soft: Range,
    pub unit: &'a str,
    pub doc: &'a str,
}

/// What a person did to a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Set(ParamValue),
    /// Back to the default.
    Reset,
}

impl Field<'_> {
    /// A row: name, widget, and buttons for an expression and the default. `value` is absent when the default is in force.
    /// Expressions may name these numbers.
    pub fn show(&self, ui: &mut Ui, id: Id, value: Option<&ParamValue>, numbers: &Numbers) -> Option<Change> {
        let current = value.unwrap_or(&self.default);
        row(ui, self.name, self.doc, |ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let mut change = self.buttons(ui, value, numbers);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let set = match current {
                        ParamValue::Expression(text) => expression(ui, id, text, numbers, f32::INFINITY),
                        _ => self.constant(ui, current),
                    };
                    change = change.take().or(set.map(Change::Set));
                });
                change
            })
            .inner
        })
    }

    fn buttons(&self, ui: &mut Ui, value: Option<&ParamValue>, numbers: &Numbers) -> Option<Change> {
        let reset = value.is_some_and(|value| *value != self.default);
        let hint = format!("Back to the default, {}", text_from_value(&self.default));
        let change = small(ui, "↺", reset, &hint).then_some(Change::Reset);
        if self.ty.returns().is_some() {
            return change;
        }
        let other = function(ui, value.unwrap_or(&self.default), &self.default, numbers);
        other.map(Change::Set).or(change)
    }

    fn constant(&self, ui: &mut Ui, value: &ParamValue) -> Option<ParamValue> {
        let mut parts = components(value, self.ty);
        match self.ty {
            ParamType::Bool => {
                let mut on = parts[0] != 0.0;
                ui.checkbox(&mut on, "").changed().then_some(ParamValue::Bool(on))
            }
            ParamType::Color => {
                let mut color = parts.map(|part| part as f32);
                let changed = ui.color_edit_button_rgba_unmultiplied(&mut color).changed();
                changed.then(|| ParamValue::Vector(color.map(|part| tidy(part.into())).to_vec()))
            }
            ParamType::Curve | ParamType::Gradient => {
                ui.add(egui::Label::new(RichText::new(text_from_value(value)).monospace()).truncate());
                None
            }
            ParamType::Value(ty) => match ty.components(self.dim) {
                1 => self.scalar(ui, parts[0], ty.scalar() != Scalar::F32),
                count => {
                    let mut changed = false;
                    let parts = parts.get_mut(..count as usize).unwrap_or_default();
                    let width = ((ui.available_width() - 46.0) / count as f32 - 8.0).clamp(36.0, 90.0);
                    for (part, axis) in parts.iter_mut().zip(AXES) {
                        let drag =
                            self.drag(part, false).prefix(RichText::new(format!("{axis} ")).color(theme::of(ui).faint));
                        changed |= ui.add_sized([width, 20.0], drag).changed();
                    }
                    self.unit_label(ui);
                    changed.then(|| ParamValue::Vector(parts.iter().map(|part| self.clamp(*part)).collect()))
                }
            },
        }
    }

    fn scalar(&self, ui: &mut Ui, mut value: f64, whole: bool) -> Option<ParamValue> {
        let bound = |soft: Option<f64>, hard: Option<f64>| soft.or(hard);
        let bounds = bound(self.soft.0, self.range.0).zip(bound(self.soft.1, self.range.1));
        if let (true, Some((low, high))) = (whole, bounds)
            && let Some(choices) = choices(self.doc, low as i64, high as i64)
        {
            return choose(ui, self.name, &choices, low as i64, value as i64);
        }
        let changed = match bounds.filter(|(low, high)| high > low) {
            Some((low, high)) => {
                ui.spacing_mut().slider_width = (ui.available_width() - 116.0).clamp(60.0, 220.0);
                let slider = egui::Slider::new(&mut value, low..=high)
                    .clamping(egui::SliderClamping::Never)
                    .logarithmic(low > 0.0 && high / low >= 1000.0)
                    .custom_formatter(|value, _| text_from_number(value))
                    .update_while_editing(false);
                ui.add(if whole { slider.step_by(1.0) } else { slider }).changed()
            }
            None => {
                let drag = self.drag(&mut value, whole);
                ui.add_sized([90.0, 20.0], drag).changed()
            }
        };
        self.unit_label(ui);
        let value = if whole { value.round() } else { value };
        changed.then(|| ParamValue::Number(self.clamp(value)))
    }

    fn drag<'v>(&self, value: &'v mut f64, whole: bool) -> egui::DragValue<'v> {
        let size = components(&self.default, self.ty).iter().fold(value.abs(), |size, part| size.max(part.abs()));
        let speed = match (whole, size > 0.0) {
            (true, _) => 0.1,
            (false, true) => size * 0.01,
            (false, false) => 0.01,
        };
        egui::DragValue::new(value)
            .speed(speed)
            .custom_formatter(|value, _| text_from_number(value))
            .update_while_editing(false)
    }

    /// Into the range that the stage insists on.
    fn clamp(&self, value: f64) -> f64 {
        let value = tidy(value);
        let value = self.range.0.map_or(value, |low| value.max(low));
        self.range.1.map_or(value, |high| value.min(high))
    }

    fn unit_label(&self, ui: &mut Ui) {
        if !self.unit.is_empty() {
            ui.add(egui::Label::new(RichText::new(self.unit).color(theme::of(ui).faint).small()).truncate());
        }
    }
}

/// A name, with its documentation behind it, and what belongs to it.
pub fn row<R>(ui: &mut Ui, name: &str, doc: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        ui.set_min_height(22.0);
        let size = vec2(NAMES, 20.0);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(NAMES);
            let label = egui::Label::new(RichText::new(name).color(theme::of(ui).dim)).truncate();
            let label = ui.add(label.sense(egui::Sense::hover()));
            if !doc.is_empty() {
                label.on_hover_text(doc);
            }
        });
        contents(ui)
    })
    .inner
}

/// A button without a frame, which leaves its room when it has nothing to do.
pub fn small(ui: &mut Ui, icon: &str, useful: bool, hint: &str) -> bool {
    let button =
        egui::Button::new(RichText::new(icon).color(theme::of(ui).dim)).frame(false).min_size(vec2(16.0, 18.0));
    ui.add_visible(useful, button).on_hover_text(hint).clicked()
}

/// A text field that keeps what is typed to itself until it is left. Escape takes it back.
pub fn text(
    ui: &mut Ui,
    id: Id,
    current: &str,
    build: impl FnOnce(&mut String) -> egui::TextEdit<'_>,
) -> Option<String> {
    let mut text = ui.data_mut(|data| data.get_temp::<String>(id)).unwrap_or_else(|| current.to_string());
    let response = ui.add(build(&mut text).id(id));
    let left = response.lost_focus();
    if response.has_focus() && !left {
        ui.data_mut(|data| data.insert_temp(id, text.clone()));
    } else {
        ui.data_mut(|data| data.remove::<String>(id));
    }
    let escaped = ui.input(|input| input.key_pressed(egui::Key::Escape));
    (left && !escaped && text != current).then_some(text)
}

/// A button that makes an expression of a constant, and a constant of an expression: `default` where it has no value.
pub(super) fn function(
    ui: &mut Ui,
    current: &ParamValue,
    default: &ParamValue,
    numbers: &Numbers,
) -> Option<ParamValue> {
    let computed = matches!(current, ParamValue::Expression(_));
    let hint =
        if computed { "A constant again" } else { "An expression: of time, mouse …, and of numbers by their names" };
    let color = if computed { theme::of(ui).accent } else { theme::of(ui).faint };
    let button = egui::Button::new(RichText::new("ƒ").color(color)).frame(false).min_size(vec2(16.0, 18.0));
    let clicked = ui.add(button).on_hover_text(hint).clicked();
    clicked.then(|| match current {
        ParamValue::Expression(text) => constant_from(text, numbers).unwrap_or_else(|| default.clone()),
        constant => ParamValue::Expression(text_from_value(constant)),
    })
}

/// A text field for an expression, red where it has no value.
pub(super) fn expression(ui: &mut Ui, id: Id, current: &str, numbers: &Numbers, width: f32) -> Option<ParamValue> {
    let value = Expression::parse_with(current, numbers);
    let wrong = value.and_then(|e| e.eval_with(&ExprContext::default(), numbers)).err();
    let color = if wrong.is_some() { theme::of(ui).error } else { theme::of(ui).accent };
    let typed = text(ui, id, current, |text| {
        egui::TextEdit::singleline(text).font(egui::TextStyle::Monospace).text_color(color).desired_width(width)
    });
    if let Some(wrong) = wrong {
        let rect = ui.min_rect();
        ui.interact(rect, id.with("wrong"), egui::Sense::hover()).on_hover_text(wrong.to_string());
    }
    typed.map(ParamValue::Expression)
}

fn choose(ui: &mut Ui, name: &str, choices: &[String], low: i64, value: i64) -> Option<ParamValue> {
    let label = |index: i64| choices.get(usize::try_from(index - low).ok()?).cloned();
    let mut chosen = None;
    let text = label(value).unwrap_or_else(|| value.to_string());
    egui::ComboBox::from_id_salt(name).selected_text(WidgetText::from(text)).width(150.0).show_ui(ui, |ui| {
        for (index, choice) in (low..).zip(choices) {
            if ui.selectable_label(index == value, choice).clicked() {
                chosen = Some(ParamValue::Number(index as f64));
            }
        }
    });
    chosen
}
