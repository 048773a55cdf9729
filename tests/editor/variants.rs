//! Variants: chosen at the foot of the window, edited in the inspector, stored from what was changed.

use eframe::egui::Key;
use stagewright_language::document::{Document, NodeKind, ParamValue};

use super::bench::{Bench, SMOKE, WINDOW};

/// [`SMOKE`] with a variant of its jet and of its solver.
fn varied() -> Bench {
    let variants = r#"    variants: {"article": (
        about: "As printed.",
        set: {"jet.radius": 0.3, "pressure.iterations": 2},
        stages: {"pressure": "fluid/pressure_jacobi"},
        muted: {"viscosity": true},
    )},
)"#;
    let text = SMOKE.strip_suffix(')').unwrap().to_string() + variants;
    let mut bench = Bench::from_text(&text, WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench
}

fn radius(document: &Document) -> Option<ParamValue> {
    document.value("jet", "radius")
}

/// The radius in a variant, whichever is chosen.
fn radius_in(bench: &Bench, variant: Option<&str>) -> Option<ParamValue> {
    radius(&bench.document().with_variant(variant).unwrap())
}

fn number(value: f64) -> Option<ParamValue> {
    Some(ParamValue::Number(value))
}

/// Whether text that contains this is on the screen.
fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

impl Bench {
    /// Opens the list of variants and chooses from it.
    #[track_caller]
    fn vary(&mut self, from: &str, entry: &str) {
        self.press(&format!("Variant: {from}"));
        self.press(entry);
        self.rest();
    }

    /// Types a name into the dialog.
    fn name_variant(&mut self, name: &str) {
        self.rest();
        self.overwrite(name);
    }
}

#[test]
fn choosing_a_variant_is_one_step_and_changes_what_runs() {
    let mut bench = varied();
    let before = bench.document().clone();
    bench.vary("Default", "article");
    bench.compiled();
    assert_eq!((bench.document().variant.as_deref(), radius(bench.document())), (Some("article"), number(0.3)));
    assert!(bench.plan().contains("[fluid/pressure_jacobi]") && !bench.plan().contains("[fluid/pressure_sor]"));
    assert!(!bench.plan().contains("[fluid/diffuse]"), "it is bypassed");
    let now = bench.editor().simulation().and_then(|s| s.value("jet.radius")).unwrap();
    assert!((now[0] - 0.3).abs() < 1e-6, "{now:?}");
    bench.undo();
    bench.compiled();
    assert_eq!(*bench.document(), before);
    bench.redo();
    bench.compiled();
    bench.menu("Edit", "History");
    bench.rest();
    assert!(reads(&bench, "Variant: article"), "the step is named");
    bench.key(Key::Escape);
    bench.vary("article", "Default");
    bench.compiled();
    assert_eq!(*bench.document(), before);
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
}

#[test]
fn a_row_that_the_variant_sets_edits_the_variant() {
    let mut bench = varied();
    bench.vary("Default", "article");
    bench.compiled();
    bench.select("jet");
    assert!(reads(&bench, "Variant article: radius"));
    bench.set_number("radius", 0.2);
    assert_eq!((radius_in(&bench, None), radius_in(&bench, Some("article"))), (number(0.1), number(0.2)));
    bench.set_number("rate", 7.0);
    let rate = |variant| bench.document().with_variant(variant).unwrap().value("jet", "rate");
    assert_eq!((rate(None), rate(Some("article"))), (number(7.0), number(7.0)), "the variant does not set it");
    bench.of_value("rate", "Set in variant article");
    bench.set_number("rate", 9.0);
    let rate = |variant| bench.document().with_variant(variant).unwrap().value("jet", "rate");
    assert_eq!((rate(None), rate(Some("article"))), (number(7.0), number(9.0)));
    bench.of_value("rate", "Remove from variant article");
    assert_eq!(bench.document().value("jet", "rate"), number(7.0), "the default returns");
    bench.of_value("radius", "Remove from variant article");
    assert_eq!(radius(bench.document()), number(0.1));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
}

#[test]
fn a_node_with_a_stage_of_the_variant_keeps_its_changes_to_itself() {
    let mut bench = varied();
    let before = bench.document().nodes["pressure"].clone();
    bench.vary("Default", "article");
    bench.compiled();
    bench.select("pressure");
    bench.set_number("relaxation", 0.5);
    bench.compiled();
    assert_eq!(bench.document().value("pressure", "relaxation"), number(0.5));
    assert_eq!(bench.document().with_variant(None).unwrap().nodes["pressure"], before);
    assert_eq!(bench.problems(), Vec::<String>::new());
}

