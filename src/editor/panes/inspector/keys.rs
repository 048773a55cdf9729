//! Keys of a value in its row: the diamond that inserts and removes the key at the present frame, and the present value.

use eframe::egui::{self, Color32, CornerRadius, Id, Pos2, Sense, Shape, Stroke, Ui, WidgetInfo, WidgetType, vec2};

use super::expression::{self, Rules};
use super::field::Field;
use super::numbers::{components, constant_from, tidy};
use super::value::{Change, Site};
use crate::curve::Keyframes;
use crate::document::ParamValue;
use crate::stage::header::ParamType;
use crate::stage::types::{Scalar, ValueType};
use crate::toolkit::row::{HEIGHT, SMALL};
use crate::toolkit::theme;

/// Half the width of a diamond \[points\].
const DIAMOND: f32 = 4.5;

/// Keys of a row, and the present frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    pub frame: u64,
    /// A change of the present value sets a key.
    pub auto: bool,
}

/// Requests a key for the row that the pointer is over, in this pass.
pub(crate) fn ask(ctx: &egui::Context) {
    ctx.data_mut(|data| data.insert_temp(request_id(), true));
}

/// Whether a requested key found no row. The request ends.
pub(crate) fn unanswered(ctx: &egui::Context) -> bool {
    ctx.data_mut(|data| data.remove_temp::<bool>(request_id())).unwrap_or_default()
}

fn request_id() -> Id {
    Id::new("key asked for")
}

/// A diamond: an outline, or filled.
pub(crate) fn diamond(at: Pos2, size: f32, fill: Color32, line: Color32) -> Shape {
    let corners = vec![at - vec2(0.0, size), at + vec2(size, 0.0), at + vec2(0.0, size), at - vec2(size, 0.0)];
    Shape::convex_polygon(corners, fill, Stroke::new(1.2, line))
}

impl Field<'_> {
    /// Whether the value may have keys.
    pub(super) fn keyable(&self, site: &Site<'_>) -> bool {
        site.clock.is_some() && self.computable(site)
    }

    /// The value of keys at the present frame, without their expression.
    pub(super) fn present(&self, site: &Site<'_>, keys: &Keyframes) -> ParamValue {
        let now = keys.at(site.clock.map_or(0.0, |clock| clock.frame as f64));
        let mut now: Vec<f64> = now.iter().take(keys.components()).map(|part| tidy(*part)).collect();
        if self.whole() {
            now.iter_mut().for_each(|part| *part = part.round());
        }
        ParamValue::from_numbers(&now)
    }

    /// Whether a change of the present value sets a key.
    pub(super) fn settable(&self, site: &Site<'_>, keys: &Keyframes) -> bool {
        site.clock.is_some_and(|clock| clock.auto || keys.index_at(clock.frame as f64).is_some())
    }

    fn whole(&self) -> bool {
        match self.ty {
            ParamType::Bool => true,
            ty => ty.value().scalar() != Scalar::F32,
        }
    }

    /// The numbers of the value at the present frame.
    fn now(&self, site: &Site<'_>, current: &ParamValue) -> Vec<f64> {
        let constant = match current {
            ParamValue::Keys(keys) => self.present(site, keys),
            ParamValue::Expression(text) => match &site.now {
                Some(now) => ParamValue::from_numbers(&now.iter().map(|part| tidy(*part)).collect::<Vec<_>>()),
                None => constant_from(text, site.numbers).unwrap_or(self.default.clone()),
            },
            constant => constant.clone(),
        };
        let count = match self.ty {
            ParamType::Color => 4,
            ParamType::Value(ty @ (ValueType::Vec | ValueType::Vec2 | ValueType::Vec3 | ValueType::Vec4)) => {
                ty.components(self.dim) as usize
            }
            _ => 1,
        };
        components(&constant, self.ty).into_iter().take(count).collect()
    }

    /// The diamond: empty, an outline where there are keys, filled where one is at the present frame. Also answers a key that was
    /// requested for the row under the pointer.
    pub(super) fn key_button(
        &self,
        ui: &mut Ui,
        site: &Site<'_>,
        current: &ParamValue,
        row: egui::Rect,
    ) -> Option<Change> {
        let frame = site.clock?.frame;
        let keys = current.keys();
        let here = keys.is_some_and(|keys| keys.index_at(frame as f64).is_some());
        let (rect, response) = ui.allocate_exact_size(vec2(SMALL, HEIGHT), Sense::click());
        let enabled = response.enabled();
        let name = format!("key {}", self.name);
        response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, enabled, here, &name));
        let look = theme::current(ui);
        if enabled && (response.hovered() || response.has_focus()) {
            ui.painter().rect_filled(rect, CornerRadius::same(4), look.button[0]);
        }
        let (fill, line) = match (here, keys) {
            (true, _) => (look.accent, look.accent),
            (false, Some(_)) => (Color32::TRANSPARENT, look.accent),
            (false, None) => (Color32::TRANSPARENT, look.faint),
        };
        ui.painter().add(diamond(rect.center(), DIAMOND, fill, line));
        let hint = match (here, current) {
            (true, _) => format!("Remove key at frame {frame}"),
            (_, ParamValue::Expression(_)) => format!("Insert key at frame {frame}, in place of the expression"),
            _ => format!("Insert key at frame {frame}"),
        };
        let clicked = response.on_hover_text(hint).clicked();
        let wanted = enabled && ui.rect_contains_pointer(row) && unanswered(ui.ctx());
        if !(clicked || wanted) {
            return None;
        }
        Some(if here { Change::Unkey } else { Change::Key { now: self.now(site, current), whole: self.whole() } })
    }

    /// The present value of keys, and below it their expression.
    pub(super) fn keyed(&self, ui: &mut Ui, site: &Site<'_>, keys: &Keyframes, changed: bool) -> Option<Change> {
        let frame = site.clock.map_or(0, |clock| clock.frame);
        let settable = self.settable(site, keys);
        let present = self.present(site, keys);
        let shown = ui.add_enabled_ui(settable, |ui| self.constant(ui, site, &present, changed));
        if !settable {
            let hint = format!("No key at frame {frame}. Insert one, or switch auto-key on, to change the value");
            shown.response.on_disabled_hover_text(hint);
        }
        let Some(text) = &keys.expr else { return shown.inner };
        let mut numbers = site.numbers.clone();
        let now = keys.at(frame as f64);
        let curve = crate::expr::Number::vector(now.get(..keys.components()).unwrap_or(&now));
        numbers.extend(curve.map(|curve| (crate::expr::KEYFRAMES.to_string(), curve)));
        let rules = Rules::Expression { numbers: &numbers, now: site.now.as_deref() };
        let typed = expression::field(ui, site.id.with("expr"), &format!("keys of {}", self.name), text, &rules);
        let changed = typed.map(|text| {
            let expr = Some(text).filter(|text| !text.trim().is_empty());
            Change::Set(ParamValue::Keys(Keyframes { expr, ..keys.clone() }))
        });
        shown.inner.or(changed)
    }
}
