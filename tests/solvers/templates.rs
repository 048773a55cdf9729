//! Templates at several frame rates, resolutions and aspects, what they keep, and pressures in each other's place.

use std::path::PathBuf;

use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

fn template(name: &str) -> Document {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("graphs/templates").join(name).with_extension("ron");
    Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A template at this frame rate, on these cells.
fn sized(name: &str, fps: f64, domain: &str, cells: &[f64]) -> Document {
    let mut document = template(name);
    document.fps = fps;
    document.set(domain, "resolution", ParamValue::Vector(cells.to_vec())).unwrap();
    document
}

fn relative(a: &[f64], b: &[f64]) -> f64 {
    rms(&difference(a, b)) / rms(b)
}

/// Values of a component, from fine cells to cells twice as wide.
fn halved(values: &[f64], of: usize, which: usize, [across, up]: [usize; 2]) -> Vec<f64> {
    let at = |x: usize, y: usize| values[(y * across + x) * of + which];
    let mean =
        |x, y| 0.25 * (at(2 * x, 2 * y) + at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1) + at(2 * x + 1, 2 * y + 1));
    (0..up / 2).flat_map(|y| (0..across / 2).map(move |x| mean(x, y))).collect()
}

#[test]
fn waves_are_the_same_at_any_frame_rate_and_stable_at_any_size() {
    let start = |cells: [usize; 2]| -> Vec<f32> {
        let bump = |i: usize| {
            let (x, y) = ((i % cells[0]) as f32 + 0.5, (i / cells[0]) as f32 + 0.5);
            let h = 1.6 / cells[0] as f32;
            [0.02 * (-((x * h - 0.7).powi(2) + (y * h - 0.4).powi(2)) / 0.0064).exp(), 0.0]
        };
        (0..cells[0] * cells[1]).flat_map(bump).collect()
    };
    let height = |fps: f64, cells: [usize; 2]| {
        let mut document = sized("waves", fps, "domain", &cells.map(|n| n as f64));
        // No rain: its drops come at the beginning of a frame.
        document.set("drops", "rate", ParamValue::Number(0.0)).unwrap();
        let mut sim = fused(&document, &["water"]);
        let water = run(&mut sim, &[("water", &start(cells))], (0.5 * fps) as usize, "water");
        assert!(water.iter().all(|v| v.is_finite()), "{fps} fps, {cells:?}");
        water
    };
    let only = |water: &[f64]| -> Vec<f64> { water.iter().step_by(2).copied().collect() };
    let exact = only(&height(240.0, [160, 100]));
    for fps in [24.0, 30.0, 60.0, 120.0] {
        // First order in dt, which is at most 0.6 h / c; 120 steps of the finest run in a period of the bump.
        within(
            &format!("waves at {fps} fps"),
            relative(&only(&height(fps, [160, 100])), &exact),
            0.1,
            "time steps of 0.6 h / c",
        );
    }
    let fine = height(24.0, [320, 200]);
    within("twice the cells", relative(&halved(&fine, 2, 0, [320, 200]), &exact), 0.1, "h^2 of a bump of 8 cells");
    for cells in [[40, 160], [160, 20], [640, 40]] {
        let largest = max_abs(&only(&height(24.0, cells)));
        within(&format!("waves on {cells:?}: height"), largest, 0.02, "no higher than the bump");
    }
}

