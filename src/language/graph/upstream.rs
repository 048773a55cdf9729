//! What wires depend on, item by item: the nodes before them with their stages, parameters and wires. Where two lists are
//! the same, the wires have the same values in every frame; where not, the difference says why.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Graph, Kind, Node, NodeId, Setting, Source};
use crate::document::ParamValue;
use crate::document::Substeps;
use crate::stage::types::WireType;

/// What wires depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upstream {
    /// Names and values of all items. A name begins with a word for what it is: `param jet.rate`, `wire advect.velocity`.
    pub items: BTreeMap<String, String>,
    /// Paths of the nodes.
    pub nodes: BTreeSet<String>,
    /// Files that nodes read, by the node, as in the document.
    pub files: BTreeMap<String, String>,
}

/// A place that values come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ValueOrigin {
    /// All that a stage or a State reads.
    Node(NodeId),
    Output(NodeId, usize),
    Input(NodeId, usize),
    /// A group around a node, which says how often it runs.
    Around(NodeId),
}

impl Graph {
    /// The node and the port of a wire by `node.port`; of a State and of a node with one output also by `node`.
    pub fn find_wire(&self, name: &str) -> Option<(NodeId, usize)> {
        let ports = |node: NodeId| match self.nodes.get(node).map(|entry| (&entry.kind, entry)) {
            Some((Kind::Group(group), _)) => group.outputs.len(),
            Some((_, entry)) => entry.outputs.len(),
            None => 0,
        };
        if let Some(node) = self.node(name) {
            return (ports(node) == 1).then_some((node, 0));
        }
        let (path, port) = name.rsplit_once('.')?;
        let node = self.node(path)?;
        (0..ports(node)).find(|index| self.port_name(node, *index) == port).map(|index| (node, index))
    }

    /// What a place reads.
    fn before(&self, place: ValueOrigin) -> Vec<ValueOrigin> {
        let (ValueOrigin::Node(id) | ValueOrigin::Output(id, _) | ValueOrigin::Input(id, _) | ValueOrigin::Around(id)) =
            place;
        let Some(node) = self.nodes.get(id) else { return Vec::new() };
        let mut found: Vec<ValueOrigin> = node.group.map(ValueOrigin::Around).into_iter().collect();
        match (place, &node.kind) {
            (ValueOrigin::Output(_, port), Kind::Group(group)) => {
                found.push(ValueOrigin::Around(id));
                found.extend(group.outputs.get(port).and_then(|(_, source)| place_of(source)));
            }
            (ValueOrigin::Output(..), _) => found.push(ValueOrigin::Node(id)),
            (ValueOrigin::Input(_, input), kind) => {
                found.push(ValueOrigin::Around(id));
                found.extend(node.inputs.get(input).and_then(|input| place_of(&input.source)));
                if let (Kind::Group(group), true) = (kind, node.iterations > 1 || node.until.is_some()) {
                    found.extend(group.feedback(input).and_then(place_of));
                }
            }
            (ValueOrigin::Around(_), _) => {
                found.extend(node.until.as_ref().map(|until| ValueOrigin::Output(id, until.port)))
            }
            (ValueOrigin::Node(_), _) => found.extend(node.inputs.iter().filter_map(|input| place_of(&input.source))),
        }
        found
    }

