//! `where` through edits: nodes that are renamed, copied, grouped, replaced and removed run where they ran before.

use super::*;
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Link, NodeKind, WHERE};
use stagewright_language::edit::{
    PasteInputs, WireChanges, add_input, add_reroute, connect, copy, disconnect, duplicate, insert_on_wire, make_group,
    paste, remove, rename, rename_port, replace_stage, signature, ungroup, wire_changes,
};

const TEXT: &str = r##"(version: 1, nodes: {
    "box": (domain: (resolution: (32, 32), width: 1)),
    "gas": (state: "Grid<f32>", on: "box", inputs: {"next": "fade"}),
    "flow": (state: "Grid<Vec>", on: "box", inputs: {"next": "solve.velocity"}),
    "occupied": (stage: "grid/occupied", inputs: {"a": "gas"}),
    "carry": (stage: "fluid/advect", where: "occupied", inputs: {"velocity": "flow", "field": "gas"}),
    "fade": (stage: "fluid/dissipate", where: "occupied.occupied", inputs: {"field": "carry"}),
    "solve": (group: (inputs: {"velocity": "Grid<Vec>"}, outputs: {"velocity": "slow.field", "most": "most.largest"}, nodes: {
        "slow": (stage: "fluid/dissipate", inputs: {"field": "in.velocity"}),
        "speed": (stage: "grid/length", inputs: {"a": "slow"}),
        "small": (domain: (resolution: (4, 4), width: 3)),
        "table": (stage: "grid/random", on: "small"),
        "most": (stage: "grid/largest", inputs: {"field": "inner.x"}),
        "inner": (group: (inputs: {"a": "Grid<f32>"}, outputs: {"x": "twice.scaled"}, nodes: {
            "twice": (stage: "grid/scale", inputs: {"a": "in.a"}, params: {"factor": 2}),
        }), inputs: {"a": "speed"}),
    }), where: "occupied", inputs: {"velocity": "flow"}),
    "look": (stage: "view/color_map", inputs: {"field": "fade"}),
    "screen": (output: (), inputs: {"image": "look"}),
})"##;

fn smoke() -> Document {
    let document = Document::parse(TEXT).unwrap();
    assert_eq!(builds(&document), Ok(()));
    document
}

/// The paths of nodes that a grid confines.
fn confined(document: &Document) -> BTreeSet<String> {
    let graph =
        Graph::build(document, library()).unwrap_or_else(|problems| panic!("{problems}\n{}", document.to_text()));
    assert_eq!(graph.warnings.0.iter().filter(|warning| warning.port == WHERE).count(), 0, "{}", graph.warnings);
    graph.nodes.iter().filter(|node| node.blocks.is_some()).map(|node| node.path.clone()).collect()
}

/// The same with paths without groups.
fn flat(document: &Document) -> BTreeSet<String> {
    confined(document).iter().map(|path| path.rsplit('/').next().unwrap().to_string()).collect()
}

fn dispatches(document: &Document) -> usize {
    Plan::compile(&Graph::build(document, library()).unwrap(), &PlanOptions::default()).unwrap().frame.len()
}

#[test]
fn a_group_goes_by_an_input_and_back() {
    let before = smoke();
    let everywhere = ["carry", "fade", "slow", "speed", "most", "twice"];
    assert_eq!(flat(&before), names(&everywhere));
    for chosen in [&["carry", "fade"][..], &["carry", "fade", "occupied"], &["carry"], &["carry", "fade", "solve"]] {
        let mut document = before.clone();
        let group = make_group(&mut document, &root(), &names(chosen), "step", library()).unwrap();
        let NodeKind::Group(inside) = &document.nodes[&group].kind else { panic!() };
        let mask_inside = chosen.contains(&"occupied");
        assert_eq!(inside.inputs.get("mask").map(String::as_str), (!mask_inside).then_some("Grid<f32>"), "{chosen:?}");
        assert!(!inside.inputs.contains_key(WHERE));
        let wire = reads(&document, &format!("{group}/carry"), WHERE).unwrap();
        assert_eq!(wire, if mask_inside { "occupied" } else { "in.mask" });
        assert_eq!(flat(&document), names(&everywhere));
        assert_eq!(dispatches(&document), dispatches(&before));
        ungroup(&mut document, &root(), &group, library()).unwrap();
        assert_eq!(flat(&document), names(&everywhere), "{chosen:?}");
        assert_eq!(dispatches(&document), dispatches(&before));
    }
}

