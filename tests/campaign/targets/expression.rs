//! Numeric expressions, and values of parameters as people type them: curves and gradients too.

use stagewright_base::expr::{self, ExprContext, Expression, FUNCTIONS, Number, Numbers, VARIABLES};
use stagewright_language::document::{Document, Node, NodeKind, ParamValue};

use super::{Target, graph, lossy};
use crate::corpus::corpus;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const EXPRESSION: Target = Target {
    name: "expression",
    ending: "txt",
    weight: 4,
    short: 10_000,
    levels: &["refused", "read", "has a value"],
    make: make_expression,
    run: run_expression,
};
pub const VALUE: Target = Target {
    name: "value",
    ending: "txt",
    weight: 3,
    short: 5_000,
    levels: &["refused", "an expression", "a value"],
    make: make_value,
    run: run_value,
};

const OPERATORS: &[&str] = &["+", "-", "*", "/", "%", "**", "<", "<=", "==", "!=", "&&", "||"];

const WORDS: &[&str] = &[
    "time",
    "dt",
    "frame",
    "seed",
    "mouse",
    "mouse_velocity",
    "buttons",
    "keys",
    "pi",
    "tau",
    "if",
    "else",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".x",
    ".y",
    ".w",
    "!",
    "**",
    "%",
    "&&",
    "||",
    "==",
    "h",
    "n",
    "random(",
    "curve(",
    "pulse(",
    "vec(",
    "let",
    "while",
    "∞",
];

/// An expression by rule, or a changed one of the graphs that ship.
pub fn text(random: &mut Random) -> String {
    let expressions = &corpus().expressions;
    match random.below(4) {
        0 if !expressions.is_empty() => {
            let text = random.one(expressions).clone();
            mutate::text(random, &text, expressions, WORDS)
        }
        1 => {
            let text = rule(random, 4);
            mutate::text(random, &text, expressions, WORDS)
        }
        2 if random.chance(10) => {
            let times = *random.one(&[10, 100, 1000, 2040, 4096]);
            format!(
                "{}1{}",
                random.one(&["(", "-", "!", "[", "sin("]).repeat(times),
                random.one(&[")", "", "]"]).repeat(times)
            )
        }
        _ => rule(random, 5),
    }
}

fn rule(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(25) {
        return match random.below(4) {
            0 => (*random.one(VARIABLES)).to_string(),
            1 => (*random.one(&["pi", "h", "n", "mouse.x", "tau"])).to_string(),
            _ => (*random.one(NUMBERS)).to_string(),
        };
    }
    let mut inner = || rule(random, depth - 1);
    let (a, b, c) = (inner(), inner(), inner());
    match random.below(10) {
        0..=4 => format!("({a} {} {b})", random.one(OPERATORS)),
        5 => format!("if {a} < {b} {{ {c} }} else {{ {a} }}"),
        6 => format!("[{a}, {b}]"),
        7 => format!("-{a}"),
        _ => {
            // `clamp(x, low, high)`: the name, and as many arguments as it happens to get.
            let usage = random.one(FUNCTIONS);
            let name = usage.split('(').next().unwrap_or_default();
            let count = if random.chance(80) { usage.matches(',').count() + 1 } else { random.below(5) };
            format!("{name}({})", [a, b, c, "1".into(), "2".into()][..count.min(5)].join(", "))
        }
    }
}

fn make_expression(random: &mut Random) -> Vec<u8> {
    text(random).into_bytes()
}

