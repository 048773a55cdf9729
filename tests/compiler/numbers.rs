//! Numbers as variables of expressions: what can be named where, and what the checker says of what can't.

use stagewright_language::document::{Document, NodeKind, Nodes};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{compile, graphs_in, problems};

const DOMAIN: &str = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),"#;

/// A stage with a parameter 0..10 and an input, and an image of what it makes.
fn with(mix: &str, nodes: &str) -> String {
    let source = r"//! Mix\n//! @in one: f32 = 0\n//! @out result: Grid<f32>\n//! @param gain: f32 = 1, 0..10\n//! @param push: Vec = 0\nfn stage(cell: Cell) -> f32 { return params.gain + one() + params.push.x; }";
    format!(
        r#"{DOMAIN} "mix": (custom: "{source}", {mix}), "look": (stage: "view/color_map", inputs: {{"field": "mix.result"}}),
        "screen": (output: (), inputs: {{"image": "look.image"}}), {nodes}"#
    )
}

macro_rules! says {
    ($name:ident, $mix:expr, $nodes:expr) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(problems(&with($mix, $nodes)));
        }
    };
}

says!(
    unknown_names_list_the_numbers_of_the_level,
    r#"params: {"gain": "2 * spacng"}"#,
    r#""spacing": (number: 0.1), "wind": (number: (1, 2)), "h": (number: "2 * spaces"),
    "my-number": (number: 1), "g": (group: (outputs: {}, nodes: {"inner": (number: "spacing")})),"#
);
says!(
    a_cycle_of_numbers_is_one_problem,
    r#"params: {"gain": "a"}"#,
    r#""a": (number: "b + d"), "b": (number: "2 * c"), "c": (number: "a"), "d": (number: "c"),
    "alone": (number: "alone * 2"), "right": (number: 1), "iterated": (stage: "fluid/dissipate", inputs: {"field": "mix.result"}, iterations: "b"),"#
);
says!(
    a_wrong_number_is_reported_once,
    r#"params: {"gain": "bad"}, inputs: {"one": "worse"}"#,
    r#""bad": (number: "1 / 0"), "worse": (number: "bad + 1"), "worst": (number: NaN), "five": (number: (1, 2, 3, 4, 5)),
    "box": (domain: (resolution: ("8 * bad", 8), width: "worst", edge: "wall")),"#
);
says!(
    a_value_that_a_number_makes_wrong_is_reported_where_it_is_used,
    r#"params: {"gain": "spacing * 100", "push": "[spacing, 0, 1, 2]"}"#,
    r#""spacing": (number: 0.2), "flat": (stage: "fluid/dissipate", inputs: {"field": "mix.result"}, params: {"rate": "wind.z"}),
    "wind": (number: "[1, 2] * spacing"),"#
);
says!(
    names_of_the_language_can_not_be_used,
    r#"params: {"gain": "time + sin"}"#,
    r#""time": (number: 1), "sin": (number: 1), "else": (number: 2), "x": (number: 3), "let": (number: "x"),
    "g": (group: (inputs: {"dt": "f32", "frame": "f32", "h": "f32"}, outputs: {}, nodes: {"step": (number: "dt * h / 2")})),"#
);
says!(
    what_the_plan_is_made_with_is_constant,
    r#"iterations: "wind""#,
    r#""wind": (number: "sin(time)"), "gale": (number: "2 * wind"), "spacing": (number: 0.3), "pair": (number: (1, 2)),
    "live": (domain: (resolution: ("8 + time", "gale"), width: "wind", edge: "wall")),
    "broken": (domain: (resolution: ("2 / spacing", 8), width: "spacing - 1", edge: "wall")),
    "vector": (domain: (resolution: ("pair", (8, 8)), width: "pair.x", edge: "wall")),
    "many": (state: "Particles{position: Vec}", capacity: "8 / spacing", on: "domain"),
    "more": (state: "Particles{position: Vec}", capacity: "1e9 / spacing", on: "domain"),
    "most": (state: "Particles{position: Vec}", capacity: "gale", on: "domain"),
    "a": (stage: "fluid/dissipate", inputs: {"field": "mix.result"}, iterations: "floor(gale)"),
    "b": (stage: "fluid/dissipate", inputs: {"field": "mix.result"}, iterations: "nobody"),"#
);
says!(
    numbers_of_the_gpu_have_no_name,
    "params: {}",
    r#""sum": (custom: "//! Peak\n//! @in x: Grid<f32>\n//! @out peak: f32, reduce max\nfn stage(cell: Cell) -> f32 { return x(cell); }", inputs: {"x": "mix.result"}),
    "g": (inputs: {"peak": "sum.peak", "x": "mix.result"}, group: (inputs: {"peak": "f32", "x": "Grid<f32>"}, outputs: {"x": "fade.field"},
        nodes: {"fade": (stage: "fluid/dissipate", inputs: {"field": "in.x"}, params: {"rate": "peak / 2"})})),"#
);

