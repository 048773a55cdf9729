//! Thin walls and long steps: what is carried along a flow stays on its side of a wall.

use stagewright_solver_support::harness::*;

/// A wall through the middle of a box, dye on one side of it, and a flow across it that no wall stops.
const BARRIER: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "open": (stage: "grid/expression", on: "box", params: {"value": "if $place == $wall { 0 } else { 1 }"}),
    "start": (stage: "grid/expression", on: "box", params: {"value": "if $place < $wall { 1 } else { 0 }"}),
    "flow": (stage: "grid/vector_expression", on: "box", params: {"value": "$flow"}),
    "faces": (stage: "staggered/center_to_face", inputs: {"velocity": "flow.result"}),
    "dye": (state: "Grid<f32>", on: "box", inputs: {"init": "start.result", "next": "carry.result"}),
    "carry": (stage: "$stage", inputs: {"$field": "dye", "velocity": "$velocity", "open": "open.result"}),
    "near": (stage: "grid/expression", inputs: {"b": "carry.result"}, params: {"value": "if $place < $wall { b } else { 0 }"}),
    "far": (stage: "grid/expression", inputs: {"b": "carry.result"}, params: {"value": "if $place > $wall { b } else { 0 }"}),
"##;

/// Stages with the name of the carried port, and whether the flow is on faces.
const STAGES: [(&str, &str, bool); 5] = [
    ("fluid/advect", "field", false),
    ("image/advect", "image", false),
    ("fluid/advect_maccormack", "field", false),
    ("staggered/advect_value", "field", true),
    ("staggered/advect_conservative", "field", true),
];

/// Cells a frame along the first axis; along the others the flow goes a little slower, or as fast.
const COURANT: &str = "if time < 0.06 { 0.25 } else if time < 0.12 { 0.5 } else if time < 0.16 { 1.5 } else { 3.2 }";

#[test]
fn nothing_is_carried_through_a_wall_of_cells_that_touch_at_corners() {
    for dim in [2usize, 3] {
        let cells = if dim == 2 { 32 } else { 12 };
        let place = |axes: usize| {
            let along = ["x", "y", "z"][..axes].iter().map(|axis| format!("floor(position.{axis} * {cells})"));
            format!("({})", along.collect::<Vec<_>>().join(" + "))
        };
        let walls = [("diagonal", place(dim), cells + cells / 4, 1.0), ("straight", place(1), cells / 2, 0.7)];
        for (stage, field, on_faces) in STAGES {
            for (what, place, wall, beside) in &walls {
                let speed = format!("{:?} * ({COURANT})", 60.0 / f64::from(cells));
                let flow = [vec![speed.clone()], vec![format!("{beside:?} * {speed}"); dim - 1]].concat();
                let values = [
                    ("$cells", vec![cells.to_string(); dim].join(", ")),
                    ("$place", place.clone()),
                    ("$wall", wall.to_string()),
                    ("$flow", format!("[{}]", flow.join(", "))),
                    ("$stage", stage.to_string()),
                    ("$field", field.to_string()),
                    ("$velocity", if on_faces { "faces.result" } else { "flow.result" }.to_string()),
                ];
                let mut sim = start(60.0, BARRIER, &pairs(&values));
                for frame in 1..=12 {
                    step(&mut sim, 1);
                    let far = max_abs(&read(&sim, "far.result"));
                    assert_eq!(far, 0.0, "{stage} in {dim}D, a {what} wall, frame {frame}");
                }
                let near: f64 = read(&sim, "near.result").iter().sum();
                println!("{stage} in {dim}D, a {what} wall: nothing beyond it, {near:.1} before it");
                assert!(near > 1.0);
            }
        }
    }
}
