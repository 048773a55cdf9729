//! What the checker says of wrong graphs: everything at once, each with node, port, cause and remedy.

use stagewright_compiler::{BudgetSource, MemoryBudget, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{compile, problems};

const DOMAIN: &str = r#""domain": (domain: (resolution: (32, 32), width: 1, edge: "wall")),"#;
const VELOCITY: &str = r#""velocity": (state: "Grid<Vec>", inputs: {"next": "velocity.value"}),"#;

#[test]
fn an_unused_parameter_is_a_warning_and_the_graph_runs() {
    let text = r##"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1)),
        "a": (custom: r#"//! A
            //! @param gain: f32 = 1
            //! @param later: f32 = 2
            //! @out x: f32
            //! @over once
            fn stage() -> f32 { return params.gain; }"#),
        "b": (custom: r#"//! B
            //! @in x: f32
            //! @out y: Grid<f32>
            fn stage(cell: Cell) -> f32 { return x(); }"#, on: "domain", inputs: {"x": "a.x"}),
        "look": (stage: "view/color_map", inputs: {"field": "b.y"}),
        "screen": (output: (size: (8, 8)), inputs: {"image": "look.image"})})"##;
    let graph = Graph::build(&Document::parse(text).unwrap(), Library::builtin()).unwrap();
    Plan::compile(&graph, &PlanOptions::default()).unwrap();
    let warnings: Vec<String> = graph.warnings.0.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["a (3:1): @param `later` is declared but never used; read `params.later` or remove the line"]
    );
    assert!(Library::builtin().stages().all(|stage| stage.unused.is_empty()), "what ships has none");
}

/// So a library group may have one without a graph having to say which is meant.
#[test]
fn a_domain_inside_a_group_is_that_group_s_alone() {
    let text = r##"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1)),
        "table": (group: (outputs: {"sum": "sum.sum"}, nodes: {
            "rows": (domain: (resolution: (4, 4), width: 4)),
            "ones": (stage: "grid/expression", on: "rows", params: {"value": "1"}),
            "sum": (stage: "measure/sum", inputs: {"field": "ones"})})),
        "value": (state: "Grid<f32>", inputs: {"next": "value"}),
        "look": (stage: "view/color_map", inputs: {"field": "value"}, params: {"high": 1}),
        "screen": (output: (size: (8, 8)), inputs: {"image": "look.image"})})"##;
    let graph = Graph::build(&Document::parse(text).unwrap(), Library::builtin()).unwrap();
    let named = |path: &str| {
        let node = graph.nodes.iter().find(|node| node.path == path).unwrap();
        graph.domains[node.domain.unwrap()].name.clone()
    };
    assert_eq!([named("value"), named("table/ones")], ["domain", "table/rows"]);
}

/// The warnings of a graph.
fn warnings(nodes: &str) -> Vec<String> {
    super::built(nodes).unwrap().warnings.0.iter().map(|warning| warning.cause.clone()).collect()
}

#[test]
fn a_wire_may_branch_where_both_results_are_read() {
    let branch = |reader: &str| {
        format!(
            r#"{DOMAIN} {VELOCITY} "near": (stage: "fluid/dissipate", inputs: {{"field": "velocity"}}),
            "far": (stage: "fluid/dissipate", inputs: {{"field": "velocity"}}), {reader}
            "kept": (state: "Grid<Vec>", inputs: {{"next": "near.field"}}), "screen": (output: (), inputs: {{"image": "look"}}),
            "look": (stage: "view/vector", inputs: {{"velocity": "near.field"}}),"#
        )
    };
    assert!(warnings(&branch("")).concat().starts_with("two writers: `far` and `near`"), "the change of `far` is lost");
    let both = r#""difference": (stage: "grid/add", inputs: {"a": "near", "b": "far"}),"#;
    assert_eq!(warnings(&branch(both)), Vec::<String>::new());
}