    /// Everything that these wires depend on.
    pub fn upstream(&self, wires: &[(NodeId, usize)]) -> Upstream {
        let mut found = Upstream::default();
        let (mut met, mut domains) = (HashSet::new(), BTreeSet::new());
        let mut waiting: Vec<ValueOrigin> =
            wires.iter().map(|(node, port)| ValueOrigin::Output(*node, *port)).collect();
        let mut reads_frame = false;
        while let Some(place) = waiting.pop() {
            if !met.insert(place) {
                continue;
            }
            waiting.extend(self.before(place));
            let (ValueOrigin::Node(id)
            | ValueOrigin::Output(id, _)
            | ValueOrigin::Input(id, _)
            | ValueOrigin::Around(id)) = place;
            let Some(node) = self.nodes.get(id) else { continue };
            match (place, &node.kind) {
                (ValueOrigin::Output(_, port), Kind::Group(group)) => {
                    if let Some((name, source)) = group.outputs.get(port) {
                        self.note_source(&format!("{} (output {name})", node.path), source, &mut found);
                    }
                }
                (ValueOrigin::Output(..), _) => {}
                (ValueOrigin::Input(_, input), _) => {
                    if let Some(outer) = node.inputs.get(input) {
                        self.note_source(&format!("{}.{}", node.path, outer.name), &outer.source, &mut found);
                    }
                }
                (ValueOrigin::Around(_), _) => {
                    self.note_settings(node, &mut found);
                    found.nodes.insert(node.path.clone());
                }
                (ValueOrigin::Node(_), kind) => {
                    found.nodes.insert(node.path.clone());
                    self.note_settings(node, &mut found);
                    reads_frame |= matches!(kind, Kind::Stage(stage) if stage.names("frame"));
                    let about = match kind {
                        Kind::Stage(stage) => stage.source.clone(),
                        other => format!("{other:?}"),
                    };
                    let form = format!("{about} {:?} {:?}", node.precision, node.outputs);
                    found.items.insert(format!("node {}", node.path), digest(&form));
                    if let Some(file) = &node.file {
                        found.files.insert(node.path.clone(), file.path.clone());
                        found.items.insert(format!("file {}", node.path), format!("{file:?}"));
                    }
                    for set in node.set.iter().chain(&node.summed) {
                        domains.insert(set.domain);
                        let about = format!("{:?}", set.attributes);
                        found.items.entry(format!("particles {}", node.path)).or_default().push_str(&about);
                    }
                    domains.extend(node.domain);
                    for input in &node.inputs {
                        self.note_source(&format!("{}.{}", node.path, input.name), &input.source, &mut found);
                    }
                }
            }
        }
        for domain in domains.into_iter().filter_map(|id| self.domains.get(id)) {
            let [x, y, z] = domain.resolution;
            let about = format!("{x} x {y} x {z} cells of {} m, {:?}", domain.cell_size, domain.edge);
            found.items.insert(format!("domain {}", domain.name), about);
        }
        for (path, values) in &self.made_with {
            if path.rsplit_once('.').is_some_and(|(node, _)| found.nodes.contains(node)) {
                found.items.insert(format!("param {path}"), numbers(values));
            }
        }
        found.items.insert("program version".into(), env!("CARGO_PKG_VERSION").into());
        found.items.insert("graph frames per second".into(), self.fps.to_string());
        if self.substeps != Substeps::default() {
            found.items.insert("graph substeps".into(), self.substeps.to_string());
        }
        found.items.insert("graph seed".into(), self.seed.to_string());
        if let Some(input) = self.input.as_ref().filter(|_| reads_frame) {
            found.items.insert("graph recorded input".into(), digest(&format!("{input:?}")));
        }
        found
    }

    /// Parameters of a node, the constants of its ports, and how often it runs.
    fn note_settings(&self, node: &Node, found: &mut Upstream) {
        node.params.iter().for_each(|setting| self.note_setting(&node.path, setting, found));
        if node.iterations != 1 {
            found.items.insert(format!("param {}.iterations", node.path), node.iterations.to_string());
        }
        if let Some(until) = &node.until {
            found.items.insert(format!("param {}.every", node.path), until.every.to_string());
            self.note_setting(&node.path, &until.below, found);
        }
    }

    fn note_source(&self, name: &str, source: &Source, found: &mut Upstream) {
        let path = |id: &NodeId| self.nodes.get(*id).map_or("", |node| node.path.as_str());
        let reads = match source {
            Source::Wire { node, port } => self.wire_name(*node, *port),
            Source::GroupInput { group, input } => {
                let port = self.nodes.get(*group).and_then(|node| node.inputs.get(*input));
                format!("{}.{} (input)", path(group), port.map_or("", |port| port.name.as_str()))
            }
            Source::Setting(setting) => {
                let node = name.rsplit_once('.').map_or(name, |(node, _)| node);
                self.note_setting(node, setting, found);
                match setting.names.uses(&setting.value).into_values().next() {
                    Some(number) if setting.is_wired() => number,
                    _ => return,
                }
            }
            Source::Nothing => return,
        };
        found.items.insert(format!("wire {name}"), reads);
    }

    /// A value as it is written, and the numbers that its expression names.
    fn note_setting(&self, node: &str, setting: &Setting, found: &mut Upstream) {
        let text = match &setting.value {
            ParamValue::Keys(keys) => format!("{keys:?}"),
            value => value.to_string(),
        };
        let path = format!("param {node}.{}", setting.name);
        let mut waiting: Vec<String> = setting.names.uses(&setting.value).into_values().collect();
        found.items.insert(path, text);
        while let Some(number) = waiting.pop() {
            let Some(number) = self.numbers.iter().find(|candidate| candidate.paths.contains(&number)) else {
                continue;
            };
            if found.items.insert(format!("param {}", number.path()), number.value.to_string()).is_none() {
                waiting.extend(number.uses.values().cloned());
                if let (Some(track), Some((node, _))) = (&number.track, number.path().rsplit_once('.')) {
                    found.files.insert(node.into(), track.path.clone());
                    found.items.insert(format!("file {node}"), format!("{track:?}"));
                }
            }
        }
    }

    /// The set of particles on a wire.
    pub fn particles_on(&self, node: NodeId, port: usize) -> Option<&super::ParticleSet> {
        let mut source = Source::Wire { node, port };
        for _ in 0..self.nodes.len() * 2 {
            source = match source {
                Source::Wire { node, port } => match &self.nodes.get(node)?.kind {
                    Kind::Group(group) => group.outputs.get(port)?.1.clone(),
                    _ => return self.nodes.get(node)?.set_of(port),
                },
                Source::GroupInput { group, input } => self.nodes.get(group)?.inputs.get(input)?.source.clone(),
                _ => return None,
            };
        }
        None
    }

