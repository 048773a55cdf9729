//! A graph for the editor's tests. They cannot use shipped graphs, since these may change.

use crate::document::Document;

/// Stam's stable fluids with density as colours. It runs, and contains every kind of wire end that the tests need.
pub(crate) fn fluid() -> Document {
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
