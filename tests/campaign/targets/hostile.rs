//! Families of text that is known to be hard on compilers, each of a random size: what grows faster than the text that says it.

use super::{Target, graph, stage};
use crate::random::Random;

pub const HOSTILE_GRAPH: Target = Target {
    name: "hostile-graph",
    ending: "ron",
    weight: 6,
    short: 60,
    levels: graph::LEVELS,
    make: |random| graph_text(random).into_bytes(),
    run: graph::run_graph,
};
pub const HOSTILE_STAGE: Target = Target {
    name: "hostile-stage",
    ending: "wgsl",
    weight: 5,
    short: 150,
    levels: graph::LEVELS,
    make: |random| stage_text(random).into_bytes(),
    run: stage::run,
};

/// How often a family repeats its part: small numbers too, where the program should still accept it.
fn size(random: &mut Random) -> usize {
    *random.one(&[1, 2, 3, 5, 8, 13, 20, 30, 50, 100, 300, 1000, 3000, 10_000])
}

fn series(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count.min(4000)).map(one).collect()
}

/// A stage file.
fn stage_text(random: &mut Random) -> String {
    let (n, m) = (size(random), size(random));
    let value = |body: String| format!("fn stage(cell: Cell) -> f32 {{ {body} }}");
    let body = match random.below(20) {
        0 => value(format!("return {}1.0{};", "(".repeat(n), ")".repeat(n))),
        1 => value(format!("return {}1.0;", "-(".repeat(n))),
        2 => value(format!("return 1.0{};", " + 1.0".repeat(n))),
        3 => value(format!("{} return 1.0;", series(n, |i| format!("if cell.x == {i} {{ return {i}.0; }} ")))),
        4 => {
            value(format!("if cell.x < 0 {{ }} {} return 1.0;", series(n, |i| format!("else if cell.x == {i} {{ }} "))))
        }
        5 => value(format!(
            "switch cell.x {{ {} default: {{}} }} return 1.0;",
            series(n, |i| format!("case {i}: {{}} "))
        )),
        6 => {
            let structs = series(n.min(60), |i| format!("struct S{} {{ a: S{i}, b: S{i} }}\n", i + 1));
            format!("struct S0 {{ a: f32 }}\n{structs}var<private> s: S{};\n{}", n.min(60), value("return 1.0;".into()))
        }
        7 => {
            let calls =
                series(n.min(60), |i| format!("fn f{}(x: f32) -> f32 {{ return f{i}(x) + f{i}(x + 1.0); }}\n", i + 1));
            format!("fn f0(x: f32) -> f32 {{ return x; }}\n{calls}{}", value(format!("return f{}(1.0);", n.min(60))))
        }
        8 => {
            let length = random.one(&["1 << 28", "0x10000000", "4096 * 4096", "65536u", "N", "100"]);
            format!("const N = 1 << 20;\nvar<private> a: array<f32, {length}>;\n{}", value("return a[cell.x];".into()))
        }
        9 => {
            let lines = series(n.min(60), |i| format!("const c{} = array(c{i}, c{i});\n", i + 1));
            format!("const c0 = 1.0;\n{lines}{}", value("return 1.0;".into()))
        }
        10 => {
            let lines = series(n.min(60), |i| format!("let c{} = array(c{i}, c{i}); ", i + 1));
            value(format!("let c0 = 1.0; {lines} return 1.0;"))
        }
        11 => {
            let vectors = series(n.min(60), |i| format!("const v{} = v{i} * v{i} + v{i};\n", i + 1));
            format!("const v0 = vec4f(1.0);\n{vectors}{}", value(format!("return v{}.x;", n.min(60))))
        }
        12 => value(format!("{}{} return 1.0;", "{".repeat(n), "}".repeat(n))),
        13 => {
            let name = random.one(&["i32", "u32", "f32", "vec2f", "min", "stage", "Cell", "frame", "cell"]);
            format!(
                "alias {name} = u32;\n{}",
                value("var s = 0.0; loop { s += 1.0; if s > 1e30 { break; } } return s;".into())
            )
        }
        14 => {
            let (open, close) = ("for (var i = 0; i < 100; i++) { ".repeat(n.min(90)), "}".repeat(n.min(90)));
            value(format!("var s = 0.0; {open} s += 1.0; {close} return s;"))
        }
        15 => value(format!(
            "var s = 0.0; for (var i = 0; i < {m}; i++) {{ for (var j = 0; j < i * {n}; j++) {{ s += 1.0; }} }} return s;"
        )),
        16 => {
            let ports = series(n.min(200), |i| format!("//! @in a{i}: Grid<f32> = 0\n"));
            let reads = series(n.min(200), |i| format!(" + a{i}(cell)"));
            return format!("//! Many\n{ports}//! @out x: Grid<f32>\n{}", value(format!("return 0.0{reads};")));
        }
        17 => value(format!("return vec4f({}).x;", vec!["vec2f(1.0)"; n.min(500)].join(", "))),
        18 => format!("alias A = {}f32{};\n{}", "array<".repeat(n), ", 2>".repeat(n), value("return 1.0;".into())),
        _ => value(format!("return x{}(cell);", "_at".repeat(n))),
    };
    format!("//! Hostile\n//! @out x: Grid<f32>\n{body}\n")
}

