//! Reductions: one number from a grid, on the GPU, for other stages to read.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const REDUCE: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "x": (state: "Grid<$type>"),
    "measure": (custom: r#"//! Measure
        //! @in x: Grid<$type>
        //! @out greatest: $type, reduce max
        //! @out least: $type, reduce min
        //! @out sum: $type, reduce sum
        //! @out doubled: Grid<$type>
        fn stage(cell: Cell) -> Result { return Result(x(cell), x(cell), x(cell), x(cell) + x(cell)); }"#,
        inputs: {"x": "x.value"}),
    "use": (custom: r#"//! Use
        //! @in x: Grid<$type>
        //! @in greatest: $type
        //! @in least: $type
        //! @out result: Grid<$type>
        fn stage(cell: Cell) -> $value { return max(x(cell), greatest()) - least(); }"#,
        inputs: {"x": "x.value", "greatest": "measure.greatest", "least": "measure.least"}),
"##;

struct Measured {
    greatest: Vec<f64>,
    least: Vec<f64>,
    sum: Vec<f64>,
}

/// Reads a number of the GPU's and gives another.
const ONCE: &str = r##"
    "once": (custom: r#"//! Once
        //! @over once
        //! @in sum: $type
        //! @out result: $type
        fn stage() -> $type { return sum() + sum(); }"#, inputs: {"sum": "measure.sum"}),
"##;

/// Component by component.
fn measured(values: &[f64], components: usize) -> Measured {
    let part = |k: usize| values.iter().skip(k).step_by(components).copied();
    let all = |f: &dyn Fn(usize) -> f64| (0..components).map(f).collect();
    Measured {
        greatest: all(&|k| part(k).fold(f64::NEG_INFINITY, f64::max)),
        least: all(&|k| part(k).fold(f64::INFINITY, f64::min)),
        sum: all(&|k| part(k).sum()),
    }
}

/// Additions that one value goes through: the tree of a workgroup's 256 lanes, a lane's share of the partial results,
/// the tree over the lanes.
fn additions(grid: &Grid) -> f64 {
    let workgroup = if grid.dim == 3 { [32, 4, 2] } else { [32, 8, 1] };
    let groups: i64 = (0..3).map(|a| (grid.n[a] + workgroup[a] - 1) / workgroup[a]).product();
    8.0 + (groups as f64 / 256.0).ceil() + 8.0
}

fn reduces(shape: &[usize], ty: &str, components: usize, offset: f32) {
    let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
    let x: Vec<f32> = random(grid.cell_count() * components, 9).iter().map(|v| v + offset).collect();
    let value = if ty == "Vec" { format!("vec{components}f") } else { ty.to_string() };
    let mut sim =
        start(60.0, REDUCE, &pairs(&[("$cells", grid.resolution()), ("$type", ty.into()), ("$value", value)]));
    let greatest = run(&mut sim, &[("x", &x)], 1, "measure.greatest");
    let expected = measured(&f64s(&x), components);
    assert_eq!(greatest, expected.greatest, "{ty} on {shape:?}");
    assert_eq!(read(&sim, "measure.least"), expected.least);
    assert_eq!(read(&sim, "measure.doubled"), f64s(&x).iter().map(|v| 2.0 * v).collect::<Vec<_>>());
    let sum = read(&sim, "measure.sum");
    let amount: f64 = x.iter().map(|v| f64::from(v.abs())).sum();
    let what = format!("sum of Grid<{ty}> on {shape:?}, offset {offset}");
    let because = format!("{} roundings of partial sums", additions(&grid));
    within(&what, max_abs(&difference(&sum, &expected.sum)), additions(&grid) * U * amount, &because);
    let used: Vec<f64> =
        (0..x.len()).map(|i| expected.greatest[i % components] - expected.least[i % components]).collect();
    let error = max_abs(&difference(&read(&sim, "use.result"), &used));
    within("  read by another stage", error, U * max_abs(&used), "rounding of a difference");
}

/// Cells of two shapes that no workgroup divides, and one with more workgroups than lanes.
#[test]
fn reductions_are_those_of_the_cpu() {
    for shape in [&[45usize, 23] as &[usize], &[13, 9, 7], &[1, 1], &[613, 257]] {
        // Values of one sign show what cells outside the grid contribute.
        [0.0, -3.0, 3.0].into_iter().for_each(|offset| reduces(shape, "f32", 1, offset));
    }
}

#[test]
fn vectors_reduce_component_by_component() {
    for (shape, ty, components) in [
        (&[45usize, 23] as &[usize], "Vec", 2),
        (&[45, 23], "vec2f", 2),
        (&[45, 23], "vec3f", 3),
        (&[45, 23], "vec4f", 4),
        (&[13, 9, 7], "vec3f", 3),
    ] {
        reduces(shape, ty, components, -3.0);
        reduces(shape, ty, components, 3.0);
    }
}

#[test]
fn a_reduced_vec_has_three_components_in_3d() {
    reduces(&[13, 9, 7], "Vec", 3, -3.0);
}

fn doubled_once(shape: &[usize], ty: &str, components: usize) {
    let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
    let x = random(grid.cell_count() * components, 9);
    let value = if ty == "Vec" { format!("vec{components}f") } else { ty.to_string() };
    let values = [("$cells", grid.resolution()), ("$type", ty.into()), ("$value", value)];
    let mut sim = start(60.0, &[REDUCE, ONCE].concat(), &pairs(&values));
    let twice = run(&mut sim, &[("x", &x)], 1, "once.result");
    assert_eq!(twice.len(), components, "{ty} on {shape:?}");
    assert_eq!(twice, read(&sim, "measure.sum").iter().map(|v| 2.0 * v).collect::<Vec<_>>());
}

#[test]
fn a_stage_that_runs_once_reads_numbers_and_gives_numbers() {
    doubled_once(&[45, 23], "f32", 1);
    doubled_once(&[13, 9, 7], "f32", 1);
    doubled_once(&[13, 9, 7], "vec3f", 3);
    doubled_once(&[45, 23], "Vec", 2);
}

#[test]
fn a_vec_has_three_components_in_a_stage_that_runs_once_in_3d() {
    doubled_once(&[13, 9, 7], "Vec", 3);
}

const WHOLE: &str = r##"
    "domain": (domain: (resolution: (45, 23), width: 1, edge: "wall")),
    "measure": (custom: r#"//! Measure
        //! @out greatest: $type, reduce max
        //! @out least: $type, reduce min
        //! @out sum: $type, reduce sum
        fn stage(cell: Cell) -> Result {
            let x = $type(cell.y * 45 + cell.x) + $offset;
            return Result(x, x, x);
        }"#),
"##;

#[test]
fn whole_numbers_reduce_exactly() {
    for (ty, offset, first) in [("i32", "-2000", -2000i64), ("i32", "7", 7), ("u32", "7", 7)] {
        let mut sim = start(60.0, WHOLE, &[("$type", ty), ("$offset", offset)]);
        step(&mut sim, 1);
        let number = |wire: &str| i64::from(words(&sim, wire)[0] as i32);
        let count = 45 * 23;
        let got = ["measure.greatest", "measure.least", "measure.sum"].map(number);
        assert_eq!(got, [first + count - 1, first, count * first + count * (count - 1) / 2], "{ty} from {offset}");
    }
}
