//! Both ways of carrying volume fractions in f64: the article's spread, and PLIC. Fields are as `Simulation::read` gives
//! them: (V_f, V_g) a cell, and a `FaceGrid`'s faces with one layer more.

use stagewright_solver_support::harness::U;
use stagewright_solver_support::reference::{Cell, Grid};

/// Quantum of the volumes that the spread and the correction move.
pub const Q: f64 = 1.0 / 1_048_576.0;

/// Quantum of the volumes that PLIC moves.
pub const PLIC_Q: f64 = 1.0 / 8_388_608.0;

/// Volume up to which sums of PLIC's quanta are exact in f32.
pub const PLIC_EXACT: f64 = 2.0;

/// What a step gives, and how far the same step in f32 may be from it, for each number.
pub struct Step {
    pub fractions: Vec<f64>,
    pub bars: Vec<f64>,
    /// Volume of either fluid that rounding may make or lose, over all cells.
    pub rounding: f64,
}

/// Volume of the unit box where m . x < a, for m without negative components, ascending: slices across the first axis,
/// between the places where a corner is met. There a slice's volume is a polynomial of degree two at most, which Simpson's
/// rule integrates exactly.
fn below(m: &[f64], a: f64) -> f64 {
    let Some((first, rest)) = m.split_first() else { return f64::from(a > 0.0) };
    if rest.is_empty() {
        return (a / first).clamp(0.0, 1.0);
    }
    if *first < 1e-13 {
        return below(rest, a);
    }
    let mut cuts = [1.0; 6];
    cuts[0] = 0.0;
    for corner in 0..1usize << rest.len() {
        let sum: f64 = (0..rest.len()).filter(|k| corner >> k & 1 == 1).map(|k| rest[k]).sum();
        cuts[corner + 1] = ((a - sum) / first).clamp(0.0, 1.0);
    }
    cuts.sort_by(f64::total_cmp);
    let slice = |x: f64| below(rest, a - first * x);
    let simpson = |l: f64, r: f64| (r - l) / 6.0 * (slice(l) + 4.0 * slice(0.5 * (l + r)) + slice(r));
    cuts.windows(2).filter(|w| w[1] > w[0]).map(|w| simpson(w[0], w[1])).sum()
}

/// A plane through a cell: f is where n . x < a, x from 0 to 1 across it.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub n: [f64; 3],
    pub a: f64,
    /// Sum of the normal's absolute components before it was made one; 0 in a cell that no plane divides.
    pub size: f64,
}

impl Plane {
    /// Part of a slab that lies below.
    pub fn part(&self, dim: usize, axis: usize, start: f64, width: f64) -> f64 {
        if self.size == 0.0 {
            return self.a;
        }
        let (mut n, a) = (self.n, self.a - self.n[axis] * start);
        n[axis] *= width;
        let mut m = n.map(f64::abs);
        m[..dim].sort_by(f64::total_cmp);
        below(&m[..dim], a + n.iter().map(|n| (-n).max(0.0)).sum::<f64>())
    }

    /// The plane of a normal that leaves a share below, by bisection.
    pub fn of_share(dim: usize, normal: [f64; 3], share: f64) -> Plane {
        let size = normal.iter().map(|n| n.abs()).sum::<f64>();
        if share <= 0.0 || share >= 1.0 || size < 1e-4 {
            return Plane { n: [0.0; 3], a: share, size: 0.0 };
        }
        let n = normal.map(|n| n / size);
        let [mut low, mut high] = [-1.0, 1.0];
        for _ in 0..45 {
            let a = 0.5 * (low + high);
            let less = Plane { n, a, size }.part(dim, 0, 0.0, 1.0) < share;
            (low, high) = if less { (a, high) } else { (low, a) };
        }
        Plane { n, a: 0.5 * (low + high), size }
    }
}

/// Geometric advection: Youngs' normals, a split sweep of Weymouth and Yue.
pub struct Plic<'a> {
    pub grid: &'a Grid,
    pub open: &'a [f64],
    /// Volume through each face [cells].
    pub flow: &'a [f32],
}

