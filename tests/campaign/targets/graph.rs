//! Graph files: read, written, salvaged, built and planned; library groups; pasted text.

use std::collections::BTreeSet;

use stagewright_base::problem::Problems;
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::{
    Document, Domain, Group, Level, Link, Node, NodeKind, ParamValue, Scope, Until, salvage,
};
use stagewright_language::edit::{self, PasteInputs};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{Target, lossy, wgsl};
use crate::corpus::{SMALL, corpus};
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const LEVELS: &[&str] = &["refused", "read", "built", "planned"];

pub const GRAPH: Target =
    Target { name: "graph", ending: "ron", weight: 30, short: 1000, levels: LEVELS, make: make_graph, run: run_graph };
pub const GROUP: Target =
    Target { name: "group", ending: "ron", weight: 5, short: 200, levels: LEVELS, make: make_group, run: run_group };
pub const PASTE: Target = Target {
    name: "paste",
    ending: "ron",
    weight: 4,
    short: 200,
    levels: &["refused", "pasted"],
    make: make_paste,
    run: run_paste,
};

/// Words of graph files.
const WORDS: &[&str] = &[
    "version",
    "name",
    "about",
    "fps",
    "seed",
    "input",
    "frames",
    "nodes",
    "stage",
    "custom",
    "domain",
    "state",
    "number",
    "group",
    "output",
    "file",
    "reroute",
    "inputs",
    "outputs",
    "params",
    "iterations",
    "until",
    "on",
    "where",
    "capacity",
    "precision",
    "muted",
    "at",
    "color",
    "comment",
    "resolution",
    "width",
    "edge",
    "size",
    "title",
    "text",
    "below",
    "every",
    "inputs_at",
    "outputs_at",
    "wall",
    "wrap",
    "clamp",
    "zero",
    "mirror",
    "true",
    "false",
    "\"in.x\"",
    "\"f16\"",
    "\"f32\"",
    "\"time\"",
    "\"Grid<f32>\"",
    "\"Grid<Vec>\"",
    "\"Field<f32>\"",
    "\"Particles{position: Vec}\"",
    "\"../../etc/passwd\"",
    "()",
    "{}",
    "[]",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "Some(1)",
    "None",
    "r#\"",
    "\"#",
];

/// Mostly the small ones: a case should be quick, and a change of few nodes changes more of what they do.
fn index(random: &mut Random, count: usize) -> usize {
    match random.below(100) {
        0..=89 => random.below(SMALL.len()),
        90..=96 => random.below(count.min(SMALL.len() + 6)),
        _ => random.below(count),
    }
}

fn make_graph(random: &mut Random) -> Vec<u8> {
    let corpus = corpus();
    let at = index(random, corpus.graphs.len());
    match random.below(10) {
        0..=2 => mutate::text(random, &corpus.graphs[at], &corpus.graphs, WORDS).into_bytes(),
        3 => mutate::bytes(random, corpus.graphs[at].as_bytes()),
        kind => {
            let mut document = corpus.documents[at].clone();
            (0..random.few(12)).for_each(|_| change(random, &mut document));
            let text = document.to_text();
            if kind == 5 { mutate::text(random, &text, &corpus.graphs, WORDS).into_bytes() } else { text.into_bytes() }
        }
    }
}

fn make_group(random: &mut Random) -> Vec<u8> {
    let groups = &corpus().groups;
    let texts: Vec<String> = groups.iter().map(|(_, text)| text.clone()).collect();
    let at = random.below(groups.len());
    mutate::text(random, &texts[at], &texts, WORDS).into_bytes()
}

fn make_paste(random: &mut Random) -> Vec<u8> {
    let corpus = corpus();
    let document = &corpus.documents[index(random, corpus.documents.len())];
    let some = document.nodes.keys().filter(|_| random.chance(40)).cloned().collect();
    let text = edit::copy(document, &Scope::default(), &some, &BTreeSet::new());
    if random.chance(20) { text.into_bytes() } else { mutate::text(random, &text, &corpus.graphs, WORDS).into_bytes() }
}

