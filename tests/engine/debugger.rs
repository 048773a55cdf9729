//! Stopping inside a frame: steps forwards and backwards, the history of a cell, and conditions that find where something began.

use stagewright_compiler::Tuning;
use stagewright_runtime::sim::debug::{
    Bounds, Condition, Conditions, ElementPlace, FrameDebugger, FrameStart, NanSearch, Report, first_nan,
};
use stagewright_runtime::sim::hashes::Run;
use stagewright_runtime::sim::timeline::Budget;
use stagewright_test_support::seed::today;

use super::*;

/// A wave on 8 x 6 cells: `rest` sweeps three times over what `push` adds to, on half of the cells at a time, and particles move along.
const NODES: &str = r#"
    "domain": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>", inputs: {"next": "rest.x"}),
    "push": (custom: "//! P\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\n//! @param rate: f32 = 0.5, 0..10\nfn stage(cell: Cell) -> f32 { return x(cell) + params.rate * f32(cell.x + 1); }", inputs: {"x": "s.value"}),
    "rest": (custom: "//! R\n//! @inout x: Grid<f32>, radius 1\n//! @in y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 0.25 * x(neighbor(cell, 0)) + 0.5 * x(cell) + 0.25 * y(cell) + VALUE; }", inputs: {"x": "push.y", "y": "push.y"}, iterations: 3),
    "look": (stage: "view/color_map", inputs: {"field": "rest.x"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"#;

fn document(value: &str) -> Document {
    let nodes = NODES.replace("VALUE", value);
    Document::parse(&format!("(version: 1, name: \"debugged\", nodes: {{ {nodes} }})")).expect("valid RON")
}

fn compile(document: &Document, options: &PlanOptions) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, options).unwrap_or_else(|e| panic!("{e}"))
}

fn keep_all() -> PlanOptions {
    PlanOptions { keep: Keep::All, ..PlanOptions::default() }
}

fn debugger(document: &Document, start: &FrameStart) -> FrameDebugger {
    let plan = compile(document, &FrameDebugger::options(&PlanOptions::default()));
    FrameDebugger::new(gpu(), plan, start).unwrap_or_else(|e| panic!("{e}"))
}

/// A simulation after so many frames, and the start of the next.
fn after(document: &Document, frames: usize) -> (Simulation, FrameStart) {
    let mut simulation = Simulation::new(gpu(), compile(document, &keep_all())).expect("runs");
    for _ in 0..frames {
        simulation.step(&FrameInput::default()).expect("steps");
    }
    let start = FrameStart::new(&simulation, &FrameInput::default());
    (simulation, start)
}

/// Bits of all wires that can be read.
fn wires(simulation: &Simulation) -> Vec<(String, Vec<u32>)> {
    let kept = simulation.plan().wires.iter().filter(|(_, wire)| wire.kept);
    kept.map(|(name, _)| (name.clone(), simulation.read(name).expect("kept").words)).collect()
}

#[test]
fn steps_end_in_the_frame_itself_and_lead_back_the_same_way() {
    let document = document("0.0");
    let (mut simulation, start) = after(&document, 2);
    let mut debugger = debugger(&document, &start);
    assert!(debugger.simulation().read("push.y").is_err(), "what is not computed yet can't be read");
    let mut there = vec![wires(debugger.simulation())];
    while debugger.step_dispatch().expect("steps") {
        there.push(wires(debugger.simulation()));
    }
    assert_eq!((there.len(), debugger.position()), (debugger.len() + 1, debugger.len()));
    simulation.step(&FrameInput::default()).expect("steps");
    let end = wires(debugger.simulation());
    for (name, words) in wires(&simulation) {
        let ours = end.iter().find(|(other, _)| *other == name).map(|(_, words)| words);
        assert_eq!(ours, Some(&words), "{name} at the end of the frame");
    }
    assert_eq!(debugger.simulation().image(None).expect("an image"), simulation.image(None).expect("an image"));
    for position in (0..debugger.len()).rev() {
        assert!(debugger.step_back().expect("steps"));
        assert_eq!(debugger.position(), position);
        assert_eq!(wires(debugger.simulation()), there[position], "back at {position}");
    }
    assert!(!debugger.step_back().expect("steps"), "nothing is before the first dispatch");
    assert_eq!(debugger.frame(), 3);
    debugger.next_frame(&FrameInput::default()).expect("goes on");
    assert_eq!((debugger.frame(), debugger.position()), (4, 0));
    assert_eq!(debugger.simulation().read("s").expect("a State"), simulation.read("s").expect("a State"));
}

