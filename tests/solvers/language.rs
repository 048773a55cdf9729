//! What the stage language promises a stage, as the GPU computes it.

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const DOMAIN: &str = r#"
    "domain": (domain: (resolution: (5, 3), width: 1, edge: "wall")),
"#;

const GEOMETRY: &str = r##"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "wall")),
    "probe": (custom: r#"//! Probe
        //! @out place: Grid<Vec>
        //! @out around: Grid<Vec>
        //! @out counts: Grid<vec4f>
        //! @out constants: Grid<vec4f>
        fn stage(cell: Cell) -> Result {
            var around = Vec();
            var holds = 0.0;
            var outside = 0.0;
            for (var face = 0; face < FACES; face++) {
                let beside = neighbor(cell, face);
                around += Vec(beside - cell) * f32(face + 1) + face_normal(face) * 100.0 * f32(face + 1);
                holds += f32(any(cell_at(position(beside)) != beside));
                holds += f32(any(unit(face_axis(face)) != abs(beside - cell)));
                outside += f32(!inside(beside));
            }
            let last = RESOLUTION - cell;
            return Result(position(cell), around, vec4f(holds, outside, f32(DIM), f32(FACES)),
                vec4f(CELL_SIZE, SIZE.y, f32(last.x), f32(last.y)));
        }"#),
"##;

fn geometry(shape: &[usize], width: f64) {
    let grid = Grid::new(shape, width, EdgeRule::Wall);
    let mut sim = start(60.0, GEOMETRY, &[("$cells", &grid.resolution()), ("$width", &width.to_string())]);
    step(&mut sim, 1);
    let dim = grid.dim;
    let places: Vec<f64> = grid.cells().flat_map(|c| grid.position(c)[..dim].to_vec()).collect();
    let error = max_abs(&difference(&read(&sim, "probe.place"), &places));
    within(&format!("{shape:?}, positions"), error, 2.0 * U * max_abs(&places), "rounding of h and of a product");
    // Faces are numbered -x, +x, -y, +y, -z, +z, so those of an axis differ by one.
    assert!(read(&sim, "probe.around").iter().all(|v| *v == 101.0), "neighbours and normals, in order");
    let edge =
        |c: &[i64; 3]| (0..dim).map(|a| usize::from(c[a] == 0) + usize::from(c[a] + 1 == grid.n[a])).sum::<usize>();
    let counts: Vec<f64> = grid.cells().flat_map(|c| [0.0, edge(&c) as f64, dim as f64, grid.faces() as f64]).collect();
    assert_eq!(read(&sim, "probe.counts"), counts, "cell_at of positions, unit, inside, DIM, FACES");
    let size = [f64::from(grid.h as f32), f64::from((grid.h * grid.n[1] as f64) as f32)];
    let constants = grid.cells().flat_map(|c| [size[0], size[1], (grid.n[0] - c[0]) as f64, (grid.n[1] - c[1]) as f64]);
    assert_eq!(read(&sim, "probe.constants"), constants.collect::<Vec<_>>(), "CELL_SIZE, SIZE, RESOLUTION");
}

#[test]
fn cells_faces_and_positions_are_where_the_language_says() {
    geometry(&[7, 5], 2.1);
    geometry(&[6, 4, 3], 0.3);
}

const RANDOM: &str = r##"
    "domain": (domain: (resolution: (64, 48), width: 1, edge: "wall")),
    "dice": (custom: r#"//! Dice
        //! @out value: Grid<f32>
        fn stage(cell: Cell) -> f32 { return random(cell, 3u); }"#),
"##;

#[test]
fn random_is_uniform_and_the_same_on_every_adapter() {
    let mut sim = start(60.0, RANDOM, &[]);
    step(&mut sim, 1);
    let values = read(&sim, "dice.value");
    // PCG-RXS-M-XS over salt, seed (7 in these documents) and cell; 24 bits.
    let hash = |x: u32, y: u32| pcg(pcg(pcg(3 ^ pcg(7)) ^ x) ^ y) >> 8;
    let expected: Vec<f64> = (0..64 * 48).map(|i| f64::from(hash(i % 64, i / 64)) / f64::from(1 << 24)).collect();
    assert_eq!(values, expected);
    let n = values.len() as f64;
    let because = "five standard errors of the mean of n uniform numbers, sqrt(1 / 12 n)";
    within("mean of random() less 1/2", (mean(&values) - 0.5).abs(), 5.0 * (1.0 / (12.0 * n)).sqrt(), because);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "dice.value"), values, "it does not depend on the frame");
}

/// A stage that reads a port of this name and type in this way.
fn reads(name: &str, ty: &str, read: &str) -> Result<Plan, String> {
    let wgsl = format!(
        "//! Read\n//! @in {name}: {ty}\n//! @out read: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return {read}; }}"
    );
    let nodes =
        format!("\"x\": (state: \"{ty}\"), \"read\": (custom: r#\"{wgsl}\"#, inputs: {{\"{name}\": \"x.value\"}}),");
    let graph = Graph::build(&document(60.0, &[DOMAIN, &nodes].concat(), &[]), Library::builtin())
        .map_err(|e| e.to_string())?;
    let options = PlanOptions { keep: Keep::All, ..PlanOptions::default() };
    Plan::compile(&graph, &options).map_err(|problem| format!("{read} of {ty}: {problem}"))
}

/// Among them those that generated text might use for itself.
const NAMES: [&str; 20] = [
    "f", "q", "o", "b", "v", "c", "p", "a", "i", "s", "h", "w", "x", "axis", "face", "value", "id", "lane", "field",
    "result",
];

#[test]
fn a_port_may_have_any_name_that_the_language_does_not_reserve() {
    let mut refused = Vec::new();
    for name in NAMES {
        refused.extend(reads(name, "Grid<f32>", &format!("{name}_at(position(cell))")).err());
        refused.extend(reads(name, "Grid<Vec>", &format!("{name}(cell + unit(0)).x")).err());
        refused.extend(reads(name, "FaceGrid", &format!("{name}_at(position(cell)).x")).err());
        refused.extend(reads(name, "FaceGrid", &format!("{name}_face(cell, 0)")).err());
    }
    let short = |text: &String| text.chars().take(150).collect::<String>();
    assert!(
        refused.is_empty(),
        "{} are refused:\n{}",
        refused.len(),
        refused.iter().map(short).collect::<Vec<_>>().join("\n")
    );
}
