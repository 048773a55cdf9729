//! Generic letters of the library's stages: what a letter takes compiles, and the rest is refused at the port.

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::graph::fits::{fits, port_type};
use stagewright_language::library::Library;
use stagewright_language::stage::header::Direction;
use stagewright_language::stage::types::{Element, PortType, ValueType, WireType};

use super::built;

/// The nodes of a graph with a stage whose inputs are wires of this type where they have its letter, and of their own otherwise.
fn graph(stage: &stagewright_language::stage::Stage, bound: ValueType) -> String {
    let mut nodes = String::new();
    let mut wires = String::new();
    for (at, port) in stage.inputs().enumerate() {
        let Some(element) = port.ty.element() else { continue };
        let value = if let Element::Fixed(value) = element { value } else { bound };
        let (kind, argument) = match port.ty {
            PortType::Grid(_) => ("Grid", "cell: Cell"),
            PortType::Field(_) => ("Field", "position: Vec"),
            _ => continue,
        };
        let ty = value.name();
        nodes += &format!(
            "\"s{at}\": (custom: \"//! S\\n//! @out x: {kind}<{ty}>\\nfn stage({argument}) -> {ty} {{ return {ty}(); }}\", on: \"box\"),\n"
        );
        wires += &format!("\"{}\": \"s{at}\", ", port.name);
    }
    format!(
        "\"box\": (domain: (resolution: (4, 4), width: 1)),\n{nodes}\"it\": (stage: \"{}\", on: \"box\", inputs: {{{wires}}})",
        stage.name
    )
}

#[test]
fn what_a_letter_takes_compiles_in_every_stage_of_the_library() {
    let mut wrong = Vec::new();
    for stage in Library::builtin().stages() {
        let mut letters = stage.inputs().filter_map(|port| match port.ty {
            PortType::Grid(element @ Element::Generic(_)) | PortType::Field(element @ Element::Generic(_)) => {
                Some(element)
            }
            _ => None,
        });
        let Some(letter) = letters.next() else { continue };
        // Sets of particles and numbers of the GPU need more of a graph than this test writes.
        let plain = |ty: PortType| matches!(ty, PortType::Grid(_) | PortType::Field(_));
        if stage.inputs().any(|port| !plain(port.ty) && port.default.is_none() && port.direction != Direction::Out) {
            continue;
        }
        for value in ValueType::ALL.into_iter().filter(|value| letter.takes(*value)) {
            let found = match built(&graph(stage, value)) {
                Ok(graph) => Plan::unneeded(&graph, &PlanOptions::default()).problems,
                Err(problems) => problems,
            };
            wrong.extend(found.0.first().map(|problem| format!("{} with {}: {problem}", stage.name, value.name())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn whole_numbers_are_refused_where_a_letter_stands_for_floats() {
    let floats = PortType::parse("Grid<F>").unwrap();
    for (value, takes) in [(ValueType::F32, true), (ValueType::Vec, true), (ValueType::U32, false)] {
        let fit = fits(port_type(WireType::Grid(value)), floats);
        assert_eq!(fit.is_ok(), takes, "{value:?}: {fit:?}");
        if let Err((cause, remedy)) = fit {
            assert_eq!(cause, "the wire carries Grid<u32>, the port takes Grid<F>");
            assert!(remedy.contains("f32 or vectors"), "{remedy}");
        }
    }
}
