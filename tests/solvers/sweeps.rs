//! Pressure sweeps against the same sweeps in f64.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid, jacobi, sor};

const SWEEPS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>", inputs: {"next": "sweep.pressure"}),
    "sweep": (stage: "$stage", inputs: {"divergence": "rhs.value", "pressure": "p.value"},
              params: {"relaxation": $relaxation}, iterations: $count),
"#;
const COUNTS: [usize; 4] = [1, 2, 7, 20];
/// A power of two, so that h * h is exact.
const H: f64 = 0.25;

struct Case {
    stage: &'static str,
    relaxation: f64,
    grid: Grid,
}

impl Case {
    fn gpu(&self, count: usize, p: &[f32], rhs: &[f32]) -> Vec<f64> {
        let values = [
            ("$cells", self.grid.resolution()),
            ("$width", (self.grid.n[0] as f64 * H).to_string()),
            ("$edge", self.grid.edge.name().into()),
            ("$stage", self.stage.into()),
            ("$relaxation", self.relaxation.to_string()),
            ("$count", count.to_string()),
        ];
        run(&mut start(60.0, SWEEPS, &pairs(&values)), &[("p", p), ("rhs", rhs)], 1, "sweep.pressure")
    }

    /// The sweeps in f64, and the largest |p| + |rhs| h^2 / F on the way: what each update rounds.
    fn cpu(&self, count: usize, p: &[f32], rhs: &[f32]) -> (Vec<f64>, f64) {
        let (mut p, rhs) = (f64s(p), f64s(rhs));
        let source = max_abs(&rhs) * H * H / self.grid.faces() as f64;
        let mut largest = max_abs(&p);
        for _ in 0..count {
            match self.stage {
                "fluid/pressure_jacobi" => jacobi(&self.grid, &mut p, &rhs, self.relaxation),
                _ => sor(&self.grid, &mut p, &rhs, self.relaxation),
            }
            largest = largest.max(max_abs(&p));
        }
        (p, largest + source)
    }

    /// Largest rounding of one update, as in `stalled_residual`.
    fn rounding(&self, largest: f64) -> f64 {
        self.relaxation.max(1.0) * (self.grid.faces() as f64 + 12.0) * U * largest
    }

    /// For each count of sweeps: the count, GPU less f64, and the rounding of one update.
    fn differences(&self) -> Vec<(usize, Vec<f64>, f64)> {
        let (p, rhs) = (random(self.grid.cell_count(), 1), random(self.grid.cell_count(), 2));
        // As large as p / h^2. The mean of a closed box is taken away before the sweeps.
        let mean = if self.grid.edge == EdgeRule::Zero { 0.0 } else { mean(&f64s(&rhs)) as f32 };
        let rhs: Vec<f32> = rhs.iter().map(|v| 16.0 * (v - mean)).collect();
        let case = |k| {
            let (expected, largest) = self.cpu(k, &p, &rhs);
            (k, difference(&self.gpu(k, &p, &rhs), &expected), self.rounding(largest))
        };
        COUNTS.map(case).into()
    }

    fn name(&self) -> String {
        let Grid { n: [x, y, z], edge, .. } = self.grid;
        format!("{} w={} {x}x{y}x{z} {}", self.stage, self.relaxation, edge.name())
    }

    /// Jacobi and Gauss-Seidel updates are averages, so an error never grows: the roundings of k sweeps add up at
    /// most.
    fn holds_in_the_largest_norm(&self) {
        for (k, difference, rounding) in self.differences() {
            let what = format!("{}, {k} sweeps", self.name());
            within(&what, max_abs(&difference), k as f64 * rounding, "rounding of k updates of an average");
        }
    }

    /// An over-relaxed update lets a single error grow, but never the error's energy e A e (A the positive Laplacian,
    /// any relaxation in 0..2). A sweep's roundings, each no more than r, have an energy of no more than 2 F N r^2.
    fn holds_in_the_energy_norm(&self) {
        for (k, difference, rounding) in self.differences() {
            let what = format!("{}, {k} sweeps (largest {:.1e})", self.name(), max_abs(&difference));
            let sweep = (2.0 * self.grid.faces() as f64 * self.grid.cell_count() as f64).sqrt() * rounding;
            within(&what, energy(&self.grid, &difference), k as f64 * sweep, "energy norm of k sweeps' rounding");
        }
    }
}

fn energy(grid: &Grid, e: &[f64]) -> f64 {
    let at = |c| e[grid.index(c)] * (grid.faces() as f64 * e[grid.index(c)] - grid.neighbor_sum(e, c));
    grid.cells().map(at).sum::<f64>().max(0.0).sqrt()
}

/// Neither square nor a power of two, in 2D and 3D. A checkerboard that wraps needs even sizes: with odd ones, cells
/// of one colour meet at the seam and read each other while they are written.
fn grids(checkerboard: bool) -> Vec<Grid> {
    let of = |edge| {
        let even = checkerboard && edge == EdgeRule::Wrap;
        let shapes: [&[usize]; 2] = if even { [&[44, 22], &[12, 10, 6]] } else { [&[45, 23], &[13, 9, 7]] };
        shapes.map(|n| Grid::new(n, H * n[0] as f64, edge))
    };
    [EdgeRule::Wall, EdgeRule::Zero, EdgeRule::Wrap].into_iter().flat_map(of).collect()
}

#[test]
fn jacobi_sweeps_are_those_of_f64() {
    for grid in grids(false) {
        Case { stage: "fluid/pressure_jacobi", relaxation: 1.0, grid }.holds_in_the_largest_norm();
    }
}

#[test]
fn damped_jacobi_sweeps_are_those_of_f64() {
    let grid = Grid::new(&[45, 23], 45.0 * H, EdgeRule::Mirror);
    Case { stage: "fluid/pressure_jacobi", relaxation: 0.7, grid }.holds_in_the_largest_norm();
}

#[test]
fn gauss_seidel_sweeps_are_those_of_f64() {
    for grid in grids(true) {
        Case { stage: "fluid/pressure_sor", relaxation: 1.0, grid }.holds_in_the_largest_norm();
    }
}

#[test]
fn over_relaxed_sweeps_are_those_of_f64() {
    for grid in grids(true) {
        Case { stage: "fluid/pressure_sor", relaxation: 1.7, grid }.holds_in_the_energy_norm();
    }
}
