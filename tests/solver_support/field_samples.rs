//! Fields sampled at positions that a test chooses.

use crate::harness::*;

pub type Point = [f64; 3];

/// Samples a field at positions.
pub struct Sampler<'a> {
    pub dim: usize,
    /// Nodes besides the domain `space`.
    pub nodes: &'a str,
    /// The wire.
    pub field: &'a str,
    /// What it carries, as the language calls it, and how many numbers that is.
    pub ty: &'a str,
    pub components: usize,
}

const NODES: &str = r##"
    "space": (domain: (resolution: ($count), width: 1, edge: "wall")),
    "at": (state: "Grid<Vec>"),
    "ask": (custom: r#"//! Ask
        //! @in at: Grid<Vec>
        //! @in field: Field<$type>
        //! @out answer: Grid<$type>
        fn stage(cell: Cell) -> $value { return field(at(cell)); }"#, inputs: {"at": "at.value", "field": "$field"}),
"##;

impl Sampler<'_> {
    /// The field at these points, rounded to f32 first, at time 0.
    pub fn sample(&self, points: &[Point]) -> Vec<Vec<f64>> {
        self.sample_frame(points, 60.0, 1)
    }

    /// In the frame `frames`, which begins at (frames - 1) / fps.
    pub fn sample_frame(&self, points: &[Point], fps: f64, frames: usize) -> Vec<Vec<f64>> {
        let count = if self.dim == 3 { format!("{}, 1, 1", points.len()) } else { format!("{}, 1", points.len()) };
        let value = if self.ty == "Vec" { format!("vec{}f", self.dim) } else { self.ty.to_string() };
        let nodes = [self.nodes, NODES].concat();
        let values =
            [("$count", count), ("$type", self.ty.into()), ("$value", value), ("$field", self.field.to_string())];
        let mut sim = start(fps, &nodes, &pairs(&values));
        let flat: Vec<f32> = points.iter().flat_map(|p| p[..self.dim].iter().map(|x| *x as f32)).collect();
        let answers = run(&mut sim, &[("at", &flat)], frames, "ask.answer");
        answers.chunks(self.components).map(<[f64]>::to_vec).collect()
    }
}

/// A scalar field.
pub fn scalar(dim: usize, nodes: &str, field: &str, points: &[Point]) -> Vec<f64> {
    Sampler { dim, nodes, field, ty: "f32", components: 1 }.sample(points).into_iter().map(|v| v[0]).collect()
}

/// A vector potential, or another `Field<vec3f>`.
pub fn potential(dim: usize, nodes: &str, field: &str, points: &[Point]) -> Vec<Point> {
    vectors(&Sampler { dim, nodes, field, ty: "vec3f", components: 3 }.sample(points))
}

/// A flow; its z is 0 in the plane.
pub fn flow(dim: usize, nodes: &str, field: &str, points: &[Point]) -> Vec<Point> {
    vectors(&Sampler { dim, nodes, field, ty: "Vec", components: dim }.sample(points))
}

pub fn vectors(answers: &[Vec<f64>]) -> Vec<Point> {
    answers.iter().map(|v| std::array::from_fn(|a| v.get(a).copied().unwrap_or(0.0))).collect()
}

/// Points in the box 0..1, each a float exactly; in the plane z is 0.
pub fn scattered(dim: usize, count: usize, seed: u32) -> Vec<Point> {
    let numbers = random(3 * count, seed);
    let point = |p: &[f32]| std::array::from_fn(|a| if a < dim { f64::from(0.5 + 0.5 * p[a]) } else { 0.0 });
    numbers.chunks(3).map(point).collect()
}

/// Unit vectors in every direction.
pub fn directions(dim: usize, count: usize, seed: u32) -> Vec<Point> {
    let from_middle = |p: &Point| std::array::from_fn(|a| if a < dim { p[a] - 0.5 } else { 0.0 });
    scattered(dim, count, seed).iter().map(from_middle).map(|v| scaled(v, 1.0 / norm(v))).collect()
}

/// As the f32 that the GPU is given.
pub fn rounded(p: Point) -> Point {
    p.map(|x| f64::from(x as f32))
}

pub fn dot(a: Point, b: Point) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

pub fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

pub fn added(a: Point, b: Point) -> Point {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn less(a: Point, b: Point) -> Point {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn scaled(a: Point, s: f64) -> Point {
    a.map(|x| x * s)
}

pub fn crossed(a: Point, b: Point) -> Point {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

/// Greatest distance between vectors.
pub fn furthest(a: &[Point], b: &[Point]) -> f64 {
    assert_eq!(a.len(), b.len());
    max_abs(&a.iter().zip(b).map(|(a, b)| norm(less(*a, *b))).collect::<Vec<_>>())
}

/// Greatest length.
pub fn longest(a: &[Point]) -> f64 {
    max_abs(&a.iter().map(|v| norm(*v)).collect::<Vec<_>>())
}

/// Curl of a potential by central differences, extrapolated to step 0: the error falls with the fourth order.
pub fn curl(psi: impl Fn(Point) -> Point, at: Point, h: f64) -> Point {
    let [coarse, fine] = [h, 0.5 * h].map(|h| {
        let slope = |axis: usize| {
            let along: Point = std::array::from_fn(|a| if a == axis { h } else { 0.0 });
            scaled(less(psi(added(at, along)), psi(less(at, along))), 0.5 / h)
        };
        let unit = |axis: usize| std::array::from_fn(|a| if a == axis { 1.0 } else { 0.0 });
        (0..3).fold([0.0; 3], |sum, axis| added(sum, crossed(unit(axis), slope(axis))))
    });
    std::array::from_fn(|a| (4.0 * fine[a] - coarse[a]) / 3.0)
}
