//! A row for a value: the widget of its type, according to its declaration, and the menu of every value.

use eframe::egui::{
    self, EventFilter, Id, Key, Modifiers, Response, RichText, Sense, Ui, WidgetInfo, WidgetText, WidgetType, vec2,
};

use super::bar::{Bar, TypedValue};
use super::expression::{self, Rules};
pub(super) use super::field::{Field, plain};
use super::keys::Clock;
use super::numbers::{choices, components, constant_from, text_from_value, tidy};
use super::{color, curve, gradient};
use crate::curve::Keyframes;
use crate::document::ParamValue;
use crate::expr::{KEYFRAMES, Numbers};
use crate::stage::header::ParamType;
use crate::stage::types::{Scalar, ValueType};
use crate::toolkit::row::{HEIGHT, Name, SMALL, named, small};
use crate::toolkit::theme;

const AXES: [&str; 4] = ["x", "y", "z", "w"];
/// Minimum width of the parts of a vector; narrower parts stand below each other \[points\].
const PART: f32 = 52.0;

/// The place of a value.
pub(super) struct Site<'a> {
    pub id: Id,
    /// Path of the value, as on the command line: `node.param`.
    pub path: String,
    /// Numbers that expressions may name.
    pub numbers: &'a Numbers,
    /// The value in the running simulation.
    pub now: Option<Vec<f64>>,
    /// Whether the place stands for the values of several nodes that differ.
    pub mixed: bool,
    /// Whether a change takes effect when the drag is released.
    pub held: bool,
    /// What a formula can name of its stage; not known for one that a group exposes.
    pub inputs: Option<Numbers>,
    /// Whether the value may be an expression, if its type allows one.
    pub computed: bool,
    /// The present frame, where it may have keys.
    pub clock: Option<Clock>,
    pub border: Option<Border>,
    /// The chosen variant of the graph, and whether it sets this value.
    pub variant: Option<(String, bool)>,
}

/// A change of a value by the user.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    Set(ParamValue),
    /// Back to the default.
    Reset,
    /// Exposed on a group, or no longer.
    Border(Border),
    /// Set by the chosen variant, or no longer.
    Vary(bool),
    /// A key of these numbers at the present frame; the type of the value has whole numbers.
    Key {
        now: Vec<f64>,
        whole: bool,
    },
    /// No key at the present frame.
    Unkey,
}

/// How a parameter relates to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// The parameter can be exposed on the enclosing group.
    Expose,
    /// The node is a group that exposes it.
    Hide,
}