/// A graph file.
fn graph_text(random: &mut Random) -> String {
    let (n, m) = (size(random), size(random));
    let domain = "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")),";
    let state = "\"s\": (state: \"Grid<f32>\", params: {\"value\": 1}, inputs: {\"next\": \"s.value\"}),";
    let look = |from: &str| {
        format!(
            "\"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"{from}\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}}),"
        )
    };
    let group = |count: usize, out: &str, nodes: &str, input: &str| {
        format!(
            "(iterations: {count}, group: (inputs: {{\"x\": \"Grid<f32>\"}}, outputs: {{\"x\": \"{out}\"}}, nodes: {{{nodes}}}), inputs: {{\"x\": \"{input}\"}})"
        )
    };
    let nodes = match random.below(12) {
        // Groups in groups, whose repeats multiply.
        0 => {
            let depth = 1 + random.below(6);
            let work = if random.chance(50) {
                "\"g\": (stage: \"filter/binomial\", inputs: {\"field\": \"in.x\"})"
            } else {
                ""
            };
            let mut nodes = work.to_string();
            let mut out = if work.is_empty() { "in.x" } else { "g.field" };
            for _ in 0..depth {
                nodes = format!("\"g\": {}", group(n, out, &nodes, "in.x"));
                out = "g.x";
            }
            format!("{domain}{state}\"top\": {},{}", group(m, out, &nodes, "s"), look("top.x"))
        }
        // A chain of reroutes, or of muted nodes.
        1 => {
            let chain = series(n, |i| {
                let from = if i == 0 { "s".into() } else { format!("r{}", i - 1) };
                format!("\"r{i}\": (reroute: (), inputs: {{\"value\": \"{from}\"}}),")
            });
            format!("{domain}{state}{chain}{}", look(&format!("r{}", n.min(4000) - 1)))
        }
        2 => {
            let chain = series(n.min(500), |i| {
                let from = if i == 0 { "s".into() } else { format!("r{}.field", i - 1) };
                format!(
                    "\"r{i}\": (stage: \"filter/binomial\", muted: {}, inputs: {{\"field\": \"{from}\"}}),",
                    i % 3 == 0
                )
            });
            format!("{domain}{state}{chain}{}", look(&format!("r{}.field", n.min(500) - 1)))
        }
        3 => {
            let inside = "\"b\": (stage: \"filter/binomial\", inputs: {\"field\": \"in.x\"}), \"m\": (stage: \"grid/largest\", inputs: {\"field\": \"b.field\"})";
            format!(
                "{domain}{state}\"top\": (iterations: {n}, until: (number: \"n\", below: -1, every: {}), group: (inputs: {{\"x\": \"Grid<f32>\"}}, outputs: {{\"x\": \"b.field\", \"n\": \"m.largest\"}}, nodes: {{{inside}}}), inputs: {{\"x\": \"s\"}}),{}",
                m.min(40),
                look("top.x")
            )
        }
        // Fields that ask fields, which are built in.
        4 => {
            let text = "//! F\\n//! @in a: Field<f32>\\n//! @out b: Field<f32>\\nfn stage(position: Vec) -> f32 { return a(position) + a(position * 0.5); }";
            let chain = series(n.min(40), |i| {
                let from = if i == 0 { "sp.distance".into() } else { format!("f{}.b", i - 1) };
                format!("\"f{i}\": (custom: \"{text}\", inputs: {{\"a\": \"{from}\"}}),")
            });
            let last = n.min(40) - 1;
            format!(
                "{domain}\"sp\": (stage: \"shape/sphere\"),{chain}\"gr\": (stage: \"grid/from_field\", inputs: {{\"field\": \"f{last}.b\"}}, on: \"domain\"),{}",
                look("gr.result")
            )
        }
        // Fields handed through repeated groups.
        5 => {
            let text = "//! F\\n//! @in a: Field<f32>\\n//! @out b: Field<f32>\\nfn stage(position: Vec) -> f32 { return a(position); }";
            let inside = format!("\"f\": (custom: \"{text}\", inputs: {{\"a\": \"in.x\"}})");
            let field = |count: usize, out: &str, nodes: &str, input: &str| {
                group(count, out, nodes, input).replace("Grid<f32>", "Field<f32>")
            };
            let outer = format!("\"g\": {}", field(m, "f.b", &inside, "in.x"));
            format!(
                "{domain}\"sp\": (stage: \"shape/sphere\"),\"top\": {},\"gr\": (stage: \"grid/from_field\", inputs: {{\"field\": \"top.x\"}}, on: \"domain\"),{}",
                field(n, "g.x", &outer, "sp.distance"),
                look("gr.result")
            )
        }
        6 => {
            let numbers = series(n, |i| match i {
                0 => "\"n0\": (number: 2),".into(),
                _ => format!("\"n{i}\": (number: \"n{0} + n{0}\"),", i - 1),
            });
            format!(
                "{numbers}\"domain\": (domain: (resolution: (\"n{0}\", 8), width: \"n{0}\", edge: \"wall\")),{state}{1}",
                n.min(4000) - 1,
                look("s")
            )
        }
        7 => format!(
            "\"domain\": (domain: (resolution: ({n}, {m}, {n}), width: {m}, edge: \"wrap\")),{state}{}",
            look("s")
        ),
        8 => format!(
            "{domain}{state}\"b\": (stage: \"filter/binomial\", iterations: {n}, inputs: {{\"field\": \"s\"}}),{}",
            look("b.field")
        ),
        // A group whose outputs all read each other's inputs: a wire for each pair.
        9 => {
            let many = series(n.min(200), |i| {
                format!(
                    "\"b{i}\": (stage: \"filter/binomial\", inputs: {{\"field\": \"b{}.field\"}}),",
                    (i + 1) % n.clamp(1, 200)
                )
            });
            format!("{domain}{state}{many}{}", look("b0.field"))
        }
        10 => format!("{domain}{}{}", "\"g\": (group: (nodes: {".repeat(n), "})),".repeat(n)),
        _ => {
            let lib =
                ["fluid/pressure_multigrid", "two_phase/correct", "sph/substep", "fluid/pressure_cg", "image/bloom"];
            let inputs = "\"divergence\": \"s\", \"field\": \"s\", \"image\": \"s\", \"particles\": \"s\"";
            format!(
                "{domain}{state}\"l\": (stage: \"{}\", iterations: {n}, inputs: {{{inputs}}}),{}",
                random.one(&lib),
                look("l.pressure")
            )
        }
    };
    format!("(version: 1, name: \"t\", nodes: {{\n{nodes}\n}})")
}
