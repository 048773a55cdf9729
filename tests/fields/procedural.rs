//! Noise and cellular noise against the same in f64, their range, mean, tiles and loops; transformed and displaced fields.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

/// Hash PCG3D: Jarzynski and Olano, JCGT 2020.
fn pcg3d(seed: [u32; 3]) -> [u32; 3] {
    let mut v = seed.map(|s| s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    for round in 0..2 {
        for i in 0..3 {
            v[i] = v[i].wrapping_add(v[(i + 1) % 3].wrapping_mul(v[(i + 2) % 3]));
        }
        if round == 0 {
            v = v.map(|x| x ^ (x >> 16));
        }
    }
    v
}

/// `random_at` of the language, with the seed of these graphs, in units of 2^-24.
fn random_at(number: u32, salt: u32) -> u32 {
    pcg(pcg(salt ^ pcg(7)) ^ number) >> 8
}

/// The lattice cell that stands for another one.
fn within_period(cell: i64, period: i64) -> i64 {
    if period > 0 { cell.rem_euclid(period) } else { cell }
}

fn chance(hash: [u32; 3]) -> Point {
    hash.map(|h| f64::from(h >> 8) / 16_777_216.0)
}

/// The parameters of `field/noise`.
#[derive(Clone, Copy)]
struct Noise {
    dim: usize,
    kind: usize,
    fractal: usize,
    scale: f64,
    octaves: usize,
    lacunarity: f64,
    roughness: f64,
    evolution: f64,
    period: [i64; 3],
    seed: u32,
    channel: u32,
}

const PLAIN: Noise = Noise {
    dim: 2,
    kind: 1,
    fractal: 0,
    scale: 0.25,
    octaves: 1,
    lacunarity: 2.0,
    roughness: 0.5,
    evolution: 0.0,
    period: [0; 3],
    seed: 0,
    channel: 0,
};

impl Noise {
    fn params(&self) -> String {
        let [x, y, z] = self.period;
        format!(
            r#""kind": {}, "fractal": {}, "scale": {}, "octaves": {}, "lacunarity": {}, "roughness": {}, "evolution": {}, "period": ({x}, {y}, {z}), "seed": {}, "channel": {}"#,
            self.kind,
            self.fractal,
            self.scale,
            self.octaves,
            self.lacunarity,
            self.roughness,
            self.evolution,
            self.seed,
            self.channel
        )
    }

    fn nodes(&self) -> String {
        format!(r#""noise": (stage: "field/noise", on: "space", params: {{{}}}),"#, self.params())
    }

    fn measured(&self, points: &[Point]) -> Vec<f64> {
        scalar(self.dim, &self.nodes(), "noise.noise", points)
    }

    fn exact(&self, at: Point) -> f64 {
        let shift = [0.8191725, 0.6710436, 0.5497005];
        let mut sum = 0.0;
        let mut total = 0.0;
        let mut weight = 1.0;
        let mut frequency = 1.0;
        for octave in 0..self.octaves {
            let place: Point = std::array::from_fn(|a| {
                if a < self.dim { at[a] / self.scale * frequency + octave as f64 * shift[a] } else { 0.0 }
            });
            let noise = self.octave(place, frequency as i64, octave as u32);
            sum += weight
                * match self.fractal {
                    0 => noise,
                    1 => 2.0 * noise.abs() - 1.0,
                    _ => 1.0 - 2.0 * noise.abs(),
                };
            total += weight;
            weight *= self.roughness;
            frequency *= self.lacunarity;
        }
        sum / total
    }

    fn octave(&self, place: Point, frequency: i64, octave: u32) -> f64 {
        let lowest = place.map(|x| x.floor() as i64);
        let salt = random_at(self.seed, self.channel * 16 + octave);
        let mut sum = 0.0;
        for corner in 0..1 << self.dim {
            let cell: [i64; 3] = std::array::from_fn(|a| lowest[a] + (corner >> a & 1));
            let away: Point = std::array::from_fn(|a| place[a] - cell[a] as f64);
            let weight: f64 = (0..self.dim).map(|a| 1.0 - away[a].abs()).map(fade).product();
            let mut hashed = [0, 1, 2].map(|a| within_period(cell[a], self.period[a] * frequency) as u32);
            hashed[0] = hashed[0].wrapping_add(salt);
            sum += weight * self.corner(away, chance(pcg3d(hashed)));
        }
        sum
    }

    fn corner(&self, away: Point, chance: Point) -> f64 {
        let turn = std::f64::consts::TAU * (chance[0] + self.evolution);
        if self.kind == 0 {
            return 4.0 * ((chance[0] + self.evolution).rem_euclid(1.0) - 0.5).abs() - 1.0;
        }
        if self.dim == 2 {
            return 2f64.sqrt() * dot(away, [turn.cos(), turn.sin(), 0.0]);
        }
        let (s, c) = (std::f64::consts::TAU * chance[1]).sin_cos();
        let z = 2.0 * chance[2] - 1.0;
        let steep = [-z * c, -z * s, (1.0 - z * z).sqrt()];
        2.0 / 3f64.sqrt() * dot(away, added(scaled([-s, c, 0.0], turn.cos()), scaled(steep, turn.sin())))
    }

    /// A place of up to `reach` lattice cells is rounded four times and moves a noise by its slope, up to 4, twice that
    /// where it is folded; its value has another 80 roundings.
    fn bar(&self, reach: f64) -> f64 {
        (4.0 * reach * 8.0 + 80.0) * U * self.octaves as f64
    }
}

fn fade(t: f64) -> f64 {
    t.powi(3) * (t * (t * 6.0 - 15.0) + 10.0)
}

#[test]
fn noise_is_that_of_the_reference() {
    for noise in [
        Noise { kind: 0, evolution: 0.3, seed: 3, ..PLAIN },
        Noise { kind: 0, dim: 3, octaves: 3, channel: 2, ..PLAIN },
        Noise { octaves: 4, evolution: 0.7, lacunarity: 1.9, ..PLAIN },
        Noise { dim: 3, octaves: 2, roughness: 0.75, evolution: 0.2, fractal: 2, ..PLAIN },
        Noise { scale: 0.125, octaves: 3, period: [3, 5, 0], fractal: 1, ..PLAIN },
        Noise { dim: 3, scale: 0.125, octaves: 2, period: [0, 2, 3], ..PLAIN },
    ] {
        // On both sides of zero.
        let points: Vec<Point> = scattered(noise.dim, 500, 61).iter().map(|p| p.map(|x| 2.0 * x - 0.75)).collect();
        let points: Vec<Point> =
            points.into_iter().map(|p| if noise.dim == 2 { [p[0], p[1], 0.0] } else { p }).collect();
        let expected: Vec<f64> = points.iter().map(|p| noise.exact(*p)).collect();
        let error = max_abs(&difference(&noise.measured(&points), &expected));
        let because = "roundings of a place on the lattice, of weights and sums";
        within(&format!("{}D, {}", noise.dim, noise.params()), error, noise.bar(1.25 / noise.scale), because);
    }
}

#[test]
fn noise_fills_its_range_and_has_no_mean() {
    let count = 8000;
    for (dim, kind) in [(2, 0), (2, 1), (3, 0), (3, 1)] {
        // Far apart, with hardly two points in a lattice cell.
        let points: Vec<Point> = scattered(dim, count, 62).iter().map(|p| scaled(*p, 64.0)).collect();
        let values = Noise { dim, kind, ..PLAIN }.measured(&points);
        let (mean, deviation, largest) = (mean(&values), rms(&values), max_abs(&values));
        println!("{dim}D, kind {kind}: standard deviation {deviation:.3}, largest {largest:.3}");
        within("mean", mean.abs() / deviation, 4.0 / (count as f64).sqrt(), "four standard errors");
        assert!(largest <= 1.0 && largest > 0.6 && deviation > 0.2, "{dim}D, kind {kind}");
    }
    let points = scattered(3, 4000, 63);
    for (fractal, sign) in [(1, 1.0), (2, -1.0)] {
        let values = Noise { dim: 3, fractal, octaves: 5, ..PLAIN }.measured(&points);
        assert!(
            max_abs(&values) <= 1.0 && sign * mean(&values) < -0.2,
            "billows are low, ridges high: {}",
            mean(&values)
        );
    }
}

/// Bit for bit but for the rounding of the place.
#[test]
fn noise_and_cells_tile_and_loop() {
    let noise =
        |evolution: f64| Noise { dim: 3, scale: 0.125, octaves: 3, period: [4, 8, 2], evolution, ..PLAIN }.nodes();
    let cells = |evolution: f64| {
        let params = r#""scale": 0.125, "period": (4, 8, 2)"#;
        format!(r#""noise": (stage: "field/cellular", on: "space", params: {{{params}, "evolution": {evolution}}}),"#)
    };
    let points = scattered(3, 400, 64);
    let shifted: Vec<Point> = points.iter().map(|p| added(*p, [0.5, -1.0, 0.25])).collect();
    for nodes in [&noise as &dyn Fn(f64) -> String, &cells] {
        let value = |evolution: f64, points: &[Point]| scalar(3, &nodes(evolution), "noise.noise", points);
        let here = value(0.125, &points);
        let bar = 3.0 * 16.0 * 8.0 * 3.0 * U;
        within("one tile on", max_abs(&difference(&value(0.125, &shifted), &here)), bar, "places of up to 16 cells");
        within("one turn on", max_abs(&difference(&value(1.125, &points), &here)), 60.0 * U, "phases of up to 2 turns");
        assert!(max_abs(&difference(&value(0.625, &points), &here)) > 0.2, "half a turn on it is another");
    }
}

/// F1, F2 and the number of the nearest point, from all points up to three cells away.
fn nearest(dim: usize, place: Point, randomness: f64, evolution: f64) -> [f64; 3] {
    let home = place.map(f64::floor);
    let salt = random_at(5, 77);
    let mut found = vec![];
    for k in 0..7usize.pow(dim as u32) {
        let cell: Point =
            std::array::from_fn(|a| if a < dim { home[a] + (k / 7usize.pow(a as u32) % 7) as f64 - 3.0 } else { 0.0 });
        let mut hashed = cell.map(|c| c as i64 as u32);
        hashed[0] = hashed[0].wrapping_add(salt);
        let hash = pcg3d(hashed);
        let point =
            chance(hash).map(|c| 0.5 + randomness * (2.0 * ((c + evolution).rem_euclid(1.0) - 0.5).abs() - 0.5));
        let apart = less(added(cell, point), place);
        let apart: Point = std::array::from_fn(|a| if a < dim { apart[a] } else { 0.0 });
        found.push((norm(apart), chance(pcg3d(hash))[0]));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    [found[0].0, found[1].0, found[0].1]
}

#[test]
fn cellular_noise_finds_the_two_nearest_points() {
    for (dim, randomness, evolution, count) in [(2, 1.0, 0.0, 1000), (3, 0.8, 0.25, 200)] {
        let points: Vec<Point> = scattered(dim, count, 65).iter().map(|p| scaled(*p, 2.0)).collect();
        let exact: Vec<[f64; 3]> =
            points.iter().map(|p| nearest(dim, scaled(*p, 8.0), randomness, evolution)).collect();
        for result in 0..4 {
            let nodes = format!(
                r#""noise": (stage: "field/cellular", on: "space", params: {{"scale": 0.125, "seed": 5, "result": {result}, "randomness": {randomness}, "evolution": {evolution}}}),"#
            );
            let measured = scalar(dim, &nodes, "noise.noise", &points);
            let errors = measured.iter().zip(&exact).map(|(got, [first, second, number])| match result {
                // Where two points are equally near, rounding chooses.
                3 if second - first < 1e-4 => 0.0,
                k => (got - [*first, *second, second - first, *number][k]).abs(),
            });
            let bar = 2.0 * 16.0 * 6.0 * U;
            let because = "places of up to 16 cells, rounded six times, for two distances";
            within(&format!("{dim}D, result {result}"), errors.fold(0.0, f64::max), bar, because);
        }
    }
}

/// The groups are the same noises: on a grid at its cells, and one of three channels for each axis.
#[test]
fn groups_of_noise_are_the_noise() {
    let nodes = r#""space": (domain: (resolution: (16, 8, 4), width: 1, edge: "wall")),
        "noise": (stage: "field/noise", on: "space", params: {"channel": 1, "seed": 9}), "at": (stage: "grid/from_field", on: "space", inputs: {"field": "noise"}),
        "grid": (stage: "grid/noise", params: {"channel": 1, "seed": 9}),
        "vector": (stage: "field/vector_noise", on: "space", params: {"seed": 9}), "vectors": (stage: "grid/from_field", on: "space", inputs: {"field": "vector"}),
        "cells": (stage: "field/cellular", on: "space", params: {"result": 2}), "cells_at": (stage: "grid/from_field", on: "space", inputs: {"field": "cells"}),
        "cell_grid": (stage: "grid/cellular", params: {"result": 2}),"#;
    let mut sim = start(60.0, nodes, &[]);
    step(&mut sim, 1);
    let noise = read(&sim, "at.result");
    assert_eq!(read(&sim, "grid.result"), noise);
    assert_eq!(read(&sim, "cell_grid.result"), read(&sim, "cells_at.result"));
    let vectors = read(&sim, "vectors.result");
    assert_eq!(vectors.chunks(3).map(|v| v[1]).collect::<Vec<_>>(), noise);
    let apart = |a: usize, b: usize| max_abs(&vectors.chunks(3).map(|v| v[a] - v[b]).collect::<Vec<_>>());
    assert!(apart(0, 1) > 0.2 && apart(1, 2) > 0.2 && apart(0, 2) > 0.2, "three noises");
}

#[test]
fn fields_are_asked_where_they_come_from() {
    for dim in [2, 3] {
        let ramp = if dim == 3 { "vec3f(1.0, 2.0, 3.0)" } else { "vec2f(1.0, 2.0)" };
        let nodes = format!(
            r##""ramp": (custom: r#"//! Ramp
                //! @out field: Field<f32>
                fn stage(position: Vec) -> f32 {{ return dot(position, {ramp}); }}"#, on: "space"),
            "moved": (stage: "field/transform", inputs: {{"field": "ramp"}}, params: {{"offset": (0.25, -0.5, 0.125), "angle": 90,
                "axis": (0, 0, 2), "scale": (2, 0.5, -4), "pivot": (0.5, 0.25, 1)}}),
            "swirl": (custom: r#"//! Swirl
                //! @out field: Field<Vec>
                fn stage(position: Vec) -> Vec {{ var v = Vec(); v.x = position.y; v.y = -position.x; return v; }}"#, on: "space"),
            "displaced": (stage: "field/displace", inputs: {{"field": "ramp", "by": "swirl"}}, params: {{"amount": 0.5}}),"##
        );
        let points = scattered(dim, 100, 66);
        let moved = points.iter().map(|[x, y, z]| {
            // A quarter turn back is (y, -x).
            let away = [x - 0.75, y + 0.25, z - 1.125];
            let local = [0.5 + away[1] / 2.0, 0.25 - away[0] / 0.5, 1.0 - away[2] / 4.0];
            local[0] + 2.0 * local[1] + if dim == 3 { 3.0 * local[2] } else { 0.0 }
        });
        let error = max_abs(&difference(&scalar(dim, &nodes, "moved.result", &points), &moved.collect::<Vec<_>>()));
        within(
            &format!("moved in {dim}D"),
            error,
            12.0 * 16.0 * U,
            "roundings of sums up to 12, and of a quarter turn",
        );
        let displaced = points.iter().map(|[x, y, z]| x + 0.5 * y + 2.0 * (y - 0.5 * x) + 3.0 * z);
        let error =
            max_abs(&difference(&scalar(dim, &nodes, "displaced.result", &points), &displaced.collect::<Vec<_>>()));
        within(&format!("displaced in {dim}D"), error, 8.0 * 6.0 * U, "roundings of sums up to 6");
    }
}
