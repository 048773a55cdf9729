//! Arithmetic and differences of grids and of fields, against f64.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const GRIDS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "a": (state: "Grid<$type>"),
    "b": (state: "Grid<$type>"),
    "w": (state: "Grid<f32>"),
    "add": (stage: "grid/add", inputs: {"a": "a", "b": "b"}, params: {"weight": -0.5}),
    "scale": (stage: "grid/scale", inputs: {"a": "a", "weight": "w"}, params: {"factor": 2}),
    "multiply": (stage: "grid/multiply", inputs: {"a": "a", "b": "b"}, params: {"factor": 0.25}),
    "mix": (stage: "grid/mix", inputs: {"a": "a", "b": "b", "weight": "w"}),
    "min": (stage: "grid/min", inputs: {"a": "a", "b": "b"}),
    "max": (stage: "grid/max", inputs: {"a": "a", "b": "b"}),
    "length": (stage: "grid/length", inputs: {"a": "a"}),
    "occupied": (stage: "grid/occupied", inputs: {"a": "a"}, params: {"threshold": 0.6}),
    "positive": (stage: "grid/compare", inputs: {"a": "w"}, params: {"test": 1, "tolerance": 0}),
    "fed": (stage: "grid/occupied", inputs: {"a": "a", "source": "positive"}, params: {"threshold": 0.6}),
"#;

/// The same of fields, read at cell centres from grids by interpolation: there it is the cell's own value.
fn fields(stages: &str) -> String {
    let mut nodes: String = GRIDS.lines().take(5).map(|line| format!("{line}\n")).collect();
    for name in ["a", "b", "w"] {
        nodes += &format!("\"field_{name}\": (stage: \"field/from_grid\", inputs: {{\"grid\": \"{name}\"}}),\n");
    }
    nodes + stages
}

const FIELDS: &str = r#"
    "field_multiply": (stage: "field/multiply", inputs: {"a": "field_a", "b": "field_b"}, params: {"factor": 0.25}),
    "field_min": (stage: "field/min", inputs: {"a": "field_a", "b": "field_b"}),
    "field_max": (stage: "field/max", inputs: {"a": "field_a", "b": "field_b"}),
    "field_length": (stage: "field/length", inputs: {"a": "field_a"}),
    "multiply": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_multiply"}),
    "min": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_min"}),
    "max": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_max"}),
    "length": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_length"}),
"#;

const VECTORS: &str = r#"
    "dot": (stage: "grid/dot", inputs: {"a": "a", "b": "b"}),
"#;

const SCALARS: &str = r#"
    "less": (stage: "grid/compare", inputs: {"a": "a", "b": "b"}),
    "greater": (stage: "grid/compare", inputs: {"a": "a", "b": "b"}, params: {"test": 1}),
    "near": (stage: "grid/compare", inputs: {"a": "a", "b": "b"}, params: {"test": 2, "tolerance": 0.25}),
"#;

struct Inputs {
    a: Vec<f64>,
    b: Vec<f64>,
    w: Vec<f64>,
    components: usize,
}

impl Inputs {
    /// Component by component, with the weight of its cell.
    fn each(&self, f: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
        (0..self.a.len()).map(|i| f(self.a[i], self.b[i], self.w[i / self.components])).collect()
    }

    fn dot(&self, b: &[f64]) -> Vec<f64> {
        let cells = self.a.chunks(self.components).zip(b.chunks(self.components));
        cells.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect()
    }
}

fn arithmetic(shape: &[usize], ty: &str, components: usize, nodes: &str, slack: f64) {
    let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
    let [a, b] = [1, 2].map(|seed| random(grid.cell_count() * components, seed));
    let w: Vec<f32> = random(grid.cell_count(), 3).iter().map(|w| 0.5 + 0.7 * w).collect();
    let mut sim = start(60.0, nodes, &[("$cells", &grid.resolution()), ("$type", ty), ("$edge", "wall")]);
    run(&mut sim, &[("a", &a), ("b", &b), ("w", &w)], 1, "a");
    let inputs = Inputs { a: f64s(&a), b: f64s(&b), w: f64s(&w), components };
    let lengths: Vec<f64> = inputs.dot(&inputs.a).iter().map(|v| v.sqrt()).collect();
    let blend = |a: f64, b: f64, w: f64| a + w.clamp(0.0, 1.0) * (b - a);
    let mask = |holds: bool| f64::from(u8::from(holds));
    for (wire, expected) in [
        ("add.sum", inputs.each(|a, b, _| a - 0.5 * b)),
        ("scale.scaled", inputs.each(|a, _, w| 2.0 * a * w)),
        ("multiply.product", inputs.each(|a, b, _| 0.25 * a * b)),
        ("multiply.result", inputs.each(|a, b, _| 0.25 * a * b)),
        ("mix.mixed", inputs.each(blend)),
        ("min.result", inputs.each(|a, b, _| a.min(b))),
        ("max.result", inputs.each(|a, b, _| a.max(b))),
        ("length.magnitude", lengths.clone()),
        ("length.result", lengths.clone()),
        ("dot.result", inputs.dot(&inputs.b)),
        ("occupied.occupied", lengths.iter().map(|&length| mask(length > 0.6)).collect()),
        ("fed.occupied", lengths.iter().zip(&inputs.w).map(|(&length, &w)| mask(length > 0.6 || w > 0.0)).collect()),
        ("less.result", inputs.each(|a, b, _| mask(a < b))),
        ("greater.result", inputs.each(|a, b, _| mask(a > b))),
        ("near.result", inputs.each(|a, b, _| mask((a - b).abs() <= 0.25))),
    ] {
        if sim.read(wire).is_err() {
            continue;
        }
        let error = max_abs(&difference(&read(&sim, wire), &expected));
        within(
            &format!("{wire} of Grid<{ty}>, {shape:?}"),
            error,
            slack + 12.0 * U,
            "a few roundings of numbers up to 2",
        );
    }
}