#[test]
fn a_reaction_keeps_its_scale_and_its_speed() {
    // A quarter of the template's box, with one seed in the middle.
    let grown = |fps: f64, cells: [usize; 2]| {
        let mut document = sized("reaction_diffusion", fps, "domain", &cells.map(|n| n as f64));
        document.set("domain", "width", ParamValue::Number(0.4)).unwrap();
        let middle = |i: usize| {
            let h = 0.4 / cells[0] as f32;
            let (x, y) = (((i % cells[0]) as f32 + 0.5) * h - 0.2, ((i / cells[0]) as f32 + 0.5) * h - 0.2);
            let inside = (-(x * x + y * y) / 0.002).exp();
            [1.0 - 0.5 * inside, 0.35 * inside]
        };
        let start: Vec<f32> = (0..cells[0] * cells[1]).flat_map(middle).collect();
        let mut sim = fused(&document, &["substances"]);
        run(&mut sim, &[("substances", &start)], (0.5 * fps) as usize, "substances")
    };
    let second = |values: &[f64]| -> Vec<f64> { values.iter().skip(1).step_by(2).copied().collect() };
    let shipped = second(&grown(60.0, [80, 80]));
    assert!(max_abs(&shipped) > 0.2, "the seed lives");
    for fps in [24.0, 30.0, 120.0] {
        let other = second(&grown(fps, [80, 80]));
        within(&format!("reaction at {fps} fps"), relative(&other, &shipped), 0.02, "first order in steps of one unit");
    }
    let fine = grown(60.0, [160, 160]);
    within(
        "reaction on twice the cells",
        relative(&halved(&fine, 2, 1, [160, 160]), &shipped),
        0.2,
        "a ring four cells wide",
    );
}

/// What a template's field sums up to, one component of it, over a second without sources and sinks.
fn kept(name: &str, domain: &str, cells: &[f64], fps: f64, state: &str, off: &[(&str, &str)]) -> (f64, f64) {
    let mut document = sized(name, fps, domain, cells);
    off.iter().for_each(|(node, param)| document.set(node, param, ParamValue::Number(0.0)).unwrap());
    let count = cells.iter().product::<f64>() as usize;
    let mut sim = fused(&document, &[state]);
    let of = sim.read(state).map_or(1, |field| field.data.len() / count);
    let blob = |i: usize| if (i / of) % cells[0] as usize > cells[0] as usize / 3 { 1.0 } else { 0.0 };
    let start: Vec<f32> = (0..count * of).map(blob).collect();
    let before = start.iter().map(|v| f64::from(*v)).sum();
    let after = run(&mut sim, &[(state, &start)], fps as usize, state);
    (before, after.iter().sum())
}

/// A template, its domain with cells, a State, and the parameters that are sources and sinks.
type Kept<'a> = (&'a str, &'a str, &'a [f64], &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn templates_keep_their_matter() {
    let cases: [Kept<'_>; 3] = [
        ("fluid_2d", "domain", &[48.0, 48.0], "dye", &[("pour", "rate"), ("advect_dye", "dissipation")]),
        ("fluid_2d_accurate", "domain", &[32.0, 32.0], "dye", &[("pour", "rate")]),
        ("smoke_3d", "box", &[16.0, 24.0, 16.0], "smoke", &[("pour", "rate"), ("advect_smoke", "dissipation")]),
    ];
    // Each case takes seconds: one rate on a day, the other on the next.
    for fps in today([24.0, 60.0], 2) {
        for (name, domain, cells, state, off) in cases {
            let (before, after) = kept(name, domain, cells, fps, state, off);
            within(&format!("{name} at {fps} fps: matter"), (after / before - 1.0).abs(), 1e-4, "1e-4 a second");
        }
    }
}

