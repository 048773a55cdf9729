//! Specialises stages for their place in the graph: parameters that shape the plan are written into their texts, and which
//! of their ports are wired; inputs on the stage's own cells are read there without interpolation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::carry::Resolver;
use super::scope::{Flattener, NodePlace};
use super::values::fit;
use super::{DomainId, Kind, Setting, Source};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::stage::types::PortType;

impl Flattener<'_> {
    /// A stage with its `fixed` parameters replaced by constants; its node no longer has them.
    pub(super) fn specialized(
        &mut self,
        place: &NodePlace<'_>,
        stage: Arc<Stage>,
        settings: &mut Vec<Setting>,
    ) -> Arc<Stage> {
        let fixed = |name: &str| stage.param(name).is_some_and(|param| param.fixed);
        let mut values = BTreeMap::new();
        for setting in settings.iter().filter(|setting| fixed(&setting.name)) {
            let name = &setting.name;
            let value = self.fixed((place.path, name, name), &setting.value, &setting.names, &setting.aliases);
            match value.map(|number| fit(setting.ty, setting.range, number, 2)) {
                Some(Ok([value, ..])) => drop(values.insert(name.clone(), value)),
                Some(Err((cause, remedy))) => self.problems.push(Problem::new(place.path, name, cause, remedy)),
                None => {}
            }
        }
        if values.is_empty() {
            return stage;
        }
        settings.retain(|setting| !values.contains_key(&setting.name));
        stage.with_constants(&values)
    }
}

impl Resolver<'_> {
    /// Removes from stages what they do with ports that are not wired.
    pub(super) fn wired(&mut self) {
        for entry in self.graph.nodes.iter_mut() {
            let Kind::Stage(stage) = &entry.kind else { continue };
            let unwired = |name: &str| {
                entry.inputs.iter().any(|input| input.name == name && matches!(input.source, Source::Setting(_)))
            };
            if let Some(simpler) = stage.with_wired(&|name| !unwired(name)) {
                entry.kind = Kind::Stage(simpler);
            }
        }
    }

    /// Lets stages read inputs on their own cells directly. Face grids are still read by position, since faces lie
    /// elsewhere.
    pub(super) fn own_cells(&mut self) {
        for node in self.graph.nodes.ids() {
            let entry = &self.graph.nodes[node];
            let (Kind::Stage(stage), Some(domain)) = (entry.kind.clone(), entry.domain) else { continue };
            let sources: Vec<(String, Source)> =
                entry.inputs.iter().map(|input| (input.name.clone(), input.source.clone())).collect();
            let reads_position = |port: &str| stage.calls("position") && stage.calls(&format!("{port}_at"));
            let on_cells: Vec<&String> = sources
                .iter()
                .filter(|(name, source)| reads_position(name) && self.lives_on(source, domain))
                .map(|(name, _)| name)
                .collect();
            if on_cells.is_empty() {
                continue;
            }
            let grid = |port: &crate::stage::header::Port| {
                matches!(port.ty, PortType::Grid(_)) && on_cells.contains(&&port.name)
            };
            if let Some(simpler) = stage.at_own_cells(&grid) {
                self.graph.nodes[node].kind = Kind::Stage(simpler);
            }
        }
    }

    /// Whether a wire is on a domain, in every iteration of the groups that it enters.
    fn lives_on(&mut self, source: &Source, domain: DomainId) -> bool {
        let mut pending = vec![source.clone()];
        let mut seen = Vec::new();
        while let Some(source) = pending.pop() {
            if self.carried(&source).and_then(|carry| carry.domain) != Some(domain) {
                return false;
            }
            match source {
                Source::GroupInput { group, input } if !seen.contains(&(group, input)) => {
                    seen.push((group, input));
                    let entry = &self.graph.nodes[group];
                    pending.extend(entry.inputs.get(input).map(|i| i.source.clone()));
                    if let (Kind::Group(kind), true) = (&entry.kind, entry.iterations > 1) {
                        pending.extend(kind.feedback(input).cloned());
                    }
                }
                Source::Wire { node, port } => {
                    if let Kind::Group(kind) = &self.graph.nodes[node].kind {
                        pending.extend(kind.outputs.get(port).map(|(_, inner)| inner.clone()));
                    }
                }
                _ => {}
            }
        }
        true
    }
}