#[test]
fn arithmetic_of_grids_is_that_of_f64() {
    arithmetic(&[13, 9], "f32", 1, &[GRIDS, SCALARS].concat(), 0.0);
    arithmetic(&[13, 9], "Vec", 2, &[GRIDS, VECTORS].concat(), 0.0);
    arithmetic(&[7, 5, 6], "Vec", 3, &[GRIDS, VECTORS].concat(), 0.0);
    arithmetic(&[13, 9], "vec4f", 4, GRIDS, 0.0);
}

/// Interpolation at a cell's centre leaves the rounding of its position, times the difference of two cells.
#[test]
fn arithmetic_of_fields_is_that_of_f64() {
    let extra = |kind: &str, port: &str| {
        let test = kind.replace("less", "compare");
        format!(
            r#""field_{kind}": (stage: "field/{test}", inputs: {{"a": "field_a", "b": "field_b"}}),
            "{kind}": (stage: "grid/from_field", on: "domain", inputs: {{"field": "field_{kind}.{port}"}}),"#
        )
    };
    let slack = 3.0 * 9.0 * U * 13.0 * 2.0 * 2.0;
    arithmetic(&[13, 9], "f32", 1, &fields(&[FIELDS, &extra("less", "result")].concat()), slack);
    arithmetic(&[13, 9], "Vec", 2, &fields(&[FIELDS, &extra("dot", "result")].concat()), slack);
}

const DIFFERENCES: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "q": (state: "Grid<f32>"),
    "u": (state: "Grid<Vec>"),
    "gradient": (stage: "grid/gradient", inputs: {"a": "q"}),
    "divergence": (stage: "grid/divergence", inputs: {"a": "u"}),
    "curl": (stage: "grid/curl", inputs: {"a": "u"}),
    "laplacian": (stage: "grid/laplacian", inputs: {"a": "q"}),
    "laplacians": (stage: "grid/laplacian", inputs: {"a": "u"}),
    "field_q": (stage: "field/from_grid", inputs: {"grid": "q"}),
    "field_u": (stage: "field/from_grid", inputs: {"grid": "u"}),
    "field_gradient": (stage: "field/gradient", inputs: {"a": "field_q"}, params: {"step": "$step"}),
    "field_divergence": (stage: "field/divergence", inputs: {"a": "field_u"}, params: {"step": "$step"}),
    "field_curl": (stage: "field/curl", inputs: {"a": "field_u"}, params: {"step": "$step"}),
    "field_laplacian": (stage: "field/laplacian", inputs: {"a": "field_q"}, params: {"step": "$step"}),
    "at_gradient": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_gradient"}),
    "at_divergence": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_divergence"}),
    "at_curl": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_curl"}),
    "at_laplacian": (stage: "grid/from_field", on: "domain", inputs: {"field": "field_laplacian"}),
"#;

type Point = [f64; 3];

/// Values and their derivatives.
struct Analytic {
    dim: usize,
    /// Wave number and phase of each component along each axis; without waves, a quadratic.
    wave: Option<f64>,
}

impl Analytic {
    /// Component `k` along axis `a`, its slope and its second derivative.
    fn part(&self, k: usize, a: usize, x: f64) -> [f64; 3] {
        let [k, a] = [k as f64, a as f64];
        match self.wave {
            Some(w) => {
                let phase = w * x + 0.4 + 0.9 * k + 1.7 * a;
                [phase.sin(), w * phase.cos(), -w * w * phase.sin()]
            }
            None => {
                let [p, q] = [0.3 + 0.4 * k - 0.7 * a, 0.5 - 0.6 * k + 0.2 * a];
                [p * x + q * x * x, p + 2.0 * q * x, 2.0 * q]
            }
        }
    }

    fn value(&self, k: usize, at: Point) -> f64 {
        (0..self.dim).map(|a| self.part(k, a, at[a])[0]).sum()
    }

    fn slope(&self, k: usize, a: usize, at: Point) -> f64 {
        if a < self.dim && k < self.dim { self.part(k, a, at[a])[1] } else { 0.0 }
    }

