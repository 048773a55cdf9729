//! Something to read for every port of a stage, so that it runs alone.

use stagewright_language::document::Document;
use stagewright_language::stage::Stage;
use stagewright_language::stage::header::{Change, Direction, Port};
use stagewright_language::stage::types::{Element, PortType, ValueType};
use stagewright_solver_support::harness::*;

/// A port's type with its generics bound, as a header writes it.
fn bound(ty: PortType, generic: ValueType) -> String {
    match ty {
        PortType::Grid(Element::Generic(_)) => format!("Grid<{}>", generic.name()),
        PortType::Field(Element::Generic(_)) => format!("Field<{}>", generic.name()),
        PortType::Number(Element::Generic(_)) => generic.name().into(),
        other => other.to_string(),
    }
}

/// A WGSL type in so many dimensions.
fn wgsl(name: &str, dim: u32) -> String {
    match name {
        "FaceGrid" | "Vec" => format!("vec{dim}f"),
        other => other.into(),
    }
}

/// What the values of a port or an attribute are multiplied with, by its name and whether it is a vector.
pub type Factor<'a> = &'a dyn Fn(&str, bool) -> f64;

/// Whether a port holds a vector in space.
pub fn is_vector(ty: PortType) -> bool {
    ty == PortType::FaceGrid || ty.element() == Some(Element::Fixed(ValueType::Vec))
}

/// A node that gives a port something to read: smooth, never constant, never zero everywhere.
fn feed(port: &Port, generic: ValueType, dim: u32, on: &str, factor: Factor<'_>) -> String {
    let ty = bound(port.ty, generic);
    // Ports differ.
    let phase = port.name.bytes().map(u32::from).sum::<u32>() % 7;
    let cells =
        format!("0.6 + 0.4 * sin(1.3 * f32(cell.x) + 0.7 * f32(cell.y) + f32(cell.x * cell.y % 3) + {phase}.0)");
    let (over, argument, wave) = match port.ty {
        PortType::Number(_) => ("\n//! @over once", "", "0.7"),
        PortType::Field(_) => ("", "position: Vec", "0.2 + 0.4 * sin(9.0 * position.x + 5.0 * position.y)"),
        _ => ("", "cell: Cell", cells.as_str()),
    };
    let inner = ["Grid<", "Field<"].iter().find_map(|kind| ty.strip_prefix(kind)?.strip_suffix('>')).unwrap_or(&ty);
    let value = wgsl(inner, dim);
    let whole = matches!(value.as_str(), "i32" | "u32");
    let scale = if whole { " * 10.0".into() } else { format!(" * {:?}", factor(&port.name, is_vector(port.ty))) };
    let header = format!("//! Feed{over}\n//! @out value: {ty}\n");
    let body = format!("fn stage({argument}) -> {value} {{ return {value}(({wave}){scale}); }}");
    format!("\"feed_{}\": (custom: r#\"{header}{body}\"#, on: \"{on}\"),\n", port.name)
}