    /// Why a wire cannot be baked; `None` where it can.
    pub fn cannot_bake(&self, node: NodeId, port: usize) -> Option<String> {
        let entry = self.nodes.get(node)?;
        let ty = match &entry.kind {
            Kind::Group(group) => match group.outputs.get(port).map(|(_, source)| source) {
                Some(Source::Wire { node, port }) => return self.cannot_bake_inside(*node, *port),
                Some(Source::GroupInput { .. }) => None,
                _ => return Some("it is a number of the graph, which needs no memory".into()),
            },
            _ => entry.outputs.get(port).copied(),
        };
        if entry.file.is_some() {
            return Some("it comes from a file".into());
        }
        let repeats =
            |group: &NodeId| self.nodes.get(*group).is_some_and(|group| group.iterations > 1 || group.until.is_some());
        let mut around = std::iter::successors(entry.group, |group| self.nodes.get(*group)?.group);
        if let Some(group) = around.find(repeats).and_then(|group| self.nodes.get(group)) {
            return Some(format!(
                "it has several values in a frame, one for each repeat of {}; bake an output of that",
                group.path
            ));
        }
        self.unfit(ty)
    }

    fn cannot_bake_inside(&self, node: NodeId, port: usize) -> Option<String> {
        let entry = self.nodes.get(node)?;
        match &entry.kind {
            Kind::Group(group) => match group.outputs.get(port).map(|(_, source)| source) {
                Some(Source::Wire { node, port }) => self.cannot_bake_inside(*node, *port),
                _ => None,
            },
            _ => self.unfit(entry.outputs.get(port).copied()),
        }
    }

    fn unfit(&self, ty: Option<WireType>) -> Option<String> {
        match ty? {
            WireType::Grid(_) | WireType::FaceGrid | WireType::Number(_) | WireType::Particles => None,
            WireType::Field(_) => Some("a field is a function and has no memory; bake what reads it".into()),
            _ => Some("a neighbour grid has no values of its own; bake its particles".into()),
        }
    }

    /// The wires that images read from what develops: they depend on States, and States depend on their nodes.
    pub fn baked_by_default(&self) -> Vec<(NodeId, usize)> {
        let dynamic = self.dynamics().nodes;
        let mut found = BTreeSet::new();
        let mut met = HashSet::new();
        let mut waiting: Vec<ValueOrigin> = self.outputs().into_iter().map(ValueOrigin::Node).collect();
        while let Some(place) = waiting.pop() {
            if !met.insert(place) {
                continue;
            }
            if let ValueOrigin::Output(id, port) = place
                && self.nodes.get(id).is_some_and(|node| dynamic.contains(&node.path))
                && self.cannot_bake(id, port).is_none()
                && self.develops(place)
            {
                found.insert((id, port));
                continue;
            }
            // A group around a node is no reader of its wires.
            waiting.extend(self.before(place).into_iter().filter(|place| !matches!(place, ValueOrigin::Around(_))));
        }
        found.into_iter().collect()
    }

    /// Whether a place depends on a State that changes: everything else follows from time and parameters alone.
    fn develops(&self, place: ValueOrigin) -> bool {
        let (mut met, mut waiting) = (HashSet::new(), vec![place]);
        while let Some(place) = waiting.pop() {
            if !met.insert(place) {
                continue;
            }
            if let ValueOrigin::Node(id) = place
                && let Some(node) = self.nodes.get(id).filter(|node| matches!(node.kind, Kind::State(_)))
                && node.inputs.first().is_some_and(|next| !matches!(next.source, Source::Nothing))
            {
                return true;
            }
            waiting.extend(self.before(place));
        }
        false
    }

    /// The nodes that images, and those in `kept`, need where the wires in `played` come from outside.
    pub fn needed_beside(&self, played: &HashSet<(NodeId, usize)>, kept: &[NodeId]) -> HashSet<NodeId> {
        let (mut met, mut needed) = (HashSet::new(), HashSet::new());
        let mut waiting: Vec<ValueOrigin> =
            self.outputs().into_iter().chain(kept.iter().copied()).map(ValueOrigin::Node).collect();
        waiting.extend(played.iter().map(|(node, port)| ValueOrigin::Output(*node, *port)));
        while let Some(place) = waiting.pop() {
            if !met.insert(place) {
                continue;
            }
            let (ValueOrigin::Node(id)
            | ValueOrigin::Output(id, _)
            | ValueOrigin::Input(id, _)
            | ValueOrigin::Around(id)) = place;
            needed.insert(id);
            let outside = matches!(place, ValueOrigin::Output(id, port) if played.contains(&(id, port)));
            if !outside {
                waiting.extend(self.before(place));
            }
        }
        needed
    }
}

fn place_of(source: &Source) -> Option<ValueOrigin> {
    match source {
        Source::Wire { node, port } => Some(ValueOrigin::Output(*node, *port)),
        Source::GroupInput { group, input } => Some(ValueOrigin::Input(*group, *input)),
        Source::Setting(_) | Source::Nothing => None,
    }
}

/// A short name for a long text (FNV-1a), the same on every machine.
fn digest(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<String>>().join(", ")
}
