//! Keyframes: a number or a vector over time, given at some frames.
//!
//! Between two keys each component is a cubic Hermite polynomial of the frame number; the [`Tangent`] of a key decides
//! its slopes there. Before the first key and after the last the value is held.

mod edit;

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};

use super::{LARGEST, Unfit, segment};

/// Largest frame of a key. Slopes of values up to 1e38 remain finite.
pub const LAST_FRAME: f64 = 1e9;
/// Largest number of components of a value.
const COMPONENTS: usize = 4;

/// A value that changes from frame to frame along a curve through its keys.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Keyframes {
    /// Keys in the order of their frames.
    pub keys: Vec<Key>,
    /// An expression in which `keys` is the value of the curve; the value itself when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expr: Option<String>,
}

/// The value at a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    /// 0 to [`LAST_FRAME`]; frame 0 is the first one that is computed.
    pub frame: f64,
    /// 1 to 4 components, as many as the other keys have.
    pub value: Vec<f64>,
    /// How the curve passes through it.
    pub tangent: Tangent,
}

/// How a curve passes through a key.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Tangent {
    /// Smooth, and never beyond the values of the neighbours: the slope is 0 at an extremum, at the first and the last
    /// key, and after a step; otherwise it is the weighted harmonic mean of both secants (Fritsch and Butland 1984).
    #[default]
    Auto,
    /// Points at the neighbours on both sides; between two of them the curve is a straight line.
    Linear,
    /// Keeps its value until the next key. Arrives flat, or in a straight line from a linear key.
    Step,
    /// Slopes before and after the key, one for each component \[1/frame\].
    Free(#[serde(deserialize_with = "parts")] Vec<f64>, #[serde(deserialize_with = "parts")] Vec<f64>),
}

impl Key {
    /// A key with an automatic tangent.
    pub fn new(frame: f64, value: Vec<f64>) -> Key {
        Key { frame, value, tangent: Tangent::Auto }
    }
}

impl Keyframes {
    /// Keys without an expression.
    pub fn new(keys: Vec<Key>) -> Keyframes {
        Keyframes { keys, expr: None }
    }

    /// Number of components, 0 to 4.
    pub fn components(&self) -> usize {
        self.keys.first().map_or(0, |key| key.value.len().min(COMPONENTS))
    }

    /// The value of the curve at a frame, without the expression: [`Keyframes::components`] numbers, then zeros. Keys that
    /// [`Keyframes::check`] rejects give some numbers.
    pub fn at(&self, frame: f64) -> [f64; COMPONENTS] {
        let mut value = [0.0; COMPONENTS];
        for (component, part) in value.iter_mut().enumerate().take(self.components()) {
            *part = self.component(component, frame);
        }
        value
    }

    /// One component of the value at a frame.
    pub fn component(&self, component: usize, frame: f64) -> f64 {
        let Some((i, j)) = segment(&self.keys, frame, |key| key.frame) else { return 0.0 };
        let (Some(from), Some(to)) = (self.keys.get(i), self.keys.get(j)) else { return 0.0 };
        let (y0, y1) = (from.part(component), to.part(component));
        let width = to.frame - from.frame;
        if i == j || width <= 0.0 || from.tangent == Tangent::Step {
            return y0;
        }
        let t = (frame - from.frame) / width;
        let rise = y1 - y0;
        let (a, b) = (self.slopes(i, component).1 * width, self.slopes(j, component).0 * width);
        let y = y0 + t * (a + t * (3.0 * rise - 2.0 * a - b + t * (a + b - 2.0 * rise)));
        // Rounding could exceed the values of the neighbours, which only free tangents may.
        let free = |key: &Key| matches!(key.tangent, Tangent::Free(..));
        // Two keys that nearly touch may have a secant that is infinite.
        match free(from) || free(to) {
            _ if !y.is_finite() => y0,
            true => y,
            false => y.max(y0.min(y1)).min(y0.max(y1)),
        }
    }

    /// The slopes of one component before and after a key \[1/frame\].
    pub fn slopes(&self, index: usize, component: usize) -> (f64, f64) {
        let Some(key) = self.keys.get(index) else { return (0.0, 0.0) };
        let before = index.checked_sub(1).and_then(|before| self.keys.get(before));
        let secant = |from: &Key, to: &Key| {
            let width = to.frame - from.frame;
            (width > 0.0).then(|| (width, (to.part(component) - from.part(component)) / width))
        };
        // After a step the curve arrives from nowhere.
        let arriving = before.filter(|before| before.tangent != Tangent::Step).and_then(|before| secant(before, key));
        let leaving = self.keys.get(index + 1).and_then(|after| secant(key, after));
        let slope = |secant: Option<(f64, f64)>| secant.map_or(0.0, |(_, slope)| slope);
        match &key.tangent {
            Tangent::Auto => {
                let both = match (arriving, leaving) {
                    (Some((h0, d0)), Some((h1, d1))) if d0 * d1 > 0.0 => {
                        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
                        (w0 + w1) / (w0 / d0 + w1 / d1)
                    }
                    _ => 0.0,
                };
                (both, both)
            }
            Tangent::Linear => (slope(arriving), slope(leaving)),
            Tangent::Step if before.is_some_and(|before| before.tangent == Tangent::Linear) => (slope(arriving), 0.0),
            Tangent::Step => (0.0, 0.0),
            Tangent::Free(before, after) => {
                let part = |slopes: &Vec<f64>| slopes.get(component).copied().unwrap_or_default();
                (part(before), part(after))
            }
        }
    }

