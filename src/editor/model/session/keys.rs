//! Keys of parameters and numbers: at the present frame, inserted, removed, and set by whatever changes a value that has some.

use std::collections::BTreeSet;

use super::Session;
use crate::curve::{Key, Keyframes, Tangent};
use crate::document::{Level, Node, NodeKind, ParamValue};
use crate::expr::{self, KEYFRAMES};
use crate::sim::Simulation;
use crate::sim::debug::FrameDebugger;

impl Session {
    /// The frame that is computed next; a change of a value is first seen in it.
    pub(crate) fn frame(&self) -> u64 {
        self.running_simulation().map_or(0, Simulation::frame)
    }

    /// The frame on show: the one that is stood in, or the last one that was computed.
    pub(crate) fn shown_frame(&self) -> u64 {
        self.debugger().map_or_else(|| self.frame(), FrameDebugger::frame)
    }

    /// Whether a change of a value with keys sets a key at the present frame.
    pub(crate) fn auto_key(&self) -> bool {
        self.auto_key
    }

    pub(crate) fn set_auto_key(&mut self, on: bool) {
        self.auto_key = on;
    }

    /// Whether the present value of keys can be changed: with auto-key, or where a key is.
    pub(crate) fn can_key(&self, keys: &Keyframes) -> bool {
        self.auto_key || keys.index_at(self.frame() as f64).is_some()
    }

    /// What a value becomes that is set to a constant: keys stay, and one of them is set.
    pub(super) fn keyed(&self, node: &str, param: &str, new: &ParamValue) -> Result<ParamValue, String> {
        let (Some(ParamValue::Keys(mut keys)), Some(numbers)) = (self.document.value(node, param), constant(new))
        else {
            return Ok(new.clone());
        };
        if !self.can_key(&keys) {
            let frame = self.frame();
            return Err(format!("`{node}.{param}` has no key at frame {frame}; insert one, or switch auto-key on"));
        }
        keys.set(self.frame() as f64, &numbers);
        Ok(ParamValue::Keys(keys))
    }

    /// Inserts a key of this value at the present frame, where a value may have been a constant or an expression. The curve of a whole
    /// number begins with steps.
    pub(crate) fn insert_key(&mut self, nodes: &[String], param: &str, now: &[f64], whole: bool) {
        let frame = self.frame() as f64;
        self.change_keys("key", nodes, param, |value| {
            let mut keys = match value {
                Some(ParamValue::Keys(keys)) if !keys.keys.is_empty() => keys,
                _ => {
                    let tangent = if whole { Tangent::Step } else { Tangent::Auto };
                    Keyframes::new(vec![Key { tangent, ..Key::new(frame, now.to_vec()) }])
                }
            };
            keys.set(frame, now);
            Some(ParamValue::Keys(keys))
        });
    }

    /// Removes the key at the present frame. Without the last one the value is constant.
    pub(crate) fn remove_key(&mut self, nodes: &[String], param: &str) {
        let frame = self.frame() as f64;
        self.change_keys("remove key", nodes, param, |value| match value {
            Some(ParamValue::Keys(mut keys)) => {
                let now = keys.clone();
                keys.remove(frame).then(|| left(&now, keys, frame))
            }
            _ => None,
        });
    }

    /// Sets curves as they are: node, parameter and keys of each. Where no key is left, the value is constant.
    pub(crate) fn set_curves(&mut self, gesture: &str, curves: &[(String, String, Keyframes)]) {
        let frame = self.frame() as f64;
        let value = |(node, param, keys): &(String, String, Keyframes)| {
            let now = self.document.value(node, param)?.keys()?.clone();
            Some((node.clone(), param.clone(), left(&now, keys.clone(), frame)))
        };
        let values: Vec<_> = curves.iter().filter_map(value).collect();
        self.set_values(gesture, &values);
    }

    /// Inserts a key at the present frame for every value of the selected nodes that has keys. Returns whether there is one.
    pub(crate) fn key_selected(&mut self) -> bool {
        let frame = self.frame() as f64;
        let keyed = self.keyed_values();
        for (node, param, keys) in &keyed {
            let now = keys.at(frame);
            self.insert_key(std::slice::from_ref(node), param, now.get(..keys.components()).unwrap_or(&now), false);
        }
        !keyed.is_empty()
    }

