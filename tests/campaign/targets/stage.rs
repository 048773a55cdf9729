//! Stage files: header and body, each put into a graph that wires all its inputs, and compiled.

use stagewright_compiler::PlanOptions;
use stagewright_language::document::{Document, Domain, Link, Node, NodeKind, ParamValue};
use stagewright_language::library::Library;
use stagewright_language::library::reference;
use stagewright_language::stage::{Stage, StageError};

use super::{Target, lossy, wgsl};
use crate::corpus::corpus;
use crate::mutate;
use crate::random::Random;

pub const STAGE: Target = Target {
    name: "stage",
    ending: "wgsl",
    weight: 30,
    short: 600,
    levels: &["refused", "read", "built", "planned"],
    make,
    run,
};

/// Words of stage files: of headers, of the language, and of what the compiler provides or generates.
const WORDS: &[&str] = &[
    "//! @in x: Grid<f32>\n",
    "//! @out y: Grid<f32>\n",
    "//! @inout z: Grid<vec3f> = 0, radius 1\n",
    "//! @param p: f32 = 1, 0..2\n",
    "//! @over once\n",
    "//! @sweep checkerboard\n",
    "@in",
    "@out",
    "@inout",
    "@param",
    "radius",
    "edge",
    "half",
    "slices",
    "scatter",
    "scan",
    "reduce max",
    "expect 0..1",
    "emit",
    "filter",
    "gather",
    "put",
    "soft",
    "fixed",
    "like",
    "flat",
    "Grid<T>",
    "FaceGrid",
    "Image",
    "Particles{position: Vec}",
    "NeighborGrid",
    "Field<f32>",
    "Camera",
    "curve",
    "gradient",
    "color",
    "fn",
    "stage",
    "let",
    "var",
    "const",
    "struct",
    "alias",
    "if",
    "else",
    "for",
    "while",
    "loop",
    "break",
    "continue",
    "continuing",
    "return",
    "switch",
    "case",
    "default",
    "discard",
    "true",
    "false",
    "f32",
    "i32",
    "u32",
    "bool",
    "f16",
    "vec2f",
    "vec3f",
    "vec4f",
    "mat3x3f",
    "array",
    "ptr",
    "function",
    "private",
    "workgroup",
    "atomic<u32>",
    "Cell",
    "Vec",
    "DIM",
    "FACES",
    "RESOLUTION",
    "CELL_SIZE",
    "SIZE",
    "neighbor",
    "position",
    "cell_at",
    "inside",
    "frame",
    "params",
    "iteration",
    "substep",
    "random",
    "Result",
    "select",
    "clamp",
    "mix",
    "dot",
    "normalize",
    "exp",
    "pow",
    "sqrt",
    "bitcast<u32>",
    "workgroupBarrier()",
    "storageBarrier()",
    "arrayLength",
    "textureLoad",
    "dpdx",
    "_x",
    "main",
    "enable f16;",
    "diagnostic(off, x);",
    "@group(0)",
    "@compute",
    "@must_use",
    "@align(16)",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&&",
    "||",
    "==",
    "!=",
    "<=",
    "&",
    "|",
    "^",
    "~",
    "!",
    "=",
    "+=",
    "++",
    "--",
    "->",
    ";",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ".",
    ":",
    "array<f32, 4>",
    "array<array<f32, 64>, 64>",
    "vec2<i32>(1 << 30)",
];

fn make(random: &mut Random) -> Vec<u8> {
    let shaders = &corpus().shaders;
    match random.below(10) {
        0..=3 => wgsl::source(random).into_bytes(),
        4 => {
            let text = wgsl::source(random);
            mutate::text(random, &text, shaders, WORDS).into_bytes()
        }
        5 => {
            let at = random.below(shaders.len());
            mutate::bytes(random, shaders[at].as_bytes())
        }
        _ => {
            let at = random.below(shaders.len());
            mutate::text(random, &shaders[at], shaders, WORDS).into_bytes()
        }
    }
}

pub fn run(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    let stage = match Stage::parse_using("mutant", &text, Library::builtin()) {
        Ok(stage) => stage,
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal gives a reason");
            let lines = text.lines().count().max(1);
            let lies_in = |line: usize| (1..=lines + 1).contains(&line);
            let in_this_file = |error: &&StageError| error.file.is_empty();
            assert!(
                errors.iter().filter(in_this_file).all(|error| lies_in(error.place.line)),
                "a place lies in the text: {errors:?}"
            );
            return 0;
        }
    };
    assert_eq!(stage.own_text(), text, "a stage keeps its text");
    // What the code pane and the reference show.
    let page = reference::stage(&stage);
    assert!(!page.is_empty());
    let (document, options) = around("mutant", Some(&text), &inputs(&text), bytes.len().is_multiple_of(4));
    super::graph::level_of(&document, Library::builtin(), &options)
}

