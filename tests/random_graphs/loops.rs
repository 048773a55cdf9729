//! Numbers that go round a group that repeats, one case each, and States that start from files.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::{FrameInput, Simulation};

use super::gpu;

fn start(nodes: &str, options: PlanOptions) -> Simulation {
    let text = format!(
        "(version: 1, fps: 10, nodes: {{ \"domain\": (domain: (resolution: (4, 2), width: 4, edge: \"wrap\")), {nodes} }})"
    );
    let document = Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

fn step(simulation: &mut Simulation) {
    simulation.step(&FrameInput::default()).unwrap_or_else(|e| panic!("{e}"));
}

fn words(simulation: &Simulation, wire: &str) -> Vec<u32> {
    simulation.read(wire).unwrap_or_else(|e| panic!("{e}")).words
}

/// The words of a State after each of two frames, which are the same however the graph is compiled.
#[track_caller]
pub fn frames(nodes: &str, wire: &str) -> [Vec<u32>; 2] {
    let run = |hoist: bool, tuning: Tuning| {
        let options = PlanOptions { keep: Keep::All, hoist, tuning, ..PlanOptions::default() };
        let mut simulation = start(nodes, options);
        [(); 2].map(|()| {
            step(&mut simulation);
            words(&simulation, wire)
        })
    };
    let plain = run(true, Tuning::default());
    assert_eq!(plain, run(false, Tuning::default()), "not hoisted");
    assert_eq!(plain, run(true, Tuning::gpu()), "optimised");
    plain
}

/// A stage of numbers that makes one of another.
fn number(ty: &str, body: &str, wire: &str) -> String {
    format!(
        "(custom: \"//! N\\n//! @over once\\n//! @in a: {ty} = 0\\n//! @out b: {ty}\\nfn stage() -> {} {{ return {body}; }}\", inputs: {{\"a\": \"{wire}\"}})",
        ty.replace("Vec", "vec2f")
    )
}

/// A group whose input `x` goes round four times, fed so, with its result in a State.
fn round(ty: &str, body: &str, fed: &str) -> String {
    format!(
        r#"{fed} "keep": (state: "{ty}", inputs: {{"next": "g.x"}}),
        "g": (iterations: 4, FED, group: (inputs: {{"x": "{ty}"}}, outputs: {{"x": "n.b"}}, nodes: {{"n": {}}})),"#,
        number(ty, body, "in.x")
    )
}

#[test]
fn a_number_of_any_type_goes_round() {
    let one = |ty: &str, body: &str, value: &str| {
        let wired = round(ty, body, &format!("\"one\": (number: {value}),"));
        let wired = frames(&wired.replace("FED", r#"inputs: {"x": "one"}"#), "keep");
        let constant = round(ty, body, "").replace("FED", &format!("params: {{\"x\": {value}}}"));
        assert_eq!(wired, frames(&constant, "keep"), "a constant of the group");
        assert_eq!(wired[0], wired[1], "it begins anew in every frame");
        wired[0].clone()
    };
    assert_eq!(one("f32", "0.5 * a()", "1"), [0.0625f32.to_bits()]);
    assert_eq!(one("i32", "a() * 3 - 1", "-2"), [(-202i32) as u32]);
    assert_eq!(one("u32", "a() * 3u + 1u", "2"), [202]);
    let vector = one("vec2f", "a().yx * 2.0", "(1, 3)");
    assert_eq!(vector, [16.0f32.to_bits(), 48.0f32.to_bits()]);
}

#[test]
fn a_vector_in_space_goes_round() {
    let nodes = round("Vec", "a().yx * 2.0", r#""one": (number: (1, 3)),"#)
        .replace("FED", r#"inputs: {"x": "one"}"#)
        .replace(r#"state: "Vec", inputs: {"next": "g.x"}"#, r#"state: "Grid<Vec>", inputs: {"next": "show"}"#);
    let show = r#""show": (custom: "//! S\n//! @in a: Vec = 0\n//! @out x: Grid<Vec>\nfn stage(cell: Cell) -> Vec { return a(); }", inputs: {"a": "g.x"}),"#;
    assert_eq!(frames(&(nodes + show), "keep")[0][..2], [16.0f32.to_bits(), 48.0f32.to_bits()]);
}

#[test]
fn a_number_that_changes_with_time_goes_round_from_its_value_of_the_frame() {
    let nodes =
        round("f32", "0.5 * a()", r#""one": (number: "16 * (frame + 1)"),"#).replace("FED", r#"inputs: {"x": "one"}"#);
    assert_eq!(frames(&nodes, "keep"), [vec![1.0f32.to_bits()], vec![2.0f32.to_bits()]]);
}

#[test]
fn a_number_goes_through_groups_in_groups_and_past_bypassed_nodes() {
    let muted = number("f32", "100.0 * a()", "in.x").replace("inputs:", "muted: true, inputs:");
    let nodes = format!(
        r#""one": (number: 1), "keep": (state: "f32", inputs: {{"next": "g.x"}}), "by": (reroute: (), inputs: {{"value": "one"}}),
        "g": (iterations: 3, inputs: {{"x": "by"}}, group: (inputs: {{"x": "f32"}}, outputs: {{"x": "h.y"}}, nodes: {{
            "m": {muted},
            "h": (iterations: 2, inputs: {{"y": "m.b"}}, group: (inputs: {{"y": "f32"}}, outputs: {{"y": "n.b"}}, nodes: {{"n": {}}})),
        }})),"#,
        number("f32", "2.0 * a() + 1.0", "in.y")
    );
    assert_eq!(frames(&nodes, "keep")[0], [127.0f32.to_bits()], "six times x becomes 2 x + 1");
}

#[test]
fn a_group_stops_by_a_number_that_goes_round() {
    let nodes = round("f32", "0.5 * a()", r#""one": (number: 1),"#).replace(
        "iterations: 4, FED",
        r#"iterations: 20, until: (number: "x", below: 0.2, every: 1), inputs: {"x": "one"}"#,
    );
    assert_eq!(frames(&nodes, "keep")[0], [0.125f32.to_bits()]);
}

#[test]
fn two_numbers_change_places() {
    let nodes = r#""one": (number: 1), "two": (number: 2), "a": (state: "f32", inputs: {"next": "g.a"}), "b": (state: "f32", inputs: {"next": "g.b"}),
        "g": (iterations: 3, inputs: {"a": "one", "b": "two"}, group: (inputs: {"a": "f32", "b": "f32"}, outputs: {"a": "in.b", "b": "in.a"}, nodes: {})),"#;
    assert_eq!(frames(nodes, "a")[0], [2.0f32.to_bits()]);
    assert_eq!(frames(nodes, "b")[0], [1.0f32.to_bits()]);
}

/// What comes out of a group as a number of the document reaches stages, States and other groups.
#[test]
fn a_number_node_within_a_group_is_what_the_group_gives_out() {
    let nodes = format!(
        r#""keep": (state: "f32", inputs: {{"next": "n.b"}}), "direct": (state: "f32", inputs: {{"next": "g.x"}}), "n": {},
        "g": (group: (inputs: {{}}, outputs: {{"x": "five"}}, nodes: {{"five": (number: "5 + frame")}})),
        "first": (iterations: 3, params: {{"x": 7}}, group: (inputs: {{"x": "f32"}}, outputs: {{"x": "five", "y": "n.b"}}, nodes: {{"five": (number: 5), "n": {}}})),
        "last": (state: "f32", inputs: {{"next": "first.y"}}),"#,
        number("f32", "2.0 * a()", "g.x"),
        number("f32", "10.0 * a()", "in.x")
    );
    assert_eq!(frames(&nodes, "keep"), [vec![10.0f32.to_bits()], vec![12.0f32.to_bits()]]);
    assert_eq!(frames(&nodes, "direct"), [vec![5.0f32.to_bits()], vec![6.0f32.to_bits()]]);
    assert_eq!(frames(&nodes, "last")[0], [50.0f32.to_bits()], "the first repeat has 7, the others what comes back");
}

#[test]
fn what_a_loop_starts_from_can_be_set_while_it_runs() {
    let nodes = format!(
        r#""one": (number: 1), "keep": (state: "f32", inputs: {{"next": "o.x"}}),
        "o": (params: {{"begin": 3}}, group: (outputs: {{"x": "g.x"}}, params: {{"begin": "g.x"}}, nodes: {{
            "g": (iterations: 4, group: (inputs: {{"x": "f32"}}, outputs: {{"x": "n.b"}}, nodes: {{"n": {}}}))}})),"#,
        number("f32", "2.0 * a()", "in.x")
    );
    let mut simulation = start(&nodes, PlanOptions { keep: Keep::All, ..PlanOptions::default() });
    step(&mut simulation);
    assert_eq!(words(&simulation, "keep"), [48.0f32.to_bits()]);
    for (path, value) in [("o.begin", 5.0), ("o/g.x", 6.0)] {
        simulation.set_param(path, ParamValue::Number(value)).unwrap_or_else(|e| panic!("{e}"));
        step(&mut simulation);
        assert_eq!(words(&simulation, "keep"), [(16.0 * value as f32).to_bits()], "{path}");
    }
}

#[test]
fn a_state_starts_from_a_file_that_no_frame_reads() {
    let folder = std::env::temp_dir().join(format!("stagewright_loops_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A white square on black: inside and outside.
    let inside = |i: usize| (4..12).contains(&(i % 16)) && (4..12).contains(&(i / 16));
    let pixels: Vec<u8> = (0..256).map(|i| if inside(i) { 255 } else { 0 }).collect();
    let mut png = png::Encoder::new(std::fs::File::create(folder.join("square.png")).unwrap(), 16, 16);
    png.set_color(png::ColorType::Grayscale);
    png.write_header().unwrap().write_image_data(&pixels).unwrap();
    let nodes = |init: &str, more: &str| {
        format!(
            r#""picture": (file: "square.png", params: {{"center": (2, 1, 0), "size": 4}}), "other": (file: "square.png", params: {{"center": (1, 1, 0), "size": 4}}),
            "kept": (state: "Grid<f32>", inputs: {{"init": "{init}"}}), {more}"#
        )
    };
    let twice = r#""twice": (custom: "//! T\n//! @in a: Grid<f32>\n//! @in c: Grid<f32>\n//! @out b: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 2.0 * a(cell) + c(cell); }", inputs: {"a": "picture", "c": "other"}),"#;
    let group = r#""g": (inputs: {"x": "picture", "y": "picture"}, iterations: 3, group: (inputs: {"x": "Grid<f32>", "y": "Grid<f32>"}, outputs: {"x": "in.y", "y": "in.y"}, nodes: {})),"#;
    let read = |init: &str, more: &str| {
        let keep = Keep::Wires(vec!["kept".into()]);
        let mut simulation =
            start(&nodes(init, more), PlanOptions { keep, folder: folder.clone(), ..PlanOptions::default() });
        step(&mut simulation);
        let first = simulation.read("kept").unwrap_or_else(|e| panic!("{e}")).data;
        step(&mut simulation);
        simulation.reset();
        step(&mut simulation);
        assert_eq!(first, simulation.read("kept").unwrap_or_else(|e| panic!("{e}")).data, "after a reset");
        first
    };
    let direct = read("picture", "");
    assert!(direct.iter().any(|v| *v < 0.0) && direct.iter().any(|v| *v > 0.0), "{direct:?}");
    assert_eq!(read("g.x", group), direct);
    let other = read("other", "");
    assert_ne!(other, direct);
    let wanted: Vec<f32> = direct.iter().zip(&other).map(|(a, c)| 2.0 * a + c).collect();
    assert_eq!(read("twice", twice), wanted);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_state_that_becomes_a_number_starts_from_another() {
    let nodes = r#""four": (number: 4), "five": (number: 5), "a": (state: "f32", inputs: {"next": "four", "init": "five"}), "b": (state: "f32", inputs: {"next": "a"}),"#;
    for hoist in [true, false] {
        for tuning in [Tuning::default(), Tuning::gpu()] {
            for keep in [Keep::All, Keep::Wires(vec!["a".into(), "b".into()])] {
                let options = PlanOptions { keep, hoist, tuning: tuning.clone(), ..PlanOptions::default() };
                let mut simulation = start(nodes, options);
                for wanted in [5.0f32, 4.0, 4.0] {
                    step(&mut simulation);
                    let text = simulation.plan().to_text();
                    assert_eq!(words(&simulation, "b"), [wanted.to_bits()], "{text}");
                }
            }
        }
    }
}

/// What a group's gate is decided by runs before the group, so it shares no dispatch with what needs the group's result.
#[test]
fn a_stage_is_not_joined_past_a_gate_that_waits_for_it() {
    let stage = |header: &str, body: &str, inputs: &str| {
        format!("(custom: \"//! N\\n{header}fn stage(cell: Cell) -> f32 {{ return {body}; }}\", inputs: {{{inputs}}}),")
    };
    let [a, b, r] = ["//! @in a: Grid<f32>\\n", "//! @in b: Grid<f32>\\n", "//! @out r: Grid<f32>\\n"];
    let nodes = |limit: f32, last: &str| {
        let up = stage(&format!("{a}{r}"), "a(cell) + 1.0", r#""a": "s""#);
        let base = stage(r, "f32(cell.x)", "");
        let inc = stage(&format!("{a}{r}"), "a(cell) + 10.0", r#""a": "in.a""#);
        let most = stage(
            &format!("{b}//! @out r: f32, reduce max\\n"),
            "b(cell + vec2i(1, 0)) + b(cell - vec2i(1, 0))",
            r#""b": "in.b""#,
        );
        format!(
            r#""s": (state: "Grid<f32>", inputs: {{"next": "last.r"}}, params: {{"value": 3}}), "up": {up} "base": {base} "last": {last}
            "g": (inputs: {{"a": "base.r", "b": "up.r"}}, iterations: 3, until: (number: "u", below: {limit}, every: 1),
                group: (inputs: {{"a": "Grid<f32>", "b": "Grid<f32>"}}, outputs: {{"a": "inc.r", "b": "in.b", "u": "most.r"}}, nodes: {{"inc": {inc} "most": {most}}})),"#
        )
    };
    let one_of_both = stage(&format!("{a}{b}{r}"), "a(cell) + b(cell)", r#""a": "up.r", "b": "g.a""#);
    let beside = stage(&format!("{a}{b}{r}"), "2.0 * a(cell) + b(cell)", r#""a": "s", "b": "g.a""#);
    for (last, kept) in [(one_of_both, 4.0), (beside, 6.0)] {
        for (limit, added) in [(100.0, 10.0), (0.0, 30.0)] {
            let wanted: Vec<u32> = (0..8u32).map(|cell| (kept + added + (cell % 4) as f32).to_bits()).collect();
            assert_eq!(frames(&nodes(limit, &last), "s")[0], wanted, "below {limit}: {last}");
        }
    }
}