/// One change that leaves the text a graph file.
fn change(random: &mut Random, document: &mut Document) {
    let links: Vec<Link> = document.nodes.values().flat_map(|node| node.inputs.values().cloned()).collect();
    let names: Vec<String> = document.nodes.keys().cloned().collect();
    let Some(name) = (!names.is_empty()).then(|| random.one(&names).clone()) else { return };
    let other = random.one(&names).clone();
    let link = if links.is_empty() { Link::parse(&other) } else { random.one(&links).clone() };
    let scope = Scope::default();
    let some = BTreeSet::from([name.clone(), other.clone()]);
    let library = Library::builtin();
    match random.below(22) {
        0 => return drop(edit::make_group(document, &scope, &some, "made", library)),
        1 => return drop(edit::ungroup(document, &scope, &name, library)),
        2 => return edit::remove(document, &scope, &BTreeSet::from([name]), library),
        3 => return drop(edit::make_local_copy(document, &scope, &name, library)),
        4 => {
            return drop(edit::duplicate(document, &scope, &some, (10.0, 10.0), PasteInputs::Keep, library));
        }
        5 => {
            let stages: Vec<&str> = library.stages().map(|stage| stage.name.as_str()).collect();
            let stage = *random.one(&stages);
            return drop(edit::replace_stage(document, &scope, &name, stage, library));
        }
        _ => {}
    }
    let copy = document.nodes.get(&other).cloned();
    let Some(node) = document.nodes.get_mut(&name) else { return };
    change_node(random, node, link, &other, copy);
}

fn change_node(random: &mut Random, node: &mut Node, link: Link, other: &str, copy: Option<Node>) {
    match random.below(16) {
        0..=2 => {
            if let Some(port) = pick(random, node.inputs.keys()) {
                node.inputs.insert(port, link);
            }
        }
        3 => {
            if let Some(port) = pick(random, node.inputs.keys()) {
                node.inputs.remove(&port);
            }
        }
        4 | 5 => {
            if let Some(param) = pick(random, node.params.keys()) {
                node.params.insert(param, value(random));
            }
        }
        6 => node.iterations = random.chance(80).then(|| value(random)),
        7 => {
            let until =
                Until { number: "n".into(), below: value(random), every: random.below(40) as u32, ..Until::default() };
            node.until = random.chance(60).then_some(until);
        }
        8 => node.on = random.chance(60).then(|| other.to_string()),
        9 => node.capacity = random.chance(60).then(|| value(random)),
        10 => node.precision = random.chance(70).then(|| (*random.one(&["f16", "f32", "f64"])).into()),
        11 => node.muted = !node.muted,
        12 => node.kind = NodeKind::Reroute,
        13 => node.kind = NodeKind::Custom(wgsl::source(random)),
        14 => {
            if let (NodeKind::Group(group), Some(inner)) = (&mut node.kind, copy) {
                group.nodes.insert("put".into(), inner);
            } else {
                let inputs = node.inputs.keys().map(|port| (port.clone(), "Grid<f32>".to_string())).collect();
                let group = Group { nodes: [("inside".to_string(), node.clone())].into(), inputs, ..Group::default() };
                node.kind = NodeKind::Group(Box::new(group));
            }
        }
        _ => match &mut node.kind {
            NodeKind::Domain(Domain { resolution, width, edge, .. }) => match random.below(4) {
                0 => *width = value(random),
                1 => {
                    *edge = (*random.one(&[
                        "wall",
                        "wrap",
                        "clamp",
                        "zero",
                        "mirror",
                        "open",
                        "inflow",
                        "x wrap",
                        "left wrap",
                        "left inflow, right open, y mirror",
                        "z wall",
                        "cliff",
                    ]))
                    .into()
                }
                2 => resolution.push(value(random)),
                _ => {
                    let axis = random.below(resolution.len());
                    resolution.iter_mut().skip(axis).take(1).for_each(|cells| *cells = value(random));
                }
            },
            NodeKind::Number(number) => *number = value(random),
            NodeKind::State(ty) => {
                *ty = (*random.one(&[
                    "Grid<f32>",
                    "Grid<Vec>",
                    "FaceGrid",
                    "f32",
                    "Particles{position: Vec}",
                    "Image",
                    "Grid<",
                ]))
                .into();
            }
            NodeKind::Output(output) => output.size = Some((1 << random.below(32), 1 << random.below(32))),
            _ => node.params.extend([("value".to_string(), value(random))]),
        },
    }
}

fn pick<'a>(random: &mut Random, keys: impl Iterator<Item = &'a String>) -> Option<String> {
    let keys: Vec<&String> = keys.collect();
    (!keys.is_empty()).then(|| (*random.one(&keys)).clone())
}

fn value(random: &mut Random) -> ParamValue {
    match random.below(8) {
        0..=2 => ParamValue::Number(random.one(NUMBERS).parse().unwrap_or(3.0)),
        3 => ParamValue::Number(random.below(20) as f64),
        4 => ParamValue::Vector((0..random.below(6)).map(|_| random.below(5) as f64 - 1.0).collect()),
        5 => ParamValue::Bool(random.chance(50)),
        6 if random.chance(50) => ParamValue::Expression(super::expression::text(random)),
        _ => {
            let expressions = &corpus().expressions;
            ParamValue::Expression(random.one(expressions).clone())
        }
    }
}