    /// Checks that there are keys in the order of their frames, with equally many finite components.
    ///
    /// # Errors
    /// The first error and its remedy.
    pub fn check(&self) -> Result<(), Unfit> {
        let Some(first) = self.keys.first() else {
            return Err(("there are no keys".into(), "give at least one (frame, value)".into()));
        };
        let count = first.value.len();
        let mut before = None;
        for (index, key) in self.keys.iter().enumerate() {
            let (number, frame) = (index + 1, key.frame);
            if !(0.0..=LAST_FRAME).contains(&frame) {
                return Err((format!("key {number} is at frame {frame}"), "give a frame from 0 to 1e9".into()));
            }
            match before {
                Some(before) if before == frame => {
                    return Err((format!("two keys are at frame {frame}"), "remove one of them".into()));
                }
                Some(before) if before > frame => {
                    let cause = format!("key {number} is at frame {frame}, but the one before it is at {before}");
                    return Err((cause, "sort the keys by frame".into()));
                }
                _ => before = Some(frame),
            }
            self.check_value(key, count)?;
        }
        Ok(())
    }

    fn check_value(&self, key: &Key, count: usize) -> Result<(), Unfit> {
        let of = format!("the key at frame {}", key.frame);
        let lists = match &key.tangent {
            Tangent::Free(before, after) => vec![("slope", before.as_slice()), ("slope", after.as_slice())],
            _ => Vec::new(),
        };
        for (what, parts) in [("value", key.value.as_slice())].into_iter().chain(lists) {
            if parts.len() != count {
                let (has, wanted) = (parts.len(), count);
                let cause = format!("the {what} of {of} has {}, the first key has {wanted}", numbers(has));
                return Err((cause, format!("give {} in all keys", numbers(wanted))));
            }
            if !(1..=COMPONENTS).contains(&parts.len()) {
                return Err((format!("the {what} of {of} has {}", numbers(parts.len())), "give 1 to 4".into()));
            }
            if let Some(bad) = parts.iter().find(|part| !part.is_finite()) {
                return Err((format!("the {what} of {of} is {bad}"), "give a finite number".into()));
            }
            if let Some(bad) = parts.iter().find(|part| part.abs() > LARGEST) {
                return Err((format!("the {what} of {of} is {bad}, more than 1e38"), "give a smaller number".into()));
            }
        }
        Ok(())
    }
}

fn numbers(count: usize) -> String {
    if count == 1 { "1 number".into() } else { format!("{count} numbers") }
}

impl Key {
    fn part(&self, component: usize) -> f64 {
        self.value.get(component).copied().unwrap_or_default()
    }
}

/// Writes a key as a graph file has it: `(frame, value)`, and the tangent unless it is automatic.
impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let automatic = self.tangent == Tangent::Auto;
        let mut parts = serializer.serialize_tuple(if automatic { 2 } else { 3 })?;
        parts.serialize_element(&self.frame)?;
        parts.serialize_element(&self.value)?;
        if !automatic {
            parts.serialize_element(&self.tangent)?;
        }
        parts.end()
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct AnyKey;
        impl<'de> Visitor<'de> for AnyKey {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key: (frame, value), or (frame, value, Linear), Step or Free(before, after)")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Key, A::Error> {
                let missing = |index| de::Error::invalid_length(index, &self);
                let frame = seq.next_element()?.ok_or_else(|| missing(0))?;
                let Parts(value) = seq.next_element()?.ok_or_else(|| missing(1))?;
                Ok(Key { frame, value, tangent: seq.next_element()?.unwrap_or_default() })
            }
        }
        deserializer.deserialize_tuple(3, AnyKey)
    }
}

/// Components: one number, or several in brackets.
struct Parts(Vec<f64>);

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Parts, D::Error> {
        struct OneOrMore;
        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Parts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or (x, y, ..)")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Parts, E> {
                Ok(Parts(vec![v as f64]))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Parts, E> {
                Ok(Parts(vec![v as f64]))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Parts, E> {
                Ok(Parts(vec![v]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parts, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = seq.next_element()? {
                    parts.push(part);
                }
                Ok(Parts(parts))
            }
        }
        deserializer.deserialize_any(OneOrMore)
    }
}

fn parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    Parts::deserialize(deserializer).map(|Parts(parts)| parts)
}

#[cfg(test)]
mod tests;