/// Names and types of what a stage reads, as its header writes them.
fn inputs(text: &str) -> Vec<(String, String)> {
    let port = |line: &str| {
        let line = line.trim().strip_prefix("//!")?.trim();
        let rest = line.strip_prefix("@inout").or_else(|| line.strip_prefix("@in"))?;
        let (name, rest) = rest.split_once(':')?;
        let mut depth = 0;
        let end = rest.char_indices().find(|(at, c)| {
            depth += i32::from("{<".contains(*c)) - i32::from("}>".contains(*c));
            depth <= 0 && ("=,-".contains(*c) || rest[*at..].starts_with("  "))
        });
        let ty = rest[..end.map_or(rest.len(), |(at, _)| at)].trim();
        Some((name.trim().to_string(), ty.to_string()))
    };
    text.lines().filter_map(port).collect()
}

/// A graph with one node, `c`, whose inputs of these types are wired to States, numbers and fields.
pub fn around(stage: &str, text: Option<&str>, inputs: &[(String, String)], deep: bool) -> (Document, PlanOptions) {
    let mut document = Document::default();
    let resolution = vec![ParamValue::Number(8.0); if deep { 3 } else { 2 }];
    let mut add = |name: &str, node: Node| drop(document.nodes.insert(name.to_string(), node));
    add("domain", Node { kind: NodeKind::Domain(Domain { resolution, ..Domain::default() }), ..Node::default() });
    let kind = text.map_or_else(|| NodeKind::Stage(stage.into()), |text| NodeKind::Custom(text.into()));
    let mut node = Node { kind, on: Some("domain".into()), ..Node::default() };
    let sorted = inputs.iter().any(|(_, ty)| ty == "NeighborGrid");
    for (port, ty) in inputs {
        let name = format!("from_{port}");
        let mut link = format!("{name}.value");
        let mut source = Node { on: Some("domain".into()), ..Node::default() };
        if let Some(value) = ty.strip_prefix("Field<").map(|rest| rest.trim_end_matches('>')) {
            let value = if value.len() == 1 { "f32" } else { value };
            let text = format!(
                "//! F\n//! @out x: Field<{value}>\nfn stage(position: Vec) -> {value} {{ return {value}(); }}\n"
            );
            source = Node { kind: NodeKind::Custom(text), ..Node::default() };
            link = format!("{name}.x");
        } else if ty == "Camera" {
            source = Node { kind: NodeKind::Stage("view/camera".into()), ..Node::default() };
            link = format!("{name}.camera");
        } else if ty == "NeighborGrid" {
            source.kind = NodeKind::Stage("neighbors/fill".into());
            let particles = inputs.iter().find(|(_, ty)| ty.starts_with("Particles"));
            let from = particles.map_or("nothing".into(), |(port, _)| format!("from_{port}.value"));
            source.inputs.insert("particles".into(), Link::parse(&from));
            link = format!("{name}.neighbors");
        } else if ty.starts_with("Particles") {
            let carries = if ty == "Particles" { "Particles{position: Vec}" } else { ty };
            source.kind = NodeKind::State(carries.into());
            source.capacity = Some(ParamValue::Number(64.0));
            source.inputs.insert("next".into(), Link::parse(&link));
            let fill = inputs.iter().find(|(_, ty)| ty == "NeighborGrid").filter(|_| sorted);
            link = fill.map_or(link, |(port, _)| format!("from_{port}.particles"));
        } else if ty.starts_with("Grid<") || ty == "FaceGrid" || ty == "Image" {
            let generic = ty.len() == "Grid<T>".len();
            source.kind = NodeKind::State(if generic { "Grid<f32>".into() } else { ty.clone() });
            source.inputs.insert("next".into(), Link::parse(&link));
        } else {
            let count = ty.strip_prefix("vec").and_then(|rest| rest.get(..1)?.parse().ok());
            let count = count.unwrap_or(if ty == "Vec" { if deep { 3 } else { 2 } } else { 1 });
            source = Node { kind: NodeKind::Number(ParamValue::from_numbers(&vec![1.0; count])), ..Node::default() };
        }
        add(&name, source);
        node.inputs.insert(port.clone(), Link::parse(&link));
    }
    add("c", node);
    (document, super::graph::keeping("c"))
}
