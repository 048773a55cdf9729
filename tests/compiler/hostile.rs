//! Text that kills shader compilers is refused quickly, and nothing dies.

use std::time::{Duration, Instant};

use super::problems;

/// Puts a text into a Custom node and gives what is said of it, within the time a person would wait.
fn refused(name: &str, source: &str) {
    refused_for(name, source, "c");
}

/// The same, where what is said of it has to name a cause.
fn refused_for(name: &str, source: &str, cause: &str) {
    let quoted = format!("{source:?}").replace("\\'", "'");
    let nodes = format!(
        "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"c\": (custom: {quoted}), \
         \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}}),"
    );
    let start = Instant::now();
    let text = problems(&nodes);
    let elapsed = start.elapsed();
    println!("{name}: {elapsed:?}: {}", text.lines().next().unwrap_or("").chars().take(120).collect::<String>());
    assert!(text != "no problems" && text.contains(cause), "{name}: {}", text.chars().take(400).collect::<String>());
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
    let mut library = stagewright_language::library::Library::builtin().clone();
    library.add_group(
        "loop",
        r#"(version: 1, nodes: {"g": (group: (outputs: {"x": "inner.x"}, nodes: {"inner": (stage: "loop")}))})"#,
    );
    let text = r#"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "a": (stage: "loop")})"#;
    let document = stagewright_language::document::Document::parse(text).unwrap();
    let problems =
        stagewright_language::graph::Graph::build(&document, &library).map(|_| ()).expect_err("has no end").to_string();
    println!("{problems}");
    assert!(problems.contains("can't contain itself"), "{problems}");
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
            said.contains("fields that it reads") || said.contains("fields are combined"),
            "{name}: {}",
            said.chars().take(300).collect::<String>()
        );
        assert!(elapsed < Duration::from_secs(10), "{name} took {elapsed:?}");
    }
}

/// Peak memory of this process \[bytes\], where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[test]
fn arrays_beyond_any_memory() {
    let private = |length: &str| {
        stage(&format!(
            "const N = 1000000; var<private> a: array<f32, {length}>;\nfn stage(cell: Cell) -> f32 {{ return a[cell.x]; }}"
        ))
    };
    for length in ["1 << 28", "1000 * 1000 * 100", "N", "9000"] {
        refused_for(length, &private(length), "c (3:");
        refused_for(length, &private(length), "the limit is 32768");
    }
    let local = "fn f(i: i32) -> f32 { var a: array<f32, 1024>; a[i & 1023] = 1.0; return a[i & 511]; }";
    let calls = vec!["f(cell.x)"; 40].join(" + ");
    refused_for(
        "arrays of a function that is called often",
        &stage(&format!("{local}\nfn stage(cell: Cell) -> f32 {{ return {calls}; }}")),
        "the limit is 32768",
    );
    let nested = format!("{}f32{}", "array<".repeat(60), ", 2>".repeat(60));
    refused(
        "60 levels of an array",
        &stage(&format!("var<private> a: {nested};\nfn stage(cell: Cell) -> f32 {{ return 1.0; }}")),
    );
    let peak = peak_memory();
    println!("peak memory {peak:?}");
    assert!(peak.is_none_or(|peak| peak < 1 << 30), "{peak:?} bytes");
}

#[test]
fn arrays_that_double() {
    let chain = |keyword: &str, count: usize| {
        (1..=count).map(|i| format!("{keyword} a{i} = array(a{0}, a{0});\n", i - 1)).collect::<String>()
    };
    let index = |count: usize| "[cell.x & 1]".repeat(count + 1);
    for count in [14, 20, 60] {
        let source = format!(
            "const a0 = array(1.0, 1.0);\n{}fn stage(cell: Cell) -> f32 {{ return a{count}{}; }}",
            chain("const", count),
            index(count)
        );
        refused_for(&format!("{count} doubling constants"), &stage(&source), "16,384 elements");
        let source = format!(
            "fn stage(cell: Cell) -> f32 {{ let a0 = array(frame.time, 1.0);\n{} return a{count}{}; }}",
            chain("let", count),
            index(count)
        );
        refused_for(&format!("{count} doubling values"), &stage(&source), "16,384 elements");
    }
    let table = format!("const t = array({});", vec!["1"; 900].join(", "));
    let uses: String = (0..1_000).map(|i| format!("s += t[(cell.x + {i}) & 255];\n")).collect();
    refused_for(
        "a table that is copied a thousand times",
        &stage(&format!("{table}\nfn stage(cell: Cell) -> f32 {{ var s = 0;\n{uses} return f32(s); }}")),
        "constant arrays",
    );
    let peak = peak_memory();
    println!("peak memory {peak:?}");
    assert!(peak.is_none_or(|peak| peak < 1 << 30), "{peak:?} bytes");
}

