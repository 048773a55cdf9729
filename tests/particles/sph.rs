//! SPH: kernels, densities and accelerations against exact sums, and the conservation of momentum.

use std::f64::consts::PI;

use stagewright_language::document::ParamValue;
use stagewright_solver_support::harness::*;

use super::sets::*;
use super::sph_reference::Fluid;

const LATTICE: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 2000, inputs: {"init": "begin.particles"}),
    "begin": (stage: "particles/fill_box", params: {"size": (1, 1, 1), "spacing": 0.0833333333}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "rest_density": 1000, "smoothing_radius": $h}),
    "near": (stage: "neighbors/$fill", on: "domain", inputs: {"particles": "set.value"}),
    "standard": (stage: "sph/density_poly6", on: "domain", inputs: {"neighbors": "near.neighbors", "particles": "near.particles", "poly6": "coefficients.poly6", "radius": "coefficients.radius"}),
    "ratio": (stage: "sph/density_ratio", on: "domain", inputs: {"neighbors": "near.neighbors", "particles": "standard.particles", "poly6_ratio": "coefficients.poly6_ratio", "radius": "coefficients.radius"}),
"##;

/// Particles along each edge of the box.
const N: usize = 12;

/// Largest relative error of both forms of the density on a lattice whose smoothing radius is so many spacings.
fn lattice_errors(dim: usize, ratio: f64, expected: f64, fill: &str) -> [f64; 2] {
    let cells = (N as f64 / ratio).floor().to_string();
    let values = [
        ("$cells", vec![cells; dim].join(", ")),
        // Kept below the cell's width, whichever way f32 rounds the two.
        ("$h", format!("{:.9}", ratio / N as f64 - 1e-9)),
        ("$fill", fill.into()),
    ];
    let mut sim = start(60.0, LATTICE, &pairs(&values));
    step(&mut sim, 1);
    ["standard", "ratio"].map(|node| {
        let density = scalars(&sim, &format!("{node}.particles"), "density");
        assert_eq!(density.len(), N.pow(dim as u32));
        max_abs(&density.iter().map(|rho| rho / 1000.0 / expected - 1.0).collect::<Vec<_>>())
    })
}

#[test]
fn density_on_cubic_lattices_is_that_of_the_table() {
    let table = include_str!("../reference/sph_rest_density.csv");
    let mut rows = 0;
    for line in table.lines().filter(|line| line.starts_with("poly6,")) {
        let numbers: Vec<f64> = line.split(',').skip(1).map(|n| n.parse().unwrap()).collect();
        let (ratio, expected) = (numbers[0], numbers[1]);
        // The table has six decimals; the smoothing radius is rounded to 2^-25 of itself, which the kernel's slope lets
        // the density follow less than tenfold.
        for (form, error) in ["standard", "ratio"].iter().zip(lattice_errors(3, ratio, expected, "fill")) {
            within(
                &format!("h = {ratio} d, {form} form"),
                error,
                1e-4,
                "a hundredth of a per cent; the table has 6 decimals",
            );
        }
        rows += 1;
    }
    assert_eq!(rows, 5, "rows of poly6 in the table");
}

#[test]
fn density_in_2d_is_that_of_exact_sums() {
    for ratio in [1.5, 2.0, 3.0, 4.0] {
        let h = ratio / N as f64;
        let mass = 1000.0 / (N * N) as f64;
        let fluid = Fluid { article: true, dim: 2, h, mass, ..WATER };
        let places: Vec<[f64; 3]> =
            (0..N * N).map(|i| [(i % N) as f64 / N as f64, (i / N) as f64 / N as f64, 0.0]).collect();
        let expected = fluid.densities(&places)[0] / 1000.0;
        println!("2D, h = {ratio} d: relative density {expected:.6}");
        for (form, error) in ["standard", "ratio"].iter().zip(lattice_errors(2, ratio, expected, "fill_list")) {
            within(&format!("  {form} form"), error, 1e-5, "120 roundings of a sum of up to 49 terms");
        }
    }
}

/// Wendland C2 is normalised on the lattice, so the density there is that at rest, whatever the radius.
const NORMALISED: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 2000, inputs: {"init": "begin.particles"}),
    "begin": (stage: "particles/fill_box", params: {"size": (1, 1, 1), "spacing": 0.0833333333}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "rest_density": 1000, "smoothing_radius": $h}),
    "kernel": (stage: "sph/kernel", inputs: {"mass": "coefficients.mass", "radius": "coefficients.radius"}),
    "near": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
    "density": (stage: "sph/density", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "near.particles"}),
    "shepard": (stage: "sph/shepard", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "density.particles"}),
"##;