#[test]
fn a_vector_in_space_is_another_type_and_the_remedy_says_so() {
    let text = r##""box": (domain: (resolution: (4, 4, 4), width: 1, edge: "wall")),
        "a": (custom: r#"//! A
            //! @out x: Grid<Vec>
            fn stage(cell: Cell) -> Vec { return Vec(1.0); }"#, on: "box"),
        "c": (custom: r#"//! C
            //! @in f: Grid<vec3f>
            //! @out x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f(cell).x; }"#, inputs: {"f": "a"}),"##;
    let said = problems(text);
    assert!(said.contains("declare both as Grid<Vec> or both as Grid<vec3f>: walls reverse a Vec"), "{said}");
}

#[test]
fn whole_numbers_are_refused_at_the_port_of_a_stage_that_computes_with_floats() {
    let text = r##""box": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
        "n": (custom: r#"//! N
            //! @out x: Grid<u32>
            fn stage(cell: Cell) -> u32 { return 1u; }"#, on: "box"),
        "sum": (stage: "grid/add", inputs: {"a": "n", "b": "n"}),"##;
    let said = problems(text);
    assert!(
        said.starts_with("sum.a: the wire carries Grid<u32>, the port takes Grid<F>; connect a wire of f32"),
        "{said}"
    );
}

macro_rules! says {
    ($name:ident, $nodes:expr) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(problems(&format!("{DOMAIN}{VELOCITY}{}", $nodes)));
        }
    };
}

/// One error: what would follow from it is not reported, for its remedies would damage nodes that are right.
#[test]
fn nothing_is_said_of_what_follows_from_a_wrong_domain() {
    let shipped = std::fs::read_to_string("graphs/stable_fluids.ron").unwrap();
    let wrong = |was: &str, becomes: &str| {
        let text = shipped.replacen(was, becomes, 1);
        assert_ne!(text, shipped, "{was}");
        let document = Document::parse(&text).unwrap();
        let problems = Graph::build(&document, Library::builtin()).map(|_| ()).unwrap_err();
        problems.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let resolutions = ["65536, 65536", "999999, 999999", "0, 256", "NaN, 256", "2.5, 256", "\"x\", 256"];
    for resolution in resolutions {
        let message = wrong("resolution: (256, 256)", &format!("resolution: ({resolution})"));
        assert!(message.starts_with("domain.resolution: ") && message.lines().count() == 1, "{resolution}: {message}");
    }
}

says!(
    a_wrong_type_names_both_types,
    r#""d": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "velocity.value"}),"#
);
says!(
    centre_and_face_sampling_are_different_types,
    r#""d": (stage: "staggered/divergence", inputs: {"velocity": "velocity.value"}),
    "f": (stage: "staggered/center_to_face", inputs: {"velocity": "velocity.value"}),
    "e": (stage: "fluid/divergence", inputs: {"velocity": "f.result"}),"#
);
says!(
    a_cycle_asks_for_a_state,
    r#""a": (stage: "fluid/advect", inputs: {"velocity": "velocity.value", "field": "b.result"}),
    "b": (stage: "fluid/advect", inputs: {"velocity": "velocity.value", "field": "c.field"}),
    "c": (stage: "fluid/dissipate", inputs: {"field": "a.result"}),"#
);
says!(
    dangling_wires_are_named,
    r#""a": (stage: "fluid/divergence", inputs: {"velocity": "nobody.velocity"}),
    "b": (stage: "fluid/divergence", inputs: {"velocity": "a.velocity"}),
    "c": (stage: "fluid/divergence", inputs: {"velocity": "domain.x"}),
    "d": (stage: "fluid/divergence"),
    "e": (stage: "fluid/divergence", inputs: {"speed": "velocity.value", "velocity": "velocity.value"}, params: {"gain": 1}),
    "f": (stage: "fluid/divergence", inputs: {"velocity": "in.velocity"}),"#
);
says!(
    unknown_stages_suggest_the_nearest,
    r#""a": (stage: "fluid/divergense"), "b": (stage: "nothing/like_it_at_all"), "c": (warp: 9),"#
);
says!(
    bad_numbers_are_refused,
    r#""a": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, params: {"relaxation": 3}),
    "b": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, params: {"relaxation": NaN}),
    "c": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, params: {"relaxation": "1 / 0"}),
    "d": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, params: {"relaxation": "sin(tyme)"}),
    "e": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, params: {"relaxation": (1, 2)}),
    "f": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, iterations: 0),
    "g": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, iterations: "time"),
    "h": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, iterations: 2.5),
    "i": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "s.value"}, params: {"relaxation": inf}),
    "s": (state: "Grid<f32>", inputs: {"next": "a.pressure"}),"#
);
says!(
    domains_are_checked,
    r#""flat": (domain: (resolution: (32), width: 1, edge: "wall")),
    "none": (domain: (resolution: (0, 8), width: 1, edge: "wall")),
    "thin": (domain: (resolution: (8, 8), width: 0, edge: "wall")),
    "lost": (domain: (resolution: (8, 8), width: NaN, edge: "wall")),
    "open": (domain: (resolution: (8, 8), width: 1, edge: (left: "ajar", right: "open"))),
    "huge": (domain: (resolution: (60000, 60000, 60000), width: 1, edge: "wall")),
    "far": (state: "Grid<f32>", on: "nowhere"),"#
);
says!(
    two_domains_need_a_choice,
    r#""fine": (domain: (resolution: (64, 64), width: 1, edge: "wall")), "s": (state: "Grid<f32>"),"#
);
says!(
    two_writers_of_a_wire_are_pointed_out,
    r#""a": (stage: "fluid/dissipate", inputs: {"field": "velocity.value"}),
    "b": (stage: "fluid/dissipate", inputs: {"field": "velocity.value"}), "x": (stage: "no/such"),"#
);
says!(
    outputs_take_images,
    r#""a": (output: (), inputs: {"image": "velocity.value"}),
    "b": (output: (size: (0, 4)), inputs: {"image": "d.divergence"}), "d": (stage: "fluid/divergence", inputs: {"velocity": "velocity.value"}),
    "c": (output: ()),"#
);
says!(
    states_are_checked,
    r#""a": (state: "Grid<Q>"), "b": (state: "f32"), "c": (state: "Grid<f32>", inputs: {"next": "velocity.value"}),
    "d": (state: "Grid<Vec>", inputs: {"next": "velocity.value", "init": "e.field"}), "e": (stage: "fluid/dissipate", inputs: {"field": "velocity.value"}),"#
);
says!(
    groups_are_checked,
    r#""g": (iterations: 2, inputs: {"v": "velocity.value", "w": "velocity.value"}, params: {"q": 1},
        group: (inputs: {"v": "Grid<f32>", "x": "Grid<Vec>", "y": "Foo"}, outputs: {"v": "d.divergence", "z": "nobody.x"}, params: {"k": "nobody.k"},
            nodes: {"d": (stage: "fluid/divergence", inputs: {"velocity": "in.x"}), "e": (stage: "fluid/divergence", inputs: {"velocity": "in.q"})})),"#
);
says!(
    node_names_are_checked,
    r#""a.b": (number: 1), "c/d": (number: 1), "in": (number: 1), "": (number: 1), " e": (number: 1),"#
);

