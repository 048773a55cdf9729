//! Variants: one document, several sets of values.

use stagewright_base::problem::Problems;
use stagewright_language::document::{Document, NodeKind, ParamValue, Scope, salvage};
use stagewright_language::edit;
use stagewright_language::graph::{Graph, variants};
use stagewright_language::library::Library;

/// A pressure solve inside a group, and everything that a variant can set.
const GRAPH: &str = r##"(version: 1, name: "test", fps: 60, nodes: {
    "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "velocity": (state: "Grid<Vec>", on: "box", inputs: {"next": "fade.field"}),
    "half": (number: 0.5),
    "fade": (stage: "fluid/dissipate", inputs: {"field": "velocity.value"}, params: {"rate": 0.1}, comment: "Fades."),
    "solve": (group: (inputs: {"velocity": "Grid<Vec>"}, outputs: {"pressure": "sweep.pressure"}, nodes: {
        "divergence": (stage: "fluid/divergence", inputs: {"velocity": "in.velocity"}),
        "sweep": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "divergence.divergence"}, iterations: 10),
    }), inputs: {"velocity": "fade.field"}),
    "tint": (stage: "view/color_map", inputs: {"field": "solve.pressure"}),
    "screen": (output: (), inputs: {"image": "tint.image"}),
},
    variants: {
        "article": (
            about: "As printed.",
            fps: 30,
            seed: 7,
            set: {
                "fade.rate": "half / 2",
                "solve/sweep.iterations": 20,
                "solve/sweep.relaxation": 1.5,
                "box.resolution": (16, 16),
                "box.edge": "zero",
                "half.value": 2,
            },
            stages: {"solve/sweep": "fluid/pressure_sor"},
            inputs: {"tint.field": "solve.pressure", "solve.velocity": "velocity.value"},
            muted: {"fade": true},
            comments: {"fade": "Not printed."},
        ),
        "plain": (set: {"fade.rate": None}),
    },
)"##;