#[test]
fn density_by_wendland_is_that_at_rest_on_every_lattice() {
    for (dim, ratio) in [(2usize, 1.5f64), (2, 2.0), (2, 3.0), (2, 4.0), (3, 2.0), (3, 2.5), (3, 4.0)] {
        let cells = vec![(N as f64 / ratio).floor().to_string(); dim].join(", ");
        let h = format!("{:.9}", ratio / N as f64 - 1e-9);
        let mut sim = start(60.0, NORMALISED, &pairs(&[("$cells", cells), ("$h", h)]));
        step(&mut sim, 1);
        for node in ["density", "shepard"] {
            let density = scalars(&sim, &format!("{node}.particles"), "density");
            let errors: Vec<f64> = density.iter().map(|rho| rho / 1000.0 - 1.0).collect();
            // The radius is rounded, as above, and 250 roundings of U.
            within(&format!("{node} in {dim}D, h = {ratio} d"), max_abs(&errors), 2e-5, "250 roundings");
        }
    }
}

/// A tank that is filled with a lattice to all walls, under a pressure that is the same everywhere.
const FULL: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 2000, inputs: {"init": "begin.particles"}),
    "begin": (stage: "particles/fill_box", params: {"size": (1, 1, 1), "spacing": 0.0833333333}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "rest_density": 1000, "smoothing_radius": $h}),
    "kernel": (stage: "sph/kernel", inputs: {"mass": "coefficients.mass", "radius": "coefficients.radius"}),
    "near": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
    "density": (stage: "sph/density", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "near.particles"}),
    "pressed": (custom: r#"//! The same pressure everywhere
        //! @inout particles: Particles{} -> {density: f32, pressure: f32}    Them
        fn stage(particle: Particle) -> Result { return Result(1000.0, 1000.0); }"#, inputs: {"particles": "density.particles"}),
    "acceleration": (stage: "sph/acceleration", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "pressed.particles"}, params: {"gravity": (0, 0, 0)}),
"##;

#[test]
fn a_lattice_between_walls_has_the_rest_density_and_is_in_equilibrium() {
    for (dim, ratio) in [(2usize, 2.0f64), (2, 2.5), (3, 2.0)] {
        let cells = vec![(N as f64 / ratio).floor().to_string(); dim].join(", ");
        let h = format!("{:.9}", ratio / N as f64 - 1e-9);
        let mut sim = start(60.0, FULL, &pairs(&[("$cells", cells), ("$h", h)]));
        step(&mut sim, 1);
        let density = scalars(&sim, "density.particles", "density");
        let errors: Vec<f64> = density.iter().map(|rho| rho / 1000.0 - 1.0).collect();
        within(&format!("density in {dim}D, h = {ratio} d"), max_abs(&errors), 1e-4, "250 roundings");
        // Without the images the row nearest to a wall would feel p/(rho d).
        let size = 1000.0 * N as f64 / 1000.0;
        let left = vectors(&sim, "acceleration.particles", "acceleration", dim);
        let left: Vec<f64> = left.iter().map(|a| length(*a) / size).collect();
        within("  force of a uniform pressure, over p/(rho d)", max_abs(&left), 1e-4, "250 roundings");
    }
}

const WATER: Fluid = Fluid {
    article: false,
    dim: 3,
    h: 0.25,
    mass: 2.0,
    rest_density: 1000.0,
    stiffness: 50.0,
    viscosity: 3.0,
    artificial: 0.2,
    surface_tension: 1.5,
    gravity: [0.5, -9.81, 0.0],
    size: [1.0; 3],
};

const COEFFICIENTS: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 1000),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 0.3, "rest_density": 800, "smoothing_radius": $h, "substeps": 7}),
"##;

