//! Keyframes of parameters and of cameras: read, written, changed as by hand, and compiled.

use stagewright_base::curve::{Key, Keyframes, LAST_FRAME, Tangent};
use stagewright_compiler::PlanOptions;
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::camera::orbit_target;

use super::{Target, graph, sentence};
use crate::corpus::SMALL;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const KEYS: Target =
    Target { name: "keys", ending: "ron", weight: 6, short: 200, levels: graph::LEVELS, make, run };

/// A shape that a camera looks at.
const SCENE: &str = r#"(
    version: 1,
    nodes: {
        "picture": (domain: (resolution: (12, 8), width: 1, edge: "clamp")),
        "camera": (stage: "view/camera"),
        "ball": (stage: "shape/sphere", params: {"center": (0.5, 0.5, 0.5), "radius": 0.3}),
        "number": (number: 0.5),
        "look": (stage: "view/shape", on: "picture", inputs: {"shape": "ball.distance", "camera": "camera.camera", "highlight": "number"}),
        "screen": (output: (), inputs: {"image": "look.image"}),
    },
)"#;

/// A parameter, its components, and the least and largest of its values.
type Animated = (&'static str, usize, f64, f64);

/// Parameters that may have keys: how many components, and the range of each.
const PARAMS: [(&str, &[Animated]); 2] = [
    (
        SCENE,
        &[
            ("camera.azimuth", 1, -720.0, 720.0),
            ("camera.elevation", 1, -90.0, 90.0),
            ("camera.distance", 1, 0.1, 20.0),
            ("camera.fov", 1, 1.0, 150.0),
            ("camera.roll", 1, -180.0, 180.0),
            ("camera.look_at", 3, -2.0, 2.0),
            ("ball.center", 3, 0.0, 1.0),
            ("ball.radius", 1, 0.0, 1.0),
            ("number.value", 1, -10.0, 10.0),
            ("look.surface", 4, 0.0, 1.0),
            ("look.light", 3, -1.0, 1.0),
            ("look.softness", 1, 0.001, 1.0),
        ],
    ),
    (SMALL[0], &[("look.high", 1, -1e3, 1e3), ("look.low", 1, -1.0, 0.0), ("field.value", 1, 0.0, 1.0)]),
];
const EXPRESSIONS: &[&str] =
    &["keys", "keys * 2", "keys + 0.1 * sin(time)", "-keys", "keys * random(3)", "keys * mouse.x"];

fn number(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.below(1025) as f64 / 1024.0
}

fn values(random: &mut Random, &(_, count, low, high): &(&str, usize, f64, f64)) -> Vec<f64> {
    (0..count).map(|_| number(random, low, high)).collect()
}

fn keyframes(random: &mut Random, param: &(&str, usize, f64, f64)) -> Keyframes {
    let mut frame = 0.0;
    let mut keys = Vec::new();
    for _ in 0..1 + random.below(6) {
        frame += *random.one(&[1e-3, 0.5, 1.0, 7.0, 30.0, 1e6]);
        let tangent = match random.below(6) {
            0 => Tangent::Linear,
            1 => Tangent::Step,
            2 => Tangent::Free(values(random, param), values(random, param)),
            _ => Tangent::Auto,
        };
        keys.push(Key { frame, value: values(random, param), tangent });
    }
    if random.chance(50) {
        keys[0].frame = 0.0;
    }
    if random.chance(5) {
        let at = random.below(keys.len());
        let number = *random.one(&[f64::NAN, f64::INFINITY, 1e39, -1e38, 1e-320, -0.0, -1.0, 2e9]);
        match random.below(4) {
            0 => keys[at].frame = number,
            1 => keys[at].value = vec![number; 1 + random.below(6)],
            2 => keys[at].tangent = Tangent::Free(vec![number], Vec::new()),
            _ => keys.reverse(),
        }
    }
    Keyframes { keys, expr: random.chance(25).then(|| (*random.one(EXPRESSIONS)).to_string()) }
}

fn make(random: &mut Random) -> Vec<u8> {
    let (text, params) = random.one(&PARAMS);
    let mut document = Document::parse(text).expect("a graph of the corpus reads");
    for _ in 0..random.few(4) {
        let param = random.one(params);
        let (node, name) = param.0.split_once('.').expect("a node and its parameter");
        let keys = keyframes(random, param);
        document.set(node, name, ParamValue::Keys(keys)).expect("it may have keys");
    }
    let text = document.to_text();
    if random.chance(85) {
        return text.into_bytes();
    }
    let words: Vec<&str> = ["keys", "expr", "Linear", "Step", "Auto", "Free", "(", ")", "[", "]", ","]
        .into_iter()
        .chain(EXPRESSIONS.iter().chain(NUMBERS).copied())
        .collect();
    mutate::text(random, &text, &[], &words).into_bytes()
}

fn run(bytes: &[u8]) -> usize {
    let Some(document) = graph::read(bytes) else { return 0 };
    for value in document.nodes.values().flat_map(|node| node.values()) {
        let ParamValue::Keys(keys) = value else { continue };
        let again = ParamValue::from_text(&value.to_string());
        assert!(again == *value || again.to_string() == value.to_string(), "typed again it is another: {value}");
        match keys.check() {
            Ok(()) => sound(keys),
            Err((cause, remedy)) => sentence(&format!("{cause}; {remedy}")),
        }
    }
    if let Ok(graph) = Graph::build(&document, Library::builtin()) {
        let camera = orbit_target(&graph, None);
        assert!(camera.is_none_or(|node| document.node(&node).is_some()), "a camera is a node");
    }
    graph::level_of(&document, Library::builtin(), &PlanOptions::default())
}

/// The curve goes through its keys, and stays between them unless somebody has drawn it otherwise; changed by hand it stays sound.
fn sound(keys: &Keyframes) {
    let free = |key: &Key| matches!(key.tangent, Tangent::Free(..));
    let largest = keys.keys.iter().flat_map(|key| &key.value).fold(0.0, |most: f64, part| most.max(part.abs()));
    for key in &keys.keys {
        for (is, wanted) in keys.at(key.frame).iter().zip(&key.value) {
            assert!((is - wanted).abs() <= 1e-9 * largest, "{is} at {} of {keys:?}", key.frame);
        }
    }
    for pair in keys.keys.windows(2) {
        let [from, to] = pair else { continue };
        for share in [0.25, 0.5, 0.999] {
            let frame = from.frame + share * (to.frame - from.frame);
            for (component, part) in keys.at(frame).iter().enumerate().take(keys.components()) {
                let (a, b) = (from.value[component], to.value[component]);
                assert!(part.is_finite(), "{part} at {frame} of {keys:?}");
                assert!(
                    free(from) || free(to) || (a.min(b)..=a.max(b)).contains(part),
                    "{part} at {frame} of {keys:?}"
                );
            }
        }
    }
    let (first, count) = (keys.keys[0].frame, keys.components());
    if first + 3.0 > LAST_FRAME {
        return;
    }
    let checked = |changed: &Keyframes, how: &str| {
        assert_eq!(changed.check(), Ok(()), "{how}: {keys:?} became {changed:?}");
        let text = ParamValue::Keys(changed.clone()).to_string();
        assert_eq!(ParamValue::from_ron(&text).as_ref().map(ToString::to_string), Ok(text), "{how}: {keys:?}");
    };
    let mut changed = keys.clone();
    changed.set(first + 0.25, &vec![0.5; count]);
    checked(&changed, "a key more");
    assert!(changed.remove(first + 0.25));
    changed.set(first + 3.0, &[1.0, 2.0]);
    checked(&changed, "more components");
    let mut changed = keys.clone();
    (0..keys.keys.len()).for_each(|index| changed.free(index));
    assert!(changed.keys.iter().all(free));
    changed.sort(|_| false);
    checked(&changed, "free tangents");
}