/// `alias i32 = u32;` once took the budget of loops away.
#[test]
fn names_of_the_language_are_not_declared_again() {
    let body = "fn stage(cell: Cell) -> f32 { var s = 0.0; loop { s += 1.0; if s > 1e30 { break; } } return s; }";
    for (declaration, cause) in [
        ("alias i32 = u32;", "c (3:7): `i32` is a WGSL name"),
        ("struct f32 { a: i32 }", "`f32` is a WGSL name"),
        ("fn atomicStore(a: i32, b: i32) { }", "stage has no shared memory"),
        ("fn max(a: f32, b: f32) -> f32 { return a; }", "`max` is a WGSL name"),
        ("const select = 1;", "`select` is a WGSL name"),
        ("var<private> vec2f: f32;", "`vec2f` is a WGSL name"),
        ("fn position(cell: Cell) -> f32 { return 1.0; }", "`position` belongs to the stage language"),
        ("const SIZE = 3;", "`SIZE` belongs to the stage language"),
    ] {
        refused_for(declaration, &stage(&format!("{declaration}\n{body}")), cause);
    }
    for port in ["bin", "screen", "displacement", "pixel", "select", "dot"] {
        let source = format!(
            "//! Port\n//! @in {port}: Grid<f32>\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return {port}(cell); }}"
        );
        refused_for(port, &source, &format!("c (2:1): `{port}` "));
    }
    let local =
        "fn stage(cell: Cell) -> f32 { let position = 1.0; let max = 2.0; var i32 = position + max; return i32; }";
    let nodes = format!(
        "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"c\": (custom: {:?}), \
         \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}}),",
        stage(local)
    );
    assert_eq!(problems(&nodes), "no problems", "a function's own variables may hide them");
}

#[test]
fn what_waits_for_other_invocations() {
    for (call, cause) in [
        ("workgroupBarrier();", "c (3:48): `workgroupBarrier` can't stand in a stage: a stage can't wait"),
        ("storageBarrier();", "can't wait"),
        ("textureBarrier();", "can't wait"),
        ("let a = workgroupUniformLoad(&b);", "can't wait"),
        ("let a = subgroupAdd(1);", "which invocations run together"),
        ("let a = quadSwapX(1);", "which invocations run together"),
        ("let a = atomicAdd(&b, 1u);", "has no shared memory"),
    ] {
        let source = stage(&format!("fn stage(cell: Cell) -> f32 {{ if cell.x == 3 {{ {call} }} return 1.0; }}"));
        refused_for(call, &source, cause);
    }
    refused_for(
        "workgroup memory",
        &stage("var<workgroup> a: array<f32, 64>;\nfn stage(cell: Cell) -> f32 { return a[0]; }"),
        "allocates all memory",
    );
}

/// A text that no driver compiles soon: 1,200 calls of a function full of powers.
#[test]
fn more_instructions_than_a_driver_takes() {
    let powers = "x = pow(abs(x), 1.5); ".repeat(40);
    let calls = "s = f(s);\n".repeat(1_200);
    refused_for(
        "48,000 powers",
        &stage(&format!(
            "fn f(a: f32) -> f32 {{ var x = a; {powers} return x; }}\nfn stage(cell: Cell) -> f32 {{ var s = f32(cell.x);\n{calls} return s; }}"
        )),
        "instructions; the limit is",
    );
}
