//! Filters of images in f64 by brute force, with a bound on how far f32 may be from each pixel.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, Grid};

/// Values above this are empty pixels.
const EMPTY_ABOVE: f64 = 1e30;

/// A centre and the mean of differences from it, each weighted by exp(-exponent).
pub struct Mean {
    center: f64,
    sum: f64,
    weights: f64,
    /// Sums of the same without signs, and of what `exp` may be off by.
    amount: f64,
    doubt: f64,
    weight_doubt: f64,
    count: f64,
    /// How much of an error of the filtered image, the same everywhere at most, is in the mean.
    passed_on: f64,
}

impl Mean {
    pub fn around(center: f64) -> Mean {
        Mean { center, sum: 0.0, weights: 0.0, amount: 0.0, doubt: 0.0, weight_doubt: 0.0, count: 0.0, passed_on: 1.0 }
    }

    /// An exponent x rounds to 14 U of itself (two divisions of 5 U, a square, a sum), and `exp` may be off by 3 + 2 |x|
    /// units in the last place: (6 + 18 x) U together.
    pub fn add(&mut self, exponent: f64, difference: f64) {
        let weight = (-exponent).exp();
        let doubt = weight * (6.0 + 18.0 * exponent) * U;
        self.sum += weight * difference;
        self.weights += weight;
        self.amount += weight * difference.abs();
        self.doubt += doubt * difference.abs();
        self.weight_doubt += doubt;
        self.count += 1.0;
    }

    pub fn value(&self) -> f64 {
        self.center + if self.weights > 0.0 { self.sum / self.weights } else { 0.0 }
    }

    /// Two sums of so many terms, a difference and a product in each term, a division, and the sum with the centre.
    fn rounding(&self) -> f64 {
        let terms = (self.count + 2.0) * U;
        let mean = (self.value() - self.center).abs();
        let parts = self.doubt + terms * self.amount + mean * (self.weight_doubt + terms * self.weights);
        parts / self.weights.max(1e-300) + 5.0 * U * mean + U * self.value().abs()
    }
}

/// An image that was filtered in f64, and how far f32 may be from it at each pixel.
pub struct Filtered {
    pub image: Vec<f64>,
    pub rounding: Vec<f64>,
}

impl Filtered {
    pub fn new(image: &[f32]) -> Filtered {
        Filtered { image: f64s(image), rounding: vec![0.0; image.len()] }
    }

    /// The next filter, given by its mean at a pixel that is not empty.
    pub fn then(&self, grid: &Grid, mean: impl Fn(&[f64], Cell) -> Mean) -> Filtered {
        let before = max_abs(&self.rounding);
        let at = |c: Cell| match self.image[grid.index(c)] {
            empty if empty > EMPTY_ABOVE => (empty, 0.0),
            _ => {
                let mean = mean(&self.image, c);
                (mean.value(), mean.rounding() + before * mean.passed_on)
            }
        };
        let (image, rounding) = grid.cells().map(at).unzip();
        Filtered { image, rounding }
    }

    /// Asserts that a result is this image, each pixel within its own bound.
    #[track_caller]
    pub fn is(&self, what: &str, result: &[f64]) {
        let errors = difference(result, &self.image);
        let share = |i: usize| if errors[i] == 0.0 { 0.0 } else { errors[i].abs() / self.rounding[i] };
        let worst = (0..errors.len()).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap();
        println!("{what}: error {:.2e} at most, bar {:.2e} at most", max_abs(&errors), max_abs(&self.rounding));
        let because = "rounding of weights, sums and a division";
        within(&format!("  pixel {worst}, the worst"), errors[worst].abs(), self.rounding[worst], because);
    }
}

/// Cells along x and y.
pub type Offset = [i64; 2];

pub fn square(radius: i64) -> Vec<Offset> {
    (-radius..=radius).flat_map(|y| (-radius..=radius).map(move |x| [x, y])).collect()
}

/// The part of a square that an axis runs through; all of it for axis 2.
pub fn window(axis: usize, radius: i64) -> Vec<Offset> {
    square(radius).into_iter().filter(|offset| axis == 2 || offset[1 - axis] == 0).collect()
}

pub fn disc(radius: i64) -> Vec<Offset> {
    square(radius).into_iter().filter(|[x, y]| x * x + y * y <= radius * radius).collect()
}

pub fn offset_cell(c: Cell, [x, y]: Offset) -> Cell {
    [c[0] + x, c[1] + y, c[2]]
}

fn spatial([x, y]: Offset, sigma: f64) -> f64 {
    (x * x + y * y) as f64 / (2.0 * sigma * sigma)
}

/// Tomasi and Manduchi 1998.
pub fn bilateral(grid: Grid, window: Vec<Offset>, space: f64, range: f64) -> impl Fn(&[f64], Cell) -> Mean {
    move |image, c| {
        let center = image[grid.index(c)];
        let mut mean = Mean::around(center);
        let mut turned = 0.0;
        for offset in &window {
            let difference = grid.read(image, offset_cell(c, *offset)) - center;
            if center + difference <= EMPTY_ABOVE {
                let exponent = spatial(*offset, space) + difference * difference / (2.0 * range * range);
                mean.add(exponent, difference);
                turned += (-exponent).exp() * difference * difference / (range * range);
            }
        }
        // A mean hands errors on as they are; beside that, errors of differences (twice as large) turn the weights:
        // sum w 2 |d| |d - mean| / range^2 / sum w, and Cauchy and Schwarz bound that by the squares of d.
        mean.passed_on = 1.0 + 2.0 * turned / mean.weights;
        mean
    }
}

pub fn gaussian(grid: Grid, window: Vec<Offset>, sigma: f64) -> impl Fn(&[f64], Cell) -> Mean {
    move |image, c| {
        let mut mean = Mean::around(0.0);
        window.iter().for_each(|o| mean.add(spatial(*o, sigma), grid.read(image, offset_cell(c, *o))));
        mean
    }
}

/// Truong and Yuksel 2018, for depths that grow away from the eye.
#[derive(Clone, Copy)]
pub struct NarrowRange {
    pub grid: Grid,
    pub axis: usize,
    pub radius: i64,
    pub sigma: f64,
    pub range: f64,
    pub drop: f64,
}

impl NarrowRange {
    /// Their rules for one sample after the other, with the range of the ring before.
    pub fn mean(self) -> impl Fn(&[f64], Cell) -> Mean {
        move |image, c| {
            let center = image[self.grid.index(c)];
            let sample = |offset| self.grid.read(image, offset_cell(c, offset)) - center;
            let mut mean = Mean::around(center);
            mean.add(0.0, 0.0);
            let (mut low, mut high) = (self.range, self.range);
            for ring in 1..=self.radius {
                let around = |[x, y]: &Offset| x.abs().max(y.abs()) == ring;
                let counts = |[x, y]: &Offset| sample([*x, *y]) >= -low && sample([-x, -y]) >= -low;
                let (mut next_low, mut next_high) = (low, high);
                for offset in window(self.axis, ring).into_iter().filter(around).filter(counts) {
                    let difference = sample(offset);
                    assert!(
                        (difference + low).abs().min((difference - high).abs()) > 1e-6,
                        "no rounding changes a rule"
                    );
                    if difference > high {
                        mean.add(spatial(offset, self.sigma), self.drop);
                    } else {
                        mean.add(spatial(offset, self.sigma), difference);
                        next_low = next_low.max(self.range - difference);
                        next_high = next_high.max(self.range + difference);
                    }
                }
                (low, high) = (next_low, next_high);
            }
            mean
        }
    }
}
