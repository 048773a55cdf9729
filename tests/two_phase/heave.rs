//! What `floating_box` and `floating_box_sph` state of a box that bobs up and down, by linear waves in their tank: the surface has a height
//! and a potential, Laplace's equation holds below it and beside the box, and the pressure on its floor moves it.

use std::path::PathBuf;

use stagewright_language::document::Document;
use stagewright_solver_support::harness::*;

/// Cells a metre. With twice as many, heights in the first 0.7 s differ by 0.1 mm.
const CELLS: usize = 40;
const WIDTH: f64 = 1.0 / CELLS as f64;
const GRAVITY: f64 = 9.81;
/// Of the half of the box on this side of the middle \[kg/m\].
const MASS: f64 = 62.5;

/// The left half of a tank, 2 m wide and 1 m deep, with a box of 0.5 m in the middle whose floor is 0.25 m deep.
struct Tank {
    /// Rows of the factor of -laplacian x WIDTH^2, by Cholesky: the last number of a row is that on the diagonal.
    factor: Vec<[f64; CELLS + 1]>,
}

/// The surface's heights and potentials, and the height and velocity of the box.
type Motion = [Vec<f64>; 3];

fn is_box(column: usize, row: usize) -> bool {
    4 * column >= 3 * CELLS && 4 * row >= 3 * CELLS
}

/// Columns of the surface beside the box.
fn surface() -> std::ops::Range<usize> {
    0..3 * CELLS / 4
}

/// Cells below the box's floor.
fn floor() -> impl Iterator<Item = usize> {
    (3 * CELLS / 4..CELLS).map(|column| column * CELLS + 3 * CELLS / 4 - 1)
}

fn top(column: usize) -> usize {
    column * CELLS + CELLS - 1
}

impl Tank {
    fn new() -> Tank {
        let mut factor: Vec<[f64; CELLS + 1]> = Vec::new();
        for cell in 0..CELLS * CELLS {
            let (column, row) = (cell / CELLS, cell % CELLS);
            let mut line = [0.0; CELLS + 1];
            let wet = !is_box(column, row);
            let mut link = |is_there: bool, column: usize, row: usize, back: usize| {
                if is_there && wet && !is_box(column, row) {
                    line[CELLS] += 1.0;
                    line[CELLS - back] -= if back > 0 { 1.0 } else { 0.0 };
                }
            };
            link(column > 0, column.wrapping_sub(1), row, CELLS);
            link(row > 0, column, row.wrapping_sub(1), 1);
            link(column + 1 < CELLS, column + 1, row, 0);
            link(row + 1 < CELLS, column, row + 1, 0);
            // The surface lies half a cell above the uppermost centres.
            line[CELLS] += if !wet {
                1.0
            } else if row + 1 == CELLS {
                2.0
            } else {
                0.0
            };
            for k in CELLS.saturating_sub(cell)..CELLS {
                let above = &factor[cell + k - CELLS];
                let known: f64 = (CELLS - k..CELLS).map(|j| line[j + k - CELLS] * above[j]).sum();
                line[k] = (line[k] - known) / above[CELLS];
            }
            line[CELLS] = (line[CELLS] - line[..CELLS].iter().map(|a| a * a).sum::<f64>()).sqrt();
            factor.push(line);
        }
        Tank { factor }
    }

    /// The potential with these values on the surface and this flux upwards through the floor of the box.
    fn potential(&self, on_surface: &[f64], flux: f64) -> Vec<f64> {
        let mut x = vec![0.0; CELLS * CELLS];
        surface().for_each(|column| x[top(column)] = 2.0 * on_surface[column]);
        floor().for_each(|cell| x[cell] = flux * WIDTH);
        for cell in 0..x.len() {
            let first = CELLS.saturating_sub(cell);
            let sum: f64 = (first..CELLS).map(|k| self.factor[cell][k] * x[cell + k - CELLS]).sum();
            x[cell] = (x[cell] - sum) / self.factor[cell][CELLS];
        }
        for cell in (0..x.len()).rev() {
            x[cell] /= self.factor[cell][CELLS];
            for k in CELLS.saturating_sub(cell)..CELLS {
                x[cell + k - CELLS] -= self.factor[cell][k] * x[cell];
            }
        }
        x
    }

    fn rate(&self, [height, surface_potential, body]: &Motion, added: f64) -> Motion {
        let inside = self.potential(surface_potential, body[1]);
        let rise = surface().map(|column| 2.0 * (surface_potential[column] - inside[top(column)]) / WIDTH);
        let falls: Vec<f64> = height.iter().map(|h| -GRAVITY * h).collect();
        let pressed = self.potential(&falls, 0.0);
        let waves: f64 = floor().map(|cell| -1000.0 * pressed[cell] * WIDTH).sum();
        let spring = 1000.0 * GRAVITY * 0.25 * body[0];
        [rise.collect(), falls, vec![body[1], (waves - spring) / (MASS + added)]]
    }

    /// Heights of the box, let go from `lift`, after every `dt` of `count`, by Runge and Kutta's method of fourth order.
    fn heave(&self, lift: f64, dt: f64, count: usize) -> Vec<f64> {
        let still = vec![0.0; surface().len()];
        let moved = self.potential(&still, 1.0);
        let added: f64 = floor().map(|cell| 1000.0 * (moved[cell] + 0.5 * WIDTH) * WIDTH).sum();
        let add = |to: &Motion, rate: &Motion, time: f64| -> Motion {
            [0, 1, 2].map(|part| to[part].iter().zip(&rate[part]).map(|(x, r)| x + time * r).collect())
        };
        let mut motion = [still.clone(), still, vec![lift, 0.0]];
        let mut heights = vec![lift];
        for _ in 0..count {
            let first = self.rate(&motion, added);
            let second = self.rate(&add(&motion, &first, 0.5 * dt), added);
            let third = self.rate(&add(&motion, &second, 0.5 * dt), added);
            let fourth = self.rate(&add(&motion, &third, dt), added);
            for (rate, weight) in [(first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)] {
                motion = add(&motion, &rate, weight * dt / 6.0);
            }
            heights.push(motion[2][0]);
        }
        heights
    }
}

#[test]
fn boxes_that_float_are_compared_with_linear_waves() {
    let tank = Tank::new();
    // A place that a node begins with is that of a frame before. The water of SPH is lower by what its weight makes denser.
    for (name, of, lift, late, level) in
        [("floating_box", "body/begin.place", 0.03, 1, 1.0), ("floating_box_sph", "substep.place", 0.03125, 0, 0.995)]
    {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("graphs/validation/{name}.ron"));
        let document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
        let heights = tank.heave(lift, 1.0 / 120.0, 81);
        let stated = document.expect.iter().filter(|expect| expect.of == of);
        let stated: Vec<_> = stated.filter_map(|e| Some((*e.at.first()?, *e.equals.as_ref()?.first()?))).collect();
        assert!(stated.len() >= 2, "{name} states heights");
        for (frame, height) in stated {
            let theory = level + heights[frame as usize - late];
            within(&format!("{name}, frame {frame}"), height - theory, 3e-4, "a tenth of a millimetre, and rounding");
        }
    }
}
