//! What is in memory under a name: a wire, an attribute of a particle set, a particle set, a neighbour grid, or the single
//! output of a node.

use crate::plan::{Plan, Wire};
use crate::problem::Problem;
use crate::stage::types::WireType;

/// What is in memory under a name.
#[derive(Clone, Copy)]
pub(super) enum NamedMemory<'a> {
    /// A grid or a number.
    Whole(&'a Wire),
    /// The first entries of a neighbour grid.
    Starts(&'a Wire),
    /// Values of an attribute, the count, and positions where the set has any.
    Set(&'a Wire, &'a Wire, Option<&'a Wire>),
}

impl<'a> NamedMemory<'a> {
    /// The values; for particles also the count, and the positions in a domain.
    pub(super) fn wires(self) -> (&'a Wire, Option<&'a Wire>, Option<&'a Wire>) {
        match self {
            NamedMemory::Whole(wire) | NamedMemory::Starts(wire) => (wire, None, None),
            NamedMemory::Set(values, count, places) => {
                (values, Some(count), places.filter(|wire| wire.space.is_some()))
            }
        }
    }
}

/// What is stored under a name: a wire, an attribute of a particle set, a particle set, a neighbour grid, or the single
/// output of a node.
pub(super) fn lookup<'a>(plan: &'a Plan, name: &str) -> Option<NamedMemory<'a>> {
    exact(plan, name).or_else(|| {
        let mut ports = plan.wires.keys().filter_map(|wire| wire.strip_prefix(name)?.strip_prefix('.'));
        let port = ports.next()?.split('.').next()?;
        let others = ports.any(|other| other.split('.').next() != Some(port));
        if others { None } else { exact(plan, &format!("{name}.{port}")) }
    })
}

fn exact<'a>(plan: &'a Plan, name: &str) -> Option<NamedMemory<'a>> {
    let wire = |name: &str| plan.wires.get(name);
    let part = |of: &str, part: &str| wire(&format!("{of}.{part}"));
    if let Some(whole) = wire(name) {
        let of_set = name.rsplit_once('.').filter(|_| matches!(whole.ty, WireType::Attribute(_)));
        return Some(match of_set.and_then(|(set, _)| Some((part(set, "count")?, part(set, "position")))) {
            Some((count, places)) => NamedMemory::Set(whole, count, places),
            None => NamedMemory::Whole(whole),
        });
    }
    let prefix = format!("{name}.");
    let parts = plan.wires.range(prefix.clone()..).take_while(|(wire, _)| wire.starts_with(&prefix));
    let mut attributes = parts.filter(|(_, wire)| matches!(wire.ty, WireType::Attribute(_))).map(|(_, wire)| wire);
    let position = part(name, "position");
    let velocity = part(name, "velocity").filter(|wire| matches!(wire.ty, WireType::Attribute(_)));
    let other = |wire: &&Wire| position.is_none_or(|position| !std::ptr::eq(*wire, position));
    match (part(name, "count"), velocity.or_else(|| attributes.find(other)).or(position)) {
        (Some(count), Some(values)) => Some(NamedMemory::Set(values, count, position)),
        _ => part(name, "start").map(NamedMemory::Starts),
    }
}

pub(super) fn unknown(plan: &Plan, wire: &str) -> Problem {
    let node = wire.split('.').next().unwrap_or(wire);
    let near: Vec<&str> = plan.wires.keys().filter(|w| w.split('.').next() == Some(node)).map(String::as_str).collect();
    let remedy = match near.is_empty() {
        true => "name a wire that the plan computes; of a field NODE.PORT or NODE.PORT@DOMAIN; number nodes have no memory of their own".into(),
        false => format!("this node has: {}", near.join(", ")),
    };
    Problem::new("", wire, "there is no such wire in the plan", remedy)
}
