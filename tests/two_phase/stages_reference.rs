//! The stages of the oil clock in f64, from their equations, with what rounding to f32 may do to each number.

use std::ops::{Add, Div, Mul, Sub};

use stagewright_solver_support::harness::U;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid, blend};

use super::advection_reference::Q;

/// A number and how far f32 may be from it: running error analysis (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2002, section 3.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct Near {
    pub v: f64,
    pub bar: f64,
}

impl Near {
    /// What f32 holds exactly.
    pub fn exact(v: f64) -> Near {
        Near { v, bar: 0.0 }
    }

    /// A constant of the graph, once rounded.
    pub fn real(v: f64) -> Near {
        Near { v, bar: U * v.abs() }
    }

    fn rounded(v: f64, bar: f64, times: f64) -> Near {
        Near { v, bar: bar + times * U * (v.abs() + bar) }
    }

    /// A sum in any order.
    pub fn sum(terms: impl IntoIterator<Item = Near>) -> Near {
        let mut v = 0.0;
        let mut size = 0.0;
        let mut bar = 0.0;
        let mut count = 0.0;
        for t in terms {
            (v, size, bar, count) = (v + t.v, size + t.v.abs() + t.bar, bar + t.bar, count + 1.0);
        }
        Near { v, bar: bar + count * U * size }
    }

    /// (1 - t) a + t b, or a + t (b - a).
    pub fn mix(a: Near, b: Near, t: f64) -> Near {
        let size = a.v.abs() + a.bar + b.v.abs() + b.bar;
        let bar = (1.0 - t).abs() * a.bar + t.abs() * b.bar;
        Near { v: a.v + t * (b.v - a.v), bar: bar + 3.0 * U * (t.abs() + (1.0 - t).abs()) * size }
    }
}

impl Add for Near {
    type Output = Near;
    fn add(self, o: Near) -> Near {
        Near::rounded(self.v + o.v, self.bar + o.bar, 1.0)
    }
}

impl Sub for Near {
    type Output = Near;
    fn sub(self, o: Near) -> Near {
        Near::rounded(self.v - o.v, self.bar + o.bar, 1.0)
    }
}

impl Mul for Near {
    type Output = Near;
    fn mul(self, o: Near) -> Near {
        let bar = self.v.abs() * o.bar + o.v.abs() * self.bar + self.bar * o.bar;
        Near::rounded(self.v * o.v, bar, 1.0)
    }
}

impl Div for Near {
    type Output = Near;
    fn div(self, o: Near) -> Near {
        let v = self.v / o.v;
        Near::rounded(v, (self.bar + v.abs() * o.bar) / (o.v.abs() - o.bar), 5.0)
    }
}

/// A domain with walls in it, and the steps of the oil clock there. Fields are as `Simulation::read` gives them.
#[derive(Clone, Copy)]
pub struct Vessel<'a> {
    pub grid: &'a Grid,
    pub open: &'a [f64],
}

type Faces = Vec<Option<Near>>;

