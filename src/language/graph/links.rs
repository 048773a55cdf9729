//! Resolves links by name to sources by index, or to an error.

use std::collections::BTreeSet;

use super::limits::{list, shortened_beyond};
use super::numbers::Fault;
use super::scope::{Flattener, NodePlace};
use super::values::wired;
use super::{Kind, NodeId, REPEATS, Source};
use crate::document::{Link, NodeKind, WHERE, sole_output};
use crate::library::earlier;
use crate::problem::Problem;
use crate::stage::types::ValueType;

impl Flattener<'_> {
    /// Resolves a link; reports errors.
    pub(super) fn link(&mut self, place: &NodePlace<'_>, port: &str, link: &Link) -> Source {
        match self.find(place, link) {
            Ok(source) => source,
            Err(Some((cause, remedy))) => {
                self.problems.push(Problem::new(place.path, port, cause, remedy));
                Source::Nothing
            }
            Err(None) => Source::Nothing,
        }
    }

    /// Whether a link reads an unwired input of the enclosing group.
    pub(super) fn unwired(&self, place: &NodePlace<'_>, link: &Link) -> bool {
        self.outer(place, Some(link)).is_some()
    }

    /// The unwired input of the enclosing group that a link reads, if any.
    pub(super) fn outer(&self, place: &NodePlace<'_>, link: Option<&Link>) -> Option<(NodeId, usize)> {
        let link = link.filter(|link| link.node == "in")?;
        let group = place.scope.group?;
        let inputs = &self.graph.nodes.get(group)?.inputs;
        // Inputs are sorted by name.
        let index = inputs.binary_search_by(|input| input.name.cmp(&link.port)).ok()?;
        matches!(inputs.get(index)?.source, Source::Nothing).then_some((group, index))
    }

    /// The node and the input at which an input could be wired: its own, or that of the outermost group that it is linked to. So
    /// what many nodes of a group lack is one problem, where the user can solve it.
    pub(super) fn to_wire(&self, place: &NodePlace<'_>, input: &str) -> (String, String) {
        let mut found = (place.path.to_string(), input.to_string());
        let mut outer = self.outer(place, place.node.inputs.get(input));
        while let Some((group, index)) = outer
            && let Some(group) = self.graph.nodes.get(group)
            && let Some(input) = group.inputs.get(index)
        {
            found = (group.path.clone(), input.name.clone());
            outer = input.outer;
        }
        found
    }

    /// Resolves a link; the error is cause and remedy.
    fn find(&self, place: &NodePlace<'_>, link: &Link) -> Result<Source, Fault> {
        if let Some(fault) = place.scope.stuck.get(link) {
            return Err(fault.clone());
        }
        if link.node == "in" {
            let Some(group) = place.scope.group else {
                let cause = format!("`{link}` reads a group's input, but is not inside a group");
                return Err(Some((cause, "wire a node".into())));
            };
            let Some(Kind::Group(kind)) = self.graph.nodes.get(group).map(|n| &n.kind) else {
                return Ok(Source::Nothing);
            };
            return match kind.inputs.binary_search_by(|(name, _)| name.cmp(&link.port)).ok() {
                Some(input) if kind.looped.get(input).is_some_and(|looped| *looped) => {
                    Ok(Source::GroupInput { group, input })
                }
                // A number passes through the border of a group that does not change it.
                Some(input) => match self.graph.nodes[group].inputs.get(input).map(|i| &i.source) {
                    Some(Source::Setting(setting)) => Ok(Source::Setting(setting.clone())),
                    _ => Ok(Source::GroupInput { group, input }),
                },
                None => {
                    let remedy = format!("its inputs are: {}", list(kind.inputs.iter().map(|(n, _)| n)));
                    Err(Some((format!("the group has no input `{}`", link.port), remedy)))
                }
            };
        }
        let Some(target) = place.siblings.get(&link.node) else {
            let remedy = "connect a node that exists, or remove the wire";
            return Err(Some((format!("`{link}` does not name a node"), remedy.into())));
        };
        let Some(node) = place.names.get(&link.node).copied() else {
            let (noun, remedy) = match &target.kind {
                NodeKind::Domain(_) => ("domain", "use it as `on` instead"),
                kind => (kind.info().noun, "remove the wire"),
            };
            return Err(Some((format!("`{link}` is a {noun}, which carries no values"), remedy.into())));
        };
        let Some(outputs) = place.ports.outputs(&link.node) else { return Ok(Source::Nothing) };
        let position = match link.port.as_str() {
            // A file node is its first output.
            "" if target.kind.file().is_some() => Some(0),
            "" => sole_output(outputs.iter().enumerate().map(|(place, name)| (name.as_str(), place))),
            name => outputs.iter().position(|o| o == name),
        };
        let counts = link.port == REPEATS && target.until.is_some();
        let position = position.or(counts.then_some(outputs.len()));
        match position {
            None => {
                let gone = match &target.kind {
                    NodeKind::Stage(stage) => earlier::instead_of_port(stage, &link.port),
                    _ => None,
                };
                let remedy = match (gone, outputs.is_empty()) {
                    (Some(instead), _) => instead.to_string(),
                    (None, true) => "it has no outputs".to_string(),
                    (None, false) => format!("its outputs are: {}", list(outputs.iter())),
                };
                Err(Some((format!("`{}` has no output `{}`", link.node, link.port), remedy)))
            }
            Some(_) if target.kind.is_number() => {
                Ok(Source::Setting(wired(&format!("{}.value", self.graph.nodes[node].path), ValueType::F32)))
            }
            Some(port) => Ok(Source::Wire { node, port }),
        }
    }

    /// Reports inputs and parameters that the node does not have.
    pub(super) fn unknown_names(&mut self, place: &NodePlace<'_>, inputs: &[&str], params: &[&str]) {
        let mut report = |name: &String, what: &str, available: &[&str]| {
            let gone = match &place.node.kind {
                NodeKind::Stage(stage) => earlier::instead_of_port(stage, name),
                _ => None,
            };
            let remedy = match (gone, available.is_empty()) {
                (Some(instead), _) => instead.to_string(),
                (None, true) => format!("it has no {what}s; remove it"),
                (None, false) => format!("its {what}s are: {}", list(available)),
            };
            let shown = shortened_beyond(name);
            self.problems.push(Problem::new(place.path, &shown, format!("the node has no {what} `{shown}`"), remedy));
        };
        let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<BTreeSet<_>>();
        let (has_inputs, has_params) = (set(inputs), set(params));
        let unknown = |names: &BTreeSet<String>, name: &&String| !names.contains(*name);
        let wires = place.node.inputs.keys().filter(|name| *name != WHERE);
        wires.filter(|n| unknown(&has_inputs, n)).for_each(|n| report(n, "input", inputs));
        place.node.params.keys().filter(|n| unknown(&has_params, n)).for_each(|n| report(n, "parameter", params));
    }
}
