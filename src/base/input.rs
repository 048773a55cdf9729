//! The input of one frame, and recorded tracks of it: pointer positions as keys of a curve, and spans of held keys.
//!
//! ```ron
//! (repeat: true, pointer: [
//!     (t: 0.0, x: 0.1, y: 0.5, buttons: 1),
//!     (t: 1.5, x: 0.9, y: 0.5),
//! ], keys: [(from: 0.5, to: 1.0, keys: 1)])
//! ```

use serde::{Deserialize, Serialize};

/// How far a recorded track may deviate from the live pointer: a fifth of a pixel of an image 1,000 pixels wide.
const RECORDING_TOLERANCE: f32 = 0.0002;
/// Pointers outside the image are fine, but not by more than the size of the image.
const COORDINATES: std::ops::RangeInclusive<f32> = -1.0..=2.0;

/// Input of one frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameInput {
    /// Length of the frame \[s\]; `None` is 1/fps of the document.
    pub dt: Option<f32>,
    /// Pointer, 0..1 from the lower left.
    pub mouse: [f32; 2],
    /// \[1/s\]
    pub mouse_velocity: [f32; 2],
    /// Bits: 1 left, 2 right, 4 middle.
    pub buttons: u32,
    /// Bits: 1 space.
    pub keys: u32,
}

impl Default for FrameInput {
    fn default() -> Self {
        FrameInput { dt: None, mouse: [0.5; 2], mouse_velocity: [0.0; 2], buttons: 0, keys: 0 }
    }
}

/// A pointer and keys over time, read from RON or recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InputTrack {
    /// Whether the track starts over at the last pointer key's time (without pointer keys, at the end of the last span).
    pub repeat: bool,
    /// Positions of the pointer, in order of time.
    pub pointer: Vec<PointerKey>,
    /// Spans of keys, in any order. They may overlap: the bits of overlapping spans are combined.
    pub keys: Vec<KeySpan>,
}

/// Position of the pointer at a time; between keys it follows a curve through them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointerKey {
    /// \[s\]
    pub t: f32,
    /// 0..1 from the left.
    pub x: f32,
    /// 0..1 from below.
    pub y: f32,
    /// Buttons held from here to the next key. Bits: 1 left, 2 right, 4 middle.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub buttons: u32,
}

/// Keys held from one time \[s\] up to another, that one excluded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySpan {
    /// Start \[s\].
    pub from: f32,
    /// End \[s\].
    pub to: f32,
    /// Bits: 1 space.
    pub keys: u32,
}

// The signature that serde calls.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

/// Why a track is refused, in one sentence. Keys count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The text is not valid RON.
    #[error("the input track is not valid RON at line {line}, column {column}: {message}")]
    Ron {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The parser's error.
        message: String,
    },
    /// A time or coordinate is NaN or infinite.
    #[error("pointer key {index} has a time or coordinate that is not finite")]
    PointerNotFinite {
        /// The key.
        index: usize,
    },
    /// A key does not come after the previous one.
    #[error("pointer key {index} at {t} s does not come after the key before it at {before} s; sort them by time")]
    PointerOrder {
        /// The key.
        index: usize,
        /// Time of the key \[s\].
        t: f32,
        /// Time of the previous key \[s\].
        before: f32,
    },
    /// A position is too far outside of the image.
    #[error("pointer key {index} lies at {x}, {y}; coordinates run from 0 to 1 over the image and may go from -1 to 2")]
    PointerRange {
        /// The key.
        index: usize,
        /// Fraction of the image's width.
        x: f32,
        /// Fraction of the image's height.
        y: f32,
    },
    /// A span ends before it begins.
    #[error("key span {index} goes from {from} s to {to} s; it must end after it begins")]
    Span {
        /// The span.
        index: usize,
        /// Start of the span \[s\].
        from: f32,
        /// End of the span \[s\].
        to: f32,
    },
    /// A repeating track has no duration.
    #[error("a repeating track needs its last key after 0 s, not at {end} s")]
    Repeat {
        /// Time of its last key \[s\].
        end: f32,
    },
    /// The track cannot be written as text.
    #[error("the input track cannot be written: {message}")]
    Write {
        /// The serializer's error.
        message: String,
    },
}

