//! Math, comparisons, ranges and components of grids and fields, cell by cell against f64. The cells are binary fractions,
//! so that a field of a grid has exactly the grid's values at their centres.

use std::fmt::Write as _;

use stagewright_language::library::Library;
use stagewright_solver_support::harness::*;

const CELLS: [usize; 2] = [32, 16];
const COUNT: usize = CELLS[0] * CELLS[1];

/// A stage of `a`, `b` and `mask`.
struct Operation {
    stage: &'static str,
    params: String,
    /// The exact result.
    exact: fn(f64, f64, f64) -> f64,
    /// Its tolerance. NaN where rounding may choose another result.
    bar: fn(f64, f64, f64) -> f64,
}

/// `floor` of a quotient that is exact or far enough from a whole number to be certain.
fn modulo(a: f64, b: f64) -> (f64, f64) {
    if b == 0.0 {
        return (0.0, 0.0);
    }
    let quotient = a / b;
    let certain = quotient == 0.0 || (quotient - quotient.round()).abs() > 10.0 * U * quotient.abs();
    let bar = if certain { 2.0 * U * (a.abs() + (b * quotient.floor()).abs()) } else { f64::NAN };
    (a - b * quotient.floor(), bar)
}

fn power(a: f64, b: f64) -> f64 {
    match (a, b) {
        (_, 0.0) => 1.0,
        (0.0, _) => 0.0,
        _ if a < 0.0 && b.fract() != 0.0 => 0.0,
        _ => a.powf(b),
    }
}

/// WGSL computes it as exp2(b log2(a)). log2 is within 2^-21 in 0.5..2 and 3 units of the last place elsewhere, exp2 within
/// 3 + 2 |x| of these.
fn power_bar(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let log = a.abs().log2();
    let error = b.abs() * 2f64.powi(-21).max(6.0 * U * log.abs()) + U * (b * log).abs();
    power(a, b).abs() * (std::f64::consts::LN_2 * error + 2.0 * U * (3.0 + 2.0 * (b * log).abs()))
}

/// WGSL's sine and cosine are within 2^-11 in -pi..pi.
const TRIGONOMETRY: fn(f64, f64, f64) -> f64 = |_, _, _| 2f64.powi(-11);
const EXACT: fn(f64, f64, f64) -> f64 = |_, _, _| 0.0;

