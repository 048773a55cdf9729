//! Two fluids in three dimensions: curvature, volumes and momentum that move, the pressure between densities of a ratio of a thousand.

use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

const BALL: &str = r#"
    "domain": (domain: (resolution: ($n, $n, $n), width: $n, edge: "wall")),
    "ball": (stage: "shape/sphere", on: "domain", params: {"center": ($centre), "radius": $radius}),
    "fill": (stage: "two_phase/fill", on: "domain", inputs: {"shape": "ball"}),
    "normals": (stage: "two_phase/normal_curvature", inputs: {"shares": "fill"}),
    "heights": (stage: "two_phase/height_curvature", inputs: {"shares": "fill", "otherwise": "normals.curvature", "found": "normals.found"}),
"#;

/// Relative errors of a ball's curvature in cells that hold both fluids; whether the heights gave all of them.
fn ball_errors(r: f64) -> (Vec<f64>, bool) {
    let n = (2.0 * r) as usize + 12;
    let centre = [0.3, -0.1, 0.1].map(|c| (0.5 * n as f64 + c).to_string()).join(", ");
    let values = [("$n", n.to_string()), ("$centre", centre), ("$radius", r.to_string())];
    let mut sim = start(60.0, BALL, &pairs(&values));
    step(&mut sim, 1);
    let [f, kappa, method] = ["fill.fractions", "heights.curvature", "heights.method"].map(|w| read(&sim, w));
    let mixed: Vec<usize> = (0..n * n * n).filter(|i| f[2 * i] > 0.02 && f[2 * i] < 0.98).collect();
    (mixed.iter().map(|i| kappa[*i] * 0.5 * r - 1.0).collect(), mixed.iter().all(|i| method[*i] == 2.0))
}

/// Along a diagonal of the cells the corner columns that are used are those along the contour; with all four, a ball of 20 cells was 15 % off.
#[test]
fn heights_are_second_order_on_balls() {
    let measured = [10.0, 20.0].map(|r| {
        let (errors, by_heights) = ball_errors(r);
        assert!(by_heights, "the heights give all curvatures of R = {r}");
        println!("R = {r} cells: max {:.3e}, rms {:.3e} of 2/R", max_abs(&errors), rms(&errors));
        // The largest error is where columns end beside each other; the mean one falls with the square.
        within("heights", max_abs(&errors), 1.3 / (r * r), "3/4 (h / R)^2, three quarters more where columns end");
        rms(&errors)
    });
    has_order("rms error, R = 10 and 20", order(measured[0], measured[1]), 2.0);
}

