//! Pressure by conjugate gradients, on one density and on several: against the same steps in f64, down to the end, and always downhill.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

/// One frame is a solve of some steps from zero.
const SOLVER: &str = r##"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "open": (state: "Grid<f32>"), "mass": (state: "Grid<f32>"),
    "zero": (custom: r#"//! Zero
        //! @out zero: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.0; }"#, on: "domain"),
    "weight": (stage: "two_phase/face_weight", inputs: {"mass": "mass", "open": "open"}),
    "solve": (stage: "$folder/pressure_cg", inputs: {"divergence": "rhs", "pressure": "zero"$weight}, params: {"steps": $steps}),
"##;

const WIDTH: f64 = 1.5;

/// A box, and perhaps walls and two fluids in it.
struct Case {
    grid: Grid,
    two_phase: bool,
    /// What flows into every open cell besides \[1/s\].
    surplus: f64,
}

impl Case {
    fn new(cells: &[usize], edge: EdgeRule, two_phase: bool) -> Case {
        Case { grid: Grid::new(cells, WIDTH, edge), two_phase, surplus: 0.0 }
    }

    fn name(&self) -> String {
        let fluids = if self.two_phase { "two fluids, walls" } else { "one fluid" };
        format!("{} {}, {fluids}", self.grid.resolution(), self.grid.edge.name())
    }

    /// 1 but for a wall across a part of the box.
    fn open(&self) -> Vec<f32> {
        let wall = |c: [i64; 3]| self.two_phase && c[0] == self.grid.n[0] / 2 && c[1] > 1;
        self.grid.cells().map(|c| f32::from(u8::from(!wall(c)))).collect()
    }

    /// Noise in the open cells, with nothing left over where nothing can flow out.
    fn rhs(&self) -> Vec<f32> {
        let open = f64s(&self.open());
        let noise: Vec<f64> =
            random(self.grid.cell_count(), 3).iter().zip(&open).map(|(v, o)| f64::from(*v) * o).collect();
        let mean =
            if self.grid.edge == EdgeRule::Zero { 0.0 } else { noise.iter().sum::<f64>() / open.iter().sum::<f64>() };
        f32s(&noise.iter().zip(&open).map(|(v, o)| v + (self.surplus - mean) * o).collect::<Vec<_>>())
    }

    /// The pressure after so many steps, and the largest residual that the group tells.
    fn solve(&self, steps: usize) -> (Vec<f64>, f64) {
        let (folder, weight) = if self.two_phase { ("two_phase", r#", "weight": "weight""#) } else { ("fluid", "") };
        let values = [
            ("$cells", self.grid.resolution()),
            ("$width", WIDTH.to_string()),
            ("$edge", self.grid.edge.name().to_string()),
            ("$folder", folder.to_string()),
            ("$weight", weight.to_string()),
            ("$steps", steps.to_string()),
        ];
        let mut sim = start(60.0, SOLVER, &pairs(&values));
        let mass: Vec<f32> =
            random(self.grid.cell_count(), 4).iter().map(|v| if *v > 0.0 { 10.0 } else { 1.0 }).collect();
        let p = run(&mut sim, &[("rhs", &self.rhs()), ("open", &self.open()), ("mass", &mass)], 1, "solve.pressure");
        (p, read(&sim, "solve.residual")[0])
    }

    /// Weight of each face of each cell.
    fn weights(&self) -> Vec<f64> {
        let open = self.open();
        let mass: Vec<f64> =
            random(self.grid.cell_count(), 4).iter().map(|v| if *v > 0.0 { 10.0 } else { 1.0 }).collect();
        let weight = |c, face| {
            let across = self.grid.neighbor(c, face);
            let there = self.grid.inner(across);
            let Some(there) = there.filter(|_| self.two_phase) else { return if self.two_phase { 0.0 } else { 1.0 } };
            let (a, b) = (self.grid.index(c), self.grid.index(there));
            // A border that is no wrap is closed.
            let border = there != across && self.grid.edge != EdgeRule::Wrap;
            if border || open[a] == 0.0 || open[b] == 0.0 { 0.0 } else { 2.0 / (mass[a] + mass[b]) }
        };
        self.grid.cells().flat_map(|c| (0..self.grid.faces()).map(move |f| (c, f))).map(|(c, f)| weight(c, f)).collect()
    }

    /// div(w grad p)
    fn apply(&self, w: &[f64], p: &[f64]) -> Vec<f64> {
        let (grid, faces) = (&self.grid, self.grid.faces());
        let inflow = |(i, c)| {
            let face = |f: usize| w[i * faces + f] * (grid.read(p, grid.neighbor(c, f)) - p[i]);
            (0..faces).map(face).sum::<f64>() / (grid.h * grid.h)
        };
        grid.cells().enumerate().map(inflow).collect()
    }

    /// Preconditioned conjugate gradients in f64 (Shewchuk 1994, B3), from zero: the pressure after each step.
    fn reference(&self, steps: usize) -> Vec<Vec<f64>> {
        let (w, faces) = (self.weights(), self.grid.faces());
        let diagonal: Vec<f64> = w.chunks(faces).map(|w| w.iter().sum::<f64>() / (self.grid.h * self.grid.h)).collect();
        let precondition = |r: &[f64]| -> Vec<f64> {
            r.iter().zip(&diagonal).map(|(r, d)| if *d > 0.0 { r / d } else { 0.0 }).collect()
        };
        let mut r: Vec<f64> = self.rhs().iter().map(|v| -f64::from(*v)).collect();
        let (mut p, mut d) = (vec![0.0; r.len()], precondition(&r));
        let mut size = dot(&r, &d);
        let mut course = Vec::new();
        for _ in 0..steps {
            let q: Vec<f64> = self.apply(&w, &d).iter().map(|v| -v).collect();
            let way = size / dot(&d, &q);
            (0..p.len()).for_each(|i| (p[i], r[i]) = (p[i] + way * d[i], r[i] - way * q[i]));
            let z = precondition(&r);
            let left = dot(&r, &z);
            d = z.iter().zip(&d).map(|(z, d)| z + left / size * d).collect();
            size = left;
            course.push(p.clone());
        }
        course
    }

    /// Half the error squared in the norm of the equations, up to a constant: what each step makes least.
    fn energy(&self, w: &[f64], p: &[f64]) -> f64 {
        let rhs = f64s(&self.rhs());
        dot(p, &rhs) - 0.5 * dot(p, &self.apply(w, p))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cases(cells: &[usize]) -> [Case; 5] {
    [
        Case::new(cells, EdgeRule::Wall, false),
        Case::new(cells, EdgeRule::Zero, false),
        Case::new(cells, EdgeRule::Wrap, false),
        Case::new(cells, EdgeRule::Wall, true),
        Case::new(cells, EdgeRule::Wrap, true),
    ]
}

#[test]
fn steps_are_those_of_f64_and_go_downhill() {
    for case in cases(&[16, 11]).into_iter().chain([Case::new(&[6, 5, 7], EdgeRule::Wall, true)]) {
        let (steps, w) = (8, case.weights());
        let reference = case.reference(steps);
        let mut before = 0.0;
        let mut worst: f64 = 0.0;
        for (step, expected) in reference.iter().enumerate() {
            let (p, _) = case.solve(step + 1);
            worst = worst.max(max_abs(&difference(&p, expected)) / max_abs(expected));
            let energy = case.energy(&w, &p);
            assert!(energy < before, "{}: step {step} goes from {before} to {energy}", case.name());
            before = energy;
        }
        // Early steps pass on what they round; the sums of a step are good to some ten roundings.
        within(
            &format!("{}: {steps} steps against f64", case.name()),
            worst,
            200.0 * U * steps as f64,
            "roundings, passed on",
        );
    }
}

#[test]
fn as_many_steps_as_unknowns_are_enough() {
    for case in cases(&[6, 5]) {
        let unknowns = case.grid.cell_count();
        let (p, reported) = case.solve(unknowns);
        let w = case.weights();
        let residual = difference(&f64s(&case.rhs()), &case.apply(&w, &p));
        let largest_weight = w.iter().copied().fold(0.0, f64::max);
        let bar = largest_weight * stalled_residual(case.grid.faces(), max_abs(&p), case.grid.h);
        within(&format!("{}: {unknowns} steps", case.name()), max_abs(&residual), bar, "roundings of a residual");
        assert!(reported <= bar, "what the group tells ({reported}) is as small");
    }
}

#[test]
fn what_flows_into_a_closed_box_does_not_disturb() {
    for mut case in [Case::new(&[12, 9], EdgeRule::Wall, false), Case::new(&[12, 9], EdgeRule::Wrap, true)] {
        let balanced = case.solve(40).0;
        case.surplus = 1.0;
        let off = difference(&case.solve(40).0, &balanced);
        // Both start from zero and stay in the same space, so there is no constant between them.
        let bar = case.grid.cell_count() as f64 * 200.0 * U * max_abs(&balanced);
        within(&case.name(), max_abs(&off), bar, "roundings of a step, over the smallest eigenvalue");
    }
}
