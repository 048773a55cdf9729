//! The graph as its layout sees it: sizes, and wires between heights.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Vec2};

use super::measures::port_height;
use crate::document::{Level, Link, Node, NodeKind, ParamValue};
use crate::edit::{IN, InputEnd, NodeSignature, OUT};

/// Nodes of a level by number, in the order of their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub names: Vec<String>,
    pub sizes: Vec<Vec2>,
    /// Present positions of the nodes; those that were never placed are at the origin.
    pub at: Vec<Vec2>,
    pub wires: Vec<Wire>,
    /// Output nodes. The first on the canvas is what the View shows.
    pub outputs: Vec<usize>,
}

/// A wire between two nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wire {
    pub from: usize,
    pub to: usize,
    /// Height of its ports from the top of their nodes \[points\].
    pub start: f32,
    pub end: f32,
    /// Whether the wire ends at a State's next value, so it does not order its nodes.
    pub next: bool,
    /// Whether the wire is drawn for a selected node only: from a number to a node whose expressions name it.
    pub soft: bool,
    /// Wires of one output have one number.
    pub net: usize,
}

impl Flow {
    /// The flow of a level. `size` and `port` are those on the canvas: of a node, and of an output or input from its top.
    pub(crate) fn new(
        level: Level<'_>,
        signatures: &BTreeMap<String, NodeSignature>,
        place: impl Fn(&str) -> Vec2,
        size: impl Fn(&str) -> Vec2,
    ) -> Flow {
        let names: Vec<String> = signatures.keys().cloned().collect();
        let mut flow = Flow {
            sizes: names.iter().map(|name| size(name)).collect(),
            at: names.iter().map(|name| place(name)).collect(),
            outputs: (0..names.len()).filter(|node| level.nodes().get(&names[*node]).is_some_and(is_output)).collect(),
            names,
            wires: Vec::new(),
        };
        let mut nets = Vec::new();
        let mut join = |flow: &mut Flow, to: &InputEnd, from: &Link| {
            let (Some(a), Some(b)) = (flow.index(&from.node), flow.index(&to.node)) else { return };
            let (Some(source), Some(reader)) = (signatures.get(&from.node), signatures.get(&to.node)) else { return };
            let output = source.output(&from.port).unwrap_or(0);
            let input = reader.inputs.iter().position(|port| port.name == to.port);
            let net = nets.iter().position(|net| *net == (a, output)).unwrap_or_else(|| {
                nets.push((a, output));
                nets.len() - 1
            });
            let start = port_height(source.inputs.len() + output);
            let end = input.map_or(TITLE, port_height);
            let next = level.nodes().get(&to.node).is_some_and(|node| is_next(&node.kind, &to.port));
            flow.wires.push(Wire { from: a, to: b, start, end, next, soft: to.port.is_empty(), net });
        };
        for (name, node) in level.nodes() {
            for (port, link) in &node.inputs {
                join(&mut flow, &InputEnd { node: name.clone(), port: port.clone() }, link);
            }
            for number in numbers(level, node.values()) {
                join(&mut flow, &InputEnd { node: name.clone(), port: String::new() }, &Link::parse(&number));
            }
        }
        for (port, link) in level.group().into_iter().flat_map(|group| &group.outputs) {
            join(&mut flow, &InputEnd { node: OUT.into(), port: port.clone() }, link);
        }
        flow
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|other| other.as_str().cmp(name)).ok()
    }

    /// Wires that are always drawn.
    pub(crate) fn hard(&self) -> impl Iterator<Item = &Wire> {
        self.wires.iter().filter(|wire| !wire.soft)
    }

    /// The areas of all nodes.
    pub(crate) fn areas(&self) -> Vec<Rect> {
        self.at.iter().zip(&self.sizes).map(|(at, size)| Rect::from_min_size(at.to_pos2(), *size)).collect()
    }

    /// Whether a node is the block of an open group's inputs.
    pub(super) fn first(&self, node: usize) -> bool {
        self.names.get(node).is_some_and(|name| name == IN)
    }

    /// A part of it: these nodes, as they are numbered there, and the wires between them.
    pub(super) fn part(&self, nodes: &[usize]) -> Flow {
        let place = |node: usize| nodes.iter().position(|other| *other == node);
        let wires = self
            .wires
            .iter()
            .filter_map(|wire| Some(Wire { from: place(wire.from)?, to: place(wire.to)?, ..wire.clone() }));
        Flow {
            names: nodes.iter().map(|node| self.names[*node].clone()).collect(),
            sizes: nodes.iter().map(|node| self.sizes[*node]).collect(),
            at: nodes.iter().map(|node| self.at[*node]).collect(),
            wires: wires.collect(),
            outputs: self.outputs.iter().filter_map(|node| place(*node)).collect(),
        }
    }
}

/// Height of a node's title from its top \[points\].
const TITLE: f32 = 12.0;

fn is_output(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Output(_))
}

/// Whether a wire to this port is for the next frame.
pub(crate) fn is_next(kind: &NodeKind, port: &str) -> bool {
    matches!(kind, NodeKind::State(_)) && port == "next"
}

/// Numbers of the level that values name.
fn numbers<'a>(level: Level<'_>, values: impl Iterator<Item = &'a ParamValue>) -> Vec<String> {
    let named = values.filter_map(ParamValue::expression).flat_map(|text| crate::expr::names(text));
    let number = |name: &&str| level.nodes().get(*name).is_some_and(|node| node.kind.is_number());
    let mut names: Vec<String> = named.filter(number).map(String::from).collect();
    names.sort_unstable();
    names.dedup();
    names
}
