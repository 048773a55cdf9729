//! A step of two fluids (B5), on a staggered grid.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid, blend};

use super::cases::*;

const DT: f64 = 1.0 / 2000.0;
/// What fractions are whole multiples of.
const QUANTUM: f64 = 1.0 / 1048576.0;

struct Box2 {
    grid: Grid,
}

/// Both components on the lower faces of cells, with one more layer.
type Faces = Vec<f64>;

impl Box2 {
    fn n(&self) -> i64 {
        self.grid.n[0]
    }

    fn face_index(&self, c: Cell, axis: usize) -> usize {
        let clamped: [i64; 2] = std::array::from_fn(|a| c[a].clamp(0, if a == axis { self.n() } else { self.n() - 1 }));
        2 * (clamped[1] * (self.n() + 1) + clamped[0]) as usize + axis
    }

    fn face(&self, u: &[f64], c: Cell, axis: usize) -> f64 {
        u[self.face_index(c, axis)]
    }

    fn closed(&self, c: Cell, axis: usize) -> bool {
        c[axis] <= 0 || c[axis] >= self.n()
    }

    /// Every face that is inside the box; zero on its border.
    fn faces(&self, value: impl Fn(Cell, usize) -> f64) -> Faces {
        let mut faces = vec![0.0; 2 * ((self.n() + 1) * (self.n() + 1)) as usize];
        for c in self.grid.cells() {
            for axis in (0..2).filter(|axis| !self.closed(c, *axis)) {
                faces[self.face_index(c, axis)] = value(c, axis);
            }
        }
        faces
    }

    /// Velocity at a position [m].
    fn flow(&self, u: &[f64], x: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| {
            let q = std::array::from_fn(|a| match a {
                2 => 0.0,
                a if a == axis => x[a] / self.grid.h,
                a => x[a] / self.grid.h - 0.5,
            });
            blend(2, q, |c| self.face(u, c, axis))
        })
    }

    fn advected(&self, u: &[f64]) -> Faces {
        self.faces(|c, axis| {
            let middle = |a: usize| (c[a] as f64 + if a == axis { 0.0 } else { 0.5 }) * self.grid.h;
            let here = [middle(0), middle(1)];
            let back = |by: f64, v: [f64; 2]| [here[0] - by * v[0], here[1] - by * v[1]];
            let half_way = back(0.5 * DT, self.flow(u, here));
            self.flow(u, back(DT, self.flow(u, half_way)))[axis]
        })
    }

    /// Each cell's fractions, shared out to the four cells nearest to where they arrive in whole quanta.
    fn spread(&self, v: &[Vec<f64>; 2], u: &[f64]) -> [Vec<f64>; 2] {
        let mut result = [vec![0.0; self.grid.cell_count()], vec![0.0; self.grid.cell_count()]];
        for c in self.grid.cells() {
            let place: [f64; 2] = std::array::from_fn(|axis| {
                let upper = std::array::from_fn(|a| c[a] + i64::from(a == axis));
                let flow = 0.5 * (self.face(u, c, axis) + self.face(u, upper, axis));
                c[axis] as f64 + (flow * DT / self.grid.h).clamp(-1.0, 1.0)
            });
            for (fluid, result) in result.iter_mut().enumerate() {
                let amount = v[fluid][self.grid.index(c)];
                let inner = |x: i64, y: i64| self.grid.inner([x, y, 0]).map(|c| self.grid.index(c)).unwrap();
                let nearest = place.map(|x| (x + 0.5).floor() as i64);
                let mut left = amount;
                for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let corner = [place[0].floor() as i64 + x, place[1].floor() as i64 + y];
                    if corner == nearest {
                        continue;
                    }
                    let weight: f64 = (0..2).map(|a| 1.0 - (place[a] - corner[a] as f64).abs()).product();
                    let share = (amount * weight / QUANTUM).floor() * QUANTUM;
                    left -= share;
                    result[inner(corner[0], corner[1])] += share;
                }
                result[inner(nearest[0], nearest[1])] += left;
            }
        }
        result
    }

    fn blurred(&self, field: &[f64]) -> Vec<f64> {
        let weight = [0.25, 0.5, 0.25];
        let around = |c: Cell| -> f64 {
            let taps = (0..9).map(|k| (k % 3, k / 3));
            taps.map(|(i, j)| {
                let c = [c[0] + i as i64 - 1, c[1] + j as i64 - 1, 0];
                weight[i] * weight[j] * self.grid.read(field, c)
            })
            .sum()
        };
        self.grid.cells().map(around).collect()
    }

    /// Divergence of the unit normal out of the first fluid.
    fn curvature(&self, blurred: &[f64]) -> Vec<f64> {
        let beside = |c: Cell, axis: usize, by: i64| std::array::from_fn(|a| c[a] + if a == axis { by } else { 0 });
        let normal: Vec<[f64; 2]> = self
            .grid
            .cells()
            .map(|c| {
                let read = |axis, by| self.grid.read(blurred, beside(c, axis, by));
                let slope = [0, 1].map(|axis| 0.5 * (read(axis, 1) - read(axis, -1)));
                let steep = slope[0].hypot(slope[1]);
                if steep > 0.001 { slope.map(|s| -s / steep) } else { [0.0; 2] }
            })
            .collect();
        let parts = [0, 1].map(|axis| normal.iter().map(|n| n[axis]).collect::<Vec<f64>>());
        let outflow = |c: Cell| -> f64 {
            let across = |axis: usize, by: i64| self.grid.read_component(&parts[axis], beside(c, axis, by), axis);
            (0..2).map(|axis| across(axis, 1) - across(axis, -1)).sum::<f64>() / (2.0 * self.grid.h)
        };
        self.grid.cells().map(outflow).collect()
    }

    fn below(&self, c: Cell, axis: usize) -> usize {
        self.grid.index(std::array::from_fn(|a| c[a] - i64::from(a == axis)))
    }

    /// Sixty red-black sweeps from zero.
    fn pressure(&self, u: &[f64], w: &[f64]) -> Vec<f64> {
        let (h, mut p) = (self.grid.h, vec![0.0; self.grid.cell_count()]);
        let upper = |c: Cell, axis: usize| -> Cell { std::array::from_fn(|a| c[a] + i64::from(a == axis)) };
        for sweep in 0..120 {
            for c in self.grid.cells().filter(|c| (c[0] + c[1]) % 2 == sweep % 2) {
                let (mut sum, mut total) = (0.0, 0.0);
                for axis in 0..2 {
                    sum -= (self.face(u, upper(c, axis), axis) - self.face(u, c, axis)) * h;
                    for face in [c, upper(c, axis)] {
                        let weight = self.face(w, face, axis);
                        let other: Cell = std::array::from_fn(|a| {
                            if a != axis {
                                c[a]
                            } else if face == c {
                                c[a] - 1
                            } else {
                                c[a] + 1
                            }
                        });
                        sum += weight * self.grid.read(&p, other);
                        total += weight;
                    }
                }
                let i = self.grid.index(c);
                p[i] += 1.7 * (sum / total - p[i]);
            }
        }
        p
    }
}

