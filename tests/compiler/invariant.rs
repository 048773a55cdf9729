//! What is computed once: which operations the compiler finds, and what they keep their memory from.

use std::collections::BTreeSet;

use stagewright_compiler::{BufferId, Dispatch, Keep, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{compile, shipped};

/// A vessel, its distances and what is derived from them; dye that moves in it.
const VESSEL: &str = r##"
    "domain": (domain: (resolution: (24, 16), width: 1.5, edge: "wall")),
    "vessel": (stage: "shape/sphere", on: "domain", params: {"center": (0.7, 0.5), "radius": "size"}),
    "size": (number: 0.4),
    "distance": (stage: "grid/from_field", inputs: {"field": "vessel.distance"}),
    "open": (custom: r#"//! Open
        //! @in distance: Grid<f32>
        //! @out room: Grid<f32>
        //! @param width: f32 = 0.1
        fn stage(cell: Cell) -> f32 {
            var room = 0.0;
            for (var face = 0; face < FACES; face++) { room += clamp(-distance(neighbor(cell, face)) / params.width, 0.0, 1.0); }
            return room;
        }"#, inputs: {"distance": "distance.result"}),
    "dye": (state: "Grid<f32>", inputs: {"next": "flow.dye"}, params: {"value": 1}),
    "flow": (custom: r#"//! Flow
        //! @in room: Grid<f32>
        //! @inout dye: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.5 * dye(cell - unit(0)) * room(cell) + 0.1 * frame.time; }"#,
        inputs: {"room": "open.room", "dye": "dye.value"}),
    "look": (stage: "view/color_map", inputs: {"field": "flow.dye"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
"##;

fn nodes(dispatches: &[Dispatch]) -> Vec<&str> {
    dispatches.iter().map(|d| d.node.as_str()).collect()
}

/// Nodes of which something runs once, and those of which something runs in every frame, with every wire kept.
fn split(nodes: &str) -> (String, String) {
    let text = format!(
        "(version: 1, name: \"test\", nodes: {{ \"domain\": (domain: (resolution: (8, 6), width: 1)), {nodes} }})"
    );
    let graph = Graph::build(&Document::parse(&text).expect("valid RON"), Library::builtin())
        .unwrap_or_else(|p| panic!("{p}\n{nodes}"));
    let plan = Plan::compile(&graph, &PlanOptions { keep: Keep::All, ..PlanOptions::default() })
        .unwrap_or_else(|p| panic!("{p}\n{nodes}"));
    apart(&plan);
    let names = |dispatches: &[Dispatch]| {
        let names: BTreeSet<&str> = dispatches.iter().map(|d| d.node.as_str()).collect();
        names.into_iter().collect::<Vec<_>>().join(" ")
    };
    (names(&plan.invariant), names(&plan.frame))
}

/// No dispatch of a frame writes what the invariant ones read or wrote, and none of that swaps.
fn apart(plan: &Plan) {
    let invariant: BTreeSet<BufferId> = plan.invariant.iter().flat_map(|d| d.buffers.iter().copied()).collect();
    for dispatch in &plan.frame {
        let bindings = plan.kernels[dispatch.kernel].bindings.iter().zip(&dispatch.buffers);
        for (binding, buffer) in bindings.filter(|(binding, _)| binding.writes) {
            assert!(
                !invariant.contains(buffer),
                "{dispatch:?} overwrites {} in b{buffer}:\n{}",
                binding.name,
                plan.to_text()
            );
        }
    }
    assert!(plan.swaps.iter().all(|(a, b)| !invariant.contains(a) && !invariant.contains(b)), "{:?}", plan.swaps);
}

/// A stage that reads a grid, with such a body and in such surroundings.
fn reader(header: &str, body: &str, node: &str) -> String {
    format!(
        "\"a\": (custom: r#\"//! A\n//! @out a: Grid<f32>\n{header}\nfn stage(cell: Cell) -> f32 {{ {body} }}\"#, {node}), \
         \"b\": (custom: r#\"//! B\n//! @in x: Grid<f32>\n//! @out b: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return 2.0 * x(cell); }}\"#, \
         inputs: {{\"x\": \"a.a\"}}),"
    )
}

#[track_caller]
fn rests(nodes: &str) {
    assert_eq!(split(nodes), ("a b".into(), String::new()), "{nodes}");
}

#[track_caller]
fn moves(nodes: &str) {
    assert_eq!(split(nodes), (String::new(), "a b".into()), "{nodes}");
}

#[test]
fn a_vessel_and_what_follows_from_it_are_computed_once() {
    let plan = compile(VESSEL).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(nodes(&plan.invariant), ["distance", "open"]);
    assert_eq!(nodes(&plan.frame), ["flow", "look", "screen"]);
    assert_eq!(plan.invariant_nodes().into_iter().collect::<Vec<_>>(), ["distance", "open"]);
    apart(&plan);
    insta::assert_snapshot!(plan.to_text());
}

#[test]
fn it_can_be_switched_off() {
    let document = Document::parse(&format!("(version: 1, name: \"test\", nodes: {{ {VESSEL} }})")).unwrap();
    let graph = Graph::build(&document, Library::builtin()).unwrap();
    let plan = Plan::compile(&graph, &PlanOptions { hoist: false, ..PlanOptions::default() }).unwrap();
    assert!(plan.invariant.is_empty());
    assert_eq!(nodes(&plan.frame), ["distance", "open", "flow", "look", "screen"]);
}

#[test]
fn what_an_operation_says_decides() {
    rests(&reader("", "return f32(cell.x);", ""));
    rests(&reader("", "return random(cell, 3u);", ""));
    rests(&reader("", "return f32(iteration + substep);", ""));
    for member in ["time", "dt", "mouse.x"] {
        moves(&reader("", &format!("return 0.0 * frame.{member};"), ""));
    }
    moves(&reader("", "return f32(frame.index);", ""));
    rests(&reader("", "var n = 0.0; for (var i = 0; i < 9; i++) { n += 1.0; } return n;", ""));
    // A loop that may spend its budget raises a flag, which is collected frame by frame.
    moves(&reader("", "var n = 0.0; loop { n += 1.0; if n > 9.0 { break; } } return n;", ""));
}

#[test]
fn what_its_parameters_say_decides() {
    let params =
        |value: &str| reader("//! @param k: f32 = 1", "return params.k;", &format!("params: {{\"k\": {value}}}"));
    let input = |more: &str| reader("//! @in k: f32 = 1", "return k();", "inputs: {\"k\": \"n\"}") + more;
    rests(&params("2.5"));
    rests(&params("\"1 + 2 * pi\""));
    for moving in ["time", "frame", "dt + 1", "mouse.x"] {
        moves(&params(&format!("\"{moving}\"")));
        moves(&input(&format!("\"n\": (number: \"{moving}\"),")));
        let numbers = format!("\"n\": (number: \"2 * m\"), \"m\": (number: \"{moving}\"),");
        moves(&[params("\"n + 1\""), numbers].concat());
    }
    rests(&input("\"n\": (number: 3),"));
    rests(&(params("\"n + 1\"") + "\"n\": (number: \"2 * m\"), \"m\": (number: 3),"));
}

#[test]
fn a_field_counts_as_the_text_that_it_is_built_into() {
    let asks = |field: &str| {
        reader("//! @in f: Field<f32>", "return f(position(cell));", "on: \"domain\", inputs: {\"f\": \"f.value\"}")
            + field
    };
    let field = |header: &str, body: &str, node: &str| {
        let source =
            format!("//! F\n//! @out value: Field<f32>\n{header}\nfn stage(position: Vec) -> f32 {{ return {body}; }}");
        asks(&format!("\"f\": (custom: r#\"{source}\"#, on: \"domain\", {node}),"))
    };
    rests(&field("", "position.x", ""));
    moves(&field("", "position.x * frame.time", ""));
    rests(&field("//! @param k: f32 = 1", "params.k", ""));
    moves(&field("//! @param k: f32 = 1", "params.k", "params: {\"k\": \"time\"}"));
    let deep = "\"g\": (stage: \"shape/sphere\", on: \"domain\", params: {\"radius\": \"$\"}),";
    let through = field("//! @in g: Field<f32>", "g(position)", "inputs: {\"g\": \"g.distance\"}");
    rests(&[through.clone(), deep.replace('$', "0.1 + 0.2")].concat());
    moves(&[through, deep.replace('$', "0.1 + time")].concat());
}

#[test]
fn a_state_that_nothing_changes_is_invariant() {
    let a = reader("//! @in s: Grid<f32>", "return s(cell);", "inputs: {\"s\": \"s\"}");
    let start = "\"start\": (stage: \"grid/from_field\", on: \"domain\", inputs: {\"field\": \"ball.distance\"}),\
        \"ball\": (stage: \"shape/sphere\", on: \"domain\"),";
    let from = |state: &str| format!("{a} {start} \"s\": {state},");
    assert_eq!(
        split(&from("(state: \"Grid<f32>\", inputs: {\"init\": \"start.result\"})")).0,
        "a b",
        "a start is no part of frames"
    );
    assert_eq!(split(&from("(state: \"Grid<f32>\", inputs: {\"next\": \"s\"})")).0, "a b start", "it becomes itself");
    let moving = split(&from("(state: \"Grid<f32>\", inputs: {\"next\": \"b.b\"})"));
    assert_eq!(moving, ("start".into(), "a b".into()));
}

/// With two buffers that swap, what is written once would be seen in every other frame.
#[test]
fn what_a_state_becomes_is_computed_in_every_frame() {
    let state = "\"s\": (state: \"Grid<f32>\", inputs: {\"next\": \"b.b\"}),";
    assert_eq!(split(&(reader("", "return 1.0;", "") + state)), ("a".into(), "b".into()));
    let other = "\"t\": (state: \"Grid<f32>\"), \"s\": (state: \"Grid<f32>\", inputs: {\"next\": \"t\"}),";
    let plan = split(&(reader("//! @in t: Grid<f32>", "return t(cell);", "inputs: {\"t\": \"t\"}") + other));
    assert_eq!(plan, ("a b".into(), "s".into()), "a copy of what never changes is one of every frame");
}

#[test]
fn what_is_watched_is_computed_in_every_frame() {
    let watch = "\"w\": (custom: r#\"//! W\n//! @in x: Grid<f32>\n//! @out top: f32, reduce max, expect ..9   Top\nfn stage(cell: Cell) -> f32 { return x(cell); }\"#, inputs: {\"x\": \"a.a\"}),";
    assert_eq!(split(&(reader("", "return 1.0;", "") + watch)), ("a b".into(), "w".into()));
}

#[test]
fn particles_are_left_to_the_frame() {
    let (invariant, frame) = split(
        r#""drops": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 50, on: "domain", inputs: {"init": "fill.particles"}),
        "fill": (stage: "particles/emit_box", on: "domain", params: {"amount": 40, "center": (0.5, 0.3), "size": (0.5, 0.3)}),
        "density": (stage: "particles/to_grid", inputs: {"particles": "drops"}),"#,
    );
    assert_eq!(invariant, "");
    assert!(frame.split(' ').any(|node| node == "density"), "{frame}");
}

const SCATTER: &str = "\"a\": (custom: r#\"//! A\n//! @over x\n//! @in x: Grid<f32>\n//! @out a: Grid<f32>, scatter, like x\n\
    fn stage(cell: Cell) { add_a(cell + unit(0), x(cell) * $); }\"#, inputs: {\"x\": \"x.x\"}), \
    \"x\": (custom: r#\"//! X\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 3.0 + $$; }\"#),";

#[test]
fn a_scatter_begins_where_it_runs() {
    let parts = |value: &str, factor: &str| {
        let plan = compile(&format!(
            "\"domain\": (domain: (resolution: (8, 6), width: 1)), {} \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"a.a\"}}), \
             \"screen\": (output: (), inputs: {{\"image\": \"look.image\"}}),",
            SCATTER.replace("$$", value).replace('$', factor)
        ));
        let plan = plan.unwrap_or_else(|p| panic!("{p}"));
        apart(&plan);
        let names =
            |list: &[Dispatch]| list.iter().map(|d| format!("{} {}", d.node, d.part)).collect::<Vec<_>>().join(", ");
        (names(&plan.invariant), names(&plan.frame))
    };
    let all = "a fill, x , a , a from fixed point, look , screen present";
    assert_eq!(parts("1.0", "1.0"), (all.replace("a fill, x ", "x , a fill"), String::new()));
    assert_eq!(parts("1.0", "frame.dt"), ("x ".into(), all.replace("x , ", "")));
    assert_eq!(
        parts("frame.dt", "1.0"),
        (String::new(), all.replace("a fill, x ", "x , a fill")),
        "though its own text rests"
    );
}

#[test]
fn repeats_of_a_node_and_of_a_group_are_judged_one_by_one() {
    let group = r##""map": (custom: r#"//! Map
            //! @out x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 1.0; }"#),
        "group": (group: (inputs: {"x": "Grid<f32>", "y": "Grid<f32>"}, outputs: {"x": "add.x", "z": "wave.z"}, nodes: {
            "wave": (custom: r#"//! Wave
                //! @in y: Grid<f32>
                //! @out z: Grid<f32>
                fn stage(cell: Cell) -> f32 { return y(cell) * f32(substep); }"#, inputs: {"y": "in.y"}),
            "add": (custom: r#"//! Add
                //! @in z: Grid<f32>
                //! @inout x: Grid<f32>
                fn stage(cell: Cell) -> f32 { return x(cell) + z(cell) * $; }"#, inputs: {"x": "in.x", "z": "wave.z"}, iterations: 2),
        }), inputs: {"x": "map.x", "y": "map.x"}, iterations: 3),
        "look": (stage: "view/color_map", inputs: {"field": "group.x"}),
        "screen": (output: (), inputs: {"image": "look.image"}), "domain": (domain: (resolution: (8, 6), width: 1)),"##;
    let plan = compile(&group.replace('$', "frame.time")).unwrap_or_else(|p| panic!("{p}"));
    apart(&plan);
    assert_eq!(nodes(&plan.invariant), ["map", "group/wave", "group/wave", "group/wave"]);
    assert_eq!(plan.frame.iter().filter(|d| d.node == "group/add").count(), 6);
    let plan = compile(&group.replace('$', "1.0")).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!((plan.invariant.len(), plan.frame.len()), (12, 0), "all of it, the picture too:\n{}", plan.to_text());
}

#[test]
fn invariant_memory_is_out_of_a_frames_reach() {
    for (name, text) in shipped() {
        let graph =
            Graph::build(&Document::parse(&text).unwrap(), Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
        for keep in [Keep::Needed, Keep::All] {
            let plan = Plan::compile(&graph, &PlanOptions { keep, ..PlanOptions::default() });
            let plan = plan.unwrap_or_else(|p| panic!("{p}"));
            apart(&plan);
            println!("{name}: {} once, {} a frame", plan.invariant.len(), plan.frame.len());
        }
    }
}
