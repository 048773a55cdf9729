//! The image of an Output whose shape is not that of its domain.

use stagewright_language::graph::outputs::image_scale;

use super::*;

/// A bright spot at a place of the domain is where [`image_scale`] says, in images of any shape.
#[test]
fn an_image_of_another_shape_shows_a_place_where_its_scale_says() {
    for (cells, size) in
        [([32, 64], (96, 96)), ([64, 32], (96, 96)), ([48, 48], (160, 80)), ([64, 32], (48, 96)), ([32, 32], (80, 80))]
    {
        let [x, y] = cells;
        let text = format!(
            r#"(version: 1, nodes: {{
            "domain": (domain: (resolution: ({x}, {y}), width: 1, edge: "wall")),
            "spot": (custom: "//! S\n//! @out image: Image\nfn stage(cell: Cell) -> vec4f {{ return vec4f(select(0.0, 1.0, length(position(cell) - vec2f(0.75, 0.25) * SIZE) < 0.1)); }}", on: "domain"),
            "screen": (output: (size: ({}, {})), inputs: {{"image": "spot.image"}}),
        }})"#,
            size.0, size.1
        );
        let document = Document::parse(&text).expect("valid RON");
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let plan = Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = Simulation::new(gpu(), plan).expect("runs");
        simulation.step(&FrameInput::default()).expect("steps");
        let image = simulation.image(None).expect("an image");
        let (mut sum, mut squares, mut weight) = ([0.0; 2], [0.0; 2], 0.0);
        for (index, pixel) in image.rgba.chunks(4).enumerate() {
            let at = [index as u32 % image.width, index as u32 / image.width].map(|at| f64::from(at) + 0.5);
            let bright = f64::from(pixel[0]) / 255.0;
            weight += bright;
            (0..2).for_each(|axis| {
                sum[axis] += bright * at[axis];
                squares[axis] += bright * at[axis] * at[axis];
            });
        }
        let middle = sum.map(|sum| sum / weight);
        let scale = image_scale(cells, [size.0, size.1]);
        let place = |share: f64, axis: usize| (0.5 + (share - 0.5) / scale[axis]) * f64::from([size.0, size.1][axis]);
        let expected = [place(0.75, 0), place(1.0 - 0.25, 1)];
        let apart = (0..2).map(|axis| (middle[axis] - expected[axis]).abs()).fold(0.0, f64::max);
        assert!(apart < 0.5, "{cells:?} in {size:?}: {middle:?}, expected {expected:?}");
        let widths = [0, 1].map(|axis| (squares[axis] / weight - middle[axis] * middle[axis]).sqrt());
        assert!((widths[0] / widths[1] - 1.0).abs() < 0.1, "a circle stays one: {widths:?}");
    }
}
