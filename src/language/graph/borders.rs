//! What wires carry across the borders of groups, resolved once for each port.

use std::collections::BTreeMap;

use super::carry::{Border, Carried, Carry, Resolver};
use super::fits::bound;
use super::{Kind, Source};
use crate::problem::Problem;
use crate::stage::types::{ValueType, WireType};

impl Resolver<'_> {
    /// What an input or an output of a group carries.
    pub(super) fn border(&mut self, border: Border) -> Carried {
        if let Some(carried) = self.carries.get(&border) {
            return carried.clone();
        }
        if !self.followed.insert(border) {
            let (Border::Input(group, _) | Border::Output(group, _)) = border;
            let path = &self.graph.nodes[group].path;
            let cause = "an output of the group feeds its own input with no stage in between";
            self.problems.push(Problem::new(path, "", cause, "connect one of its inputs to a node that has a value"));
            return None;
        }
        let carried = self.across(border);
        self.followed.remove(&border);
        // During a cycle, nothing may be recorded yet.
        if carried.is_some() || (self.open.is_empty() && self.followed.is_empty()) {
            self.carries.insert(border, carried.clone());
        }
        carried
    }

    fn across(&mut self, border: Border) -> Carried {
        match border {
            Border::Output(node, port) if self.graph.counts_repeats(&Source::Wire { node, port }) => {
                Some(Carry { ty: WireType::Number(ValueType::U32), domain: None, set: None })
            }
            Border::Output(node, port) => {
                let Kind::Group(group) = &self.graph.nodes[node].kind else { return None };
                let inner = group.outputs.get(port).map(|(_, source)| source.clone())?;
                self.carried(&inner)
            }
            Border::Input(group, input) => {
                let outer = self.graph.nodes[group].inputs.get(input).map(|i| i.source.clone())?;
                let Kind::Group(kind) = &self.graph.nodes[group].kind else { return None };
                let declared = kind.inputs.get(input).map(|(_, ty)| *ty)?;
                let carry = self.carried(&outer)?;
                // A mismatch is reported once, at the group.
                let ty = bound(declared, &BTreeMap::new()).unwrap_or(carry.ty);
                Some(Carry { set: carry.set.filter(|_| ty == WireType::Particles), ty, domain: carry.domain })
            }
        }
    }
}
