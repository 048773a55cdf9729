//! Values with keys: how they are written, and what the checker says of wrong ones.

use stagewright_base::curve::{Key, Keyframes, Tangent};
use stagewright_language::document::{Document, ParamValue};

use super::{compile, problems};

fn with(mix: &str, nodes: &str) -> String {
    let source = r"//! Mix\n//! @out result: Grid<f32>\n//! @param gain: f32 = 1, 0..10\n//! @param push: Vec = 0\n//! @param count: u32 = 1\n//! @param sweeps: i32 = 1, 1..8, fixed\nfn stage(cell: Cell) -> f32 { var sum = 0.0; for (var i = 0; i < params.sweeps; i++) { sum += params.gain; } return sum + f32(params.count) + params.push.x; }";
    format!(
        r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "mix": (custom: "{source}", on: "domain", {mix}),
        "look": (stage: "view/color_map", inputs: {{"field": "mix.result"}}), "screen": (output: (), inputs: {{"image": "look.image"}}), {nodes}"#
    )
}

const WRITTEN: [&str; 5] = [
    "(keys: [(0, 10), (30, 60, Linear), (60.5, 5, Step)])",
    "(keys: [(0, (1, 0, 0)), (12, (0, 0.5, 0), Free((0, 0.1, 0), (-0.5, 0, 1e-9)))])",
    "(keys: [(3, 2, Free(0.5, -0.25))], expr: \"keys * 2 + sin(time)\")",
    "(keys: [])",
    "(keys: [(0, [])])",
];

#[test]
fn keys_are_read_and_written_the_same() {
    for text in WRITTEN {
        let value = ParamValue::from_ron(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(value.to_string(), text);
        assert_eq!(ParamValue::from_text(text), value, "as typed");
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<ParamValue>(&json).unwrap(), value, "{json}");
    }
    let typed = ParamValue::from_ron("(expr: \"keys\", keys: [(0.0, 1.0, Auto), (4, (7), Free((1), [2])),])").unwrap();
    let free = Tangent::Free(vec![1.0], vec![2.0]);
    let keys = vec![Key::new(0.0, vec![1.0]), Key { frame: 4.0, value: vec![7.0], tangent: free }];
    assert_eq!(typed, ParamValue::Keys(Keyframes { keys, expr: Some("keys".into()) }));
    for (text, says) in [
        ("(keys: [(0)])", "key"),
        ("(keys: [(0, 1, Smooth)])", "Smooth"),
        ("(keys: [(0, 1, Free(1))])", ""),
        ("(keys: [(0, \"one\")])", "number"),
        ("(expr: \"keys\")", "`keys` is missing"),
        ("(keys: [], keys: [])", "given twice"),
        ("(keys: [], times: 2)", "`times` is no field of keys"),
    ] {
        let said = ParamValue::from_ron(text).expect_err(text);
        println!("{text}: {said}");
        assert!(said.to_string().contains(says), "{text}: {said}");
    }
}

#[test]
fn a_document_with_keys_is_kept_to_the_byte() {
    let mix = format!("params: {{\"gain\": {}, \"push\": {}}}", WRITTEN[2], WRITTEN[1]);
    let nodes = format!("\"n\": (number: {}),", WRITTEN[0]);
    let variants = format!("variants: {{\"other\": (set: {{\"mix.gain\": {}}})}}", WRITTEN[0]);
    let text = format!("(version: 1, nodes: {{ {} }}, {variants})", with(&mix, &nodes));
    let document = Document::parse(&text).unwrap();
    let written = document.to_text();
    assert!(written.contains(WRITTEN[0]) && written.contains(WRITTEN[1]) && written.contains(WRITTEN[2]), "{written}");
    let again = Document::parse(&written).unwrap();
    assert_eq!((&again, again.to_text()), (&document, written));
    let varied = document.with_variant(Some("other")).unwrap();
    assert_eq!(varied.value("mix", "gain"), Some(ParamValue::from_ron(WRITTEN[0]).unwrap()));
    assert_eq!(varied.to_text(), Document::parse(&varied.to_text()).unwrap().to_text());
}

#[test]
fn keys_may_be_multiplied_and_named() {
    let mix = r#"params: {"gain": (keys: [(0, 1), (10, 3)], expr: "min(keys * twice, 10)"), "push": "[speed, 0]", "count": (keys: [(0, 1), (9, 5)])}"#;
    let nodes = r#""twice": (number: 2), "speed": (number: (keys: [(0, 0), (60, 1, Linear)])),"#;
    let _ = compile(&with(mix, nodes));
}

macro_rules! says {
    ($name:ident, $mix:expr, $nodes:expr) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(problems(&with($mix, $nodes)));
        }
    };
}

says!(
    wrong_keys_name_the_parameter_and_the_remedy,
    r#"params: {"gain": (keys: [(0, 1), (30, 2), (20, 3)]), "push": (keys: [(0, (1, 2)), (5, 1)]), "count": (keys: [(0, 1), (9, 2.5)])}"#,
    r#""n": (number: (keys: [(4, 1), (4, 2)])), "empty": (number: (keys: [])), "far": (number: (keys: [(-1, 2)])), "bad": (number: (keys: [(0, NaN)])),"#
);
says!(
    a_key_outside_the_range_is_reported_at_once,
    r#"params: {"gain": (keys: [(0, 1), (600, 11)]), "push": (keys: [(0, (1, 2, 3, 4))])}"#,
    ""
);
says!(
    a_wrong_expression_of_keys_is_reported,
    r#"params: {"gain": (keys: [(0, 1)], expr: "kyes * 2"), "push": (keys: [(0, (1, 0))], expr: "keys.z"), "count": (keys: [(0, 1)], expr: "")}"#,
    ""
);
says!(
    what_the_plan_is_made_with_has_no_keys,
    r#"iterations: (keys: [(0, 1), (10, 8)]), params: {"sweeps": (keys: [(0, 1), (9, 4)])}"#,
    r#""wide": (domain: (resolution: ("8 * n", 8), width: (keys: [(0, 1)]), edge: "wall")), "n": (number: (keys: [(0, 1)])),
    "s": (state: "Particles{position: Vec}", capacity: (keys: [(0, 9)]), on: "domain"),
    "bump": (stage: "field/expression", on: "domain", params: {"value": (keys: [(0, 1)])}), "grid": (stage: "grid/from_field", on: "domain", inputs: {"field": "bump.field"}),"#
);