#[test]
fn b5_is_a_step_of_two_fluids() {
    let n = 32;
    let space = Box2 { grid: Grid::new(&[n, n], 1.0, EdgeRule::Wall) };
    let grid = space.grid;
    let mut sim = ready(&case("b5", n as u32), &["spread.result", "fractions.value", "pressure.pressure"]);
    sim.reset();
    let fractions = read(&sim, "fractions.value");
    // A flow of up to 30 m/s goes half a cell in a step.
    let swirl = |c: Cell, axis: usize| {
        let turn = |k: usize| std::f64::consts::PI * (c[k] as f64 + if k == axis { 0.0 } else { 0.5 }) / n as f64;
        let flow = 30.0 * turn(axis).sin() * (2.0 * turn(1 - axis)).cos();
        f64::from((if axis == 0 { flow } else { -flow }) as f32)
    };
    let before = space.faces(swirl);
    sim.write("velocity", &f32s(&before)).unwrap();
    step(&mut sim, 1);

    let mut u = space.advected(&before);
    let shared = space.spread(&[part(&fractions, 0, 2), part(&fractions, 1, 2)], &u);
    let got = read(&sim, "spread.result");
    for (fluid, expected) in shared.iter().enumerate() {
        let off = max_abs(&difference(&part(&got, fluid, 2), expected));
        within(&format!("fractions {fluid}"), off, 9.0 * QUANTUM, "a quantum for each of nine shares");
    }
    let total: f64 = fractions.iter().sum();
    assert_eq!(total, got.iter().sum::<f64>(), "no volume is lost");

    // From here on with the fractions as they came out, so that a quantum more or less decides nothing.
    let share: Vec<f64> = got.chunks(2).map(|v| v[0] / (v[0] + v[1])).collect();
    let kappa = space.curvature(&space.blurred(&space.blurred(&share)));
    let mass = |i: usize| 10.0 * share[i] + (1.0 - share[i]);
    let weight = space.faces(|c, axis| 2.0 / (mass(space.below(c, axis)) + mass(grid.index(c))));
    let old = u.clone();
    u = space.faces(|c, axis| {
        let (i, below) = (grid.index(c), space.below(c, axis));
        let force = 0.001 * 0.5 * (kappa[i] + kappa[below]) * (share[i] - share[below]) / grid.h;
        let gravity = if axis == 1 { -9.81 } else { 0.0 };
        space.face(&old, c, axis) + DT * (space.face(&weight, c, axis) * force + gravity)
    });
    let pressure = space.pressure(&u, &weight);
    let largest = max_abs(&pressure);
    // Rounding of a sweep, (F + 12) U |p| with F = 4 faces, and the little that sixty of them hand on.
    let rounding = 4.0 * 16.0 * U * largest;
    let because = "rounding of sweeps";
    within("pressure", max_abs(&difference(&read(&sim, "pressure.pressure"), &pressure)), rounding, because);
    let expected = space.faces(|c, axis| {
        let slope = (pressure[space.below(c, axis)] - pressure[grid.index(c)]) / grid.h;
        space.face(&u, c, axis) + space.face(&weight, c, axis) * slope
    });
    let got = read(&sim, "velocity.value");
    let off = max_abs(&difference(&got, &expected));
    within("velocity", off, 5e-6 * max_abs(&expected), "as for the programs it is compared with");
}