const FLIGHT: &str = r#"
    "domain": (domain: (resolution: (16, 16, 16), width: 1, edge: "wrap")),
    "ball": (stage: "shape/sphere", on: "domain", params: {"center": (0.5, 0.45, 0.55), "radius": 0.25}),
    "fill": (stage: "two_phase/fill", on: "domain", inputs: {"shape": "ball"}),
    "push": (custom: r"//! Push
        //! @in  shape: Field<f32>
        //! @out velocity: Field<Vec>
        fn stage(p: Vec) -> Vec { return select(Vec(), Vec(1.0, 0.3, -0.6), shape(p) < 0.0); }", inputs: {"shape": "ball"}),
    "still": (stage: "staggered/from_field", on: "domain", inputs: {"velocity": "push"}),
    "fractions": (state: "Grid<vec2f>", on: "domain", inputs: {"init": "fill", "next": "advect.result"}),
    "velocity": (state: "FaceGrid", on: "domain", inputs: {"init": "still", "next": "advect.velocity"}),
    "pressure": (state: "Grid<f32>", on: "domain", inputs: {"next": "solve.pressure"}),
    "mass": (stage: "two_phase/masses", inputs: {"fractions": "fractions"}, params: {"density_f": 1000, "density_g": 1}),
    "divergence": (stage: "staggered/divergence", inputs: {"velocity": "velocity"}),
    "solve": (stage: "two_phase/pressure_multigrid_cg_3d", inputs: {"divergence": "divergence", "weight": "mass.weight", "pressure": "pressure"}, params: {"cycles": 3}),
    "project": (stage: "two_phase/project", inputs: {"velocity": "velocity", "pressure": "solve.pressure", "weight": "mass.weight"}),
    "advect": (stage: "two_phase/advect_momentum_3d", inputs: {"carried": "project", "fractions": "fractions", "velocity": "project"}, params: {"density_f": 1000, "density_g": 1, "substeps": 1}),
"#;

#[test]
fn a_dense_ball_keeps_its_volume_and_momentum() {
    let n = 16;
    let mut sim = start_fused(64.0, FLIGHT, &[], &[]);
    let sums = |v: &[f64], u: &[f64]| {
        let mass = |x: usize, y: usize, z: usize| {
            let i = 2 * ((z % n * n + y % n) * n + x % n);
            1000.0 * v[i] + v[i + 1]
        };
        let mut sums = [0.0; 4];
        for i in 0..n * n * n {
            let (x, y, z) = (i % n, i / n % n, i / n / n);
            let at = 3 * ((z * (n + 1) + y) * (n + 1) + x);
            let below = [mass(x + n - 1, y, z), mass(x, y + n - 1, z), mass(x, y, z + n - 1)];
            (0..3).for_each(|d| sums[d] += 0.5 * (below[d] + mass(x, y, z)) * u[at + d]);
            sums[3] += v[2 * i];
        }
        sums
    };
    step(&mut sim, 1);
    let first = sums(&read(&sim, "fractions"), &read(&sim, "velocity"));
    step(&mut sim, 48);
    let last = sums(&read(&sim, "fractions"), &read(&sim, "velocity"));
    let because = "masses and momenta are sums that move; what is left are roundings, and quanta of the volumes";
    for axis in 0..3 {
        within(&format!("momentum along axis {axis}"), last[axis] / first[axis] - 1.0, 1e-5, because);
    }
    within("volume", last[3] / first[3] - 1.0, 1e-6, "volumes are whole quanta");
}

const POISSON: &str = r#"
    "domain": (domain: (resolution: ($n, $n, $n), width: 1, edge: "$edge")),
    "rhs": (state: "Grid<f32>", on: "domain"),
    "p": (state: "Grid<f32>", on: "domain", params: {"value": 0}),
    "case": (number: 0), "tolerance": (number: 0),
    "vessel": (custom: r"//! Vessel
        //! @out distance: Grid<f32>
        //! @param choice: i32 = 0
        fn turned(d: vec3f) -> vec3f {
            let q = vec3f(0.70710678 * vec2f(d.x + d.y, d.y - d.x), d.z);
            return vec3f(q.x, 0.70710678 * vec2f(q.y + q.z, q.z - q.y));
        }
        fn hourglass(d: vec3f, neck: f32) -> f32 {
            return max(length(d.xz) - min(neck + 0.9 * abs(d.y), 0.47), abs(d.y) - 0.47);
        }
        // Two halves, between them a wall with a round hole.
        fn halves(d: vec3f, wall: f32, hole: f32) -> f32 { return -max(abs(d.y) - wall, hole - length(d.xz)); }
        fn stage(cell: Cell) -> f32 {
            let d = position(cell) - 0.5;
            if params.choice == 1 { return 0.07 - length(fract((d.xy + 0.5) * 4.0) / 4.0 - 0.125); }
            if params.choice == 2 { return hourglass(d, 0.04); }
            if params.choice == 3 { return hourglass(turned(d), 0.05); }
            if params.choice == 4 { return halves(d, 0.04, 0.05); }
            if params.choice == 5 { return halves(turned(d), 0.06, 0.05); }
            return -1.0;
        }", on: "domain", params: {"choice": "floor(case / 3)"}),
    "open": (stage: "two_phase/open_cells", inputs: {"vessel": "vessel"}),
    "shape": (custom: r"//! Shape
        //! @out distance: Field<f32>
        //! @param choice: i32 = 0
        fn stage(p: Vec) -> f32 {
            if params.choice == 1 { return 0.2 - length(p - vec3f(0.42, 0.53, 0.47)); }
            if params.choice == 2 { return 0.45 + 0.1 * sin(7.0 * p.x) - p.y; }
            return length(p - vec3f(0.42, 0.53, 0.47)) - 0.2;
        }", on: "domain", params: {"choice": "case % 3"}),
    "fractions": (stage: "two_phase/fill", on: "domain", inputs: {"shape": "shape", "open": "open"}),
    "masses": (stage: "two_phase/masses", inputs: {"fractions": "fractions"$open}, params: {"density_f": 1000, "density_g": 1}),
    "solve": (stage: "two_phase/pressure_multigrid_cg_3d", inputs: {"divergence": "rhs", "weight": "masses.weight", "pressure": "p"}, params: {"cycles": $cycles, "solved": $solved, "tolerance": "tolerance"}),
"#;

const SHAPES: [&str; 3] = ["a heavy ball", "a bubble", "air over waves"];

/// A box of n^3 cells whose solve takes so many cycles at most, with so many cells on the level that is solved, at most.
fn tank(n: usize, edge: &str, cycles: usize, solved: usize) -> Simulation {
    // A wall beyond an open border would close it.
    let open = if edge == "zero" { "" } else { r#", "open": "open""# };
    let values = [
        ("$n", n.to_string()),
        ("$edge", edge.into()),
        ("$cycles", cycles.to_string()),
        ("$solved", solved.to_string()),
        ("$open", open.into()),
    ];
    start(60.0, POISSON, &pairs(&values))
}

/// What each of the cycles from the second to the last takes from the residual, on average. The first may go to large scales, which the root mean square hardly counts.
fn each_cycle(sim: &mut Simulation, n: usize, cycles: usize, case: usize, what: &str) -> f64 {
    sim.set_param("case.value", ParamValue::Number(case as f64)).unwrap();
    step(sim, 1);
    let open = read(sim, "open.open");
    let wave = |i: usize| {
        let [x, y, z] = [i % n, i / n % n, i / n / n].map(|c| (c as f64 + 0.5) / n as f64);
        (5.0 * x + 1.0).sin() * (4.0 * y).cos() * (3.0 * z).cos()
    };
    let noise = random(n * n * n, 5);
    let mut rhs: Vec<f64> = noise.iter().enumerate().map(|(i, r)| open[i] * (0.3 * f64::from(*r) + wave(i))).collect();
    // Nothing flows through the border: the solver balances each part of the vessel.
    let excess = mean(&rhs) / mean(&open);
    rhs.iter_mut().zip(&open).for_each(|(r, open)| *r -= excess * open);
    let mut left = |tolerance: f64| {
        sim.set_param("tolerance.value", ParamValue::Number(tolerance)).unwrap();
        rms(&run(sim, &[("rhs", &f32s(&rhs))], 1, "solve/cycles.residual"))
    };
    let (first, last) = (left(1e30), left(0.0));
    let each = (first / last).powf(1.0 / (cycles - 1) as f64);
    println!(
        "{n}^3, {}, {what}: {:.1} times in the first cycle, {each:.1} in each to {cycles}",
        SHAPES[case % 3],
        rms(&rhs) / first
    );
    each
}

/// As in 2D.
#[test]
fn a_cycle_takes_seven_eighths_in_space() {
    // Levels of 27 cells have 14, 7, 4, 2, 1.
    for (n, edge) in today([(32, "wall"), (27, "wrap"), (27, "zero")], 3) {
        let mut sim = tank(n, edge, 4, 64);
        for shape in 0..3 {
            let each = each_cycle(&mut sim, n, 4, shape, edge);
            assert!(each >= 8.0, "a cycle takes {each} times");
        }
    }
}

/// The level of 8^3 cells, which is solved, finds the pressure between the parts of a vessel; posts leave it connected.
#[test]
fn walls_in_space_are_seen_by_the_wide_cells() {
    let vessels =
        ["posts", "an hourglass", "an oblique hourglass", "a wall with a hole", "an oblique wall with a hole"];
    let cases = (0..vessels.len()).flat_map(|vessel| (0..3).map(move |shape| (vessel, shape)));
    let mut sim = tank(32, "wall", 6, 512);
    for (vessel, shape) in today(cases.collect::<Vec<_>>(), 15) {
        let each = each_cycle(&mut sim, 32, 6, 3 * (vessel + 1) + shape, vessels[vessel]);
        assert!(each >= 8.0, "a cycle takes {each} times");
    }
}
