//! `precision` in graph files: what it says back, and what it refuses.

use stagewright_language::document::{Document, NodeKind};

use super::problems;

const EVEN: &str = r#""box": (domain: (resolution: (32, 32), width: 1, edge: "wall")),"#;
const STATES: &str =
    r#""a": (state: "Grid<f32>", inputs: {"next": "a"}), "v": (state: "Grid<Vec>", inputs: {"next": "v"}),"#;

#[test]
fn precision_is_kept_in_the_file() {
    let text = r#"(version: 1, nodes: {"s": (state: "Grid<f32>", precision: "f16"), "t": (stage: "grid/resample", precision: "f32")})"#;
    let document = Document::parse(text).expect("parses");
    let node = document.node("s").expect("is there");
    assert_eq!((node.kind.clone(), node.precision.as_deref()), (NodeKind::State("Grid<f32>".into()), Some("f16")));
    assert_eq!(document.node("t").and_then(|node| node.precision.as_deref()), Some("f32"));
    assert_eq!(Document::parse(&document.to_text()), Ok(document));
}

#[test]
fn what_has_no_halves_says_so() {
    let nodes = r##"
        "b": (state: "Grid<u32>", inputs: {"next": "b"}, precision: "f16"),
        "c": (state: "FaceGrid", inputs: {"next": "c"}, precision: "f16"),
        "d": (state: "Particles{position: Vec}", capacity: 10, inputs: {"next": "d"}, precision: "f16"),
        "e": (stage: "grid/largest", inputs: {"field": "a"}, precision: "f16"),
        "f": (stage: "staggered/center_to_face", inputs: {"velocity": "v"}, precision: "f16"),
        "g": (number: 2, precision: "f16"),
        "h": (stage: "fluid/advect_maccormack", inputs: {"velocity": "v", "field": "a"}, precision: "f16"),
        "i": (stage: "fluid/divergence", inputs: {"velocity": "v"}, precision: "f8"),
        "j": (file: "shape.png", precision: "f16"),
        "k": (stage: "shape/sphere", on: "box", precision: "f16"),
        "l": (custom: r"//! Copy
            //! @in  field: Grid<T>
            //! @out to: Grid<T>
            fn stage(cell: Cell) -> T { return field(cell); }", inputs: {"field": "b"}, precision: "f16"),
        "m": (custom: r"//! Splat
            //! @in  field: Grid<f32>
            //! @out sum: Grid<f32>, scatter
            fn stage(cell: Cell) { add_sum(cell, field(cell)); }", inputs: {"field": "a"}, precision: "f16"),
    "##;
    insta::assert_snapshot!(problems(&format!("{EVEN}{STATES}{nodes}")));
}

#[test]
fn a_row_of_single_numbers_has_whole_words() {
    let odd = EVEN.replace("(32, 32)", "(33, 32)");
    let nodes = r#""b": (stage: "fluid/divergence", inputs: {"velocity": "v"}, precision: "f16"),
        "c": (stage: "fluid/dissipate", inputs: {"field": "v"}, precision: "f16"),"#;
    insta::assert_snapshot!(problems(&format!("{odd}{STATES}{nodes}")));
}