#[test]
fn extents_must_match_cell_by_cell_but_not_by_position() {
    let nodes = r#""coarse": (domain: (resolution: (32, 32), width: 1, edge: "wall")), "fine": (domain: (resolution: (64, 64), width: 1, edge: "wall")),
        "velocity": (state: "Grid<Vec>", on: "coarse", inputs: {"next": "velocity.value"}),
        "dye": (state: "Grid<vec4f>", on: "fine", inputs: {"next": "carried.result"}),
        "carried": (stage: "fluid/advect", inputs: {"velocity": "velocity.value", "field": "dye.value"}),
        "screen": (output: (), inputs: {"image": "carried.result"}),"#;
    let plan = compile(nodes).expect("dye is read by position, so the domains may differ");
    assert_eq!(plan.wires["carried.result"].domain.map(|d| plan.domains[d].name.as_str()), Some("fine"));
    let wrong = format!(
        r#"{nodes} "wrong": (stage: "fluid/divergence", on: "fine", inputs: {{"velocity": "velocity.value"}}),"#
    );
    insta::assert_snapshot!(problems(&wrong));
}

#[test]
fn wgsl_errors_carry_the_users_own_line_and_column() {
    let with = |body: &str| {
        let nodes = format!(
            "{DOMAIN}{VELOCITY} \"mine\": (custom: \"//! Mine\\n//! @in velocity: Grid<Vec>\\n//! @out speed: Grid<f32>\\n//! @param gain: f32 = 1\\n\\n{body}\", inputs: {{\"velocity\": \"velocity.value\"}}), \
             \"s\": (state: \"Grid<f32>\", inputs: {{\"next\": \"mine.speed\"}}), \"m\": (stage: \"view/color_map\", inputs: {{\"field\": \"s.value\"}}), \"o\": (output: (), inputs: {{\"image\": \"m.image\"}}),"
        );
        problems(&nodes)
    };
    let cases = [
        "fn stage(cell: Cell) -> f32 {\\n    return lenght(velocity(cell)) * params.gain;\\n}",
        "fn stage(cell: Cell) -> f32 {\\n    return velocity(cell) * params.gain;\\n}",
        "fn stage(cell: Cell) -> f32 {\\n    return length(velocity(cell)) * params.gian;\\n}",
        "fn stage(cell: Cell) -> vec2f {\\n    return velocity(cell) * params.gain;\\n}",
        "fn stage(cell: Cell) -> f32 {\\n    let x = params.gain\\n    return 1.0;\\n}",
        "fn stage(cell: Cell) -> f32 {\\n    return params.gain;\\n}",
        "fn stage() -> f32 {\\n    return params.gain * length(velocity(Cell()));\\n}",
        "fn neighbor(x: i32) -> i32 { return x; }\\nfn stage(cell: Cell) -> f32 {\\n    return params.gain * length(velocity(cell)) * f32(neighbor(1));\\n}",
    ];
    let all: Vec<String> = cases.iter().map(|case| with(case)).collect();
    insta::assert_snapshot!(all.join("\n---\n"));
}