/// What the three sums of a sweep round in a cell that holds so much of a fluid: half an ulp each, from `PLIC_EXACT` on.
fn sum_rounding(volume: f64) -> f64 {
    if volume <= PLIC_EXACT { 0.0 } else { 3.0 * 2f64.powf(volume.log2().floor()) * U }
}

impl Plic<'_> {
    /// Flow through one of a cell's faces, along its axis.
    fn face(&self, c: Cell, face: usize) -> f64 {
        let mut at = c;
        at[face / 2] += (face % 2) as i64;
        self.grid.read_face(self.flow, at, face / 2)
    }

    fn is_open(&self, c: Cell) -> bool {
        self.grid.inner(c).is_some_and(|c| self.open[self.grid.index(c)] > 0.5)
    }

    /// Shares of f as if the sweeps before had not squeezed the cells.
    pub fn shares(&self, v: &[f64], before: &[f64], swept: &[usize]) -> Vec<f64> {
        let share = |c: Cell| {
            let [f, g] = [0, 1].map(|k| v[2 * self.grid.index(c) + k]);
            let [was_f, was_g] = [0, 1].map(|k| before[2 * self.grid.index(c) + k]);
            let squeeze: f64 = swept.iter().map(|a| self.face(c, 2 * a + 1) - self.face(c, 2 * a)).sum();
            let f = if was_f > was_g { f + squeeze } else { f };
            let whole = f + if was_f > was_g { g } else { g + squeeze };
            if whole <= 0.0 { 0.0 } else { (f / whole).clamp(0.0, 1.0) }
        };
        self.grid.cells().map(share).collect()
    }

    /// What stands for a cell in the stencil of another: itself, or if it is a wall its mirror images in the planes of
    /// its sides, or the cell that asks.
    fn seen(&self, shares: &[f64], c: Cell, offset: Cell) -> f64 {
        let at = |offset: Cell| -> Cell { std::array::from_fn(|a| c[a] + offset[a]) };
        let mut images = vec![offset];
        if !self.is_open(at(offset)) {
            let image = |a: usize| {
                let mut image = offset;
                image[a] = 0;
                image
            };
            images = (0..self.grid.dim).filter(|a| offset[*a] != 0).map(image).collect();
        }
        images.retain(|i| self.is_open(at(*i)));
        if images.is_empty() {
            return shares[self.grid.index(c)];
        }
        images.iter().map(|i| self.grid.read(shares, at(*i))).sum::<f64>() / images.len() as f64
    }

    /// Youngs' normal: central differences, averaged over the rows beside with the weights 1, 2, 1.
    pub fn normal(&self, shares: &[f64], c: Cell) -> [f64; 3] {
        let dim = self.grid.dim;
        let mut normal = [0.0; 3];
        for (axis, n) in normal.iter_mut().enumerate().take(dim) {
            for row in 0..3usize.pow(dim as u32 - 1) {
                let mut offset = [0; 3];
                let mut digits = row;
                for other in (0..dim).filter(|a| *a != axis) {
                    offset[other] = (digits % 3) as i64 - 1;
                    digits /= 3;
                }
                let weight: f64 =
                    (0..dim).filter(|a| *a != axis).map(|a| if offset[a] == 0 { 0.5 } else { 0.25 }).product();
                let [mut up, mut down] = [offset; 2];
                (up[axis], down[axis]) = (1, -1);
                *n -= weight * 0.5 * (self.seen(shares, c, up) - self.seen(shares, c, down));
            }
        }
        normal
    }

    pub fn planes(&self, shares: &[f64]) -> Vec<Plane> {
        let plane = |(i, c): (usize, Cell)| {
            let divided = shares[i] > 0.0 && shares[i] < 1.0;
            let normal = if divided { self.normal(shares, c) } else { [0.0; 3] };
            Plane::of_share(self.grid.dim, normal, shares[i])
        };
        self.grid.cells().enumerate().map(plane).collect()
    }

    /// f and g that leave a cell through a slab of its own, and how far f32 may be off.
    fn slab(&self, plane: &Plane, axis: usize, start: f64, width: f64, there: [f64; 2]) -> [f64; 3] {
        if width == 0.0 {
            return [0.0; 3];
        }
        let cut = (width * plane.part(self.grid.dim, axis, start, width) / PLIC_Q).round() * PLIC_Q;
        let f = cut.max(width - there[1]).min(there[0].min(width));
        // The cut may round to the other side. Before that, in f32: a share rounds to 7 U, the normal to 2^dim times as
        // much at most, which turns a plane by that over its size, and with it the cut. The formulas of plane and cut
        // round some 20 times at slopes below 3.
        let bar = match plane.size {
            0.0 if plane.a <= 0.0 || plane.a >= 1.0 => 0.0,
            0.0 => PLIC_Q + 10.0 * U * width,
            size => PLIC_Q + (60.0 + 28.0 / size) * U,
        };
        [f, (width - f).min(there[1]), bar]
    }

    /// One sweep along an axis.
    pub fn sweep(&self, v: &[f64], before: &[f64], swept: &[usize], axis: usize) -> Step {
        let planes = self.planes(&self.shares(v, before, swept));
        let (mut fractions, mut bars) = (v.to_vec(), vec![0.0; v.len()]);
        for (i, c) in self.grid.cells().enumerate() {
            let mut there = [v[2 * i], v[2 * i + 1]];
            let down = (-self.face(c, 2 * axis)).max(0.0);
            let up = self.face(c, 2 * axis + 1).max(0.0);
            for (face, start, width) in [(2 * axis, 0.0, down), (2 * axis + 1, 1.0 - up, up)] {
                let [f, g, bar] = self.slab(&planes[i], axis, start, width, there);
                there = [there[0] - f, there[1] - g];
                let other = self.grid.inner(self.grid.neighbor(c, face)).map(|c| self.grid.index(c));
                for (cell, sign) in [(Some(i), -1.0), (other, 1.0)] {
                    let Some(cell) = cell.filter(|_| width > 0.0) else { continue };
                    for (k, moved) in [f, g].into_iter().enumerate() {
                        fractions[2 * cell + k] += sign * moved;
                        bars[2 * cell + k] += bar;
                    }
                }
            }
        }
        let mut rounding = 0.0;
        for (bar, most) in bars.iter_mut().zip(fractions.iter().zip(v).map(|(a, b)| a.max(*b))) {
            *bar += sum_rounding(most);
            rounding += sum_rounding(most);
        }
        Step { fractions, bars, rounding }
    }

    /// A step: one sweep along each axis, the first axis that of the step's number.
    pub fn step(&self, v: &[f64], number: usize) -> Vec<f64> {
        let axes: Vec<usize> = (0..self.grid.dim).map(|k| (number + k) % self.grid.dim).collect();
        let sweep = |at: Vec<f64>, k: usize| self.sweep(&at, v, &axes[..k], axes[k]).fractions;
        (0..axes.len()).fold(v.to_vec(), sweep)
    }
}

