//! Particle sets: what they carry along the wires, and where they start.

use std::collections::BTreeMap;

use super::carry::{Carry, Resolver};
use super::numbers::Unfit;
use super::{Graph, Kind, NodeId, ParticleSet, Source};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::stage::header::Port;
use crate::stage::types::{PortType, ValueType, WireType};

/// Follows the `init` wire of each State of particles back to the emitter that starts it. The emitter takes capacity,
/// domain and attributes from the State.
pub(super) fn begin(graph: &mut Graph) {
    for state in graph.nodes.ids() {
        let entry = &graph.nodes[state];
        let (Kind::State(_), Some(set)) = (&entry.kind, entry.set.clone()) else { continue };
        let Some(domain) = entry.domain.or_else(|| graph.single_domain(&entry.path)) else { continue };
        let Some(init) = entry.inputs.get(1).map(|i| i.source.clone()) else { continue };
        if let Some(first) = first_emitter(graph, init) {
            graph.nodes[first].set = Some(ParticleSet { domain, ..set });
            if graph.nodes[first].file.is_some() {
                graph.nodes[first].domain = Some(domain);
            }
        }
    }
}

/// The stage with an unwired set, or the file, at the beginning of a chain.
fn first_emitter(graph: &Graph, mut source: Source) -> Option<NodeId> {
    for _ in 0..graph.nodes.len() * 2 {
        source = match source {
            Source::Wire { node, port } => match &graph.nodes[node].kind {
                Kind::Group(group) => group.outputs.get(port)?.1.clone(),
                Kind::State(WireType::Particles) if graph.nodes[node].file.is_some() => return Some(node),
                Kind::Stage(stage) => {
                    let input = stage.inputs().position(|p| p.ty == PortType::Particles && p.writes())?;
                    match &graph.nodes[node].inputs.get(input)?.source {
                        Source::Nothing => return Some(node),
                        before => before.clone(),
                    }
                }
                _ => return None,
            },
            Source::GroupInput { group, input } => graph.nodes[group].inputs.get(input)?.source.clone(),
            _ => return None,
        };
    }
    None
}

impl Resolver<'_> {
    /// The set that an emitter starts.
    pub(super) fn first_set(&mut self, node: NodeId, port: &Port) -> Option<ParticleSet> {
        let entry = &self.graph.nodes[node];
        if entry.set.is_none() {
            let cause = "the input is not wired, and no State gives the capacity";
            let remedy = "connect a State's particles to it, or its output to a State's `init`";
            self.problems.push(Problem::new(&entry.path, &port.name, cause, remedy));
        }
        self.graph.nodes[node].set.clone()
    }

    /// Checks that the sets have what a stage reads, and agree with what it writes.
    pub(super) fn attributes(&mut self, path: &str, stage: &Stage, sets: &BTreeMap<&str, ParticleSet>) -> bool {
        let mut fits = true;
        for port in stage.inputs() {
            let Some(set) = sets.get(port.name.as_str()) else { continue };
            let dim = self.graph.domains.get(set.domain).map_or(2, |d| d.dim);
            let mut wrong = |cause: String, remedy: String| {
                fits = false;
                self.problems.push(Problem::new(path, &port.name, cause, remedy));
            };
            for (name, ty) in port.attributes.iter().filter(|(n, _)| !set.attributes.contains_key(n)) {
                let has: Vec<&str> = set.attributes.keys().map(String::as_str).collect();
                wrong(
                    format!("the particles have no `{name}: {}`", ty.name()),
                    format!("connect a stage that writes it, or add it to the State; they have: {}", has.join(", ")),
                );
            }
            for (name, ty) in port.attributes.iter().chain(&port.written) {
                if let Some(has) = set.attributes.get(name).filter(|has| !alike(**has, *ty, dim)) {
                    wrong(
                        format!("the particles' `{name}` is {}, the stage takes {}", has.name(), ty.name()),
                        "rename one of the two".into(),
                    );
                }
            }
        }
        fits
    }
}

/// Whether types are equal, where a `Vec` is any vector with the same number of components.
fn alike(a: ValueType, b: ValueType, dim: u32) -> bool {
    let vectors = !a.is_compound() && !b.is_compound();
    a == b || (vectors && a.components(dim) == b.components(dim) && a.scalar() == b.scalar())
}

/// The particle set that a stage outputs; the one that it adds to, or the other one.
pub(super) fn written(stage: &Stage, sets: &BTreeMap<&str, ParticleSet>, summed: bool) -> Option<ParticleSet> {
    let port = stage.outputs().find(|p| p.ty == PortType::Particles && p.is_summed_set() == summed)?;
    let mut set = sets.get(port.name.as_str())?.clone();
    for (name, ty) in &port.written {
        set.attributes.entry(name.clone()).or_insert(*ty);
    }
    Some(set)
}

/// Why a State cannot hold a set.
pub(super) fn unfit(holds: &ParticleSet, incoming_set: &ParticleSet) -> Option<Unfit> {
    if holds.capacity != incoming_set.capacity {
        let cause = format!("the wire holds up to {} particles, the State {}", incoming_set.capacity, holds.capacity);
        return Some((cause, "give both States the same capacity".into()));
    }
    let missing = holds.attributes.iter().find(|(name, ty)| incoming_set.attributes.get(*name) != Some(*ty));
    missing.map(|(name, ty)| {
        let cause = format!("the State holds `{name}: {}`, which the wire does not have", ty.name());
        (cause, "connect a stage that writes it, or remove it from the State's type".into())
    })
}

/// Whether an iteration would lose attributes of its input.
pub(super) fn lost(expected: &Carry, fed: &Carry) -> bool {
    match (&expected.set, &fed.set) {
        (Some(expected), Some(fed)) => unfit(expected, fed).is_some(),
        _ => false,
    }
}