#[test]
fn nodes_and_iterations_are_stepped_as_a_whole() {
    let document = document("0.0");
    let mut debugger = debugger(&document, &after(&document, 0).1);
    let next =
        |debugger: &FrameDebugger| debugger.next().map(|(_, dispatch)| dispatch.node.clone()).unwrap_or_default();
    assert_eq!(next(&debugger), "push");
    assert!(debugger.step_node().expect("steps"));
    let first = debugger.position();
    let x = |debugger: &FrameDebugger| debugger.simulation().read("rest.x").map(|field| field.words).ok();
    let mut versions = vec![x(&debugger)];
    for iteration in 1..=3 {
        assert_eq!(next(&debugger), "rest");
        assert!(debugger.step_iteration().expect("steps"));
        assert_eq!(debugger.position(), first + iteration);
        versions.push(x(&debugger));
    }
    versions.dedup();
    assert_eq!(versions.len(), 4, "each iteration has a version of its own");
    assert!(debugger.run_to("screen").expect("runs"));
    assert_eq!(next(&debugger), "screen");
    assert!(!debugger.run_to("push").expect("looks"), "it has run already");
    assert!(debugger.step_node().expect("steps") && !debugger.step_node().expect("steps"));
}

#[test]
fn a_parameter_that_was_set_while_running_is_set_in_the_debugger() {
    let document = document("0.0");
    let mut simulation = Simulation::new(gpu(), compile(&document, &keep_all())).expect("runs");
    simulation.set_param("push.rate", ParamValue::Number(2.0)).expect("a parameter");
    let mut debugger = debugger(&document, &FrameStart::new(&simulation, &FrameInput::default()));
    debugger.run_to("rest").expect("runs");
    assert_eq!(debugger.simulation().read("push.y").expect("computed").data[..3], [2.0, 4.0, 6.0]);
}

/// The value of a wire in a cell, if it can be read here.
fn value_at(debugger: &FrameDebugger, wire: &str, cell: [usize; 2]) -> Option<f64> {
    let field = debugger.simulation().read(wire).ok()?;
    Some(f64::from(field.data[cell[0] + 8 * cell[1]]))
}

#[test]
fn a_history_is_what_a_look_after_every_dispatch_would_note() {
    let document = document("0.0");
    let (_, start) = after(&document, 1);
    let mut debugger = debugger(&document, &start);
    let cell = [5, 3];
    let domain = debugger.simulation().plan().wires["push.y"].domain.expect("a grid");
    debugger.seek(2).expect("goes there");
    let events = debugger.history(ElementPlace::Cell(domain, [5, 3, 0])).expect("a history");
    assert_eq!(debugger.position(), 2, "it stays where it was");
    debugger.seek(0).expect("goes back");
    let mut noted = Vec::new();
    let before = |debugger: &FrameDebugger| (value_at(debugger, "push.y", cell), value_at(debugger, "rest.x", cell));
    let mut last = before(&debugger);
    let state = value_at(&debugger, "s.value", cell);
    while let Some((dispatch, node)) = debugger.next().map(|(at, dispatch)| (at, dispatch.node.clone())) {
        debugger.step_dispatch().expect("steps");
        let now = before(&debugger);
        match node.as_str() {
            "push" => noted.push((dispatch, "push.y".to_string(), now.0, vec![state])),
            "rest" => noted.push((dispatch, "rest.x".to_string(), now.1, vec![last.0])),
            _ => {}
        }
        last = now;
    }
    let found: Vec<_> = events
        .iter()
        .filter(|event| event.wire != "look.image")
        .map(|event| {
            let inputs = event.inputs.iter().map(|input| Some(input.value[0])).collect();
            (event.dispatch, event.wire.clone(), Some(event.after[0]), inputs)
        })
        .collect();
    assert_eq!(found, noted);
    let updates: Vec<Option<f64>> =
        events.iter().filter(|e| e.wire == "rest.x").map(|e| e.before.as_ref().map(|before| before[0])).collect();
    assert_eq!(updates, [Some(noted[0].2.unwrap()), noted[1].2, noted[2].2], "the value before is the last version's");
}

