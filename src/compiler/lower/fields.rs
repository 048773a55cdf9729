//! Fields: stages that are inlined into their readers, with everything that they read.
//!
//! A field is never dispatched, and one that is read twice is inlined once. Each is also validated as if it were dispatched, so that a
//! mistake is reported once and at its own line (`codegen::writer::field_checks`).

use std::rc::Rc;

use super::Feed;
use super::FieldFeed;
use crate::arena::Arena;
use crate::graph::{Graph, Kind, NodeId};
use crate::ir::{InstanceId, OWN, Part, Read, StageInstance};
use crate::stage::Stage;

/// Limit of fields in one kernel, since each adds its text.
pub(super) const MAX_FIELDS: usize = 256;

/// What the input ports of a stage read from memory, directly and through fields; attributes only as far as the ports
/// name them.
pub(super) struct Collector<'a> {
    graph: &'a Graph,
    stage: &'a Stage,
    pub reads: Vec<Read>,
    /// The stage itself, and its fields.
    pub stages: Arena<StageInstance>,
    /// The fields that are built in: one that is asked for twice is built in once.
    fields: Vec<(Rc<FieldFeed>, InstanceId)>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(graph: &'a Graph, stage: &'a Stage, node: NodeId) -> Collector<'a> {
        let stages = Arena::from(vec![StageInstance::own(node)]);
        Collector { graph, stage, reads: Vec::new(), stages, fields: Vec::new() }
    }

    fn stage(&self, asker: InstanceId) -> Option<&'a Stage> {
        if asker == OWN {
            return Some(self.stage);
        }
        match &self.graph.nodes.get(self.stages.get(asker)?.node)?.kind {
            Kind::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// Takes up an input port of the stage or of one of its fields.
    pub(super) fn input(&mut self, feed: &Feed, asker: InstanceId, port: usize) {
        // One more than the limit is enough to be rejected.
        if self.stages.len() > MAX_FIELDS + 1 {
            return;
        }
        let declared = self.stage(asker).and_then(|stage| stage.inputs().nth(port));
        let mut read = |part, value| self.reads.push(Read { stage: asker, port, part, value });
        match feed {
            Feed::Setting(_) => {}
            Feed::Value(value) => read(Part::Whole, *value),
            Feed::Set(set) => {
                read(Part::Count, set.count);
                let named = |name: &str| declared.is_some_and(|p| p.attributes.iter().any(|(a, _)| a == name));
                let named = set.attributes.iter().filter(|(name, _)| named(name));
                named.for_each(|(name, value)| read(Part::Attribute(name.clone()), *value));
            }
            Feed::Neighbors(neighbors) => {
                read(Part::Start, neighbors.start);
                neighbors.items.into_iter().for_each(|value| read(Part::Order, value));
            }
            Feed::Field(field) => self.field(field, asker, port),
        }
    }

    fn field(&mut self, field: &Rc<FieldFeed>, asker: InstanceId, port: usize) {
        if let Some((_, instance)) = self.fields.iter().find(|(inlined, _)| Rc::ptr_eq(inlined, field)) {
            self.stages[*instance].callers.push((asker, port));
            return;
        }
        let callers = vec![(asker, port)];
        let instance = self.stages.push(StageInstance { callers, ..StageInstance::own(field.node) });
        self.fields.push((field.clone(), instance));
        for (port, feed) in field.inputs.iter().enumerate() {
            self.input(feed, instance, port);
        }
    }
}
