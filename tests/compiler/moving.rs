//! Walls and bodies that change from frame to frame need their velocity.

use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

/// A wall of this shape around a flow, with what else a test gives.
const WALL: &str = r##"
    "box": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
    "shape": $shape,
    "distance": (stage: "grid/from_field", on: "box", inputs: {"field": "shape"}),
    "open": (stage: "two_phase/open_cells", inputs: {"vessel": "distance"}, params: {"obstacle": true}),
    "velocity": (state: "Grid<Vec>", on: "box", inputs: {"next": "velocity"}),
    "drift": (stage: "shape/rigid_velocity", on: "box", params: {"linear": (0.2, 0)}),
    "motion": (stage: "grid/from_field", on: "box", inputs: {"field": "drift"}),
    "size": (number: (keys: [(0, 0.1), (60, 0.2)])),
    $nodes
"##;

const STILL: &str = r#"(stage: "shape/sphere", params: {"radius": 0.2})"#;
const DRIFTS: &str = r#"(stage: "shape/sphere", params: {"center": "[0.3 + 0.1 * time, 0.5]", "radius": 0.2})"#;
const SWELLS: &str = r#"(stage: "shape/sphere", params: {"radius": "size"})"#;
const OWN: &str = r##"(custom: r#"//! A
    //! @out distance: Field<f32>
    fn stage(position: Vec) -> f32 { return length(position) - 0.1 * frame.time; }"#, on: "box")"##;
/// It reads the seed of the frame, which no frame changes.
const ROUGH: &str = r#"(stage: "field/noise", on: "box", params: {"scale": 0.3})"#;

/// Ports that the warnings of a graph name.
fn warned(shape: &str, nodes: &str) -> Vec<String> {
    let nodes = WALL.replace("$shape", shape).replace("$nodes", nodes);
    let document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).expect("valid RON");
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let moving = graph.warnings.0.iter().filter(|problem| problem.cause.contains("changes from frame to frame"));
    moving.map(|problem| format!("{}.{}", problem.node, problem.port)).collect()
}

const CELLS: &str =
    r#""div": (stage: "fluid/divergence", inputs: {"velocity": "velocity", "open": "open"$motion}$params),"#;

#[test]
fn a_wall_that_changes_without_a_velocity_is_a_warning() {
    let bare = CELLS.replace("$motion", "").replace("$params", "");
    for (shape, changes) in [(STILL, false), (DRIFTS, true), (SWELLS, true), (OWN, true), (ROUGH, false)] {
        let expected: &[&str] = if changes { &["div.motion"] } else { &[] };
        assert_eq!(warned(shape, &bare), expected, "{shape}");
    }
    let wired = CELLS.replace("$motion", r#", "motion": "motion""#).replace("$params", "");
    assert!(warned(DRIFTS, &wired).is_empty(), "its velocity is wired");
    let stated = CELLS.replace("$motion", "").replace("$params", r#", params: {"motion": (0, 0)}"#);
    assert!(warned(DRIFTS, &stated).is_empty(), "it is said to be at rest");
}

#[test]
fn bodies_on_faces_and_shapes_that_particles_hit_need_their_velocity_too() {
    let faces = r#"
        "flow": (stage: "staggered/center_to_face", inputs: {"velocity": "velocity"}),
        "body": (stage: "staggered/obstacle", on: "box", inputs: {"shape": "shape"}),
        "div": (stage: "staggered/divergence", inputs: {"velocity": "flow", "fraction": "body.fraction"}),"#;
    assert_eq!(warned(DRIFTS, faces), ["body.motion", "div.motion"]);
    assert!(warned(STILL, faces).is_empty());
    // A body that spins faster and faster keeps its shape.
    let spins = faces.replace(r#"{"shape": "shape"}"#, r#"{"shape": "shape", "motion": "spin"}"#)
        + r#""spin": (stage: "shape/rigid_velocity", on: "box", params: {"linear": "[time, 0]"}),"#;
    assert!(warned(STILL, &spins).is_empty());
    let particles = r#"
        "set": (state: "Particles{position: Vec, velocity: Vec}", capacity: 10, on: "box", inputs: {"next": "hit.particles"}),
        "hit": (stage: "particles/collide", inputs: {"particles": "set", "shape": "shape"}),"#;
    assert_eq!(warned(DRIFTS, particles), ["hit.shape_velocity"]);
}

#[test]
fn the_warning_names_the_place_where_the_velocity_can_be_wired() {
    let group = r#""inner": (group: (inputs: {"open": "Grid<f32>", "velocity": "Grid<Vec>", "walls": "Grid<Vec>"}, outputs: {"d": "div"}, nodes: {
        "div": (stage: "fluid/divergence", inputs: {"velocity": "in.velocity", "open": "in.open", "motion": "in.walls"}),
    }), inputs: {"open": "open", "velocity": "velocity"}),"#;
    assert_eq!(warned(DRIFTS, group), ["inner.walls"]);
    let dye = r#"
        "dye": (state: "Grid<f32>", on: "box", inputs: {"next": "spread.field"}),
        "spread": (stage: "fluid/diffuse", inputs: {"before": "dye", "field": "dye", "open": "open"}, params: {"free_slip": true}),"#;
    assert!(warned(DRIFTS, dye).is_empty(), "a number at a wall is no velocity");
}