/// What the compiler inserts or counts in bytes must not move the place that the user is shown.
#[test]
fn columns_are_the_users_own_behind_budgets_and_letters_of_many_bytes() {
    // `nobody` is declared nowhere; the error must stand right there.
    let at = |before: &str, after: &str| {
        let text = problems(&format!(
            "{DOMAIN} \"mine\": (custom: \"//! Mine\\n//! @out x: Grid<f32>\\nfn stage(cell: Cell) -> f32 {{ var s = 0.0; {before}nobody{after} return s; }}\"), \
             \"m\": (stage: \"view/color_map\", inputs: {{\"field\": \"mine.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"m.image\"}}),"
        ));
        let column = "fn stage(cell: Cell) -> f32 { var s = 0.0; ".chars().count() + before.chars().count() + 1;
        assert!(text.starts_with(&format!("mine (3:{column}): ")), "column {column} is meant: {text}");
    };
    at("s += ", ";");
    at("var v = Vec() + vec2<f32>(); if any(vec2<bool>()) { v += vec2f(); } s += ", ";");
    at("loop { s += ", "; if s > 9.0 { break; } }");
    at("while s < 9.0 { s += 1.0; } s += ", ";");
    at("/* \u{e9}\u{6c34}\u{1f30a} */ s += ", ";");
}

#[test]
fn a_call_with_the_wrong_dimension_names_the_accessor() {
    let nodes = r#""room": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")), "sheet": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "s": (state: "Grid<f32>", on: "room", inputs: {"next": "s.value"}), "flat": (stage: "grid/resample", on: "sheet", inputs: {"field": "s.value"}),
        "look": (stage: "view/color_map", inputs: {"field": "flat.result"}), "o": (output: (), inputs: {"image": "look.image"}),"#;
    let text = problems(nodes);
    println!("{text}");
    assert!(text.starts_with("flat (") && text.contains("the call of `field_at`"), "{text}");
}

