//! Numbers over time: recorded from when they are first viewed, after every frame and without waiting for the GPU.

use std::collections::BTreeSet;

use super::Session;
use super::run_state::Numbers;
use crate::document::Link;
use crate::graph::expect::{ExpectSubject, Statistic};
use crate::graph::measurement::Measurement;
use crate::sim::record::Record;
use crate::stage::types::{Element, PortType, ValueType, WireType};

/// Numbers that are recorded at the same time. Those viewed last are kept.
const RECORDED: usize = 8;

impl Session {
    /// What is measured of a wire that carries a number; `None` where it carries something else.
    pub(super) fn number(&self, wire: &str) -> Option<ExpectSubject> {
        let simulation = self.simulation.as_ref()?;
        match simulation.plan().wires.get(wire) {
            Some(plan_wire) => is_number(plan_wire.ty).then(|| ExpectSubject::Wire(wire.into())),
            None => {
                let node = wire.strip_suffix(".value")?;
                let number = self.document.node(node).is_some_and(|node| node.kind.is_number());
                (number && simulation.value(wire).is_some()).then(|| ExpectSubject::Number(wire.into()))
            }
        }
    }

    /// Whether a wire carries a number, which has a course over time.
    pub(crate) fn is_number(&self, wire: &str) -> bool {
        self.number(wire).is_some()
    }

    /// The numbers of the open level, by `node.port` with the whole path of the node.
    pub(crate) fn numbers_of_level(&self) -> Vec<String> {
        let outputs = self.signatures().into_iter().flat_map(|(node, signature)| {
            let numbers = signature.outputs.into_iter().filter(|port| port.ty.is_some_and(is_plain));
            numbers.map(move |port| Link { node: node.clone(), port: port.name }).collect::<Vec<_>>()
        });
        let mut wires: Vec<String> = outputs.filter_map(|link| self.wire_path(&link)).collect();
        wires.dedup();
        wires
    }

    /// Begins to record the numbers among these wires, which are on show.
    pub(super) fn record(&mut self, wires: &BTreeSet<String>) {
        for wire in wires {
            if let Some(place) = self.numbers.viewed.iter().position(|viewed| viewed == wire) {
                let wire = self.numbers.viewed.remove(place);
                self.numbers.viewed.push(wire);
            } else if let Some(subject) = self.number(wire) {
                let measurement = Measurement { subject, statistic: Statistic::Value, component: None };
                self.numbers.add(wire, measurement);
                self.numbers.viewed.push(wire.clone());
            }
        }
        let surplus = self.numbers.viewed.len().saturating_sub(RECORDED.max(wires.len()));
        let removed: Vec<String> = self.numbers.viewed.drain(..surplus).collect();
        removed.iter().for_each(|wire| self.numbers.remove(wire));
    }

    /// Requests the values after the frame that was just computed.
    pub(crate) fn record_frame(&mut self) {
        let idle = self.numbers.viewed.is_empty() && self.numbers.plotted.is_empty();
        if let Some(simulation) = self.simulation.as_ref().filter(|_| !idle) {
            self.numbers.recorder.request(simulation);
        }
    }

    /// Collects values that have arrived. Returns whether more are to arrive.
    pub(crate) fn collect_numbers(&mut self) -> bool {
        self.numbers.recorder.collect()
    }

    /// The record since the last reset; its columns have the names of wires.
    pub(crate) fn recorded(&self) -> &Record {
        self.numbers.recorder.record()
    }

    /// The record of the run before the last reset; empty if there is none.
    pub(crate) fn recorded_before(&self) -> &Record {
        &self.numbers.before
    }

    /// Frames after which the graph or a parameter was changed.
    pub(crate) fn changes_of_graph(&self) -> &[u64] {
        &self.numbers.changes
    }

    /// Forgets what was recorded of a number.
    pub(crate) fn forget_number(&mut self, wire: &str) {
        let Numbers { recorder, before, .. } = &mut self.numbers;
        if let Some(place) = recorder.record().position(wire) {
            recorder.forget(place);
        }
        if let Some(place) = before.position(wire) {
            before.forget(place);
        }
    }

    /// Notes a change of what runs, for the records.
    pub(super) fn note_change(&mut self) {
        if let Some(frame) = self.simulation.as_ref().map(|simulation| simulation.frame()).filter(|frame| *frame > 0) {
            self.numbers.change(frame);
        }
    }
}

fn is_plain(ty: PortType) -> bool {
    ty.is_number() && ty != PortType::Number(Element::Fixed(ValueType::Camera))
}

fn is_number(ty: WireType) -> bool {
    matches!(ty, WireType::Number(value) if value != ValueType::Camera)
}