/// Runs with conditions until one holds, at most so many frames.
fn stopped(document: &Document, condition: &str, frames: usize) -> Option<Report> {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let condition = Condition::parse(condition, document, &graph).unwrap_or_else(|e| panic!("{e}"));
    let options = PlanOptions { keep: Keep::Wires(condition.keep()), tuning: Tuning::gpu(), ..PlanOptions::default() };
    let mut simulation = Simulation::new(gpu(), compile(document, &options)).expect("runs");
    let mut conditions = Conditions::new(vec![condition]);
    let input = FrameInput::default();
    for _ in 0..frames {
        let fired = conditions.before(&simulation, &input).or_else(|| {
            simulation.step(&input).expect("steps");
            conditions.after(&mut simulation, &input).unwrap_or_else(|e| panic!("{e}"))
        });
        if let Some(fired) = fired {
            let plan = compile(document, &FrameDebugger::options(&PlanOptions::default()));
            let (debugger, report) = fired.report(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(debugger.frame(), report.frame);
            return Some(report);
        }
    }
    None
}

/// NaN in the second sweep of frame 4, in one cell.
const PLANTED: &str =
    "select(0.0, sqrt(f32(cell.x) - 3.5), frame.index == 3 && cell.x == 2 && cell.y == 4 && iteration == 1)";

#[test]
fn a_planted_nan_is_found_at_its_dispatch_and_cell() {
    let document = document(PLANTED);
    let report = stopped(&document, "nan", 8).expect("it is found");
    println!("{}", report.to_text());
    assert_eq!((report.frame, report.node.as_deref(), report.wire.as_deref()), (4, Some("rest"), Some("rest.x")));
    // `push` is the first dispatch, the sweeps are the next three.
    assert_eq!((report.dispatch, report.index.as_deref(), report.count), (Some(3), Some(&[2, 4][..]), Some(1)));
    assert!(report.value.as_ref().is_some_and(|value| value.0[0].is_nan()));
    assert!(report.before.as_ref().is_some_and(|before| before.0[0].is_finite()), "before this sweep it was a number");
    assert!(report.inputs.iter().any(|input| input.wire == "push.y" && input.value.0[0].is_finite()));
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).expect("JSON");
    assert_eq!((&json["frame"], &json["node"], &json["value"][0]), (&4.into(), &"rest".into(), &"NaN".into()));
    let read: Report = serde_json::from_value(json).expect("a report");
    assert_eq!((read.to_text(), read.ran), (report.to_text(), 3));
}

