//! Opens groups: their inputs and outputs, the names that expressions inside may use, and exposed parameters.

use std::sync::Arc;

use super::balance;
use super::fits::parameter;
use super::flatten::{declared_value, empty, setting};
use super::limits::{self, shortened};
use super::numbers::{Named, NamedNumber, Names, Unfit};
use super::ports::Ports;
use super::scope::{Flattener, NodePlace, Scope};
use super::values::{Setting, wired};
use super::{DomainId, Group, Input, Kind, Node, NodeId, Source};
use crate::document::{self, Link, Nodes, ParamValue};
use crate::expr;
use crate::problem::Problem;
use crate::stage::types::{PortType, ValueType};

impl Flattener<'_> {
    pub(super) fn group(
        &mut self,
        place: &NodePlace<'_>,
        index: NodeId,
        (group, iterations): (&document::Group, u32),
        domain: Option<DomainId>,
    ) -> Node {
        if group.inputs.len().max(group.outputs.len()) > limits::GROUP_PORTS {
            let (inputs, outputs) = (group.inputs.len(), group.outputs.len());
            let cause = format!(
                "the group has {inputs} inputs and {outputs} outputs; at most {} of each are allowed",
                limits::GROUP_PORTS
            );
            self.problems.push(Problem::new(place.path, "", cause, "split it into several groups"));
            return empty(place.path, None);
        }
        self.long_names(place, group.inputs.keys().chain(group.outputs.keys()).chain(group.params.keys()));
        let ports: Vec<&str> = group.inputs.keys().map(String::as_str).collect();
        let params: Vec<&str> = group.params.keys().map(String::as_str).collect();
        let number = |ty: &&String| PortType::parse(ty).is_some_and(PortType::is_number);
        let numbers = group.inputs.iter().filter(|(_, ty)| number(ty)).map(|(name, _)| name.as_str());
        let wirable: Vec<&str> = ports.iter().chain(&params).copied().collect();
        self.unknown_names(place, &wirable, &params.into_iter().chain(numbers).collect::<Vec<_>>());
        let mut typed = Vec::new();
        for (name, ty) in &group.inputs {
            match PortType::parse(ty) {
                Some(ty) => typed.push((name.clone(), ty)),
                None => {
                    let remedy = "use Grid<f32>, Grid<Vec>, FaceGrid, f32, ...";
                    self.problems.push(Problem::new(place.path, name, format!("`{ty}` is not a port type"), remedy));
                }
            }
        }
        let inside = Ports::new(&group.nodes, place.ports.inside(place.name), self.library);
        let (mut inputs, mut looped) = (Vec::new(), Vec::new());
        for (name, ty) in &typed {
            let link = place.node.inputs.get(name).filter(|link| !self.unwired(place, link));
            let mut source = match (link, place.node.params.get(name)) {
                (Some(link), _) => self.link(place, name, link),
                (None, value) if ty.is_number() => {
                    let value = value.cloned().unwrap_or(ParamValue::Number(0.0));
                    Source::Setting(setting(place, name, declared_value(*ty), value))
                }
                // The first iteration could do without the input, but the others read what the one before has computed.
                _ if place.node.iterations.is_some() && group.outputs.contains_key(name) => {
                    let remedy = format!("connect a {ty} to it as the start of the first iteration");
                    self.problems.push(Problem::new(place.path, name, "the input is not wired", remedy));
                    Source::Nothing
                }
                // Whatever reads it inside may do without it, or else reports that.
                _ => Source::Nothing,
            };
            looped.push(self.looped(place, (group, iterations), &inside, (name, *ty), &mut source));
            let outer = self.outer(place, place.node.inputs.get(name));
            inputs.push(Input { name: name.clone(), source, outer });
        }
        self.hidden(place.path, group, &typed);
        let names = self.entering_numbers(place.path, &typed, &looped, &mut inputs);
        let kind = Group { inputs: typed, looped, ..Group::default() };
        self.graph.nodes[index] =
            Node { kind: Kind::Group(kind.clone()), inputs: inputs.clone(), ..empty(place.path, place.scope.group) };
        if place.scope.depth >= limits::NESTING {
            let cause = format!("groups are nested more than {} deep", limits::NESTING);
            self.problems.push(Problem::new(
                place.path,
                "",
                cause,
                "a group can't contain itself; open it and remove the inner copy",
            ));
            return self.graph.nodes[index].clone();
        }
        let blocks = self.blocks_inside(place, group);
        let confines = blocks.as_ref().is_some_and(|(_, level)| *level == place.scope.depth);
        let mut scope = Scope {
            prefix: format!("{}/", place.path),
            group: Some(index),
            domains: place.scope.domains.clone(),
            names: Arc::new(names),
            domain,
            depth: place.scope.depth + 1,
            around: place.ports.inside(place.name),
            divergences: balance::divergences(place.node, place.siblings, place.scope, self.library),
            blocks,
            balanced: place.scope.balanced || balance::balances_itself(place.node, self.library),
            ..Scope::default()
        };
        let nodes = self.expose(place, group, &mut scope);
        let (nodes, outputs) = self.bypass(nodes, group.outputs.clone(), &mut scope);
        let nodes = balance::inserted(nodes, &scope, self.library);
        let inside = Ports::new(&nodes, scope.around.clone(), self.library);
        let names = self.scope(&nodes, scope.clone(), &inside);
        let inner = NodePlace {
            path: place.path,
            name: place.name,
            node: place.node,
            siblings: &nodes,
            ports: &inside,
            names: &names,
            scope: &scope,
        };
        let outputs = outputs.iter().map(|(name, link)| (name.clone(), self.shown(&inner, name, link))).collect();
        Node { kind: Kind::Group(Group { outputs, confines, ..kind }), inputs, ..empty(place.path, None) }
    }

    /// Warns when expressions inside a group cannot use an input, because its name means something else in them.
    fn hidden(&mut self, path: &str, group: &document::Group, typed: &[(String, PortType)]) {
        for (name, _) in typed.iter().filter(|(name, ty)| ty.is_number() && expr::reserved(name)) {
            let mentions = |value: &ParamValue| value.expression().is_some_and(|text| expr::mentions(text, name));
            if group.nodes.values().any(|node| node.values().any(mentions)) {
                let cause =
                    format!("expressions inside can't use the input, because `{name}` means something else in them");
                self.problems.push(Problem::new(path, name, cause, "rename the input").warning());
            }
        }
    }

    /// What an output of a group passes on. Its value determines whether it is a number or a vector, since no port
    /// declares it.
    fn shown(&mut self, place: &NodePlace<'_>, name: &str, link: &Link) -> Source {
        let mut source = self.link(place, name, link);
        if let Source::Setting(setting) = &mut source
            && setting.ty == ValueType::F32
            && let Ok(formula) = self.numbers.formula(&setting.value, &setting.names)
            && let Ok(value) = self.numbers.start(&formula)
        {
            setting.ty = match value.len {
                2 => ValueType::Vec2,
                3 => ValueType::Vec3,
                4 => ValueType::Vec4,
                _ => ValueType::F32,
            };
        }
        source
    }

    /// Why a parameter cannot read an input of the enclosing group, where that changes with every iteration.
    pub(super) fn goes_round(&self, source: &Source) -> Option<Unfit> {
        let Source::GroupInput { group, input } = source else { return None };
        let Kind::Group(kind) = &self.graph.nodes.get(*group)?.kind else { return None };
        if !kind.looped.get(*input).is_some_and(|looped| *looped) {
            return None;
        }
        let name = &kind.inputs.get(*input)?.0;
        let cause = format!(
            "`{name}` changes with every iteration, because the group has an output of that name, and a parameter can't read it"
        );
        Some((cause, "declare an `@in` number in the stage, or rename the output".into()))
    }

    /// Rejects port names that are too long, since labels and messages repeat them.
    pub(super) fn long_names<'n>(&mut self, place: &NodePlace<'_>, names: impl Iterator<Item = &'n String>) {
        for name in names.filter(|name| name.len() > limits::PORT_NAME) {
            let cause = format!("a port's name has {} bytes; at most {} are allowed", name.len(), limits::PORT_NAME);
            self.problems.push(Problem::new(place.path, &shortened(name), cause, "give it a shorter name"));
        }
    }

    /// Registers the numbers that enter a group, so that expressions inside can use them by name.
    fn entering_numbers(
        &mut self,
        path: &str,
        typed: &[(String, PortType)],
        looped: &[bool],
        inputs: &mut [Input],
    ) -> Names {
        let mut names = Names::default();
        let mut numbers = Vec::new();
        let inputs = typed.iter().zip(looped).zip(inputs);
        for (((name, ty), looped), input) in inputs.filter(|(((_, ty), _), _)| ty.is_number()) {
            let own_path = format!("{path}.{name}");
            if *looped {
                names.insert(name, Named::Looped);
                continue;
            }
            let Source::Setting(setting) = &input.source else {
                // Its value is on the GPU, or could not be determined.
                names.insert(
                    name,
                    if matches!(input.source, Source::Nothing) { Named::Path(own_path) } else { Named::Gpu },
                );
                continue;
            };
            names.insert(name, Named::Path(own_path.clone()));
            let paths = [vec![own_path.clone()], setting.aliases.clone()].concat();
            let uses = setting.names.uses(&setting.value);
            let number =
                NamedNumber { paths, level: format!("{path}/"), value: setting.value.clone(), uses, track: None };
            numbers.push((number, setting.names.clone()));
            input.source = Source::Setting(wired(&own_path, declared_value(*ty)));
        }
        self.add_numbers(numbers);
        names
    }

    /// What a parameter's wire reads; reports what is not a number of the document.
    fn number(&mut self, place: &NodePlace<'_>, name: &str, link: &Link) -> Option<Setting> {
        match self.link(place, name, link) {
            Source::Setting(number) => Some(number),
            Source::Nothing => None,
            source => {
                let (cause, remedy) = self.goes_round(&source).unwrap_or_else(parameter);
                self.problems.push(Problem::new(place.path, name, cause, remedy));
                None
            }
        }
    }

    /// Passes a group's parameters to the nodes inside that they set.
    fn expose(&mut self, place: &NodePlace<'_>, group: &document::Group, scope: &mut Scope) -> Nodes {
        let mut nodes = group.nodes.clone();
        for (name, targets) in &group.params {
            if document::OWN_VALUES.contains(&name.as_str()) {
                let cause =
                    format!("the node has its own `{name}`, which commands and links set instead of the parameter");
                self.problems.push(Problem::new(place.path, name, cause, "rename the parameter").warning());
            }
            let wire = place.node.inputs.get(name).filter(|_| !group.inputs.contains_key(name));
            let number = wire.filter(|link| !self.unwired(place, link)).and_then(|link| self.number(place, name, link));
            for target in targets {
                let Some(inner) = nodes.get_mut(&target.node) else {
                    let cause = format!("the parameter sets `{target}`, which is not in the group");
                    self.problems.push(Problem::new(place.path, name, cause, "name a node inside"));
                    continue;
                };
                let param = (target.node.clone(), target.port.clone());
                if let Some(number) = &number {
                    inner.give(&target.port, number.value.clone());
                    scope.outer_names.insert(param.clone(), number.names.clone());
                } else if let Some(value) = place.node.params.get(name) {
                    inner.give(&target.port, value.clone());
                    scope.outer_names.insert(param.clone(), place.names(name));
                }
                let outer = scope.aliases.entry(param).or_default();
                outer.push(format!("{}.{name}", place.path));
                outer.extend(place.aliases(name));
            }
        }
        nodes
    }
}
