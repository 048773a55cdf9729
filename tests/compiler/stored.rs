//! Every graph that was ever shipped, in every version that the history has: it opens, with what was renamed since.
//! `tests/stored/NAME/DATE_TIME.ron` is the file `graphs/NAME.ron` of that time; a graph of a new release is added once it
//! differs from the last one there.

use std::path::{Path, PathBuf};

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::{Library, earlier};

struct Stored {
    /// The folder's path below `tests/stored`, and the time.
    name: String,
    document: Document,
    /// The folder of the files that it names.
    folder: PathBuf,
}

fn stored() -> Vec<Stored> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut found) = (vec![root.join("tests/stored")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|kind| kind != "ron") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(root.join("tests/stored")).unwrap().with_extension("");
            let document = Document::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", name.display()));
            let graph = name.parent().unwrap();
            let folder = root.join("graphs").join(graph).parent().unwrap().to_path_buf();
            found.push(Stored { name: name.display().to_string(), document, folder });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The documents of all variants, with none at first.
fn variants(document: &Document) -> Vec<(String, Document)> {
    let names = document.variants.keys().map(|name| Some(name.as_str()));
    let chosen = |name: Option<&str>| (name.unwrap_or("").to_string(), document.with_variant(name).unwrap());
    std::iter::once(None).chain(names).map(chosen).collect()
}

#[test]
fn every_graph_ever_shipped_opens() {
    let (all, library) = (stored(), Library::builtin());
    assert!(all.len() > 280, "{} graphs", all.len());
    let (mut changes, mut built) = (String::new(), 0);
    for Stored { name, mut document, folder } in all {
        let updates = earlier::update(&mut document, library);
        assert_eq!(earlier::update(&mut document, library), Vec::<String>::new(), "{name}: nothing is left to rename");
        let again = Document::parse(&document.to_text()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again, document, "{name}: what was renamed is saved");
        for (variant, document) in variants(&document) {
            let graph = Graph::build(&document, library).unwrap_or_else(|e| panic!("{name} {variant}: {e}"));
            // The others differ from these by values and places.
            if !updates.is_empty() && variant.is_empty() {
                let options = PlanOptions { folder: folder.clone(), ..PlanOptions::default() };
                Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            }
            built += 1;
        }
        updates.iter().for_each(|change| changes += &format!("{name}: {change}\n"));
    }
    println!("{built} graphs with their variants");
    insta::assert_snapshot!(changes);
}

/// A document with these nodes, and what was renamed in it.
fn updated(nodes: &str) -> (Document, Vec<String>) {
    let mut document = Document::parse(&format!("(version: 1, {nodes})")).unwrap_or_else(|e| panic!("{e}"));
    let updates = earlier::update(&mut document, Library::builtin());
    (document, updates)
}

#[test]
fn names_of_before_are_renamed_in_groups_and_variants() {
    let (document, updates) = updated(
        r#"variants: {"fine": (set: {"g/solve.iterations": 9, "g/other.iterations": 3}, stages: {"g/other": "two_phase/correct"}, inputs: {})},
        nodes: {
            "g": (group: (outputs: {"x": "part.coarse"}, nodes: {
                "solve": (stage: "sph/substep_dfsph", params: {"iterations": 6}),
                "other": (stage: "fluid/project", params: {"relaxation": 1.5}),
                "part": (stage: "multigrid/coarse_part"),
                "reads": (stage: "grid/add", inputs: {"a": "part.coarse"}),
                "sweep": (stage: "multigrid/link_sweep", params: {"relaxation": 1}),
                "density": (stage: "sph/density", inputs: {"poly6": "number.value"}),
                "today": (stage: "sph/density", inputs: {"kernel": "number.value"}),
            })),
        }"#,
    );
    let text = document.to_text();
    println!("{}\n{text}", updates.join("\n"));
    for there in [
        r#""g/solve.solve_iterations": 9"#,
        r#""g/other.iterations": 3"#,
        r#""g/other": "two_phase/correct_sor""#,
        r#"(stage: "sph/substep_dfsph", params: {"solve_iterations": 6}"#,
        r#"outputs: {"x": "part.parts"}"#,
        r#"inputs: {"a": "part.parts"}"#,
        r#""sweep": (stage: "multigrid/link_sweep""#,
        r#""density": (stage: "sph/density_poly6""#,
        r#""today": (stage: "sph/density", inputs: {"kernel""#,
    ] {
        assert!(text.contains(there), "{there}");
    }
    assert!(!text.contains("relaxation\": 1}"), "the sweep's is gone");
    assert_eq!(updates.len(), 6, "{updates:?}");
    assert!(updates.iter().any(|change| change.starts_with("variant fine: g/solve: the parameter `iterations`")));
}

#[test]
fn a_stage_of_the_user_keeps_a_name_that_the_library_once_had() {
    let mut library = Library::builtin().clone();
    library.add_stage(
        "multigrid/coarse_part",
        "//! Mine\n//! @out coarse: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }",
    );
    library.add_stage(
        "sph/density",
        "//! Mine\n//! @in poly6: Grid<f32>\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return poly6(cell); }",
    );
    let nodes = r#"(version: 1, nodes: {
        "part": (stage: "multigrid/coarse_part"), "density": (stage: "sph/density", inputs: {"poly6": "part.coarse"}),
    })"#;
    let mut document = Document::parse(nodes).unwrap();
    let before = document.clone();
    assert_eq!(earlier::update(&mut document, &library), Vec::<String>::new());
    assert_eq!(document, before);
}

