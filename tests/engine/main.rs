//! The engine on whatever adapter there is: limits, budgets, faults, recompiling while running.

mod bake;
mod budgets;
mod checkpoint;
mod debugger;
mod edits;
mod follow;
mod image_fit;
mod keyframes;
mod lockstep;
mod memory;
mod substeps;
mod timeline;
mod unseen;

use std::sync::OnceLock;

use stagewright_base::problem::Problems;
use stagewright_compiler::{Keep, MemoryBudget, Plan, PlanOptions};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions, Profile};
use stagewright_runtime::sim::{FrameInput, Simulation};

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new(&GpuOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

fn plan(nodes: &str) -> Result<Plan, Problems> {
    let document = Document::parse(&format!("(version: 1, name: \"test\", nodes: {{ {nodes} }})")).expect("valid RON");
    let graph = Graph::build(&document, Library::builtin())?;
    let memory_budget = MemoryBudget::of_user(64 << 30);
    Plan::compile(&graph, &PlanOptions { keep: Keep::All, memory_budget, ..PlanOptions::default() })
}

/// A State `x` on 16 x 16 cells that a stage with this body advances; the body sees `x(cell)` and `params.rate`.
fn counter(body: &str) -> String {
    let source = format!(
        "//! T\\n//! @inout x: Grid<f32>\\n//! @param rate: f32 = 1, 0..10\\nfn stage(cell: Cell) -> f32 {{ {body} }}"
    );
    format!(
        "\"domain\": (domain: (resolution: (16, 16), width: 1, edge: \"wall\")), \"s\": (state: \"Grid<f32>\", inputs: {{\"next\": \"c.x\"}}), \
         \"c\": (custom: \"{source}\", inputs: {{\"x\": \"s.value\"}}), \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \
         \"screen\": (output: (), inputs: {{\"image\": \"look.image\"}}),"
    )
}

const ADD: &str = "return x(cell) + params.rate;";

fn value(simulation: &Simulation) -> f32 {
    simulation.read("s").expect("the State is kept").data[0]
}

#[test]
fn an_endless_loop_ends_and_names_its_node() {
    let nodes = counter("var n = x(cell); loop { n += params.rate * 0.0 + 1.0; } return n;");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    let said = simulation.warnings(true).to_string();
    println!("{said}; the counter reached {}", value(&simulation));
    assert!(said.starts_with("c: ") && said.contains("60,000"), "{said}");
    let rounds = simulation.read("s").expect("the State is kept").data;
    let most = rounds.iter().copied().fold(0.0, f32::max);
    assert_eq!(most, 60_000.0, "the budget is what it is said to be, on every adapter");
    assert!(rounds.iter().all(|rounds| *rounds >= 63.0), "nobody looks whether others have given up before 64 rounds");
    simulation.reset();
    assert!(simulation.warnings(true).is_empty(), "a fresh start forgets what was spent");
}

/// What is worst while nobody asks is what is reported, once.
#[test]
fn a_number_outside_its_range_is_reported_with_its_documentation() {
    let nodes = r##""domain": (domain: (resolution: (8, 8), width: 1)),
        "speed": (custom: r#"//! Speed
            //! @over once
            //! @in value: f32
            //! @out speed: f32, expect ..2   Speed [m/s]; slow down
            fn stage() -> f32 { return value(); }"#, inputs: {"value": "now"}),
        "now": (number: "if frame == 3 { 5 } else { 1 + 0.25 * (frame % 2) }"),"##;
    let mut simulation = Simulation::new(gpu(), plan(nodes).expect("compiles")).expect("runs");
    let mut warnings = Vec::new();
    for frame in 0..8 {
        simulation.step(&FrameInput::default()).expect("steps");
        let said = simulation.warnings(true).to_string();
        if !said.is_empty() {
            warnings.push((frame, said));
        }
    }
    assert_eq!(warnings, [(3, "speed.speed: 5.000 is outside ..2; Speed [m/s]; slow down".to_string())]);
    let watched = simulation.watched();
    assert_eq!((watched[0].name.as_str(), watched[0].range), ("speed.speed", (None, Some(2.0))));
    assert!(watched[0].value <= 2.0, "{watched:?}");
    simulation.reset();
    assert!(simulation.watched().is_empty() && simulation.warnings(true).is_empty(), "a fresh start forgets");
}

/// Frames take their uniforms along and bring the watched numbers back in memory that goes round, also that of commands which were
/// recorded ahead and then not wanted, and of frames that come before others have ended.
#[test]
fn every_frame_has_its_own_uniforms() {
    let nodes = r##""domain": (domain: (resolution: (8, 8), width: 1)),
        "speed": (custom: r#"//! Speed
            //! @over once
            //! @in value: f32
            //! @out speed: f32, expect ..5   Speed [m/s]
            fn stage() -> f32 { return value(); }"#, inputs: {"value": "now"}),
        "now": (number: "frame"),"##;
    let mut simulation = Simulation::new(gpu(), plan(nodes).expect("compiles")).expect("runs");
    let shown = |simulation: &mut Simulation| {
        simulation.warnings(true);
        simulation.watched()[0].value
    };
    for frame in 0..24 {
        simulation.set_profiling(if frame % 2 == 0 { Profile::Dispatches } else { Profile::Off });
        simulation.step(&FrameInput::default()).expect("steps");
        assert_eq!(shown(&mut simulation), f64::from(frame));
        assert_eq!(simulation.read("speed.speed").expect("is kept").data, [frame as f32]);
    }
    for _ in 24..100 {
        simulation.step(&FrameInput::default()).expect("steps");
    }
    assert_eq!(simulation.read("speed.speed").expect("is kept").data, [99.0]);
    assert!(shown(&mut simulation) > 23.0);
    simulation.step(&FrameInput::default()).expect("steps");
    assert_eq!(shown(&mut simulation), 100.0);
    simulation.step(&FrameInput::default()).expect("steps");
    simulation.reset();
    assert!(
        simulation.warnings(true).is_empty() && simulation.watched().is_empty(),
        "what was on its way is forgotten"
    );
}

#[test]
fn a_loop_that_ends_spends_no_budget() {
    let nodes = counter("var n = x(cell); loop { n += params.rate; if n > 100.0 { break; } } return n;");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    assert!(simulation.warnings(true).is_empty());
    assert_eq!(value(&simulation), 101.0);
}

#[test]
fn expressions_are_evaluated_every_frame() {
    let nodes = counter(ADD)
        .replace("inputs: {\"x\": \"s.value\"})", "inputs: {\"x\": \"s.value\"}, params: {\"rate\": \"frame + 1\"})");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    (0..3).for_each(|_| simulation.step(&FrameInput::default()).expect("steps"));
    assert_eq!(value(&simulation), 6.0);
    // From frame 10 on the value is out of range: the last good one stays, and it is said.
    (3..12).for_each(|_| simulation.step(&FrameInput::default()).expect("steps"));
    let said = simulation.warnings(false).to_string();
    assert!(said.contains("c.rate") && said.contains("outside 0..10"), "{said}");
    assert_eq!(value(&simulation), (1..=10).sum::<i32>() as f32 + 2.0 * 10.0);
}

#[test]
fn wires_that_gave_their_memory_away_say_so() {
    let document = Document::parse(&format!("(version: 1, nodes: {{ {} }})", counter(ADD))).expect("parses");
    let graph = Graph::build(&document, Library::builtin()).expect("is right");
    let plan = Plan::compile(&graph, &PlanOptions::default()).expect("compiles");
    let mut simulation = Simulation::new(gpu(), plan).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    assert!(simulation.read("c.x").is_ok(), "what the State holds is there under both names");
    let error = simulation.read("nobody.x").expect_err("unknown").to_string();
    assert!(error.contains("no such wire") && error.contains("c.x"), "{error}");
}

#[test]
fn node_times_add_up_to_something() {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).expect("compiles")).expect("runs");
    simulation.set_profiling(Profile::Nodes);
    (0..4).for_each(|_| simulation.step(&FrameInput::default()).expect("steps"));
    match simulation.times(true) {
        None => println!("{} has no timestamps", gpu().name()),
        Some(times) => {
            let nodes: Vec<&str> = times.iter().map(|t| t.node.as_str()).collect();
            println!("{times:?}");
            assert_eq!(nodes, ["c", "look", "screen"]);
            assert!(times.iter().all(|t| t.ms.is_finite() && t.ms >= 0.0) && times.iter().any(|t| t.ms > 0.0));
        }
    }
}

#[test]
fn reading_does_not_wait() {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    let mut reading = simulation.read_async("s").expect("is kept");
    let mut polls = 0;
    let words = loop {
        match reading.try_take() {
            Ok(words) => break words.expect("the device is well"),
            Err(not_yet) => reading = not_yet,
        }
        polls += 1;
        assert!(polls < 1_000_000, "the copy never arrives");
        std::thread::yield_now();
    };
    assert_eq!(f32::from_bits(words[0]), 1.0);
}

#[test]
fn a_device_of_another_program_will_do() {
    let (device, queue) = pollster::block_on(async {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance.request_adapter(&Default::default()).await.expect("an adapter");
        // The defaults of WebGPU: no features, 8 storage buffers, 256 invocations.
        adapter.request_device(&Default::default()).await.expect("a device")
    });
    let gpu = Gpu::from_device(device, queue, "guest");
    let mut simulation = Simulation::new(&gpu, plan(&counter(ADD)).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    assert_eq!(value(&simulation), 1.0);
    assert!(simulation.times(true).is_none(), "no timestamps were asked for");
}

/// Nodes of three States whose values move round: each becomes what another was.
const ROUND: &str = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "a": (state: "Grid<f32>", inputs: {"next": "b.value"}, params: {"value": 1}),
    "b": (state: "Grid<f32>", inputs: {"next": "c.value"}, params: {"value": 2}),
    "c": (state: "Grid<f32>", inputs: {"next": "a.value"}, params: {"value": 3}),
    "look": (stage: "view/color_map", inputs: {"field": "a.value"}), "screen": (output: (), inputs: {"image": "look.image"}),"#;

#[test]
fn states_may_trade_places() {
    let mut simulation = Simulation::new(gpu(), plan(ROUND).expect("compiles")).expect("runs");
    let values = |simulation: &Simulation| ["a", "b", "c"].map(|s| simulation.read(s).expect("is kept").data[5]);
    for expected in [[2.0, 3.0, 1.0], [3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 1.0]] {
        simulation.step(&FrameInput::default()).expect("steps");
        assert_eq!(values(&simulation), expected);
    }
}

#[test]
fn states_may_share_what_they_become() {
    let nodes = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "a": (state: "Grid<f32>", inputs: {"next": "sum.field"}, params: {"value": 1}),
        "b": (state: "Grid<f32>", inputs: {"next": "sum.field"}, params: {"value": 10}),
        "still": (state: "Grid<f32>", inputs: {"next": "still.value"}, params: {"value": 60}),
        "sum": (stage: "fluid/add", inputs: {"field": "a.value", "source": "still.value"}),
        "old": (stage: "fluid/add", inputs: {"field": "b.value", "source": "a.value"}, params: {"scale": 0}),
        "look": (stage: "view/color_map", inputs: {"field": "old.field"}), "screen": (output: (), inputs: {"image": "look.image"}),"#;
    for keep in [Keep::All, Keep::Needed] {
        let document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).expect("parses");
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
        let plan = Plan::compile(&graph, &PlanOptions { keep, ..PlanOptions::default() }).expect("compiles");
        let mut simulation = Simulation::new(gpu(), plan).expect("runs");
        // fluid/add: field + scale dt source, 1/60 s a frame: 60 adds one.
        for frame in 1..=5 {
            simulation.step(&FrameInput::default()).expect("steps");
            let values = ["a", "b", "still"].map(|s| simulation.read(s).expect("is kept").data[9]);
            let expected = [1.0 + frame as f32, 1.0 + frame as f32, 60.0];
            let worst = values.iter().zip(expected).map(|(v, e)| (v - e).abs()).fold(0.0, f32::max);
            println!("frame {frame}: {values:?}, off by {worst:e}");
            assert!(worst <= 60.0 * f32::EPSILON, "rounding of dt and of the product, five times");
        }
    }
}

#[test]
fn an_empty_graph_is_no_crash() {
    let mut simulation = Simulation::new(gpu(), plan("").expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    assert!(simulation.image(None).expect_err("nothing to see").to_string().contains("no output yet"));
}

/// A State inside a group that repeats: within the frame every repeat sees last frame's value, and the last one feeds it.
#[test]
fn a_state_may_live_in_a_group() {
    let nodes = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "base": (state: "Grid<f32>", inputs: {"next": "base.value"}, params: {"value": 1}),
        "g": (iterations: 3, inputs: {"x": "base.value"}, group: (inputs: {"x": "Grid<T>"}, outputs: {"x": "add.field"}, nodes: {
            "memory": (state: "Grid<f32>", inputs: {"next": "add.field"}, params: {"value": 60}, on: "domain"),
            "add": (stage: "fluid/add", inputs: {"field": "in.x", "source": "memory.value"}),
            "view": (stage: "view/color_map", inputs: {"field": "memory.value"}), "inner": (output: (), inputs: {"image": "view.image"}),
        })),"#;
    let mut simulation = Simulation::new(gpu(), plan(nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    // 1 + 3 x 60/60, fed by the group's own repeats; the State takes the last.
    let memory = simulation.read("g/memory").expect("is kept").data[0];
    assert!((memory - 4.0).abs() <= 8.0 * f32::EPSILON * 4.0, "{memory}");
    assert_eq!(simulation.find_output(Some("g/inner")).expect("is there").width, 8);
}

#[test]
fn an_image_of_another_shape_shows_the_whole_grid() {
    let text = r#"(version: 1, nodes: { "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
        "white": (custom: "//! White\n//! @out image: Image\nfn stage(cell: Cell) -> vec4f { return vec4f(1.0); }"),
        "screen": (output: (), inputs: {"image": "white.image"}) })"#;
    let graph = Graph::build(&Document::parse(text).expect("parses"), Library::builtin()).expect("is right");
    for (size, across) in [((64, 32), true), ((32, 64), false), ((8, 8), true)] {
        let plan =
            Plan::compile(&graph, &PlanOptions { size: Some(size), ..PlanOptions::default() }).expect("compiles");
        let mut simulation = Simulation::new(gpu(), plan).expect("runs");
        simulation.step(&FrameInput::default()).expect("steps");
        let image = simulation.image(None).expect("is there");
        let shorter = size.0.min(size.1);
        for (index, pixel) in image.rgba.chunks_exact(4).enumerate() {
            let (x, y) = (index as u32 % size.0, index as u32 / size.0);
            let (at, length) = if across { (x, size.0) } else { (y, size.1) };
            let bar = at < (length - shorter) / 2 || at >= (length + shorter) / 2;
            let expected = if bar { [0, 0, 0, 255] } else { [255; 4] };
            assert_eq!(pixel, expected, "{size:?} at {x}, {y}");
        }
    }
}

/// An expression that fails in the very first frame must not leave zero where the range forbids it.
#[test]
fn a_value_is_in_range_from_the_first_frame_on() {
    let nodes = counter("return x(cell) + params.rate;")
        .replace("0..10", "1..10")
        .replace("inputs: {\"x\": \"s.value\"})", "inputs: {\"x\": \"s.value\"}, params: {\"rate\": \"2 - buttons\"})");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput { buttons: 4, ..FrameInput::default() }).expect("steps");
    assert!(simulation.warnings(false).to_string().contains("outside 1..10"));
    assert_eq!(value(&simulation), 2.0, "the value at time zero, not zero");
}

/// What is left out of the graph leaves no trace in the image.
#[test]
fn bypassed_nodes_and_reroutes_leave_the_same_pixels() {
    let nodes = |middle: &str| {
        format!(
            r#""domain": (domain: (resolution: (16, 16), width: 1)), "flow": (state: "Grid<Vec>", inputs: {{"next": "carried.result"}}),
            "jet": (stage: "fluid/force_emitter", inputs: {{"velocity": "flow.value"}}, params: {{"jet": (0, 1), "center": (0.5, 0.5), "radius": 0.2}}),
            {middle} "look": (stage: "view/vector", inputs: {{"velocity": "carried"}}), "screen": (output: (), inputs: {{"image": "look"}}),"#
        )
    };
    let pixels = |middle: &str| {
        let mut simulation = Simulation::new(gpu(), plan(&nodes(middle)).expect("compiles")).expect("runs");
        (0..4).for_each(|_| simulation.step(&FrameInput::default()).expect("steps"));
        simulation.image(None).expect("there is a picture").rgba
    };
    let straight = r#""carried": (stage: "fluid/advect", inputs: {"field": "jet", "velocity": "jet"}),"#;
    let around = r#""carried": (stage: "fluid/advect", inputs: {"field": "dot", "velocity": "dot"}),
        "dot": (reroute: (), inputs: {"value": "second.velocity"}),
        "second": (stage: "fluid/force_emitter", inputs: {"velocity": "jet"}, params: {"jet": (3, 0)}?),"#;
    let wanted = pixels(straight);
    assert!(wanted.iter().any(|v| *v != wanted[0]), "there is something to see");
    assert_eq!(pixels(&around.replace('?', ", muted: true")), wanted);
    assert_ne!(pixels(&around.replace('?', "")), wanted, "the muted stage would show");
}

/// Even and odd frames swap buffers, so both are tried.
#[test]
fn a_preview_shows_the_coming_frame_and_changes_nothing() {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).expect("compiles")).expect("runs");
    let input = FrameInput::default();
    let image = |simulation: &Simulation| simulation.image(None).expect("there is one").rgba;
    simulation.set_param("c.rate", ParamValue::Number(0.1)).expect("there is such a parameter");
    for frame in 0..4 {
        let before = if frame == 0 { 0.0 } else { value(&simulation) };
        simulation.preview(&input).expect("runs");
        simulation.preview(&input).expect("runs");
        let coming = image(&simulation);
        assert_eq!((value(&simulation), simulation.frame()), (before, frame));
        simulation.step(&input).expect("runs");
        assert_eq!((value(&simulation), simulation.frame()), (before + 0.1, frame + 1));
        assert_eq!(image(&simulation), coming);
        simulation.set_param("c.rate", ParamValue::Number(0.3)).expect("there is such a parameter");
        simulation.preview(&input).expect("runs");
        assert_ne!(image(&simulation), coming, "what was set shows");
        simulation.set_param("c.rate", ParamValue::Number(0.1)).expect("there is such a parameter");
    }
}