#[test]
fn ungrouping_hands_the_group_s_where_to_the_nodes_that_go_by_it() {
    let before = smoke();
    let mut document = before.clone();
    ungroup(&mut document, &root(), "solve", library()).unwrap();
    for (node, wire) in [("slow", true), ("speed", true), ("most", true), ("inner", true), ("table", false)] {
        assert_eq!(reads(&document, node, WHERE).is_some(), wire, "{node}");
    }
    assert_eq!(flat(&document), flat(&before));
    assert_eq!(dispatches(&document), dispatches(&before));
    ungroup(&mut document, &root(), "inner", library()).unwrap();
    assert_eq!(reads(&document, "twice", WHERE).as_deref(), Some("occupied"));
    assert_eq!((flat(&document), dispatches(&document)), (flat(&before), dispatches(&before)));
    // Inside, a group's nodes go by what is further out, as before.
    let mut inside = before.clone();
    ungroup(&mut inside, &root().inside("solve"), "inner", library()).unwrap();
    assert_eq!(reads(&inside, "solve/twice", WHERE), None);
    assert_eq!(flat(&inside), flat(&before));
}

#[test]
fn an_ungrouped_solver_of_the_library_runs_where_it_ran() {
    let text = TEXT.replace(
        "\"look\":",
        r#""divergence": (stage: "fluid/divergence", where: "occupied", inputs: {"velocity": "flow"}),
        "pressure": (stage: "fluid/pressure_multigrid", where: "occupied", inputs: {"divergence": "divergence"}),
        "show": (stage: "view/color_map", inputs: {"field": "pressure.pressure"}), "second": (output: (), inputs: {"image": "show"}),
        "look":"#,
    );
    let before = Document::parse(&text).unwrap();
    let mut after = before.clone();
    ungroup(&mut after, &root(), "pressure", library()).unwrap();
    let everywhere = |document: &Document| {
        let mut document = document.clone();
        document.nodes.values_mut().for_each(|node| drop(node.inputs.remove(WHERE)));
        dispatches(&document)
    };
    // Outside of the group, what the solver reads passes through a balance of its own.
    assert_eq!(dispatches(&after) - everywhere(&after), dispatches(&before) - everywhere(&before));
    let outside_group = |path: &str| path.strip_prefix("pressure/").unwrap_or(path).to_string();
    let (a, b) = (confined(&after), confined(&before));
    let gone: Vec<String> = b.iter().map(|path| outside_group(path)).filter(|path| !a.contains(path)).collect();
    assert_eq!(gone, Vec::<String>::new());
}