/// Long after it began, and wherever the checkpoints are. Whether and when it begins depends on changes of a parameter and on the input.
#[test]
fn the_first_nan_of_a_long_run_is_found_from_its_timeline() {
    let document = document("select(0.0, sqrt(-x(cell)), x(cell) + 20.0 * frame.mouse.x > 40.0)");
    for budget in [Budget::default(), Budget { gpu: 0, ..Budget::default() }, Budget { gpu: 0, host: 0, disk: 1 << 20 }]
    {
        let mut simulation = Simulation::new(gpu(), compile(&document, &PlanOptions::default())).expect("runs");
        simulation.keep_timeline(budget);
        let mut began = None;
        for frame in 0..150 {
            let rate = if frame < 20 { 0.5 } else { 0.1 };
            simulation.set_param("push.rate", ParamValue::Number(rate)).expect("a parameter");
            let input = FrameInput { mouse: [frame as f32 / 100.0, 0.5], ..FrameInput::default() };
            simulation.step(&input).expect("steps");
            let bad = simulation.read("s").expect("a State").data.iter().any(|value| value.is_nan());
            began = began.or(bad.then_some(frame + 1));
        }
        let began = began.expect("it becomes NaN");
        assert!((25..100).contains(&began), "{began}");
        let past = simulation.past(150).expect("a past");
        let plan = compile(&document, &FrameDebugger::options(&PlanOptions::default()));
        let (debugger, report) = first_nan(gpu(), plan, &past, |_| true).expect("searches").expect("it is found");
        assert_eq!((report.frame, report.node.as_deref(), debugger.frame()), (began, Some("rest"), began));
        assert!(report.before.as_ref().is_some_and(|before| before.0[0].is_finite()), "{}", report.to_text());
        let good = simulation.past(began - 1).expect("a past");
        let plan = compile(&document, &FrameDebugger::options(&PlanOptions::default()));
        assert!(first_nan(gpu(), plan, &good, |_| true).expect("searches").is_none(), "not before it");
    }
}

#[test]
fn each_kind_of_condition_stops_at_its_frame_and_no_other() {
    let document = document("0.0");
    // The largest value of `push.y` after each frame.
    let mut simulation = Simulation::new(gpu(), compile(&document, &keep_all())).expect("runs");
    let mut largest = Vec::new();
    for _ in 0..6 {
        simulation.step(&FrameInput::default()).expect("steps");
        largest.push(simulation.read("push.y").expect("kept").data.into_iter().fold(0.0, f32::max));
    }
    let limit = 0.5 * (largest[2] + largest[3]);
    let outside = stopped(&document, &format!("push.y outside ..{limit}"), 6).expect("it leaves the range");
    assert_eq!((outside.frame, outside.node.as_deref()), (4, Some("push")));
    assert_eq!(outside.index.as_ref().map(|index| index[0]), Some(7), "the push is strongest at the right");
    let formula = stopped(&document, &format!("push.y:max > {limit} && time < 10"), 6).expect("it holds");
    assert_eq!(
        (formula.frame, formula.node.as_deref(), formula.index.as_ref().map(|i| i[0])),
        (4, Some("push"), Some(7))
    );
    assert_eq!(formula.value.map(|value| value.0[0] as f32), Some(largest[3]));
    assert_eq!(stopped(&document, "frame 3", 6).map(|report| report.frame), Some(3));
    assert_eq!(stopped(&document, "frame == 3", 6).map(|report| report.frame), Some(3));
    for silent in ["nan", "alarm", "frame 9", &format!("push.y outside ..{}", largest[5] + 1.0), "push.y:nan > 0"] {
        assert_eq!(stopped(&document, silent, 6), None, "{silent}");
    }
    let endless = self::document("spin(x(cell))");
    let endless = Document::parse(&endless.to_text().replace(
        "fn stage(cell: Cell) -> f32 { return 0.25",
        "fn spin(x: f32) -> f32 { var n = abs(x); loop { n += 1.0; if n < 0.0 || frame.index != 1 { break; } } return n; }\nfn stage(cell: Cell) -> f32 { return 0.25",
    ));
    let alarm = stopped(&endless.expect("valid RON"), "alarm", 4).expect("an endless loop");
    assert_eq!((alarm.frame, alarm.node.as_deref()), (2, Some("rest")), "{}", alarm.cause);
}

