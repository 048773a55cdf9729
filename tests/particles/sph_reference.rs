//! SPH in f64 by comparing all pairs, straight from the papers: Mueller, Charypar and Gross 2003 (the article's);
//! Monaghan 2005 with the kernel Wendland C2; Akinci, Akinci and Teschner 2013. In 2D the kernels have the same shapes,
//! normalised over a disc.

use std::f64::consts::PI;

use super::sets::*;

pub struct Fluid {
    /// Poly6, spiky and Mueller's forces instead of Wendland C2 and Monaghan's.
    pub article: bool,
    pub dim: usize,
    /// Smoothing radius [m].
    pub h: f64,
    pub mass: f64,
    pub rest_density: f64,
    pub stiffness: f64,
    pub viscosity: f64,
    pub artificial: f64,
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

    /// Wendland C2, normalised on the lattice of the rest density.
    fn wendland(&self, r: f64, lattice: f64) -> f64 {
        let q = r / self.h;
        let factor = self.by_dim(7.0, 10.5) / (PI * self.h.powi(self.dim as i32) * lattice);
        if q < 1.0 { factor * (1.0 - q).powi(4) * (1.0 + 4.0 * q) } else { 0.0 }
    }

    /// - d wendland / dr over r, normalised for forces.
    fn wendland_slope(&self, r: f64, lattice: f64) -> f64 {
        let q = r / self.h;
        let factor = self.by_dim(7.0, 10.5) / (PI * self.h.powi(self.dim as i32 + 2) * lattice);
        if q < 1.0 { factor * 20.0 * (1.0 - q).powi(3) } else { 0.0 }
    }

    /// Weights of (1 - q)^3 and 1 - q in viscosity, over h^2: on the lattice the shear viscosity is mu along axes and diagonals. Rounded to f16, over the kernel's slope.
    fn drags(&self, lattice: f64) -> [f64; 2] {
        let ratio = self.h / (self.mass / self.rest_density).powf(1.0 / self.dim as f64);
        let reach = -8i32..=8;
        let layers = if self.dim == 2 { 0..=0 } else { reach.clone() };
        let mut sums = [[0.0; 2]; 2]; // of x^4 and of x^2 y^2
        for (x, y) in reach.clone().flat_map(|x| reach.clone().map(move |y| (x, y))) {
            for z in layers.clone() {
                let q = f64::from(x * x + y * y + z * z).sqrt() / ratio;
                for (weight, sums) in [(1.0 - q).powi(3), 1.0 - q].iter().zip(&mut sums) {
                    if q < 1.0 {
                        sums[0] += weight * f64::from(x).powi(4) / ratio.powi(4);
                        sums[1] += weight * f64::from(x * x * y * y) / ratio.powi(4);
                    }
                }
            }
        }
        let [first, second] = sums;
        let share = ((3.0 * first[1] - first[0]) / (second[0] - 3.0 * second[1])).clamp(0.0, 1.0);
        let volume = self.mass / self.rest_density;
        let size = 1.0 / (volume * (self.dim as f64 + 2.0) * (first[1] + share * second[1]) * self.h.powi(4));
        let slope = self.wendland_slope(0.0, lattice) / self.h.powi(2);
        [size, share * size].map(|weight| slope * rounded_to_f16(weight / slope))
    }

    /// What the lattice of the rest density gives for two integrals that are 1: of W, and of -r dW/dr / dim.
    fn lattice(&self) -> (f64, f64) {
        let ratio = self.h / (self.mass / self.rest_density).powf(1.0 / self.dim as f64);
        let reach = -8i32..=8;
        let layers = if self.dim == 2 { 0..=0 } else { reach.clone() };
        let (mut value, mut slope) = (0.0, 0.0);
        for (x, y) in reach.clone().flat_map(|x| reach.clone().map(move |y| (x, y))) {
            for z in layers.clone() {
                let q = f64::from(x * x + y * y + z * z).sqrt() / ratio;
                if q < 1.0 {
                    value += (1.0 - q).powi(4) * (1.0 + 4.0 * q);
                    slope += 20.0 * q * q * (1.0 - q).powi(3) / self.dim as f64;
                }
            }
        }
        let site = self.by_dim(7.0, 10.5) / (PI * ratio.powi(self.dim as i32));
        (site * value, site * slope)
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
        let (lattice, _) = self.lattice();
        let kernel = |r: f64| if self.article { self.poly6(r) } else { self.wendland(r, lattice) };
        let of = |p: &[f64; 3]| places.iter().map(|q| self.mass * kernel(length(self.apart(*p, *q)))).sum::<f64>();
        places.iter().map(of).collect()
    }

