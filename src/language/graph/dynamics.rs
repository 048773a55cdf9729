//! What determines how States develop: the nodes that they depend on, without the values that can be set while a plan
//! runs. Two plans of the same dynamics give the same States, so that one continues what the other has computed.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Graph, Input, Kind, Node, NodeId, Setting, Source};

/// The part of a graph that determines its States.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dynamics {
    /// A hash of that part. It is the same in every run of one version of the program.
    pub hash: u64,
    /// Paths of the nodes that States depend on, States and groups around them included.
    pub nodes: BTreeSet<String>,
}

impl Graph {
    /// What the States of this graph depend on.
    pub fn dynamics(&self) -> Dynamics {
        let mut reached: BTreeSet<NodeId> = BTreeSet::new();
        let states = self.nodes.entries().filter(|(_, node)| matches!(node.kind, Kind::State(_)));
        let mut waiting: Vec<NodeId> = states.map(|(id, _)| id).collect();
        while let Some(id) = waiting.pop() {
            let Some(node) = self.nodes.get(id).filter(|_| reached.insert(id)) else { continue };
            waiting.extend(node.group);
            waiting.extend(node.inputs.iter().filter_map(|input| origin(&input.source)));
            // What a group repeats and when it stops are determined by what its outputs read.
            if let Kind::Group(group) = &node.kind {
                waiting.extend(group.outputs.iter().filter_map(|(_, source)| origin(source)));
            }
        }
        let mut hash = DefaultHasher::new();
        (self.fps.to_bits(), self.substeps.to_string(), self.seed).hash(&mut hash);
        let mut nodes: Vec<&Node> = reached.iter().filter_map(|id| self.nodes.get(*id)).collect();
        nodes.sort_by(|one, two| one.path.cmp(&two.path));
        nodes.iter().for_each(|node| self.hash_node(node, &mut hash));
        let nodes: BTreeSet<String> = nodes.into_iter().map(|node| node.path.clone()).collect();
        let made_with = self
            .made_with
            .iter()
            .filter(|(path, _)| path.rsplit_once('.').is_some_and(|(node, _)| nodes.contains(node)));
        for (path, values) in made_with {
            path.hash(&mut hash);
            values.iter().for_each(|value| value.to_bits().hash(&mut hash));
        }
        Dynamics { hash: hash.finish(), nodes }
    }

    fn hash_node(&self, node: &Node, hash: &mut DefaultHasher) {
        node.path.hash(hash);
        match &node.kind {
            Kind::Stage(stage) => stage.source.hash(hash),
            Kind::Group(group) => {
                format!("{:?} {:?}", group.inputs, group.looped).hash(hash);
                group.outputs.iter().for_each(|(name, source)| self.hash_source(name, source, hash));
            }
            other => format!("{other:?}").hash(hash),
        }
        node.inputs.iter().for_each(|Input { name, source, .. }| self.hash_source(name, source, hash));
        node.params.iter().for_each(|setting| hash_setting(setting, hash));
        (node.iterations, format!("{:?} {:?} {:?}", node.precision, node.generics, node.outputs)).hash(hash);
        if let Some(until) = &node.until {
            (until.port, until.every).hash(hash);
            hash_setting(&until.below, hash);
        }
        format!("{:?} {:?}", node.domain.and_then(|domain| self.domains.get(domain)), node.file).hash(hash);
        for set in node.set.iter().chain(&node.summed) {
            format!("{} {:?} {:?}", set.capacity, set.attributes, self.domains.get(set.domain)).hash(hash);
        }
        self.dim(node).hash(hash);
    }

    fn hash_source(&self, name: &str, source: &Source, hash: &mut DefaultHasher) {
        name.hash(hash);
        let path = |id: &NodeId| self.nodes.get(*id).map(|node| node.path.as_str());
        match source {
            Source::Wire { node, port } => (0, path(node), port).hash(hash),
            Source::GroupInput { group, input } => (1, path(group), input).hash(hash),
            Source::Setting(setting) => hash_setting(setting, hash),
            Source::Nothing => 3.hash(hash),
        }
    }
}

/// Hashes a setting without its value, which can be set while the plan runs; where it can't, [`Graph::made_with`] holds
/// it.
fn hash_setting(setting: &Setting, hash: &mut DefaultHasher) {
    (&setting.name, format!("{:?}", setting.ty), &setting.aliases).hash(hash);
}

fn origin(source: &Source) -> Option<NodeId> {
    match source {
        Source::Wire { node, .. } => Some(*node),
        Source::GroupInput { group, .. } => Some(*group),
        Source::Setting(_) | Source::Nothing => None,
    }
}
