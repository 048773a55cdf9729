//! The domains that nodes of the running plan are on.

use super::Session;
use crate::document::NodeKind;
use crate::graph::Domain;
use crate::graph::field_samples::split;
use crate::stage::types::{ValueType, WireType};

impl Session {
    /// The domain that a node runs over or is stored on, by its path; that of an Output is the one of its image.
    pub(crate) fn domain_of(&self, path: &str) -> Option<&Domain> {
        self.simulation.as_ref()?.plan().domains.get(*self.spaces.domains.get(path)?)
    }

    /// The domain of a wire of the running plan; `None` for numbers and particles.
    pub(crate) fn wire_domain(&self, wire: &str) -> Option<&Domain> {
        let plan = self.simulation.as_ref()?.plan();
        plan.domains.get(plan.wires.get(wire)?.domain?)
    }

    /// The grids and fields of the graph that fit, by `node.port`: first the values of States, last fields. `dim`: of domains in this many dimensions.
    pub(crate) fn grids(&self, dim: Option<u32>, fits: impl Fn(WireType) -> bool) -> Vec<String> {
        let Some(plan) = self.simulation.as_ref().map(|simulation| simulation.plan()) else { return Vec::new() };
        let on = |id| plan.domains.get(id).is_some_and(|domain| dim.is_none_or(|dim| domain.dim == dim));
        let grids = self.spaces.grids.iter().filter(|(_, grid)| fits(grid.ty) && on(grid.domain));
        let mut grids: Vec<_> = grids.collect();
        grids.sort_by_key(|(_, grid)| (!grid.state, grid.field));
        grids.into_iter().map(|(name, _)| name.clone()).collect()
    }

    /// What a field has at every position; `None` where a wire is no field.
    pub(crate) fn field(&self, wire: &str) -> Option<ValueType> {
        let (name, _) = split(wire);
        self.spaces.grids.get(name).filter(|grid| grid.field).map(|grid| grid.ty.value())
    }

    /// The domains that a field can be looked at on, and the one that it is looked at on.
    pub(crate) fn places_of_field(&self, wire: &str) -> Option<(Vec<String>, String)> {
        let (name, on) = split(wire);
        let field_domain = self.spaces.grids.get(name).filter(|grid| grid.field)?.domain;
        let domains = &self.simulation.as_ref()?.plan().domains;
        let field_domain = domains.get(field_domain)?;
        let names = domains.iter().filter(|domain| domain.dim == field_domain.dim && !domain.derived());
        Some((names.map(|domain| domain.name.clone()).collect(), on.unwrap_or(&field_domain.name).to_string()))
    }

    /// A field by its name as a grid on another domain; other wires, and a field on its own domain, as they are.
    pub(crate) fn on_domain(&self, wire: String, domain: Option<&str>) -> String {
        match (self.places_of_field(&wire), domain) {
            (Some((names, now)), Some(domain)) if now != domain && names.iter().any(|name| name == domain) => {
                format!("{}@{domain}", split(&wire).0)
            }
            _ => wire,
        }
    }

    /// The largest domain of the running plan in this many dimensions.
    pub(crate) fn domain_in(&self, dim: u32) -> Option<&Domain> {
        let domains = self.simulation.as_ref()?.plan().domains.iter();
        domains.filter(|domain| domain.dim == dim && !domain.derived()).max_by_key(|domain| domain.cells())
    }

    /// The most dimensions that a domain of the document has.
    pub(crate) fn dim(&self) -> u32 {
        let domains = self.document.nodes.values().filter_map(|node| match &node.kind {
            NodeKind::Domain(domain) => Some(domain.resolution.len() as u32),
            _ => None,
        });
        domains.max().unwrap_or(2)
    }
}