/// The value of a parameter at time zero, in a plan of these nodes.
fn value(nodes: &str, path: &str) -> Vec<f64> {
    use stagewright_language::graph::numbers::{Names, Table};
    let plan = compile(nodes).unwrap_or_else(|e| panic!("{e}\n{nodes}"));
    let table = Table::new(&plan.numbers).unwrap_or_else(|(path, e)| panic!("{path}: {e:?}"));
    let slot = plan.settings.iter().find(|slot| slot.paths[0] == path).unwrap_or_else(|| panic!("no {path}"));
    let formula = table.formula(&slot.value, &Names::from(&slot.uses)).unwrap_or_else(|e| panic!("{e:?}"));
    table.start(&formula).unwrap_or_else(|e| panic!("{e:?}")).as_slice().to_vec()
}

#[test]
fn numbers_of_the_level_are_variables() {
    let nodes = with(
        r#"params: {"gain": "2 * h", "push": "[spacing, 0] + wind"}, inputs: {"one": "h"}"#,
        r#""spacing": (number: 0.1), "h": (number: "2 * spacing"), "wind": (number: "[1, 2] * h"),"#,
    );
    assert_eq!(value(&nodes, "mix.gain"), [0.4]);
    assert_eq!(value(&nodes, "mix.push"), [0.1 + 0.2, 0.4]);
    assert_eq!(value(&nodes, "mix.one"), [0.2]);
}

/// `$inner` are numbers inside of the group, `$expression` its stage's parameter, `$params` what the group is given.
const GROUP: &str = r##""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "spacing": (number: 0.1), "h": (number: 3),
    "g": (group: (inputs: {"h": "f32", "wired": "f32"}, outputs: {"x": "mix.x"}, params: {"gain": "mix.gain", "inner": "own.value"}, nodes: {
        "own": (number: 5), $inner
        "mix": (custom: "//! Mix\n//! @out x: Grid<f32>\n//! @param gain: f32 = 1\nfn stage(cell: Cell) -> f32 { return params.gain; }", params: {"gain": "$expression"}),
    }), inputs: {"wired": "spacing"}, params: {$params}),
    "look": (stage: "view/color_map", inputs: {"field": "g.x"}), "screen": (output: (), inputs: {"image": "look.image"}),"##;

fn group(inner: &str, expression: &str, params: &str) -> String {
    GROUP.replace("$inner", inner).replace("$expression", expression).replace("$params", params)
}