/// Particles of a set with room for 20, of which 9 come in each frame, and a number that grows by one.
const FULL: &str = r#"(version: 1, name: "full", nodes: {
    "domain": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec}", capacity: 20, inputs: {"next": "emit.particles"}),
    "emit": (custom: "//! E\n//! @in amount: u32 = 9\n//! @inout particles: Particles{} -> {position: Vec}, emit amount\nfn stage(particle: Particle) -> Vec { return vec2f(0.5); }", inputs: {"particles": "set.value"}),
    "s": (state: "Grid<f32>", inputs: {"next": "up.x"}),
    "up": (custom: "//! U\n//! @inout x: Grid<f32>\n//! @out most: f32, reduce max, expect 0..LIMIT   Most\nfn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0, x(cell) + 1.0); }", inputs: {"x": "s.value"}),
    "both": (custom: "//! B\n//! @in particles: Particles{position: Vec}\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell) + f32(particles_count()); }", on: "domain", inputs: {"particles": "emit.particles", "x": "up.x"}),
    "look": (stage: "view/color_map", inputs: {"field": "both.y"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

#[test]
fn an_alarm_names_the_number_that_raised_it() {
    for (limit, frame, node, wire, value) in
        [("9", 3, "emit", "emit.particles.count", 20.0), ("1.5", 2, "up", "up.most", 2.0)]
    {
        let document = Document::parse(&FULL.replace("LIMIT", limit)).expect("valid RON");
        let report = stopped(&document, "alarm", 6).expect("an alarm");
        println!("{}", report.to_text());
        let named = (report.frame, report.node.as_deref(), report.wire.as_deref(), report.value.map(|value| value.0));
        assert_eq!(named, (frame, Some(node), Some(wire), Some(vec![value])));
    }
}

#[test]
fn states_are_checked_where_one_starts_from_a_file() {
    let nodes = NODES.replace("VALUE", PLANTED).replace(
        r#""s": (state: "Grid<f32>", inputs: {"#,
        r#""pegs": (file: "vessels/pegs.png", on: "domain"), "s": (state: "Grid<f32>", inputs: {"init": "pegs.distance", "#,
    );
    let document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).expect("valid RON");
    assert_eq!(stopped(&document, "nan", 8).map(|report| (report.frame, report.node)), Some((4, Some("rest".into()))));
}

#[test]
fn a_breakpoint_stands_before_its_node() {
    let document = document("0.0");
    let (simulation, _) = after(&document, 1);
    let mut conditions = Conditions::new(vec![Condition::Node("rest".into())]);
    let fired = conditions.before(&simulation, &FrameInput::default()).expect("the node runs in every frame");
    let plan = compile(&document, &FrameDebugger::options(&PlanOptions::default()));
    let (debugger, report) = fired.report(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((report.frame, debugger.position(), report.node.as_deref()), (2, 1, Some("rest")));
}

#[test]
fn conditions_that_make_no_sense_are_refused_with_a_remedy() {
    let document = document("0.0");
    let graph = Graph::build(&document, Library::builtin()).expect("builds");
    let said = |text: &str| Condition::parse(text, &document, &graph).expect_err(text).to_string();
    for (text, named) in [("pusch.y:max > 1", "pusch"), ("push.y:max >", "push.y:max"), ("push.y outside 3", "0..10")] {
        assert!(said(text).contains(named), "{text}: {}", said(text));
    }
    for text in ["nan", "nan push.y", "alarm", "frame 3", "push.y:0 outside -1.5..", "push.y:max > 2 && time < 1"] {
        let parsed = Condition::parse(text, &document, &graph).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(parsed.text(), text, "it is written as it is read");
    }
    let bounds = Bounds { range: Some((f64::NEG_INFINITY, 2.0)), component: None };
    assert_eq!(Condition::parse("nan push", &document, &graph), Condition::parse("nan push.y", &document, &graph));
    // What has no elements of its own is refused before a frame is computed.
    let bins = r#""bins": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "emit.particles"}),
        "pair": (custom: "//! P\n//! @over once\n//! @out v: vec2f\nfn stage() -> vec2f { return vec2f(1.0); }"), "both":"#;
    let sets = Document::parse(&FULL.replace("LIMIT", "9").replace("\"both\":", bins)).expect("valid RON");
    let graph_of_sets = Graph::build(&sets, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    for (text, remedy) in [
        ("nan set.value", "name an attribute: set.value.position"),
        ("nan emit", "name an attribute: emit.particles.position"),
        ("emit.particles outside ..2", "name an attribute: emit.particles.position"),
        ("nan bins.neighbors", "name an attribute of its particles"),
    ] {
        let refused = Condition::parse(text, &sets, &graph_of_sets).expect_err(text).to_string();
        assert!(refused.contains("has no values of its own") && refused.ends_with(remedy), "{text}: {refused}");
    }
    let vector = Condition::parse("pair.v > 1", &sets, &graph_of_sets).expect_err("a vector").to_string();
    assert!(vector.contains("of a vector take .x"), "{vector}");
    assert!(Condition::parse("length(pair.v) > 1", &sets, &graph_of_sets).is_ok());
    let keep = |text: &str| Condition::parse(text, &sets, &graph_of_sets).unwrap_or_else(|e| panic!("{e}")).keep();
    for text in
        ["nan emit.particles.position", "emit.particles.position:max:0 > 9", "emit.particles.position outside 0..1"]
    {
        assert_eq!(keep(text), ["emit.particles"], "{text}: the count of the set says which particles live");
    }
    assert_eq!(keep("nan set.position"), ["set.position"]);
    assert_eq!(
        Condition::parse("push.y outside ..2", &document, &graph),
        Ok(Condition::Outside("push.y".into(), bounds))
    );
}

/// Every graph that ships, at sizes that a software driver computes in no time.
fn shipped() -> Vec<(String, Document)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("graphs ship").map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ron"));
    files.sort();
    let small = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).expect("a graph");
        let numbers: &[(&str, f64)] =
            if name == "sph_water.ron" { &[("spacing", 0.1), ("picture_height", 36.0)] } else { &[] };
        numbers.iter().for_each(|(n, v)| document.set(n, "value", ParamValue::Number(*v)).unwrap());
        let mut domains = Vec::new();
        for (path, node) in &mut document.nodes {
            node.capacity = node.capacity.take().map(|_| ParamValue::Number(500.0));
            if let stagewright_language::document::NodeKind::Domain(domain) = &node.kind {
                domains.extend(domain.cells().map(|cells| (path.clone(), cells)));
            }
        }
        for (path, cells) in domains {
            let most = if cells.len() == 3 { 10.0 } else { 24.0 };
            let scale = (most / f64::from(*cells.iter().max().unwrap())).min(1.0);
            let fewer = cells.iter().map(|n| (f64::from(*n) * scale).round().max(4.0)).collect();
            document.set(&path, "resolution", ParamValue::Vector(fewer)).unwrap();
        }
        (name, document)
    };
    files.into_iter().map(small).collect()
}

