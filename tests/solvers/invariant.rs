//! What is computed once: it has the bits that it would have if it were computed in every frame, and is computed again when
//! something that it depends on was set.

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_language::stage::types::{Element, ValueType, WireType};
use stagewright_runtime::gpu::Profile;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

use super::feeds::{alone, looks};

const DOMAIN: &str = r#"
    "domain": (domain: (resolution: (20, 14), width: 1, edge: "wall")),
"#;

/// A vessel, a map of it, and dye that moves in it from cell to cell, for which two buffers take turns; `soft` continues from
/// the map in every frame.
const VESSEL: &str = r##"
    "vessel": (stage: "shape/sphere", on: "domain", params: {"center": (0.5, 0.35), "radius": "size"}),
    "size": (number: 0.3),
    "distance": (stage: "grid/from_field", inputs: {"field": "vessel.distance"}),
    "open": (custom: r#"//! Open
        //! @in distance: Grid<f32>
        //! @out room: Grid<f32>
        //! @param width: f32 = 0.1, 0.001..
        fn stage(cell: Cell) -> f32 {
            var room = random(cell, 1u);
            for (var face = 0; face < FACES; face++) { room += clamp(-distance(neighbor(cell, face)) / params.width, 0.0, 1.0); }
            return room;
        }"#, inputs: {"distance": "distance.result"}),
    "soft": (custom: r#"//! Soft
        //! @inout room: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.5 * room(cell) + frame.time; }"#, inputs: {"room": "open.room"}, iterations: 3),
    "dye": (state: "Grid<f32>", inputs: {"next": "flow.dye"}, params: {"value": 1}),
    "flow": (custom: r#"//! Flow
        //! @in room: Grid<f32>
        //! @in soft: Grid<f32>
        //! @inout dye: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.2 * dye(cell - unit(0)) * room(cell) + 0.1 * soft(cell); }"#,
        inputs: {"room": "open.room", "soft": "soft.room", "dye": "dye.value"}),
    "look": (stage: "view/color_map", inputs: {"field": "flow.dye"}),
    "screen": (output: (size: (40, 28)), inputs: {"image": "look.image"}),
    "map": (stage: "view/color_map", inputs: {"field": "open.room"}, params: {"high": 4}),
    "card": (output: (size: (40, 28)), inputs: {"image": "map.image"}),
"##;

fn planned(document: &Document, keep: Keep, hoist: bool) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { keep, hoist, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

fn vessel() -> Document {
    document(60.0, &[DOMAIN, VESSEL].concat(), &[])
}

/// The vessel with what is computed once, and with everything in every frame.
fn both(keep: Keep) -> [Simulation; 2] {
    [true, false]
        .map(|hoist| Simulation::new(gpu(), planned(&vessel(), keep.clone(), hoist)).unwrap_or_else(|e| panic!("{e}")))
}

/// All that can be seen of a simulation: words of kept wires, bytes of images.
fn seen(sim: &Simulation) -> Vec<(String, Vec<u32>)> {
    let wires = sim.plan().wires.iter().filter(|(_, wire)| wire.kept);
    let wires = wires.map(|(name, _)| (name.clone(), words(sim, name)));
    let bytes = |node: &str| sim.image(Some(node)).unwrap().rgba.into_iter().map(u32::from).collect();
    let pictures = sim.plan().outputs.iter().map(|output| (output.node.clone(), bytes(&output.node)));
    wires.chain(pictures).collect()
}

/// Steps both and holds what both keep against each other, bit by bit.
#[track_caller]
fn in_step(sims: &mut [Simulation; 2], frames: usize) {
    for frame in 0..frames {
        sims.iter_mut().for_each(|sim| step(sim, 1));
        let [once, every] = [seen(&sims[0]), seen(&sims[1])];
        let mut compared = 0;
        for (name, words) in &once {
            if let Some((_, other)) = every.iter().find(|(other, _)| other == name) {
                assert!(words == other, "{name} differs after {} frames", frame + 1);
                compared += 1;
            }
        }
        assert!(compared >= 3, "the State and both pictures at least");
    }
}

fn set(sims: &mut [Simulation; 2], path: &str, value: impl Into<ParamValue> + Clone) {
    sims.iter_mut().for_each(|sim| sim.set_param(path, value.clone().into()).unwrap_or_else(|e| panic!("{e}")));
}

fn number(value: f64) -> ParamValue {
    ParamValue::Number(value)
}

fn card(sims: &[Simulation; 2]) -> Vec<u8> {
    sims[0].image(Some("card")).unwrap().rgba
}

#[test]
fn frames_have_the_bits_that_they_would_have_anyway() {
    for keep in [Keep::Needed, Keep::All] {
        let mut sims = both(keep);
        let invariant: Vec<&str> = sims[0].plan().invariant.iter().map(|d| d.node.as_str()).collect();
        assert_eq!(invariant, ["distance", "open", "map", "card"]);
        assert!(!sims[0].plan().swaps.is_empty(), "even and odd frames differ in their buffers");
        // `soft` overwrites the version that it continues from, save the first, which is the map itself.
        in_step(&mut sims, 5);
    }
}

#[test]
fn a_parameter_that_is_set_shows_in_the_next_frame() {
    let mut sims = both(Keep::Needed);
    in_step(&mut sims, 2);
    let mut cards = vec![card(&sims)];
    for (path, value) in [("open.width", 0.3), ("size.value", 0.2), ("vessel.radius", 0.35), ("map.high", 2.0)] {
        set(&mut sims, path, number(value));
        in_step(&mut sims, 3);
        cards.push(card(&sims));
    }
    for (index, card) in cards.iter().enumerate() {
        assert!(!cards[..index].contains(card), "picture {index} shows what was set");
    }
    set(&mut sims, "look.high", number(0.5));
    in_step(&mut sims, 1);
    assert_eq!(card(&sims), cards[4], "the map has nothing to do with this one");
}

#[test]
fn an_expression_may_take_the_place_of_a_constant() {
    let mut sims = both(Keep::Needed);
    in_step(&mut sims, 1);
    set(&mut sims, "size.value", ParamValue::Expression("0.2 + time".into()));
    let mut cards = Vec::new();
    for _ in 0..4 {
        in_step(&mut sims, 1);
        cards.push(card(&sims));
    }
    assert!(cards.windows(2).all(|pair| pair[0] != pair[1]), "it moves, though the plan was made for a constant");
    set(&mut sims, "size.value", number(0.25));
    in_step(&mut sims, 2);
}

#[test]
fn a_reset_computes_it_again() {
    let mut sims = both(Keep::Needed);
    in_step(&mut sims, 3);
    let before = card(&sims);
    sims.iter_mut().for_each(Simulation::reset);
    in_step(&mut sims, 3);
    assert_eq!(card(&sims), before);
}

#[test]
fn an_edit_computes_it_again_and_keeps_the_states() {
    let mut sims = both(Keep::Needed);
    for (frames, size) in [(3, 0.2), (2, 0.25), (1, 0.3)] {
        in_step(&mut sims, frames);
        let mut edited = vessel();
        edited.set("size", "value", number(size)).unwrap();
        for (sim, hoist) in sims.iter_mut().zip([true, false]) {
            sim.replace(planned(&edited, Keep::Needed, hoist)).unwrap_or_else(|e| panic!("{e}"));
            assert!(sim.frame() > 0, "the State goes on");
        }
    }
    in_step(&mut sims, 2);
}

const KEPT: &str = r##"
    "start": (custom: r#"//! Start
        //! @in base: Grid<f32>
        //! @out x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return base(cell) + f32(cell.x); }"#, inputs: {"base": "ones.x"}),
    "ones": (custom: r#"//! Ones
        //! @out x: Grid<f32>
        //! @param value: f32 = 1
        fn stage(cell: Cell) -> f32 { return params.value; }"#),
    "kept": (state: "Grid<f32>", inputs: {"init": "start.x"}),
    "twice": (custom: r#"//! Twice
        //! @in x: Grid<f32>
        //! @in ones: Grid<f32>
        //! @out y: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 2.0 * x(cell) + ones(cell); }"#, inputs: {"x": "kept", "ones": "ones.x"}),
    "count": (state: "Grid<f32>", inputs: {"next": "up.x"}),
    "up": (custom: r#"//! Up
        //! @in y: Grid<f32>
        //! @inout x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return x(cell) + y(cell); }"#, inputs: {"x": "count", "y": "twice.y"}),
"##;

/// A State with a start and nothing that it becomes.
#[test]
fn what_is_written_to_an_invariant_state_is_seen() {
    let document = document(60.0, &[DOMAIN, KEPT].concat(), &[]);
    let kept = Keep::Wires(vec!["count.value".into()]);
    let mut sim = Simulation::new(gpu(), planned(&document, kept, true)).unwrap();
    assert_eq!(sim.plan().invariant_nodes().into_iter().collect::<Vec<_>>(), ["ones", "twice"]);
    let count = |sim: &Simulation| read(sim, "count")[3];
    step(&mut sim, 2);
    assert_eq!(count(&sim), 2.0 * (2.0 * 4.0 + 1.0), "cell 3 starts with 4");
    sim.write("kept", &[10.0; 280]).unwrap();
    step(&mut sim, 1);
    assert_eq!(count(&sim), 18.0 + 21.0);
    sim.write("count", &[0.0; 280]).unwrap();
    step(&mut sim, 3);
    assert_eq!(count(&sim), 3.0 * 21.0, "another State has no part in it");
    sim.set_param("ones.value", number(5.0)).unwrap();
    step(&mut sim, 1);
    assert_eq!((count(&sim), read(&sim, "kept")[3]), (63.0 + 25.0, 10.0), "a start runs on reset only");
    sim.reset();
    step(&mut sim, 1);
    assert_eq!((count(&sim), read(&sim, "kept")[3]), (2.0 * 8.0 + 5.0, 8.0));
}

#[test]
fn an_image_that_never_changes_needs_no_dispatch() {
    let nodes =
        r#""card": (stage: "image/checker", on: "domain"), "screen": (output: (), inputs: {"image": "card.image"}),"#;
    let document = document(60.0, &[DOMAIN, nodes].concat(), &[]);
    let mut sim = Simulation::new(gpu(), planned(&document, Keep::Needed, true)).unwrap();
    assert_eq!((sim.plan().invariant.len(), sim.plan().frame.len()), (2, 0));
    sim.set_profiling(Profile::Nodes);
    let mut every = Simulation::new(gpu(), planned(&document, Keep::Needed, false)).unwrap();
    step(&mut every, 1);
    for _ in 0..3 {
        step(&mut sim, 1);
        assert!(sim.image(None).unwrap() == every.image(None).unwrap());
    }
    assert!(sim.times(true).is_none_or(<[_]>::is_empty), "no frame has run a node");
    for sim in [&mut sim, &mut every] {
        sim.set_param("card.squares", number(3.0)).unwrap();
        step(sim, 1);
    }
    assert!(sim.image(None).unwrap() == every.image(None).unwrap());
}

#[test]
fn distances_of_a_file_are_invariant() {
    let folder = std::env::temp_dir().join(format!("stagewright_invariant_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let triangle = "v 0.2 0.2 0.2\nv 0.8 0.2 0.2\nv 0.2 0.8 0.2\nv 0.2 0.2 0.8\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("shape.obj"), triangle).unwrap();
    let nodes = r##""domain": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")), "shape": (file: "shape.obj"),
        "twice": (custom: r#"//! Twice
            //! @in x: Grid<f32>
            //! @out y: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 2.0 * x(cell); }"#, inputs: {"x": "shape.distance"}),
        "sum": (state: "Grid<f32>", inputs: {"next": "add.x"}),
        "add": (custom: r#"//! Add
            //! @in y: Grid<f32>
            //! @inout x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return x(cell) + y(cell); }"#, inputs: {"x": "sum", "y": "twice.y"}),"##;
    let graph = Graph::build(&document(60.0, nodes, &[]), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let keep = Keep::Wires(vec!["sum.value".into()]);
    let plan = Plan::compile(&graph, &PlanOptions { folder: folder.clone(), keep, ..PlanOptions::default() });
    let plan = plan.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(plan.invariant.iter().map(|d| d.node.as_str()).collect::<Vec<_>>(), ["twice"]);
    let mut sim = Simulation::new(gpu(), plan.clone()).unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..2 {
        step(&mut sim, 3);
        let distance = read(&sim, "shape.distance");
        assert!(max_abs(&distance) > 0.1, "the file is there");
        let expected: Vec<f64> = distance.iter().map(|d| 6.0 * d).collect();
        // Three sums of f32.
        within(
            "3 x 2 x distance",
            max_abs(&difference(&read(&sim, "sum"), &expected)),
            6.0 * U * max_abs(&expected),
            "roundings",
        );
        sim.reset();
    }
    sim.replace(plan).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    assert!(max_abs(&read(&sim, "sum")) > 0.1);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Red and black cells in turn: what is in place elsewhere starts from memory that must stay.
#[test]
fn sweeps_start_from_what_stays() {
    let nodes = r##"
        "source": (custom: r#"//! Source
            //! @out x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return random(cell, 5u) - 0.5; }"#),
        "guess": (custom: r#"//! Guess
            //! @out x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return random(cell, 6u); }"#),
        "sweep": (stage: "fluid/pressure_sor", inputs: {"divergence": "moving.x", "pressure": "guess.x"}, iterations: 3),
        "moving": (custom: r#"//! Moving
            //! @inout x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return x(cell) * (1.0 + frame.time); }"#, inputs: {"x": "source.x"}),
        "s": (state: "Grid<f32>", inputs: {"next": "sweep.pressure"}),
        "t": (state: "Grid<f32>", inputs: {"next": "s"}),
        "look": (stage: "view/color_map", inputs: {"field": "s"}),
        "screen": (output: (), inputs: {"image": "look.image"}),
    "##;
    let document = document(60.0, &[DOMAIN, nodes].concat(), &[]);
    for keep in [Keep::Needed, Keep::All] {
        let [once, every] = [true, false].map(|hoist| planned(&document, keep.clone(), hoist));
        assert_eq!(once.invariant_nodes().into_iter().collect::<Vec<_>>(), ["guess", "source"]);
        let mut sims = [once, every].map(|plan| Simulation::new(gpu(), plan).unwrap());
        in_step(&mut sims, 4);
    }
}

/// Each stage with its inputs fed by others that never change, a third of them each day: what can be computed once is, and gives the same
/// bits.
fn every_stage_gives_the_same(dim: u32) {
    let (mut count, mut hoisted) = (0, 0);
    // Within a cell of neighbours, atomics decide on the order.
    let ordered = |stage: &&Stage| !stage.name.starts_with("neighbors/");
    let stages = Library::builtin().stages().filter(|stage| dim == 3 || !looks(stage)).filter(ordered);
    for stage in today(stages, 3) {
        let generic = stage.header.ports.iter().any(|p| matches!(p.ty.element(), Some(Element::Generic(_))));
        let ty = if generic { ValueType::Vec } else { ValueType::F32 };
        let document = alone(stage, ty, dim);
        // Nothing else has to stay, so memory is shared where it can be.
        let outputs = stage.outputs().map(|port| format!("stage.{}", port.name));
        let keep = Keep::Wires(outputs.chain(["sampled.result".into()]).collect());
        let plans = [true, false].map(|hoist| planned(&document, keep.clone(), hoist));
        hoisted += plans[0].invariant.len();
        let [once, every] = plans.map(|plan| {
            let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{}: {e}", stage.name));
            for _ in 0..3 {
                let pressed = FrameInput { buttons: 7, mouse_velocity: [0.4, -0.3], ..FrameInput::default() };
                sim.step(&pressed).unwrap_or_else(|e| panic!("{}: {e}", stage.name));
            }
            let ours = |name: &str| name.starts_with("stage.") || name.starts_with("sampled.");
            // Behind the living a set holds anything.
            let whole = |ty: WireType| !matches!(ty, WireType::Attribute(_));
            let wires = sim.plan().wires.iter().filter(|(name, wire)| ours(name) && whole(wire.ty));
            wires.map(|(name, _)| (words(&sim, name), name.clone())).collect::<Vec<_>>()
        });
        for ((once, wire), (every, _)) in once.iter().zip(&every) {
            assert!(once == every, "{} in {dim}D: {wire} differs", stage.name);
            count += 1;
        }
    }
    println!("{dim}D: {count} wires the same with {hoisted} operations computed once");
    assert!(count > 20 && hoisted > 20);
}

#[test]
fn every_stage_gives_the_same_in_2d() {
    every_stage_gives_the_same(2);
}

#[test]
fn every_stage_gives_the_same_in_3d() {
    every_stage_gives_the_same(3);
}
