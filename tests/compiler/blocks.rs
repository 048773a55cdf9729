//! What is said of a wrong `where`: the thing, the cause and the remedy.

use stagewright_language::graph::Graph;

use super::{built, problems};

const NODES: &str = r##"
    "box": (domain: (resolution: (32, 32), width: 1)),
    "wide": (domain: (resolution: (32, 16), width: 2)),
    "deep": (domain: (resolution: (8, 8, 8), width: 1)),
    "gas": (state: "Grid<f32>", on: "box", inputs: {"next": "gas"}),
    "elsewhere": (state: "Grid<f32>", on: "wide", inputs: {"next": "elsewhere"}),
    "space": (state: "Grid<f32>", on: "deep", inputs: {"next": "space"}),
    "flow": (state: "FaceGrid", on: "box", inputs: {"next": "flow"}),
    "dust": (state: "Particles{position: Vec, size: f32}", capacity: 100, on: "box", inputs: {"next": "dust"}),
    "shape": (stage: "shape/sphere", on: "box"),
    "largest": (stage: "grid/largest", inputs: {"field": "gas"}),
    "two": (number: 2),
    "half": (custom: r#"//! Half
        //! @in a: Grid<f32>
        //! @out x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.5 * a(cell); }"#, inputs: {"a": "gas"} $half),
    "shrink": (custom: r#"//! Shrink
        //! @inout dust: Particles{size: f32} -> {size: f32}
        fn stage(particle: Particle) -> f32 { return 0.5 * particle.size; }"#, inputs: {"dust": "dust"} $shrink),
    "double": (custom: r#"//! Double
        //! @in a: f32
        //! @out x: f32
        //! @over once
        fn stage() -> f32 { return 2.0 * a(); }"#, inputs: {"a": "largest"} $double),
    "hollow": (custom: r#"//! Hollow
        //! @in shape: Field<f32>
        //! @out x: Field<f32>
        fn stage(position: Vec) -> f32 { return -shape(position); }"#, inputs: {"shape": "shape"} $hollow),
    "scene": (group: (inputs: {"gas": "Grid<f32>", "dust": "Particles{position: Vec, size: f32}"}, outputs: {"x": "add.sum"}, nodes: {
        "add": (stage: "grid/add", inputs: {"a": "in.gas"} $inside),
    }), inputs: {"gas": "gas", "dust": "dust"} $scene),
    "counts": (group: (inputs: {"a": "f32"}, outputs: {"x": "plus.x"}, nodes: {
        "plus": (custom: r#"//! Plus
            //! @in a: f32
            //! @out x: f32
            //! @over once
            fn stage() -> f32 { return a() + 1.0; }"#, inputs: {"a": "in.a"}),
    }), inputs: {"a": "largest"} $counts),
    "later": (state: "Grid<f32>", on: "box", inputs: {"next": "half"} $later),
    "more": (number: 1 $more),
    "sheet": (domain: (resolution: (4, 4), width: 1) $sheet),
    "dot": (reroute: (), inputs: {"value": "gas"} $dot),
    "look": (stage: "view/color_map", on: "box", inputs: {"field": "half"}),
    "screen": (output: (), inputs: {"image": "look"} $screen),
"##;

/// The nodes, with fields for some of them.
fn with(fields: &[(&str, &str)]) -> String {
    let mut nodes = NODES.to_string();
    for (node, field) in fields {
        let place = format!("${node}");
        assert!(nodes.contains(&place), "{place}");
        nodes = nodes.replace(&place, &format!(", {field}"));
    }
    let places =
        ["half", "shrink", "double", "hollow", "inside", "scene", "counts", "later", "more", "sheet", "dot", "screen"];
    places.iter().fold(nodes, |nodes, place| nodes.replace(&format!("${place}"), ""))
}

/// What is said of one `where`: errors, or the warnings of `where`.
fn said(node: &str, wire: &str) -> String {
    let nodes = with(&[(node, &format!(r#"where: "{wire}""#))]);
    match built(&nodes) {
        Ok(graph) => warnings(&graph).join("\n"),
        Err(_) => problems(&nodes),
    }
}

fn warnings(graph: &Graph) -> Vec<String> {
    let about = graph.warnings.0.iter().filter(|warning| warning.port == "where" || warning.cause.contains("where"));
    about.map(ToString::to_string).collect()
}

#[test]
fn a_wrong_where_names_thing_cause_and_remedy() {
    assert_eq!(said("half", "gas"), "");
    assert_eq!(said("scene", "gas"), "");
    let runs = |how: &str| format!("the stage runs {how}, and `where` chooses among cells; remove `where`");
    let carries =
        |ty: &str| format!("the wire carries {ty}, and `where` takes a Grid; name a wire with a value in each cell");
    let other = |name: &str| {
        format!("the grid is on `{name}`, and the stage runs over `box`; name a grid on the same box, or resample it")
    };
    let nobody = |name: &str| format!("`{name}` does not name a node; connect a node that exists, or remove the wire");
    let number = || "`two` is a number, the same everywhere; name a grid".to_string();
    let none = |kind: &str| {
        format!("`where` belongs to stages and groups; a node of the kind {kind} has none; remove `where`")
    };
    let idle = || {
        "no stage inside goes by it: each has a `where` of its own, or does not run over cells of the grid's box; \
         name a grid on the box that the stages run over, or remove `where`"
            .to_string()
    };
    let cases = [
        ("shrink", "gas", runs("over particles")),
        ("double", "gas", runs("once")),
        ("hollow", "gas", runs("wherever its field is read")),
        ("half", "two", number()),
        ("half", "largest", carries("f32")),
        ("half", "dust", carries("Particles")),
        ("half", "flow", carries("FaceGrid")),
        ("half", "shape", carries("Field<f32>")),
        ("half", "dust.size", "`dust` has no output `size`; its outputs are: value".into()),
        ("half", "elsewhere", other("wide")),
        ("half", "space", other("deep")),
        ("half", "nothing", nobody("nothing")),
        ("half", "gas.vlaue", "`gas` has no output `vlaue`; its outputs are: value".into()),
        ("half", "gas.value.x", "`gas` has no output `value.x`; its outputs are: value".into()),
        ("half", "box", "`box` is a domain, which carries no values; use it as `on` instead".into()),
        ("half", "in.gas", "`in.gas` reads a group's input, but is not inside a group; wire a node".into()),
        ("half", "", nobody("")),
        ("half", ".", nobody("")),
        ("half", "..", nobody("..")),
        ("half", "\\\"\\n\\u{202e}\u{7f}🙂", nobody("\"\\u{a}\\u{202e}\\u{7f}🙂")),
        ("scene", "two", number()),
        ("scene", "dust", carries("Particles")),
        ("scene", "flow", carries("FaceGrid")),
        ("scene", "elsewhere", idle()),
        ("scene", "nothing", nobody("nothing")),
        ("counts", "gas", idle()),
        ("later", "gas", none("State")),
        ("more", "gas", none("number")),
        ("sheet", "gas", none("Domain")),
        ("dot", "gas", none("reroute")),
        ("screen", "gas", none("Output")),
    ];
    for (node, wire, expected) in cases {
        assert_eq!(said(node, wire), format!("{node}.where: {expected}"));
    }
    assert_eq!(said("inside", "in.gas"), "", "a group's input");
    assert_eq!(said("inside", "in.dust"), format!("scene/add.where: {}", carries("Particles")));
    let without = "the group has no input `mask`; its inputs are: dust, gas";
    assert_eq!(said("inside", "in.mask"), format!("scene/add.where: {without}"));
    assert_eq!(said("inside", "gas"), format!("scene/add.where: {}", nobody("gas")));
}

#[test]
fn a_grid_that_depends_on_what_it_confines_is_a_cycle() {
    let state = "add a State here, which holds the value of the previous frame";
    for (node, wire, cycle) in [
        ("half", "half", "half: the wires form a cycle: half -> half"),
        ("half", "look", "half: the wires form a cycle: half -> look -> half"),
        ("scene", "scene.x", "scene/add: the wires form a cycle: scene/add -> scene/add"),
    ] {
        assert_eq!(said(node, wire), format!("{cycle}; {state}"));
    }
    // A State between them is what the frame before has left.
    assert_eq!(said("half", "later"), "");
}

/// One problem of the group, however many stages are inside.
#[test]
fn a_wrong_where_of_a_group_is_one_problem() {
    let nodes = with(&[("scene", r#"where: "flow""#)])
        .replace(r#""add": "#, r#""scale": (stage: "grid/scale", inputs: {"a": "in.gas"}), "add": "#);
    assert_eq!(problems(&nodes).lines().count(), 1, "{}", problems(&nodes));
}

/// The word is reserved in WGSL, so a stage can't declare it.
#[test]
fn a_group_s_input_or_parameter_called_where_keeps_its_meaning() {
    for header in ["//! @in where: Grid<f32>", "//! @param where: f32 = 1"] {
        let stage = format!(
            "\"own\": (custom: \"//! Own\\n{header}\\n//! @out x: Grid<f32>\\nfn stage(cell: Cell) -> f32 {{ return 1.0; }}\", on: \"box\"),"
        );
        let said = problems(&(with(&[]) + &stage));
        assert_eq!(said, "own (2:1): `where` belongs to WGSL; choose another name");
    }
    let input = with(&[("scene", r#"where: "gas""#)])
        .replace(r#""dust": "Particles"#, r#""where": "Grid<f32>", "dust": "Particles"#);
    // A number drives the parameter.
    let param = with(&[("scene", r#"where: "two""#)])
        .replace(r#"outputs: {"x": "add.sum"}"#, r#"outputs: {"x": "add.sum"}, params: {"where": ["add.weight"]}"#);
    for nodes in [input, param] {
        let graph = built(&nodes).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(graph.nodes.iter().all(|node| node.blocks.is_none()));
        assert_eq!(warnings(&graph), Vec::<String>::new());
    }
}

/// Where nothing is wired to the group's input, the stages inside run everywhere.
#[test]
fn an_unwired_input_as_where_confines_nothing() {
    let nodes = with(&[("inside", r#"where: "in.mask""#)])
        .replace(r#"inputs: {"gas": "Grid<f32>""#, r#"inputs: {"mask": "Grid<f32>", "gas": "Grid<f32>""#);
    let confined = |nodes: &str| built(nodes).unwrap().nodes.iter().any(|node| node.blocks.is_some());
    assert!(!confined(&nodes));
    assert!(confined(&nodes.replace(r#"inputs: {"gas": "gas""#, r#"inputs: {"mask": "gas", "gas": "gas""#)));
}

/// Groups in groups, each with a `where`: the innermost decides.
#[test]
fn wheres_of_nested_groups_end_at_once() {
    let nested = |depth: usize| {
        let mut inner = r#""x": (stage: "grid/scale", inputs: {"a": "in.gas"})"#.to_string();
        for _ in 0..depth {
            inner = format!(
                r#""x": (group: (inputs: {{"gas": "Grid<f32>"}}, outputs: {{"scaled": "x"}}, nodes: {{ {inner} }}), where: "in.gas", inputs: {{"gas": "in.gas"}})"#
            );
        }
        with(&[]) + &inner.replacen("in.gas\", inputs", "gas\", inputs", 1)
    };
    let outer = |nodes: String| {
        // The outermost group reads the State.
        let at = nodes.rfind(r#"where: "in.gas", inputs: {"gas": "in.gas"}"#);
        at.map_or(nodes.clone(), |at| nodes[..at].to_string() + &nodes[at..].replace("in.gas", "gas"))
    };
    let nodes = outer(nested(10).replacen(r#"where: "gas""#, r#"where: "in.gas""#, 1));
    let graph = built(&nodes).unwrap_or_else(|problems| panic!("{problems}"));
    let stage = graph.nodes.iter().find(|node| node.path.ends_with("/x/x") && node.blocks.is_some()).unwrap();
    assert_eq!(stage.blocks.unwrap().outward, 1, "{}", stage.path);
    assert_eq!(stage.path.matches('/').count(), 10);
    let start = std::time::Instant::now();
    let many = outer(nested(18).replacen(r#"where: "gas""#, r#"where: "in.gas""#, 1));
    assert!(problems(&many).contains("groups are nested more than 16 deep"), "{}", problems(&many));
    assert!(start.elapsed().as_secs() < 2);
}