/// Hashes of the States that both plans have.
fn states(simulation: &Simulation, document: &Document) -> Vec<(String, u128)> {
    let graph = Graph::build(document, Library::builtin()).unwrap();
    let mut run = Run::new("", document, &graph);
    run.take(simulation).unwrap_or_else(|e| panic!("{e}")).iter().map(|row| (row.state.clone(), row.hash)).collect()
}

/// The plan that runs and the plain one that is stepped through end a frame in the same bits.
#[test]
fn steps_through_every_shipped_graph_end_in_the_frame_of_its_fast_plan() {
    for (name, document) in today(shipped(), 2) {
        let size = Some((32, 32));
        let fast = PlanOptions { size, tuning: Tuning::gpu(), ..PlanOptions::default() };
        let mut simulation =
            Simulation::new(gpu(), compile(&document, &fast)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for _ in 0..2 {
            let input = simulation.recorded_input();
            simulation.step(&input).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let input = simulation.recorded_input();
        let start = FrameStart::new(&simulation, &input);
        let plan = compile(&document, &FrameDebugger::options(&PlanOptions { size, ..PlanOptions::default() }));
        let mut debugger = FrameDebugger::new(gpu(), plan, &start).unwrap_or_else(|e| panic!("{name}: {e}"));
        while debugger.step_dispatch().unwrap_or_else(|e| panic!("{name}: {e}")) {}
        simulation.step(&input).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (fast, plain) = (states(&simulation, &document), states(debugger.simulation(), &document));
        let mut differ: Vec<&str> = Vec::new();
        for (state, hash) in &fast {
            let ours = plain.iter().find(|(other, _)| other == state).map(|(_, hash)| hash);
            if ours != Some(hash) {
                differ.push(state);
            }
        }
        println!("{name}: {} dispatches, {} States, {} differ", debugger.len(), fast.len(), differ.len());
        assert!(differ.is_empty(), "{name}: {differ:?}");
        let images =
            [&simulation, debugger.simulation()].map(|s| s.image(None).unwrap_or_else(|e| panic!("{name}: {e}")));
        assert_eq!(images[0], images[1], "{name}: the image");
    }
}

/// Counts up to the number of repeats that a group makes before it stops, five of twenty.
const UNTIL: &str = r##"
    "domain": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "zero": (custom: "//! Zero\n//! @out zero: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 0.0; }"),
    "solve": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left"}, nodes: {
        "add": (custom: "//! Add\n//! @inout x: Grid<f32>\n//! @out left: f32, reduce max\nfn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0, 9.0 - x(cell)); }", inputs: {"x": "in.x"}),
    }), inputs: {"x": "zero"}, iterations: 20, until: (number: "left", below: 5.5)),
    "s": (state: "Grid<f32>", inputs: {"next": "solve.x"}),
    "look": (stage: "view/color_map", inputs: {"field": "solve.x"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"##;

#[test]
fn repeats_of_a_group_that_has_stopped_are_skipped() {
    let document = Document::parse(&format!("(version: 1, name: \"until\", nodes: {{ {UNTIL} }})")).expect("valid RON");
    let mut debugger = debugger(&document, &after(&document, 1).1);
    assert!(debugger.run_to("solve").expect("runs"));
    let mut counted = Vec::new();
    while debugger.next().is_some_and(|(_, dispatch)| dispatch.node.starts_with("solve/add")) {
        debugger.step_iteration().expect("steps");
        counted.extend(debugger.simulation().read("solve/add.x").map(|field| field.data[0]).ok());
        while debugger.next().is_some_and(|(_, dispatch)| dispatch.node == "solve") {
            debugger.step_dispatch().expect("steps");
        }
    }
    assert_eq!(counted, [1.0, 2.0, 3.0, 4.0, 5.0], "the others do not run");
    debugger.seek(debugger.len()).expect("runs");
    assert_eq!(debugger.simulation().read("s").expect("a State").data[0], 5.0);
    assert_eq!(debugger.simulation().read("solve/add.x").expect("the last version that ran").data[0], 5.0);
}

/// A State that grows beyond 1, where a root becomes NaN, twenty frames or so after the start, and a view of it. `burn` and `view` are
/// edited meanwhile.
fn burning(burn: &str, view: &str) -> Document {
    Document::parse(&format!(
        r#"(version: 1, nodes: {{
        "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "d": (state: "Grid<f32>", inputs: {{"next": "burn.result"}}),
        "src": (stage: "fluid/add_source", inputs: {{"field": "d"}}, params: {{"radius": 0.1, "rate": 5}}),
        "burn": (custom: "//! B\n//! @in field: Grid<f32>\n//! @out result: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return {burn}; }}", inputs: {{"field": "src.field"}}),
        "{view}": (stage: "view/color_map", inputs: {{"field": "burn.result"}}),
        "screen": (output: (size: (16, 16)), inputs: {{"image": "{view}.image"}}),
    }})"#
    ))
    .expect("valid RON")
}