/// The document of a file, which is written and read again as the same; `None` where it is refused, in one sentence.
pub fn read(bytes: &[u8]) -> Option<Document> {
    match Document::parse(&lossy(bytes)) {
        Ok(document) => {
            check_round_trip(&document);
            Some(document)
        }
        Err(error) => {
            super::sentence(&error.to_string());
            None
        }
    }
}

/// A document is written as a text that reads as the same document and is written the same again.
pub fn check_round_trip(document: &Document) {
    let text = document.to_text();
    let again =
        Document::parse(&text).unwrap_or_else(|error| panic!("what was written does not read: {error}\n{text}"));
    // NaN is not equal to itself; that the text is the same shows that nothing was lost.
    assert_eq!(again.to_text(), text, "what was written is written differently the second time");
    assert!(again == *document || text.contains("NaN"), "what was written reads as another document");
}

pub fn run_graph(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    let document = match Document::parse(&text) {
        Ok(document) => document,
        Err(_) => {
            if let Some(kept) = salvage(&text).document {
                check_round_trip(&kept);
            }
            return 0;
        }
    };
    check_round_trip(&document);
    level_of(&document, Library::builtin(), &PlanOptions::default())
}

/// 1: there are problems, each of which says something; 2: it builds; 3: it compiles, in plain and in optimised shape.
pub fn level_of(document: &Document, library: &Library, options: &PlanOptions) -> usize {
    let graph = match Graph::build(document, library) {
        Ok(graph) => graph,
        Err(problems) => {
            check_problems(&problems);
            return 1;
        }
    };
    let optimised = Plan::compile(&graph, &PlanOptions { tuning: Tuning::gpu(), ..options.clone() });
    let plain = Plan::compile(&graph, &PlanOptions { hoist: false, ..options.clone() });
    for problems in [&optimised, &plain].into_iter().filter_map(|plan| plan.as_ref().err()) {
        check_problems(problems);
    }
    match (optimised, plain) {
        (Ok(optimised), Ok(plain)) => {
            assert_eq!(optimised.outputs.len(), plain.outputs.len(), "both plans make the same pictures");
            3
        }
        _ => 2,
    }
}

fn check_problems(problems: &Problems) {
    assert!(!problems.is_empty(), "a refusal gives a reason");
    assert!(problems.0.iter().all(|problem| !problem.to_string().trim().is_empty()), "a problem is a sentence");
}

/// A group of the library, in a graph that wires each of its inputs to something of the type.
fn run_group(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    let mut library = Library::builtin().clone();
    library.add_group("mutant", &text);
    let Some((_, group)) = library.groups().find(|(name, _)| *name == "mutant") else { return 0 };
    let group = group.clone();
    let inputs: Vec<(String, String)> = group.inputs.into_iter().collect();
    let (document, options) = super::stage::around("mutant", None, &inputs, bytes.len().is_multiple_of(3));
    level_of(&document, &library, &options)
}

fn run_paste(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    let mut document = corpus().documents[3].clone();
    let before = document.clone();
    let keep = if bytes.len().is_multiple_of(2) { PasteInputs::Keep } else { PasteInputs::Drop };
    let library = Library::builtin();
    let pasted = edit::paste(&mut document, &Scope::default(), &text, (40.0, 30.0), keep, library);
    let Ok(names) = pasted else {
        assert!(document == before, "what is refused changes nothing");
        return 0;
    };
    check_round_trip(&document);
    assert!(names.iter().all(|name| document.nodes.contains_key(name)), "what was pasted is there");
    // What the canvas asks for every node, and what the list of problems asks for the first of them.
    let faces = edit::signature::level(&document, &Scope::default(), library);
    assert_eq!(faces.len(), Level::Document(&document).nodes().len());
    if let Err(problems) = Graph::build(&document, library) {
        for problem in problems.0.iter().take(2) {
            for remedy in edit::remedies(&document, problem, library) {
                let mut mended = document.clone();
                if remedy.apply(&mut mended, library).is_ok() {
                    check_round_trip(&mended);
                }
            }
        }
    }
    // Taken out again, the others are as they were.
    edit::remove(&mut document, &Scope::default(), &names, library);
    assert!(before.nodes.keys().all(|name| document.nodes.contains_key(name)), "others stay");
    1
}

/// What a test keeps beside images: everything that a node makes.
pub fn keeping(node: &str) -> PlanOptions {
    PlanOptions { keep: Keep::Wires(vec![node.into()]), ..PlanOptions::default() }
}
