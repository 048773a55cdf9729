//! Fields have no memory. To look at one, it is evaluated at the cell centres of a domain: a graph with a node of its own for this.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Domain, DomainId, Graph, Input, Kind, Node, NodeId, Source};
use crate::library::Library;
use crate::stage::types::{Precision, ValueType, WireType};

/// Limit of numbers of a sampled field; a larger domain is sampled at cells that are twice as wide, or wider.
const MOST: u64 = 64 << 20;

/// A domain with fewer cells along all axes shows little of a field, and one with more takes long to evaluate it.
const FEW: u32 = 64;
const MANY: u64 = 1 << 20;

/// An output that is a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldOutput {
    node: NodeId,
    port: usize,
    /// Type of the field's value at every position.
    pub value: ValueType,
    /// Dimensions of the space of its positions, 2 or 3.
    pub dim: u32,
    /// Domain on which the field is viewed, of its own dimensions: the domain of what reads it, or else its own; a
    /// finer one of the same box where that has few cells. What reads it may run over another space: an image of a
    /// shape does.
    pub domain: DomainId,
}

impl Graph {
    /// The name of a wire: `node.port`, with the path of the node. That of a field that is looked at is the field's own.
    pub fn wire_name(&self, node: NodeId, port: usize) -> String {
        let path = self.nodes.get(node).map_or("", |node| node.path.as_str());
        if self.is_sampled_field(node) { path.to_string() } else { format!("{path}.{}", self.port_name(node, port)) }
    }

    /// Whether a node is there because a field is looked at. No other has a point in its path.
    pub fn is_sampled_field(&self, node: NodeId) -> bool {
        self.nodes.get(node).is_some_and(|node| node.path.contains('.'))
    }

    /// All fields that can be looked at, by `node.port`.
    pub fn fields(&self) -> BTreeMap<String, FieldOutput> {
        let outputs = self.nodes.entries().flat_map(|(node, entry)| {
            let count = if let Kind::Group(group) = &entry.kind { group.outputs.len() } else { entry.outputs.len() };
            (0..count).map(move |port| (node, port))
        });
        let field = |(node, port)| {
            let (value, stage) = self.field_value(&Source::Wire { node, port }, 0)?;
            let dim = self.dim(self.nodes.get(stage)?);
            let domain = self.domain_around((node, port), stage, dim)?;
            Some((self.wire_name(node, port), FieldOutput { node, port, value, dim, domain }))
        };
        outputs.filter_map(field).collect()
    }

