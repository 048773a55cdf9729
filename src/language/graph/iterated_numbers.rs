//! Numbers that a group iterates on: the group has an output with the input's name, so from its second iteration on,
//! the input is the result of the iteration before. It is then a value in GPU memory, which expressions cannot read.

use super::bypass;
use super::ports::{self, Ports};
use super::scope::{Flattener, NodePlace};
use super::{Source, limits};
use crate::document::Group;
use crate::document::Link;
use crate::problem::Problem;
use crate::stage::types::{Element, PortType};

impl Flattener<'_> {
    /// Whether the iterations of a group change an input that starts from a number or another constant.
    ///
    /// A grid or a field cannot start from a number, which is reported.
    pub(super) fn looped(
        &mut self,
        place: &NodePlace<'_>,
        (group, iterations): (&Group, u32),
        inside: &Ports<'_>,
        (name, ty): (&str, PortType),
        source: &mut Source,
    ) -> bool {
        let Source::Setting(setting) = source else { return false };
        if iterations < 2 || !group.outputs.contains_key(name) || passes_on(inside, group, name) {
            return false;
        }
        if ty.is_number() {
            // Its path is that of the input, whatever number it reads.
            setting.name = name.to_string();
            if let Some(Element::Fixed(value)) = ty.element() {
                setting.ty = value;
            }
            return true;
        }
        let cause = format!("the group iterates on this input, but a number is not a {ty}");
        let remedy = format!("connect a {ty} to it as the start of the first iteration");
        self.problems.push(Problem::new(place.path, name, cause, remedy));
        *source = Source::Nothing;
        false
    }
}

/// Whether the output of this name is just the input of that name, so that iterations do not change it.
fn passes_on(inside: &Ports<'_>, group: &Group, name: &str) -> bool {
    let Some(shown) = group.outputs.get(name) else { return false };
    let Some(link) = bypass::origin(inside, shown) else { return false };
    reads_input(inside, &link, name, 0)
}

/// Whether a wire is an input of the enclosing group, possibly passed on through other groups.
fn reads_input(ports: &Ports<'_>, link: &Link, name: &str, depth: usize) -> bool {
    if link.node == "in" {
        return link.port == name;
    }
    let Some(node) = ports.nodes().get(&link.node) else { return false };
    let Some(group) = ports::group_of(node, ports.library()) else { return false };
    // A group that iterates may change what it passes on.
    if depth >= limits::NESTING || node.iterations.is_some() {
        return false;
    }
    let shown = match (link.port.as_str(), group.outputs.len()) {
        ("", 1) => group.outputs.values().next(),
        (port, _) => group.outputs.get(port),
    };
    let within = Ports::new(&group.nodes, Default::default(), ports.library());
    let Some(origin) = shown.and_then(|link| bypass::origin(&within, link)) else { return false };
    let handed = origin.node == "in";
    let outer = node.inputs.get(&origin.port).filter(|_| handed).and_then(|link| bypass::origin(ports, link));
    outer.is_some_and(|outer| reads_input(ports, &outer, name, depth + 1))
}
