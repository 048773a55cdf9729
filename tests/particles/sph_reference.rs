//! SPH in f64 by comparing all pairs, straight from the papers: Mueller, Charypar and Gross 2003; Akinci, Akinci and
//! Teschner 2013. In 2D the kernels have the same shapes, normalised over a disc.

use std::f64::consts::PI;

use super::sets::*;

pub struct Fluid {
    pub dim: usize,
    /// Smoothing radius [m].
    pub h: f64,
    pub mass: f64,
    pub rest_density: f64,
    pub stiffness: f64,
    pub viscosity: f64,
    pub surface_tension: f64,
    pub gravity: [f64; 3],
    /// Edges of the periodic box [m].
    pub size: [f64; 3],
}

/// What happens to a particle, and how large the terms are that its acceleration is the sum of.
#[derive(Clone, Copy)]
pub struct Outcome {
    pub density: f64,
    pub acceleration: [f64; 3],
    pub terms: f64,
}

impl Fluid {
    fn by_dim(&self, flat: f64, deep: f64) -> f64 {
        if self.dim == 2 { flat } else { deep }
    }

    pub fn poly6(&self, r: f64) -> f64 {
        let h = self.h;
        let factor = self.by_dim(4.0 / (PI * h.powi(8)), 315.0 / (64.0 * PI * h.powi(9)));
        if r < h { factor * (h * h - r * r).powi(3) } else { 0.0 }
    }

    /// d poly6 / dr over r
    fn poly6_slope(&self, r: f64) -> f64 {
        let h = self.h;
        let factor = self.by_dim(4.0 / (PI * h.powi(8)), 315.0 / (64.0 * PI * h.powi(9)));
        if r < h { -6.0 * factor * (h * h - r * r).powi(2) } else { 0.0 }
    }

    /// - d spiky / dr
    pub fn spiky_slope(&self, r: f64) -> f64 {
        let h = self.h;
        let factor = self.by_dim(30.0 / (PI * h.powi(5)), 45.0 / (PI * h.powi(6)));
        if r < h { factor * (h - r).powi(2) } else { 0.0 }
    }

    pub fn viscosity_laplacian(&self, r: f64) -> f64 {
        let h = self.h;
        let factor = self.by_dim(40.0 / (PI * h.powi(5)), 45.0 / (PI * h.powi(6)));
        if r < h { factor * (h - r) } else { 0.0 }
    }

    fn cohesion(&self, r: f64) -> f64 {
        let h = self.h;
        let cubed = ((h - r) * r).powi(3);
        let shape = if 2.0 * r > h { cubed } else { 2.0 * cubed - h.powi(6) / 64.0 };
        if r < h { self.by_dim(32.0 / (PI * h.powi(8)), 32.0 / (PI * h.powi(9))) * shape } else { 0.0 }
    }

    /// b - a, the short way round.
    fn apart(&self, a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let size = self.size;
        std::array::from_fn(|i| {
            let d = b[i] - a[i];
            if i < self.dim { d - size[i] * (d / size[i]).round() } else { 0.0 }
        })
    }

    pub fn densities(&self, places: &[[f64; 3]]) -> Vec<f64> {
        let of = |p: &[f64; 3]| places.iter().map(|q| self.mass * self.poly6(length(self.apart(*p, *q)))).sum::<f64>();
        places.iter().map(of).collect()
    }

    pub fn outcomes(&self, places: &[[f64; 3]], velocities: &[[f64; 3]]) -> Vec<Outcome> {
        let density = self.densities(places);
        let normal: Vec<([f64; 3], f64)> = places
            .iter()
            .map(|p| {
                places.iter().zip(&density).fold(([0.0; 3], 0.0), |(sum, terms), (q, rho)| {
                    let d = self.apart(*q, *p);
                    let weight = self.h * self.mass / rho * self.poly6_slope(length(d));
                    (plus(sum, weight, d), terms + (weight * length(d)).abs())
                })
            })
            .collect();
        (0..places.len()).map(|i| self.outcome(i, places, velocities, &density, &normal)).collect()
    }

    fn outcome(
        &self,
        i: usize,
        places: &[[f64; 3]],
        velocities: &[[f64; 3]],
        density: &[f64],
        normal: &[([f64; 3], f64)],
    ) -> Outcome {
        let (m, k, rho0) = (self.mass, self.stiffness, self.rest_density);
        let (mut acceleration, mut terms) = (self.gravity, length(self.gravity));
        for j in (0..places.len()).filter(|j| *j != i) {
            let d = self.apart(places[j], places[i]);
            let r = length(d);
            if r >= self.h {
                continue;
            }
            let (ri, rj) = (density[i], density[j]);
            let pressed = m * k * (ri - rho0 + rj - rho0) / (2.0 * ri * rj) * self.spiky_slope(r) / r;
            acceleration = plus(acceleration, pressed, d);
            // Densities carry an error of their own size, whatever is left of them after the rest density is taken off.
            terms += m * k * (ri + rj + 2.0 * rho0) / (2.0 * ri * rj) * self.spiky_slope(r);
            let dragged = self.viscosity * m / (ri * rj) * self.viscosity_laplacian(r);
            acceleration = plus(acceleration, dragged, apart(velocities[i], velocities[j]));
            terms += dragged * (length(velocities[i]) + length(velocities[j]));
            let tension = self.surface_tension * 2.0 * rho0 / (ri + rj);
            acceleration = plus(acceleration, -tension * m * self.cohesion(r) / r, d);
            acceleration = plus(acceleration, -tension, apart(normal[j].0, normal[i].0));
            terms += tension * (m * self.cohesion(r).abs() + normal[i].1 + normal[j].1);
        }
        Outcome { density: density[i], acceleration, terms }
    }
}