/// Farthest moves down and up each axis that end in open cells: the box that grows by a layer to each side in turn.
pub fn reach(grid: &Grid, open: &[f64], c: Cell, limit: i64) -> [Cell; 2] {
    let free = |low: &Cell, high: &Cell| {
        let inside = |o: &Cell| (0..grid.dim).all(|a| (low[a]..=high[a]).contains(&(o[a] - c[a])));
        let cells = (0..grid.dim).map(|a| high[a] - low[a] + 1).product::<i64>();
        grid.cells().filter(|o| inside(o) && open[grid.index(*o)] > 0.5).count() as i64 == cells
    };
    let mut reach = [[0; 3]; 2];
    for _ in 0..limit {
        for (axis, side) in (0..grid.dim).flat_map(|a| [(a, 0), (a, 1)]) {
            let mut wider = reach;
            wider[side][axis] += [-1, 1][side];
            if free(&wider[0], &wider[1]) {
                reach = wider;
            }
        }
    }
    reach
}

/// The article's advection: each fluid of a cell moves by the flow and its own pull and is shared out to the cells around.
pub struct Spread<'a> {
    pub grid: &'a Grid,
    pub velocity: &'a [f32],
    pub dt: f64,
    /// Slopes of the blurred shares of f and g.
    pub pulls: [&'a [f64]; 2],
    pub compression: f64,
    pub reach: &'a [[Cell; 2]],
}

