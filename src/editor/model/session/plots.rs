//! The curves of the pane of plots: what is measured after every frame, whether or not it is on show.

use super::Session;
use super::run_state::Plotted;
use crate::document::Link;
use crate::graph::expect::{ExpectSubject, Statistic};
use crate::graph::measurement::Measurement;
use crate::stage::types::{PortType, WireType};

/// Curves that there may be.
const CURVES: usize = 24;

impl Session {
    /// The curves, in the order in which they were added.
    pub(crate) fn plotted(&self) -> &[Plotted] {
        &self.numbers.plotted
    }

    /// Plots a number or a statistic of a wire, by `node.port` with the whole path of the node, from now on. `component`: of vectors;
    /// their length when `None`.
    ///
    /// # Errors
    /// Why not, in one sentence.
    pub(crate) fn plot(&mut self, wire: &str, statistic: Statistic, component: Option<u32>) -> Result<(), String> {
        let (wire, subject) = self.measured(wire, statistic)?;
        let place = match statistic {
            Statistic::Value => String::new(),
            // A 2D domain has one layer of cells.
            Statistic::Cell([x, y, z]) if self.dim_of_grid(&wire) == Some(3) => format!(" at cell ({x}, {y}, {z})"),
            Statistic::Cell([x, y, _]) => format!(" at cell ({x}, {y})"),
            Statistic::Particle(index) => format!(" of particle {index}"),
            named => format!(":{}{}", named.name(), component.map_or(String::new(), |part| format!(":{part}"))),
        };
        let title = format!("{wire}{place}");
        let numbers = &mut self.numbers;
        if numbers.plotted.iter().any(|curve| curve.title == title) {
            return Ok(());
        }
        if numbers.plotted.len() >= CURVES {
            return Err(format!("There are {CURVES} curves already; remove one before you add another"));
        }
        numbers.add(&title, Measurement { subject, statistic, component });
        let unit_of = (!statistic.counts()).then_some(wire);
        numbers.plotted.push(Plotted { title, unit_of });
        Ok(())
    }

    /// Removes a curve, and what was recorded of it unless a view shows it.
    pub(crate) fn stop_plotting(&mut self, title: &str) {
        self.numbers.plotted.retain(|curve| curve.title != title);
        self.numbers.remove(title);
        if let Some(following) = &mut self.following {
            let attribute =
                following.curves().find(|(curve_title, _)| curve_title == title).map(|(_, name)| name.to_string());
            attribute.into_iter().for_each(|attribute| following.plot(&attribute));
        }
    }

    /// The wires of the open level that can be plotted: numbers, and then those of many values, with the attributes of particles.
    pub(crate) fn wires_to_plot(&self) -> (Vec<String>, Vec<String>) {
        let mut many = Vec::new();
        for (node, signature) in self.signatures() {
            for port in signature.outputs {
                let Some(wire) = self.wire_path(&Link { node: node.clone(), port: port.name }) else { continue };
                match (self.carried(&wire), port.ty) {
                    // One that nothing needs is computed once it is plotted.
                    (_, Some(PortType::Grid(_) | PortType::FaceGrid)) => many.push(wire),
                    (None, _) => many.extend(self.attributes(&wire)),
                    (Some(_), _) => {}
                }
            }
        }
        many.dedup();
        (self.numbers_of_level(), many)
    }

    /// The attributes of a set of particles as wires, `node.port.attribute`, in the order of their names.
    fn attributes(&self, set: &str) -> Vec<String> {
        let Some(simulation) = &self.simulation else { return Vec::new() };
        let of_set = |name: &str| name.strip_prefix(set).is_some_and(|rest| rest.starts_with('.'));
        let wires = simulation.plan().wires.iter();
        let attributes = wires.filter(|(name, wire)| matches!(wire.ty, WireType::Attribute(_)) && of_set(name));
        attributes.map(|(name, _)| name.clone()).collect()
    }

    /// What a measurement of a wire reads, and the wire that it is of: for a set of particles its count, or an attribute of one.
    fn measured(&self, wire: &str, statistic: Statistic) -> Result<(String, ExpectSubject), String> {
        if self.simulation.is_none() {
            return Err("Nothing runs yet, so there is nothing to plot; fix the problems of the graph first".into());
        }
        let attribute = |wire: &str| {
            let (set, attribute) = wire.rsplit_once('.')?;
            Some((wire.to_string(), ExpectSubject::Attribute(set.into(), attribute.into())))
        };
        let whole = |wire: &str| Some((wire.to_string(), ExpectSubject::Wire(wire.into())));
        let found = match (self.carried(wire), statistic) {
            (_, Statistic::Value) if self.is_number(wire) => {
                self.number(wire).map(|subject| (wire.to_string(), subject))
            }
            (Some(WireType::Grid(_) | WireType::FaceGrid), _) if statistic != Statistic::Value => whole(wire),
            (Some(WireType::Attribute(_)), _) => attribute(wire),
            (None, Statistic::Value) if !self.attributes(wire).is_empty() => attribute(&format!("{wire}.count")),
            (None, Statistic::Particle(_)) => {
                let attributes = self.attributes(wire);
                let velocity = attributes.iter().find(|name| name.ends_with(".velocity"));
                velocity.or(attributes.first()).and_then(|name| attribute(name))
            }
            // What nothing needs yet is in no plan, but has a type.
            (None, _) => {
                let (numbers, many) = self.wires_to_plot();
                let listed = if statistic == Statistic::Value { numbers } else { many };
                let node = wire.strip_suffix(".value").and_then(|node| self.document.node(node));
                let is_listed = listed.iter().any(|listed| listed == wire);
                match node.filter(|_| is_listed).is_some_and(|node| node.kind.is_number()) {
                    true => Some((wire.to_string(), ExpectSubject::Number(wire.into()))),
                    false => whole(wire).filter(|_| is_listed),
                }
            }
            _ => None,
        };
        found.ok_or_else(|| format!("{wire} has no values over frames to plot; choose a number, a grid or particles"))
    }

    /// Dimensions of the domain of a grid.
    fn dim_of_grid(&self, wire: &str) -> Option<u32> {
        let plan = self.simulation.as_ref()?.plan();
        plan.domains.get(plan.wires.get(wire)?.domain?).map(|domain| domain.dim)
    }
}
