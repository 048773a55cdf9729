//! Numbers that go round a group that repeats: what the checker says of those who can't follow them.

use super::problems;

/// A group that halves `left`, with something else inside.
fn halving(inner: &str, iterations: &str, outputs: &str) -> String {
    format!(
        r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "one": (number: 1),
        "g": (iterations: {iterations}, inputs: {{"left": "one"}}, group: (inputs: {{"left": "f32"}}, outputs: {{{outputs}}}, nodes: {{
            "half": (custom: "//! Halve\n//! @over once\n//! @in left: f32\n//! @out rest: f32\nfn stage() -> f32 {{ return 0.5 * left(); }}", inputs: {{"left": "in.left"}}),
            "grid": (custom: "//! Grid\n//! @in x: f32 = 0\n//! @param gain: f32 = 1\n//! @param order: i32 = 1, 1..9, fixed\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return x() * params.gain * f32(params.order); }}", {inner}),
        }})),
        "look": (stage: "view/color_map", inputs: {{"field": "g.y"}}), "screen": (output: (), inputs: {{"image": "look.image"}}),"#
    )
}

const ROUND: &str = r#""left": "half.rest", "y": "grid.y""#;

#[test]
fn expressions_and_parameters_can_not_follow_a_number_that_goes_round() {
    for inner in [
        r#"params: {"gain": "left * 2"}"#,
        r#"params: {"x": "left"}"#,
        r#"params: {"order": "left"}"#,
        r#"inputs: {"gain": "in.left"}"#,
    ] {
        let said = problems(&halving(inner, "4", ROUND));
        assert!(said.starts_with("g/grid."), "{said}");
        assert!(
            said.contains("`left` changes with every iteration, because the group has an output of that name"),
            "{said}"
        );
        assert!(said.contains("rename the output"), "{said}");
        // Once, or with an output of another name, it is the number that it was.
        assert_eq!(problems(&halving(inner, "1", ROUND)), "no problems", "{inner}");
        let other = ROUND.replace("\"left\"", "\"rest\"");
        assert!(!problems(&halving(inner, "4", &other)).contains("changes with every iteration"), "{inner}");
    }
    let nested = r#"inputs: {"x": "in.left"}), "number": (number: "left + 1"), "more": (group: (inputs: {"left": "f32"}, outputs: {}, nodes: {"n": (number: "left")}), inputs: {"left": "in.left"}"#;
    let said = problems(&halving(nested, "4", ROUND));
    assert!(said.contains("g/number.value: `left` changes with every iteration"), "{said}");
    assert!(said.contains("g/more/n.value: `left` is computed on the GPU"), "{said}");
}

#[test]
fn a_number_that_is_only_handed_on_stays_one() {
    let inner = r#"params: {"gain": "left * 2"}"#;
    for outputs in [r#""left": "in.left", "y": "grid.y""#, r#""left": "by", "y": "grid.y""#] {
        let by = format!(r#"{inner}), "by": (reroute: (), inputs: {{"value": "in.left"}}"#);
        assert_eq!(problems(&halving(&by, "4", outputs)), "no problems", "{outputs}");
    }
}

#[test]
fn a_grid_that_goes_round_can_not_start_from_a_number() {
    let said = problems(
        r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "one": (number: 1),
        "g": (iterations: 3, inputs: {"x": "one"}, group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "fade.field"}, nodes: {
            "fade": (stage: "fluid/dissipate", inputs: {"field": "in.x"})})),
        "look": (stage: "view/color_map", inputs: {"field": "g.x"}), "screen": (output: (), inputs: {"image": "look.image"}),"#,
    );
    assert!(said.contains("g.x: the group iterates on this input, but a number is not a Grid<f32>"), "{said}");
}
