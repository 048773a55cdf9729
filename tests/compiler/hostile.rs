//! Text that kills shader compilers is refused quickly, and nothing dies.

use std::time::{Duration, Instant};

use super::problems;

/// Puts a text into a Custom node and gives what is said of it, within the time a person would wait.
fn refused(name: &str, source: &str) {
    let quoted = format!("{source:?}").replace("\\'", "'");
    let nodes = format!(
        "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"c\": (custom: {quoted}), \
         \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}}),"
    );
    let start = Instant::now();
    let text = problems(&nodes);
    let elapsed = start.elapsed();
    println!("{name}: {elapsed:?}: {}", text.lines().next().unwrap_or("").chars().take(120).collect::<String>());
    assert!(text != "no problems" && text.contains("c"), "{name} was accepted");
    assert!(elapsed < Duration::from_secs(2), "{name} took {elapsed:?}");
}

fn stage(body: &str) -> String {
    format!("//! Hostile\n//! @out x: Grid<f32>\n{body}\n")
}

fn expression(text: &str) -> String {
    stage(&format!("fn stage(cell: Cell) -> f32 {{ return {text}; }}"))
}

#[test]
fn nested_parentheses() {
    for depth in [200, 900, 3_000, 30_000] {
        refused(
            &format!("{depth} parentheses"),
            &expression(&format!("{}1.0{}", "(".repeat(depth), ")".repeat(depth))),
        );
    }
}

#[test]
fn doubling_structs() {
    for levels in [20, 28, 31, 64] {
        let mut text = String::from("struct S0 { a: f32, b: f32 }\n");
        (1..levels).for_each(|i| text.push_str(&format!("struct S{i} {{ a: S{0}, b: S{0} }}\n", i - 1)));
        text.push_str(&format!("var<private> s: S{};\nfn stage(cell: Cell) -> f32 {{ return 1.0; }}", levels - 1));
        refused(&format!("{levels} doubling structs"), &stage(&text));
    }
}

#[test]
fn a_megabyte_of_else_if() {
    let chain = "else if cell.x == 1 { return 1.0; } ".repeat((1 << 20) / 36);
    refused(
        "a megabyte of else if",
        &stage(&format!("fn stage(cell: Cell) -> f32 {{ if cell.x == 0 {{ return 0.0; }} {chain} return 2.0; }}")),
    );
    let shorter = "else if cell.x == 1 { return 1.0; } ".repeat(1_500);
    refused(
        "54 kB of else if",
        &stage(&format!("fn stage(cell: Cell) -> f32 {{ if cell.x == 0 {{ return 0.0; }} {shorter} return 2.0; }}")),
    );
}

#[test]
fn other_families() {
    refused("a chain of 30,000 terms", &expression(&vec!["1"; 30_000].join("+")));
    refused("20,000 minus signs", &expression(&format!("{}1.0", "- ".repeat(20_000))));
    refused(
        "deep blocks",
        &stage(&format!("fn stage(cell: Cell) -> f32 {{ {}{} return 1.0; }}", "{".repeat(5_000), "}".repeat(5_000))),
    );
    let cases: String = (0..3_000).map(|i| format!("case {i}: {{}} ")).collect();
    refused(
        "a switch of 3,000 cases",
        &stage(&format!("fn stage(cell: Cell) -> f32 {{ switch cell.x {{ {cases} default: {{}} }} return 1.0; }}")),
    );
    refused(
        "recursion",
        &stage(
            "fn a(x: f32) -> f32 { return b(x); }\nfn b(x: f32) -> f32 { return a(x); }\nfn stage(cell: Cell) -> f32 { return a(1.0); }",
        ),
    );
    refused(
        "nested arrays",
        &stage(&format!(
            "var<private> s: {}f32{};\nfn stage(cell: Cell) -> f32 {{ return 1.0; }}",
            "array<".repeat(200),
            ", 2>".repeat(200)
        )),
    );
    refused("unfinished comment", "//! T\n//! @out x: Grid<f32>\n/* /* fn stage(cell: Cell) -> f32 { return 1.0; }");
    refused(
        "an own entry point",
        &stage("@compute @workgroup_size(1) fn main() {}\nfn stage(cell: Cell) -> f32 { return 1.0; }"),
    );
    refused(
        "an own binding",
        &stage(
            "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\nfn stage(cell: Cell) -> f32 { return a[0]; }",
        ),
    );
    refused("what naga 29 panics at", &expression("select(vec4f(vec2f(1.0), 0.0, 0.0), vec4f(2.0), false).x"));
    refused("not WGSL at all", &stage("fn stage(cell: Cell) -> f32 { 🌊 \0 \u{202e} }"));
}

#[test]
fn doubling_calls() {
    let mut text = String::from("fn call_0(x: f32) -> f32 { return x; }\n");
    (1..40).for_each(|i| {
        text.push_str(&format!("fn call_{i}(x: f32) -> f32 {{ return call_{0}(x) + call_{0}(x + 1.0); }}\n", i - 1))
    });
    text.push_str("fn stage(cell: Cell) -> f32 { return call_39(1.0); }");
    refused("40 functions that each call the one before twice", &stage(&text));
}

#[test]
fn a_group_that_holds_itself() {
    let mut library = stagewright::library::Library::builtin().clone();
    library.add_group(
        "loop",
        r#"(version: 1, nodes: {"g": (group: (outputs: {"x": "inner.x"}, nodes: {"inner": (stage: "loop")}))})"#,
    );
    let text = r#"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "a": (stage: "loop")})"#;
    let document = stagewright::document::Document::parse(text).unwrap();
    let problems =
        stagewright::graph::Graph::build(&document, &library).map(|_| ()).expect_err("has no end").to_string();
    println!("{problems}");
    assert!(problems.contains("can't hold itself"), "{problems}");
}

/// Fields that ask the one before several times multiply: what compiles is checked after all are built in.
#[test]
fn chains_of_fields_that_multiply() {
    let chain = |count: usize, calls: &str| {
        let mut nodes = String::from(
            "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"f0\": (stage: \"shape/sphere\"),\n",
        );
        for i in 1..=count {
            let source = format!(
                "//! F\\n//! @in a: Field<f32>\\n//! @out b: Field<f32>\\nfn stage(position: Vec) -> f32 {{ return {calls}; }}"
            );
            let output = if i == 1 { "distance" } else { "b" };
            nodes += &format!("\"f{i}\": (custom: \"{source}\", inputs: {{\"a\": \"f{}.{output}\"}}),\n", i - 1);
        }
        nodes += &format!(
            "\"g\": (stage: \"grid/from_field\", inputs: {{\"field\": \"f{count}.b\"}}), \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"g.result\"}}), \
             \"o\": (output: (), inputs: {{\"image\": \"look.image\"}}),"
        );
        nodes
    };
    assert_eq!(problems(&chain(60, "a(position)")), "no problems", "a long chain is no trouble");
    for (name, count, calls) in [
        ("30 doublings", 30, "a(position) + a(-position)"),
        ("8 gradients", 8, "length(a_gradient(position, 0.01))"),
        ("1,000 links", 1_000, "a(position)"),
    ] {
        let start = Instant::now();
        let said = problems(&chain(count, calls));
        let elapsed = start.elapsed();
        println!("{name}: {elapsed:?}: {}", said.lines().next().unwrap_or("").chars().take(140).collect::<String>());
        assert!(
            said.contains("fields that it reads") || said.contains("fields come together"),
            "{name}: {}",
            said.chars().take(300).collect::<String>()
        );
        assert!(elapsed < Duration::from_secs(10), "{name} took {elapsed:?}");
    }
}