/// Particles with all that a stage reads, at random in the domain, and what finds neighbours among them.
fn particles(stage: &Stage, dim: u32, factor: Factor<'_>) -> String {
    let mut attributes: Vec<(String, ValueType)> = vec![("position".into(), ValueType::Vec)];
    for (name, ty) in stage.header.ports.iter().flat_map(|p| &p.attributes) {
        if attributes.iter().all(|(attribute, _)| attribute != name) {
            attributes.push((name.clone(), *ty));
        }
    }
    let declared: Vec<String> = attributes.iter().map(|(name, ty)| format!("{name}: {}", ty.name())).collect();
    let declared = declared.join(", ");
    let value = |(index, (name, ty)): (usize, &(String, ValueType))| {
        let salt = |k: u32| format!("random_at(particle.serial, {}u)", index as u32 * 4 + k);
        let parts: Vec<String> = (0..ty.components(dim)).map(salt).collect();
        let ty = ty.wgsl(dim);
        match (name.as_str(), parts.len()) {
            ("position", _) => format!("SIZE * {ty}({})", parts.join(", ")),
            (_, 1) if ty == "u32" => format!("u32({} * 100.0)", parts[0]),
            (_, 1) => format!("(0.2 + {}) * {:?}", parts[0], factor(name, false)),
            _ => format!("({ty}({}) - 0.5) * {:?}", parts.join(", "), factor(name, true)),
        }
    };
    let values: Vec<String> = attributes.iter().enumerate().map(value).collect();
    let result = if values.len() == 1 { values[0].clone() } else { format!("Result({})", values.join(", ")) };
    let result_type = if values.len() == 1 { "Vec" } else { "Result" };
    format!(
        r##""set": (state: "Particles{{{declared}}}", capacity: 700, on: "domain", inputs: {{"init": "scatter.particles"}}),
        "scatter": (custom: r#"//! Scatter
            //! @in amount: u32 = 500
            //! @inout particles: Particles{{}} -> {{{declared}}}, emit amount
            fn stage(particle: Particle) -> {result_type} {{ return {result}; }}"#, on: "domain"),
        "sorted": (stage: "neighbors/fill", on: "domain", inputs: {{"particles": "set"}}),
        "##
    )
}

/// Whether a stage sees a space of three dimensions through a camera.
pub fn looks(stage: &Stage) -> bool {
    stage.header.ports.iter().any(|p| p.reads() && p.ty == PortType::Number(Element::Fixed(ValueType::Camera)))
}

/// A document in which the stage runs with every input fed; what it refines comes from a State that it feeds.
pub fn alone(stage: &Stage, generic: ValueType, dim: u32) -> Document {
    alone_in(stage, generic, dim, &|_, _| 1.0)
}

/// The same, with what it reads multiplied.
pub fn alone_in(stage: &Stage, generic: ValueType, dim: u32, factor: Factor<'_>) -> Document {
    let cells = if dim == 3 { "16, 12, 10" } else { "16, 12" };
    let mut nodes = format!("\"domain\": (domain: (resolution: ({cells}), width: 1, edge: \"wall\")),\n");
    // What looks at a space through a camera runs over an image.
    let on = if looks(stage) { "picture" } else { "domain" };
    let (on, flat) = if stage.header.once { ("domain", dim) } else { (on, if looks(stage) { 2 } else { dim }) };
    if on == "picture" {
        nodes += "\"picture\": (domain: (resolution: (24, 16), width: 1, edge: \"zero\")),\n";
    }
    let mut inputs = Vec::new();
    if stage.header.ports.iter().any(|p| matches!(p.ty, PortType::Particles | PortType::NeighborGrid)) {
        nodes += &particles(stage, dim, factor);
    }
    let adds = |name: &str| stage.header.ports.iter().any(|p| p.change == Change::Emit(name.into()));
    let ends_cells = |name: &str| {
        let grids = stage.outputs().filter(|port| port.ty == PortType::NeighborGrid);
        grids.filter_map(|port| port.like.as_deref()).any(|like| like == name)
    };
    // A camera's stages may read grids of the image or of the space; what may stay unwired does.
    for port in stage.inputs().filter(|p| !(looks(stage) && p.default.is_some() && !adds(&p.name))) {
        let source = match (port.ty, port.direction) {
            // Emitters take few at a time.
            _ if adds(&port.name) => {
                nodes += "\"amount\": (number: 60),\n";
                "amount".into()
            }
            (PortType::Particles, _) => "sorted.particles".into(),
            (PortType::NeighborGrid, _) => "sorted.neighbors".into(),
            _ if ends_cells(&port.name) => {
                nodes += &feed(port, generic, flat, on, factor);
                nodes += &format!(
                    "\"summed\": (stage: \"neighbors/start\", inputs: {{\"count\": \"feed_{}.value\"}}),\n",
                    port.name
                );
                "summed.start".into()
            }
            (PortType::Number(Element::Fixed(ValueType::Camera)), _) => {
                nodes += "\"camera\": (stage: \"view/camera\", on: \"domain\"),\n";
                "camera.camera".into()
            }
            (_, Direction::InOut) => {
                let (name, ty) = (&port.name, bound(port.ty, generic));
                nodes += &feed(port, generic, flat, on, factor);
                nodes += &format!(
                    "\"state_{name}\": (state: \"{ty}\", on: \"{on}\", inputs: {{\"init\": \"feed_{name}.value\", \"next\": \"stage.{name}\"}}),\n",
                );
                format!("state_{name}.value")
            }
            _ => {
                let field = matches!(port.ty, PortType::Field(_));
                let (dim, on) = if field { (dim, "domain") } else { (flat, on) };
                nodes += &feed(port, generic, dim, on, factor);
                format!("feed_{}.value", port.name)
            }
        };
        inputs.push(format!("\"{}\": \"{source}\"", port.name));
    }
    nodes += &format!("\"stage\": (stage: \"{}\", inputs: {{{}}}, on: \"{on}\"),\n", stage.name, inputs.join(", "));
    if let Some(field) = stage.outputs().find(|p| matches!(p.ty, PortType::Field(_))) {
        let source = format!("{{\"field\": \"stage.{}\"}}", field.name);
        nodes += &format!("\"sampled\": (stage: \"grid/from_field\", inputs: {source}, on: \"domain\"),\n");
    }
    document(60.0, &nodes, &[])
}
