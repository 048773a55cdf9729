//! Matrices in space, `Mat`: in cells and as attributes, in 2D and 3D, in every plan.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// A field of matrices that turns into the identity and back, and particles that carry what they found, stored in reverse.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "m": (state: "Grid<Mat>", on: "box", params: {"value": 1.5}, inputs: {"next": "step.m"}),
    "step": (custom: r#"//! Step
        //! @inout m: Grid<Mat>, radius 1
        //! @in    bare: Grid<Mat> = 0.25
        //! @out   trace: Grid<f32>
        fn stage(cell: Cell) -> Result {
            var next = 0.5 * m(cell) * transpose(m(cell + unit(0))) + bare(cell);
            next[0][1] += 0.1 * m_at(position(cell) + 0.25 * CELL_SIZE)[1].x;
            var trace = 0.0;
            for (var i = 0; i < DIM; i++) { trace += next[i][i]; }
            return Result(next, trace);
        }"#, inputs: {"m": "m"}, iterations: $iterations),
    "set": (state: "Particles{position: Vec, c: Mat, id: u32}", capacity: 500, on: "box", inputs: {"next": "turn.p"}),
    "carry": (custom: r#"//! Carry
        //! @in    m: Grid<Mat>
        //! @inout p: Particles{position: Vec, c: Mat} -> {c: Mat}
        fn stage(particle: Particle) -> Mat { return particle.c + m_at(particle.position); }"#, inputs: {"m": "step.m", "p": "set"}),
    "turn": (custom: r#"//! Turn
        //! @inout p: Particles{c: Mat}, gather
        fn stage(particle: Particle) -> u32 { return p_count() - 1u - min(particle.index, p_count() - 1u) + 0u * u32(particle.c[0].x); }"#, inputs: {"p": "carry"}),
"##;

type Matrix = Vec<f64>;

/// Column by column.
fn product(a: &[f64], b: &[f64], dim: usize) -> Matrix {
    let at = |i: usize, k: usize| (0..dim).map(|j| a[dim * j + i] * b[dim * k + j]).sum();
    (0..dim * dim).map(|n| at(n % dim, n / dim)).collect()
}

struct Field {
    cells: Vec<usize>,
    zero: bool,
    values: Vec<Matrix>,
}

impl Field {
    fn dim(&self) -> usize {
        self.cells.len()
    }

    fn places(&self) -> Vec<Vec<i64>> {
        let count: usize = self.cells.iter().product();
        let place = |mut index: usize| {
            self.cells
                .iter()
                .map(|n| {
                    let at = index % n;
                    index /= n;
                    at as i64
                })
                .collect()
        };
        (0..count).map(place).collect()
    }

    fn matrix(&self, place: &[i64]) -> Matrix {
        let inside = place.iter().zip(&self.cells).all(|(at, n)| (0..*n as i64).contains(at));
        if self.zero && !inside {
            return vec![0.0; self.dim() * self.dim()];
        }
        let element = place
            .iter()
            .zip(&self.cells)
            .rev()
            .fold(0, |sum, (at, n)| sum * n + (*at).clamp(0, *n as i64 - 1) as usize);
        self.values[element].clone()
    }

    /// Linear between centres; positions in cells.
    fn between(&self, position: &[f64]) -> Matrix {
        let q: Vec<f64> = position.iter().map(|x| x - 0.5).collect();
        let mut sum = vec![0.0; self.dim() * self.dim()];
        for corner in 0..1 << self.dim() {
            let mut weight = 1.0;
            let place: Vec<i64> = (0..self.dim())
                .map(|a| {
                    let (low, up) = (q[a].floor(), corner >> a & 1);
                    weight *= if up == 1 { q[a] - low } else { 1.0 - (q[a] - low) };
                    low as i64 + up
                })
                .collect();
            self.matrix(&place).iter().zip(&mut sum).for_each(|(m, sum)| *sum += weight * m);
        }
        sum
    }

    fn step(&mut self) {
        let dim = self.dim();
        let next = self.places().into_iter().map(|place| {
            let mut right = place.clone();
            right[0] += 1;
            let (here, there) = (self.matrix(&place), self.matrix(&right));
            let transposed: Matrix = (0..dim * dim).map(|n| there[dim * (n % dim) + n / dim]).collect();
            let mut next: Matrix = product(&here, &transposed, dim).iter().map(|x| 0.5 * x).collect();
            (0..dim).for_each(|i| next[dim * i + i] += 0.25);
            let near: Vec<f64> = place.iter().map(|at| *at as f64 + 0.75).collect();
            next[1] += 0.1 * self.between(&near)[dim];
            next
        });
        self.values = next.collect();
    }
}

#[test]
fn matrices_in_cells_and_of_particles_are_those_of_f64() {
    for (cells, dim) in [("12, 8", 2), ("6, 5, 4", 3)] {
        for (edge, iterations) in [("wall", 1), ("zero", 4), ("clamp", 3)] {
            let count = iterations.to_string();
            let values = [("$cells", cells), ("$edge", edge), ("$iterations", count.as_str())];
            let graph =
                Graph::build(&document(60.0, NODES, &values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
            let sizes: Vec<usize> = cells.split(", ").map(|n| n.parse().unwrap()).collect();
            let all: usize = sizes.iter().product();
            let wide = sizes[0] as f64;
            let positions: Vec<f32> = random(500 * dim, 3)
                .iter()
                .enumerate()
                .map(|(k, x)| {
                    let long = sizes[k % dim] as f32 / wide as f32;
                    long * (0.5 + 0.49 * x)
                })
                .collect();
            let mut first: Option<[Vec<u32>; 2]> = None;
            let kept = || Keep::Wires(["m", "step.trace", "set"].map(String::from).to_vec());
            for (keep, tuning) in [(Keep::All, Tuning::default()), (kept(), Tuning::gpu()), (kept(), gpu().tuning())] {
                let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() })
                    .unwrap_or_else(|e| panic!("{e}"));
                let mut sim = Simulation::new(gpu(), plan).unwrap();
                sim.reset();
                let identity: Matrix = (0..dim * dim).map(|n| if n % (dim + 1) == 0 { 1.5 } else { 0.0 }).collect();
                let start = read(&sim, "m");
                assert!(start.chunks(dim * dim).all(|m| m == identity), "{:?}", &start[..9]);
                let noise = random(all * dim * dim, 4);
                let start: Vec<f32> = start.iter().zip(&noise).map(|(m, n)| *m as f32 * 0.4 + 0.3 * n).collect();
                sim.write("m", &start).unwrap();
                sim.write("set.position", &positions).unwrap();
                sim.write("set.c", &vec![0.0; 500 * dim * dim]).unwrap();
                sim.write_words("set.id", &(0..500).collect::<Vec<u32>>()).unwrap();
                sim.set_count("set", 500).unwrap();
                step(&mut sim, 2);
                let mut field = Field {
                    cells: sizes.clone(),
                    zero: edge == "zero",
                    values: f64s(&start).chunks(dim * dim).map(<[f64]>::to_vec).collect(),
                };
                let mut carried = vec![vec![0.0; dim * dim]; 500];
                for _ in 0..2 {
                    (0..iterations).for_each(|_| field.step());
                    for (k, c) in carried.iter_mut().enumerate() {
                        let at: Vec<f64> =
                            positions[dim * k..dim * (k + 1)].iter().map(|x| f64::from(*x) * wide).collect();
                        field.between(&at).iter().zip(c).for_each(|(m, c)| *c += m);
                    }
                }
                let what = format!("{dim}D, {edge}");
                let found = read(&sim, "m");
                let wanted: Vec<f64> = field.values.concat();
                within(
                    &format!("{what}, cells"),
                    max_abs(&difference(&found, &wanted)),
                    2e-6,
                    "eight steps of some ten roundings of numbers below one",
                );
                // Two reversals leave the particles in their order.
                assert!(words(&sim, "set.id").iter().zip(0..).all(|(id, k)| *id == k), "{what}");
                let c = read(&sim, "set.c");
                within(
                    &format!("{what}, particles"),
                    max_abs(&difference(&c, &carried.concat())),
                    1e-5,
                    "positions in f32, times gradients of ten a metre",
                );
                let bits = [words(&sim, "m"), words(&sim, "set.c")];
                if gpu().is_software() {
                    assert_eq!(*first.get_or_insert_with(|| bits.clone()), bits, "{what}: the same in every plan");
                }
            }
        }
    }
}

#[test]
fn what_matrices_are_not_for_is_refused() {
    for (port, body, cause) in [
        ("@in f: Grid<Mat>, nearest", "f_at(position(cell))[0].x", "a matrix a cell"),
        ("@param f: Mat = 1", "params.f[0].x", "is not a type of a parameter"),
        ("@in f: Field<Mat>", "f(position(cell))[0].x", "is not a type of a port"),
        ("@out f: Mat, reduce sum", "1.0", "is not a type of a port"),
    ] {
        let text =
            format!("//! S\n//! {port}\n//! @out r: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return {body}; }}\n");
        let error = Stage::parse("own", &text).map(drop).unwrap_err();
        let error = error.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(error.contains(cause), "{error}");
    }
}
