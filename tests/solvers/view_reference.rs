//! An image's camera in f64.

use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// The tests' image.
pub const SIZE: [usize; 2] = [96, 64];

pub fn view_area() -> usize {
    SIZE[0] * SIZE[1]
}

pub type V = [f64; 3];

pub fn dot(a: V, b: V) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// a + t b
pub fn plus(a: V, t: f64, b: V) -> V {
    std::array::from_fn(|i| a[i] + t * b[i])
}

pub fn unit(a: V) -> V {
    a.map(|x| x / dot(a, a).sqrt())
}

/// A camera as the graph's own says it is, and the size of its image.
pub struct View {
    pub right: V,
    pub up: V,
    pub forward: V,
    pub eye: V,
    pub tangent: f64,
    pub size: [usize; 2],
}

impl View {
    pub fn read(sim: &Simulation, camera: &str, size: [usize; 2]) -> View {
        let m = read(sim, camera);
        let column = |i: usize| [m[4 * i], m[4 * i + 1], m[4 * i + 2]];
        View { right: column(0), up: column(1), forward: column(2), eye: column(3), tangent: m[3], size }
    }

    /// Width of a pixel at a depth of 1.
    pub fn pixel(&self) -> f64 {
        2.0 * self.tangent / self.size[1] as f64
    }

    /// Along the ray of a pixel, 1 deep.
    pub fn q(&self, pixel: usize) -> V {
        let [w, h] = self.size.map(|n| n as f64);
        let [x, y] = [pixel % self.size[0], pixel / self.size[0]].map(|n| n as f64 + 0.5);
        let sideways = plus(self.forward, self.tangent * (2.0 * x - w) / h, self.right);
        plus(sideways, self.tangent * (2.0 * y - h) / h, self.up)
    }

    pub fn pixels(&self) -> usize {
        self.size[0] * self.size[1]
    }
}
