//! The names of the functions by which a stage's text reads and writes its ports. `plan::codegen` generates their
//! bodies.

use super::header::{Change, Header, Port, Scatter};
use super::language;
use super::types::{Element, PortType, ValueType};

/// An accessor of a port. Its name contains the port's name, and not every port has it.
struct Accessor {
    suffix: &'static str,
    exists: fn(&Port) -> bool,
    arguments: fn(&Port) -> &'static str,
}

const ACCESSORS: [Accessor; 10] = [
    Accessor { suffix: "", exists: |_| true, arguments: |port| value_arguments(port.ty) },
    Accessor { suffix: "_at", exists: |port| port.ty.is_grid(), arguments: |port| at_arguments(port.ty) },
    Accessor { suffix: "_face", exists: |port| port.ty == PortType::FaceGrid, arguments: |_| "(cell, face)" },
    Accessor { suffix: "_resolution", exists: |port| port.table, arguments: |_| "" },
    Accessor { suffix: "_wired", exists: |_| true, arguments: |_| "" },
    Accessor {
        suffix: "_gradient",
        exists: |port| matches!(port.ty, PortType::Field(_)),
        arguments: |_| "(position, step)",
    },
    Accessor { suffix: "_count", exists: |port| port.ty == PortType::Particles, arguments: |_| "()" },
    Accessor { suffix: "_next", exists: |port| port.ty == PortType::NeighborGrid, arguments: |_| "(&near)" },
    Accessor { suffix: "_range", exists: |port| port.ty == PortType::NeighborGrid, arguments: |_| "(cell)" },
    Accessor { suffix: "_item", exists: |port| port.ty == PortType::NeighborGrid, arguments: |_| "(entry)" },
];

fn value_arguments(ty: PortType) -> &'static str {
    match ty {
        _ if ty.is_array() => "(cell, i)",
        PortType::Grid(_) | PortType::FaceGrid => "(cell)",
        PortType::Number(_) => "()",
        PortType::Field(_) | PortType::NeighborGrid => "(position)",
        PortType::Particles => "(index)",
    }
}

fn at_arguments(ty: PortType) -> &'static str {
    if ty.is_array() { "(position, i)" } else { "(position)" }
}

/// Prefix of the functions that write to a scatter port or an attribute.
const ADD: &str = "add_";
const MIN: &str = "min_";
const MAX: &str = "max_";
const PUT: &str = "put_";

/// Names of the functions that read a port, whatever its type.
pub fn readers(port: &Port) -> impl Iterator<Item = String> {
    ACCESSORS.iter().map(|accessor| format!("{}{}", port.name, accessor.suffix))
}

/// The function of a port that would have the name of one of the stage language.
pub(crate) fn clash(port: &Port) -> Option<String> {
    let accessors = ACCESSORS.iter().filter(|accessor| port.reads() && (accessor.exists)(port));
    accessors.map(|accessor| format!("{}{}", port.name, accessor.suffix)).find(|name| language::is_prelude(name))
}

/// The functions and constants that are generated for a port if the text uses them, with their arguments.
pub fn usages(port: &Port) -> Vec<String> {
    let of = |accessor: &Accessor| format!("{}{}{}", port.name, accessor.suffix, (accessor.arguments)(port));
    let readers = ACCESSORS.iter().filter(|accessor| port.reads() && (accessor.exists)(port)).map(of);
    let place = if port.ty == PortType::FaceGrid { "cell, axis" } else { "cell" };
    let writer = writer(port).map(|prefix| format!("{prefix}{}({place}, value)", port.name));
    let adder = adds_at(port).then(|| format!("{ADD}{}_at(position, value)", port.name));
    let attributes = port.written.iter().filter(|_| port.change == Change::Put);
    let puts = attributes.map(|(name, _)| format!("{PUT}{name}(index, value)"));
    let sums = port.written.iter().filter(|_| port.is_summed_set());
    let sums = sums.map(|(name, _)| format!("{ADD}{name}(index, value)"));
    readers.chain(writer).chain(adder).chain(puts).chain(sums).collect()
}