fn operations() -> Vec<Operation> {
    type F = fn(f64, f64, f64) -> f64;
    let math: [(F, F); 17] = [
        (|a, b, _| a + b, |_, _, _| 4.0 * U),
        (|a, b, _| a - b, |_, _, _| 4.0 * U),
        (|a, b, _| a * b, |_, _, _| 4.0 * U),
        (|a, b, _| if b == 0.0 { 0.0 } else { a / b }, |a, b, _| if b == 0.0 { 0.0 } else { 6.0 * U * (a / b).abs() }),
        (|a, b, _| power(a, b), |a, b, _| power_bar(a, b)),
        (|a, b, _| a.min(b), EXACT),
        (|a, b, _| a.max(b), EXACT),
        (|a, b, _| modulo(a, b).0, |a, b, _| modulo(a, b).1),
        (|a, _, _| a.abs(), EXACT),
        (|a, _, _| a.max(0.0).sqrt(), |_, _, _| 6.0 * U * 2.0),
        (|a, _, _| a.exp(), |a, _, _| 2.0 * U * (4.0 + 2.0 * a.abs()) * a.exp()),
        (
            |a, _, _| if a > 0.0 { a.ln() } else { 0.0 },
            |a, _, _| if a > 0.0 { 2f64.powi(-21).max(8.0 * U * a.ln().abs()) } else { 0.0 },
        ),
        (|a, _, _| a.sin(), TRIGONOMETRY),
        (|a, _, _| a.cos(), TRIGONOMETRY),
        (|a, _, _| a.floor(), EXACT),
        (|a, _, _| a - a.floor(), |_, _, _| 2.0 * U),
        (|a, _, _| if a == 0.0 { 0.0 } else { a.signum() }, EXACT),
    ];
    let math = math.into_iter().enumerate().map(|(k, (exact, bar))| Operation {
        stage: "math",
        params: format!(r#""operation": {k}"#),
        exact,
        bar,
    });
    let tests: [F; 6] = [
        |a, b, _| f64::from(a < b),
        |a, b, _| f64::from(a > b),
        |a, b, _| f64::from((a - b).abs() <= 0.25),
        |a, b, _| f64::from(a <= b),
        |a, b, _| f64::from(a >= b),
        |a, b, _| f64::from((a - b).abs() > 0.25),
    ];
    let tests = tests.into_iter().enumerate().map(|(k, exact)| Operation {
        stage: "compare",
        params: format!(r#""test": {k}, "tolerance": 0.25"#),
        exact,
        bar: |a, b, _| if ((a - b).abs() - 0.25).abs() < 4.0 * U { f64::NAN } else { 0.0 },
    });
    // From -1..0.5 to 3..-2.
    fn t(a: f64) -> f64 {
        ((a + 1.0) / 1.5).clamp(0.0, 1.0)
    }
    let shapes: [(F, F); 4] = [
        (|a, _, _| 3.0 - 5.0 * t(a), |_, _, _| 40.0 * U),
        (|a, _, _| 3.0 - 5.0 * t(a) * t(a) * (3.0 - 2.0 * t(a)), |_, _, _| 200.0 * U),
        (|a, _, _| 3.0 - 5.0 * t(a).powi(3) * (t(a) * (6.0 * t(a) - 15.0) + 10.0), |_, _, _| 1000.0 * U),
        (
            |a, _, _| 3.0 - 5.0 * (5.0 * t(a)).floor().min(4.0) / 4.0,
            |a, _, _| {
                let step = (5.0 * t(a)).round();
                let certain = step == 0.0 || step == 5.0 || (5.0 * t(a) - step).abs() > 50.0 * U;
                if certain { 8.0 * U } else { f64::NAN }
            },
        ),
    ];
    let range = r#""from_low": -1, "from_high": 0.5, "to_low": 3, "to_high": -2, "steps": 5"#;
    let shapes = shapes.into_iter().enumerate().map(|(k, (exact, bar))| Operation {
        stage: "map_range",
        params: format!(r#"{range}, "shape": {k}"#),
        exact,
        bar,
    });
    let others: [(&str, String, F, F); 4] = [
        (
            "map_range",
            format!(r#"{range}, "bounded": false"#),
            |a, _, _| 3.0 - 5.0 * (a + 1.0) / 1.5,
            |_, _, _| 60.0 * U,
        ),
        (
            "map_range",
            r#""from_low": 0.5, "from_high": 0.5, "to_low": -1, "to_high": 2"#.into(),
            |a, _, _| if a >= 0.5 { 2.0 } else { -1.0 },
            EXACT,
        ),
        ("clamp", r#""low": -0.5, "high": 0.75"#.into(), |a, _, _| a.clamp(-0.5, 0.75), EXACT),
        ("select", r#""threshold": 0.25"#.into(), |a, b, m| if m > 0.25 { b } else { a }, EXACT),
    ];
    let others = others.into_iter().map(|(stage, params, exact, bar)| Operation { stage, params, exact, bar });
    math.chain(tests).chain(shapes).chain(others).collect()
}

/// Whether its twin on fields is tested by number too. Their text is compared, so a few are enough.
fn on_fields(operation: &Operation) -> bool {
    match operation.stage {
        "math" => [" 3", " 7"].iter().any(|k| operation.params.ends_with(k)),
        "compare" => operation.params.contains(": 2"),
        "map_range" => operation.params.ends_with(": 3"),
        _ => true,
    }
}

/// The stages on grids, and some on fields, all in one graph.
fn graph(operations: &[Operation], ty: &str) -> String {
    let mut nodes = format!(
        r#""domain": (domain: (resolution: (32, 16), width: 1, edge: "clamp")),
        "a": (state: "Grid<{ty}>"), "b": (state: "Grid<{ty}>"), "mask": (state: "Grid<f32>"),
        "field_a": (stage: "field/from_grid", inputs: {{"grid": "a"}}),
        "field_b": (stage: "field/from_grid", inputs: {{"grid": "b"}}),
        "field_mask": (stage: "field/from_grid", inputs: {{"grid": "mask"}}),
        "#
    );
    for (k, operation) in operations.iter().enumerate() {
        let Operation { stage, params, .. } = operation;
        let ports: &[&str] = match *stage {
            "select" => &["a", "b", "mask"],
            "math" | "compare" => &["a", "b"],
            _ => &["a"],
        };
        let inputs =
            |prefix: &str| ports.iter().map(|p| format!(r#""{p}": "{prefix}{p}""#)).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            nodes,
            r#""grid_{k}": (stage: "grid/{stage}", inputs: {{{}}}, params: {{{params}}}),"#,
            inputs("")
        );
        if on_fields(operation) {
            let _ = writeln!(
                nodes,
                r#""there_{k}": (stage: "field/{stage}", inputs: {{{}}}, params: {{{params}}}),
                "field_{k}": (stage: "grid/from_field", on: "domain", inputs: {{"field": "there_{k}"}}),"#,
                inputs("field_")
            );
        }
    }
    nodes
}

/// In -2..2, with zeros, and whole and equal numbers in between.
fn operands(components: usize) -> [Vec<f32>; 2] {
    let [mut a, mut b] =
        [1, 2].map(|seed| random(COUNT * components, seed).iter().map(|v| 2.0 * v).collect::<Vec<f32>>());
    for i in 0..COUNT * components {
        match i % 16 {
            0 => a[i] = 0.0,
            1 => b[i] = 0.0,
            2 => b[i] = a[i],
            3 => [a[i], b[i]] = [0.0, 0.0],
            k @ 4..9 => b[i] = [1.0, 2.0, 3.0, -1.0, -2.0][k - 4],
            9 => [a[i], b[i]] = [-1.5, 1.0],
            _ => {}
        }
    }
    [a, b]
}

fn holds(operations: &[Operation], ty: &str, components: usize) {
    let [a, b] = operands(components);
    let mask: Vec<f32> = random(COUNT, 3).iter().map(|v| 0.5 + 0.5 * v).collect();
    let mut sim = start(60.0, &graph(operations, ty), &[]);
    run(&mut sim, &[("a", &a), ("b", &b), ("mask", &mask)], 1, "a");
    for (k, operation) in operations.iter().enumerate() {
        let Operation { stage, params, exact, bar } = operation;
        for kind in if on_fields(operation) { &["grid", "field"][..] } else { &["grid"] } {
            let mut worst = (0.0, 0.0);
            let mut counted = 0;
            for (i, got) in read(&sim, &format!("{kind}_{k}.result")).into_iter().enumerate() {
                let [a, b, mask] = [a[i], b[i], mask[i / components]].map(f64::from);
                let (error, bar) = ((got - exact(a, b, mask)).abs(), bar(a, b, mask));
                if bar.is_nan() {
                    continue;
                }
                counted += 1;
                assert!(error <= bar, "{kind}/{stage} {params}: {got} of {a}, {b}, {mask}: {error:.2e} over {bar:.2e}");
                if error > worst.0 {
                    worst = (error, bar);
                }
            }
            println!("{kind}/{stage} {params} of {ty}: largest error {:.2e}, bar there {:.2e}", worst.0, worst.1);
            assert!(counted * 10 > 9 * COUNT * components, "{kind}/{stage} {params}: only {counted} compared");
        }
    }
}

#[test]
fn operations_on_numbers_are_those_of_f64() {
    holds(&operations(), "f32", 1);
}

#[test]
fn operations_on_vectors_are_those_of_each_component() {
    let chosen = |o: &Operation| match o.stage {
        "compare" => false,
        "math" => [3, 4, 7, 11, 16].iter().any(|k| o.params.ends_with(&format!(" {k}"))),
        _ => true,
    };
    let chosen: Vec<Operation> = operations().into_iter().filter(chosen).collect();
    holds(&chosen, "vec3f", 3);
}

/// Stages that grids and fields have alike differ only in where they read.
#[test]
fn twins_on_grids_and_fields_have_the_same_text() {
    let library = Library::builtin();
    for name in ["math", "compare", "select", "clamp", "map_range", "component", "combine"] {
        let text = |kind: &str| library.stage(&format!("{kind}/{name}")).unwrap().source.clone();
        let code = |text: String| text[text.find("fn stage").unwrap()..].to_string();
        let [grid, field] = ["grid", "field"].map(|kind| code(text(kind)));
        assert_eq!(grid.replace("(cell: Cell)", "(position: Vec)").replace("(cell)", "(position)"), field, "{name}");
    }
}

#[test]
fn vectors_come_apart_and_together() {
    for (cells, dim) in [("16, 8", 2), ("8, 4, 4", 3)] {
        let nodes = r#""domain": (domain: (resolution: ($cells), width: 1, edge: "clamp")),
            "v": (state: "Grid<Vec>"), "color": (state: "Image"), "field": (stage: "field/from_grid", inputs: {"grid": "v"}),
            "x": (stage: "grid/component", inputs: {"a": "v"}), "field_x": (stage: "field/component", inputs: {"a": "field"}),
            "y": (stage: "grid/component", inputs: {"a": "v"}, params: {"component": 1}),
            "field_y": (stage: "field/component", inputs: {"a": "field"}, params: {"component": 1}),
            "z": (stage: "grid/component", inputs: {"a": "v"}, params: {"component": 2}),
            "field_z": (stage: "field/component", inputs: {"a": "field"}, params: {"component": 2}),
            "alpha": (stage: "grid/component", inputs: {"a": "color"}, params: {"component": 3}),
            "back": (stage: "grid/combine", inputs: {"x": "x", "y": "y", "z": "z"}),
            "field_back": (stage: "field/combine", inputs: {"x": "field_x", "y": "field_y", "z": "field_z"}),
            "there": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_back"}),
            "turned": (stage: "grid/combine", inputs: {"x": "y", "y": "x"}),"#;
        let (v, color) = (random(128 * dim, 1), random(128 * 4, 2));
        let mut sim = start(60.0, nodes, &[("$cells", cells)]);
        run(&mut sim, &[("v", &v), ("color", &color)], 1, "v");
        assert_eq!(read(&sim, "back.result"), f64s(&v), "{dim}D");
        assert_eq!(read(&sim, "there.result"), f64s(&v), "fields in {dim}D");
        let each = |f: &dyn Fn(&[f32]) -> Vec<f32>| f64s(&v.chunks(dim).flat_map(f).collect::<Vec<_>>());
        let turned = |v: &[f32]| if dim == 2 { vec![v[1], v[0]] } else { vec![v[1], v[0], 0.0] };
        assert_eq!(read(&sim, "turned.result"), each(&turned), "{dim}D");
        assert_eq!(read(&sim, "z.result"), each(&|v| vec![v.get(2).copied().unwrap_or(0.0)]), "no third one in 2D");
        assert_eq!(read(&sim, "alpha.result"), f64s(&color.chunks(4).map(|c| c[3]).collect::<Vec<_>>()));
    }
}

#[test]
fn numbers_on_the_gpu_take_expressions() {
    let nodes = r#""domain": (domain: (resolution: (8, 4), width: 1, edge: "clamp")), "q": (state: "Grid<f32>"),
        "two": (number: 2),
        "largest": (stage: "grid/largest", inputs: {"field": "q"}),
        "first": (stage: "number/expression", inputs: {"a": "largest", "b": "two"}, params: {"value": "if a > b { sqrt(a) } else { b - two * a + c }"}),
        "second": (stage: "number/expression", inputs: {"a": "first", "c": "largest"}, params: {"value": "max(a, 3) / c"}),"#;
    let mut q = vec![0.0f32; 32];
    for (largest, first) in [(6.25, 2.5), (0.5, 1.0)] {
        q[5] = -largest;
        let mut sim = start(60.0, nodes, &[]);
        let largest = f64::from(largest);
        assert_eq!(run(&mut sim, &[("q", &q)], 1, "first.result"), [first]);
        let second = read(&sim, "second.result")[0];
        within("a quotient", (second - 3.0 / largest).abs(), 6.0 * U * 3.0 / largest, "a division of 5 U");
    }
}

#[test]
fn random_grids_have_their_distribution() {
    let nodes = r#""domain": (domain: (resolution: (128, 128), width: 1, edge: "clamp")),
        "uniform": (stage: "grid/random", params: {"mean": 2, "spread": 0.5}),
        "other": (stage: "grid/random", params: {"mean": 2, "spread": 0.5, "seed": 1}),
        "normal": (stage: "grid/random", params: {"distribution": 1, "mean": -1, "spread": 3}),
        "moving": (stage: "grid/random", params: {"moving": true}),"#;
    let mut sim = start(60.0, nodes, &[]);
    step(&mut sim, 1);
    let [uniform, other, normal, moving] =
        ["uniform", "other", "normal", "moving"].map(|n| read(&sim, &format!("{n}.result")));
    step(&mut sim, 1);
    assert_eq!(read(&sim, "uniform.result"), uniform, "at rest");
    assert_ne!(read(&sim, "moving.result"), moving, "other numbers in every frame");
    let n = (128.0 * 128.0f64).sqrt();
    let part = |z: f64| 0.5 * (1.0 + erf(z / 2f64.sqrt()));
    for (name, values, cumulative) in [
        ("uniform", uniform.clone(), &(|v: f64| v - 1.5) as &dyn Fn(f64) -> f64),
        ("normal", normal, &|v: f64| part((v + 1.0) / 3.0)),
    ] {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let apart = sorted.iter().enumerate().map(|(i, v)| (cumulative(*v) - (i as f64 + 0.5) / count).abs());
        within(name, apart.fold(0.0, f64::max), 1.63 / n, "Kolmogorov and Smirnov's bound of 1 %");
        let mean = mean(&values);
        let moment = |lag: usize| {
            (lag..values.len()).map(|i| (values[i] - mean) * (values[i - lag] - mean)).sum::<f64>() / count
        };
        for lag in [1, 128] {
            within(
                &format!("{name}, {lag} cells apart"),
                (moment(lag) / moment(0)).abs(),
                4.0 / n,
                "four standard errors",
            );
        }
    }
    let [a, b] = [uniform, other].map(|v| difference(&v, &vec![2.0; v.len()]));
    let joint = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / a.iter().map(|a| a * a).sum::<f64>();
    within("of two seeds", joint.abs(), 4.0 / n, "four standard errors");
}

/// Abramowitz and Stegun 7.1.26, to 1.5e-7.
fn erf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.3275911 * x.abs());
    let sum = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].iter().fold(0.0, |s, c| (s + c) * t);
    x.signum() * (1.0 - sum * (-x * x).exp())
}
