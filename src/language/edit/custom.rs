//! The text of a new custom stage for a wire.

use super::PortSignature;
use crate::stage::Stage;
use crate::stage::types::{AttributeList, Element, PortType, ValueType, particles};

/// A stage that reads the wire of an output (`reads`) and passes it on, or one that makes what an input reads. Its ports
/// have the wire's type, and the first one the name of the wire's port. `None` where no such stage exists: for cameras,
/// neighbour grids and unknown types.
pub fn custom_stage(port: &PortSignature, reads: bool) -> Option<String> {
    // Names of the language are refused.
    ["", "_in"].iter().find_map(|tail| {
        let text = text(&format!("{}{tail}", port.name), port, reads)?;
        Stage::parse("custom", &text).is_ok().then_some(text)
    })
}

fn text(name: &str, port: &PortSignature, reads: bool) -> Option<String> {
    let mut ty = port.ty?;
    if !reads {
        // Nothing that is read says what a letter stands for.
        ty = match ty {
            PortType::Grid(element) => PortType::Grid(Element::Fixed(element.example())),
            PortType::Field(element) => PortType::Field(Element::Fixed(element.example())),
            ty => ty,
        };
    }
    let value = ty.element().map(|element| match element {
        Element::Fixed(value) => value.name().to_string(),
        Element::Generic(letter) => letter.to_string(),
    });
    let value = value.unwrap_or_default();
    let result = if name == "result" { "changed" } else { "result" };
    let read = format!("@in    {name}: {ty}");
    let (ports, argument, returns, body) = match (ty, reads) {
        (PortType::Grid(_) | PortType::FaceGrid, true) => {
            (vec![read, format!("@out   {result}: {ty}, like {name}")], "cell: Cell", value, format!("{name}(cell)"))
        }
        (PortType::Grid(_) | PortType::FaceGrid, false) => {
            (vec![format!("@inout {name}: {ty} = 0")], "cell: Cell", value, format!("{name}(cell)"))
        }
        (PortType::Field(_), true) => {
            (vec![read, format!("@out   {result}: {ty}")], "position: Vec", value, format!("{name}(position)"))
        }
        (PortType::Field(_), false) => {
            (vec![format!("@out   {name}: {ty}")], "position: Vec", value.clone(), format!("{value}()"))
        }
        (PortType::Number(Element::Fixed(ValueType::Camera)) | PortType::NeighborGrid, _) => return None,
        (PortType::Number(_), true) => {
            (vec!["@over once".into(), read, format!("@out   {result}: {ty}")], "", value, format!("{name}()"))
        }
        (PortType::Number(_), false) => {
            (vec!["@over once".into(), format!("@out   {name}: {ty}")], "", value.clone(), format!("{value}()"))
        }
        (PortType::Particles, _) => {
            let (all, (written, value)) = attributes(&port.carries);
            let list: Vec<String> = all.iter().map(|(name, ty)| format!("{name}: {}", ty.name())).collect();
            let ports =
                vec![format!("@inout {name}: Particles{{{}}} -> {{{written}: {}}}", list.join(", "), value.name())];
            (ports, "particle: Particle", value.name().to_string(), format!("particle.{written}"))
        }
    };
    let width = ports.iter().map(String::len).max().unwrap_or(0);
    let documented = ports.iter().map(|port| match port.split_whitespace().next() {
        Some("@in") => format!("//! {port:width$}   What it reads\n"),
        Some("@out") => format!("//! {port:width$}   The result\n"),
        Some("@inout") => format!("//! {port:width$}   What it changes\n"),
        _ => format!("//! {port}\n"),
    });
    let ports: String = documented.collect();
    Some(format!(
        "//! Custom Stage\n//! What it computes, as an equation.\n//!\n{ports}\n\
         fn stage({argument}) -> {returns} {{\n    return {body};\n}}\n"
    ))
}

/// The attributes of a wire of particles, and the one that a new stage writes.
fn attributes(carries: &str) -> (AttributeList, (String, ValueType)) {
    let (mut all, written) = particles(carries).unwrap_or_default();
    all.extend(written);
    all.dedup_by(|later, earlier| later.0 == earlier.0);
    if all.is_empty() {
        all.push(("position".into(), ValueType::Vec));
    }
    let named = |wish: &str| all.iter().find(|(name, _)| name == wish).cloned();
    let written = named("velocity").or_else(|| named("position")).unwrap_or_else(|| all[0].clone());
    (all, written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Node, NodeKind};
    use crate::edit::signature::{Takes, fits, node};
    use crate::library::Library;

    fn port(name: &str, ty: &str) -> PortSignature {
        let parsed = PortType::parse(ty).unwrap();
        let (doc, takes) = (String::new(), Takes::Type(parsed));
        let carries = ty.to_string();
        PortSignature { name: name.into(), ty: Some(parsed), carries, doc, optional: false, takes, constant: false }
    }

    #[test]
    fn a_stage_for_a_wire_is_valid_and_fits_at_both_ends() {
        let types = [
            "Grid<f32>",
            "Grid<i32>",
            "Grid<Vec>",
            "Grid<T>",
            "Grid<V>",
            "Image",
            "FaceGrid",
            "Field<Vec>",
            "Field<T>",
            "f32",
            "Vec",
            "Particles{age: f32, position: Vec}",
            "Particles{position: Vec} -> {density: f32}",
            "Particles",
        ];
        for ty in types {
            for name in ["velocity", "result", "cell", "select"] {
                for reads in [true, false] {
                    let wire = port(name, ty);
                    let text = custom_stage(&wire, reads).unwrap_or_else(|| panic!("{name}: {ty}"));
                    let node =
                        node(&Node { kind: NodeKind::Custom(text.clone()), ..Node::default() }, Library::builtin());
                    let found = if reads { fits(&wire, &node.inputs[0]) } else { fits(&node.outputs[0], &wire) };
                    assert_eq!(found, Ok(()), "{text}");
                    assert!(!node.outputs.is_empty() && node.title == "Custom Stage", "{text}");
                    if name == "velocity" {
                        let declared = if reads { &node.inputs[0] } else { &node.outputs[0] };
                        assert_eq!(declared.name, name);
                    }
                }
            }
        }
        assert_eq!(custom_stage(&port("camera", "Camera"), true), None);
        assert_eq!(custom_stage(&port("neighbors", "NeighborGrid"), true), None);
        let text = "//! Custom Stage\n//! What it computes, as an equation.\n//!\n\
                    //! @in    speed: Grid<f32>                What it reads\n\
                    //! @out   result: Grid<f32>, like speed   The result\n\n\
                    fn stage(cell: Cell) -> f32 {\n    return speed(cell);\n}\n";
        assert_eq!(custom_stage(&port("speed", "Grid<f32>"), true).as_deref(), Some(text));
    }
}