/// Frames with buffers that trade places, timestamps, watched numbers, a reset and a parameter in between: the commands that were
/// recorded ahead are those of the frame.
#[test]
fn frames_recorded_ahead_are_the_frames_that_are_wanted() {
    let nodes = counter("return 0.5 * x(cell) + 0.25 * (x(cell + vec2i(1, 0)) + x(cell - vec2i(0, 1))) + params.rate;")
        .replace("\"x\": \"s.value\"}", "\"x\": \"s.value\"}, iterations: 33");
    // What reads the State when it is another one keeps both, which take turns.
    let late = r##""late": (custom: r#"//! Late
        //! @in x: Grid<f32>
        //! @in y: Grid<f32>
        //! @out z: Grid<f32>
        fn stage(cell: Cell) -> f32 { return y(cell + vec2i(1, 0)) - x(cell + vec2i(1, 0)); }"#, inputs: {"x": "s.value", "y": "c.x"}),"##;
    let nodes = nodes + late;
    let plan = plan(&nodes).expect("compiles");
    assert!(!plan.swaps.is_empty() && plan.frame.len() > 32, "{} dispatches", plan.frame.len());
    let run = |pause: bool| {
        let mut simulation = Simulation::new(gpu(), plan.clone()).expect("runs");
        let mut seen = Vec::new();
        for frame in 0..12 {
            match frame {
                3 => simulation.set_param("c.rate", ParamValue::Number(0.5)).expect("a parameter"),
                5 => simulation.set_profiling(Profile::Dispatches),
                8 => simulation.reset(),
                _ => {}
            }
            simulation.step(&FrameInput::default()).expect("steps");
            let started = std::time::Instant::now();
            while pause && simulation.recorded()[0] <= frame && started.elapsed().as_secs() < 60 {
                std::thread::yield_now();
            }
            seen.push(simulation.read("s").expect("the State is kept").data);
        }
        (seen, simulation.recorded())
    };
    let ((paced, [ahead, late]), (hurried, _)) = (run(true), run(false));
    println!("{ahead} recordings ahead, {late} frames recorded in their step");
    assert_eq!(paced, hurried);
    assert_ne!(paced[6], paced[7]);
    // In its step: the first frame, and the one behind the change of what is timed.
    assert_eq!([ahead, late], [12, 2]);
}

