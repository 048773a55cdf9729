//! Graphs for tests of edits and of the editor. They cannot use shipped graphs, since these may change.

use stagewright_language::document::{Document, Scope};
use stagewright_language::edit::InputEnd;
use stagewright_language::library::Library;

/// Stam's stable fluids with density as colours. It runs, and contains every kind of wire end that the tests need.
pub fn fluid() -> Document {
    Document::parse(FLUID).unwrap()
}

const FLUID: &str = r#"(
    version: 1,
    name: "Stable fluids",
    fps: 60,
    nodes: {
        "domain": (domain: (resolution: (32, 32), width: 1, edge: "wall")),
        "velocity": (state: "Grid<Vec>", inputs: {"next": "advect_velocity.result"}),
        "density": (state: "Grid<f32>", inputs: {"next": "advect_density.result"}),
        "jet": (stage: "fluid/force_emitter", inputs: {"velocity": "velocity.value"}, params: {"jet": (0, 1.5), "center": (0.5, 0.1), "radius": 0.05, "rate": 20}),
        "viscosity": (stage: "fluid/diffuse", inputs: {"before": "jet.velocity", "field": "jet.velocity"}, params: {"diffusivity": 0.0001}, iterations: 4),
        "divergence": (stage: "fluid/divergence", inputs: {"velocity": "viscosity.field"}),
        "pressure": (stage: "fluid/pressure_sor", inputs: {"divergence": "divergence.divergence"}, iterations: 20),
        "project": (stage: "fluid/project", inputs: {"pressure": "pressure.pressure", "velocity": "viscosity.field"}),
        "advect_velocity": (stage: "fluid/advect", inputs: {"field": "project.velocity", "velocity": "project.velocity"}),
        "smoke": (stage: "fluid/add_source", inputs: {"field": "density.value"}, params: {"center": (0.5, 0.1), "radius": 0.05, "rate": 5}),
        "diffuse_density": (stage: "fluid/diffuse", inputs: {"before": "smoke.field", "field": "smoke.field"}, params: {"diffusivity": 0.00001}, iterations: 4),
        "advect_density": (stage: "fluid/advect", inputs: {"field": "diffuse_density.field", "velocity": "project.velocity"}),
        "look": (stage: "view/color_map", inputs: {"field": "advect_density.result"}),
        "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}),
    },
)"#;

/// The shipped library.
pub fn library() -> &'static Library {
    Library::builtin()
}

/// The top level of a document.
pub fn root() -> Scope {
    Scope::default()
}

/// An input of a node.
pub fn end(node: &str, port: &str) -> InputEnd {
    InputEnd { node: node.into(), port: port.into() }
}

/// A document with the given `nodes` map.
pub fn nodes(text: &str) -> Document {
    Document::parse(&format!("(nodes: {{ {text} }})")).unwrap()
}

/// A fluid's step as a group that repeats, with a domain, a number and an exposed parameter inside.
pub const GROUP: &str = r#""domain": (domain: (resolution: (8, 8), width: 1)),
    "flow": (state: "Grid<Vec>", inputs: {"next": "step.velocity"}),
    "step": (iterations: 2, params: {"push": 3, "gain": 2}, inputs: {"velocity": "flow.value"}, group: (
        inputs: {"gain": "f32", "velocity": "Grid<Vec>"}, outputs: {"velocity": "calm.field", "spin": "curl.vorticity"},
        params: {"push": ["jet.rate"], "both": ["jet.radius", "calm.rate"]},
        nodes: {
            "jet": (stage: "fluid/force_emitter", inputs: {"velocity": "in.velocity"}, params: {"radius": "h", "center": "[h * gain, 0]"}, on: "domain"),
            "calm": (stage: "fluid/dissipate", inputs: {"field": "jet.velocity"}),
            "curl": (stage: "fluid/vorticity", inputs: {"velocity": "calm"}),
            "h": (number: 0.25),
        })),
    "look": (stage: "view/vector", inputs: {"velocity": "step.velocity"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"#;