const BURN: &str = "field(cell) * (1.0 - 0.001 * sqrt(1.0 - field(cell)))";
/// The same a little faster.
const FASTER: &str = "field(cell) * (1.01 - 0.001 * sqrt(1.0 - field(cell)))";
const HARMLESS: &str = "field(cell) * 0.999";

/// A run with its timeline and the watch that the editor has.
struct Burning {
    simulation: Simulation,
    document: Document,
}

impl Burning {
    fn new(burn: &str) -> Burning {
        let document = burning(burn, "map");
        let mut simulation = Simulation::new(gpu(), compile(&document, &PlanOptions::default())).expect("runs");
        simulation.keep_timeline(Budget::default());
        simulation.watch_values(8).expect("watches");
        Burning { simulation, document }
    }

    fn steps(&mut self, frames: u64) {
        (0..frames).for_each(|_| self.simulation.step(&FrameInput::default()).expect("steps"));
    }

    fn edit(&mut self, burn: &str, view: &str) {
        self.document = burning(burn, view);
        self.simulation.replace(compile(&self.document, &PlanOptions::default())).expect("runs");
    }

    /// The frame after which the State holds NaN for the first time.
    fn began(burn: &str) -> u64 {
        let mut run = Burning::new(burn);
        let bad = |run: &Burning| run.simulation.read("d").expect("a State").data.iter().any(|value| value.is_nan());
        (1..60)
            .find(|_| {
                run.steps(1);
                bad(&run)
            })
            .expect("it becomes NaN")
    }

