//! Several numbers a cell, `Grid<f32[N]>`: the same bits as so many grids of one number, wherever they are read from and stored to.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::graph::measurement::Measurement;
use stagewright_language::library::Library;
use stagewright_runtime::sim::debug::{ElementPlace, FrameDebugger, FrameStart};
use stagewright_runtime::sim::expect;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

/// A step that reads own cells, neighbours and positions of three numbers, and one that reads own cells alone, so that both share a dispatch.
const ARRAY: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: $edge)),
    "f": (state: "Grid<f32[3]>", on: "box", $precision inputs: {"next": "scale.f"}),
    "move": (custom: r#"//! Move
        //! @inout f: Grid<f32[3]>, radius 1
        //! @param gain: f32 = 0.25
        const N = 3;
        fn stage(cell: Cell) -> array<f32, 3> {
            var g = array<f32, N>();
            for (var i = 0; i < N; i++) {
                let near = f(cell + unit(0), i) - 0.5 * f(cell - unit(i % DIM) + unit(1), (i + 1) % N);
                g[i] = 0.5 * f(cell, i) + params.gain * near + 0.1 * f_at(position(cell) + 0.3 * CELL_SIZE, i);
            }
            return g;
        }"#, inputs: {"f": "f"}, iterations: $iterations, $precision),
    "scale": (custom: r#"//! Scale
        //! @inout f: Grid<f32[3]>
        //! @out sum: Grid<f32>
        fn stage(cell: Cell) -> Result {
            let sum = f(cell, 0) + f(cell, 1) + f(cell, 2);
            return Result(array<f32, 3>(f(cell, 0) * 0.9, f(cell, 1) + 0.01 * sum, f(cell, 2)), sum);
        }"#, inputs: {"f": "move"}, $precision),
"##;

/// The same with three grids.
const GRIDS: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: $edge)),
    "a": (state: "Grid<f32>", on: "box", inputs: {"next": "scale.a"}),
    "b": (state: "Grid<f32>", on: "box", inputs: {"next": "scale.b"}),
    "c": (state: "Grid<f32>", on: "box", inputs: {"next": "scale.c"}),
    "move": (custom: r#"//! Move
        //! @inout a: Grid<f32>, radius 1
        //! @inout b: Grid<f32>, radius 1
        //! @inout c: Grid<f32>, radius 1
        //! @param gain: f32 = 0.25
        fn stage(cell: Cell) -> Result {
            let here = position(cell) + 0.3 * CELL_SIZE;
            let near = vec3f(a(cell + unit(0)) - 0.5 * b(cell - unit(0) + unit(1)), b(cell + unit(0)) - 0.5 * c(cell - unit(1) + unit(1)),
                c(cell + unit(0)) - 0.5 * a(cell - unit(2 % DIM) + unit(1)));
            return Result(0.5 * a(cell) + params.gain * near.x + 0.1 * a_at(here), 0.5 * b(cell) + params.gain * near.y + 0.1 * b_at(here),
                0.5 * c(cell) + params.gain * near.z + 0.1 * c_at(here));
        }"#, inputs: {"a": "a", "b": "b", "c": "c"}, iterations: $iterations),
    "scale": (custom: r#"//! Scale
        //! @inout a: Grid<f32>
        //! @inout b: Grid<f32>
        //! @inout c: Grid<f32>
        //! @out sum: Grid<f32>
        fn stage(cell: Cell) -> Result {
            let sum = a(cell) + b(cell) + c(cell);
            return Result(a(cell) * 0.9, b(cell) + 0.01 * sum, c(cell), sum);
        }"#, inputs: {"a": "move.a", "b": "move.b", "c": "move.c"}),
"##;

const CELLS: [(&str, usize); 2] = [("14, 9", 14 * 9), ("8, 5, 3", 8 * 5 * 3)];

fn plan(document: &Document, keep: Keep, tuning: Tuning) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// The plain plan that keeps all, and those for a GPU and for a processor that keep these wires.
fn plans(document: &Document, keep: &[&str]) -> Vec<Simulation> {
    let wires = || Keep::Wires(keep.iter().map(ToString::to_string).collect());
    let ways = [(Keep::All, Tuning::default()), (wires(), Tuning::gpu()), (wires(), gpu().tuning())];
    ways.into_iter().map(|(keep, tuning)| Simulation::new(gpu(), plan(document, keep, tuning)).unwrap()).collect()
}

/// Cell by cell, three numbers each.
fn woven(parts: [&[f32]; 3]) -> Vec<f32> {
    (0..parts[0].len()).flat_map(|i| parts.map(|part| part[i])).collect()
}

#[test]
fn numbers_of_a_cell_are_as_many_grids() {
    let edges = [
        r#""wall""#,
        r#""clamp""#,
        r#""zero""#,
        r#""wrap""#,
        r#""mirror""#,
        r#""open""#,
        r#"(x: "wrap", bottom: "zero", top: "mirror")"#,
    ];
    for ((cells, count), edge) in CELLS.into_iter().flat_map(|cells| edges.map(|edge| (cells, edge))) {
        for iterations in ["1", "4", "5"] {
            let values = [("$cells", cells), ("$edge", edge), ("$iterations", iterations), ("$precision", "")];
            let start = [11, 12, 13].map(|seed| random(count, seed));
            let mut grids = simulation(&document(60.0, GRIDS, &values));
            grids.reset();
            ["a", "b", "c"].iter().zip(&start).for_each(|(name, part)| grids.write(name, part).unwrap());
            step(&mut grids, 3);
            let [a, b, c] = ["a", "b", "c"].map(|name| f32s(&read(&grids, name)));
            let wanted: Vec<u32> = woven([&a, &b, &c]).into_iter().map(f32::to_bits).collect();
            for (way, sim) in plans(&document(60.0, ARRAY, &values), &["f", "scale.sum"]).iter_mut().enumerate() {
                sim.reset();
                sim.write("f", &woven([&start[0], &start[1], &start[2]])).unwrap();
                step(sim, 3);
                let what = format!("{cells} {edge} x{iterations}, plan {way}");
                if gpu().is_software() {
                    assert_eq!(words(sim, "f"), wanted, "{what}");
                    assert_eq!(words(sim, "scale.sum"), words(&grids, "scale.sum"), "{what}");
                } else {
                    let bits = wanted.iter().map(|word| f64::from(f32::from_bits(*word)));
                    within(
                        &what,
                        max_abs(&difference(&read(sim, "f"), &bits.collect::<Vec<_>>())),
                        1e-5,
                        "contracted sums",
                    );
                }
            }
        }
    }
}

#[test]
fn numbers_of_a_cell_are_stored_as_halves_that_are_right_on_average() {
    for (cells, count) in CELLS {
        let values =
            [("$cells", cells), ("$edge", r#""wall""#), ("$iterations", "2"), ("$precision", r#"precision: "f16","#)];
        let whole = [("$precision", ""), values[0], values[1], values[2]];
        let start = random(3 * count, 7);
        let outcomes = |values: &[(&str, &str)]| -> Vec<Vec<f64>> {
            let of = |sim: &mut Simulation| {
                sim.reset();
                sim.write("f", &start).unwrap();
                step(sim, 2);
                read(sim, "f")
            };
            plans(&document(60.0, ARRAY, values), &["f", "scale.sum"]).iter_mut().map(of).collect()
        };
        let (halves, exact) = (outcomes(&values), outcomes(&whole));
        assert!(!gpu().is_software() || halves[0] == halves[1] && halves[1] == halves[2], "the same in every plan");
        // What is read is a half.
        assert!(halves[0].iter().all(|x| f64::from(half::f16::from_f64(*x).to_f32()) == *x));
        let errors = difference(&halves[0], &exact[0]);
        // Each of seven stores in two frames is off by a step of 2^-10 of a number of up to 2 at most.
        within(&format!("{cells}, halves"), max_abs(&errors), 7.0 * 2.0 / 1024.0, "seven steps of a half");
        // Up or down at random, so the mean of so many is smaller by their root: four standard deviations.
        let bar = 4.0 * 7.0f64.sqrt() * 0.5 / 1024.0 / (3.0 * count as f64).sqrt();
        within(&format!("{cells}, their mean"), mean(&errors), bar, "unbiased");
    }
}

#[test]
fn a_store_to_halves_is_right_on_average_for_numbers_of_every_size() {
    let nodes = r##"
        "box": (domain: (resolution: (64, 64), width: 1)),
        "f": (state: "Grid<f32[5]>", on: "box", inputs: {"next": "f"}),
        "store": (custom: r#"//! Store
            //! @in f: Grid<f32[5]>
            //! @out g: Grid<f32[5]>
            fn stage(cell: Cell) -> array<f32, 5> {
                return array<f32, 5>(f(cell, 0) + 0.0 * frame.time, f(cell, 1), f(cell, 2), f(cell, 3), f(cell, 4));
            }"#, inputs: {"f": "f"}, precision: "f16"),
    "##;
    let mut sim = start(60.0, nodes, &[]);
    // Between two halves; an exact power of two; a subnormal half; the largest; beyond.
    let numbers = [1.0 + 0.3 / 1024.0, -2.0, 1.3 / 16_777_216.0, 65_504.0, 65_519.0];
    let start: Vec<f32> = (0..4096).flat_map(|_| numbers).collect();
    sim.reset();
    sim.write("f", &start).unwrap();
    step(&mut sim, 1);
    let found = read(&sim, "store.g");
    let of = |k: usize| found.iter().skip(k).step_by(5).copied().collect::<Vec<f64>>();
    // The deviation of the mean of 4,096 is that of one by 64; four of them.
    within("1 + 0.3 steps", mean(&of(0)) - f64::from(numbers[0]), 4.0 * 0.46 / 1024.0 / 64.0, "a chance of 0.3");
    within(
        "1.3 of the smallest",
        mean(&of(2)) - f64::from(numbers[2]),
        4.0 * 0.46 / 16_777_216.0 / 64.0,
        "a chance of 0.3",
    );
    assert!(of(0).contains(&1.0) && of(0).iter().any(|x| *x > 1.0));
    assert!(of(1).iter().all(|x| *x == -2.0), "an exact half remains");
    assert!(
        of(3).iter().chain(&of(4)).all(|x| *x == 65_504.0),
        "no number becomes infinite that would not to the nearest"
    );
}

#[test]
fn a_number_is_picked_in_bounds_and_seen_by_the_debugger() {
    let nodes = r##"
        "box": (domain: (resolution: (6, 5), width: 1)),
        "f": (state: "Grid<f32[4]>", on: "box", inputs: {"init": "start", "next": "f"}),
        "start": (custom: r#"//! Start
            //! @out f: Grid<f32[4]>
            fn stage(cell: Cell) -> array<f32, 4> {
                let n = f32(cell.x + 6 * cell.y);
                return array<f32, 4>(n, n + 100.0, n + 200.0, n + 300.0);
            }"#, on: "box"),
        "pick": (custom: r#"//! Pick
            //! @in f: Grid<f32[4]>
            //! @param which: i32 = 0
            //! @out number: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f(cell, params.which); }"#, inputs: {"f": "f"}, params: {"which": $which}),
        "bare": (custom: r#"//! Bare
            //! @in f: Grid<f32[4]> = 2.5
            //! @out number: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f(cell, 3); }"#, on: "box"),
    "##;
    for (which, at) in [("0", 0.0), ("3", 300.0), ("4", 300.0), ("-7", 0.0), ("2000000000", 300.0)] {
        let mut sim = start(60.0, nodes, &[("$which", which)]);
        step(&mut sim, 1);
        assert_eq!(read(&sim, "pick.number")[8], 8.0 + at, "number {which} of a cell");
        assert_eq!(read(&sim, "bare.number")[8], 2.5, "a constant is all numbers of a cell");
        assert_eq!(read(&sim, "f")[4 * 8..4 * 9], [8.0, 108.0, 208.0, 308.0]);
    }
    for precision in ["", r#"precision: "f16","#] {
        let nodes = nodes.replace(
            "\"f\": (state: \"Grid<f32[4]>\", on: \"box\",",
            &format!("\"f\": (state: \"Grid<f32[4]>\", on: \"box\", {precision}"),
        );
        let document = document(60.0, &nodes, &[("$which", "0")]);
        let mut sim = simulation(&document);
        step(&mut sim, 1);
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let seen = Plan::compile(&graph, &FrameDebugger::options(&PlanOptions::default())).unwrap();
        let mut debugger = FrameDebugger::new(gpu(), seen, &FrameStart::new(&sim, &FrameInput::default())).unwrap();
        let plan = debugger.simulation().plan();
        let place = ElementPlace::from_index(plan, &plan.wires["f.value"], 8);
        assert_eq!(debugger.value_at("f.value", place).unwrap(), Some(vec![8.0, 108.0, 208.0, 308.0]));
    }
}

/// What a text does not reach in a round of a loop is not evaluated there, though all rounds stand one behind the other on a GPU.
#[test]
fn loops_over_numbers_may_guard_their_first_and_last_round() {
    let nodes = r##"
        "box": (domain: (resolution: (6, 5), width: 1)),
        "f": (state: "Grid<f32[5]>", on: "box", inputs: {"next": "step.g"}),
        "step": (custom: r#"//! Step
            //! @in f: Grid<f32[5]>
            //! @out g: Grid<f32[5]>
            //! @out s: Grid<f32>
            const N = 5;
            fn stage(cell: Cell) -> Result {
                var g = array<f32, N>();
                for (var i = 0; i < N; i++) { g[i] = f(cell, i); }
                var s = 0.0;
                for (var i = 0; i < N; i++) {
                    if i > 0 { s += g[i - 1] / f32(i) + log(f32(i)) + f32(7 % i) + f32(1u << u32(i - 1)); }
                    if i < N - 1 { g[i] = 0.5 * (g[i] + g[i + 1]); }
                }
                return Result(g, s);
            }"#, inputs: {"f": "f"}),
        "plain": (custom: r#"//! Three
            //! @inout x: Grid<f32> = 2
            fn stage(cell: Cell) -> f32 {
                var v = vec4f(x(cell));
                for (var i = 0; i < 4; i++) { if i > 0 { v[i] = v[i - 1] / f32(i); } }
                return v.w;
            }"#, on: "box"),
    "##;
    let start = random(5 * 30, 3);
    for sim in &mut plans(&document(60.0, nodes, &[]), &["f", "step.s", "plain.x"]) {
        sim.reset();
        sim.write("f", &start).unwrap();
        step(sim, 1);
        let (g, s, x) = (read(sim, "f"), read(sim, "step.s"), read(sim, "plain.x"));
        for cell in 0..30 {
            let mut numbers: Vec<f64> = f64s(&start[5 * cell..5 * cell + 5]);
            let mut sum = 0.0;
            for i in 0..5 {
                if i > 0 {
                    let whole = [0, 1, 1, 3][i - 1];
                    sum += numbers[i - 1] / i as f64 + (i as f64).ln() + f64::from(whole) + f64::from(1u32 << (i - 1));
                }
                if i < 4 {
                    numbers[i] = 0.5 * (numbers[i] + numbers[i + 1]);
                }
            }
            within("sum", s[cell] - sum, 1e-4, "rounding of f32 and of its logarithm");
            within("numbers", max_abs(&difference(&g[5 * cell..5 * cell + 5], &numbers)), 1e-6, "rounding of f32");
            within("a plain grid", x[cell] - 2.0 / 6.0, 1e-6, "rounding of f32");
        }
    }
}

#[test]
fn statistics_and_conditions_judge_each_number_and_nan_stays_nan() {
    let nodes = r##"
        "box": (domain: (resolution: (6, 5), width: 1)),
        "s": (state: "Grid<f32[3]>", on: "box", inputs: {"next": "make.g"}),
        "make": (custom: r#"//! Make
            //! @in s: Grid<f32[3]>
            //! @out g: Grid<f32[3]>
            fn stage(cell: Cell) -> array<f32, 3> {
                let nan = sqrt(-1.0 - f32(frame.index));
                return array<f32, 3>(1.0, select(2.0, nan, cell.x == 2 && cell.y == 1), 3.0 + 0.0 * s(cell, 0));
            }"#, inputs: {"s": "s"}, $precision),
    "##;
    for precision in ["", r#"precision: "f16""#] {
        let document = document(60.0, nodes, &[("$precision", precision)]);
        for sim in &mut plans(&document, &["s", "make.g"]) {
            step(sim, 1);
            let found = read(sim, "make.g");
            assert_eq!(found.iter().filter(|x| x.is_nan()).count(), 1, "{precision}");
            assert!(found[3 * 8 + 1].is_nan(), "{precision}");
        }
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        let measure = |statistic: &str| {
            let text = format!("make.g:{statistic}");
            let measurement = Measurement::parse(&text, &document, &graph).unwrap_or_else(|e| panic!("{text}: {e}"));
            let mut sim = simulation(&document);
            step(&mut sim, 1);
            let sample = expect::request(&sim, &measurement.subject).unwrap().wait().unwrap();
            expect::evaluate(&sample, measurement.statistic, measurement.component).values
        };
        assert_eq!(measure("nan")[0], 1.0);
        assert_eq!(measure("sum:2")[0], 90.0);
        assert_eq!((measure("max:0")[0], measure("min:0")[0]), (1.0, 1.0));
    }
}

#[test]
fn what_arrays_are_not_for_is_refused_in_a_sentence() {
    let port = |declaration: &str, body: &str| {
        format!(
            "//! Stage\n//! {declaration}\n//! @out r: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return {body}; }}\n"
        )
    };
    for (text, cause) in [
        (port("@in f: Grid<f32[1]>", "f(cell, 0)"), "is not a type of a port"),
        (port("@in f: Grid<f32[65]>", "f(cell, 0)"), "Grid<f32[2]> to Grid<f32[64]>"),
        (port("@in f: Grid<i32[4]>", "f32(f(cell, 0))"), "is not a type of a port"),
        (port("@in f: Field<f32[4]>", "f(position(cell))"), "is not a type of a port"),
        (port("@in f: f32[4]", "f()"), "is not a type of a port"),
        (port("@in f: Grid<f32[4]>, nearest", "f_at(position(cell), 0)"), "`f` has several numbers a cell"),
        (port("@in f: Particles{position: Vec, a: f32[4]}", "1.0"), "is not an attribute type"),
        (port("@param f: f32[4] = 0", "params.f"), "is not a type of a parameter"),
        ("//! S\n//! @in p: Particles{position: Vec}\n//! @out f: Grid<f32[4]>, scatter\nfn stage(particle: Particle) { add_f(vec2i(0), 1.0); }\n".into(), "`f` has several numbers a cell"),
        (port("@in f: Grid<f32[4]>", "f(cell)"), "`f` has 4 numbers a cell; read one of them, `f(cell, i)` with i from 0 to 3"),
        (port("@in f: Grid<f32[4]>", "f_at(position(cell))"), "read one of them, `f_at(position, i)`"),
        ("//! S\n//! @out f: Grid<f32[4]>\nfn stage(cell: Cell) -> array<f32, 5> { return array<f32, 5>(); }\n".into(), "returns `array<f32, 5>`, the header asks for `array<f32, 4>`"),
        ("//! S\n//! @out f: Grid<f32[4]>\nconst N = 3;\nfn stage(cell: Cell) -> array<f32, N> { return array<f32, N>(); }\n".into(), "the header asks for `array<f32, 4>`"),
        ("//! S\n//! @out f: Grid<f32[4]>\nfn stage(cell: Cell) -> vec4f { return vec4f(); }\n".into(), "returns vec4f, the header asks for `array<f32, 4>`"),
    ] {
        let error = stagewright_language::stage::Stage::parse("own", &text).map(drop).unwrap_err();
        let error = error.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(error.contains(cause), "{text}: {error}");
    }
}