#[test]
fn a_stage_that_is_gone_names_what_is_used_instead() {
    let (document, updates) = updated(r#"nodes: {"count": (stage: "multigrid/part_count")}"#);
    assert!(updates.is_empty());
    let problems = Graph::build(&document, Library::builtin()).unwrap_err().to_string();
    assert!(
        problems.contains("there is no stage `multigrid/part_count`; it is gone; the output `parts`"),
        "{problems}"
    );
}

/// Ports of stages that are still there.
#[test]
fn a_port_that_is_gone_names_what_is_used_instead() {
    let (document, updates) = updated(
        r#"nodes: {
            "box": (domain: (resolution: (8, 8), width: 1)),
            "rhs": (state: "Grid<f32>", on: "box"),
            "solve": (stage: "multigrid/dense_solve", inputs: {"residual": "rhs", "inverse": "rhs"}),
            "carry": (stage: "fluid/advect", inputs: {"field": "rhs", "velocity": "rhs"}),
            "double": (stage: "grid/scale", inputs: {"a": "carry.courant"}),
        }"#,
    );
    assert!(updates.is_empty());
    let problems = Graph::build(&document, Library::builtin()).unwrap_err().to_string();
    for sentence in [
        "the node has no input `inverse`; it is gone: levels are solved in blocks",
        "`carry` has no output `courant`; it is gone; fluid/courant gives it",
    ] {
        assert!(problems.contains(sentence), "{sentence}\n{problems}");
    }
}

/// A normal by the kernel of before, alone and in a group; what its radius comes from decides.
#[test]
fn the_normal_of_before_gets_its_kernel() {
    let (document, updates) = updated(
        r#"nodes: {
            "coefficients": (stage: "sph/coefficients", inputs: {"particles": "water"}),
            "normal": (stage: "sph/normal", inputs: {"particles": "water", "radius": "coefficients.radius", "poly6_ratio": "coefficients.poly6_ratio"}),
            "normal_kernel": (number: 1),
            "other": (stage: "sph/normal", inputs: {"radius": "normal_kernel"}),
        }"#,
    );
    assert_eq!(updates.len(), 1, "{updates:?}");
    assert!(updates[0].starts_with("normal: sph/normal has changed: its kernel is Wendland's"), "{updates:?}");
    let text = document.to_text();
    for there in [
        r#""normal": (stage: "sph/normal", inputs: {"kernel": "normal_kernel_2.kernel", "particles": "water"}"#,
        r#""normal_kernel_2": (stage: "sph/kernel", inputs: {"mass": "coefficients.mass", "radius": "coefficients.radius"}"#,
        r#""other": (stage: "sph/normal", inputs: {"radius": "normal_kernel"}"#,
    ] {
        assert!(text.contains(there), "{there}\n{text}");
    }
}

/// Wires that a rule does not know stay as they are, with their errors.
#[test]
fn a_rim_on_an_image_of_another_stage_stays() {
    let (document, updates) = updated(
        r#"nodes: {"look": (stage: "view/dye"), "rim": (stage: "view/highlight", inputs: {"image": "look.image", "normal": "look.image"})}"#,
    );
    assert!(updates.is_empty() && document.nodes.contains_key("rim"), "{updates:?}");
}