impl Vessel<'_> {
    fn dim(&self) -> usize {
        self.grid.dim
    }

    pub fn h(&self) -> Near {
        Near::real(self.grid.h)
    }

    /// The number of a cell, by the domain's rule outside.
    fn number(&self, field: &[f64], c: Cell) -> Near {
        Near::exact(self.grid.read(field, c))
    }

    /// A component of a field of `n` a cell, without a sign that turns.
    fn part(&self, field: &[f64], n: usize, c: Cell, k: usize) -> Near {
        Near::exact(self.grid.inner(c).map_or(0.0, |c| field[n * self.grid.index(c) + k]))
    }

    /// A component of a vector field; walls turn the one through them round.
    fn vector(&self, field: &[f64], c: Cell, axis: usize) -> Near {
        let turned = self.grid.edge == EdgeRule::Wall && !(0..self.grid.n[axis]).contains(&c[axis]);
        let value = self.part(field, self.dim(), c, axis);
        if turned { Near { v: -value.v, ..value } } else { value }
    }

    pub fn below(&self, mut c: Cell, axis: usize) -> Cell {
        c[axis] -= 1;
        c
    }

    fn is_open(&self, c: Cell) -> bool {
        self.grid.read(self.open, c) > 0.5
    }

    /// Whether the lower face of a cell along an axis is a border that nothing passes.
    pub fn border(&self, c: Cell, axis: usize) -> bool {
        let walled = matches!(self.grid.edge, EdgeRule::Wall | EdgeRule::Clamp | EdgeRule::Mirror);
        walled && (c[axis] <= 0 || c[axis] >= self.grid.n[axis])
    }

    pub fn face_is_open(&self, c: Cell, axis: usize) -> bool {
        !self.border(c, axis) && self.is_open(c) && self.is_open(self.below(c, axis))
    }

    /// Every place of a `FaceGrid` in memory, `None` where there is no face. The last around a periodic side is the first.
    pub fn faces(&self, value: impl Fn(Cell, usize) -> Near) -> Faces {
        let (n, dim) = (self.grid.n, self.dim());
        let inside = |c: Cell, axis: usize| (0..dim).all(|b| c[b] < n[b] || b == axis);
        let first = |c: Cell, axis: usize| match self.grid.edge {
            EdgeRule::Wrap => std::array::from_fn(|b| if b == axis { c[b] % n[b] } else { c[b] }),
            _ => c,
        };
        let at = |c| (0..dim).map(move |axis| (c, axis));
        self.grid.layered().cells().flat_map(at).map(|(c, a)| inside(c, a).then(|| value(first(c, a), a))).collect()
    }

    /// The face of a cell, 0..2 dim, among faces as they lie in memory.
    fn face(&self, faces: &[f32], c: Cell, face: usize) -> Near {
        let mut c = c;
        c[face / 2] += (face % 2) as i64;
        Near::exact(self.grid.read_face(faces, c, face / 2))
    }

    pub fn cells(&self, value: impl Fn(Cell) -> Near) -> Vec<Near> {
        self.grid.cells().map(value).collect()
    }

    fn numbers(&self, n: usize, value: impl Fn(Cell, usize) -> Near) -> Vec<Near> {
        self.grid.cells().flat_map(|c| (0..n).map(move |k| (c, k))).map(|(c, k)| value(c, k)).collect()
    }

    /// V'_k = V_k / (V_f + V_g); walls and empty cells are wetted.
    pub fn normalize(&self, v: &[f64], wetting: f64) -> Vec<Near> {
        self.numbers(2, |c, k| {
            let sum = self.part(v, 2, c, 0) + self.part(v, 2, c, 1);
            match self.is_open(c) && sum.v > 0.0 {
                true => self.part(v, 2, c, k) / sum,
                false => [Near::real(wetting), Near::exact(1.0) - Near::real(wetting)][k],
            }
        })
    }

    /// V_f a + V_g b for each of n components.
    pub fn shared(&self, shares: &[f64], n: usize, of: impl Fn(usize, Cell, usize) -> Near) -> Vec<Near> {
        self.numbers(n, |c, k| Near::sum((0..2).map(|fluid| self.part(shares, 2, c, fluid) * of(fluid, c, k))))
    }

    /// w = 2 / (m_a + m_b) on open faces.
    pub fn face_weight(&self, mass: &[f64]) -> Faces {
        self.faces(|c, axis| match self.face_is_open(c, axis) {
            true => Near::exact(2.0) / (self.number(mass, c) + self.number(mass, self.below(c, axis))),
            false => Near::default(),
        })
    }

    /// Central differences of one of two fluids' blurred shares.
    pub fn attraction(&self, blurred: &[f64], fluid: usize) -> Vec<Near> {
        self.numbers(self.dim(), |c, axis| {
            let [up, down] = [1, 0].map(|side| self.part(blurred, 2, self.grid.neighbor(c, 2 * axis + side), fluid));
            (up - down) / (Near::exact(2.0) * self.h())
        })
    }

    /// u + dt (a_below + a) / 2 on open faces.
    pub fn accelerate(&self, u: &[f32], a: &[f64], dt: f64) -> Faces {
        self.faces(|c, axis| match self.face_is_open(c, axis) {
            true => {
                let both = self.vector(a, c, axis) + self.vector(a, self.below(c, axis), axis);
                self.face(u, c, 2 * axis) + Near::exact(dt) * Near::exact(0.5) * both
            }
            false => Near::default(),
        })
    }

    /// What was done to a flow at cell centres, half to each of a cell's faces.
    pub fn changed(&self, u: &[f32], [before, after]: [&[f64]; 2]) -> Faces {
        let change = |c, axis| self.vector(after, c, axis) - self.vector(before, c, axis);
        self.faces(|c, axis| match self.face_is_open(c, axis) {
            true => {
                let both = change(c, axis) + change(self.below(c, axis), axis);
                self.face(u, c, 2 * axis) + Near::exact(0.5) * both
            }
            false => Near::default(),
        })
    }

    /// A step in a frame that turns about `center`: Coriolis turns the flow by 2 atan(W dt), W of the step's middle, and
    /// -W' x r + W^2 r pushes it.
    pub fn turned(&self, u: &[f32], [rate, change]: [f64; 2], center: [f64; 3], dt: f64) -> Faces {
        let rate = Near::real(rate);
        let change = Near::real(change);
        let dt = Near::exact(dt);
        let middle = rate - Near::exact(0.5) * dt * change;
        let t = middle * dt;
        let one = Near::exact(1.0);
        let (cosine, sine) = ((one - t * t) / (one + t * t), Near::exact(2.0) * t / (one + t * t));
        self.faces(|c, axis| {
            let along = self.face(u, c, 2 * axis);
            if !self.face_is_open(c, axis) || axis == 2 {
                return if axis == 2 && self.face_is_open(c, axis) { along } else { Near::default() };
            }
            let other = 1 - axis;
            let sides = [c, self.below(c, axis)].map(|c| [0, 1].map(|side| self.face(u, c, 2 * other + side)));
            let across = Near::exact(0.25) * Near::sum(sides.into_iter().flatten());
            let away = |a: usize| {
                let cells = c[a] as f64 + if a == axis { 0.0 } else { 0.5 };
                Near::exact(cells) * self.h() - Near::real(center[a])
            };
            let hand = Near::exact(if axis == 0 { 1.0 } else { -1.0 });
            let push = hand * change * away(other) + middle * middle * away(axis);
            cosine * along + hand * sine * across + dt * push
        })
    }

    /// A sweep of T = (T_old + sum(a T_next)) / (1 + sum(a)), cells of an even sum of indices first. `walls` has the
    /// temperature of each wall and 1 where it conducts; `d` are the diffusivities of f and g.
    pub fn conducted(&self, [before, now]: [&[f64]; 2], shares: &[f64], walls: [&[f64]; 2], d: [f64; 2]) -> Vec<Near> {
        let dt = Near::exact(f64::from((1.0f64 / super::stages::FPS) as f32));
        let mut t: Vec<Near> = now.iter().map(|t| Near::exact(*t)).collect();
        let diffusivity = |c| Near::sum([0, 1].map(|k| self.part(shares, 2, c, k) * Near::real(d[k])));
        for color in 0..2 {
            for c in self.grid.cells().filter(|c| c.iter().sum::<i64>() % 2 == color) {
                let i = self.grid.index(c);
                if !self.is_open(c) {
                    t[i] = Near::mix(self.number(before, c), self.number(walls[0], c), walls[1][i]);
                    continue;
                }
                let (mut sum, mut total) = (self.number(before, c) - t[i], Near::exact(1.0));
                for face in 0..self.grid.faces() {
                    let mut upper = c;
                    upper[face / 2] += (face % 2) as i64;
                    if self.border(upper, face / 2) {
                        continue;
                    }
                    let next = self.grid.neighbor(c, face);
                    let (d, there) = match (self.is_open(next), self.grid.inner(next)) {
                        (true, Some(inner)) => {
                            let [a, b] = [diffusivity(c), diffusivity(next)];
                            (Near::exact(2.0) * a * b / (a + b), t[self.grid.index(inner)])
                        }
                        _ => (
                            Near::exact(2.0) * self.number(walls[1], next) * diffusivity(c),
                            self.number(walls[0], next),
                        ),
                    };
                    let a = dt * d / (self.h() * self.h());
                    (sum, total) = (sum + a * (there - t[i]), total + a);
                }
                t[i] = t[i] + sum / total;
            }
        }
        t
    }

    /// u + w (p_below - p) / h where the face gives way.
    pub fn project(&self, u: &[f32], p: &[f64], w: &[f32]) -> Faces {
        self.faces(|c, axis| match self.face(w, c, 2 * axis) {
            w if w.v > 0.0 => {
                let push = w * (self.number(p, self.below(c, axis)) - self.number(p, c)) / self.h();
                self.face(u, c, 2 * axis) + push
            }
            _ => Near::default(),
        })
    }

    /// 1 - V_f - V_g in open cells.
    pub fn shortfall(&self, v: &[f64]) -> Vec<Near> {
        self.cells(|c| match self.is_open(c) {
            true => Near::exact(1.0) - self.part(v, 2, c, 0) - self.part(v, 2, c, 1),
            false => Near::default(),
        })
    }

    /// div(u) - div(w grad p) where any face gives way.
    pub fn residual(&self, d: &[f64], w: &[f32], p: &[f64]) -> Vec<Near> {
        self.cells(|c| {
            let through = |f| self.face(w, c, f) * (self.number(p, self.grid.neighbor(c, f)) - self.number(p, c));
            match (0..self.grid.faces()).any(|f| self.face(w, c, f).v > 0.0) {
                true => self.number(d, c) - Near::sum((0..self.grid.faces()).map(through)) / (self.h() * self.h()),
                false => Near::default(),
            }
        })
    }

    /// A divergence without its mean over each closed part of the fluid, as numbers that f32 holds.
    pub fn balanced(&self, w: &[f32], d: &[f64]) -> Vec<f64> {
        let (mut balanced, mut seen) = (d.to_vec(), vec![false; d.len()]);
        for first in self.grid.cells() {
            let (mut part, mut closed) = (vec![first], true);
            if std::mem::replace(&mut seen[self.grid.index(first)], true) {
                continue;
            }
            let mut next = 0;
            while next < part.len() {
                let c = part[next];
                next += 1;
                for f in (0..self.grid.faces()).filter(|f| self.face(w, c, *f).v > 0.0) {
                    match self.grid.inner(self.grid.neighbor(c, f)) {
                        Some(other) if std::mem::replace(&mut seen[self.grid.index(other)], true) => {}
                        Some(other) => part.push(other),
                        None => closed = false,
                    }
                }
            }
            let mean = part.iter().map(|c| d[self.grid.index(*c)]).sum::<f64>() / part.len() as f64;
            for c in part.into_iter().filter(|_| closed) {
                balanced[self.grid.index(c)] = f64::from((d[self.grid.index(c)] - mean) as f32);
            }
        }
        balanced
    }

    /// The pressure of a cell from those around it; 0 where all is wall.
    fn relaxed(&self, p: &[Near], d: &[f64], w: &[f32], c: Cell, relaxation: f64) -> Near {
        let faces = 0..self.grid.faces();
        let around = |f| self.grid.inner(self.grid.neighbor(c, f)).map_or(Near::default(), |c| p[self.grid.index(c)]);
        let outflow = Near::exact(-1.0) * self.number(d, c) * self.h() * self.h();
        let sum = Near::sum(faces.clone().map(|f| self.face(w, c, f) * around(f)).chain([outflow]));
        let total = Near::sum(faces.map(|f| self.face(w, c, f)));
        match total.v > 0.0 {
            true => Near::mix(p[self.grid.index(c)], sum / total, relaxation),
            false => Near::default(),
        }
    }

    pub fn jacobi(&self, p: &[f64], d: &[f64], w: &[f32], relaxation: f64) -> Vec<Near> {
        let p: Vec<Near> = p.iter().map(|p| Near::exact(*p)).collect();
        self.cells(|c| self.relaxed(&p, d, w, c, relaxation))
    }

    /// Cells of an even sum of indices, then the others.
    pub fn sor(&self, p: &[f64], d: &[f64], w: &[f32], relaxation: f64) -> Vec<Near> {
        let mut p: Vec<Near> = p.iter().map(|p| Near::exact(*p)).collect();
        for color in 0..2 {
            for c in self.grid.cells().filter(|c| c.iter().sum::<i64>() % 2 == color) {
                p[self.grid.index(c)] = self.relaxed(&p, d, w, c, relaxation);
            }
        }
        p
    }

    /// Where a face lies in memory; `None` where zero stands for it.
    fn face_index(&self, mut c: Cell, axis: usize) -> Option<usize> {
        let mut across = c;
        across[axis] = 0;
        let n = self.grid.n[axis];
        c[axis] = match self.grid.edge {
            EdgeRule::Wrap => c[axis].rem_euclid(n),
            EdgeRule::Zero if !(0..=n).contains(&c[axis]) => return None,
            _ => c[axis].clamp(0, n),
        };
        let mut inner = self.grid.inner(across)?;
        inner[axis] = c[axis];
        Some(self.grid.layered().index(inner) * self.dim() + axis)
    }

    /// A Gauss-Seidel sweep of u - a lap(u) = u_old, faces of an even sum of indices first. Nothing moves in walls, and
    /// what flows along them sticks to them.
    pub fn diffuse(&self, before: &[f32], u: &[f32], a: Near) -> Faces {
        let mut now: Vec<Near> = u.iter().map(|u| Near::exact(f64::from(*u))).collect();
        for color in 0..2 {
            let swept = self.faces(|c, axis| {
                if !self.face_is_open(c, axis) {
                    return Near::default();
                }
                let around: Vec<(Near, f64)> = (0..self.grid.faces())
                    .map(|f| {
                        let (mut border, next) = (c, self.grid.neighbor(c, f));
                        border[f / 2] += (f % 2) as i64;
                        let hidden = f / 2 != axis && !self.is_open(next) && !self.is_open(self.below(next, axis));
                        match self.face_index(next, axis) {
                            // A wall along the face is half a cell away.
                            _ if self.border(border, f / 2) => (Near::default(), if f / 2 == axis { 1.0 } else { 2.0 }),
                            _ if hidden => (Near::default(), 2.0),
                            place => (place.map_or(Near::default(), |i| now[i]), 1.0),
                        }
                    })
                    .collect();
                let old = self.face(before, c, 2 * axis);
                let weights = Near::sum(around.iter().map(|(_, w)| a * Near::exact(*w)));
                let here = self.face_index(c, axis).map_or(Near::default(), |i| now[i]);
                let change = around.iter().map(|(v, w)| a * Near::exact(*w) * (*v - here)).chain([old - here]);
                here + Near::sum(change) / (Near::exact(1.0) + weights)
            });
            for (i, c) in self.grid.layered().cells().enumerate() {
                let places = (i * self.dim()..(i + 1) * self.dim()).filter(|_| c.iter().sum::<i64>() % 2 == color);
                places.for_each(|k| now[k] = swept[k].unwrap_or(now[k]));
            }
        }
        self.faces(|c, axis| now[self.grid.layered().index(c) * self.dim() + axis])
    }

    /// The flow at a place in cells.
    fn velocity_at(&self, u: &[f32], at: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let q = std::array::from_fn(|b| match b {
                b if b >= self.dim() => 0.0,
                b if b == axis => at[b],
                b => at[b] - 0.5,
            });
            if axis < self.dim() { blend(self.dim(), q, |c| self.grid.read_face(u, c, axis)) } else { 0.0 }
        })
    }

    /// u(x - dt u(x - dt u / 2)) on open faces.
    pub fn advect(&self, u: &[f32], dt: f64) -> Faces {
        let (dim, cells) = (self.dim() as f64, *self.grid.n.iter().max().unwrap() as f64);
        let fastest = u.iter().fold(0.0, |m, u| u.abs().max(m)) as f64;
        let per_cell = dt / self.grid.h;
        // A coordinate rounds ten times; the flow changes by twice the fastest a cell along each axis, and its blend rounds
        // once a corner and twice an axis.
        let place = 10.0 * U * (cells + per_cell * fastest + 2.0);
        let sampled = |off: f64| 2.0 * dim * fastest * off + (2f64.powf(dim) + 2.0 * dim) * U * fastest;
        let end = place + per_cell * sampled(place + 0.5 * per_cell * sampled(place));
        // A path of several cells that ends at a wall is off by as much along it as across: it goes half a cell toward the wall at least.
        let bar = sampled(end * (1.0 + 2.0 * dim * per_cell * fastest));
        self.faces(|c, axis| {
            if !self.face_is_open(c, axis) {
                return Near::default();
            }
            let here: [f64; 3] = std::array::from_fn(|b| c[b] as f64 + if b == axis { 0.0 } else { 0.5 });
            let moved = |v: [f64; 3], part: f64| std::array::from_fn(|b| here[b] - part * per_cell * v[b]);
            let half_way = moved(self.velocity_at(u, here), 0.5);
            let end = self.before_walls(c, axis, here, moved(self.velocity_at(u, half_way), 1.0));
            Near { v: self.velocity_at(u, end)[axis], bar }
        })
    }

    /// Where a way from a face meets the first wall, in cells; its end if there is none.
    fn before_walls(&self, c: Cell, axis: usize, start: [f64; 3], end: [f64; 3]) -> [f64; 3] {
        let way: [f64; 3] = std::array::from_fn(|b| end[b] - start[b]);
        let planes = |b: usize| {
            let first = if b == axis { 1.0 } else { 0.5 };
            (0..).map(move |k| ((first + f64::from(k)) / way[b].abs(), b)).take_while(|(part, _)| *part < 1.0)
        };
        let mut crossed: Vec<(f64, usize)> = (0..self.dim()).flat_map(planes).collect();
        crossed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut here = if way[axis] < 0.0 { self.below(c, axis) } else { c };
        for (part, b) in crossed {
            here[b] += if way[b] > 0.0 { 1 } else { -1 };
            if !self.is_open(here) {
                return std::array::from_fn(|b| start[b] + part * way[b]);
            }
        }
        end
    }

    /// What each cell passes on: its fluids in their ratio, as much as the pressures say but no more than all.
    pub fn exchange(&self, p: &[f64], w: &[f32], v: &[f64]) -> Vec<Near> {
        let faces = self.grid.faces();
        let mut after: Vec<Near> = v.iter().map(|v| Near::exact(*v)).collect();
        for c in self.grid.cells() {
            let out: Vec<Near> = (0..faces)
                .map(|f| {
                    let drop = self.number(p, c) - self.number(p, self.grid.neighbor(c, f));
                    self.face(w, c, f) * drop / (self.h() * self.h())
                })
                .map(|flow| Near { v: flow.v.max(0.0), ..flow })
                .collect();
            let has = self.part(v, 2, c, 0) + self.part(v, 2, c, 1);
            let wanted = Near::sum(out.iter().copied());
            let limit = if wanted.v > has.v { wanted } else { has };
            for (f, out) in out.into_iter().enumerate().filter(|(_, out)| out.v > 0.0 && has.v > 0.0) {
                let to = self.grid.index(self.grid.inner(self.grid.neighbor(c, f)).unwrap());
                for k in 0..2 {
                    let share = self.part(v, 2, c, k) * out / limit;
                    let whole = (share.v / Q).floor() * Q;
                    // The last quantum is a matter of rounding, and so are the two millionths that who gives all keeps.
                    let bar = share.bar + 2e-6 * share.v + Q;
                    for (cell, sign) in [(self.grid.index(c), -1.0), (to, 1.0)] {
                        after[2 * cell + k].v += sign * whole;
                        after[2 * cell + k].bar += bar;
                    }
                }
            }
        }
        after
    }

    /// Whether a cell is open, or beyond a border that closes.
    fn free(&self, c: Cell) -> bool {
        let inside = (0..self.dim()).all(|a| (0..self.grid.n[a]).contains(&c[a]));
        (inside || self.grid.edge == EdgeRule::Wrap) && self.is_open(c)
    }

    /// Whether all cells of a box around one are open.
    pub fn box_is_free(&self, c: Cell, [low, high]: [Cell; 2]) -> bool {
        let side = |a: usize| high[a] - low[a] + 1;
        (0..side(0) * side(1) * side(2)).all(|i| {
            let offset = [i % side(0), i / side(0) % side(1), i / side(0) / side(1)];
            self.free(std::array::from_fn(|a| c[a] + low[a] + offset[a]))
        })
    }

    /// The box that grows by a layer to each side in turn.
    pub fn reach(&self, c: Cell, limit: i64) -> [Cell; 2] {
        let mut reach = [[0; 3]; 2];
        for _ in 0..limit {
            for (axis, side) in (0..self.dim()).flat_map(|a| [(a, 0), (a, 1)]) {
                let mut wider = reach;
                wider[side][axis] += [-1, 1][side];
                if self.box_is_free(c, wider) {
                    reach = wider;
                }
            }
        }
        reach
    }
}