#[test]
fn coefficients_are_those_of_normalised_kernels() {
    for (dim, h) in [(2usize, 0.1f64), (3, 0.1), (2, 1.7), (3, 1.7), (3, 0.003)] {
        let cells = ["4, 4", "4, 4, 4"][dim - 2];
        let mut sim = start(60.0, COEFFICIENTS, &pairs(&[("$cells", cells.into()), ("$h", h.to_string())]));
        place(&mut sim, "set", &vec![0.5; 600 * dim], &[], dim);
        step(&mut sim, 1);
        let number = |name: &str| read(&sim, &format!("coefficients.{name}"))[0];
        let mass = 800.0 * 0.3 / 600.0;
        let surface = if dim == 2 { 2.0 * PI } else { 4.0 * PI };
        let n = dim as f64;
        // int_0^1 q^a (1 - q^2)^3 q^(n-1) dq and the like, as sums of powers.
        let power = |p: f64| 1.0 / (p + n);
        let poly6 = surface * (power(0.0) - 3.0 * power(2.0) + 3.0 * power(4.0) - power(6.0));
        let slope = surface * (power(1.0) - 2.0 * power(2.0) + power(3.0));
        let curve = surface * (power(2.0) - power(3.0));
        let volume = h.powi(dim as i32);
        // A kernel of integral 1:  int W = 1,  int x . grad W = -DIM,  int x^2 lap W = 2 DIM  (by parts).
        let moments = [
            ("mass", number("mass") / mass, 1.0),
            ("radius", number("radius") / h, 1.0),
            ("dt", number("dt") * 60.0 * 7.0, 1.0),
            ("poly6_ratio", number("poly6_ratio") / mass * volume * poly6, 1.0),
            ("poly6", number("poly6") / mass * volume * h.powi(6) * poly6, 1.0),
            ("spiky", number("spiky") / mass * volume * h * slope, n),
            ("laplacian", number("laplacian") / mass * volume * h * h * curve, 2.0 * n),
        ];
        let errors = moments.map(|(name, found, expected)| {
            let error = found / expected - 1.0;
            assert!(error.abs() < 1e-4, "{name} in {dim}D with h {h}: moment {found} instead of {expected}");
            error
        });
        // pow(h, 9) = exp2(9 log2 h) in WGSL: log2 is right to 3 units and exp2 to 3 + 2 |x|.
        let bar = (30.0 + 4.0 * 9.0 * h.log2().abs()) * 2.0 * U;
        within(&format!("kernels in {dim}D, h = {h}"), max_abs(&errors), bar, "rounding of WGSL's pow");
    }
}

const PULLS: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 500),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"rest_density": 1000, "smoothing_radius": 0.25, "fixed_mass": $mass}),
    "kernel": (stage: "sph/kernel", inputs: {"mass": "coefficients.mass", "radius": "coefficients.radius"}),
    "near": (stage: "neighbors/$fill", on: "domain", inputs: {"particles": "set.value"}),
"##;

const MONAGHAN: &str = r##"
    "density": (stage: "sph/density", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "near.particles"}),
    "pressure": (stage: "sph/pressure", inputs: {"particles": "density.particles"}, params: {"rest_density": 1000, "stiffness": 50, "clamp_negative": false}),
    "acceleration": (stage: "sph/acceleration", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "pressure.particles"}, params: {"viscosity": 3, "artificial": 0.2, "stiffness": 50, "gravity": (0.5, -9.81, 0)}),
"##;

const ARTICLE: &str = r##"
    "density": (stage: "sph/density_ratio", on: "domain", inputs: {"neighbors": "near.neighbors", "particles": "near.particles", "poly6_ratio": "coefficients.poly6_ratio", "radius": "coefficients.radius"}),
    "pressure": (stage: "sph/pressure", inputs: {"particles": "density.particles"}, params: {"rest_density": 1000, "stiffness": 50, "clamp_negative": false}),
    "acceleration": (stage: "sph/acceleration_spiky", on: "domain", inputs: {"laplacian": "coefficients.laplacian", "neighbors": "near.neighbors", "particles": "pressure.particles", "radius": "coefficients.radius", "spiky": "coefficients.spiky"}, params: {"viscosity": 3, "gravity": (0.5, -9.81, 0)}),
"##;

const TENSION: &str = r##"
    "normal": (stage: "sph/normal", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "acceleration.particles"}),
    "tension": (stage: "sph/surface_tension", on: "domain", inputs: {"mass": "coefficients.mass", "neighbors": "near.neighbors", "particles": "normal.particles", "radius": "coefficients.radius"}, params: {"rest_density": 1000, "strength": 1.5}),
"##;

