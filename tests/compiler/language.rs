//! The header grammar, and what the generator does with it.

use stagewright_language::document::ParamValue;
use stagewright_language::stage::{Reach, Stage};

use super::{compile, problems};

fn errors(source: &str) -> String {
    match Stage::parse("test", source) {
        Ok(_) => "no errors".into(),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn header_errors_name_the_line() {
    let cases = [
        "fn stage(cell: Cell) -> f32 { return 1.0; }",
        "//! T\n//! @into x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }",
        "//! T\n//! @in x: Gird<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell); }",
        "//! T\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }",
        "//! T\n//! @in x: Grid<f32>\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell); }",
        "//! T\n//! @out y: Grid<f32>\n//! @param p: f32 = 1\nfn stage(cell: Cell) -> f32 { return params.q; }",
        "//! T\n//! @out y: Grid<f32>\n//! @param p: f32\nfn stage(cell: Cell) -> f32 { return params.p; }",
        "//! T\n//! @out y: Grid<f32>\n//! @param p: f32 = 3, 0..2\nfn stage(cell: Cell) -> f32 { return params.p; }",
        "//! T\n//! @out y: Grid<T>\nfn stage(cell: Cell) -> T { return T(); }",
        "//! T\n//! @out y: f32\nfn stage(cell: Cell) -> f32 { return 1.0; }",
        "//! T\n//! @over once\n//! @out y: Grid<f32>\nfn stage() -> f32 { return 1.0; }",
        "//! T\n//! @in x: Grid<f32>, radius 1\n//! @out y: Grid<f32>, like z\nfn stage(cell: Cell) -> f32 { return x(cell); }",
        "//! T\n//! @in x: FaceGrid, radius 1\n//! @out y: Grid<f32>, radius 1\nfn stage(cell: Cell) -> f32 { return x(cell).x; }",
        "//! T\n//! @in x: Grid<f32>, radius 1.5\n//! @inout y: Grid<f32>, radius p\n//! @param p: i32 = 1, 0..4\nfn stage(cell: Cell) -> f32 { return x(cell) + f32(params.p); }",
        "//! T\n//! @in x: Grid<f32>, radius p\n//! @in z: Grid<f32>, radius q\n//! @out y: Grid<f32>\n//! @param q: f32 = 1, 0..4\nfn stage(cell: Cell) -> f32 { return x(cell) + z(cell) + params.q; }",
        "//! T\n//! @in x: Grid<f32>, radius p\n//! @out y: Grid<f32>\n//! @param p: i32 = 1, ..4\nfn stage(cell: Cell) -> f32 { return x(cell + params.p); }",
        "//! T\n//! @in x: Grid<f32>, radius 2\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x_at(position(cell)); }",
        "//! T\n//! @in x: Grid<f32>, radius 2\n//! @inout p: Particles{position: Vec} -> {a: f32}\nfn stage(particle: Particle) -> f32 { return x(cell_at(particle.position)); }",
        "//! T\n//! @in Bad: Grid<f32>\n//! @inout frame: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }",
        "//! T\n//! @out y: Grid<f32>, scatter 40\nfn stage(cell: Cell) { add_y(cell, 1.0); }",
        "//! T\n//! @sweep spiral\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }",
        "//! T\n//! @in x: Grid<f32>\nfn stage(cell: Cell) { let y = x(cell); }",
        "//! T\n//! @out y: Grid<f32>\nfn stage(i: u32) -> f32 { return 1.0; }",
        "//! T\n//! @out y: Grid<f32>\n@group(0) @binding(9) var<storage> z: array<f32>;\nfn stage(cell: Cell) -> f32 { return z[0]; }",
        "//! T\n//! @out y: Grid<f32>\nvar<private> _mine: f32;\nfn stage(cell: Cell) -> f32 { return _mine; }",
    ];
    let all: Vec<String> = cases.iter().map(|case| errors(case)).collect();
    insta::assert_snapshot!(all.join("\n---\n"));
}

#[test]
fn documentation_and_units_come_from_the_header() {
    let source = "//! Title here\n//! First line.\n//! Source: Somebody 1999.\n//! Keywords: one, two words\n//!\n//! @in    x: Grid<f32> = 2, edge zero   What it is [m/s]\n//! @out   y: Grid<f32>   Result\n//! @param tint: color = (1, 0.5, 0), soft 0..1   A colour\nfn stage(cell: Cell) -> f32 { return x(cell) * params.tint.x; }";
    let stage = Stage::parse("a/b", source).expect("parses");
    assert_eq!(stage.header.title, "Title here");
    assert_eq!(stage.header.doc, ["First line."]);
    assert_eq!(stage.header.source, ["Somebody 1999."]);
    assert_eq!(stage.header.keywords, ["one", "two words"]);
    let port = stage.port("x").expect("is there");
    assert_eq!((port.unit.as_str(), port.default.clone()), ("m/s", Some(vec![2.0])));
    let param = stage.param("tint").expect("is there");
    assert_eq!((param.default.clone(), param.soft), (ParamValue::Vector(vec![1.0, 0.5, 0.0]), (Some(0.0), Some(1.0))));
    assert_eq!(stage.category(), "a");
}

/// Such names once failed as "redefinition of `bin`" in text that the author never wrote.
#[test]
fn names_of_the_language_are_refused_at_their_line() {
    for name in ["bin", "screen", "displacement", "random_at", "camera_ray", "substep"] {
        for declaration in [format!("@in {name}: Grid<f32>"), format!("@param {name}: f32 = 1")] {
            let said = errors(&format!(
                "//! T\n//! @out y: Grid<f32>\n//! {declaration}\nfn stage(cell: Cell) -> f32 {{ return 1.0; }}"
            ));
            assert_eq!(said, format!("3:1: `{name}` belongs to the stage language; choose another name"));
        }
    }
}

/// It once failed as a redefinition of `wall_face`.
#[test]
fn a_port_whose_function_would_be_one_of_the_language_is_refused() {
    let said = |ty: &str| {
        let header = format!("//! T\n//! @in wall: {ty}\n//! @out y: Grid<f32>");
        errors(&format!("{header}\nfn stage(cell: Cell) -> f32 {{ return wall(cell); }}"))
    };
    let cause = "`wall` would be read by `wall_face`, which belongs to the stage language; choose another name";
    assert_eq!(said("FaceGrid"), format!("2:1: {cause}"));
    assert_eq!(said("Grid<f32>"), "no errors", "it has no such function");
}

#[test]
fn names_that_are_generated_for_a_stage_are_refused_where_they_are_declared() {
    let header = "//! T\n//! @in x: Grid<f32>\n//! @in n: NeighborGrid\n//! @in f: f32 = 1\n//! @inout p: Particles{position: Vec} -> {a: f32}\n//! @param c: curve = [(0, 0), (1, 1)]\n";
    let body = "fn stage(particle: Particle) -> f32 { var near = n(particle.position); return x_at(particle.position) + f() + c(0.5); }";
    let said = |declaration: &str| errors(&format!("{header}{declaration}\n{body}"));
    for (declaration, origin) in [
        ("fn x_at(p: vec2f) -> f32 { return 1.0; }", "`x_at` is generated for the port `x`"),
        ("const x_wired = true;", "`x_wired` is generated for the port `x`"),
        ("fn n_next(a: i32) -> bool { return false; }", "`n_next` is generated for the port `n`"),
        ("var<private> f: f32;", "`f` is generated for the port `f`"),
        ("fn c(a: f32) -> f32 { return a; }", "`c` is generated for the parameter `c`"),
        ("struct Particle { a: f32 }", "`Particle` is generated for a stage with particles"),
        ("alias Params = f32;", "`Params` is generated for every stage"),
    ] {
        assert!(said(declaration).starts_with("7:") && said(declaration).contains(origin), "{}", said(declaration));
    }
    // What no port of this type has is the author's.
    for declaration in ["fn x_gradient(a: f32) -> f32 { return a; }", "fn x_next() { }", "struct Result { a: f32 }"] {
        assert_eq!(said(declaration), "no errors", "{declaration}");
    }
    let two = "//! T\n//! @in x: Grid<f32>\n//! @in x_at: f32 = 1\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell) + x_at(); }";
    assert_eq!(errors(two), "3:1: `x_at` is generated for the port `x`; choose another name");
}

/// In place is safe only where the text proves that no other cell is read.
#[test]
fn reach_is_proven_or_assumed_to_be_anywhere() {
    let reach = |body: &str| {
        let source = format!("//! T\n//! @inout x: Grid<f32>\n{body}");
        Stage::parse("t", &source).unwrap_or_else(|e| panic!("{e:?}")).reach("x")
    };
    assert_eq!(reach("fn stage(cell: Cell) -> f32 { return x(cell) * 2.0; }"), Reach::Own);
    assert_eq!(reach("fn stage(c: Cell) -> f32 { let x = x(c); return x; }"), Reach::Own);
    assert_eq!(reach("fn stage(cell: Cell) -> f32 { return x(neighbor(cell, 0)) + x(cell); }"), Reach::Faces);
    assert_eq!(reach("fn stage(cell: Cell) -> f32 { return x(cell + unit(0)); }"), Reach::Anywhere);
    assert_eq!(reach("fn stage(cell: Cell) -> f32 { return x(neighbor(cell + unit(0), 0)); }"), Reach::Anywhere);
    assert_eq!(reach("fn stage(cell: Cell) -> f32 { return x_at(position(cell)) + x(cell); }"), Reach::Anywhere);
    assert_eq!(
        reach("fn h(cell: Cell) -> f32 { return x(cell); }\nfn stage(cell: Cell) -> f32 { return h(cell + unit(1)); }"),
        Reach::Anywhere
    );
    assert_eq!(
        reach("fn stage(cell: Cell) -> f32 { if true { let cell = cell + unit(0); return x(cell); } return 0.0; }"),
        Reach::Anywhere
    );
    assert_eq!(
        reach(
            "fn stage(cell: Cell) -> f32 { var s = x(cell); for (var cell = Cell(); cell.x < 2; cell.x++) { s += x(cell); } return s; }"
        ),
        Reach::Anywhere
    );
}

#[test]
fn results_of_several_ports_are_checked_by_name() {
    let nodes = r##""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "two": (custom: "//! Two\n//! @in a: Grid<f32>\n//! @out sum: Grid<f32>\n//! @out both: Grid<vec2f>\nfn stage(cell: Cell) -> Result { return Result(a(cell), vec2f(a(cell), 1.0)); }", inputs: {"a": "s.value"}),
        "s": (state: "Grid<f32>", inputs: {"next": "two.sum"}), "t": (state: "Grid<vec2f>", inputs: {"next": "two.both"}),
        "look": (stage: "view/color_map", inputs: {"field": "two.sum"}), "o": (output: (), inputs: {"image": "look.image"}),"##;
    let plan = compile(nodes).expect("compiles");
    assert!(plan.kernels.iter().any(|k| k.wgsl.contains("struct Result { sum: f32, both: vec2f }")));
}

#[test]
fn generics_bind_to_one_type() {
    let nodes = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "v": (state: "Grid<Vec>", inputs: {"next": "v.value"}), "f": (state: "Grid<f32>", inputs: {"next": "f.value"}),
        "a": (stage: "fluid/add", inputs: {"field": "v.value", "source": "f.value"}),
        "x": (stage: "grid/component", inputs: {"a": "v.value"}), "not_of_numbers": (stage: "grid/component", inputs: {"a": "f.value"}),"#;
    insta::assert_snapshot!(problems(nodes));
}

#[test]
fn loops_are_proven_or_get_a_budget() {
    let plan = |body: &str| {
        let nodes = format!(
            "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"s\": (state: \"Grid<f32>\", inputs: {{\"next\": \"c.x\"}}), \
             \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}}), \
             \"c\": (custom: \"//! T\\n//! @inout x: Grid<f32>\\n//! @param n: i32 = 3, 0..16\\n//! @param free: i32 = 3\\nfn stage(cell: Cell) -> f32 {{ var s = x(cell) + f32(params.n + params.free); {body} return s; }}\", inputs: {{\"x\": \"s.value\"}}),"
        );
        compile(&nodes).unwrap_or_else(|p| panic!("{p}"))
    };
    let proven = [
        "for (var i = 0; i < 4; i++) { s += 1.0; }",
        "for (var i = -params.n; i <= params.n; i += 1) { s += 1.0; }",
        "for (var i = 0; i < FACES; i++) { s += 1.0; }",
    ];
    for body in proven {
        assert!(plan(body).alarms.is_empty(), "`{body}` is finite");
    }
    let unproven = [
        "for (var i = 0; i < params.free; i++) { s += 1.0; }",
        "loop { s += 1.0; if s > 9.0 { break; } }",
        "while s < 9.0 { s += 1.0; }",
    ];
    for body in unproven {
        assert_eq!(
            plan(body).alarms.iter().map(|a| a.node.as_str()).collect::<Vec<_>>(),
            ["c"],
            "`{body}` needs a budget"
        );
    }
}
