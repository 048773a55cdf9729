//! Fields: stages that are built into whatever asks for them, with all that they read.

use std::rc::Rc;

use super::Feed;
use super::FieldFeed;
use super::stage::MAX_FIELDS;
use crate::graph::{Graph, Kind};
use crate::plan::ir::{Part, Read, StageInstance};
use crate::stage::Stage;

/// What the input ports of a stage read from memory, directly and through fields: attributes only as far as the ports name them.
pub struct Collector<'a> {
    graph: &'a Graph,
    stage: &'a Stage,
    pub reads: Vec<Read>,
    /// The stage itself, and its fields.
    pub stages: Vec<StageInstance>,
    /// The feed of each field: one that is asked for twice is built in once.
    feeds: Vec<Rc<FieldFeed>>,
}

impl<'a> Collector<'a> {
    pub fn new(graph: &'a Graph, stage: &'a Stage, node: usize) -> Collector<'a> {
        Collector { graph, stage, reads: Vec::new(), stages: vec![StageInstance::own(node)], feeds: Vec::new() }
    }

    fn stage(&self, asker: usize) -> Option<&'a Stage> {
        if asker == 0 {
            return Some(self.stage);
        }
        match &self.graph.nodes.get(self.stages.get(asker)?.node)?.kind {
            Kind::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// Takes up an input port of the stage (`asker` 0) or of one of its fields.
    pub fn input(&mut self, feed: &Feed, asker: usize, port: usize) {
        // One more is enough to be refused.
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

    fn field(&mut self, field: &Rc<FieldFeed>, asker: usize, port: usize) {
        if let Some(known) = self.feeds.iter().position(|f| Rc::ptr_eq(f, field)) {
            self.stages[known + 1].callers.push((asker, port));
            return;
        }
        self.feeds.push(field.clone());
        let index = self.stages.len();
        self.stages.push(StageInstance { callers: vec![(asker, port)], ..StageInstance::own(field.node) });
        for (port, feed) in field.inputs.iter().enumerate() {
            self.input(feed, index, port);
        }
    }
}