impl Field<'_> {
    /// A row: name, widget, and buttons for an expression and the default. `value` is absent if the default applies.
    pub(super) fn show(&self, ui: &mut Ui, site: &Site<'_>, value: Option<&ParamValue>) -> Option<Change> {
        let current = value.unwrap_or(&self.default);
        let changed = site.mixed || value.is_some_and(|value| *value != self.default);
        let bar = self.bar(site, self.reach());
        let present = match current {
            ParamValue::Keys(keys) if self.keyable(site) && self.settable(site, keys) => Some(self.present(site, keys)),
            _ => None,
        };
        let held = present.as_ref().unwrap_or(current);
        let scrubs = self.scrubs(held);
        let row = egui::Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), HEIGHT));
        let sense = if scrubs { Sense::click_and_drag() } else { Sense::click() };
        let varied = site.variant.as_ref().filter(|(_, set)| *set).map(|(name, _)| name.as_str());
        named(ui, &Name { text: self.name, doc: self.doc, changed, varied, sense }, |ui, name| {
            let mut change = self.of_name(ui, site, name, current, changed);
            if scrubs && let Some(bar) = bar {
                change = change.or(self.scrubbed(ui, &bar, name, held).map(Change::Set));
            }
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                let keyable = self.keyable(site);
                let buttons = 1.0 + f32::from(u8::from(self.computable(site))) + f32::from(u8::from(keyable));
                let width = ui.available_width() - buttons * (SMALL + 2.0);
                let widget = ui.vertical(|ui| {
                    ui.set_width(width);
                    self.widget(ui, site, current, changed)
                });
                change = change.take().or(widget.inner);
                if keyable {
                    let row = row.union(widget.response.rect);
                    change = change.take().or(self.key_button(ui, site, current, row));
                }
                change = change.take().or(self.buttons(ui, site, current, changed));
            });
            change
        })
    }

    pub(super) fn computable(&self, site: &Site<'_>) -> bool {
        site.computed && self.ty.returns().is_none()
    }

    fn scrubs(&self, current: &ParamValue) -> bool {
        matches!(self.ty, ParamType::Value(_))
            && matches!(current, ParamValue::Number(_) | ParamValue::Vector(_) | ParamValue::Bool(_))
    }

    /// Applies a drag of the name; all parts of a vector change alike.
    fn scrubbed(&self, ui: &Ui, bar: &Bar<'_>, name: &Response, current: &ParamValue) -> Option<ParamValue> {
        let ParamType::Value(ty) = self.ty else { return None };
        let parts = components(current, self.ty);
        let first = parts[0];
        let new = bar.scrub_name(ui, name, first)?;
        Some(match ty.components(self.dim) as usize {
            1 => ParamValue::Number(new),
            count => ParamValue::Vector(parts.iter().take(count).map(|p| bar.fit(p + new - first)).collect()),
        })
    }

    /// Resetting by a click on the name, and the menu of the row.
    fn of_name(
        &self,
        ui: &Ui,
        site: &Site<'_>,
        name: &Response,
        current: &ParamValue,
        changed: bool,
    ) -> Option<Change> {
        let with = ui.input(|input| input.modifiers.command || input.modifiers.ctrl || input.modifiers.alt);
        let reset = (name.clicked() && with && changed && ui.is_enabled()).then_some(Change::Reset);
        reset.or_else(|| self.menu(ui, site, name, current, changed))
    }

    fn menu(
        &self,
        ui: &Ui,
        site: &Site<'_>,
        response: &Response,
        current: &ParamValue,
        changed: bool,
    ) -> Option<Change> {
        let editable = ui.is_enabled();
        let popup = egui::Popup::context_menu(response);
        let inner = popup.show(|ui| self.entries(ui, site, current, changed, editable));
        inner.and_then(|inner| inner.inner)
    }

    /// Contents of the menu of the row.
    fn entries(
        &self,
        ui: &mut Ui,
        site: &Site<'_>,
        current: &ParamValue,
        changed: bool,
        editable: bool,
    ) -> Option<Change> {
        ui.set_min_width(170.0);
        let copied = Id::new("copied value");
        if ui.button("Copy value").clicked() {
            ui.data_mut(|data| data.insert_temp(copied, current.clone()));
            ui.ctx().copy_text(current.to_string());
        }
        let held: Option<ParamValue> = ui.data(|data| data.get_temp(copied));
        let fitting = held.filter(|value| editable && self.takes(value));
        let mut change = None;
        if ui.add_enabled(fitting.is_some(), egui::Button::new("Paste value")).clicked() {
            change = fitting.map(Change::Set);
        }
        if ui.button("Copy path").on_hover_text(format!("Path for the command line: {}", site.path)).clicked() {
            ui.ctx().copy_text(site.path.clone());
        }
        if self.computable(site) && ui.button("Copy expression").clicked() {
            ui.ctx().copy_text(text_from_value(current));
        }
        ui.separator();
        if ui.add_enabled(changed && editable, egui::Button::new("Reset")).clicked() {
            change = Some(Change::Reset);
        }
        if self.computable(site) {
            let text = match current {
                ParamValue::Expression(_) => "Make constant",
                ParamValue::Keys(keys) if keys.expr.is_some() => "Remove expression of keys",
                ParamValue::Keys(_) => "Add expression to keys",
                _ => "Make expression",
            };
            if ui.add_enabled(editable, egui::Button::new(text)).clicked() {
                change = Some(Change::Set(self.other(current, site.numbers)));
            }
        }
        if let Some(border) = site.border {
            let text = match border {
                Border::Expose => "Expose on group",
                Border::Hide => "Hide from group",
            };
            if ui.button(text).clicked() {
                change = Some(Change::Border(border));
            }
        }
        if let Some((name, set)) = &site.variant {
            let text = match set {
                true => format!("Remove from variant {name}"),
                false => format!("Set in variant {name}"),
            };
            if ui.add_enabled(editable, egui::Button::new(text)).clicked() {
                change = Some(Change::Vary(!set));
            }
        }
        change
    }

    /// Whether a value is of this kind.
    fn takes(&self, value: &ParamValue) -> bool {
        match (self.ty, value) {
            (ParamType::Curve, value) => matches!(value, ParamValue::Curve(_)),
            (ParamType::Gradient, value) => matches!(value, ParamValue::Gradient(_)),
            (_, ParamValue::Curve(_) | ParamValue::Gradient(_)) => false,
            (ParamType::Formula(_), ParamValue::Keys(_)) => false,
            (_, ParamValue::Expression(_) | ParamValue::Keys(_)) => true,
            (ParamType::Color, ParamValue::Vector(parts)) => (3..=4).contains(&parts.len()),
            // A default for both 2D and 3D, of which 2D reads two.
            (ParamType::Value(ValueType::Vec), ParamValue::Vector(parts)) if parts.len() == 3 => true,
            (ParamType::Value(ty), ParamValue::Vector(parts)) => parts.len() == ty.components(self.dim) as usize,
            (ParamType::Formula(_), ParamValue::Vector(_)) => true,
            (ParamType::Bool, ParamValue::Vector(_)) => false,
            _ => true,
        }
    }

    /// Converts a constant to an expression, and an expression to a constant. Keys get an expression, or lose it.
    fn other(&self, current: &ParamValue, numbers: &Numbers) -> ParamValue {
        match current {
            ParamValue::Expression(text) => constant_from(text, numbers).unwrap_or_else(|| self.default.clone()),
            ParamValue::Keys(keys) => {
                let expr = if keys.expr.is_some() { None } else { Some(KEYFRAMES.to_string()) };
                ParamValue::Keys(Keyframes { expr, ..keys.clone() })
            }
            constant => ParamValue::Expression(text_from_value(constant)),
        }
    }

    fn buttons(&self, ui: &mut Ui, site: &Site<'_>, current: &ParamValue, changed: bool) -> Option<Change> {
        let mut change = None;
        let look = theme::current(ui);
        if self.computable(site) {
            let computed = current.expression().is_some();
            let hint = match current {
                ParamValue::Keys(_) if computed => "Remove expression of keys",
                ParamValue::Keys(_) => "Use an expression of the keys",
                _ if computed => "Make constant",
                _ => "Use an expression of time, mouse, other numbers, …",
            };
            let icon = RichText::new("fx").small().italics().color(if computed { look.accent } else { look.faint });
            if small(ui, icon, true, &format!("expression {}", self.name), hint) {
                change = Some(Change::Set(self.other(current, site.numbers)));
            }
        }
        let hint = format!("Reset to default: {}", text_from_value(&self.default));
        let icon = RichText::new("↺").color(look.dim);
        let reset = small(ui, icon, changed, &format!("reset {}", self.name), &hint).then_some(Change::Reset);
        change.or(reset)
    }

    fn widget(&self, ui: &mut Ui, site: &Site<'_>, current: &ParamValue, changed: bool) -> Option<Change> {
        let label = format!("param {}", self.name);
        match current {
            ParamValue::Expression(text) if self.computable(site) => {
                let rules = Rules::Expression { numbers: site.numbers, now: site.now.as_deref() };
                let typed = expression::field(ui, site.id, &label, text, &rules);
                typed.map(|text| Change::Set(ParamValue::Expression(text)))
            }
            text if let ParamType::Formula(result) = self.ty
                && self.takes(text) =>
            {
                let rules = Rules::Formula { numbers: site.numbers, inputs: site.inputs.as_ref(), result };
                let typed = expression::field(ui, site.id, &label, &text_from_value(text), &rules);
                typed.map(|text| Change::Set(ParamValue::Expression(text)))
            }
            ParamValue::Curve(points) if self.ty == ParamType::Curve => {
                curve::field(ui, site.id, self, points).map(|curve| Change::Set(ParamValue::Curve(curve)))
            }
            ParamValue::Gradient(stops) if self.ty == ParamType::Gradient => {
                let new = gradient::field(ui, site.id, self.name, stops);
                new.map(|gradient| Change::Set(ParamValue::Gradient(gradient)))
            }
            ParamValue::Keys(keys) if self.keyable(site) => self.keyed(ui, site, keys, changed),
            // A value of another type: Problems explains it, and the default fixes it.
            wrong if !self.takes(wrong) => {
                let text = RichText::new(text_from_value(wrong)).monospace().color(theme::current(ui).error);
                ui.add(egui::Label::new(text).truncate());
                None
            }
            _ => self.constant(ui, site, current, changed),
        }
    }

    pub(super) fn constant(&self, ui: &mut Ui, site: &Site<'_>, value: &ParamValue, changed: bool) -> Option<Change> {
        let parts = components(value, self.ty);
        let [first, ..] = parts;
        let label = format!("param {}", self.name);
        match self.ty {
            ParamType::Bool => {
                let mut on = first != 0.0;
                let response = ui.add(egui::Checkbox::without_text(&mut on).indeterminate(site.mixed));
                let enabled = response.enabled();
                response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, enabled, on, &label));
                response.changed().then_some(Change::Set(ParamValue::Bool(on)))
            }
            ParamType::Color => {
                let picked = color::field(ui, site.id, self.name, parts, site.mixed);
                picked.map(|color| Change::Set(ParamValue::Vector(color.to_vec())))
            }
            ParamType::Curve | ParamType::Gradient | ParamType::Formula(_) => None,
            ParamType::Value(ty) => match ty.components(self.dim) {
                1 => self.scalar(ui, site, first, changed),
                count => self.vector(ui, site, parts.get(..count as usize).unwrap_or_default()),
            },
        }
    }

    /// The range of a slider, if both ends are known.
    fn reach(&self) -> Option<(f64, f64)> {
        let ends = self.soft.0.or(self.range.0).zip(self.soft.1.or(self.range.1));
        ends.filter(|(low, high)| high > low)
    }

    fn bar<'s>(&'s self, site: &Site<'_>, reach: Option<(f64, f64)>) -> Option<Bar<'s>> {
        let ParamType::Value(ty) = self.ty else { return None };
        let whole = ty.scalar() != Scalar::F32;
        let parts = components(&self.default, self.ty);
        let size = parts.iter().fold(0.0_f64, |size, part| size.max(part.abs()));
        let speed = match (whole, size > 0.0) {
            (true, _) => 0.1,
            (false, true) => size * 0.01,
            (false, false) => 0.01,
        };
        Some(Bar {
            id: site.id.with("bar"),
            label: format!("param {}", self.name),
            prefix: "",
            unit: self.unit,
            reach,
            range: self.range,
            whole,
            computed: site.computed,
            speed,
            default: Some(parts[0]),
            held: site.held,
            mixed: site.mixed,
        })
    }

    fn scalar(&self, ui: &mut Ui, site: &Site<'_>, value: f64, changed: bool) -> Option<Change> {
        let bar = self.bar(site, self.reach())?;
        if let (true, Some((low, high))) = (bar.whole, self.reach())
            && let Some(choices) = choices(self.doc, low as i64, high as i64)
        {
            let shown = if site.mixed { None } else { Some(value as i64) };
            let chosen = choose(ui, self.name, &choices, low as i64, shown);
            return chosen.map(|value| Change::Set(ParamValue::Number(value as f64)));
        }
        let (response, typed) = bar.show(ui, value, ui.available_width(), site.numbers);
        let set = typed.map(|typed| match typed {
            TypedValue::Number(number) => Change::Set(ParamValue::Number(number)),
            TypedValue::Text(text) => Change::Set(ParamValue::Expression(text)),
        });
        set.or_else(|| self.menu(ui, site, &response, &ParamValue::Number(value), changed))
    }

    fn vector(&self, ui: &mut Ui, site: &Site<'_>, parts: &[f64]) -> Option<Change> {
        let bar = self.bar(site, self.reach())?;
        // Only a value that can't be negative is a size, whose parts may be scaled together.
        let sized = self.range.0.is_some_and(|low| low >= 0.0);
        let lock_id = site.id.with("lock");
        let mut lock: bool = ui.data(|data| data.get_temp(lock_id)).unwrap_or_default() && sized;
        let count = parts.len() as f32;
        let room = ui.available_width() - if sized { SMALL + 2.0 } else { 0.0 };
        let stacked = (room - 2.0 * (count - 1.0)) / count < PART;
        let width = if stacked { room } else { (room - 2.0 * (count - 1.0)) / count };
        let mut typed = None;
        let mut all = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
            for (index, (part, axis)) in parts.iter().zip(AXES).enumerate() {
                let default = components(&self.default, self.ty).get(index).copied();
                let last = index + 1 == parts.len();
                let one = Bar {
                    id: bar.id.with(index),
                    label: format!("param {} {axis}", self.name),
                    prefix: axis,
                    unit: if stacked || last { bar.unit } else { "" },
                    default,
                    ..bar
                };
                let (_, one) = one.show(ui, *part, width, site.numbers);
                typed = typed.take().or(one.map(|typed| (index, typed)));
            }
        };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            if stacked {
                ui.vertical(&mut all).inner
            } else {
                ui.horizontal_top(&mut all).inner
            }
            if sized {
                let icon = RichText::new(if lock { "🔒" } else { "🔓" }).color(theme::current(ui).dim).size(11.0);
                if small(ui, icon, true, &format!("lock {}", self.name), "Keep proportions") {
                    lock = !lock;
                    ui.data_mut(|data| data.insert_temp(lock_id, lock));
                }
            }
        });
        let (index, typed) = typed?;
        let before = parts.get(index).copied().unwrap_or_default();
        Some(Change::Set(match typed {
            TypedValue::Number(new) if lock && before != 0.0 => {
                ParamValue::Vector(parts.iter().map(|part| bar.fit(tidy(part * new / before))).collect())
            }
            TypedValue::Number(new) => {
                let one = |(place, part): (usize, &f64)| if place == index { new } else { *part };
                ParamValue::Vector(parts.iter().enumerate().map(one).collect())
            }
            // If one part is an expression, the whole vector becomes one.
            TypedValue::Text(text) => {
                let one = |(place, part): (usize, &f64)| {
                    if place == index { text.clone() } else { text_from_value(&ParamValue::Number(*part)) }
                };
                let parts: Vec<String> = parts.iter().enumerate().map(one).collect();
                ParamValue::Expression(format!("[{}]", parts.join(", ")))
            }
        }))
    }
}

/// A list of names for a whole number; the arrow keys step through them.
fn choose(ui: &mut Ui, name: &str, choices: &[String], low: i64, value: Option<i64>) -> Option<i64> {
    let label = |index: i64| choices.get(usize::try_from(index - low).ok()?).cloned();
    let mut chosen = None;
    let text = value.map_or_else(|| "mixed".into(), |value| label(value).unwrap_or_else(|| value.to_string()));
    let combo = egui::ComboBox::from_id_salt(name).selected_text(WidgetText::from(text)).truncate();
    let response = combo.width(ui.available_width()).height(HEIGHT * 12.0).show_ui(ui, |ui| {
        for (index, choice) in (low..).zip(choices) {
            if ui.selectable_label(Some(index) == value, choice).clicked() {
                chosen = Some(index);
            }
        }
    });
    let response = response.response;
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, enabled, format!("param {name}")));
    if response.has_focus()
        && let Some(value) = value
    {
        let filter = EventFilter { vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let pressed = |key| i64::from(ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)));
        let last = low + choices.len() as i64 - 1;
        let next = (value + pressed(Key::ArrowDown) - pressed(Key::ArrowUp)).clamp(low, last);
        chosen = chosen.or((next != value).then_some(next));
    }
    chosen
}