#[test]
fn too_much_memory_is_refused_with_the_number() {
    let nodes = r#""domain": (domain: (resolution: (20000, 20000), width: 1, edge: "wall")),
        "s": (state: "Grid<vec4f>", inputs: {"next": "a.field"}), "a": (stage: "fluid/dissipate", inputs: {"field": "s.value"}),
        "o": (output: (size: (64, 64)), inputs: {"image": "a.field"}),"#;
    let text = problems(nodes);
    // 20000^2 vec4f are 6,400,000,000 bytes: 6103.5 MiB, in place; the image adds 16 KiB. Two of them break the budget of 8 GiB.
    assert_eq!(text, "no problems");
    let two = nodes.replace(r#""s": (state"#, r#""t": (state: "Grid<vec4f>", inputs: {"next": "b.result"}), "b": (stage: "fluid/add", inputs: {"field": "t.value", "source": "a.field"}), "s": (state"#)
        .replace(r#"{"image": "a.field"}"#, r#"{"image": "b.field"}"#).replace("b.result", "b.field");
    let text = problems(&two);
    println!("{text}");
    assert!(text.contains("12207.0 MiB") && text.contains("8192.0 MiB") && text.contains("6103.5 MiB"), "{text}");
    assert!(text.contains("(the default) and the adapter's memory is not known"), "{text}");
    // The same graph where an adapter is known: one that is large enough, and one that is not.
    let document = Document::parse(&format!("(version: 1, nodes: {{ {two} }})")).unwrap();
    let graph = Graph::build(&document, Library::builtin()).unwrap();
    let on = |available: u64| {
        let source = BudgetSource::Adapter { available };
        let memory_budget = MemoryBudget { bytes: available / 8 * 7, source, adapter: Some(16 << 30) };
        Plan::compile(&graph, &PlanOptions { memory_budget, ..PlanOptions::default() })
    };
    assert!(on(15 << 30).is_ok());
    let text = on(12 << 30).unwrap_err().to_string();
    println!("{text}");
    let budget = "the budget is 10752.0 MiB (a share of the 12288.0 MiB available) and the adapter has 16384.0 MiB";
    assert!(text.contains("the graph needs 12207.0 MiB of GPU memory") && text.contains(budget), "{text}");
}

#[test]
fn runaway_iterations_are_refused() {
    let nodes = format!(
        r#"{DOMAIN} "s": (state: "Grid<f32>", inputs: {{"next": "g.x"}}), "m": (stage: "view/color_map", inputs: {{"field": "g.x"}}), "o": (output: (), inputs: {{"image": "m.image"}}),
        "g": (iterations: 10000, inputs: {{"x": "s.value"}}, group: (inputs: {{"x": "Grid<f32>"}}, outputs: {{"x": "f.field"}}, nodes: {{"f": (stage: "fluid/dissipate", iterations: 10000, inputs: {{"field": "in.x"}})}})),"#
    );
    let text = problems(&nodes);
    println!("{text}");
    assert!(text.contains("100000 dispatches") && text.contains("iterations"), "{text}");
}

#[test]
fn a_camera_is_no_constant() {
    let stage = "//! T\\n//! @in camera: Camera = 0\\n//! @out y: Grid<vec4f>\\nfn stage(cell: Cell) -> vec4f { return camera()[0]; }";
    let nodes = format!(
        "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"c\": (custom: \"{stage}\"), \
         \"g\": (group: (inputs: {{\"eye\": \"Camera\"}}, outputs: {{}}, nodes: {{}})), \"o\": (output: (), inputs: {{\"image\": \"c.y\"}}),"
    );
    assert_eq!(
        problems(&nodes),
        "c.camera: a Camera cannot be a constant; connect one to it\ng.eye: a Camera cannot be a constant; connect one to it"
    );
}

/// Such a wire is no circle as long as the group runs once; repeated, each repeat would wait for the last one.
#[test]
fn a_group_that_repeats_can_not_wait_for_itself() {
    let nodes = |iterations: u32| {
        format!(
            r#"{DOMAIN} "s": (state: "Grid<f32>", inputs: {{"next": "g.field"}}), "m": (stage: "view/color_map", inputs: {{"field": "g.field"}}), "o": (output: (), inputs: {{"image": "m.image"}}),
            "between": (stage: "fluid/dissipate", inputs: {{"field": "g.a"}}),
            "g": (iterations: {iterations}, inputs: {{"field": "s", "x": "between.field"}}, group: (inputs: {{"field": "Grid<f32>", "x": "Grid<f32>"}}, outputs: {{"field": "b.field", "a": "a.field"}},
                nodes: {{"a": (stage: "fluid/dissipate", inputs: {{"field": "in.field"}}), "b": (stage: "fluid/dissipate", inputs: {{"field": "in.x"}})}})),"#
        )
    };
    assert_eq!(problems(&nodes(1)), "no problems");
    assert_eq!(
        problems(&nodes(2)),
        "g.iterations: the group iterates, and depends on its own output through nodes outside; move these nodes into the group, or add a State in between"
    );
    // A State's value is there before.
    let held = nodes(2).replace(r#""a": "a.field""#, r#""a": "kept""#).replace(
        r#""a": (stage: "fluid/dissipate", inputs: {"field": "in.field"})"#,
        r#""kept": (state: "Grid<f32>", inputs: {"next": "b"})"#,
    );
    assert!(held.contains("kept\"") && !held.contains("in.field"), "{held}");
    assert_eq!(problems(&held), "no problems");
}

#[test]
fn what_nothing_reads_is_warned_of() {
    let text = r##"(version: 1, fsp: 30, nodes: {
        "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall", cells: 3), capacity: 4),
        "field": (custom: "//! T\n//! @out y: Grid<f32>\n//! @param a: f32 = 1\nfn stage(cell: Cell) -> f32 { return params.a; }", on: "domain", parms: {"a": 2}, params: {"a": 1e-50}),
        "inside": (group: (outputs: {}, wires: 2, nodes: {"n": (number: 1, on: "domain", iteration: 3)})),
        "look": (stage: "view/color_map", inputs: {"field": "field"}, color: "rot"),
        "screen": (output: (sise: (4, 4)), inputs: {"image": "look"}, iterations: 5),
    })"##;
    let document = stagewright_language::document::Document::parse(text).expect("valid RON");
    let graph = stagewright_language::graph::Graph::build(&document, stagewright_language::library::Library::builtin())
        .expect("it runs");
    insta::assert_snapshot!(graph.warnings.to_string());
}

#[test]
fn a_time_step_has_to_fit() {
    for fps in ["1e-300", "1e300", "0", "NaN"] {
        let text = format!("(version: 1, fps: {fps}, nodes: {{}})");
        let document = stagewright_language::document::Document::parse(&text).expect("valid RON");
        let refused =
            stagewright_language::graph::Graph::build(&document, stagewright_language::library::Library::builtin());
        assert!(refused.expect_err("refused").to_string().contains("frames per second"), "{fps}");
    }
}