#[test]
fn a_group_knows_its_own_numbers_and_what_goes_into_it() {
    let gain = |inner: &str, expression: &str, params: &str| value(&group(inner, expression, params), "g/mix.gain");
    assert_eq!(gain("", "own + h + wired", r#""h": 2"#), [7.1]);
    assert_eq!(gain("", "own + h + wired", r#""h": "h * spacing""#), [5.0 + 3.0 * 0.1 + 0.1], "given around the group");
    assert_eq!(gain(r#""h": (number: 7),"#, "h", r#""h": 2"#), [7.0], "its own come first");
    assert_eq!(gain("", "own", r#""inner": "spacing * h""#), [0.1 * 3.0], "an exposed number");
    assert_eq!(gain(r#""twice": (number: "2 * h"),"#, "twice", r#""h": 2"#), [4.0]);
    // What sets a parameter through the group was written around it, where `own` is not known and `spacing` is.
    assert_eq!(gain("", "own", r#""gain": "spacing + h""#), [0.1 + 3.0]);
    let said = problems(&group("", "own", r#""gain": "own""#));
    assert!(said.contains("no variable `own` (column 1); there are h, spacing, time"), "{said}");
    let said = problems(&group("", "spacing", ""));
    assert!(said.contains("no variable `spacing` (column 1); there are h, own, wired, time"), "{said}");
}

#[test]
fn numbers_shape_the_plan() {
    let nodes = |spacing: &str| {
        format!(
            r#""spacing": (number: {spacing}), "n": (number: "ceil(2 / spacing)"),
            "box": (domain: (resolution: ("n", 6, "2 * 2"), width: "n * spacing", edge: "wall")),
            "set": (state: "Particles{{position: Vec}}", capacity: "floor(8 / (spacing * spacing))", on: "box", inputs: {{"next": "set.value"}}),
            "s": (state: "Grid<f32>", on: "box", inputs: {{"next": "fade.field"}}),
            "fade": (stage: "fluid/dissipate", inputs: {{"field": "s.value"}}, iterations: "ceil(0.4 / spacing)"),
            "slice": (stage: "grid/resample", inputs: {{"field": "fade.field"}}),"#
        )
    };
    let graph = |spacing: &str| {
        let text = format!("(version: 1, nodes: {{ {} }})", nodes(spacing));
        let document = stagewright_language::document::Document::parse(&text).unwrap();
        stagewright_language::graph::Graph::build(&document, stagewright_language::library::Library::builtin())
            .unwrap_or_else(|e| panic!("{e}"))
    };
    for (spacing, cells, capacity, count) in [("0.5", 4, 32, 1), ("0.25", 8, 128, 2)] {
        let graph = graph(spacing);
        let domain = graph.domains.iter().next().unwrap();
        assert_eq!((domain.resolution, domain.cell_size), ([cells, 6, 4], spacing.parse().unwrap()));
        let node = |path: &str| &graph.nodes[graph.node(path).unwrap()];
        assert_eq!(node("set").set.as_ref().unwrap().capacity, capacity);
        assert_eq!(node("fade").iterations, count);
        let shapes = ["spacing.value", "n.value", "fade.iterations"].map(|path| graph.shapes[path].join(" "));
        assert_eq!(shapes[0], "box.resolution box.width fade.iterations set.capacity");
        assert_eq!(shapes[1..], ["box.resolution box.width", "fade.iterations"]);
    }
}

#[test]
fn the_time_step_shapes_the_plan_where_all_steps_are_of_one_length() {
    let built = |run: &str| {
        let text = format!(
            r#"(version: 1, {run}, nodes: {{ "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
            "fastest": (number: "sqrt(40 * 10)"), "count": (number: "ceil(dt * fastest / 0.04)"),
            "s": (state: "Grid<f32>", on: "box", inputs: {{"next": "fade.field"}}),
            "fade": (stage: "fluid/dissipate", inputs: {{"field": "s.value"}}, iterations: "count"), }})"#
        );
        let document = Document::parse(&text).unwrap();
        let graph = Graph::build(&document, Library::builtin()).map_err(|e| e.to_string())?;
        Ok::<u32, String>(graph.nodes[graph.node("fade").unwrap()].iterations)
    };
    // ceil(500 / steps per second).
    for (run, count) in [
        ("fps: 60", 9),
        ("fps: 24", 21),
        ("fps: 120", 5),
        ("fps: 24, substeps: 3", 7),
        ("fps: 24, substeps: (dt: 0.017)", 7),
        ("fps: 60, substeps: (dt: 0.017)", 9),
    ] {
        assert_eq!(built(run), Ok(count), "{run}");
    }
    let refused = built("fps: 60, substeps: (courant: 0.9, most: 8)").unwrap_err();
    assert!(refused.contains("changes from frame to frame with `count`"), "{refused}");
}

/// Frames per second that films have; a graph of validation with 1, 2 or 32 frames a second holds such numbers for other reasons.
const RATES: [f64; 6] = [24.0, 25.0, 30.0, 50.0, 60.0, 120.0];
/// Expressions that hold the number for another reason.
const NO_RATE: [&str; 1] = ["picture_height / 60"];

/// Adds the expressions of nodes, and of those inside groups.
fn gather_expressions(nodes: &Nodes, found: &mut Vec<String>) {
    for node in nodes.values() {
        let values = node.values().chain(node.kind.values());
        found.extend(values.filter_map(|value| value.expression().map(str::to_string)));
        if let NodeKind::Group(group) = &node.kind {
            gather_expressions(&group.nodes, found);
        }
    }
}

#[test]
fn no_shipped_expression_holds_its_frame_rate() {
    let library = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/graphs/lib")).unwrap();
    let library = library.map(|entry| format!("graphs/lib/{}", entry.unwrap().file_name().to_string_lossy()));
    let folders = ["graphs", "graphs/pictures", "graphs/templates", "graphs/validation"].map(String::from);
    let graphs: Vec<_> = folders.into_iter().chain(library).flat_map(|folder| graphs_in(&folder)).collect();
    let (mut tried, mut excused) = (0, 0);
    for (name, text) in &graphs {
        let document = Document::parse(text).unwrap();
        if !RATES.contains(&document.fps) {
            continue;
        }
        let mut expressions = Vec::new();
        gather_expressions(&document.nodes, &mut expressions);
        let set = document.variants.values().flat_map(|variant| variant.set.values().flatten());
        expressions.extend(set.filter_map(|value| value.expression().map(str::to_string)));
        tried += expressions.len();
        for expression in expressions {
            let mut numbers = expression.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '_');
            if NO_RATE.contains(&expression.as_str()) {
                excused += 1;
            } else {
                let holds = numbers.any(|number| number.parse() == Ok(document.fps));
                assert!(!holds, "{name}: \"{expression}\" holds {} fps; use `dt`", document.fps);
            }
        }
    }
    println!("{tried} expressions in {} graphs", graphs.len());
    assert!(tried > 250 && excused == NO_RATE.len(), "{tried}, {excused}");
}

#[test]
fn plans_with_numbers_survive_json_and_print_them() {
    let mut plan = compile(&group("", "own * 2", r#""inner": "2 * spacing""#)).unwrap_or_else(|e| panic!("{e}"));
    plan.dynamics = Default::default();
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<stagewright_compiler::Plan>(&json).unwrap(), plan);
    let text = plan.to_text();
    let numbers = text.split("\nnumbers\n").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(numbers);
}

#[test]
fn a_chain_of_thousands_and_hostile_cycles_end() {
    let chain: String = (1..3000).map(|i| format!("\"n{i}\": (number: \"n{} + 1\"),", i - 1)).collect();
    let nodes = with(r#"params: {"gain": "n2999 / 1000"}"#, &format!("\"n0\": (number: 1), {chain}"));
    let started = std::time::Instant::now();
    assert_eq!(value(&nodes, "mix.gain"), [3.0]);
    let said = problems(&nodes.replace("\"n0\": (number: 1)", "\"n0\": (number: \"n2999\")"));
    println!("{:?}", started.elapsed());
    assert!(said.starts_with("n0.value: the numbers form a cycle: n0 -> n2999 -> n2998"), "{}", &said[..200]);
}