#[test]
fn what_was_changed_is_stored_as_a_variant_which_is_saved_renamed_and_deleted() {
    let mut bench = Bench::smoke();
    assert!(!reads(&bench, "Variant: "), "a graph without variants has no list");
    let before = bench.document().clone();
    bench.select("jet");
    bench.set_number("radius", 0.25);
    bench.key(Key::Escape);
    bench.menu("Graph", "Auto-layout");
    bench.menu("Edit", "Undo");
    bench.click(bench.ground());
    bench.store("wide");
    assert_eq!(bench.document().variant.as_deref(), Some("wide"));
    assert_eq!((radius_in(&bench, None), radius_in(&bench, Some("wide"))), (number(0.1), number(0.25)));
    bench.reopen();
    bench.compiled();
    assert_eq!((bench.document().variant.as_deref(), radius(bench.document())), (Some("wide"), number(0.25)));
    bench.vary("wide", "Rename variant…");
    bench.name_variant("broad");
    assert_eq!(bench.document().variant_names().collect::<Vec<_>>(), ["broad"]);
    bench.vary("broad", "Default");
    assert_eq!(bench.document().nodes, before.nodes);
    bench.vary("Default", "broad");
    bench.vary("broad", "Delete variant");
    assert!(bench.document().variants.is_empty() && !reads(&bench, "Variant: "));
    assert_eq!(bench.document().nodes, before.nodes);
}

impl Bench {
    fn store(&mut self, name: &str) {
        self.ctrl(Key::P);
        self.write("Store as variant");
        self.rest();
        self.key(Key::Enter);
        self.name_variant(name);
    }
}

#[test]
fn a_name_that_is_taken_is_refused_in_the_dialog() {
    let mut bench = varied();
    bench.vary("Default", "article");
    bench.store("article");
    assert!(reads(&bench, "There is already a variant") || reads(&bench, "already a variant"), "{:?}", bench.seen());
    bench.name_variant("another");
    assert_eq!(bench.document().variant.as_deref(), Some("another"));
    assert_eq!(bench.document().variants["another"].stages.len(), 1);
    assert_eq!(
        bench.document().with_variant(Some("article")).unwrap().nodes["pressure"].kind,
        NodeKind::Stage("fluid/pressure_jacobi".into())
    );
}

#[test]
fn the_gallery_opens_an_example_with_a_variant() {
    let mut bench = Bench::empty(WINDOW);
    bench.menu("File", "New");
    bench.until("the gallery", |bench| reads(bench, "Stable fluids"));
    let middle = WINDOW.to_pos2() * 0.5;
    // The examples are below the templates.
    (0..4).for_each(|_| bench.wheel(middle, eframe::egui::vec2(0.0, -600.0)));
    bench.press("Unity fluid: marbling: article");
    bench.until("the graph", |bench| bench.document().variant.is_some());
    assert_eq!(bench.document().variant.as_deref(), Some("article"));
    assert_eq!(bench.document().value("2_pointer_force", "radius"), number(0.005));
    assert!(reads(&bench, "Variant: article"));
}

#[test]
fn errors_of_a_variant_are_warnings_while_another_is_chosen() {
    let text = SMOKE.strip_suffix(')').unwrap().to_string()
        + r#"    variants: {"bad": (set: {"jet.radus": 0.3}), "gone": (muted: {"nobody": true})},
)"#;
    let mut bench = Bench::from_text(&text, WINDOW);
    bench.compiled();
    let problems = bench.problems().join("\n");
    assert!(problems.contains("jet.radus: variant `bad`: the node has no parameter `radus`"), "{problems}");
    assert!(problems.contains("nobody: variant `gone`: there is no node `nobody`"), "{problems}");
    bench.plays();
    bench.vary("Default", "gone");
    assert_eq!(bench.document().variant, None, "it can't be chosen");
    assert!(reads(&bench, "there is no node") || reads(&bench, "nobody"));
}

#[test]
fn wires_that_only_the_default_stage_has_are_not_shown() {
    let text = SMOKE.strip_suffix(')').unwrap().to_string()
        + r#"    variants: {"fading": (stages: {"viscosity": "fluid/dissipate"})},
)"#;
    let mut bench = Bench::from_text(&text, WINDOW);
    bench.compiled();
    assert!(bench.find("input viscosity.before").is_some());
    bench.vary("Default", "fading");
    bench.compiled();
    assert!(bench.find("input viscosity.before").is_none() && bench.find("input viscosity.field").is_some());
    bench.select("viscosity");
    bench.set_number("rate", 2.0);
    let (from, to) = (bench.title("viscosity"), bench.title("viscosity") + eframe::egui::vec2(0.0, 60.0));
    bench.drag(from, to);
    assert!(bench.find("input viscosity.before").is_none());
    bench.vary("fading", "Default");
    bench.compiled();
    assert_eq!(bench.link("viscosity", "before").as_deref(), Some("jet.velocity"));
    assert_eq!(bench.document().value("viscosity", "rate"), None);
    assert_eq!(bench.problems(), Vec::<String>::new());
}
