//! Plans in which nodes are kept apart while their text is edited.

use std::collections::BTreeSet;

use stagewright_compiler::{Plan, PlanOptions, Tuning};
use stagewright_language::document::{Document, NodeKind, Nodes};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

/// Graphs with fields within fields, tiles, rows and packs.
const GRAPHS: [&str; 4] = ["curl_noise.ron", "unity_fluid.ron", "smoke_particles_3d.ron", "templates/patterns.ron"];

fn read(name: &str) -> Document {
    let path = format!("{}/graphs/{name}", env!("CARGO_MANIFEST_DIR"));
    Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn plan(document: &Document, edited: &[&str]) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let edited = edited.iter().map(|path| path.to_string()).collect();
    let folder = format!("{}/graphs", env!("CARGO_MANIFEST_DIR")).into();
    let options = PlanOptions { edited, folder, tuning: Tuning::gpu(), ..PlanOptions::default() };
    Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// Paths and texts of all stages.
fn stages(nodes: &Nodes, path: &str, found: &mut Vec<(String, String)>) {
    for (name, node) in nodes.iter() {
        let place = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        match &node.kind {
            NodeKind::Stage(name) => {
                found.extend(Library::builtin().stage(name).map(|stage| (place, stage.own_text().to_string())))
            }
            NodeKind::Custom(text) => found.push((place, text.clone())),
            NodeKind::Group(group) => stages(&group.nodes, &place, found),
            _ => {}
        }
    }
}

const MARK: &str = "000731";

/// The text with more digits at the first number of its functions.
fn changed(text: &str) -> Option<String> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bytes = line.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let number = (1..bytes.len()).find(|at| bytes[*at] == b'.' && digit(at - 1) && digit(at + 1));
        if let Some(point) = number.filter(|_| !line.trim_start().starts_with("//")) {
            let end = (point + 1..).find(|at| !digit(*at))?;
            return Some(format!("{}{MARK}{}", &text[..start + end], &text[start + end..]));
        }
        start += line.len();
    }
    None
}

#[test]
fn an_edit_changes_the_kernels_of_its_node_alone() {
    let (mut edits, mut longest) = (0, 0);
    for name in GRAPHS {
        let document = read(name);
        let mut places = Vec::new();
        stages(&document.nodes, "", &mut places);
        // Every other node of a large graph.
        for (path, text) in places.iter().step_by(2) {
            let Some(edited) = changed(text) else { continue };
            let with = |text: &str| {
                let mut document = document.clone();
                document.node_mut(path).unwrap().kind = NodeKind::Custom(text.to_string());
                plan(&document, &[path])
            };
            let (before, after) = (with(text), with(&edited));
            assert_eq!(after.edited, std::slice::from_ref(path));
            let kernels_before: BTreeSet<&str> = before.kernels.iter().map(|kernel| kernel.wgsl.as_str()).collect();
            for kernel in &after.kernels {
                let (new, has) = (!kernels_before.contains(kernel.wgsl.as_str()), kernel.wgsl.contains(MARK));
                // Text that a specialised kernel leaves out is blank there, so the node's own kernel may have another blank.
                let is_of_node = has || kernel.node == *path;
                assert!(
                    if new { is_of_node } else { !has },
                    "{name}, {path}: the kernel of {}\n{}",
                    kernel.node,
                    kernel.wgsl
                );
                longest = longest.max(if new { kernel.wgsl.len() } else { 0 });
            }
            for dispatch in after.frame.iter().chain(&after.invariant) {
                let alone = dispatch.shape.is_none() && dispatch.with.is_empty();
                assert!(alone || dispatch.node != *path, "{name}: {path} shares a dispatch");
            }
            edits += 1;
        }
    }
    println!("{edits} edits; the longest kernel that one changes has {longest} bytes");
    assert!(edits > 20);
}

#[test]
fn what_is_kept_apart_says_so() {
    let document = read("unity_fluid.ron");
    let graph = Graph::build(&document, Library::builtin()).unwrap();
    let options = PlanOptions {
        edited: vec!["print".into(), "none_such".into()],
        tuning: Tuning::gpu(),
        ..PlanOptions::default()
    };
    let text = plan(&document, &["print", "none_such"]).to_text();
    assert!(text.contains("\nkept apart while its text is edited: print\n"), "{text}");
    let passes = Plan::passes(&graph, &options).unwrap();
    let fusion = passes.iter().find(|pass| pass.name == "fusion").unwrap();
    assert!(fusion.summary.contains("print: kept apart while its text is edited"), "{}", fusion.summary);
}

#[test]
fn an_error_in_a_long_loop_is_where_the_user_wrote_it() {
    let mut document = read("curl_noise.ron");
    let text = Library::builtin()
        .stage("curl_noise/noise")
        .unwrap()
        .own_text()
        .replace("for (var i = 0; i < 8; i++) {", "for (var i = 0; i < 8; i++) { let none = none_such;");
    document.node_mut("turbulence").unwrap().kind = NodeKind::Custom(text);
    let problems = |edited: Vec<String>, tuning: Tuning| {
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        Plan::compile(&graph, &PlanOptions { edited, tuning, ..PlanOptions::default() }).unwrap_err().to_string()
    };
    let plain = problems(Vec::new(), Tuning::default());
    assert!(plain.contains("none_such"), "{plain}");
    for path in ["turbulence", "velocity"] {
        assert_eq!(problems(vec![path.into()], Tuning::gpu()), plain);
    }
}

#[test]
fn a_long_chain_of_functions_is_no_depth() {
    // As many as a text may have.
    let mut text = String::from("//! Chain\n//! @out x: Grid<f32>\nfn g0()->f32{return 1;}\n");
    for i in 1..2000 {
        text += &format!("fn g{i}()->f32{{return g{}();}}\n", i - 1);
    }
    text += "fn stage(cell: Cell) -> f32 { var s = 0.0; for (var i = 0; i < 4; i++) { s += g1999(); } return s; }";
    let stage = stagewright_language::stage::Stage::parse("chain", &text).unwrap_or_else(|e| panic!("{e:?}"));
    let rolled = std::thread::Builder::new().stack_size(2 << 20).spawn(move || stage.rolled(2).to_string());
    assert!(rolled.unwrap().join().unwrap().contains("i < 4 + _rolled()"));
}
