//! Wires whose values come from outside before each frame: from a cache on disk. Nothing before them is expanded.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::outside::origin;
use super::{Expander, Feed, Set, broken};
use crate::graph::{Kind, NodeId};
use crate::ir::{Part, ValueId};
use crate::problem::Problems;
use crate::stage::types::WireType;

impl Expander<'_> {
    /// A wire that comes from outside. Its value is held like that of a State which nothing changes.
    pub(super) fn outside(&mut self, node: NodeId, port: usize) -> Result<Feed, Problems> {
        if let Some(feed) = self.from_outside.get(&(node, port)) {
            return Ok(feed.clone());
        }
        let graph = self.graph;
        let (origin, from) = origin(graph, node, port).ok_or_else(|| broken(graph, node))?;
        let ty = graph.nodes.get(origin).and_then(|entry| entry.outputs.get(from).copied());
        let ty = ty.ok_or_else(|| broken(graph, node))?;
        let name = graph.wire_name(node, port);
        let key = |part: Part| (node, Part::Outside(port, Box::new(part)));
        let feed = match (ty, graph.particles_on(origin, from)) {
            (WireType::Particles, Some(set)) => {
                let room = Self::room(set);
                let count = self.count(format!("{name}.count"));
                self.hold_outside(key(Part::Count), count);
                let mut attributes = BTreeMap::new();
                for (attribute, ty) in &set.attributes {
                    let attribute: Arc<str> = attribute.as_str().into();
                    let value = self.attribute(room, *ty, format!("{name}.{attribute}"));
                    self.hold_outside(key(Part::Attribute(attribute.clone())), value);
                    attributes.insert(attribute, value);
                }
                let order = self.new_order();
                Feed::Set(Set { count, attributes: Rc::new(attributes), room, order })
            }
            _ => {
                let value = self.value(origin, ty, name.clone());
                self.hold_outside(key(Part::Whole), value);
                Feed::Value(value)
            }
        };
        self.name(&name, &feed);
        if matches!(graph.nodes.get(node).map(|entry| &entry.kind), Some(Kind::State(_)))
            && let (Feed::Set(_), Some(path)) = (&feed, name.strip_suffix(".value"))
        {
            self.name(path, &feed);
        }
        self.from_outside.insert((node, port), feed.clone());
        Ok(feed)
    }

    fn hold_outside(&mut self, key: (NodeId, Part), value: ValueId) {
        self.program.next.insert(key.clone(), value);
        self.hold(key, value);
    }
}
