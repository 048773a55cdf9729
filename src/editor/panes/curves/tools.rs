//! The bar above the plot, its menu, and what both and the keyboard ask for.

use std::collections::BTreeSet;

use eframe::egui::{self, Button, Response, RichText, Ui};

use super::clip;
use super::state::{CurvePane, Wish};
use super::track::{Kind, Spot, Track};
use crate::curve::{Keyframes, Tangent};
use crate::model::session::Session;
use crate::toolkit::number::number_field;
use crate::toolkit::theme;

impl CurvePane {
    /// Tangents, snapping, auto-key, and the numbers of a single selected key.
    pub(super) fn tools(&mut self, ui: &mut Ui, session: &mut Session, tracks: &[Track]) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let kinds = self.kinds(tracks);
            for (kind, name, doc) in Kind::ALL {
                let on = kinds.as_slice() == [kind];
                let button = Button::new(RichText::new(name).small()).selected(on);
                let response = ui.add_enabled(!self.chosen.is_empty(), button);
                response.widget_info(|| {
                    egui::WidgetInfo::selected(egui::WidgetType::Button, true, on, format!("tangent {name}"))
                });
                if response.on_hover_text(doc).clicked() {
                    self.wishes.push(Wish::Kind(kind));
                }
            }
            ui.separator();
            let mut snap = !self.between;
            let hint = "Keys move by whole frames. Ctrl does the opposite while dragging";
            self.between = {
                ui.checkbox(&mut snap, RichText::new("Snap").small()).on_hover_text(hint);
                !snap
            };
            let mut auto = session.auto_key();
            let hint = "Changing a value that has keys sets a key at the present frame";
            if ui.checkbox(&mut auto, RichText::new("Auto-key").small()).on_hover_text(hint).changed() {
                session.set_auto_key(auto);
            }
            let hint = "Each curve fills the height of the plot, so that curves of different sizes are seen together";
            let normalized = ui.checkbox(&mut self.normalized, RichText::new("Normalize").small());
            if normalized.on_hover_text(hint).changed() {
                self.wishes.push(Wish::Fit);
            }
            if ui.add(Button::new(RichText::new("Fit").small())).on_hover_text("Show all keys (F)").clicked() {
                self.wishes.push(Wish::Fit);
            }
            ui.separator();
            self.numbers(ui, session, tracks);
        });
    }

    /// Frame and value of the selected key.
    fn numbers(&mut self, ui: &mut Ui, session: &mut Session, tracks: &[Track]) {
        let faint = theme::current(ui).faint;
        let (Some(spot), 1) = (self.chosen.first().cloned(), self.chosen.len()) else {
            let text = match self.chosen.len() {
                0 => "Double-click a curve to add a key".to_string(),
                count => format!("{count} keys selected"),
            };
            ui.label(RichText::new(text).small().color(faint));
            return;
        };
        let Some(track) = tracks.iter().find(|track| track.path() == spot.value) else { return };
        let Some(key) = track.keys.keys.get(spot.key) else { return };
        let (mut frame, mut value) = (key.frame, key.value.get(spot.part).copied().unwrap_or_default());
        ui.label(RichText::new("frame").small().color(faint));
        let places = if self.between { 2 } else { 0 };
        let moved = ui.add(number_field(ui, &mut frame).range(0.0..=1e9).speed(0.2).max_decimals(places)).changed();
        ui.label(RichText::new("value").small().color(faint));
        let speed = 0.01 * value.abs().max(0.1);
        let set = ui.add(number_field(ui, &mut value).speed(speed).max_decimals(6)).changed();
        if moved || set {
            let mut keys = track.keys.clone();
            if let Some(key) = keys.keys.get_mut(spot.key) {
                key.frame = frame;
                key.value.iter_mut().skip(spot.part).take(1).for_each(|part| *part = track.fit(value));
            }
            let order = keys.sort(|index| index == spot.key);
            let key = order.iter().position(|old| *old == spot.key).unwrap_or_default();
            self.chosen = BTreeSet::from([Spot { key, ..spot }]);
            session.set_curves("key values", &[(track.node.clone(), track.param.clone(), keys)]);
        }
    }

    /// The kinds of the selected keys' tangents, each once.
    fn kinds(&self, tracks: &[Track]) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for spot in &self.chosen {
            let track = tracks.iter().find(|track| track.path() == spot.value);
            let kind = track.and_then(|track| track.keys.keys.get(spot.key)).map(|key| Kind::of(&key.tangent));
            if let Some(kind) = kind.filter(|kind| !kinds.contains(kind)) {
                kinds.push(kind);
            }
        }
        kinds
    }

    pub(super) fn menu(&mut self, response: &Response) {
        response.context_menu(|ui| {
            let some = !self.chosen.is_empty();
            let mut entry = |ui: &mut Ui, name: &str, keys: &str, enabled: bool, wish: Wish| {
                let keys = RichText::new(keys).color(theme::current(ui).faint);
                if ui.add_enabled(enabled, Button::new(name).shortcut_text(keys)).clicked() {
                    self.wishes.push(wish);
                }
            };
            for (index, (kind, name, _)) in Kind::ALL.into_iter().enumerate() {
                entry(ui, name, &(index + 1).to_string(), some, Wish::Kind(kind));
            }
            ui.separator();
            entry(ui, "Copy keys", "Ctrl+C", some, Wish::Copy);
            entry(ui, "Cut keys", "Ctrl+X", some, Wish::Cut);
            entry(ui, "Delete keys", "Del", some, Wish::Delete);
            ui.separator();
            entry(ui, "Select all", "A", true, Wish::SelectAll);
            entry(ui, "Fit", "F", true, Wish::Fit);
        });
    }

    /// Carries out what was asked for.
    pub(super) fn fulfil(
        &mut self,
        ctx: &egui::Context,
        session: &mut Session,
        tracks: &[Track],
    ) -> Result<(), String> {
        for wish in std::mem::take(&mut self.wishes) {
            let changes = !matches!(wish, Wish::SelectAll | Wish::Fit | Wish::Copy);
            if changes && !session.editable() {
                continue;
            }
            match wish {
                Wish::Fit => self.sight = None,
                Wish::SelectAll => self.chosen = self.spots(tracks).map(|(spot, _)| spot).collect(),
                Wish::Copy | Wish::Cut => {
                    if let Some(text) = clip::copy(tracks, &self.chosen) {
                        ctx.copy_text(text);
                        if wish == Wish::Cut {
                            self.delete("cut keys", session, tracks);
                        }
                    }
                }
                Wish::Delete => self.delete("delete keys", session, tracks),
                Wish::Paste(text) => self.paste(&text, session, tracks)?,
                Wish::Kind(kind) => self.change("tangents", session, tracks, |keys, index| give(keys, index, kind)),
            }
        }
        Ok(())
    }

    /// Changes the selected keys of each value.
    fn change(
        &mut self,
        gesture: &str,
        session: &mut Session,
        tracks: &[Track],
        change: impl Fn(&mut Keyframes, &BTreeSet<usize>),
    ) {
        let mut curves = Vec::new();
        for track in tracks {
            let path = track.path();
            let spots = self.chosen.iter().filter(|spot| spot.value == path);
            let indices: BTreeSet<usize> = spots.map(|spot| spot.key).collect();
            if !indices.is_empty() {
                let mut keys = track.keys.clone();
                change(&mut keys, &indices);
                curves.push((track.node.clone(), track.param.clone(), keys));
            }
        }
        session.set_curves(gesture, &curves);
        session.end_gesture();
    }

    fn delete(&mut self, gesture: &str, session: &mut Session, tracks: &[Track]) {
        self.change(gesture, session, tracks, |keys, indices| {
            let mut index = 0;
            keys.keys.retain(|_| {
                index += 1;
                !indices.contains(&(index - 1))
            });
        });
        self.chosen.clear();
    }

    /// Pastes at the present frame, and selects what was pasted.
    fn paste(&mut self, text: &str, session: &mut Session, tracks: &[Track]) -> Result<(), String> {
        let targets = self.chosen.iter().map(|spot| spot.value.clone()).collect();
        let pasted = clip::paste(text, tracks, &targets, session.frame() as f64)?;
        self.chosen.clear();
        let mut curves = Vec::new();
        for (place, keys, frames) in pasted {
            let Some(track) = tracks.get(place) else { continue };
            for key in frames.iter().filter_map(|frame| keys.index_at(*frame)) {
                let spot = |part| Spot { value: track.path(), key, part };
                self.chosen.extend((0..keys.components()).map(spot));
            }
            curves.push((track.node.clone(), track.param.clone(), keys));
        }
        session.set_curves("paste keys", &curves);
        session.end_gesture();
        Ok(())
    }
}

fn give(keys: &mut Keyframes, indices: &BTreeSet<usize>, kind: Kind) {
    for index in indices {
        let tangent = match kind {
            Kind::Auto => Tangent::Auto,
            Kind::Linear => Tangent::Linear,
            Kind::Step => Tangent::Step,
            Kind::Free => {
                keys.free(*index);
                continue;
            }
        };
        if let Some(key) = keys.keys.get_mut(*index) {
            key.tangent = tangent;
        }
    }
}
