//! Replacing the stage of a node.

use super::*;
use stagewright_language::document::{NodeKind, ParamValue};
use stagewright_language::edit::{WireChanges, make_local_copy, replace_stage, signature, wire_changes};
use stagewright_test_support::fixture::fluid;

#[test]
fn ports_and_parameters_of_the_same_name_stay() {
    let mut document = fluid();
    document.nodes.get_mut("pressure").unwrap().params =
        [("relaxation".into(), ParamValue::Number(0.9)), ("odd".into(), ParamValue::Number(1.0))].into();
    replace_stage(&mut document, &root(), "pressure", "fluid/pressure_jacobi", library()).unwrap();
    let node = &document.nodes["pressure"];
    assert_eq!(node.kind, NodeKind::Stage("fluid/pressure_jacobi".into()));
    assert_eq!(node.params.keys().collect::<Vec<_>>(), ["relaxation"]);
    assert_eq!(node.iterations, Some(ParamValue::Number(20.0)));
    assert_eq!(reads(&document, "pressure", "divergence").as_deref(), Some("divergence.divergence"));
    assert_eq!(reads(&document, "project", "pressure").as_deref(), Some("pressure.pressure"));
    // A group of the library with the same ports.
    replace_stage(&mut document, &root(), "advect_velocity", "fluid/advect_maccormack", library()).unwrap();
    assert_eq!(reads(&document, "advect_velocity", "field").as_deref(), Some("project.velocity"));
    assert_eq!(reads(&document, "velocity", "next").as_deref(), Some("advect_velocity.result"));
    assert_eq!(builds(&document), Ok(()));
}

#[test]
fn precision_stays_where_the_other_stage_has_it_too() {
    let mut document = fluid();
    let mut swapped = |stage: &str| {
        document.nodes.get_mut("pressure").unwrap().precision = Some("f16".into());
        replace_stage(&mut document, &root(), "pressure", stage, library()).unwrap();
        document.nodes["pressure"].precision.clone()
    };
    assert_eq!(swapped("fluid/pressure_jacobi").as_deref(), Some("f16"));
    assert_eq!(swapped("grid/largest"), None, "a number is no grid");
}

#[test]
fn other_names_are_followed_where_the_type_leaves_no_choice() {
    let mut document = fluid();
    // `field` of `look` was the only scalar; `view/dye` accepts no scalar, so the wire is removed.
    replace_stage(&mut document, &root(), "jet", "fluid/dissipate", library()).unwrap();
    assert_eq!(reads(&document, "jet", "field").as_deref(), Some("velocity.value"), "from `velocity` to `field`");
    assert_eq!(reads(&document, "viscosity", "before").as_deref(), Some("jet.field"), "and so does who reads it");
    assert!(document.nodes["jet"].params.keys().all(|name| name == "rate"), "{:?}", document.nodes["jet"].params);
    assert_eq!(builds(&document), Ok(()));
    replace_stage(&mut document, &root(), "jet", "staggered/divergence", library()).unwrap();
    assert!(document.nodes["jet"].inputs.is_empty() && document.nodes["jet"].params.is_empty());
    assert_eq!(reads(&document, "viscosity", "before"), None, "a divergence is no velocity");
    let before = document.clone();
    assert!(
        replace_stage(&mut document, &root(), "jet", "no/such", library())
            .unwrap_err()
            .to_string()
            .contains("`no/such`")
    );
    assert!(
        replace_stage(&mut document, &root(), "density", "fluid/advect", library())
            .unwrap_err()
            .to_string()
            .contains("cannot be replaced")
    );
    assert!(replace_stage(&mut document, &root(), "gone", "fluid/advect", library()).is_err());
    assert_eq!(document, before);
}

#[test]
fn a_swap_inside_of_a_group_keeps_its_ports_in_order() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    replace_stage(&mut document, &step, "jet", "fluid/force_pointer", library()).unwrap();
    let group = document.level(&step).unwrap().group().unwrap();
    assert_eq!(group.nodes["calm"].inputs["field"].to_string(), "jet.velocity");
    let stage = library().stage("fluid/force_pointer").unwrap();
    for target in group.params.values().flatten().filter(|target| target.node == "jet") {
        assert!(stage.param(&target.port).is_some(), "{target}");
    }
    assert_eq!(builds(&document), Ok(()));
}