/// The text's constants in every way in which a vector can be made of shorter ones, in and out of branches and loops.
#[test]
fn constant_vectors_are_made_of_shorter_ones() {
    let nodes = r##""domain": (domain: (resolution: (16, 1), width: 16, edge: "wall")),
        "s": (state: "Grid<vec4f>", inputs: {"next": "c.x"}),
        "c": (custom: r#"//! T
            //! @inout x: Grid<vec4f>
            struct Pair { zero: vec2f, one: vec2f }
            const UP = vec3f(0.0, 1.0, 0.5);
            const NONE = vec3f();
            const FLAT = vec4f(NONE, 1.0);
            const DEEP = vec4f(vec3f(vec2f(), 2.0), FLAT.w);
            const TWICE = array<vec4f, 2>(vec4f(NONE.xy, vec2f(3.0)), FLAT);
            fn stage(cell: Cell) -> vec4f {
                var held = vec4f(vec3f(), 4.0);
                let up = UP;
                let pair = Pair(vec2f(), vec2f(1.0));
                if cell.x == 0 { return vec4f(vec3f(), 1.0); }
                if cell.x == 1 { return FLAT; }
                if cell.x == 2 { return DEEP; }
                if cell.x == 3 { return TWICE[0]; }
                if cell.x == 4 { return vec4f(up, 6.0) + x(cell); }
                if cell.x == 5 { let zero = vec3f(); return vec4f(x(cell).x, zero) + vec4f(zero, 7.0); }
                if cell.x == 6 { return vec4f(pair.zero, pair.one); }
                if cell.x == 7 { return vec4f(vec4i(vec3i(), 8)); }
                if cell.x == 8 { return select(vec4f(vec2f(), vec2f()), vec4f(9.0, NONE), x(cell).x < 100.0); }
                if cell.x == 9 { return vec4f(array<vec3f, 2>()[1], 10.0); }
                if cell.x == 10 { return held; }
                if cell.x == 11 { return vec4f(vec4<bool>(vec3<bool>(), true)); }
                switch cell.x {
                    case 12: { held += vec4f(1.0, vec3f()); }
                    case 14: { held = FLAT + vec4f(FLAT.y, vec4f(vec3f(), 2.0).x, FLAT.zw); }
                    case 13: { for (var k = 0; k < 3; k++) { held += vec4f(NONE.xy, f32(k), 0.0) + vec4f(vec2f(), 0.0, 1.0); } }
                    default: { held = vec4f(NONE, x(cell).x) - vec4f(up, 0.0); }
                }
                return held;
            }"#, inputs: {"x": "s.value"}),"##;
    let mut simulation = Simulation::new(gpu(), plan(nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    assert!(simulation.warnings(true).is_empty());
    let wanted: [[f32; 4]; 16] = [
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 2.0, 1.0],
        [0.0, 0.0, 3.0, 3.0],
        [0.0, 1.0, 0.5, 6.0],
        [0.0, 0.0, 0.0, 7.0],
        [0.0, 0.0, 1.0, 1.0],
        [0.0, 0.0, 0.0, 8.0],
        [9.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 10.0],
        [0.0, 0.0, 0.0, 4.0],
        [0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 4.0],
        [0.0, 0.0, 3.0, 7.0],
        [0.0, 0.0, 0.0, 2.0],
        [0.0, -1.0, -0.5, 0.0],
    ];
    assert_eq!(simulation.read("s").expect("the State is kept").data, wanted.concat());
}

/// What breaks is reported once after each start, of particles only the living count, and a preview is no frame.
#[test]
fn bad_values_are_reported_once_and_of_the_living_only() {
    let nodes =
        counter("if frame.index == 5u && cell.x == 2 { return log(-1.0 - x(cell)); } return x(cell) + params.rate;");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    simulation.watch_values(4).expect("watches");
    for start in 0..2 {
        let mut bad_values = Vec::new();
        for _ in 0..12 {
            simulation.preview(&FrameInput::default()).expect("previews");
            simulation.step(&FrameInput::default()).expect("steps");
            gpu().wait();
            bad_values.extend(simulation.bad_values(false));
        }
        assert_eq!((bad_values.len(), bad_values[0].frame, bad_values[0].good), (1, 8, 4), "start {start}");
        let said = bad_values[0].problem(None).to_string();
        assert!(said.starts_with("s: NaN or infinity in frame 8, not yet in frame 4, in `s` (16 values)"), "{said}");
        let origin =
            bad_values[0].origin(gpu(), plan(&nodes).expect("compiles")).expect("runs").expect("comes up again");
        assert_eq!((origin.wire.as_str(), origin.frame, origin.count), ("c.x", 6, 16));
        simulation.reset();
    }
    let particles = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "born": (stage: "particles/fill_box", on: "domain", params: {"center": (0.5, 0.5), "size": (0.5, 0.5), "spacing": 0.125}),
        "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 64, on: "domain", inputs: {"init": "born", "next": "move"}),
        "move": (custom: "//! Move\n//! @inout particles: Particles{position: Vec} -> {position: Vec}\nfn stage(particle: Particle) -> Vec { return particle.position; }", inputs: {"particles": "set"}),"#;
    let mut simulation = Simulation::new(gpu(), plan(particles).unwrap_or_else(|e| panic!("{e}"))).expect("runs");
    simulation.watch_values(1).expect("watches");
    simulation.step(&FrameInput::default()).expect("steps");
    let mut places = vec![0.5f32; 128];
    places[2 * 20] = f32::INFINITY;
    for (living, bad) in [(20, false), (21, true)] {
        simulation.write("set.position", &places).expect("writes");
        simulation.set_count("set", living).expect("sets");
        simulation.step(&FrameInput::default()).expect("steps");
        assert_eq!(simulation.bad_values(true).is_some(), bad, "{living} living");
    }
}

/// The quickest of several rounds, since other programs want the processor too.
#[test]
fn a_look_at_the_states_is_cheap() {
    let nodes = counter(ADD).replace("(16, 16)", "(512, 512)");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    let round = |simulation: &mut Simulation| {
        let since = std::time::Instant::now();
        for _ in 0..8 {
            simulation.step(&FrameInput::default()).expect("steps");
            simulation.bad_values(false);
        }
        gpu().wait();
        since.elapsed().as_secs_f64() * 1e3 / 8.0
    };
    let mut quickest = |every: u64| {
        simulation.watch_values(every).expect("watches");
        (0..12).map(|_| round(&mut simulation)).fold(f64::INFINITY, f64::min)
    };
    let (never, rarely, always) = (quickest(u64::MAX), quickest(8), quickest(1));
    println!("1 MiB of States: {never:.3} ms a frame, {rarely:.3} watched every 8 frames, {always:.3} every frame");
    assert!(rarely < 2.0 * never + 2.0, "watching costs more than the frame");
}

/// A view that opens or closes replaces the plan. It must not start the run over.
#[test]
fn a_run_without_states_continues_when_its_plan_is_replaced() {
    let nodes = r#""domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
        "now": (custom: "//! N\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return f32(frame.index); }", on: "domain"),
        "look": (stage: "view/color_map", inputs: {"field": "now.x"}),
        "screen": (output: (), inputs: {"image": "look.image"}),"#;
    let mut simulation = Simulation::new(gpu(), plan(nodes).expect("compiles")).expect("runs");
    for frames in 1..=4 {
        simulation.step(&FrameInput::default()).expect("steps");
        assert_eq!(simulation.read("now.x").expect("kept").data[0], frames as f32 - 1.0);
        simulation.replace(plan(nodes).expect("compiles")).expect("runs");
        assert_eq!(simulation.frame(), frames);
    }
    // So it does when a State comes or goes; other States are another run.
    let other = counter(ADD).replace("\"s\"", "\"t\"").replace("\"s.value\"", "\"t.value\"");
    for (nodes, frame) in [(counter(ADD), 4), (nodes.to_string(), 4), (counter(ADD), 4), (other, 0)] {
        simulation.replace(plan(&nodes).expect("compiles")).expect("runs");
        assert_eq!(simulation.frame(), frame);
    }
}