    /// The graph with a grid for each field among these wires, `node.port`, `node.port@domain` or `node`. Other wires are
    /// ignored, and a field without a domain to look at it.
    pub fn sampled(&self, wires: &[String]) -> Cow<'_, Graph> {
        let mut graph = Cow::Borrowed(self);
        let (mut fields, library) = (None, Library::builtin());
        let Some(stage) = library.stage("grid/from_field") else { return graph };
        for wire in wires {
            let (name, on) = split(wire);
            let fields_by_name = fields.get_or_insert_with(|| self.fields());
            // The name of a node alone stands for its only field.
            let inner = format!("{name}.");
            let mut fields_of_node =
                fields_by_name.range(inner.clone()..).take_while(|(field, _)| field.starts_with(&inner));
            let only = fields_of_node.next().filter(|_| fields_of_node.next().is_none());
            let Some((name, field)) = fields_by_name.get_key_value(name).or(only).map(|(name, field)| (name, *field))
            else {
                continue;
            };
            let path = on.map_or_else(|| name.clone(), |on| format!("{name}@{on}"));
            if graph.node(&path).is_some() {
                continue;
            }
            let on = on.map(|on| self.domains.position(|domain| domain.name == on && domain.dim == field.dim));
            let Some(mut domain) = on.unwrap_or(Some(field.domain)) else { continue };
            let graph = graph.to_mut();
            while let Some(large) = graph.domains.get(domain).filter(|d| large(d.cells(), d.dim, field.value)) {
                let (dim, cells) = (large.dim, large.cells());
                match graph.half(domain) {
                    Some(half) if graph.domains.get(half).is_some_and(|d| d.dim == dim && d.cells() < cells) => {
                        domain = half;
                    }
                    _ => break,
                }
            }
            let port = stage.inputs().next().map_or_else(String::new, |port| port.name.clone());
            let source = Source::Wire { node: field.node, port: field.port };
            let group = graph.nodes.get(field.node).and_then(|node| node.group);
            graph.nodes.push(Node {
                blocks: None,
                path,
                kind: Kind::Stage(stage.clone()),
                group,
                inputs: vec![Input { name: port, source, outer: None }],
                iterations: 1,
                until: None,
                precision: Precision::default(),
                domain: Some(domain),
                names_domain: true,
                params: Vec::new(),
                generics: BTreeMap::from([('T', field.value)]),
                outputs: vec![WireType::Grid(field.value)],
                set: None,
                summed: None,
                file: None,
            });
        }
        graph
    }

    /// What a wire has at every position, if it is a field, and the stage that it comes from, looking into groups.
    fn field_value(&self, source: &Source, depth: usize) -> Option<(ValueType, NodeId)> {
        let Source::Wire { node, port } = source else { return None };
        let entry = self.nodes.get(*node).filter(|_| depth <= self.nodes.len())?;
        match (&entry.kind, entry.outputs.get(*port)) {
            (Kind::Group(group), _) => self.field_value(&group.outputs.get(*port)?.1, depth + 1),
            (Kind::Stage(_), Some(WireType::Field(value))) => Some((*value, *node)),
            _ => None,
        }
    }

    /// The domain of `dim` dimensions that a field is evaluated on, or else that of its stage.
    fn domain_around(&self, (node, port): (NodeId, usize), stage: NodeId, dim: u32) -> Option<DomainId> {
        let entry = self.nodes.get(node)?;
        let fits = |id: &DomainId| self.domains.get(*id).is_some_and(|domain| domain.dim == dim);
        let domain_of_field = entry.domain.filter(fits).or(self.nodes.get(stage)?.domain);
        let around =
            self.domain_of_readers(node, port, dim).or(domain_of_field).or_else(|| self.any_domain(&entry.path))?;
        Some(self.finer_domain(around))
    }

    /// The domain with most cells in the same box, in place of one with few cells, such as one of particles.
    fn finer_domain(&self, domain: DomainId) -> DomainId {
        let Some(original_domain) = self.domains.get(domain) else { return domain };
        if original_domain.resolution.iter().any(|cells| *cells >= FEW) {
            return domain;
        }
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b;
        let same_box = |other: &Domain| {
            let sizes = other.size().into_iter().zip(original_domain.size()).take(original_domain.dim as usize);
            other.dim == original_domain.dim && sizes.into_iter().all(|(a, b)| same(a, b))
        };
        let fit = self.domains.entries().filter(|(_, d)| !d.derived() && d.cells() <= MANY && same_box(d));
        fit.max_by_key(|(id, d)| (d.cells(), *id == domain)).map_or(domain, |(id, _)| id)
    }

    /// The domain of the first node over `dim` dimensions that reads a field, directly or through other fields.
    fn domain_of_readers(&self, node: NodeId, port: usize, dim: u32) -> Option<DomainId> {
        let mut wires = vec![(node, port, false)];
        let mut seen = 0;
        while let Some((from, port, inside)) = wires.get(seen).copied() {
            seen += 1;
            let reads = |source: &Source| match source {
                Source::Wire { node, port: p } => !inside && (*node, *p) == (from, port),
                Source::GroupInput { group, input } => inside && (*group, *input) == (from, port),
                Source::Setting(_) | Source::Nothing => false,
            };
            for (reader, entry) in self.nodes.entries() {
                let read: Vec<usize> =
                    entry.inputs.iter().enumerate().filter(|(_, i)| reads(&i.source)).map(|(index, _)| index).collect();
                let mut more = Vec::new();
                match &entry.kind {
                    Kind::Group(group) => {
                        more.extend(read.iter().map(|input| (reader, *input, true)));
                        let leaves = group.outputs.iter().enumerate().filter(|(_, (_, source))| reads(source));
                        more.extend(leaves.map(|(output, _)| (reader, output, false)));
                    }
                    _ if read.is_empty() => {}
                    _ if entry.outputs.iter().all(|ty| matches!(ty, WireType::Field(_))) => {
                        more.extend((0..entry.outputs.len()).map(|output| (reader, output, false)));
                    }
                    _ if entry.domain.is_some() && self.dim(entry) == dim => return entry.domain,
                    _ => {}
                }
                for wire in more {
                    if !wires.contains(&wire) {
                        wires.push(wire);
                    }
                }
            }
        }
        None
    }
}

/// A wire's name, and the domain that a field is looked at on: `flow.result@sheet`.
pub fn split(wire: &str) -> (&str, Option<&str>) {
    wire.split_once('@').map_or((wire, None), |(name, domain)| (name, Some(domain)))
}

fn large(cells: u64, dim: u32, value: ValueType) -> bool {
    cells.saturating_mul(u64::from(value.components(dim))) > MOST
}