/// The prefix of the function that writes to a scatter port.
fn writer(port: &Port) -> Option<&'static str> {
    match port.scatter {
        Some(Scatter::Sum(_)) => Some(ADD),
        Some(Scatter::Min) => Some(MIN),
        Some(Scatter::Max) => Some(MAX),
        None => None,
    }
}

/// Whether values may be added to a port at positions between its cells: sums of floats.
pub fn adds_at(port: &Port) -> bool {
    let whole = matches!(port.ty.element(), Some(Element::Fixed(ValueType::I32 | ValueType::U32)));
    matches!(port.scatter, Some(Scatter::Sum(_))) && !whole
}

/// Whether a function or a constant of this name is generated for a port, if the text uses it.
pub fn is_accessor(port: &Port, name: &str) -> bool {
    let suffix = name.strip_prefix(port.name.as_str());
    let reads = port.reads() && ACCESSORS.iter().any(|a| suffix == Some(a.suffix) && (a.exists)(port));
    let is_target =
        |written: &str| written == port.name || adds_at(port) && written.strip_suffix("_at") == Some(&port.name);
    let writes = writer(port).is_some_and(|prefix| name.strip_prefix(prefix).is_some_and(is_target));
    let attribute = name.strip_prefix(PUT).filter(|_| port.change == Change::Put);
    let puts = attribute.is_some_and(|name| port.written.iter().any(|(written, _)| written == name));
    let summed = name.strip_prefix(ADD).filter(|_| port.is_summed_set());
    let sums = summed.is_some_and(|name| port.written.iter().any(|(written, _)| written == name));
    reads || writes || puts || sums
}

/// What a declaration of this name is generated for, in a stage with this header.
pub(crate) fn generated_for(header: &Header, name: &str) -> Option<String> {
    if let Some(port) = header.ports.iter().find(|port| is_accessor(port, name)) {
        return Some(format!("the port `{}`", port.name));
    }
    if header.params.iter().any(|param| param.ty.returns().is_some() && param.name == name) {
        return Some(format!("the parameter `{name}`"));
    }
    let origin = match name {
        "Result" if header.returned().len() > 1 => "a stage that returns several values",
        "Particle" if header.ports.iter().any(|port| port.ty == PortType::Particles) => "a stage with particles",
        "Frame" | "Params" | "main" => "every stage",
        _ => return None,
    };
    Some(origin.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::stage::language::{Kind, is, kinds, words};
    use crate::stage::syntax::{TokenKind, tokens};

    use stagewright_manuals::STAGE_LANGUAGE as MANUAL;

    /// Names that the tables of the manual explain, one per row.
    #[test]
    fn the_manual_explains_no_name_that_is_not_in_the_table() {
        // The example's ports, and the notation of ranges.
        let placeholders = ["x", "particles", "LO"];
        let (mut header, mut explained) = ("", BTreeSet::new());
        let mut before = "";
        for line in MANUAL.lines() {
            let cell = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
            header = if line.starts_with("|---") {
                before
            } else if cell.is_none() {
                ""
            } else {
                header
            };
            before = cell.unwrap_or_default();
            let names = ["name", "function", "rule", "option", "declaration"].contains(&header);
            let code = before.split('`').skip(1).step_by(2).filter(|_| names);
            for code in code {
                let tokens = tokens(code);
                let Some(first) = tokens.iter().find(|token| token.kind == TokenKind::Word) else {
                    continue;
                };
                let suffix = |name: &str| ACCESSORS.iter().any(|a| first.text == format!("{name}{}", a.suffix));
                let explains = !kinds(first.text).is_empty() || placeholders.iter().any(|name| suffix(name));
                assert!(explains || code.starts_with('.'), "`{code}`: no word of the table in {line:?}");
                explained.insert(first.text);
            }
        }
        for kind in
            [Kind::Function, Kind::Constant, Kind::Counter, Kind::Alias, Kind::Option, Kind::EdgeRule, Kind::Directive]
        {
            // Types of ports have their own section.
            let missing = words(kind).filter(|word| !is(word, Kind::PortType) && !explained.contains(word));
            let missing: Vec<_> = missing.collect();
            assert!(missing.is_empty(), "docs/stage_language.md explains no {missing:?} in a table");
        }
    }
}
