//! Frames that are divided into steps: all that advances a run gives the same bits, and each step has its own time and input.

use stagewright_language::document::Substeps;
use stagewright_runtime::sim::checkpoint::{Checkpoint, CheckpointFile};
use stagewright_runtime::sim::debug::{FrameDebugger, FrameStart};
use stagewright_runtime::sim::timeline::Budget;

use super::*;

/// A decay whose rate follows keys, the time and the pointer, and a speed that doubles every quarter of a second, with its Courant
/// number.
const NODES: &str = r##"
    "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>", params: {"value": 1}, inputs: {"next": "decay.x"}),
    "decay": (custom: r#"//! D
        //! @inout x: Grid<f32>
        //! @param rate: f32 = 1, 0..100
        //! @param keyed: f32 = 0, 0..100
        fn stage(cell: Cell) -> f32 {
            return x(cell) * (1.0 - frame.dt * (params.rate + params.keyed + frame.mouse.x)) + 1e-3 * frame.time + 1e-6 * f32(frame.index);
        }"#, inputs: {"x": "s.value"}, params: {"rate": "1 + sin(time)", "keyed": (keys: [(0, 1), (4, 5), (7, 0)])}),
    "v": (state: "f32", params: {"value": 1}, inputs: {"next": "faster.next"}),
    "faster": (custom: r#"//! F
        //! @over once
        //! @in v: f32
        //! @out next: f32
        //! @out courant: f32, expect ..100   Cells in a step
        fn stage() -> Result { let next = v() * exp2(4.0 * frame.dt); return Result(next, 8.0 * next * frame.dt); }"#, inputs: {"v": "v.value"}),
    "seen": (custom: r#"//! S
        //! @over once
        //! @in v: f32
        //! @out at: vec4f
        fn stage() -> vec4f { return vec4f(frame.time, frame.dt, frame.mouse.x, v()); }"#, inputs: {"v": "faster.next"}),
    "now": (state: "vec4f", inputs: {"next": "seen.at"}),
    "look": (stage: "view/color_map", inputs: {"field": "decay.x"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"##;

fn document(substeps: Substeps, fps: f64) -> Document {
    let mut document =
        Document::parse(&format!("(version: 1, name: \"steps\", nodes: {{ {NODES} }})")).expect("valid RON");
    (document.substeps, document.fps) = (substeps, fps);
    document
}

fn compile(document: &Document) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { keep: Keep::All, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

fn run_of(substeps: Substeps, fps: f64) -> Simulation {
    Simulation::new(gpu(), compile(&document(substeps, fps))).expect("runs")
}

const RULES: [Substeps; 2] = [Substeps::Fixed(4), Substeps::Bounded { courant: Some(0.5), dt: Some(0.03), most: 12 }];

/// The pointer moves by a sixteenth of the picture a frame.
fn input(frame: u64) -> FrameInput {
    FrameInput { mouse: [frame as f32 / 16.0, 0.5], mouse_velocity: [30.0 / 16.0, 0.0], ..FrameInput::default() }
}

fn advance(simulation: &mut Simulation, frames: u64) {
    for _ in 0..frames {
        simulation.step(&input(simulation.frame())).expect("steps");
    }
}

/// Bits of the States.
fn bits(simulation: &Simulation) -> Vec<Vec<u32>> {
    ["s", "v", "now"].map(|state| simulation.read(state).expect("a State").words).to_vec()
}

#[test]
fn steps_are_shorter_frames() {
    // Powers of two divide a time step without rounding.
    for count in [1, 2, 4, 8] {
        let mut divided = run_of(Substeps::Fixed(count), 30.0);
        let mut whole = run_of(Substeps::default(), 30.0 * f64::from(count));
        for path in ["decay.keyed", "decay.rate"] {
            divided.set_param(path, ParamValue::Number(2.0)).expect("is set");
            whole.set_param(path, ParamValue::Number(2.0)).expect("is set");
        }
        (0..6).for_each(|_| divided.step(&FrameInput::default()).expect("steps"));
        (0..6 * count).for_each(|_| whole.step(&FrameInput::default()).expect("steps"));
        assert_eq!(divided.read("v").expect("kept").words, whole.read("v").expect("kept").words, "{count}");
        let (ours, theirs) = (divided.read("s").expect("kept").data[0], whole.read("s").expect("kept").data[0]);
        // `frame.time` is a sum of rounded time steps in one and a product in the other.
        assert!((ours - theirs).abs() < 2e-6 * theirs.abs(), "{count}: {ours} and {theirs}");
        assert!((divided.time() - whole.time()).abs() < 1e-6 && divided.frame() == 6);
    }
}

#[test]
fn each_step_has_its_own_time_pointer_and_keys() {
    let mut simulation = run_of(Substeps::Fixed(4), 30.0);
    advance(&mut simulation, 3);
    // The last step of the third frame begins a quarter of a frame before its end, where the pointer arrives.
    let [time, dt, mouse] = simulation.read("now").expect("kept").data[..3] else { panic!("three numbers") };
    let frame = 1.0 / 30.0;
    assert!((time - 2.75 * frame).abs() < 1e-6 && (dt - frame / 4.0).abs() < 1e-9 && mouse == 2.0 / 16.0);
    // The parameter was that of the step: on the line between its keys at 0 and 4.
    let smooth = simulation.value("decay.keyed").expect("a value")[0];
    let keys = document(Substeps::default(), 30.0).nodes["decay"].params["keyed"].keys().expect("keys").at(2.75)[0];
    assert_eq!(smooth, keys);
    assert!(
        smooth != document(Substeps::default(), 30.0).nodes["decay"].params["keyed"].keys().expect("keys").at(2.0)[0]
    );

    // By hand, with the same steps: what all steps together have done.
    let sum = |steps: u64| {
        let keyed = document(Substeps::default(), 30.0).nodes["decay"].params["keyed"].keys().expect("keys").clone();
        let mut x = 1.0_f64;
        for at in 0..3 * steps {
            let (frame, part) = (at / steps, (at % steps) as f64 / steps as f64);
            let (now, dt) = ((frame as f64 + part) / 30.0, 1.0 / 30.0 / steps as f64);
            let end = (at % steps + 1) as f64 / steps as f64;
            let mouse = (frame as f64 - 1.0 + end) / 16.0;
            let rate = 1.0 + now.sin() + keyed.at(frame as f64 + part)[0] + mouse;
            x = x * (1.0 - dt * rate) + 1e-3 * now + 1e-6 * at as f64;
        }
        x
    };
    let ours = f64::from(simulation.read("s").expect("kept").data[0]);
    assert!((ours - sum(4)).abs() < 1e-6 && (ours - sum(1)).abs() > 1e-4, "{ours}, {} and {}", sum(4), sum(1));
}

#[test]
fn every_way_to_advance_gives_the_same_bits() {
    for rule in RULES {
        let mut plain = run_of(rule, 30.0);
        advance(&mut plain, 9);
        let wanted = bits(&plain);

        let mut unseen = run_of(rule, 30.0);
        (0..9).for_each(|frame| unseen.step_unseen(&input(frame)).expect("steps"));
        assert_eq!(bits(&unseen), wanted, "{rule}: without images");

        let mut sliced = run_of(rule, 30.0);
        for frame in 0..9 {
            sliced.start_frame(&input(frame), false, || ()).expect("starts");
            let part = sliced.progress().expect("is under way");
            assert!((0.0..=1.0).contains(&part));
            assert!(sliced.finish_frame(true).expect("ends").is_some() && sliced.progress().is_none());
        }
        assert_eq!((bits(&sliced), sliced.frame()), (wanted.clone(), 9), "{rule}: in slices");
        assert_eq!(sliced.image(None).expect("an image"), plain.image(None).expect("an image"));

        let mut previewed = run_of(rule, 30.0);
        for frame in 0..9 {
            previewed.preview(&input(frame + 3)).expect("shows");
            previewed.step(&input(frame)).expect("steps");
        }
        assert_eq!(bits(&previewed), wanted, "{rule}: with previews between");

        let mut went_back = run_of(rule, 30.0);
        went_back.keep_timeline(Budget::default());
        advance(&mut went_back, 12);
        for frame in [9, 4, 11, 9] {
            for _ in 0..went_back.seek(frame).expect("goes there") {
                let input = went_back.next_input();
                went_back.step(&input).expect("steps");
            }
        }
        assert_eq!(bits(&went_back), wanted, "{rule}: back and forth");
    }
}

#[test]
fn a_checkpoint_goes_on_with_the_same_number_of_steps() {
    let folder = std::env::temp_dir().join(format!("stagewright-substeps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("there.safetensors");
    for rule in RULES {
        let mut first = run_of(rule, 30.0);
        advance(&mut first, 5);
        let count = first.substeps();
        let snapshot = first.snapshot().expect("copies").wait().expect("arrives");
        let text = document(rule, 30.0).to_text();
        Checkpoint::new(&first, snapshot, text, None).write(&path).expect("is written");
        advance(&mut first, 4);

        let mut second = run_of(rule, 30.0);
        let checkpoint = CheckpointFile::open(&path).expect("opens").load(second.plan()).expect("fits");
        let problems = second.resume(&checkpoint);
        assert!(problems.is_empty(), "{problems}");
        assert_eq!(second.substeps(), count);
        advance(&mut second, 4);
        assert_eq!(bits(&second), bits(&first), "{rule}");

        // Another rule does not take the number over beyond its own.
        for (other, most) in [(Substeps::Fixed(3), 3), (Substeps::Bounded { courant: Some(9.0), dt: None, most: 2 }, 2)]
        {
            let mut changed = run_of(other, 30.0);
            let checkpoint = CheckpointFile::open(&path).expect("opens").load(changed.plan()).expect("fits");
            let _ = changed.resume(&checkpoint);
            assert!(changed.substeps() <= most && (other.courant().is_some() || changed.substeps() == most));
            advance(&mut changed, 1);
        }
    }
    std::fs::remove_dir_all(folder).expect("is removed");
}

#[test]
fn the_courant_number_decides() {
    let (courant, most) = (0.5, 12);
    let rule = Substeps::Bounded { courant: Some(courant), dt: None, most };
    let mut simulation = run_of(rule, 30.0);
    let mut counts = Vec::new();
    for frame in 0..30 {
        if frame > 0 {
            counts.push(simulation.substeps());
        }
        simulation.step(&input(frame)).expect("steps");
        let number = f64::from(simulation.read("faster.courant").expect("kept").data[0]);
        let [_, dt, ..] = simulation.read("now").expect("kept").data[..] else { panic!("four numbers") };
        let count = (1.0 / 30.0 / dt).round() as u32;
        assert!(counts.last().is_none_or(|count_before| *count_before == count));
        // A frame is divided by what the one before needed, or a rehearsal, and the speed grows by a tenth in a frame.
        let grown = 2.0_f64.powf(4.0 / 30.0);
        assert!(
            number <= courant * grown * 1.001 || count == most,
            "{number} in one of {count} steps of frame {frame}"
        );
        assert!(count == 1 || number > 0.4 * courant, "{number} needs no {count} steps");
    }
    assert!(counts[0] == 1 && counts[28] > 6, "{counts:?}");
    assert!(counts.windows(2).all(|pair| pair[0] <= pair[1]), "{counts:?}");
    // A first frame that is too fast has as many steps as it needs at once.
    let mut document = document(rule, 30.0);
    document.nodes.get_mut("v").expect("a node").params.insert("value".into(), ParamValue::Number(20.0));
    let mut fast = Simulation::new(gpu(), compile(&document)).expect("runs");
    fast.step(&FrameInput::default()).expect("steps");
    let number = f64::from(fast.read("faster.courant").expect("kept").data[0]);
    assert!(number < 1.2 * courant || number > courant && fast.substeps() == most, "{number}");
    simulation.reset();
    assert!(simulation.warnings(true).is_empty());
}

#[test]
fn a_longest_step_divides_frames_of_film_rates_and_no_others() {
    let rule = Substeps::Bounded { courant: None, dt: Some(0.017), most: 8 };
    for (fps, count) in [(24.0, 3), (30.0, 2), (60.0, 1), (120.0, 1)] {
        let (mut bounded, mut fixed) = (run_of(rule, fps), run_of(Substeps::Fixed(count), fps));
        assert_eq!(bounded.substeps(), count);
        advance(&mut bounded, 3);
        advance(&mut fixed, 3);
        assert_eq!(bits(&bounded), bits(&fixed), "{fps}");
        // A frame that is longer than others has more.
        let slow = FrameInput { dt: Some(0.1), ..FrameInput::default() };
        bounded.step(&slow).expect("steps");
        let mut six = run_of(Substeps::Fixed(6), fps);
        six.step(&slow).expect("steps");
        assert_eq!(bounded.read("now").expect("kept").data[1], six.read("now").expect("kept").data[1], "dt of a sixth");
    }
}

#[test]
fn a_bound_without_a_number_is_said() {
    let nodes = counter(ADD);
    let mut document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).expect("valid RON");
    document.substeps = Substeps::Bounded { courant: Some(1.0), dt: None, most: 3 };
    let mut simulation = Simulation::new(gpu(), compile(&document)).expect("runs");
    advance(&mut simulation, 2);
    assert_eq!(value(&simulation), 6.0);
    let said = simulation.warnings(true).to_string();
    assert!(said.contains("no stage of the graph reports a Courant number") && said.contains("3 substeps"), "{said}");
}

#[test]
fn the_debugger_stands_in_the_last_step_and_a_search_in_the_step_where_it_began() {
    for rule in RULES {
        let mut simulation = run_of(rule, 30.0);
        advance(&mut simulation, 7);
        let start = FrameStart::new(&simulation, &input(7));
        let graph = Graph::build(&document(rule, 30.0), Library::builtin()).expect("is right");
        let plan = Plan::compile(&graph, &FrameDebugger::options(&PlanOptions::default())).expect("compiles");
        let mut debugger = FrameDebugger::new(gpu(), plan, &start).unwrap_or_else(|e| panic!("{e}"));
        let (step, of) = debugger.step();
        assert!(step == of && of == simulation.substeps() && of > 1, "{step} of {of}");
        debugger.seek(debugger.len()).expect("goes there");
        advance(&mut simulation, 1);
        assert_eq!(
            debugger.simulation().read("decay.x").expect("computed").words,
            simulation.read("s").expect("kept").words
        );
        // It goes on to the next frame with as many steps as the run.
        debugger.next_frame(&input(8)).expect("goes on");
        assert_eq!((debugger.frame(), debugger.step().1), (9, simulation.substeps()));
        debugger.seek(debugger.len()).expect("goes there");
        advance(&mut simulation, 1);
        assert_eq!(
            debugger.simulation().read("decay.x").expect("computed").words,
            simulation.read("s").expect("kept").words
        );
    }
    // The root of a number that is negative in the third of four steps of frame 6 alone.
    let nodes =
        counter("return x(cell) + sqrt(params.rate);").replace("rate: f32 = 1, 0..10", "rate: f32 = 1").replace(
            "inputs: {\"x\": \"s.value\"})",
            "inputs: {\"x\": \"s.value\"}, params: {\"rate\": \"if frame > 5.4 && frame < 5.6 { 0 - 1 } else { 1 }\"})",
        );
    let mut document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).expect("valid RON");
    document.substeps = Substeps::Fixed(4);
    let mut simulation = Simulation::new(gpu(), compile(&document)).expect("runs");
    simulation.watch_values(2).expect("watches");
    advance(&mut simulation, 8);
    let bad = simulation.bad_values(true).expect("is found");
    let graph = Graph::build(&document, Library::builtin()).expect("is right");
    let plan = Plan::compile(&graph, &FrameDebugger::options(&PlanOptions::default())).expect("compiles");
    let (debugger, report) = bad.first(gpu(), plan).unwrap_or_else(|e| panic!("{e}")).expect("where it began");
    assert!(report.to_text().starts_with("stopped in frame 6, step 3 of 4: "), "{}", report.to_text());
    assert_eq!((report.frame, report.node.as_deref(), debugger.step()), (6, Some("c"), (3, 4)));
}