    /// Values with keys of the selected nodes, or of the open level if none is selected: path of the node, parameter, keys.
    pub(crate) fn keyed_values(&self) -> Vec<(String, String, Keyframes)> {
        let some = !self.selection.nodes.is_empty();
        let nodes = self.nodes().iter().filter(|(name, _)| !some || self.selection.nodes.contains(*name));
        nodes
            .flat_map(|(name, node)| keyed(node).map(|(param, keys)| (self.scope().path(name), param, keys.clone())))
            .collect()
    }

    /// The frames of keys, for the timeline: of the selected nodes, or of the whole graph if none is selected. Sorted.
    pub(crate) fn key_frames(&self) -> Vec<u64> {
        let mut frames = BTreeSet::new();
        if self.selection.nodes.is_empty() {
            collect(Level::Document(&self.document), &mut frames);
        } else {
            self.keyed_values().iter().for_each(|(.., keys)| frames.extend(keys.keys.iter().map(frame)));
        }
        frames.into_iter().collect()
    }

    /// Sets each value to what `change` makes of it, as one gesture, and plays it at once.
    fn change_keys(
        &mut self,
        gesture: &str,
        nodes: &[String],
        param: &str,
        change: impl Fn(Option<ParamValue>) -> Option<ParamValue>,
    ) {
        let new = |node: &String| Some((node.clone(), param.to_string(), change(self.document.value(node, param))?));
        let values: Vec<_> = nodes.iter().filter_map(new).collect();
        self.set_values(&format!("{gesture} {}.{param}", nodes.join(" ")), &values);
    }

    /// Sets values as they are, without auto-key: node, parameter and value of each.
    pub(crate) fn set_values(&mut self, gesture: &str, values: &[(String, String, ParamValue)]) {
        self.arrange(gesture, |document| {
            for (node, param, value) in values {
                // The node has the parameter, since it is shown.
                let _ = document.set(node, param, value.clone());
            }
        });
        self.send(values.iter().map(|(node, param, value)| (format!("{node}.{param}"), value.clone())));
    }
}

/// The numbers of a constant.
fn constant(value: &ParamValue) -> Option<Vec<f64>> {
    match value {
        ParamValue::Number(one) => Some(vec![*one]),
        ParamValue::Bool(on) => Some(vec![f64::from(u8::from(*on))]),
        ParamValue::Vector(many) => Some(many.clone()),
        _ => None,
    }
}

/// A value with these keys; if there are none, the constant or the expression that it was in a frame.
fn left(before: &Keyframes, keys: Keyframes, frame: f64) -> ParamValue {
    let now = before.at(frame);
    let now = ParamValue::from_numbers(now.get(..before.components()).unwrap_or(&now));
    match &keys.expr {
        _ if !keys.keys.is_empty() => ParamValue::Keys(keys),
        Some(text) => {
            let number = match &now {
                ParamValue::Vector(parts) => format!("{parts:?}"),
                one => format!("({one})"),
            };
            ParamValue::Expression(expr::replace(text, |word| (word == KEYFRAMES).then(|| number.clone())))
        }
        None => now,
    }
}

/// The keys of a node's values, with the names that set them.
fn keyed(node: &Node) -> impl Iterator<Item = (String, &Keyframes)> {
    let number = node.kind.number().and_then(ParamValue::keys).filter(|_| !node.params.contains_key("value"));
    let until = node.until.as_ref().and_then(|until| until.below.keys());
    let fields =
        [("value", number), ("until", until)].into_iter().filter_map(|(name, keys)| Some((name.to_string(), keys?)));
    fields.chain(node.params.iter().filter_map(|(name, value)| Some((name.clone(), value.keys()?))))
}

fn frame(key: &Key) -> u64 {
    key.frame.round().max(0.0) as u64
}

/// The frames of all keys of a level, and inside its groups.
fn collect(level: Level<'_>, frames: &mut BTreeSet<u64>) {
    for node in level.nodes().values() {
        keyed(node).for_each(|(_, keys)| frames.extend(keys.keys.iter().map(frame)));
        if let NodeKind::Group(group) = &node.kind {
            collect(Level::Group(group), frames);
        }
    }
}