impl InputTrack {
    /// Reads and checks a track.
    ///
    /// # Errors
    /// What is wrong and at which line or key.
    pub fn parse(text: &str) -> Result<InputTrack, InputError> {
        let track: InputTrack = ron::from_str(text).map_err(|error| InputError::Ron {
            line: error.span.start.line,
            column: error.span.start.col,
            message: error.code.to_string(),
        })?;
        track.check()?;
        Ok(track)
    }

    /// The track as RON, one key per line.
    ///
    /// # Errors
    /// A value that RON cannot write. This does not happen for a checked or recorded track.
    pub fn to_ron(&self) -> Result<String, InputError> {
        let pretty = ron::ser::PrettyConfig::new().depth_limit(2);
        ron::ser::to_string_pretty(self, pretty).map_err(|error| InputError::Write { message: error.to_string() })
    }

    /// Checks a track that was built in memory for everything that `parse` requires.
    ///
    /// # Errors
    /// The first fault and its key.
    pub fn check(&self) -> Result<(), InputError> {
        let mut before: Option<f32> = None;
        for (index, &PointerKey { t, x, y, .. }) in self.pointer.iter().enumerate() {
            if ![t, x, y].into_iter().all(f32::is_finite) {
                return Err(InputError::PointerNotFinite { index });
            }
            if let Some(before) = before.filter(|&before| t <= before) {
                return Err(InputError::PointerOrder { index, t, before });
            }
            if !COORDINATES.contains(&x) || !COORDINATES.contains(&y) {
                return Err(InputError::PointerRange { index, x, y });
            }
            before = Some(t);
        }
        for (index, &KeySpan { from, to, .. }) in self.keys.iter().enumerate() {
            if !(from.is_finite() && to.is_finite() && from < to) {
                return Err(InputError::Span { index, from, to });
            }
        }
        let empty = self.pointer.is_empty() && self.keys.is_empty();
        match self.end() {
            end if self.repeat && !empty && end <= 0.0 => Err(InputError::Repeat { end }),
            _ => Ok(()),
        }
    }

    /// Time at which a repeating track starts over \[s\].
    fn end(&self) -> f32 {
        let spans = self.keys.iter().map(|span| span.to).fold(0.0, f32::max);
        self.pointer.last().map_or(spans, |key| key.t)
    }

    /// The input of the frame at `time` \[s\] that lasts `dt` \[s\].
    ///
    /// The velocity is the distance that the pointer moved since `time - dt`, divided by `dt`. It is zero when a button
    /// went down in between or the track started over, so that a jump to a new stroke does not count as fast motion.
    pub fn at(&self, time: f64, dt: f32) -> FrameInput {
        let (round, now) = self.local(time);
        let (round_before, before) = self.local(time - f64::from(dt));
        let mouse = position(&self.pointer, now);
        let buttons = self.buttons(now);
        let mut mouse_velocity = [0.0; 2];
        if dt > 0.0 && round == round_before && !self.pressed_between(before, now) {
            let from = position(&self.pointer, before);
            mouse_velocity = [(mouse[0] - from[0]) / dt, (mouse[1] - from[1]) / dt];
        }
        let held = self.keys.iter().filter(|span| span.from <= now && now < span.to);
        FrameInput { dt: Some(dt), mouse, mouse_velocity, buttons, keys: held.fold(0, |bits, span| bits | span.keys) }
    }

    /// Number of the repetition of a repeating track, and the time within it \[s\].
    fn local(&self, time: f64) -> (f64, f32) {
        let end = f64::from(self.end());
        if self.repeat && end > 0.0 && time >= 0.0 {
            // The key at the end is the first moment of the next repetition.
            let local = time.rem_euclid(end) as f32;
            let round = (time / end).floor();
            // A time just before the end may be rounded up to it.
            if local < self.end() { (round, local) } else { (round + 1.0, 0.0) }
        } else {
            (0.0, time as f32)
        }
    }

    fn buttons(&self, t: f32) -> u32 {
        let after = self.pointer.partition_point(|key| key.t <= t);
        after.checked_sub(1).and_then(|at| self.pointer.get(at)).map_or(0, |key| key.buttons)
    }