impl Spread<'_> {
    /// Where a fluid of a cell arrives [cells].
    fn place(&self, i: usize, c: Cell, fluid: usize) -> [f64; 3] {
        let Grid { dim, h, .. } = *self.grid;
        std::array::from_fn(|a| {
            if a >= dim {
                return 0.0;
            }
            let [mut below, mut above] = [c; 2];
            (below[a], above[a]) = (c[a], c[a] + 1);
            let speed = [below, above].map(|c| self.grid.read_face(self.velocity, c, a)).iter().sum::<f64>() / 2.0;
            let moved = speed * self.dt / h + self.compression * h * self.pulls[fluid][dim * i + a];
            c[a] as f64 + moved.clamp(self.reach[i][0][a] as f64, self.reach[i][1][a] as f64)
        })
    }

    pub fn step(&self, v: &[f64]) -> Step {
        let dim = self.grid.dim;
        let largest = self.grid.n.iter().max().map_or(0.0, |n| *n as f64);
        let (mut fractions, mut bars) = (vec![0.0; v.len()], vec![0.0; v.len()]);
        for (i, c) in self.grid.cells().enumerate() {
            for fluid in 0..2 {
                let (amount, place) = (v[2 * i + fluid], self.place(i, c, fluid));
                let nearest: Cell = std::array::from_fn(|a| (place[a] + 0.5).floor() as i64);
                let mut left = amount;
                for corner in 0..1usize << dim {
                    let upper = |a: usize| a < dim && corner >> a & 1 == 1;
                    let part = |a: usize| place[a] - place[a].floor();
                    let weight: f64 = (0..dim).map(|a| if upper(a) { part(a) } else { 1.0 - part(a) }).product();
                    let to: Cell = std::array::from_fn(|a| place[a].floor() as i64 + i64::from(upper(a)));
                    if to != nearest && weight > 0.0 {
                        let share = (amount * weight / Q).floor() * Q;
                        left -= share;
                        fractions[2 * self.grid.index(self.grid.inner(to).unwrap()) + fluid] += share;
                    }
                }
                fractions[2 * self.grid.index(self.grid.inner(nearest).unwrap()) + fluid] += left;
                // A place of up to `largest` cells rounds twice, what is added to it (a few cells) some eight times.
                // Its floor and its nearest cell may be others then, by no more than that; all lie around.
                let off = dim as f64 * (2.0 * largest + 40.0) * U * amount + 3.0 * Q;
                for around in 0..3usize.pow(dim as u32) {
                    let step = |a: usize| if a < dim { (around / 3usize.pow(a as u32) % 3) as i64 - 1 } else { 0 };
                    let to = self.grid.inner(std::array::from_fn(|a| nearest[a] + step(a)));
                    to.into_iter().for_each(|to| bars[2 * self.grid.index(to) + fluid] += off);
                }
            }
        }
        Step { fractions, bars, rounding: 0.0 }
    }
}

/// Fractions of a band that repeats with the box: lower ends of x (or of x + y) in cells, a shift, wholes of quanta.
pub fn band(grid: &Grid, normal: [f64; 2], ends: [f64; 2], shift: f64) -> Vec<f64> {
    let n = grid.n[0] as f64;
    let sum: f64 = normal.iter().sum();
    let less = |c: [i64; 3], end: f64| {
        let at = normal[0] * c[0] as f64 + normal[1] * c[1] as f64;
        let plane = |image: i64| Plane {
            n: [normal[0] / sum, normal[1] / sum, 0.0],
            a: (end + shift + image as f64 * n - at) / sum,
            size: 1.0,
        };
        (-3..=3).map(|image| plane(image).part(2, 0, 0.0, 1.0)).sum::<f64>()
    };
    let fraction = |c| {
        let f = ((less(c, ends[1]) - less(c, ends[0])) / PLIC_Q).round() * PLIC_Q;
        [f, 1.0 - f]
    };
    grid.cells().flat_map(fraction).collect()
}