#[test]
fn each_pressure_takes_the_place_of_each() {
    // Those around obstacles take all cells to be open where none are named.
    const ALL: [&str; 8] =
        ["jacobi", "sor", "jacobi_watched", "sor_watched", "multigrid", "cg", "multigrid_obstacle", "cg_obstacle"];
    const WALLS: [&str; 6] = ["jacobi", "sor", "jacobi_watched", "sor_watched", "multigrid_obstacle", "cg_obstacle"];
    let builds = |document: &Document, what: &str| {
        let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{what}: {e}"));
        // States of the test that are only written from outside are reported.
        assert!(what.ends_with("walls") || graph.warnings.is_empty(), "{what}: {}", graph.warnings);
    };
    const BOX: &str = r##"
        "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
        "velocity": (state: "Grid<Vec>", on: "domain", inputs: {"next": "project.velocity"}),
        "before": (state: "Grid<f32>", on: "domain", inputs: {"next": "pressure.pressure"}),
        "divergence": (stage: "fluid/divergence", inputs: {"velocity": "velocity"}),
        "pressure": (stage: "fluid/pressure_$from", inputs: {"divergence": "divergence", "pressure": "before"}),
        "project": (stage: "fluid/project", inputs: {"pressure": "pressure.pressure", "velocity": "velocity"}),
        "paint": (custom: r#"//! Paint
            //! @in a: Grid<f32>
            //! @out image: Image
            fn stage(cell: Cell) -> vec4f { return vec4f(a(cell)); }"#, inputs: {"a": "pressure.pressure"}),
        "screen": (output: (size: (16, 16)), inputs: {"image": "paint"}),
    "##;
    for from in ALL {
        for to in ALL {
            for started in [true, false] {
                let mut document = document(60.0, BOX, &[("$from", from)]);
                if !started {
                    document.nodes.get_mut("pressure").unwrap().inputs.remove("pressure");
                }
                let scope = Default::default();
                let name = format!("fluid/pressure_{to}");
                stagewright_language::edit::replace_stage(&mut document, &scope, "pressure", &name, Library::builtin())
                    .unwrap();
                assert_eq!(document.nodes["pressure"].inputs.len(), if started { 2 } else { 1 }, "{from} to {to}");
                builds(&document, &format!("{from} to {to}"));
            }
        }
    }
    const ROOM: &str = r#"
        "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
        "d": (state: "Grid<f32>", on: "domain"), "p": (state: "Grid<f32>", on: "domain"), "open": (state: "Grid<f32>", on: "domain"),
        "solve": (stage: "fluid/pressure_$from", inputs: {"divergence": "d", "open": "open", "pressure": "p"}),
        "left": (stage: "fluid/residual", inputs: {"divergence": "d", "open": "open", "pressure": "solve.pressure"}),
    "#;
    for from in WALLS {
        for to in WALLS {
            let mut document = document(60.0, ROOM, &[("$from", from)]);
            let scope = Default::default();
            let name = format!("fluid/pressure_{to}");
            stagewright_language::edit::replace_stage(&mut document, &scope, "solve", &name, Library::builtin())
                .unwrap();
            assert_eq!(document.nodes["solve"].inputs.len(), 3, "{from} to {to}");
            builds(&document, &format!("{from} to {to} around walls"));
        }
    }
}

/// A wave that diffusion damps, by sweeps that are enough and by such that are not, on vectors and around a wall too.
#[test]
fn a_watched_diffusion_tells_what_its_sweeps_leave() {
    const DIFFUSE: &str = r##"
        "domain": (domain: (resolution: (32, 24), width: 1, edge: "wall")),
        "q": (state: "Grid<$type>", on: "domain"),
        "open": (custom: r#"//! Open
            //! @out open: Grid<f32>
            fn stage(cell: Cell) -> f32 { return select(1.0, 0.0, distance(position(cell), 0.5 * SIZE) < $radius); }"#, on: "domain"),
        "spread": (stage: "fluid/diffuse_watched", inputs: {"field": "q", "open": "open"}, params: {"diffusivity": 0.1, "free_slip": $slip, "sweeps": $sweeps}),
        "apart": (stage: "fluid/diffuse", inputs: {"before": "q", "field": "q", "open": "open"}, params: {"diffusivity": 0.1, "free_slip": $slip}, iterations: $sweeps),
    "##;
    let cells = 32 * 24;
    for (ty, numbers) in [("f32", 1), ("Vec", 2)] {
        for (radius, slip) in [("-1.0", "false"), ("0.2", "false"), ("0.2", "true")] {
            let left = [4, 40].map(|sweeps| {
                let sweeps = sweeps.to_string();
                let values = [("$type", ty), ("$radius", radius), ("$slip", slip), ("$sweeps", &sweeps)];
                let mut sim = start(60.0, DIFFUSE, &values);
                let field = random(cells * numbers, 8);
                let relative = run(&mut sim, &[("q", &field)], 1, "spread.relative")[0];
                assert_eq!(words(&sim, "spread.field"), words(&sim, "apart.field"), "the sweeps are those of Diffuse");
                relative
            });
            println!("{ty}, wall of {radius} m, free slip {slip}: 4 sweeps leave {:.4}, 40 {:.6}", left[0], left[1]);
            // a = 1.7: four sweeps leave 0.87^8 of wide waves, forty 1.5e-5 of them.
            assert!(left[0] > 0.01 && left[1] < 1e-3, "{ty}: {left:?}");
        }
    }
}

/// With weights that differ from face to face, and walls.
#[test]
fn a_check_between_two_fluids_tells_the_residual_of_their_equation() {
    const CHECK: &str = r##"
        "domain": (domain: (resolution: (20, 12), width: 1, edge: "wall")),
        "d": (state: "Grid<f32>", on: "domain"), "p": (state: "Grid<f32>", on: "domain"),
        "weight": (custom: r#"//! Weight
            //! @out weight: FaceGrid
            fn stage(cell: Cell) -> Vec {
                var faces = Vec();
                for (var axis = 0; axis < DIM; axis++) {
                    let wall = wall_face(cell, axis) || (axis == 0 && cell.x == 7);
                    faces[axis] = select(0.2 + 3.0 * random(cell, u32(axis)), 0.0, wall);
                }
                return faces;
            }"#, on: "domain"),
        "check": (stage: "two_phase/check_residual", inputs: {"divergence": "d", "pressure": "p", "weight": "weight"}),
        "left": (stage: "multigrid/residual", inputs: {"divergence": "d", "pressure": "p", "weight": "weight"}),
    "##;
    let mut sim = start(60.0, CHECK, &[]);
    let (d, p) = (random(20 * 12, 3), random(20 * 12, 4));
    let residual = run(&mut sim, &[("d", &d), ("p", &p)], 1, "check.residual")[0];
    assert_eq!(residual, max_abs(&read(&sim, "left.residual")), "the greatest that is left");
    let relative = read(&sim, "check.relative")[0];
    let expected = residual / max_abs(&f64s(&d));
    within("relative", (relative / expected - 1.0).abs(), 1e-4, "its allowance for rounding");
}

#[test]
fn pressures_report_what_they_leave() {
    const SOLVE: &str = r#"
        "domain": (domain: (resolution: (64, 64), width: 1, edge: "zero")),
        "d": (state: "Grid<f32>", on: "domain"), "p": (state: "Grid<f32>", on: "domain"),
        "solve": (stage: "fluid/pressure_$solver", inputs: {"divergence": "d", "pressure": "p"}, params: {$params}, iterations: $n),
        "check": (stage: "fluid/check_residual", inputs: {"divergence": "d", "pressure": "solve.pressure"}),
        "left": (stage: "fluid/residual", inputs: {"divergence": "d", "pressure": "solve.pressure"}),
    "#;
    // The slowest wave of the box: sweeps hardly reduce it, a cycle does.
    let wave = |i: usize| {
        (std::f64::consts::PI * ((i % 64) as f64 + 1.0) / 65.0).sin()
            * (std::f64::consts::PI * ((i / 64) as f64 + 1.0) / 65.0).sin()
    };
    let source = f32s(&(0..64 * 64).map(wave).collect::<Vec<_>>());
    for (solver, params, n, low, high) in
        [("jacobi", "", 20, 0.8, 1.0), ("cg", r#""steps": 40"#, 1, 0.0, 0.01), ("multigrid", "", 2, 0.0, 0.1)]
    {
        let mut sim = start(60.0, SOLVE, &[("$solver", solver), ("$params", params), ("$n", &n.to_string())]);
        let relative = run(&mut sim, &[("d", &source)], 1, "check.relative")[0];
        let exact = max_abs(&read(&sim, "left.residual")) / max_abs(&f64s(&source));
        println!("{solver}, {n}: {relative:.4} of the divergence is left");
        // Rounding that the check allows for is 1e-6 of the pressures over h^2, 1 / (2 pi^2) of 64^2 here.
        within(
            &format!("{solver}: what the check tells"),
            (relative - exact).abs(),
            3e-4,
            "its allowance for rounding",
        );
        assert!((low..=high).contains(&relative), "{solver}: {relative}");
    }
}
