//! Between fields and grids, and arithmetic of fields.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

const THERE_AND_BACK: &str = r#"
    "space": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "x": (state: "Grid<$type>"),
    "field": (stage: "field/from_grid", inputs: {"grid": "x.value"}),
    "back": (stage: "grid/from_field", on: "space", inputs: {"field": "field.field"}),
"#;

#[test]
fn a_grid_made_a_field_gives_the_grid_back() {
    for (cells, n, dim) in [("24, 17", 24 * 17, 2), ("9, 7, 8", 9 * 7 * 8, 3)] {
        for (ty, components) in [("f32", 1), ("vec3f", 3), ("vec4f", 4), ("Vec", dim)] {
            for edge in ["wall", "wrap", "zero"] {
                let x = random(n * components, 51);
                let values = [("$cells", cells), ("$edge", edge), ("$type", ty)];
                let back = run(&mut start(60.0, THERE_AND_BACK, &values), &[("x", &x)], 1, "back.result");
                let error = max_abs(&difference(&back, &f64s(&x)));
                // A centre's coordinate in cells is up to 24, off by two roundings: so much of the neighbour comes in.
                let because =
                    "two roundings of a coordinate of up to 24 cells, times a difference of 2, along each axis";
                within(&format!("Grid<{ty}> on {cells}, {edge}"), error, 2.0 * 24.0 * U * 2.0 * dim as f64, because);
            }
        }
    }
}

const LINEAR: &str = r##"
    "space": (domain: (resolution: (16, 12), width: 2, edge: "clamp")),
    "ramp": (custom: r#"//! Ramp
        //! @out field: Field<Vec>
        fn stage(position: Vec) -> Vec { return Vec(2.0 * position.x - position.y, 0.5 + position.y); }"#, on: "space"),
    "grid": (stage: "grid/from_field", on: "space", inputs: {"field": "ramp.field"}),
    "faces": (stage: "staggered/from_field", on: "space", inputs: {"velocity": "ramp.field"}),
    "interpolated": (stage: "field/from_grid", inputs: {"grid": "grid.result"}),
    "again": (stage: "grid/from_field", on: "fine", inputs: {"field": "interpolated.field"}),
    "fine": (domain: (resolution: (48, 36), width: 2, edge: "clamp")),
"##;

#[test]
fn fields_are_asked_at_cell_centres_and_faces() {
    let mut sim = start(60.0, LINEAR, &[]);
    step(&mut sim, 1);
    let ramp = |x: f64, y: f64| [2.0 * x - y, 0.5 + y];
    let h = 0.125;
    let centers: Vec<f64> =
        (0..16 * 12).flat_map(|i| ramp((f64::from(i % 16) + 0.5) * h, (f64::from(i / 16) + 0.5) * h)).collect();
    assert_eq!(read(&sim, "grid.result"), centers, "binary fractions are exact");
    let faces = read(&sim, "faces.result");
    for i in 0..17 * 13usize {
        let (x, y) = ((i % 17) as f64, (i / 17) as f64);
        let expected = [ramp(x * h, (y + 0.5) * h)[0], ramp((x + 0.5) * h, y * h)[1]];
        // The layer beyond the grid has the faces of its own axis alone.
        assert!(i / 17 == 12 || faces[2 * i] == expected[0], "face left of cell {x}, {y}");
        assert!(i % 17 == 16 || faces[2 * i + 1] == expected[1], "face below cell {x}, {y}");
    }
    let fine = read(&sim, "again.result");
    let inner = |i: &i32| (2..46).contains(&(i % 48)) && (2..34).contains(&(i / 48));
    let third = h / 3.0;
    let error = (0..48 * 36).filter(inner).flat_map(|i| {
        let expected = ramp((f64::from(i % 48) + 0.5) * third, (f64::from(i / 48) + 0.5) * third);
        (0..2).map(move |c| (i as usize, c, expected[c]))
    });
    let error = error.map(|(i, c, expected)| (fine[2 * i + c] - expected).abs()).fold(0.0, f64::max);
    within(
        "linear interpolation of a linear field on a finer grid",
        error,
        16.0 * U * 4.0,
        "16 roundings of numbers up to 4",
    );
}

#[test]
fn fields_add_scale_and_blend() {
    let nodes = r#"
        "a": (stage: "shape/sphere", on: "space"),
        "b": (stage: "shape/box", on: "space"),
        "half": (stage: "field/constant", on: "space", params: {"amount": 0.25}),
        "wind": (stage: "field/wind", on: "space", params: {"wind": (1, -2, 3)}),
        "sum": (stage: "field/add", inputs: {"a": "a.distance", "b": "b.distance"}, params: {"weight": -0.5}),
        "alone": (stage: "field/add", inputs: {"a": "a.distance"}),
        "winds": (stage: "field/add", inputs: {"a": "wind.velocity", "b": "wind.velocity"}),
        "scaled": (stage: "field/scale", inputs: {"field": "a.distance"}, params: {"factor": -3}),
        "blend": (stage: "field/blend", inputs: {"a": "a.distance", "b": "b.distance", "weight": "half.field"}),
        "middle": (stage: "field/blend", inputs: {"a": "a.distance", "b": "b.distance"}),
    "#;
    for dim in [2, 3] {
        let points = scattered(dim, 200, 52);
        let value = |wire: &str| scalar(dim, nodes, wire, &points);
        let (a, b) = (value("a.distance"), value("b.distance"));
        type Combine<'a> = &'a dyn Fn(f64, f64) -> f64;
        let combinations: [(&str, Combine<'_>); 5] = [
            ("sum.sum", &|a, b| a - 0.5 * b),
            ("alone.sum", &|a, _| a),
            ("scaled.scaled", &|a, _| -3.0 * a),
            ("blend.blended", &|a, b| 0.75 * a + 0.25 * b),
            ("middle.blended", &|a, b| 0.5 * (a + b)),
        ];
        for (wire, combine) in combinations {
            let expected: Vec<f64> = a.iter().zip(&b).map(|(a, b)| combine(*a, *b)).collect();
            let error = max_abs(&difference(&value(wire), &expected));
            within(&format!("{wire} in {dim}D"), error, 6.0 * U * 3.0, "six roundings of numbers up to 3");
        }
        let twice = if dim == 3 { [2.0, -4.0, 6.0] } else { [2.0, -4.0, 0.0] };
        assert_eq!(flow(dim, nodes, "winds.sum", &points), vec![twice; 200]);
    }
}