    pub fn outcomes(&self, places: &[[f64; 3]], velocities: &[[f64; 3]]) -> Vec<Outcome> {
        let density = self.densities(places);
        let (_, lattice) = self.lattice();
        let normal: Vec<([f64; 3], f64)> = places
            .iter()
            .map(|p| {
                places.iter().zip(&density).fold(([0.0; 3], 0.0), |(sum, terms), (q, rho)| {
                    let d = self.apart(*q, *p);
                    let weight = -self.h * self.mass / rho * self.wendland_slope(length(d), lattice);
                    (plus(sum, weight, d), terms + (weight * length(d)).abs())
                })
            })
            .collect();
        (0..places.len()).map(|i| self.outcome(i, (places, velocities), lattice, &density, &normal)).collect()
    }

    fn outcome(
        &self,
        i: usize,
        (places, velocities): (&[[f64; 3]], &[[f64; 3]]),
        lattice: f64,
        density: &[f64],
        normal: &[([f64; 3], f64)],
    ) -> Outcome {
        let (m, k, rho0) = (self.mass, self.stiffness, self.rest_density);
        let drags = self.drags(lattice);
        let (mut acceleration, mut terms) = (self.gravity, length(self.gravity));
        for j in (0..places.len()).filter(|j| *j != i) {
            let d = self.apart(places[j], places[i]);
            let r = length(d);
            if r >= self.h {
                continue;
            }
            let (ri, rj) = (density[i], density[j]);
            let across = apart(velocities[i], velocities[j]);
            let speeds = length(velocities[i]) + length(velocities[j]);
            // Densities carry an error of their own size, whatever is left of them after the rest density is taken off.
            if self.article {
                let pressed = m * k * (ri - rho0 + rj - rho0) / (2.0 * ri * rj) * self.spiky_slope(r) / r;
                acceleration = plus(acceleration, pressed, d);
                terms += m * k * (ri + rj + 2.0 * rho0) / (2.0 * ri * rj) * self.spiky_slope(r);
                let dragged = self.viscosity * m / (ri * rj) * self.viscosity_laplacian(r);
                acceleration = plus(acceleration, dragged, across);
                terms += dragged * speeds;
            } else {
                let pull = m * self.wendland_slope(r, lattice);
                acceleration = plus(acceleration, pull * k * ((ri - rho0) / (ri * ri) + (rj - rho0) / (rj * rj)), d);
                terms += pull * k * ((ri + rho0) / (ri * ri) + (rj + rho0) / (rj * rj)) * r;
                let closing = (0..3).map(|a| -across[a] * d[a]).sum::<f64>();
                let q = 1.0 - r / self.h;
                let slowed = m * (drags[0] * q.powi(3) + drags[1] * q);
                let c = k.sqrt();
                let shock = if closing < 0.0 { self.artificial * c * self.h / (ri + rj) } else { 0.0 };
                let drag = 2.0 * (self.dim + 2) as f64 * self.viscosity / (ri * rj) + shock;
                acceleration = plus(acceleration, -slowed * drag * closing, d);
                terms += slowed * drag * speeds * r * r;
            }
            let tension = self.surface_tension * 2.0 * rho0 / (ri + rj);
            acceleration = plus(acceleration, -tension * m * self.cohesion(r) / r, d);
            acceleration = plus(acceleration, -tension, apart(normal[j].0, normal[i].0));
            terms += tension * (m * self.cohesion(r).abs() + normal[i].1 + normal[j].1);
        }
        Outcome { density: density[i], acceleration, terms }
    }
}

fn rounded_to_f16(value: f64) -> f64 {
    let step = 2.0_f64.powf(value.max(1e-4).log2().floor() - 10.0);
    (value / step).round() * step
}