    fn search(&mut self) -> Option<Report> {
        let bad = self.simulation.bad_values(true).map(std::sync::Arc::new);
        let search = NanSearch::new(&mut self.simulation, bad);
        let plan = compile(&self.document, &FrameDebugger::options(&PlanOptions::default()));
        search.run(gpu(), plan, |_| true).expect("searches").map(|(_, report)| report)
    }
}

#[test]
fn the_first_nan_is_found_across_edits_of_the_graph_and_what_is_not_known_is_said() {
    let (began, sooner) = (Burning::began(BURN), Burning::began(FASTER));
    assert!(began < 40 && sooner < began, "{began} {sooner}");
    let mut run = Burning::new(BURN);
    run.steps(40);
    let place = |report: &Report| (report.frame, report.node.clone().unwrap_or_default(), report.dispatch);
    let first = run.search().expect("it is found");
    assert_eq!(place(&first), (began, "burn".into(), first.dispatch));
    assert!(first.dispatch.is_some());
    // Another name for a node that the State does not depend on changes nothing, though the watch begins again.
    run.edit(BURN, "m");
    run.steps(9);
    let again = run.search().expect("it is found");
    assert_eq!((place(&again), &again.cause, &again.element), (place(&first), &first.cause, &first.element));
    // An edit of what the State depends on: the frames before are those that the present graph computes.
    run.edit(FASTER, "m");
    run.steps(9);
    let edited = run.search().expect("it is found");
    assert_eq!(place(&edited), (sooner, "burn".into(), first.dispatch), "{}", edited.to_text());
    assert!(
        edited.cause.contains("the graph was edited at frame 49, so the frames before were computed again"),
        "{}",
        edited.cause
    );
    // Where the present graph makes none, the NaN is from before.
    run.edit(HARMLESS, "m");
    run.steps(9);
    let older = run.search().expect("the States hold it");
    assert_eq!((older.dispatch, older.frame), (None, 59), "{}", older.to_text());
    assert!(older.cause.contains("it is older than frame 58") && older.cause.contains("makes none"), "{}", older.cause);
    // A search can be cancelled.
    let search = NanSearch::new(&mut run.simulation, None);
    let plan = compile(&run.document, &FrameDebugger::options(&PlanOptions::default()));
    assert!(search.run(gpu(), plan, |_| false).expect("ends").is_none());
    // Back before the edits, the run is that of the present graph, which has none.
    let left = run.simulation.seek(20).expect("goes back");
    run.steps(left);
    assert!(run.search().is_none());
}

#[test]
fn nan_in_states_that_were_loaded_is_said_to_be_older() {
    let mut source = Burning::new(BURN);
    source.steps(40);
    let snapshot = source.simulation.snapshot().expect("a snapshot").wait().expect("a device");
    let mut run = Burning::new(BURN);
    run.simulation.restore(&snapshot);
    run.steps(10);
    let bad = run.simulation.bad_values(true).expect("NaN");
    let plan = compile(&run.document, &keep_all());
    let problem = bad.problem(bad.origin(gpu(), plan).expect("traces").as_ref()).to_string();
    assert!(problem.contains("is here since frame 40 or before"), "{problem}");
    let report = run.search().expect("the States hold it");
    assert_eq!((report.dispatch, report.frame), (None, 41));
    assert!(report.cause.contains("come from a checkpoint"), "{}", report.cause);
}
