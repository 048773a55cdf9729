//! Grids in half precision: what a store loses, that nothing else is lost, and that memory halves.

use stagewright_compiler::tuning::{self, Shape};
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::{Graph, Kind};
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid, jacobi, sor};

/// What storing a number as binary16 changes it by at most, relative to it: half a unit of its 11 bits.
const STORE: f64 = 1.0 / 2048.0;

fn graph(document: &Document) -> Graph {
    Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"))
}

fn plan(document: &Document, keep: Keep, tuning: Tuning) -> Plan {
    let options = PlanOptions { keep, tuning, ..PlanOptions::default() };
    Plan::compile(&graph(document), &options).unwrap_or_else(|e| panic!("{e}"))
}

fn tuned(document: &Document, keep: Keep, tuning: Tuning) -> Simulation {
    Simulation::new(gpu(), plan(document, keep, tuning)).unwrap_or_else(|e| panic!("{e}"))
}

fn wires(names: &[&str]) -> Keep {
    Keep::Wires(names.iter().map(|name| name.to_string()).collect())
}

/// Every stage that can be in this shape has it.
fn shaped(document: &Document, shape: Shape) -> Tuning {
    let graph = graph(document);
    let stages = graph.nodes.iter().filter_map(|node| match &node.kind {
        Kind::Stage(stage) => Some((tuning::key(&graph, node, stage), shape)),
        _ => None,
    });
    Tuning { shapes: stages.collect(), ..Tuning::default() }
}