fn run_expression(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    let numbers: Numbers = [("h".to_string(), Number::scalar(0.1)), ("n".to_string(), Number::scalar(8.0))].into();
    let _ = expr::names(&text);
    assert_eq!(expr::replace(&text, |_| None), text, "nothing replaced is nothing changed");
    let expression = match Expression::parse_with(&text, &numbers) {
        Ok(expression) => expression,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return 0;
        }
    };
    assert_eq!(expression.text(), text);
    // A number under another name gives another text, and the old name is gone from it.
    let renamed = expr::rename(&text, "h", "height");
    assert!(!expr::mentions(&renamed, "h"), "{renamed}");
    let mut level = 1;
    for frame in [0, 1, 1000, u64::MAX] {
        let time = frame as f64 / 60.0;
        let context =
            ExprContext { time, frame: frame as f64, mouse: [-1.0, 2.0], keys: u32::MAX, ..ExprContext::default() };
        if let Ok(value) = expression.eval_with(&context, &numbers) {
            assert!((1..=4).contains(&value.len) && value.as_slice().iter().all(|x| x.is_finite()), "{value:?}");
            let again = expression.eval_with(&context, &numbers).expect("the same again");
            assert_eq!(again.v.map(f64::to_bits), value.v.map(f64::to_bits), "the same frame gives the same value");
            level = 2;
        }
    }
    level
}

/// Curves, gradients, vectors and what else stands behind a parameter.
const VALUES: &[&str] = &[
    "0.5",
    "1,2",
    "(1, 2, 3)",
    "512x256",
    "true",
    "sin(time)",
    "[(0, 1), (0.5, 0.8), (1, 0)]",
    "[(0, 0), (0.5, 1), (0.5, 0), (1, 1)]",
    "[(0, \"#000000\"), (1, \"#ff8800\")]",
    "[(0, \"#000\"), (0.7, (2, 0.5, 0)), (1, \"#ffffff80\")]",
    "[(0, (1, 2, 3, 4))]",
    "[]",
    "(0, 0)",
    "\"time\"",
    "[(0, 1)]",
    "(keys: [(0, 10), (30, 60.0, Linear), (60.5, 2, Free(0.2, -1e3))])",
    "(keys: [(0, (1, 2, 3)), (7, (0, 0, 1), Step), (9, (0, 1, 0), Free((1, 1, 1), (0, 0, 0)))], expr: \"keys * 2\")",
];

fn make_value(random: &mut Random) -> Vec<u8> {
    let values: Vec<String> = VALUES.iter().map(ToString::to_string).collect();
    let one = random.one(&values).clone();
    let words: Vec<&str> = WORDS.iter().chain(NUMBERS).chain(VALUES).copied().collect();
    mutate::text(random, &one, &values, &words).into_bytes()
}

fn run_value(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    let read = ParamValue::from_ron(&text);
    let typed = ParamValue::from_text(&text);
    for value in read.iter().chain([&typed]) {
        match value {
            ParamValue::Curve(curve) if curve.check((None, None)).is_ok() => {
                assert!(curve.samples().iter().all(|y| y.is_finite()), "a sound curve has finite values: {curve:?}");
                let (low, high) = bounds(curve.samples().iter().copied());
                let at = [-1.0, 0.0, 0.3, 1.0, 2.0, f64::MAX].map(|t| curve.at(t));
                assert!(at.iter().all(|y| y.is_finite()), "{curve:?} {at:?} {low} {high}");
            }
            ParamValue::Keys(keys) if keys.check().is_ok() => {
                let at = [-1.0, 0.0, 3.3, 30.0, 59.9, 1e9].map(|frame| keys.at(frame));
                assert!(at.iter().flatten().all(|y| y.is_finite()), "{keys:?} {at:?}");
            }
            ParamValue::Gradient(gradient) if gradient.check().is_ok() => {
                assert!(gradient.samples().iter().all(|y| y.is_finite()), "{gradient:?}");
                let _ = [-1.0, 0.5, 2.0].map(|t| gradient.at(t));
            }
            _ => {}
        }
        // It is kept in a file as it is.
        let mut document = Document::default();
        let node = Node { kind: NodeKind::Number(value.clone()), ..Node::default() };
        document.nodes.insert("n".into(), node);
        graph::check_round_trip(&document);
    }
    match (&read, &typed) {
        (Ok(_), _) => 2,
        (_, ParamValue::Expression(_)) => 1,
        _ => 2,
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
}
