//! The noises on the CPU in f64.

use crate::field_samples::*;

/// Seed of the documents that the harness makes.
const SEED: u32 = 7;

/// Parameters of `curl_noise/noise` at a time \[s\].
pub struct Noise {
    pub scale: [f64; 4],
    pub gain: [f64; 4],
    pub speed: f64,
    pub seed: u32,
    pub time: f64,
}

/// Three octaves, far enough from each other in scale to be told apart.
pub const NOISE: Noise =
    Noise { scale: [0.375, 0.25, 0.125, 0.0625], gain: [1.0, 0.5, 0.25, 0.0], speed: 0.125, seed: 3, time: 0.0 };

/// Its parameters.
pub const PARAMS: &str =
    r#""scale": (0.375, 0.25, 0.125, 0.0625), "gain": (1, 0.5, 0.25, 0), "speed": 0.125, "seed": 3"#;

/// Bridson et al. 2007, equation 4.
pub fn ramp(r: f64) -> f64 {
    let x = r.clamp(-1.0, 1.0);
    15.0 / 8.0 * x - 10.0 / 8.0 * x.powi(3) + 3.0 / 8.0 * x.powi(5)
}

/// The smooth step that brings a potential to zero at a wall that the fluid sticks to.
pub fn rise(r: f64) -> f64 {
    let x = r.clamp(0.0, 1.0);
    6.0 * x.powi(5) - 15.0 * x.powi(4) + 10.0 * x.powi(3)
}

/// Equation 5, with a factor of the normal component: 1 on smooth surfaces, 0 at edges (equation 3).
pub fn slipping(psi: Point, alpha: f64, smoothness: f64, normal: Point) -> Point {
    added(scaled(psi, alpha), scaled(normal, smoothness * (1.0 - alpha) * dot(normal, psi)))
}

/// PCG3D (Jarzynski and Olano 2020).
fn pcg3d(seed: [u32; 3]) -> [u32; 3] {
    let mut v = seed.map(|x| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let mix = |v: &mut [u32; 3]| {
        for i in 0..3 {
            v[i] = v[i].wrapping_add(v[(i + 1) % 3].wrapping_mul(v[(i + 2) % 3]));
        }
    };
    mix(&mut v);
    v = v.map(|x| x ^ x >> 16);
    mix(&mut v);
    v
}

fn direction(bits: u32) -> Point {
    [0, 10, 20].map(|shift| (f64::from(bits >> shift & 1023) + 0.5) / 512.0 - 1.0)
}

/// What turns the gradients in place of sine and cosine: parabolas of their periods.
fn wave(turn: f64) -> (f64, f64) {
    let parabola = |turn: f64| {
        let x = turn - turn.floor() - 0.5;
        x * (16.0 * x.abs() - 8.0)
    };
    (parabola(turn), parabola(turn + 0.25))
}

fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

impl Noise {
    fn turns(&self, octave: usize) -> f64 {
        self.time * self.speed / self.scale[octave]
    }

    /// Gradients of the three noises at a lattice point.
    fn gradients(&self, corner: [i64; 3], octave: usize) -> [Point; 3] {
        let salt = [SEED.wrapping_mul(7919), self.seed.wrapping_mul(104_729), (octave as u32).wrapping_mul(15_485_863)];
        let hash = pcg3d(std::array::from_fn(|a| (corner[a] as u32).wrapping_add(salt[a])));
        let g = hash.map(direction);
        let bits = hash[0] ^ hash[1].wrapping_mul(747_796_405) ^ hash[2];
        let chance = f64::from(bits >> 9) / 8_388_608.0;
        let (sin, cos) = wave(self.turns(octave) * (0.75 + 0.5 * chance));
        std::array::from_fn(|i| added(scaled(g[i], cos), scaled(g[(i + 1) % 3], sin)))
    }

    fn octave(&self, at: Point, octave: usize) -> Point {
        let p = scaled(at, 1.0 / self.scale[octave]);
        let corner = p.map(f64::floor);
        let t = less(p, corner);
        let mut sum = [0.0; 3];
        for i in 0..8usize {
            let side: Point = std::array::from_fn(|a| (i >> a & 1) as f64);
            let weight: f64 = (0..3).map(|a| if side[a] > 0.0 { fade(t[a]) } else { 1.0 - fade(t[a]) }).product();
            let g = self.gradients(std::array::from_fn(|a| corner[a] as i64 + side[a] as i64), octave);
            sum = added(sum, g.map(|g| weight * dot(less(t, side), g)));
        }
        scaled(sum, self.gain[octave])
    }

    /// The vector potential, each octave constrained by a distance and its unit gradient (equation 5).
    pub fn potential(&self, at: Point, distance: f64, normal: Point) -> Point {
        self.held(at, |psi, scale| slipping(psi, ramp(distance / scale), 1.0, normal))
    }

    /// The sum of the octaves, each changed by a function of it and its scale.
    pub fn held(&self, at: Point, change: impl Fn(Point, f64) -> Point) -> Point {
        (0..4)
            .filter(|i| self.gain[*i] != 0.0)
            .fold([0.0; 3], |sum, i| added(sum, change(self.octave(at, i), self.scale[i])))
    }

    /// Far from any obstacle.
    pub fn free(&self, at: Point) -> Point {
        self.potential(at, 1e9, [0.0; 3])
    }

    /// The stream function, each octave constrained by a distance (equation 3).
    pub fn stream(&self, at: Point, distance: f64) -> f64 {
        self.stream_held(at, |scale| ramp(distance / scale))
    }

    /// The sum of the stream function's octaves, each times a function of its scale.
    pub fn stream_held(&self, at: Point, factor: impl Fn(f64) -> f64) -> f64 {
        (0..4).filter(|i| self.gain[*i] != 0.0).map(|i| factor(self.scale[i]) * self.plane_octave(at, i)).sum()
    }

    fn plane_octave(&self, at: Point, octave: usize) -> f64 {
        let p = scaled(at, 1.0 / self.scale[octave]);
        let corner = p.map(f64::floor);
        let t = less(p, corner);
        let salt = SEED
            .wrapping_mul(7919)
            .wrapping_add(self.seed.wrapping_mul(104_729))
            .wrapping_add((octave as u32).wrapping_mul(15_485_863));
        let mut sum = 0.0;
        for i in 0..4usize {
            let side: [f64; 2] = std::array::from_fn(|a| (i >> a & 1) as f64);
            let weight: f64 = (0..2).map(|a| if side[a] > 0.0 { fade(t[a]) } else { 1.0 - fade(t[a]) }).product();
            let lattice = [0, 1].map(|a| (corner[a] as i64 + side[a] as i64) as u32);
            let hash = pcg3d([lattice[0], lattice[1], salt]);
            let [x, y, _] = hash.map(|h| f64::from(h >> 8) / 16_777_216.0);
            let (sin, cos) = wave(x + self.turns(octave) * (0.75 + 0.5 * y));
            sum += weight * ((t[0] - side[0]) * cos + (t[1] - side[1]) * sin);
        }
        self.gain[octave] * sum
    }
}
