//! The methods of the stages in f64 on the CPU, written from their equations.

pub use stagewright_language::stage::types::EdgeRule;

pub type Cell = [i64; 3];

/// A box of cubic cells; z has one in 2D.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub n: [i64; 3],
    pub dim: usize,
    pub h: f64,
    pub edge: EdgeRule,
}

impl Grid {
    pub fn new(resolution: &[usize], width: f64, edge: EdgeRule) -> Grid {
        let mut n = [1; 3];
        n.iter_mut().zip(resolution).for_each(|(n, r)| *n = *r as i64);
        Grid { n, dim: resolution.len(), h: width / n[0] as f64, edge }
    }

    /// `45, 23`
    pub fn resolution(&self) -> String {
        self.n[..self.dim].iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
    }

    pub fn cell_count(&self) -> usize {
        self.n.iter().product::<i64>() as usize
    }

    pub fn faces(&self) -> usize {
        2 * self.dim
    }

    /// Every cell in memory's order, x fastest.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let n = self.n;
        (0..n.iter().product::<i64>()).map(move |i| [i % n[0], i / n[0] % n[1], i / (n[0] * n[1])])
    }

    pub fn index(&self, c: Cell) -> usize {
        ((c[2] * self.n[1] + c[1]) * self.n[0] + c[0]) as usize
    }

    /// Centre of a cell \[m\]; zero along axes that the grid does not have.
    pub fn position(&self, c: Cell) -> [f64; 3] {
        std::array::from_fn(|a| if a < self.dim { (c[a] as f64 + 0.5) * self.h } else { 0.0 })
    }

    /// A field from its value at every cell centre.
    pub fn fill(&self, value: impl Fn([f64; 3]) -> f64) -> Vec<f64> {
        self.cells().map(|c| value(self.position(c))).collect()
    }

    /// The cell that answers for one that may lie outside; `None` where zero does.
    pub fn inner(&self, c: Cell) -> Option<Cell> {
        let mut inner = c;
        for (x, n) in inner.iter_mut().zip(self.n) {
            *x = match self.edge {
                EdgeRule::Wall | EdgeRule::Clamp | EdgeRule::Open | EdgeRule::Inflow => (*x).clamp(0, n - 1),
                EdgeRule::Zero if !(0..n).contains(x) => return None,
                EdgeRule::Zero => *x,
                EdgeRule::Wrap => x.rem_euclid(n),
                // ..., 1, 0 | 0, 1, ..., n - 1 | n - 1, ...
                EdgeRule::Mirror => x.rem_euclid(2 * n).min(2 * n - 1 - x.rem_euclid(2 * n)),
            };
        }
        Some(inner)
    }

    pub fn read(&self, field: &[f64], c: Cell) -> f64 {
        self.inner(c).map_or(0.0, |c| field[self.index(c)])
    }

    /// A component of a vector field: walls turn the one through them round.
    pub fn read_component(&self, field: &[f64], c: Cell, axis: usize) -> f64 {
        let outside = !(0..self.n[axis]).contains(&c[axis]);
        let value = self.read(field, c);
        if self.edge == EdgeRule::Wall && outside { -value } else { value }
    }

    /// The grid of the faces in memory: one layer more along each axis.
    pub fn layered(&self) -> Grid {
        let n = std::array::from_fn(|a| if a < self.dim { self.n[a] + 1 } else { 1 });
        Grid { n, ..*self }
    }

    /// The face below a cell: along its own axis there is one more than there are cells, and the border's own is the
    /// mirror.
    pub fn read_face(&self, faces: &[f32], mut c: Cell, axis: usize) -> f64 {
        let n = self.n[axis];
        match self.edge {
            EdgeRule::Wall | EdgeRule::Clamp | EdgeRule::Open | EdgeRule::Inflow => c[axis] = c[axis].clamp(0, n),
            EdgeRule::Zero if !(0..=n).contains(&c[axis]) => return 0.0,
            EdgeRule::Zero => {}
            EdgeRule::Wrap => c[axis] = c[axis].rem_euclid(n),
            EdgeRule::Mirror => c[axis] = c[axis].rem_euclid(2 * n).min(2 * n - c[axis].rem_euclid(2 * n)),
        }
        let mut across = c;
        across[axis] = 0;
        let Some(mut inner) = self.inner(across) else { return 0.0 };
        inner[axis] = c[axis];
        f64::from(faces[self.layered().index(inner) * self.dim + axis])
    }

    /// Linear interpolation of `read` at a position \[m\].
    pub fn sample(&self, at: [f64; 3], read: impl Fn(Cell) -> f64) -> f64 {
        let q: [f64; 3] = std::array::from_fn(|a| if a < self.dim { at[a] / self.h - 0.5 } else { 0.0 });
        blend(self.dim, q, read)
    }

    pub fn neighbor(&self, mut c: Cell, face: usize) -> Cell {
        c[face / 2] += if face % 2 == 1 { 1 } else { -1 };
        c
    }

    pub fn neighbor_sum(&self, field: &[f64], c: Cell) -> f64 {
        (0..self.faces()).map(|face| self.read(field, self.neighbor(c, face))).sum()
    }
}

