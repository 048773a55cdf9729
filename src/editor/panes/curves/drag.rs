//! What the pointer does in the plot: keys and handles are moved, a box selects, the view is moved.

use std::collections::BTreeSet;

use eframe::egui::{CursorIcon, Modifiers, PointerButton, Pos2, Rect, Response, Ui};

use super::paint;
use super::plot::{Plot, RULER, Sight};
use super::state::{CurvePane, Drag, Grip, Hit};
use super::track::{Spot, Track};
use crate::curve::Tangent;
use crate::model::session::Session;

/// How near the pointer has to be to grab something \[points\].
const GRIP: f32 = 8.0;
/// The name of the gesture in the undo history.
const GESTURE: &str = "move keys";

impl CurvePane {
    /// The key or the handle near a point.
    pub(super) fn near(&self, plot: &Plot, tracks: &[Track], at: Pos2) -> Option<Hit> {
        let track = |spot: &Spot| tracks.iter().find(|track| track.path() == spot.value);
        let handles = self.chosen.iter().flat_map(|spot| [(spot, false), (spot, true)]);
        let handles = handles.filter(|(spot, _)| track(spot).is_some_and(|track| self.shows(track, spot.part)));
        let handle = handles.filter_map(|(spot, after)| {
            let end = paint::handle(plot, self, track(spot)?, spot, after)?;
            Some((end.distance(at), Hit::Handle(spot.clone(), after)))
        });
        let key = self.spots(tracks).map(|(spot, place)| (plot.position_of(place).distance(at), Hit::Key(spot)));
        let nearest = |found: Vec<(f32, Hit)>| {
            let near = found.into_iter().filter(|(distance, _)| *distance < GRIP);
            near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, hit)| hit)
        };
        nearest(key.collect()).or_else(|| nearest(handle.collect()))
    }

    /// All points that are shown, with frame and value.
    pub(super) fn spots<'t>(&'t self, tracks: &'t [Track]) -> impl Iterator<Item = (Spot, (f64, f64))> + 't {
        tracks.iter().flat_map(move |track| {
            let parts = (0..track.keys.components()).filter(|part| self.shows(track, *part));
            parts.flat_map(move |part| {
                let keys = track.keys.keys.iter().enumerate();
                keys.filter_map(move |(key, at)| {
                    let up = self.up(track, part, *at.value.get(part)?);
                    Some((Spot { value: track.path(), key, part }, (at.frame, up)))
                })
            })
        })
    }

    /// The wheel zooms around the pointer: frames alone with Ctrl, values alone with Shift.
    pub(super) fn zoom(&mut self, ui: &Ui, response: &Response, plot: &Plot) {
        let Some(at) = response.hover_pos().filter(|_| self.drag.is_none()) else { return };
        let (wheel, pinch, modifiers) = ui.input(|input| {
            (input.smooth_scroll_delta.y + input.smooth_scroll_delta.x, input.zoom_delta(), input.modifiers)
        });
        let factor = f64::from((-wheel * 0.004).exp());
        let by = match (pinch != 1.0, modifiers.shift) {
            (true, _) => (1.0 / f64::from(pinch), 1.0),
            (_, true) => (1.0, factor),
            _ => (factor, factor),
        };
        if by != (1.0, 1.0) {
            self.sight = Some(plot.sight.zoomed((plot.frame(at.x), plot.value(at.y)), by));
        }
    }

    /// Carries out what the pointer does. Returns whether curves have changed.
    pub(super) fn gesture(
        &mut self,
        ui: &Ui,
        response: &Response,
        plot: &Plot,
        session: &mut Session,
        tracks: &[Track],
    ) -> bool {
        let modifiers = ui.input(|input| input.modifiers);
        let hit = |pane: &CurvePane, at: Option<Pos2>| at.and_then(|at| pane.near(plot, tracks, at));
        let pressed = ui.input(|input| input.pointer.press_origin());
        if response.double_clicked_by(PointerButton::Primary)
            && let Some(at) = response.interact_pointer_pos()
            && hit(self, Some(at)).is_none()
        {
            return self.insert(plot, session, tracks, at);
        }
        if response.clicked_by(PointerButton::Primary) {
            let at = response.interact_pointer_pos();
            match hit(self, at) {
                None if at.is_some_and(|at| at.y < plot.rect.top() + RULER) => {
                    self.dragged_frame = at.map(|at| plot.frame(at.x).round().max(0.0) as u64);
                }
                Some(Hit::Key(spot)) => self.choose(spot, modifiers),
                None if !modifiers.shift => self.chosen.clear(),
                _ => {}
            }
        }
        if response.drag_started() && pressed.is_some() {
            self.begin(response, plot, tracks, hit(self, pressed), pressed.unwrap_or_default(), modifiers, session);
        }
        let mut changed = false;
        if let (Some(drag), Some(at)) = (self.drag.take(), ui.input(|input| input.pointer.latest_pos())) {
            changed = self.follow(&drag, plot, at, modifiers, session);
            if response.dragged() {
                self.drag = Some(drag);
            } else {
                session.end_gesture();
            }
        }
        if response.hovered() {
            let cursor = match hit(self, response.hover_pos()) {
                Some(_) => CursorIcon::Grab,
                None => CursorIcon::Default,
            };
            ui.ctx().set_cursor_icon(cursor);
        }
        changed
    }

    fn choose(&mut self, spot: Spot, modifiers: Modifiers) {
        match (modifiers.shift, self.chosen.contains(&spot)) {
            (true, true) => _ = self.chosen.remove(&spot),
            (true, false) => _ = self.chosen.insert(spot),
            (false, _) => self.chosen = BTreeSet::from([spot]),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a gesture keeps all of it")]
    fn begin(
        &mut self,
        response: &Response,
        plot: &Plot,
        tracks: &[Track],
        hit: Option<Hit>,
        from: Pos2,
        modifiers: Modifiers,
        session: &Session,
    ) {
        let grip = match hit {
            _ if response.dragged_by(PointerButton::Middle) => Grip::Pan,
            _ if !response.dragged_by(PointerButton::Primary) => return,
            Some(_) if !session.editable() => return,
            Some(Hit::Key(spot)) => {
                if !self.chosen.contains(&spot) {
                    self.choose(spot.clone(), modifiers);
                }
                Grip::Hit(Hit::Key(spot))
            }
            Some(handle) => Grip::Hit(handle),
            None if from.y < plot.rect.top() + RULER => Grip::Playhead,
            None => Grip::Box,
        };
        if matches!(grip, Grip::Box) && !modifiers.shift {
            self.chosen.clear();
        }
        let (tracks, chosen) = (tracks.to_vec(), self.chosen.clone());
        self.drag = Some(Drag { grip, from, tracks, chosen, sight: plot.sight });
    }

    fn follow(&mut self, drag: &Drag, plot: &Plot, at: Pos2, modifiers: Modifiers, session: &mut Session) -> bool {
        match &drag.grip {
            Grip::Pan => {
                let by = (plot.frame(drag.from.x) - plot.frame(at.x), plot.value(drag.from.y) - plot.value(at.y));
                let (frames, values) = (drag.sight.frames, drag.sight.values);
                let moved = |(low, high): (f64, f64), by: f64| (low + by, high + by);
                self.sight = Some(Sight { frames: moved(frames, by.0), values: moved(values, by.1) });
                false
            }
            Grip::Playhead => {
                self.dragged_frame = Some(plot.frame(at.x).round().max(0.0) as u64);
                false
            }
            Grip::Box => {
                let area = Rect::from_two_pos(drag.from, at);
                let inside = self.spots(&drag.tracks).filter(|(_, place)| area.contains(plot.position_of(*place)));
                self.chosen = inside.map(|(spot, _)| spot).chain(drag.chosen.iter().cloned()).collect();
                false
            }
            Grip::Hit(Hit::Key(grabbed)) => self.move_keys(drag, grabbed, plot, at, modifiers, session),
            Grip::Hit(Hit::Handle(spot, after)) => {
                let by_value = drag.tracks.iter().find(|track| track.path() == spot.value);
                let Some(track) = by_value else { return false };
                let span = self.span(track, spot.part);
                let Some(turned) = turned((track, span), spot, *after, plot, at, modifiers) else { return false };
                session.set_curves(GESTURE, &[(track.node.clone(), track.param.clone(), turned)]);
                true
            }
        }
    }

    /// Moves the selected keys; those that they meet are replaced.
    fn move_keys(
        &mut self,
        drag: &Drag,
        grabbed: &Spot,
        plot: &Plot,
        at: Pos2,
        modifiers: Modifiers,
        session: &mut Session,
    ) -> bool {
        let by = at - drag.from;
        let along = modifiers.shift.then_some(by.x.abs() >= by.y.abs());
        let frames = if along == Some(false) { 0.0 } else { plot.frame(at.x) - plot.frame(drag.from.x) };
        let value = if along == Some(true) { 0.0 } else { plot.value(at.y) - plot.value(drag.from.y) };
        let frame_of = |spot: &Spot| {
            let track = drag.tracks.iter().find(|track| track.path() == spot.value)?;
            Some(track.keys.keys.get(spot.key)?.frame)
        };
        // The key under the pointer comes to lie on a frame, and none before frame 0.
        let between = self.between != (modifiers.command || modifiers.ctrl);
        let start = frame_of(grabbed).unwrap_or_default();
        let frames = if frames == 0.0 { 0.0 } else { plot.rounded_frame(start + frames, between) - start };
        let first = drag.chosen.iter().filter_map(frame_of).fold(f64::INFINITY, f64::min);
        let frames = frames.max(-first);
        let mut chosen = BTreeSet::new();
        let mut curves = Vec::new();
        for track in &drag.tracks {
            let path = track.path();
            let spots: Vec<&Spot> = drag.chosen.iter().filter(|spot| spot.value == path).collect();
            if spots.is_empty() {
                continue;
            }
            let mut keys = track.keys.clone();
            let moved: BTreeSet<usize> = spots.iter().map(|spot| spot.key).collect();
            for index in &moved {
                if let Some(key) = keys.keys.get_mut(*index) {
                    key.frame += frames;
                }
            }
            for spot in &spots {
                let part = keys.keys.get_mut(spot.key).and_then(|key| key.value.get_mut(spot.part));
                if let Some(part) = part.filter(|_| value != 0.0) {
                    let (_, range) = self.span(track, spot.part);
                    *part = track.fit(plot.rounded(*part + value * range, range));
                }
            }
            let order = keys.sort(|index| moved.contains(&index));
            let now = |spot: &&Spot| {
                let key = order.iter().position(|old| *old == spot.key)?;
                Some(Spot { key, ..(*spot).clone() })
            };
            chosen.extend(spots.iter().filter_map(now));
            curves.push((track.node.clone(), track.param.clone(), keys));
        }
        self.chosen = chosen;
        session.set_curves(GESTURE, &curves);
        true
    }

    /// Inserts a key on the curve near a point. Returns whether there is one.
    fn insert(&mut self, plot: &Plot, session: &mut Session, tracks: &[Track], at: Pos2) -> bool {
        let frame = plot.rounded_frame(plot.frame(at.x), self.between).max(0.0);
        let parts = tracks.iter().flat_map(|track| (0..track.keys.components()).map(move |part| (track, part)));
        let shown = parts.filter(|(track, part)| self.shows(track, *part));
        let distance = |track: &Track, part: usize| {
            let frame = plot.frame(at.x);
            plot.position_of((frame, self.up(track, part, track.keys.component(part, frame)))).distance(at)
        };
        let nearest = shown.min_by(|a, b| distance(a.0, a.1).total_cmp(&distance(b.0, b.1)));
        let Some((track, part)) = nearest.filter(|(track, part)| distance(track, *part) < 2.0 * GRIP) else {
            return false;
        };
        if !session.editable() {
            return false;
        }
        let mut keys = track.keys.clone();
        let rounded = |(part, value): (usize, &f64)| track.fit(plot.rounded(*value, self.span(track, part).1));
        let now: Vec<f64> = keys.at(frame).iter().take(keys.components()).enumerate().map(rounded).collect();
        keys.set(frame, &now);
        let key = keys.index_at(frame).unwrap_or_default();
        self.chosen = BTreeSet::from([Spot { value: track.path(), key, part }]);
        session.set_curves("insert key", &[(track.node.clone(), track.param.clone(), keys)]);
        session.end_gesture();
        true
    }
}

/// The keys with a handle turned towards the pointer. The other side follows where the key was smooth, unless Alt is held.
fn turned(
    (track, (low, range)): (&Track, (f64, f64)),
    spot: &Spot,
    after: bool,
    plot: &Plot,
    at: Pos2,
    modifiers: Modifiers,
) -> Option<crate::curve::Keyframes> {
    let mut keys = track.keys.clone();
    let key = keys.keys.get(spot.key)?;
    let place = plot.position_of((key.frame, (*key.value.get(spot.part)? - low) / range));
    // A handle stays on its side.
    let x = if after { at.x.max(place.x + 2.0) } else { at.x.min(place.x - 2.0) };
    let slope = range * (plot.value(at.y) - plot.value(place.y)) / (plot.frame(x) - plot.frame(place.x));
    let slope: f64 = format!("{slope:.3e}").parse().ok()?;
    let (before, behind) = keys.slopes(spot.key, spot.part);
    let smooth = (before - behind).abs() <= 1e-9 * (before.abs() + behind.abs());
    keys.free(spot.key);
    let Tangent::Free(first, second) = &mut keys.keys.get_mut(spot.key)?.tangent else { return None };
    let (near, far) = if after { (second, first) } else { (first, second) };
    *near.get_mut(spot.part)? = slope;
    if smooth && !modifiers.alt {
        *far.get_mut(spot.part)? = slope;
    }
    Some(keys)
}