#[test]
fn what_is_not_of_the_library_can_not_be_made_ones_own() {
    let mut document = fluid();
    make_local_copy(&mut document, &root(), "jet", library()).unwrap();
    assert!(matches!(document.nodes["jet"].kind, NodeKind::Custom(_)) && builds(&document).is_ok());
    assert!(make_local_copy(&mut document, &root(), "jet", library()).unwrap_err().to_string().contains("already"));
    let mut wrong = nodes(r#""a": (stage: "no/such")"#);
    assert!(make_local_copy(&mut wrong, &root(), "a", library()).unwrap_err().to_string().contains("`no/such`"));
}

/// What the list of stages says about wires is what happens to them.
#[test]
fn wires_change_as_foretold() {
    let document = fluid();
    let signatures = signature::level(&document, &root(), library());
    let of = |name: &str, stage: &str| wire_changes(&document, &root(), &signatures, name, stage, library());
    assert_eq!(of("pressure", "fluid/pressure_jacobi"), WireChanges::default());
    assert_eq!(of("advect_velocity", "fluid/advect_maccormack"), WireChanges::default(), "a group");
    // From `velocity` to `field`, and so does what reads it.
    assert_eq!(of("jet", "fluid/dissipate").removed, 0);
    assert!(of("jet", "fluid/dissipate").renamed > 1);
    assert!(of("jet", "staggered/divergence").removed > 1, "a divergence is no velocity");
    for name in ["jet", "pressure", "advect_velocity", "divergence"] {
        let wires = |document: &stagewright_language::document::Document| {
            document.nodes.values().map(|node| node.inputs.len()).sum::<usize>()
        };
        for stage in library().stages().map(|stage| &stage.name).step_by(9) {
            let mut after = document.clone();
            replace_stage(&mut after, &root(), name, stage, library()).unwrap();
            assert_eq!(wires(&document) - wires(&after), of(name, stage).removed, "{name} by {stage}");
        }
    }
}

/// Sweeps of a solver say nothing about the cycles of another.
#[test]
fn a_solver_comes_with_its_usual_iterations() {
    let sweep = |title: &str, usual: &str| {
        format!(
            "//! {title}\n//! {usual}\n//! @in divergence: Grid<f32>\n//! @inout pressure: Grid<f32> = 0\nfn stage(cell: Cell) -> f32 {{ return pressure(cell) - divergence(cell); }}"
        )
    };
    let mut library = library().clone();
    library.add_stage("own/many", &sweep("Many", "@iterations 50"));
    library.add_stage("own/few", &sweep("Few", "@iterations 8   Cycles"));
    library.add_stage("own/one", &sweep("One", "Nothing is said of iterations."));
    library.add_stage("own/like_one", &sweep("Like one", "Nor here."));
    assert_eq!(library.usual_iterations("own/many"), Some(50));
    let mut document = fluid();
    let mut swapped = |stage: &str, iterations: Option<f64>| {
        if let Some(iterations) = iterations {
            document.nodes.get_mut("pressure").unwrap().iterations = Some(ParamValue::Number(iterations));
        }
        replace_stage(&mut document, &root(), "pressure", stage, &library).unwrap();
        document.nodes["pressure"].iterations.clone()
    };
    let number = |count: f64| Some(ParamValue::Number(count));
    assert_eq!(swapped("own/many", Some(33.0)), number(50.0));
    assert_eq!(swapped("own/few", Some(33.0)), number(8.0));
    assert_eq!(swapped("own/one", None), None);
    assert_eq!(swapped("own/like_one", Some(5.0)), number(5.0), "of alike stages the user's own stay");
    for wrong in ["", "1", "many", "-3", "1000000000000", "2.5"] {
        let text = sweep("Wrong", &format!("@iterations {wrong}"));
        library.add_stage("own/wrong", &text);
        let said = library.errors("own/wrong").expect("refused")[0].message.clone();
        assert!(said.contains("from 2 to 1000"), "{said}");
    }
}