#[test]
fn accelerations_are_those_of_all_pairs_in_f64() {
    let cases = [(2usize, "4, 4", 150, "fill"), (3, "4, 4, 4", 500, "fill_list")];
    for ((dim, cells, count, fill), article) in cases.into_iter().flat_map(|case| [(case, false), (case, true)]) {
        let mass = 1000.0 / count as f64;
        let values = [("$cells", cells.into()), ("$mass", mass.to_string()), ("$fill", fill.into())];
        let nodes = [PULLS, if article { ARTICLE } else { MONAGHAN }, TENSION].concat();
        let mut sim = start(60.0, &nodes, &pairs(&values));
        let positions: Vec<f32> = random(dim * count, 1).iter().map(|v| 0.5 + 0.5 * v).collect();
        let velocities = random(dim * count, 2);
        place(&mut sim, "set", &positions, &velocities, dim);
        step(&mut sim, 1);
        let fluid = Fluid { article, dim, mass: f64::from(mass as f32), ..WATER };
        let outcomes = fluid.outcomes(&vectors_of(&f64s(&positions), dim), &vectors_of(&f64s(&velocities), dim));
        let ids = wholes(&sim, "tension.particles", "id");
        let found = vectors(&sim, "tension.particles", "acceleration", dim);
        let density = scalars(&sim, "tension.particles", "density");
        // Up to 70 neighbours and 20 operations, at most 5 U each for division and square root.
        let bar = (70.0 + 20.0 * 5.0) * U;
        let rho: Vec<f64> =
            ids.iter().zip(&density).map(|(id, rho)| rho / outcomes[*id as usize].density - 1.0).collect();
        within(&format!("density in {dim}D, relative"), max_abs(&rho), bar, "170 roundings");
        let off = ids.iter().zip(&found).map(|(id, a)| {
            let outcome = outcomes[*id as usize];
            length(apart(outcome.acceleration, *a)) / outcome.terms
        });
        let largest = outcomes.iter().map(|o| length(o.acceleration)).fold(0.0, f64::max);
        println!("{} accelerations up to {largest:.1} m/s^2", if article { "article:" } else { "one kernel:" });
        within("  acceleration, over the size of its terms", max_abs(&off.collect::<Vec<_>>()), bar, "170 roundings");
    }
}

const CLOSED: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 1000, inputs: {"init": "begin.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", params: {"size": (1, 1, 1), "spacing": 0.1, "jitter": 0.3}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "smoothing_radius": 0.2}),
    "substep": (stage: "sph/substep", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius"},
        params: {"rest_density": 1000, "stiffness": 100, "clamp_negative": false, "viscosity": 0.5, "gravity": (0, 0, 0), "surface_tension": 1}, iterations: 10),
"##;

#[test]
fn momentum_of_a_closed_box_is_conserved() {
    for (dim, cells) in [(2usize, "5, 5"), (3, "5, 5, 5")] {
        let mut sim = start(60.0, CLOSED, &[("$cells", cells)]);
        let count = 10usize.pow(dim as u32);
        sim.reset();
        let velocities = random(dim * count, 4);
        sim.write("set.velocity", &velocities).unwrap_or_else(|e| panic!("{e}"));
        let sum = |velocities: &[[f64; 3]]| velocities.iter().fold([0.0; 3], |sum, v| plus(sum, 1.0, *v));
        let before = vectors_of(&f64s(&velocities), dim);
        let size = before.iter().map(|v| length(*v)).sum::<f64>();
        step(&mut sim, 20);
        let after = vectors(&sim, "set.value", "velocity", dim);
        assert_eq!(after.len(), count);
        let drift = length(apart(sum(&before), sum(&after))) / size;
        let left = after.iter().map(|v| length(*v)).sum::<f64>() / size;
        println!("{dim}D: after 200 substeps particles have {:.0} % of their speed", 100.0 * left);
        within("  momentum, over the sum of its sizes", drift, 1e-4, "a hundredth of a per cent");
        assert!(left > 0.01 && left < 2.0, "they still move, and have not burst");
    }
}

#[test]
fn two_runs_of_sph_have_the_same_bits() {
    let mut sim = start(60.0, CLOSED, &[("$cells", "5, 5, 5")]);
    let mut run = || {
        sim.reset();
        sim.write("set.velocity", &random(3000, 4)).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 10);
        ["position", "velocity", "id"].map(|name| words(&sim, &format!("set.value.{name}")))
    };
    let once = run();
    for (name, (a, b)) in ["position", "velocity", "id"].iter().zip(once.iter().zip(&run())) {
        let differ = a.iter().zip(b).filter(|(a, b)| a != b).count();
        println!("{name}: {differ} of {} words differ after 100 substeps", a.len());
        assert_eq!(differ, 0);
    }
}

#[test]
fn a_step_too_long_and_a_search_too_short_are_reported() {
    let mut sim = start(60.0, CLOSED, &[("$cells", "5, 5, 5")]);
    step(&mut sim, 1);
    assert!(sim.warnings(true).is_empty());
    // 300 m/s in 1/600 s is 2.5 smoothing radii of 0.2 m.
    sim.write("set.velocity", &vec![300.0; 3000]).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    let said = sim.warnings(true).to_string();
    println!("{said}");
    assert!(said.contains("substep/cfl.cfl") && said.contains("more substeps"), "{said}");
    sim.reset();
    sim.set_param("coefficients.smoothing_radius", ParamValue::Number(0.22)).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    let said = sim.warnings(true).to_string();
    println!("{said}");
    assert!(said.contains("substep/cfl.reach"), "{said}");
}