/// The cells of a coarser level: those of half the resolution, where a last one may hang over.
pub fn coarser(grid: &Grid) -> Grid {
    let n = std::array::from_fn(|a| if a < grid.dim { (grid.n[a] + 1) / 2 } else { 1 });
    Grid { n, h: 2.0 * grid.h, ..*grid }
}

/// What a blend of numbers up to a size may be off by: coordinates round ten times, sums once a corner and twice an axis.
fn blended(grid: &Grid, largest: f64) -> f64 {
    let (dim, cells) = (grid.dim as f64, *grid.n.iter().max().unwrap() as f64);
    (2.0 * dim * 10.0 * (cells + 2.0) + 2f64.powf(dim) + 2.0 * dim) * U * largest
}

/// Faces of a coarser level: a quarter, a half and a quarter of the mean faces behind, there and beyond; closed where all of
/// those there are. What lies outside counts as closed, beyond periodic borders too.
pub fn coarse_weight(fine: &Grid, w: &[f32]) -> Faces {
    let coarse = coarser(fine);
    let bar = blended(fine, w.iter().fold(0.0, |m, w| w.max(m)) as f64);
    let outside = Grid { edge: EdgeRule::Zero, ..*fine };
    let mean = |c: Cell, axis: usize, shift: i64| {
        let others: Vec<usize> = (0..fine.dim).filter(|b| *b != axis).collect();
        let covered = (0..1usize << others.len()).map(|k| {
            let mut at: Cell = c.map(|i| 2 * i);
            others.iter().enumerate().for_each(|(i, b)| at[*b] += (k >> i & 1) as i64);
            at[axis] += shift;
            at[axis] += if fine.edge == EdgeRule::Wrap && at[axis] < 0 { fine.n[axis] } else { 0 };
            outside.read_face(w, at, axis)
        });
        covered.sum::<f64>() / (1 << others.len()) as f64
    };
    let vessel = Vessel { grid: &coarse, open: &[] };
    vessel.faces(|c, axis| match mean(c, axis, 0) {
        across if across > 0.0 && !vessel.border(c, axis) => {
            Near { v: 0.25 * mean(c, axis, -1) + 0.5 * across + 0.25 * mean(c, axis, 1), bar }
        }
        _ => Near::default(),
    })
}

/// p + the correction of the wide cell, and a quarter of the way to the neighbour on each side whose face is open.
pub fn prolong(fine: &Grid, p: &[f64], correction: &[f64], w: &[f32]) -> Vec<Near> {
    let coarse = coarser(fine);
    let bar = 2.0 * blended(&coarse, correction.iter().fold(0.0, |m, c| c.abs().max(m))) + 4.0 * U;
    let vessel = Vessel { grid: fine, open: &[] };
    let added = |c: Cell| {
        let wide: Cell = std::array::from_fn(|a| c[a] / 2);
        let wide_correction = coarse.read(correction, wide);
        let mut sum = wide_correction + fine.read(p, c);
        for (axis, place) in c.iter().take(fine.dim).enumerate() {
            let face = 2 * axis + (place % 2) as usize;
            if vessel.face(w, c, face).v > 0.0 {
                sum += 0.25 * (coarse.read(correction, coarse.neighbor(wide, face)) - wide_correction);
            }
        }
        Near { v: sum, bar }
    };
    fine.cells().map(added).collect()
}