fn parsed(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

fn chosen(name: &str) -> Document {
    parsed(GRAPH).with_variant(Some(name)).expect("it can be chosen")
}

#[test]
fn a_variant_replaces_values_stages_wires_and_bypasses_also_inside_groups() {
    let article = chosen("article");
    let value = |path: &str, param: &str| article.value(path, param).map(|value| value.to_string());
    let values = [
        value("fade", "rate"),
        value("solve/sweep", "iterations"),
        value("solve/sweep", "relaxation"),
        value("box", "resolution"),
        value("box", "edge"),
        value("half", "value"),
    ];
    let values: Vec<String> = values.into_iter().flatten().collect();
    assert_eq!(values, ["\"half / 2\"", "20", "1.5", "(16, 16)", "\"zero\"", "2"]);
    assert_eq!(article.node("solve/sweep").unwrap().kind, NodeKind::Stage("fluid/pressure_sor".into()));
    assert_eq!(article.nodes["solve"].inputs["velocity"].to_string(), "velocity.value");
    assert_eq!((article.nodes["fade"].muted, article.nodes["fade"].comment.as_str()), (true, "Not printed."));
    assert_eq!((article.fps, article.seed, article.variant.as_deref()), (30.0, 7, Some("article")));
    Graph::build(&article, Library::builtin()).expect("it runs");
    assert!(!chosen("plain").nodes["fade"].params.contains_key("rate"), "None is the stage's own default");
}

#[test]
fn returning_gives_the_default_to_the_byte() {
    let before = parsed(GRAPH);
    let mut document = before.clone();
    for name in ["article", "plain", "article"] {
        document.choose(Some(name)).unwrap();
        assert_ne!(document.nodes, before.nodes);
    }
    document.choose(None).unwrap();
    assert_eq!(document, before);
}

#[test]
fn a_file_has_the_default_in_its_nodes_and_the_choice_beside_them() {
    let article = chosen("article");
    let text = article.to_text();
    assert_eq!(parsed(&text), article);
    assert_eq!(parsed(&text).to_text(), text);
    let default = parsed(GRAPH).to_text();
    assert_eq!(text.replace("    variant: \"article\",\n", ""), default);
    insta::assert_snapshot!(text);
}

#[test]
fn an_edit_of_what_the_variant_sets_is_an_edit_of_the_variant() {
    let mut document = chosen("article");
    document.set("fade", "rate", ParamValue::Number(9.0)).unwrap();
    document.set("fade", "other", ParamValue::Number(3.0)).unwrap();
    assert_eq!(document.set_by_variant("fade", "rate"), Some("article"));
    assert_eq!(document.set_by_variant("fade", "other"), None);
    document.choose(None).unwrap();
    assert_eq!(document.value("fade", "rate"), Some(ParamValue::Number(0.1)));
    assert_eq!(document.value("fade", "other"), Some(ParamValue::Number(3.0)), "both have it");
    document.choose(Some("article")).unwrap();
    assert_eq!(document.value("fade", "rate"), Some(ParamValue::Number(9.0)));
}

#[test]
fn values_enter_and_leave_the_chosen_variant() {
    let mut document = chosen("plain");
    document.add_to_variant("solve/sweep", "iterations");
    document.set("solve/sweep", "iterations", ParamValue::Number(3.0)).unwrap();
    document.choose(None).unwrap();
    assert_eq!(document.value("solve/sweep", "iterations"), Some(ParamValue::Number(10.0)));
    document.choose(Some("plain")).unwrap();
    assert_eq!(document.value("solve/sweep", "iterations"), Some(ParamValue::Number(3.0)));
    document.remove_from_variant("solve/sweep", "iterations").unwrap();
    document.remove_from_variant("fade", "rate").unwrap();
    assert!(document.variants["plain"].is_empty());
    assert_eq!(document.value("solve/sweep", "iterations"), Some(ParamValue::Number(10.0)), "the default returns");
    assert_eq!(document.value("fade", "rate"), Some(ParamValue::Number(0.1)));
}

#[test]
fn a_changed_node_with_a_stage_of_the_variant_leaves_the_default_as_it_was() {
    let mut document = chosen("article");
    let before = document.clone();
    document.set("solve/sweep", "only_here", ParamValue::Number(1.0)).unwrap();
    document.node_mut("solve/sweep").unwrap().inputs.insert("open".into(), "in.velocity".parse_link());
    document.claim_for_variant(&before);
    document.choose(None).unwrap();
    assert_eq!(document.node("solve/sweep"), parsed(GRAPH).node("solve/sweep"));
    document.choose(Some("article")).unwrap();
    assert!(document.node("solve/sweep").unwrap().inputs.contains_key("open"));
}

/// Wires from text.
trait ParseLink {
    fn parse_link(&self) -> stagewright_language::document::Link;
}

impl ParseLink for str {
    fn parse_link(&self) -> stagewright_language::document::Link {
        stagewright_language::document::Link::parse(self)
    }
}

#[test]
fn wires_and_values_that_only_the_default_stage_has_are_left_out() {
    let graph = |more: &str| {
        let text = format!(
            r#"(version: 1, nodes: {{
            "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
            "noise": (stage: "grid/random", on: "box"),
            "a": (stage: "grid/clamp", inputs: {{"a": "noise.result"}}, params: {{"low": 0.2, "high": 0.4}}),
            "tint": (stage: "view/color_map", inputs: {{"field": "a"}}),
            "screen": (output: (), inputs: {{"image": "tint.image"}}),
        }}, variants: {{"other": (stages: {{"a": "grid/length"}}{more})}})"#
        );
        let document = parsed(&text);
        Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        document.with_variant(Some("other")).unwrap()
    };
    let built = Graph::build(&graph(""), Library::builtin()).map(drop);
    assert_eq!(built, Ok(()), "`low` and `high` are values of the default's stage alone");
    let wrong = Graph::build(&graph(r#", set: {"a.low": 0.3}"#), Library::builtin()).unwrap_err();
    assert!(wrong.to_string().starts_with("a.low: the node has no parameter `low`"), "{wrong}");
}

#[test]
fn errors_of_variants_name_variant_node_cause_and_remedy() {
    let text = |variants: &str| {
        let nodes = GRAPH.split("    variants: {").next().unwrap();
        format!("{nodes} variants: {{ {variants} }})")
    };
    let check = |variants: &str| variants::check(&parsed(&text(variants)), Library::builtin());
    let found = check(
        r#"
        "a": (set: {"fad.rate": 1, "solve/swep.iterations": 2, "fade": 3, "box.depth": 1, "box.width": None}),
        "b": (stages: {"fade": "fluid/disipate"}),
        "c": (set: {"fade.raet": 1, "solve/sweep.relaxation": 5}),
        "d": (stages: {"box": "fluid/dissipate"}, muted: {"gone": true}, comments: {"solve/gone": "x"}),
        "e": (inputs: {"fade.field": "nobody.field", "tint.gone": "fade.field", "tint": "fade.field"}),
        "f": (stages: {"solve/sweep": "fluid/residual"}),
        "g": (inputs: {"tint.field": None}),
        "h": (set: {"fade.rate": 3}, colour: "red")"#,
    );
    insta::assert_snapshot!(found.to_string());
    assert_eq!(check(r#""a": (set: {"fade.rate": 3})"#), Problems::default());
}

#[test]
fn a_name_that_is_not_there_is_refused_with_those_that_are() {
    let mut document = parsed(GRAPH);
    let before = document.clone();
    let refused = document.choose(Some("articel")).unwrap_err();
    assert_eq!(refused.to_string(), "there is no variant `articel`; the variants are: article, plain");
    assert_eq!(document, before);
}

#[test]
fn a_choice_that_can_not_be_made_is_kept_in_the_file_and_reported() {
    let text = GRAPH.replace("version: 1,", "version: 1, variant: \"gone\",");
    let document = parsed(&text);
    assert_eq!(document.nodes, parsed(GRAPH).nodes);
    assert!(document.to_text().contains("    variant: \"gone\",\n"));
    assert_eq!(parsed(&document.to_text()), document);
    let warnings = Graph::build(&document, Library::builtin()).unwrap().warnings;
    assert!(warnings.to_string().contains("the variant that the file chooses can't be chosen"), "{warnings}");
    let mut document = document;
    document.choose(Some("plain")).unwrap();
    assert_eq!(parsed(&document.to_text()).variant.as_deref(), Some("plain"));
}

#[test]
fn unknown_fields_of_a_variant_survive_and_are_reported() {
    let text = GRAPH.replace("about: \"As printed.\",", "future: (1, [2]),");
    let saved = parsed(&text).to_text();
    assert!(saved.contains("future: (1, [2]),"), "{saved}");
    let warnings = Graph::build(&parsed(&saved), Library::builtin()).unwrap().warnings;
    assert!(warnings.to_string().contains("the field `future` of `variants` is unknown"), "{warnings}");
}

#[test]
fn a_damaged_variant_is_lost_alone() {
    let text = parsed(GRAPH).to_text().replace("\"plain\": (", "\"plain\": ((");
    let kept = salvage(&text);
    let document = kept.document.expect("the rest is intact");
    assert_eq!(document.nodes, parsed(GRAPH).nodes);
    assert_eq!(document.variant_names().collect::<Vec<_>>(), ["article"], "{:?}", kept.lost);
    assert!(kept.lost.iter().any(|line| line.contains("variant `plain`")), "{:?}", kept.lost);
}

/// Renaming, grouping and removing change the default and the variants alike, whatever is chosen.
#[test]
fn variants_follow_their_nodes() {
    for variant in [None, Some("article")] {
        let mut document = parsed(GRAPH).with_variant(variant).unwrap();
        let root = Scope::default();
        edit::rename(&mut document, &root, "solve", "project").unwrap();
        edit::rename(&mut document, &Scope::parse("project"), "sweep", "relax").unwrap();
        edit::rename(&mut document, &root, "velocity", "flow").unwrap();
        edit::rename(&mut document, &root, "half", "part").unwrap();
        let grouped = edit::make_group(&mut document, &root, &["fade".to_string()].into(), "group", Library::builtin());
        if variant.is_some() {
            // The default's `solve` reads it.
            let refused = grouped.unwrap_err();
            assert!(
                refused.to_string().starts_with("variant `article` has its own wires, stage or bypass of `project`"),
                "{refused}"
            );
            continue;
        }
        let group = grouped.unwrap();
        let article = document.with_variant(Some("article")).unwrap();
        let value = |path: &str, param: &str| article.value(path, param).map(|value| value.to_string());
        assert_eq!(value("project/relax", "iterations").as_deref(), Some("20"));
        assert_eq!(value(&format!("{group}/fade"), "rate").as_deref(), Some("\"part / 2\""));
        assert_eq!(article.nodes["project"].inputs["velocity"].to_string(), "flow.value");
        edit::remove(&mut document, &root, &["project".to_string()].into(), Library::builtin());
        let left = document.variants["article"].clone();
        assert!(left.stages.is_empty() && !left.set.keys().any(|key| key.starts_with("project")), "{left:?}");
        document.with_variant(None).unwrap().with_variant(Some("article")).unwrap();
    }
}

#[test]
fn what_differs_from_another_document_becomes_a_variant() {
    let base = parsed(GRAPH);
    let mut document = base.clone();
    document.set("fade", "rate", ParamValue::Number(0.7)).unwrap();
    document.set("box", "resolution", ParamValue::Vector(vec![32.0, 32.0])).unwrap();
    document.node_mut("solve/sweep").unwrap().kind = NodeKind::Stage("fluid/pressure_sor".into());
    document.node_mut("solve/sweep").unwrap().iterations = None;
    document.nodes.get_mut("fade").unwrap().muted = true;
    let shown = document.nodes.clone();
    document.store_variant("mine", &base, &Default::default()).unwrap();
    assert_eq!((document.nodes.clone(), document.variant.as_deref()), (shown.clone(), Some("mine")));
    document.choose(None).unwrap();
    assert_eq!(document.nodes, base.nodes);
    document.choose(Some("mine")).unwrap();
    assert_eq!(document.nodes, shown);
    document.store_variant("copy", &base, &Default::default()).unwrap();
    assert_eq!((document.nodes.clone(), document.variant.as_deref()), (shown, Some("copy")));
    assert!(
        document
            .store_variant("mine", &base, &Default::default())
            .unwrap_err()
            .to_string()
            .contains("already a variant `mine`")
    );
    let mut same = base.clone();
    assert!(same.store_variant("x", &base, &Default::default()).unwrap_err().to_string().contains("nothing to store"));
    same.store_variant("x", &base, &["fade".to_string()].into()).unwrap();
    assert_eq!(same.variants["x"].set.keys().collect::<Vec<_>>(), ["fade.rate"]);
}

#[test]
fn variants_are_renamed_and_removed() {
    let mut document = chosen("article");
    document.rename_variant("article", "printed").unwrap();
    assert_eq!(document.variant.as_deref(), Some("printed"));
    assert!(document.rename_variant("printed", "plain").unwrap_err().to_string().contains("already a variant `plain`"));
    document.remove_variant("printed");
    assert_eq!(document.nodes, parsed(GRAPH).nodes, "the default returns");
    assert_eq!((document.variant.clone(), document.variants.len()), (None, 1));
}

/// What an edit takes away leaves the chosen variant, which a saved file could not choose again with it.
#[test]
fn a_chosen_variant_outlives_what_it_sets() {
    let more = [
        ("iterations: 10,", "iterations: 10, precision: \"f32\","),
        (
            "inputs: {\"velocity\": \"fade.field\"}),",
            "until: (number: \"pressure\", below: 0.1), inputs: {\"velocity\": \"fade.field\"}),",
        ),
        ("\"fade.rate\": \"half / 2\",", "\"fade.rate\": \"half / 2\", \"solve.until\": 0.2,"),
    ];
    let text = more.iter().fold(GRAPH.to_string(), |text, (from, to)| text.replace(from, to));
    type Edit = (&'static str, fn(&mut Document));
    let edits: [Edit; 3] = [
        ("solve/sweep.iterations", |document| {
            let library = Library::builtin();
            edit::replace_stage(document, &Scope::default(), "solve", "fluid/pressure_jacobi", library).unwrap();
        }),
        ("solve.until", |document| document.node_mut("solve").unwrap().until = None),
        ("fade.rate", |document| drop(document.nodes.remove("fade"))),
    ];
    for (lost, edit) in edits {
        let mut document = parsed(&text).with_variant(Some("article")).unwrap();
        let before = document.clone();
        edit(&mut document);
        document.claim_for_variant(&before);
        let set = &document.variants["article"].set;
        assert!(!set.contains_key(lost) && set.contains_key("box.edge"), "{lost}: {set:?}");
        assert_eq!(parsed(&document.to_text()), document, "{lost}");
        // Without a session that looks after it, the file is whole all the same.
        let mut alone = before;
        edit(&mut alone);
        assert_eq!(parsed(&alone.to_text()).variant.as_deref(), Some("article"), "{lost}");
    }
}

#[test]
fn values_of_the_default_that_do_not_fit_return_as_they_were() {
    let text = GRAPH.replace("resolution: (8, 8), width: 1,", "resolution: (0, 8.5), width: true,");
    let before = parsed(&text.replace("\"box.edge\": \"zero\",", "\"box.edge\": \"zero\", \"box.width\": 2,"));
    let chosen = before.with_variant(Some("article")).unwrap();
    assert_eq!(chosen.value("box", "width"), Some(ParamValue::Number(2.0)));
    assert_eq!(parsed(&chosen.to_text()), chosen);
    assert_eq!(chosen.with_variant(None), Ok(before));
}

#[test]
fn values_inside_a_group_that_a_variant_puts_in_place_return_with_it() {
    let inside = r#""fade": (group: (nodes: {"x": (stage: "fluid/dissipate", params: {"rate": 1})}))"#;
    let variant = format!("\"inside\": (stages: {{{inside}}}, set: {{\"fade/x.rate\": 2}}), \"plain\": (");
    let before = parsed(&GRAPH.replace("\"plain\": (", &variant));
    let mut document = before.with_variant(Some("inside")).unwrap();
    assert_eq!(document.value("fade/x", "rate"), Some(ParamValue::Number(2.0)));
    assert_eq!(parsed(&document.to_text()), document);
    document.choose(None).unwrap();
    assert_eq!(document, before);
}

/// Nodes of the same path may be others in a variant with another group there.
#[test]
fn nodes_that_leave_a_group_stay_in_the_group_of_another_variant() {
    let inside = r#""solve": (group: (nodes: {"sweep": (stage: "fluid/dissipate")}))"#;
    let variant = format!("\"own\": (stages: {{{inside}}}, set: {{\"solve/sweep.rate\": 2}}), \"plain\": (");
    let mut document = parsed(&GRAPH.replace("\"plain\": (", &variant));
    edit::remove(&mut document, &Scope::parse("solve"), &["sweep".to_string()].into(), Library::builtin());
    assert!(document.variants["article"].stages.is_empty());
    assert!(document.variants["own"].set.contains_key("solve/sweep.rate"));
    document.choose(Some("own")).unwrap();
    assert_eq!(parsed(&document.to_text()), document);
}

#[test]
fn a_file_that_chooses_what_can_not_be_chosen_stays_readable() {
    let text = GRAPH
        .replace("version: 1,", "version: 1, variant: \"plain\",")
        .replace("\"fade.rate\": None", "\"gone.rate\": None");
    let unchosen = parsed(&text);
    assert_eq!(unchosen.variant, None);
    let mut stored = unchosen.clone();
    stored.set("fade", "rate", ParamValue::Number(0.7)).unwrap();
    stored.store_variant("mine", &unchosen, &Default::default()).unwrap();
    assert_eq!(parsed(&stored.to_text()), stored);
    let mut renamed = unchosen.clone();
    renamed.rename_variant("plain", "simple").unwrap();
    assert!(renamed.to_text().contains("    variant: \"simple\",\n"));
    let mut removed = unchosen;
    removed.remove_variant("plain");
    assert!(!removed.to_text().contains("    variant: "));
}

#[test]
fn what_can_not_return_to_the_default_is_not_stored() {
    let base = parsed(GRAPH);
    let mut document = base.clone();
    document.set("fade", "rate", ParamValue::Number(0.7)).unwrap();
    document.node_mut("solve").unwrap().until = Some(Default::default());
    document.nodes.insert("half".into(), document.nodes["box"].clone());
    document.store_variant("mine", &base, &Default::default()).unwrap();
    assert_eq!(document.variants["mine"].set.keys().collect::<Vec<_>>(), ["fade.rate"]);
    assert_eq!(parsed(&document.to_text()), document);
}

#[test]
fn wires_of_variants_follow_the_ports_of_groups() {
    let wires = r#""wired": (inputs: {"solve/sweep.open": "in.velocity", "tint.field": "solve.pressure"}), "plain": ("#;
    let before = parsed(&GRAPH.replace("\"plain\": (", wires));
    let wires = |document: &Document| {
        let inputs = document.variants["wired"].inputs.values();
        inputs.map(|link| link.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
    };
    let inside = Scope::parse("solve");
    let mut document = before.clone();
    edit::rename_port(&mut document, &inside, edit::Side::In, "velocity", "flow").unwrap();
    edit::rename_port(&mut document, &inside, edit::Side::Out, "pressure", "p").unwrap();
    assert_eq!(wires(&document), [Some("in.flow".into()), Some("solve.p".into())]);
    edit::remove_port(&mut document, &inside, edit::Side::In, "flow").unwrap();
    edit::remove_port(&mut document, &inside, edit::Side::Out, "p").unwrap();
    assert_eq!(wires(&document), [None, None]);
}

#[test]
fn variants_that_do_not_contradict_are_chosen_together() {
    let text = GRAPH.replace(
        "\"plain\": (set: {\"fade.rate\": None}),",
        "\"plain\": (set: {\"fade.rate\": None}),
        \"slow\": (about: \"Slower.\", fps: 30, substeps: 2, set: {\"half.value\": 2, \"solve/sweep.divergence\": 1}, comments: {\"fade\": \"Slow.\"}),
        \"fast\": (substeps: 4, seed: 8, muted: {\"fade\": false}, inputs: {\"tint.field\": None}, stages: {\"solve/sweep\": \"fluid/pressure_jacobi\"}),",
    );
    let document = parsed(&text);
    let both = document.with_variant(Some("article + slow")).expect("they go together");
    assert_eq!((both.fps, both.seed, both.substeps.most()), (30.0, 7, 2));
    assert_eq!(both.value("half", "value"), Some(ParamValue::Number(2.0)));
    assert_eq!(both.nodes["fade"].comment, "Not printed.\nSlow.");
    assert_eq!(both.variants["article + slow"].about, "As printed. Slower.");
    // It is a variant like the others: the default is below it, and a file keeps it.
    let again = parsed(&both.to_text());
    assert_eq!(again, both);
    let mut back = again.with_variant(None).expect("returns");
    back.variants.remove("article + slow");
    assert_eq!(back, document);

    let said = document.with_variant(Some("article+fast")).expect_err("they contradict").to_string();
    for part in [
        "`seed` is 7 in the first and 8 in the second",
        "`fade` is bypassed in the first and not bypassed in the second",
        "`tint.field` is wired to solve.pressure in the first and not wired in the second",
        "`solve/sweep` is fluid/pressure_sor in the first and fluid/pressure_jacobi in the second",
        "the variants `article` and `fast` do not go together",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let said = document.with_variant(Some("article + plain")).expect_err("they contradict").to_string();
    assert!(said.contains("`fade.rate` is \"half / 2\" in the first and its default in the second"), "{said}");
    for (name, part) in [
        ("slow + nobody", "there is no variant `nobody`"),
        ("slow +", "`slow +` has no variant on one side of a `+`"),
        ("+", "`+` has no variant on one side"),
        ("slow ++ fast", "has no variant on one side"),
        ("nobody", "there is no variant `nobody`"),
        (" slow", "there is no variant ` slow`"),
        ("slow + default", "there is no variant `default`"),
    ] {
        let said = document.with_variant(Some(name)).expect_err("there is none").to_string();
        assert!(said.contains(part), "{name}: {said}");
    }
    // A name twice is one variant, and spaces make no other.
    assert_eq!(document.with_variant(Some("slow + slow")).expect("one"), document.with_variant(Some("slow")).unwrap());
    assert_eq!(document.with_variant(Some("article+ slow +article")).expect("two"), both);
}

#[test]
fn variants_whose_names_have_a_plus_are_chosen_together() {
    let plus = r#""plain": (set: {"fade.rate": None}),
        "c++": (fps: 30), " +x": (seed: 3), "c": (substeps: 2), "article + c": (fps: 15),"#;
    let document = parsed(&GRAPH.replace("\"plain\": (set: {\"fade.rate\": None}),", plus));
    for (name, joined) in [
        ("c++", "c++"),
        ("c++ + article", "c++ + article"),
        ("article+c++", "article + c++"),
        ("c + +x", "c +  +x"),
        // The graph's own comes before two that would be joined.
        ("article + c", "article + c"),
        ("article+c", "article + c"),
    ] {
        let chosen = document.with_variant(Some(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(chosen.variant.as_deref(), Some(joined), "{name}");
    }
    let plain = document.with_variant(Some("article + c")).expect("there is one");
    assert_eq!((plain.fps, plain.seed), (15.0, document.seed), "not joined");
    // As many parts as there may be take no time.
    let (many, none) = (["c"; 40_000].join("+"), "+".repeat(40_000));
    assert_eq!(document.with_variant(Some(&many)).expect("one").variant.as_deref(), Some("c"));
    assert!(document.with_variant(Some(&none)).is_err());
}

/// Any two variants of a shipped graph make a graph, or a sentence says why they do not.
#[test]
fn variants_of_shipped_graphs_go_together_or_say_why_not() {
    let (mut joined, mut refused) = (0, 0);
    for (name, text) in crate::shipped() {
        let document = parsed(&text);
        let names: Vec<String> = document.variant_names().map(String::from).collect();
        for (at, one) in names.iter().enumerate() {
            for other in &names[at + 1..] {
                match document.with_variant(Some(&format!("{one} + {other}"))) {
                    Ok(both) => {
                        joined += 1;
                        if let Err(problems) = Graph::build(&both, Library::builtin()) {
                            panic!("{name}, {one} + {other}: {problems}");
                        }
                    }
                    Err(problems) => {
                        refused += 1;
                        let said = problems.to_string();
                        assert!(said.contains("do not go together") || said.contains("variant `"), "{name}: {said}");
                    }
                }
            }
        }
    }
    println!("{joined} pairs go together, {refused} do not");
    assert!(joined > 10);
}