    /// Whether a button goes down, from none held, after `before` and not later than `now` \[s\].
    fn pressed_between(&self, before: f32, now: f32) -> bool {
        let keys_until = |t: f32| self.pointer.partition_point(|key| key.t <= t);
        let down = |at: usize| self.pointer.get(at).is_some_and(|key| key.buttons != 0);
        (keys_until(before)..keys_until(now)).any(|at| down(at) && !at.checked_sub(1).is_some_and(down))
    }

    /// A track that reproduces the live inputs at their times \[s\], with as few keys as the tolerance allows.
    ///
    /// Velocities are not stored, since they follow from the positions. Inputs are skipped when their time does not
    /// increase or their position is not finite. Positions far outside the image are clamped.
    pub fn recorded(inputs: impl Iterator<Item = (f64, FrameInput)>) -> InputTrack {
        let mut samples: Vec<PointerKey> = Vec::new();
        let mut keys: Vec<KeySpan> = Vec::new();
        let mut frame = 1.0 / 60.0;
        for (time, input) in inputs {
            let ([x, y], t) = (input.mouse, time as f32);
            let last = samples.last().map(|key| key.t);
            if ![t, x, y].into_iter().all(f32::is_finite) || last.is_some_and(|last| t <= last) {
                continue;
            }
            frame = last.map_or(frame, |last| t - last);
            let [x, y] = [x, y].map(|c| c.clamp(*COORDINATES.start(), *COORDINATES.end()));
            samples.push(PointerKey { t, x, y, buttons: input.buttons });
            match keys.last_mut() {
                // A span grows until its keys change; `to` is the frame's start until then.
                Some(span) if Some(span.to) == last && span.keys == input.keys => span.to = t,
                Some(span) if Some(span.to) == last => {
                    span.to = t;
                    keys.push(KeySpan { from: t, to: t, keys: input.keys });
                }
                _ => keys.push(KeySpan { from: t, to: t, keys: input.keys }),
            }
        }
        if let Some(span) = keys.last_mut() {
            span.to += frame;
        }
        keys.retain(|span| span.keys != 0 && span.from < span.to);
        InputTrack { repeat: false, pointer: thinned(&samples), keys }
    }
}

/// The fewest keys whose curve stays within the tolerance at every sample. Starts with the keys where a button changes,
/// and adds the worst sample of each stretch until none exceeds the tolerance.
fn thinned(samples: &[PointerKey]) -> Vec<PointerKey> {
    let turn = |at: usize| {
        let around = at.checked_sub(1).and_then(|before| samples.get(before)).zip(samples.get(at));
        at + 1 == samples.len() || around.is_none_or(|(before, key)| before.buttons != key.buttons)
    };
    let mut kept: Vec<usize> = (0..samples.len()).filter(|&at| turn(at)).collect();
    loop {
        let keys: Vec<PointerKey> = kept.iter().filter_map(|&at| samples.get(at).copied()).collect();
        let mut worst: Vec<usize> = Vec::new();
        for stretch in kept.windows(2) {
            let &[from, to] = stretch else { continue };
            let inner = (from + 1..to).filter_map(|at| Some((at, samples.get(at)?)));
            let strays = inner.map(|(at, key)| (stray(&keys, key), at));
            let furthest = strays.max_by(|a, b| a.0.total_cmp(&b.0));
            worst.extend(furthest.filter(|&(distance, _)| distance > RECORDING_TOLERANCE).map(|(_, at)| at));
        }
        if worst.is_empty() {
            return keys;
        }
        kept.extend(worst);
        kept.sort_unstable();
    }
}

fn stray(keys: &[PointerKey], sample: &PointerKey) -> f32 {
    let [x, y] = position(keys, sample.t);
    (x - sample.x).abs().max((y - sample.y).abs())
}

/// Position at a time on the curve through the keys: Catmull and Rom 1974 for uneven times, with slopes limited as by
/// Fritsch and Carlson 1980, so that a rest before a fast move stays a rest.
fn position(keys: &[PointerKey], t: f32) -> [f32; 2] {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
        return FrameInput::default().mouse;
    };
    let after = keys.partition_point(|key| key.t <= t);
    let Some(from) = after.checked_sub(1) else {
        return [first.x, first.y];
    };
    let (Some(a), Some(b)) = (keys.get(from), keys.get(after)) else {
        return [last.x, last.y];
    };
    let (h, s) = (b.t - a.t, (t - a.t) / (b.t - a.t));
    let (start, end) = (slope(keys, from, from), slope(keys, after, from));
    let (s2, s3) = (s * s, s * s * s);
    let along = |p0: f32, m0: f32, p1: f32, m1: f32| {
        // p0 plus differences: keys are met exactly, and a rest stays at rest to the last bit.
        p0 + (p1 - p0) * (3.0 * s2 - 2.0 * s3) + h * (m0 * (s3 - 2.0 * s2 + s) + m1 * (s3 - s2))
    };
    let [x, y] = [along(a.x, start[0], b.x, end[0]), along(a.y, start[1], b.y, end[1])];
    // Where keys are so close together or so far apart that their slope is not finite, the pointer waits for the next
    // key.
    if x.is_finite() && y.is_finite() { [x, y] } else { [a.x, a.y] }
}