const COPY: &str = r#"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "source": (state: "Grid<$type>", on: "box"),
    "copy": (custom: r"//! Copy
        //! @in  given: Grid<T>
        //! @out to: Grid<T>
        fn stage(cell: Cell) -> T { return given(cell); }", inputs: {"given": "source"}, precision: "f16"),
    "back": (custom: r"//! Back
        //! @in  given: Grid<T>
        //! @out result: Grid<T>
        fn stage(cell: Cell) -> T { return given(cell); }", inputs: {"given": "copy"}),
    "kept": (state: "Grid<$type>", inputs: {"next": "back"}, precision: "f16", on: "box"),
    "whole": (state: "Grid<$type>", inputs: {"next": "copy"}, on: "box"),
"#;

#[test]
fn a_store_rounds_to_the_nearest_half() {
    for (ty, cells) in [
        ("f32", "6, 5"),
        ("vec2f", "5, 3"),
        ("vec3f", "5, 3"),
        ("vec4f", "5, 3"),
        ("Vec", "5, 3"),
        ("f32", "6, 3, 2"),
        ("Vec", "5, 3, 3"),
    ] {
        let mut simulation = start(60.0, COPY, &[("$type", ty), ("$cells", cells)]);
        simulation.reset();
        let count = read(&simulation, "source").len();
        let values: Vec<f32> = random(count, 3).iter().zip(0..).map(|(v, i)| v * 10f32.powi(i % 6 - 2)).collect();
        let copied = run(&mut simulation, &[("source", &values)], 1, "copy.to");
        let lost =
            difference(&copied, &f64s(&values)).iter().zip(&values).map(|(d, v)| d / f64::from(*v)).collect::<Vec<_>>();
        within(&format!("{ty} over {cells}"), max_abs(&lost), STORE, "half a unit of 11 bits");
        assert!(max_abs(&lost) > 0.2 * STORE, "it is stored as a half");
        // What is a half already stays what it is: read by a stage, stored in a State of its own precision and of another.
        for wire in ["back.result", "kept", "whole"] {
            assert_eq!(read(&simulation, wire), copied, "{ty}: {wire}");
        }
        // What is written to a State is rounded as the GPU rounds.
        simulation.write("kept", &values).unwrap();
        assert_eq!(read(&simulation, "kept"), copied, "{ty} as the CPU packs it");
    }
}

const CHAIN: &str = r#"
    "box": (domain: (resolution: (12, 10), width: 1, edge: "wall")),
    "source": (state: "Grid<f32>"),
    "flow": (state: "Grid<Vec>"),
    "scaled": (custom: r"//! Scaled
        //! @in  given: Grid<f32>
        //! @in  flow: Grid<Vec>
        //! @out to: Grid<f32>
        //! @out turned: Grid<Vec>
        //! @out count: Grid<u32>
        fn stage(cell: Cell) -> Result { return Result(1.37 * given(cell), 0.7 * flow(cell).yx, u32(cell.x)); }",
        inputs: {"given": "source", "flow": "flow"}, precision: "f16"),
    "mixed": (custom: r"//! Mixed
        //! @in    a: Grid<f32>
        //! @in    b: Grid<Vec>
        //! @in    n: Grid<u32>
        //! @inout sum: Grid<f32> = 0.1
        fn stage(cell: Cell) -> f32 { return 0.3 * sum(cell) + a(cell) * b(cell).x + f32(n(cell)); }",
        inputs: {"a": "scaled.to", "b": "scaled.turned", "n": "scaled.count"}, precision: "$mixed"),
    "last": (custom: r"//! Last
        //! @in  sum: Grid<f32>
        //! @in  a: Grid<f32>
        //! @out to: Grid<vec3f>
        fn stage(cell: Cell) -> vec3f { return vec3f(sum(cell), a(cell), sum(cell) * a(cell)); }",
        inputs: {"sum": "mixed", "a": "scaled.to"}, precision: "f16"),
    "around": (custom: r"//! Around
        //! @in  given: Grid<vec3f>
        //! @out to: Grid<f32>
        fn stage(cell: Cell) -> f32 { return dot(given(neighbor(cell, 0)), given(neighbor(cell, 3))); }",
        inputs: {"given": "last"}),
"#;

#[test]
fn stages_that_share_a_dispatch_hand_on_what_a_store_would_have_left() {
    for mixed in ["f16", "f32"] {
        let document = document(60.0, CHAIN, &[("$mixed", mixed)]);
        for kept in [&["around"][..], &["around", "scaled", "mixed"]] {
            let words = |fuse| {
                let mut simulation = tuned(&document, wires(kept), Tuning { fuse, ..Tuning::default() });
                simulation.reset();
                simulation.write("source", &random(120, 5)).unwrap();
                simulation.write("flow", &random(240, 6)).unwrap();
                step(&mut simulation, 1);
                let wires = ["around.to", "scaled.to", "scaled.turned", "mixed.sum"];
                let read = wires.iter().take(if kept.len() > 1 { 4 } else { 1 }).map(|w| words(&simulation, w));
                (simulation.plan().invariant.len(), read.collect::<Vec<_>>())
            };
            let ((apart, expected), (together, found)) = (words(false), words(true));
            assert!(together < apart, "{together} dispatches instead of {apart}");
            assert_eq!(found, expected, "mixed as {mixed}, kept {kept:?}");
        }
    }
}

const SWEEPS: &str = r#"
    "box": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>"),
    "sweep": (stage: "fluid/$stage", inputs: {"divergence": "rhs", "pressure": "p"}, params: {"relaxation": 1},
              iterations: $count, precision: "f16"),
"#;

struct Sweeps {
    grid: Grid,
    stage: &'static str,
    count: usize,
}

impl Sweeps {
    fn document(&self) -> Document {
        let width = (self.grid.n[0] as f64 * 0.25).to_string();
        let values = [
            ("$cells", self.grid.resolution()),
            ("$width", width),
            ("$edge", self.grid.edge.name().into()),
            ("$stage", self.stage.into()),
            ("$count", self.count.to_string()),
        ];
        document(60.0, SWEEPS, &pairs(&values))
    }

    fn input(&self) -> (Vec<f32>, Vec<f32>) {
        let noise = random(self.grid.cell_count(), 2);
        // The mean of a closed box is taken away before the sweeps.
        let mean = if self.grid.edge == EdgeRule::Zero { 0.0 } else { mean(&f64s(&noise)) as f32 };
        (random(self.grid.cell_count(), 1), noise.iter().map(|v| 16.0 * (v - mean)).collect())
    }

    fn gpu(&self, tuning: Tuning) -> Vec<f64> {
        let (p, rhs) = self.input();
        let mut simulation = tuned(&self.document(), wires(&["sweep"]), tuning);
        run(&mut simulation, &[("p", &p), ("rhs", &rhs)], 1, "sweep.pressure")
    }

    /// The sweeps in f64, and the largest value on the way.
    fn cpu(&self) -> (Vec<f64>, f64) {
        let (p, rhs) = self.input();
        let (mut p, rhs) = (f64s(&p), f64s(&rhs));
        let mut largest = max_abs(&p);
        for _ in 0..self.count {
            match self.stage {
                "pressure_jacobi" => jacobi(&self.grid, &mut p, &rhs, 1.0),
                _ => sor(&self.grid, &mut p, &rhs, 1.0),
            }
            largest = largest.max(max_abs(&p));
        }
        (p, largest)
    }

    /// An update is an average of its neighbours, so each store adds what it rounds by at most, and nothing grows. f32's own
    /// rounding is smaller by three orders.
    fn bar(&self, largest: f64) -> f64 {
        1.01 * self.count as f64 * STORE * largest
    }
}

fn relative(found: &[f64], expected: &[f64]) -> f64 {
    rms(&difference(found, expected)) / rms(expected)
}

#[test]
fn pressure_in_halves_is_off_by_its_stores() {
    use EdgeRule::{Wall, Wrap, Zero};
    for (stage, cells, edge) in [
        ("pressure_jacobi", &[44, 23][..], Wall),
        ("pressure_jacobi", &[44, 23], Wrap),
        ("pressure_sor", &[44, 22], Zero),
        ("pressure_sor", &[44, 22], Wrap),
        ("pressure_jacobi", &[12, 9, 7], Wrap),
        ("pressure_sor", &[12, 10, 6], Wall),
    ] {
        let case = Sweeps { grid: Grid::new(cells, 0.25 * cells[0] as f64, edge), stage, count: 7 };
        let (expected, largest) = case.cpu();
        let what = format!("{stage} over {cells:?} {}", edge.name());
        let plain = case.gpu(Tuning::default());
        within(&what, max_abs(&difference(&plain, &expected)), case.bar(largest), "7 stores of an average");
        let document = case.document();
        // Four cells of a row round as two do.
        let rows = case.gpu(shaped(&document, Shape::rows(cells.len() as u32)));
        assert_eq!(rows, plain, "{what}, in rows");
        let groups = case.gpu(shaped(&document, Shape { group: [16, 4, 1], cells: 1, sweeps: 1, halo: 0 }));
        assert_eq!(groups, plain, "{what}, in other workgroups");
        // On a tile sweeps continue in f32, so it rounds less often.
        let tile = case.gpu(shaped(&document, Shape::tile(cells.len() as u32, 1, 4)));
        let error = max_abs(&difference(&tile, &expected));
        within(&format!("{what}, on tiles"), error, case.bar(largest), "no more stores");
        assert!(relative(&tile, &expected) < relative(&plain, &expected), "{what}: fewer roundings, less error");
    }
}

#[test]
fn forty_sweeps_in_halves_keep_three_digits() {
    let case = Sweeps { grid: Grid::new(&[128, 128], 32.0, EdgeRule::Wall), stage: "pressure_jacobi", count: 40 };
    let (expected, largest) = case.cpu();
    for (how, tuning) in [("one sweep a dispatch", Tuning::default()), ("eight on a tile", Tuning::gpu())] {
        let found = case.gpu(tuning);
        println!("{how}: {:.2e} of the pressure's root mean square", relative(&found, &expected));
        within(how, max_abs(&difference(&found, &expected)), case.bar(largest), "40 stores of an average");
        // Roundings are as good as independent: the root of 40 of them, each uniform with a deviation of STORE / sqrt(3),
        // and no more of the value than all of it.
        let bar = 40f64.sqrt() * STORE / 3f64.sqrt() * largest / rms(&expected);
        within("  relative", relative(&found, &expected), bar, "sqrt(40) independent roundings");
    }
}

const DYE: &str = r#"
    "box": (domain: (resolution: (48, 40), width: 1, edge: "wall")),
    "flow": (state: "Grid<Vec>"),
    "dye": (state: "Grid<$type>", inputs: {"next": "moved"}, precision: "$precision"),
    "moved": (stage: "fluid/advect", inputs: {"velocity": "flow", "field": "dye"}, precision: "$precision"),
"#;

#[test]
fn dye_in_halves_moves_as_in_f32_but_for_its_stores() {
    const FRAMES: usize = 30;
    for (ty, components) in [("f32", 1), ("vec4f", 4)] {
        let flow: Vec<f32> = random(48 * 40 * 2, 8).iter().map(|v| 0.5 * v).collect();
        let dye: Vec<f32> = random(48 * 40 * components, 9).iter().map(|v| v.abs()).collect();
        let [half, whole] = ["f16", "f32"].map(|precision| {
            let mut simulation = start(60.0, DYE, &[("$type", ty), ("$precision", precision)]);
            run(&mut simulation, &[("flow", &flow), ("dye", &dye)], FRAMES, "dye")
        });
        let largest = max_abs(&f64s(&dye));
        let bar = 1.01 * (FRAMES + 1) as f64 * STORE * largest;
        let error = difference(&half, &whole);
        println!("{ty}: {:.2e} rms after {FRAMES} frames", rms(&error));
        within(ty, max_abs(&error), bar, "a store a frame; interpolation never lets an error grow");
        assert!(max_abs(&error) > STORE * 0.1, "it is stored as halves");
    }
}

#[test]
fn memory_and_traffic_halve() {
    let of = |precision| {
        let document = document(60.0, DYE, &[("$type", "vec4f"), ("$precision", precision)]);
        plan(&document, wires(&["dye"]), Tuning::default())
    };
    let (half, whole) = (of("f16"), of("f32"));
    let cells = 48 * 40;
    // Velocity, and dye twice.
    assert_eq!((whole.memory, half.memory), (cells * (8 + 2 * 16), cells * (8 + 2 * 8)));
    assert_eq!((whole.traffic()[0], half.traffic()[0]), (cells * (8 + 2 * 16), cells * (8 + 2 * 8)));
    let text = half.to_text();
    assert!(text.contains("dye.value as f16 (15360 bytes)"), "{text}");
}

#[test]
fn a_state_keeps_its_contents_while_its_precision_stays() {
    let of = |precision| document(60.0, DYE, &[("$type", "f32"), ("$precision", precision)]);
    let values = random(48 * 40, 4);
    let mut simulation = start(60.0, DYE, &[("$type", "f32"), ("$precision", "f16")]);
    simulation.write("dye", &values).unwrap();
    let before = words(&simulation, "dye");
    simulation.replace(compile(&of("f16"), Keep::All)).unwrap();
    assert_eq!(words(&simulation, "dye"), before);
    simulation.replace(compile(&of("f32"), Keep::All)).unwrap();
    assert_eq!(max_abs(&read(&simulation, "dye")), 0.0, "another precision starts anew");
}

#[test]
fn a_preview_leaves_halves_as_they_are() {
    let mut simulation = start(60.0, DYE, &[("$type", "f32"), ("$precision", "f16")]);
    simulation.write("dye", &random(48 * 40, 4)).unwrap();
    simulation.write("flow", &random(2 * 48 * 40, 5)).unwrap();
    let before = words(&simulation, "dye");
    simulation.preview(&Default::default()).unwrap();
    assert_eq!(words(&simulation, "dye"), before);
    step(&mut simulation, 1);
    assert_ne!(words(&simulation, "dye"), before);
}

const STARTS: &str = r#"
    "box": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "seen": (stage: "grid/remap", inputs: {"field": "kept"}),
    "kept": (state: "Grid<f32>", params: {"value": 0.1}, inputs: {"next": "more"}, precision: "f16"),
    "more": (custom: r"//! More
        //! @inout sum: Grid<f32>
        fn stage(cell: Cell) -> f32 { return sum(cell) + 0.3; }", inputs: {"sum": "kept"}, iterations: 2, precision: "$more"),
    "splat": (custom: r"//! Splat
        //! @in    given: Grid<f32>
        //! @inout sum: Grid<f32>, scatter
        fn stage(cell: Cell) { add_sum(cell, given(cell)); }", inputs: {"given": "kept", "sum": "kept"}),
"#;

#[test]
fn halves_and_whole_numbers_go_on_from_each_other() {
    let half = |v: f64| (v * 16_384.0).round() / 16_384.0; // of numbers in 0.0625..0.125
    for more in ["f16", "f32"] {
        let mut simulation = start(60.0, STARTS, &[("$more", more)]);
        step(&mut simulation, 1);
        let kept = read(&simulation, "kept");
        // A half has steps of 2^-11 from 0.5 to 1, and of 2^-12 below: each store leaves one of the two around what it is given.
        let (exact, steps) = (half(0.1) + 0.6, if more == "f16" { 1.5 / 2048.0 } else { 1.0 / 2048.0 });
        assert!(kept.iter().all(|v| (v * 2048.0).fract() == 0.0), "they are halves");
        let errors: Vec<f64> = kept.iter().map(|v| v - exact).collect();
        within(&format!("more as {more}"), max_abs(&errors), steps, "a step for each store");
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let deviation = steps / 2.0 / (errors.len() as f64).sqrt();
        within("  on average", mean.abs(), 5.0 * deviation, "up and down as often as it must be; five deviations");
        let splat = read(&simulation, "splat.sum");
        within(
            "the scatter before",
            (splat[9] - 2.0 * half(0.1)).abs(),
            2f64.powi(-16),
            "fixed point of 16 bits, twice rounded",
        );
    }
}

const FADES: &str = r#"
    "box": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
    "one": (stage: "grid/expression", on: "box", params: {"value": "1"}),
    "big": (stage: "grid/expression", on: "box", params: {"value": "4"}),
    "fast": (state: "Grid<f32>", on: "box", precision: "f16", inputs: {"init": "one", "next": "fading"}),
    "fading": (stage: "fluid/dissipate", inputs: {"field": "fast"}, params: {"rate": 0.35}, precision: "f16"),
    "slow": (state: "Grid<f32>", on: "box", precision: "f16", inputs: {"init": "one", "next": "fading_slowly"}),
    "fading_slowly": (stage: "fluid/dissipate", inputs: {"field": "slow"}, params: {"rate": 0.02}, precision: "$stage"),
    "more": (state: "Grid<f32>", on: "box", precision: "f16", inputs: {"init": "big", "next": "growing"}),
    "growing": (stage: "grid/expression", inputs: {"a": "more"}, params: {"value": "a + 0.1 * dt"}, precision: "$stage"),
"#;

#[test]
fn a_state_in_halves_changes_by_less_than_half_a_step_a_frame() {
    const SECONDS: f64 = 2.0;
    // A stage that stores f32 has its State's copy of it rounded.
    for (fps, stage) in [(60.0, "f16"), (240.0, "f32"), (1000.0, "f16")] {
        let mut simulation = start(fps, FADES, &[("$stage", stage)]);
        step(&mut simulation, (SECONDS * fps) as usize);
        for (state, rate, exact) in [
            ("fast", 0.35, (-0.35 * SECONDS).exp()),
            ("slow", 0.02, (-0.02 * SECONDS).exp()),
            ("more", 0.1 / 4.0, 4.0 + 0.1 * SECONDS),
        ] {
            let values = read(&simulation, state);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            // Each frame goes up or down a step with the chance of what it changes: the variance of a sum of such choices, averaged over
            // the cells. Six deviations, and what the scheme itself is off by in f32.
            let (largest, frames) = (exact.max(1.0), SECONDS * fps);
            let unit = 2.0 * STORE * largest;
            let changes = (rate * exact / fps / unit).min(1.0);
            let deviation = unit * (frames * changes.min(0.25).max(1.0 / frames) / values.len() as f64).sqrt();
            within(
                &format!("{state} at {fps} fps"),
                (mean - exact).abs(),
                6.0 * deviation + 1e-3 * exact,
                "six deviations",
            );
            assert!((mean - exact).abs() < 0.01 * exact, "{state} at {fps} fps: {mean}, exact {exact}");
        }
    }
}

const DITHERED: &str = r#"
    "box": (domain: (resolution: (12, 10), width: 1, edge: "wall")),
    "start": (custom: r"//! Start
        //! @out to: Grid<$type>
        fn stage(cell: Cell) -> $type { return $type(f32(cell.x) + 0.37 * f32(cell.y)); }", on: "box"),
    "s": (state: "Grid<$type>", on: "box", precision: "f16", inputs: {"init": "start", "next": "faded"}),
    "spread": (custom: r"//! Spread
        //! @in  given: Grid<T>
        //! @out to: Grid<T>
        fn stage(cell: Cell) -> T { return 0.9 * given(cell) + 0.1 * given(neighbor(cell, 1)); }", inputs: {"given": "s"}, precision: "f16"),
    "faded": (custom: r"//! Faded
        //! @in  given: Grid<T>
        //! @out to: Grid<T>
        fn stage(cell: Cell) -> T { return given(cell) * 0.9987; }", inputs: {"given": "spread"}, precision: "f16"),
    "constant": (custom: r"//! Constant
        //! @in  given: Grid<T>
        //! @out to: Grid<T>
        fn stage(cell: Cell) -> T { return given(cell) * 0.333; }", inputs: {"given": "start"}, precision: "f16"),
    "sum": (custom: r"//! Sum
        //! @in  a: Grid<T>
        //! @in  b: Grid<T>
        //! @out to: Grid<T>
        fn stage(cell: Cell) -> T { return a(cell) + b(cell); }", inputs: {"a": "faded", "b": "constant"}),
"#;

#[test]
fn dithered_stores_are_the_same_in_every_plan_and_run() {
    for ty in ["f32", "vec2f", "vec3f", "vec4f"] {
        let document = document(60.0, DITHERED, &[("$type", ty)]);
        let graph = graph(&document);
        let run = |keep: &[&str], tuning: Tuning, hoist: bool| {
            let options = PlanOptions { keep: wires(keep), tuning, hoist, ..PlanOptions::default() };
            let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
            let mut simulation = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
            step(&mut simulation, 5);
            ["s", "sum.to"].map(|wire| words(&simulation, wire))
        };
        let expected = run(&["s", "sum", "spread", "faded", "constant"], Tuning::default(), true);
        for (name, tuning) in [("plain", Tuning::default()), ("CPU", Tuning::cpu()), ("GPU", Tuning::gpu())] {
            for hoist in [true, false] {
                assert_eq!(run(&["s", "sum"], tuning.clone(), hoist), expected, "{ty}, {name}, hoisted: {hoist}");
            }
        }
    }
}