    fn laplacian(&self, k: usize, at: Point) -> f64 {
        (0..self.dim).map(|a| self.part(k, a, at[a])[2]).sum()
    }

    fn curl(&self, at: Point) -> [f64; 3] {
        std::array::from_fn(|i| {
            let [j, k] = [(i + 1) % 3, (i + 2) % 3];
            self.slope(k, j, at) - self.slope(j, k, at)
        })
    }
}

/// Largest error of each operator over the cells that `of` selects; of the fields with the prefix `at_`.
fn worst(grid: &Grid, f: &Analytic, prefix: &str, of: &dyn Fn([i64; 3]) -> bool) -> [f64; 5] {
    let dim = grid.dim;
    let q = f32s(&grid.fill(|at| f.value(0, at)));
    let u: Vec<f32> =
        grid.cells().flat_map(|c| (0..dim).map(move |k| f.value(k, grid.position(c)))).map(|v| v as f32).collect();
    // A field that is interpolated is quadratic at cells' centres only: its step is a cell.
    let values = [("$cells", grid.resolution()), ("$edge", grid.edge.name().into()), ("$step", grid.h.to_string())];
    let mut sim = start(60.0, DIFFERENCES, &pairs(&values));
    run(&mut sim, &[("q", &q), ("u", &u)], 1, "q");
    let error = |wire: &str, components: usize, expected: &dyn Fn(Point, usize) -> f64| {
        let got = read(&sim, wire);
        let cells = grid.cells().filter(|c| of(*c));
        cells
            .flat_map(|c| (0..components).map(move |k| (c, k)))
            .map(|(c, k)| (got[grid.index(c) * components + k] - expected(grid.position(c), k)).abs())
            .fold(0.0, f64::max)
    };
    let port = |name: &str| if prefix.is_empty() { format!("{name}.{name}") } else { format!("{prefix}{name}.result") };
    [
        error(&port("gradient"), dim, &|at, a| f.slope(0, a, at)),
        error(&port("divergence"), 1, &|at, _| (0..dim).map(|a| f.slope(a, a, at)).sum()),
        error(&port("curl"), 3, &|at, i| f.curl(at)[i]),
        error(&port("laplacian"), 1, &|at, _| f.laplacian(0, at)),
        if prefix.is_empty() { error("laplacians.laplacian", dim, &|at, k| f.laplacian(k, at)) } else { 0.0 },
    ]
}

const OPERATORS: [&str; 5] = ["gradient", "divergence", "curl", "laplacian", "laplacian of vectors"];

/// At every border too: nothing outside is read.
#[test]
fn differences_of_quadratics_are_exact_up_to_the_border() {
    for (shape, edge) in [
        (&[16usize, 12] as &[usize], EdgeRule::Wall),
        (&[16, 12], EdgeRule::Zero),
        (&[16, 12], EdgeRule::Mirror),
        (&[9, 8, 7], EdgeRule::Clamp),
    ] {
        let grid = Grid::new(shape, 1.0, edge);
        let f = Analytic { dim: grid.dim, wave: None };
        let errors = worst(&grid, &f, "", &|_| true);
        for (name, (error, order)) in OPERATORS.iter().zip(errors.iter().zip([1, 1, 1, 2, 2])) {
            let bar = 3.0 * 16.0 * 4.0 * U / grid.h.powi(order);
            within(
                &format!("{name}, {shape:?}, {}", edge.name()),
                *error,
                bar,
                "roundings of values up to 4, over h or h^2",
            );
        }
        let inner = |c: [i64; 3]| (0..grid.dim).all(|a| (2..grid.n[a] - 2).contains(&c[a]));
        if edge != EdgeRule::Wall && edge != EdgeRule::Clamp {
            continue; // fields know no border
        }
        let errors = worst(&grid, &f, "at_", &inner);
        for (name, (error, order)) in OPERATORS.iter().zip(errors.iter().zip([1, 1, 1, 2])) {
            let bar = 3.0 * 40.0 * 4.0 * U / grid.h.powi(order);
            within(&format!("{name} of fields, {shape:?}"), *error, bar, "roundings, and those of interpolation");
        }
    }
}

#[test]
fn differences_are_of_second_order_at_borders_and_around_periodic_axes() {
    for (edge, wave) in [(EdgeRule::Wall, 2.0), (EdgeRule::Wrap, std::f64::consts::TAU)] {
        let errors = [24, 48].map(|n| {
            let grid = Grid::new(&[n, n], 1.0, edge);
            worst(&grid, &Analytic { dim: 2, wave: Some(wave) }, "", &|_| true)
        });
        for (k, name) in OPERATORS.iter().enumerate() {
            let measured = order(errors[0][k], errors[1][k]);
            println!("{name}, {}: {:.2e}, {:.2e}, order {measured:.2}", edge.name(), errors[0][k], errors[1][k]);
            assert!(measured > 1.7, "{name}: order {measured}");
        }
    }
}