/// Linear interpolation between the 2^dim cells around a coordinate in cells.
pub fn blend(dim: usize, q: [f64; 3], read: impl Fn(Cell) -> f64) -> f64 {
    let mut sum = 0.0;
    for corner in 0..1usize << dim {
        let bit = |a: usize| (corner >> a & 1) as i64;
        let weight: f64 =
            (0..dim).map(|a| if bit(a) == 1 { q[a] - q[a].floor() } else { 1.0 - q[a] + q[a].floor() }).product();
        sum += weight * read(std::array::from_fn(|a| if a < dim { q[a].floor() as i64 + bit(a) } else { 0 }));
    }
    sum
}

/// Relaxes one cell of lap(p) = rhs.
fn relaxed(grid: &Grid, p: &[f64], rhs: &[f64], c: Cell, relaxation: f64) -> f64 {
    let i = grid.index(c);
    let swept = (grid.neighbor_sum(p, c) - rhs[i] * grid.h * grid.h) / grid.faces() as f64;
    p[i] + relaxation * (swept - p[i])
}

/// A Jacobi sweep of lap(p) = rhs.
pub fn jacobi(grid: &Grid, p: &mut Vec<f64>, rhs: &[f64], relaxation: f64) {
    *p = grid.cells().map(|c| relaxed(grid, p, rhs, c, relaxation)).collect();
}

/// A red-black successive over-relaxation sweep of lap(p) = rhs, red cells (even sum of indices) first.
pub fn sor(grid: &Grid, p: &mut [f64], rhs: &[f64], relaxation: f64) {
    for color in 0..2 {
        for c in grid.cells().filter(|c| c.iter().sum::<i64>() % 2 == color) {
            p[grid.index(c)] = relaxed(grid, p, rhs, c, relaxation);
        }
    }
}

/// A velocity at positions, and how points are traced along it: 1 one Euler step, 2 midpoint.
pub struct Flow<'a> {
    pub velocity: &'a dyn Fn([f64; 3]) -> [f64; 3],
    pub order: u32,
}

impl Flow<'_> {
    fn traced(&self, at: [f64; 3], dt: f64) -> [f64; 3] {
        let step = |dt: f64, v: [f64; 3]| std::array::from_fn(|a| at[a] + dt * v[a]);
        let start = (self.velocity)(at);
        if self.order == 1 { step(dt, start) } else { step(dt, (self.velocity)(step(0.5 * dt, start))) }
    }
}

/// A field carried along a flow, semi-Lagrangian (Stam 1999).
pub fn advect(grid: &Grid, field: &[f64], dt: f64, flow: &Flow<'_>) -> Vec<f64> {
    grid.cells().map(|c| grid.sample(flow.traced(grid.position(c), -dt), |c| grid.read(field, c))).collect()
}

/// Advection with MacCormack's correction (Selle et al. 2008), kept between the cells that `advect` read if `limited`.
pub fn maccormack(grid: &Grid, field: &[f64], dt: f64, flow: &Flow<'_>, limited: bool) -> Vec<f64> {
    let forward = advect(grid, field, dt, flow);
    let returned = advect(grid, &forward, -dt, flow);
    let corrected = |i: usize| forward[i] + 0.5 * (field[i] - returned[i]);
    let kept = |(i, c): (usize, Cell)| {
        let (low, high) = extremes(grid, field, flow.traced(grid.position(c), -dt));
        if limited { corrected(i).clamp(low, high) } else { corrected(i) }
    };
    grid.cells().enumerate().map(kept).collect()
}

/// Least and greatest of the cells around a position.
fn extremes(grid: &Grid, field: &[f64], at: [f64; 3]) -> (f64, f64) {
    let lowest: Cell = std::array::from_fn(|a| if a < grid.dim { (at[a] / grid.h - 0.5).floor() as i64 } else { 0 });
    let corners = (0..1usize << grid.dim).map(|k| {
        grid.read(field, std::array::from_fn(|a| lowest[a] + if a < grid.dim { (k >> a & 1) as i64 } else { 0 }))
    });
    corners.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}