#[test]
fn names_copies_and_removals_keep_where() {
    let mut document = smoke();
    rename(&mut document, &root(), "occupied", "there").unwrap();
    assert_eq!(reads(&document, "carry", WHERE).as_deref(), Some("there"));
    assert_eq!(reads(&document, "fade", WHERE).as_deref(), Some("there.occupied"));
    assert_eq!(confined(&document), confined(&smoke()));

    let mut twice = smoke();
    let made = duplicate(&mut twice, &root(), &names(&["carry"]), (10.0, 10.0), PasteInputs::Keep, library()).unwrap();
    assert_eq!(reads(&twice, made.first().unwrap(), WHERE).as_deref(), Some("occupied"));
    let made =
        duplicate(&mut twice, &root(), &names(&["fade", "occupied"]), (10.0, 10.0), PasteInputs::Keep, library())
            .unwrap();
    let fade = made.iter().find(|name| name.starts_with("fade")).unwrap();
    let mask = made.iter().find(|name| name.starts_with("occupied")).unwrap();
    assert_eq!(reads(&twice, fade, WHERE), Some(format!("{mask}.occupied")), "copies go by the copy");

    let text = copy(&smoke(), &root(), &names(&["carry", "occupied", "solve"]), &BTreeSet::new());
    assert!(text.contains(r#"where: "occupied""#), "{text}");
    let mut other = Document::parse(r#"(nodes: {"box": (domain: (resolution: (32, 32), width: 1))})"#).unwrap();
    paste(&mut other, &root(), &text, (0.0, 0.0), PasteInputs::Keep, library()).unwrap();
    assert_eq!(reads(&other, "carry", WHERE).as_deref(), Some("occupied"));
    assert_eq!(reads(&other, "solve", WHERE).as_deref(), Some("occupied"));

    let mut less = smoke();
    remove(&mut less, &root(), &names(&["occupied"]), library());
    assert_eq!(reads(&less, "carry", WHERE).as_deref(), Some("gas"), "what the mask was made from");
    assert_eq!(builds(&less), Ok(()));
    remove(&mut less, &root(), &names(&["carry"]), library());
    assert_eq!(reads(&less, "fade", "field").as_deref(), Some("gas"));
    assert_eq!(builds(&less), Ok(()));
}

#[test]
fn another_stage_keeps_where_if_it_runs_over_cells() {
    let before = smoke();
    let signatures = signature::level(&before, &root(), library());
    let changes = |stage: &str| wire_changes(&before, &root(), &signatures, "carry", stage, library());
    let swapped = |stage: &str| {
        let mut document = before.clone();
        replace_stage(&mut document, &root(), "carry", stage, library()).unwrap();
        reads(&document, "carry", WHERE)
    };
    assert_eq!(swapped("fluid/advect_maccormack").as_deref(), Some("occupied"), "a group");
    assert_eq!(swapped("grid/add").as_deref(), Some("occupied"));
    assert_eq!(swapped("particles/integrate"), None);
    assert_eq!(changes("fluid/advect_maccormack"), WireChanges::default());
    assert!(changes("particles/integrate").removed >= 3, "{:?}", changes("particles/integrate"));
    // A mask is no input of a stage that can't go by it, though its type would fit.
    let mut fields = before.clone();
    replace_stage(&mut fields, &root(), "carry", "field/from_grid", library()).unwrap();
    assert_eq!(fields.nodes["carry"].inputs.values().filter(|link| link.node == "occupied").count(), 0);
}

#[test]
fn where_is_drawn_as_the_last_input_while_it_is_wired() {
    let mut document = smoke();
    let inputs = |document: &Document, node: &str| {
        let signature = signature::level(document, &root(), library()).remove(node).unwrap();
        signature.inputs
    };
    let last = inputs(&document, "carry").pop().unwrap();
    assert_eq!((last.name.as_str(), last.carries.as_str(), last.optional), (WHERE, "Grid<f32>", true));
    assert_ne!(last.takes, signature::Takes::Nothing);
    assert!(last.doc.contains("blocks"), "{}", last.doc);
    assert_eq!(inputs(&document, "solve").pop().unwrap().name, WHERE);
    // Numbers that drive parameters come before it.
    document.nodes.extend(Document::parse(r#"(nodes: {"n": (number: 1)})"#).unwrap().nodes);
    connect(&mut document, &root(), Link::parse("n"), &end("fade", "rate"));
    let shown: Vec<String> = inputs(&document, "fade").into_iter().map(|port| port.name).collect();
    assert_eq!(shown.last().map(String::as_str), Some(WHERE));
    disconnect(&mut document, &root(), &end("carry", WHERE));
    assert!(inputs(&document, "carry").iter().all(|port| port.name != WHERE));
    assert!(!document.to_text().contains("\"carry\": (stage: \"fluid/advect\", where"));
    // A node that can't be confined shows that the wire has no port.
    connect(&mut document, &root(), Link::parse("occupied"), &end("gas", WHERE));
    assert_eq!(inputs(&document, "gas").pop().unwrap().takes, signature::Takes::Nothing);
}

#[test]
fn nodes_and_reroutes_go_into_the_wire_of_where() {
    let mut document = smoke();
    add_reroute(&mut document, &root(), &end("carry", WHERE), (0.0, 0.0)).unwrap();
    assert_eq!(reads(&document, "carry", WHERE).as_deref(), Some("reroute.value"));
    assert_eq!(confined(&document), confined(&smoke()));
    document.nodes.extend(Document::parse(r#"(nodes: {"near": (stage: "grid/scale")})"#).unwrap().nodes);
    insert_on_wire(&mut document, &root(), "near", &end("carry", WHERE), library()).unwrap();
    assert_eq!(reads(&document, "carry", WHERE).as_deref(), Some("near.scaled"));
    assert_eq!(builds(&document), Ok(()));
    // A confined node in a wire keeps its own.
    document
        .nodes
        .extend(Document::parse(r#"(nodes: {"more": (stage: "grid/scale", where: "occupied")})"#).unwrap().nodes);
    insert_on_wire(&mut document, &root(), "more", &end("look", "field"), library()).unwrap();
    assert_eq!(reads(&document, "more", WHERE).as_deref(), Some("occupied"));
    assert_eq!(reads(&document, "more", "a").as_deref(), Some("fade"));
}

/// An input of the group that the grid comes through.
#[test]
fn a_group_s_input_for_where_is_renamed_and_never_hides_the_group_s_own() {
    let mut document = smoke();
    make_group(&mut document, &root(), &names(&["carry"]), "step", library()).unwrap();
    let inside = root().inside("step");
    rename_port(&mut document, &inside, stagewright_language::edit::Side::In, "mask", "active").unwrap();
    assert_eq!(reads(&document, "step/carry", WHERE).as_deref(), Some("in.active"));
    assert_eq!(flat(&document), flat(&smoke()));
    assert_eq!(add_input(&mut document, &inside, WHERE, "Grid<f32>").unwrap(), "mask");
}

#[test]
fn variants_confine_and_release() {
    let variants = r#", variants: {
        "all": (inputs: {"carry.where": None, "fade.where": None, "solve.where": None}),
        "other": (stages: {"carry": "fluid/advect_maccormack"}),
        "dust": (stages: {"fade": "grid/length"}, inputs: {"fade.a": "carry.result"}),
    })"#;
    let text = TEXT.trim_end().trim_end_matches(')').to_string() + variants;
    let document = Document::parse(&text).unwrap();
    let number = |document: &Document| confined(document).len();
    assert_eq!(number(&document), 6);
    for (variant, expected) in [("all", 0), ("other", 8), ("dust", 6)] {
        let chosen = document.with_variant(Some(variant)).unwrap();
        assert_eq!(number(&chosen), expected, "{variant}: {:?}", confined(&chosen));
    }
    assert_eq!(document.nodes["carry"].inputs.get(WHERE), Some(&Link::parse("occupied")));
}