/// Slope at key `at` for the stretch that begins at key `stretch`. Stretches with and without a button do not influence
/// each other: the way to a stroke is not part of it.
fn slope(keys: &[PointerKey], at: usize, stretch: usize) -> [f32; 2] {
    let secant = |from: usize| {
        let (a, b) = (keys.get(from)?, keys.get(from + 1)?);
        let h = b.t - a.t;
        Some((h, [(b.x - a.x) / h, (b.y - a.y) / h]))
    };
    let Some((h, secant_here)) = secant(stretch) else { return [0.0; 2] };
    let down = |from: usize| keys.get(from).is_some_and(|key| key.buttons != 0);
    let neighbor = if at == stretch { at.checked_sub(1) } else { Some(at) };
    let neighbor = neighbor.filter(|&other| down(other) == down(stretch)).and_then(secant);
    let Some((other_h, other)) = neighbor else { return secant_here };
    [0, 1].map(|axis| {
        // Slope of the parabola through the three keys; 3 is the largest that keeps a stretch from overshooting.
        let parabola = (secant_here[axis] * other_h + other[axis] * h) / (h + other_h);
        let limit = 3.0 * secant_here[axis].abs().min(other[axis].abs());
        parabola.max(-limit).min(limit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 1.0 / 60.0;

    fn key(t: f32, x: f32, y: f32, buttons: u32) -> PointerKey {
        PointerKey { t, x, y, buttons }
    }

    fn track(pointer: &[PointerKey]) -> InputTrack {
        InputTrack { pointer: pointer.to_vec(), ..InputTrack::default() }
    }

    #[test]
    fn keys_at_almost_one_time_give_finite_positions() {
        for (early, late) in [(0.0, 1e-45), (-3e38, 3e38)] {
            let text = format!("(pointer: [(t: {early:e}, x: 0.1, y: 0.5), (t: {late:e}, x: 0.9, y: 0.5)])");
            let track = InputTrack::parse(&text).unwrap();
            assert_eq!(track.at(0.0, 1.0 / 60.0).mouse, [0.1, 0.5], "{text}");
        }
    }

    #[test]
    fn ron_reads_with_defaults() {
        let text = "(repeat: true, pointer: [(t: 0.0, x: 0.1, y: 0.5, buttons: 1), (t: 1, x: 0.9, y: 0.5)], keys: [(from: 0, to: 1, keys: 1)])";
        let read = InputTrack::parse(text).unwrap();
        assert_eq!(read.pointer, [key(0.0, 0.1, 0.5, 1), key(1.0, 0.9, 0.5, 0)]);
        assert_eq!((read.repeat, read.keys.len()), (true, 1));
        assert_eq!(InputTrack::parse("()").unwrap(), InputTrack::default());
        assert_eq!(InputTrack::parse(&read.to_ron().unwrap()).unwrap(), read);
    }

    #[test]
    fn faults_name_their_key() {
        for (text, sentence) in [
            (
                "(pointer: [(t: 0, x: 0, y: 0), (t: 0, x: 0, y: 0)])",
                "pointer key 1 at 0 s does not come after the key before it at 0 s; sort them by time",
            ),
            (
                "(pointer: [(t: 0, x: 0, y: 0), (t: 1, x: inf, y: 0)])",
                "pointer key 1 has a time or coordinate that is not finite",
            ),
            ("(pointer: [(t: NaN, x: 0, y: 0)])", "pointer key 0 has a time or coordinate that is not finite"),
            (
                "(pointer: [(t: 0, x: 0, y: 2.5)])",
                "pointer key 0 lies at 0, 2.5; coordinates run from 0 to 1 over the image and may go from -1 to 2",
            ),
            ("(keys: [(from: 1, to: 1, keys: 1)])", "key span 0 goes from 1 s to 1 s; it must end after it begins"),
            (
                "(repeat: true, pointer: [(t: 0, x: 0, y: 0)])",
                "a repeating track needs its last key after 0 s, not at 0 s",
            ),
        ] {
            assert_eq!(InputTrack::parse(text).unwrap_err().to_string(), sentence);
        }
        let unknown = InputTrack::parse("(pointer: [\n(t: 0, x: 0, z: 0)])").unwrap_err().to_string();
        assert!(unknown.contains("line 2, column") && unknown.contains('z'), "{unknown}");
    }

    #[test]
    fn the_pointer_passes_its_keys_and_rests_outside() {
        let keys = [key(0.5, 0.1, 0.2, 1), key(1.0, 0.4, 0.9, 1), key(1.2, 0.8, 0.3, 2), key(3.0, 0.7, 0.3, 1)];
        let track = track(&keys);
        for key in keys {
            let input = track.at(f64::from(key.t), DT);
            assert_eq!((input.mouse, input.buttons), ([key.x, key.y], key.buttons));
        }
        let before = track.at(0.25, DT);
        assert_eq!((before.mouse, before.mouse_velocity, before.buttons), ([0.1, 0.2], [0.0; 2], 0));
        let after = track.at(9.0, DT);
        assert_eq!((after.mouse, after.mouse_velocity, after.buttons), ([0.7, 0.3], [0.0; 2], 1));
        assert_eq!(InputTrack::default().at(1.0, DT), FrameInput { dt: Some(DT), ..FrameInput::default() });
    }

    #[test]
    fn the_curve_follows_a_circle_to_third_order() {
        let circle = |t: f32| [0.5 + 0.3 * t.cos(), 0.5 + 0.3 * t.sin()];
        let error = |count: u16| {
            let step = std::f32::consts::TAU / f32::from(count);
            let key_at = |i: u16| {
                let t = f32::from(i) * step;
                key(t, circle(t)[0], circle(t)[1], 1)
            };
            let track = track(&(0..=count).map(key_at).collect::<Vec<_>>());
            // Not at the ends, where the neighbour on one side is missing.
            let times = (0..1000u16).map(|i| 1.0 + f32::from(i) * 0.004);
            times.fold(0.0f32, |worst, t| {
                let [x, y] = track.at(f64::from(t), DT).mouse;
                worst.max((x - circle(t)[0]).hypot(y - circle(t)[1]))
            })
        };
        let errors = [12, 24, 48].map(error);
        let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
        println!("errors {errors:?}, orders {orders:?}");
        // The limit on slopes costs up to one order where a coordinate turns.
        assert!(orders.into_iter().all(|order| order > 1.9) && errors[0] < 0.02, "{errors:?}");
    }

    #[test]
    fn a_rest_before_a_fast_move_stays_a_rest() {
        let track =
            track(&[key(0.0, 0.2, 0.5, 1), key(1.0, 0.2, 0.5, 1), key(1.1, 0.9, 0.5, 1), key(2.0, 0.9, 0.6, 1)]);
        for i in 0..=200 {
            let [x, y] = track.at(f64::from(i) * 0.01, DT).mouse;
            assert!((0.2..=0.9).contains(&x) && (0.5..=0.6).contains(&y), "{x} {y} at {i}");
            assert!(i > 100 || x == 0.2);
        }
    }

    #[test]
    fn velocity_is_the_way_of_the_last_frame() {
        let line = track(&[key(0.0, 0.0, 0.2, 1), key(1.0, 0.5, 0.2, 1), key(2.0, 1.0, 0.2, 1)]);
        let input = line.at(1.5, DT);
        // Positions near 1 carry an error of f32's epsilon, and the difference is divided by dt.
        let floor = 4.0 * f32::EPSILON / DT;
        assert!((input.mouse_velocity[0] - 0.5).abs() < floor && input.mouse_velocity[1] == 0.0, "{input:?}");
        assert_eq!(line.at(1.5, 0.0).mouse_velocity, [0.0; 2]);
    }

    #[test]
    fn a_press_is_no_throw() {
        let strokes = track(&[
            key(0.0, 0.1, 0.1, 1),
            key(0.5, 0.2, 0.1, 0),
            key(0.51, 0.9, 0.9, 1),
            key(1.0, 0.8, 0.9, 1),
            key(1.5, 0.7, 0.9, 0),
        ]);
        assert_eq!(strokes.at(0.515, DT).mouse_velocity, [0.0; 2]);
        for i in 52..150 {
            let [vx, vy] = strokes.at(f64::from(i) * 0.01 + 0.02, DT).mouse_velocity;
            assert!(i >= 148 || (vx < 0.0 && vx > -0.4 && vy == 0.0), "the jump bends the stroke at {i}: {vx} {vy}");
        }
    }

    #[test]
    fn a_repeating_track_starts_over_without_velocity() {
        let text = "(repeat: true, pointer: [(t: 0.0, x: 0.1, y: 0.5, buttons: 1), (t: 2.0, x: 0.9, y: 0.5, buttons: 1)], keys: [(from: 0.5, to: 1.0, keys: 1)])";
        let track = InputTrack::parse(text).unwrap();
        let first = track.at(0.75, DT);
        let later = track.at(2.0 * 7.0 + 0.75, DT);
        assert_eq!((first.mouse, first.buttons, first.keys), (later.mouse, later.buttons, later.keys));
        assert_eq!((first.keys, track.at(1.0, DT).keys), (1, 0));
        let wrapped = track.at(4.0, DT);
        assert_eq!((wrapped.mouse, wrapped.mouse_velocity), ([0.1, 0.5], [0.0; 2]));
        assert_eq!(track.at(4.0 - 1e-9, DT).mouse_velocity, [0.0; 2]);
        assert!(track.at(4.0 + 2.0 * f64::from(DT), DT).mouse_velocity[0] > 0.0);
        assert_eq!(track.at(-1.0, DT).buttons, 0);
    }

    #[test]
    fn a_recording_gives_the_frames_back() {
        let live = |i: u32| {
            let time = f64::from(i) / 60.0;
            let t = time as f32;
            // A press and a release, a rest, a fast sweep, the space key.
            let moving = t.min(2.0) + (t - 3.0).clamp(0.0, 0.2) * 8.0;
            let mouse = [0.5 + 0.4 * (1.7 * moving).sin(), 0.5 + 0.3 * (2.3 * moving).cos()];
            let buttons = u32::from((30..90).contains(&i)) + 2 * u32::from((150..160).contains(&i));
            (
                time,
                FrameInput {
                    mouse,
                    buttons,
                    keys: u32::from((60..75).contains(&i) || i >= 290),
                    ..FrameInput::default()
                },
            )
        };
        let inputs: Vec<_> = (0..300).map(live).collect();
        let track = InputTrack::recorded(inputs.iter().cloned());
        track.check().unwrap();
        let again = InputTrack::parse(&track.to_ron().unwrap()).unwrap();
        assert_eq!(again, track);
        let mut worst = 0.0f32;
        for (time, input) in &inputs {
            let played = again.at(*time, DT);
            assert_eq!((played.buttons, played.keys), (input.buttons, input.keys), "at {time}");
            worst = worst.max((0..2).map(|axis| (played.mouse[axis] - input.mouse[axis]).abs()).fold(0.0, f32::max));
        }
        println!("{} keys of {} frames, worst error {worst}", track.pointer.len(), inputs.len());
        assert!(worst <= RECORDING_TOLERANCE);
        assert!(track.pointer.len() < inputs.len() / 3, "{} keys", track.pointer.len());
    }

    #[test]
    fn a_recording_of_nothing_or_of_rest_is_short() {
        assert_eq!(InputTrack::recorded(std::iter::empty()), InputTrack::default());
        let rest = InputTrack::recorded((0..600).map(|i| (f64::from(i) / 60.0, FrameInput::default())));
        assert_eq!(rest.pointer.len(), 2);
        let odd = [0.0, 0.0, f64::NAN, -1.0, 1.0]
            .map(|t| (t, FrameInput { mouse: [9.0, 0.5], keys: 1, ..FrameInput::default() }));
        let track = InputTrack::recorded(odd.into_iter());
        track.check().unwrap();
        assert_eq!((track.pointer.len(), track.pointer[0].x, track.keys.len()), (2, 2.0, 1));
    }
}
