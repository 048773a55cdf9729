//! The engine that evaluates expressions, and its operators and functions.

use std::sync::OnceLock;

use rhai::{Array, Dynamic, Engine, EvalAltResult};

use super::{MAX_ARRAY, MAX_DEPTH, MAX_OPERATIONS, Number};
use crate::curve::monotone;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

pub(super) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut engine = Engine::new_raw();
        // The scan lets none of this through; a second fence costs nothing.
        engine.set_allow_looping(false).set_allow_loop_expressions(false).set_allow_switch_expression(false);
        engine.set_allow_statement_expression(false).set_allow_shadowing(false);
        engine.set_max_expr_depths(MAX_DEPTH).set_max_operations(MAX_OPERATIONS).set_max_array_size(MAX_ARRAY);
        engine.set_max_string_size(64).set_max_map_size(1);
        engine.register_type_with_name::<Number>("vector");
        register_operators(&mut engine);
        register_functions(&mut engine);
        engine
    })
}

fn wrong(message: impl Into<String>) -> Box<EvalAltResult> {
    EvalAltResult::ErrorRuntime(message.into().into(), rhai::Position::NONE).into()
}

fn out_of_domain(message: impl Into<String>) -> Box<EvalAltResult> {
    EvalAltResult::ErrorArithmetic(message.into(), rhai::Position::NONE).into()
}

/// The number in a value of rhai's: a float, a vector, an array literal of one to four numbers, or a condition as 1 or 0.
pub(super) fn operand(of: &str, value: &Dynamic) -> Outcome<Number> {
    if let Ok(x) = value.as_float() {
        return Ok(Number::scalar(x));
    }
    if let Some(vector) = value.read_lock::<Number>() {
        return Ok(*vector);
    }
    if let Ok(condition) = value.as_bool() {
        return Ok(Number::scalar(f64::from(u8::from(condition))));
    }
    let of = if of.is_empty() { "the result".into() } else { format!("`{of}`") };
    if let Ok(items) = value.as_array_ref() {
        let parts: Result<Vec<f64>, _> = items.iter().map(Dynamic::as_float).collect();
        return match parts.ok().as_deref().and_then(Number::vector) {
            Some(vector) => Ok(vector),
            None => Err(wrong(format!("{of} needs a vector of 1 to 4 numbers, not this list"))),
        };
    }
    Err(wrong(format!("{of} needs a number or a vector")))
}

fn zip(name: &str, a: Number, b: Number, f: impl Fn(f64, f64) -> f64) -> Outcome<Number> {
    a.zip(b, f).ok_or_else(|| {
        wrong(format!("`{name}` cannot combine a vector of {} with one of {}", a.len.min(b.len), a.len.max(b.len)))
    })
}

type Unary = fn(f64) -> f64;

fn map1(engine: &mut Engine, name: &'static str, f: Unary) {
    engine.register_fn(name, f);
    engine.register_fn(name, move |x: Dynamic| operand(name, &x).map(|x| x.map(f).dynamic()));
}

fn map2(engine: &mut Engine, name: &'static str, f: fn(f64, f64) -> f64) {
    engine.register_fn(name, f);
    engine.register_fn(name, move |a: Dynamic, b: Dynamic| {
        zip(name, operand(name, &a)?, operand(name, &b)?, f).map(Number::dynamic)
    });
}

fn map3(engine: &mut Engine, name: &'static str, f: fn(f64, f64, f64) -> f64) {
    engine.register_fn(name, f);
    engine.register_fn(name, move |a: Dynamic, b: Dynamic, c: Dynamic| -> Outcome<Dynamic> {
        let (a, b, c) = (operand(name, &a)?, operand(name, &b)?, operand(name, &c)?);
        let shape = zip(name, zip(name, a, b, |a, _| a)?, c, |a, _| a)?;
        let ([a, b, c], mut v) = ([a, b, c].map(Number::spread), [0.0; 4]);
        (0..shape.len).for_each(|i| v[i] = f(a[i], b[i], c[i]));
        Ok(Number { len: shape.len, v }.dynamic())
    });
}

fn register_operators(engine: &mut Engine) {
    map2(engine, "+", |a, b| a + b);
    map2(engine, "-", |a, b| a - b);
    map2(engine, "*", |a, b| a * b);
    map2(engine, "/", |a, b| a / b);
    map2(engine, "%", |a, b| a % b);
    map2(engine, "**", f64::powf);
    map1(engine, "-", |x| -x);
    // Without these, rhai answers `false` to every comparison of unlike types.
    for name in ["==", "!=", "<", "<=", ">", ">="] {
        engine.register_fn(name, move |_: Dynamic, _: Dynamic| -> Outcome<bool> {
            Err(wrong(format!("`{name}` compares two numbers; of a vector take .x or length(v)")))
        });
    }
    for (index, name) in ["x", "y", "z", "w"].into_iter().enumerate() {
        let part = move |vector: Number| -> Outcome<f64> {
            let missing = || wrong(format!("a vector of {} has no .{name}", vector.len));
            vector.as_slice().get(index).copied().ok_or_else(missing)
        };
        engine.register_get(name, move |vector: &mut Number| part(*vector));
        engine.register_get(name, move |list: &mut Array| part(operand(name, &list.clone().into())?));
    }
}

fn register_functions(engine: &mut Engine) {
    #[rustfmt::skip]
    let unary: [(&'static str, Unary); 16] = [
        ("sin", f64::sin), ("cos", f64::cos), ("tan", f64::tan), ("asin", f64::asin), ("acos", f64::acos),
        ("atan", f64::atan), ("sqrt", f64::sqrt), ("abs", f64::abs), ("floor", f64::floor), ("ceil", f64::ceil),
        ("round", f64::round), ("fract", |x| x - x.floor()), ("exp", f64::exp), ("log", f64::ln),
        ("sign", |x| if x == 0.0 { 0.0 } else { x.signum() }), ("noise", noise),
    ];
    unary.into_iter().for_each(|(name, f)| map1(engine, name, f));
    map2(engine, "atan2", f64::atan2);
    map2(engine, "pow", f64::powf);
    map2(engine, "min", f64::min);
    map2(engine, "max", f64::max);
    map2(engine, "step", |edge, x| f64::from(u8::from(x >= edge)));
    map2(engine, "random", |seed, n| random(seed as u32, n));
    map3(engine, "clamp", |x, low, high| x.max(low).min(high));
    map3(engine, "mix", |a, b, t| a + (b - a) * t);
    map3(engine, "smoothstep", smoothstep);
    engine.register_fn("length", |v: Dynamic| operand("length", &v).map(length));
    engine.register_fn("dot", |a: Dynamic, b: Dynamic| {
        let products = zip("dot", operand("dot", &a)?, operand("dot", &b)?, |a, b| a * b)?;
        Ok::<f64, Box<EvalAltResult>>(products.as_slice().iter().sum())
    });
    engine.register_fn("normalize", |v: Dynamic| -> Outcome<Dynamic> {
        let v = operand("normalize", &v)?;
        // A pointer at rest has no direction: zero is a better answer than NaN.
        let scale = length(v);
        Ok(v.map(|x| if scale == 0.0 { 0.0 } else { x / scale }).dynamic())
    });
    let vector = |parts: &[f64]| Number::vector(parts).map_or(Dynamic::UNIT, Number::dynamic);
    engine.register_fn("vec", move |a: f64, b: f64| vector(&[a, b]));
    engine.register_fn("vec", move |a: f64, b: f64, c: f64| vector(&[a, b, c]));
    engine.register_fn("vec", move |a: f64, b: f64, c: f64, d: f64| vector(&[a, b, c, d]));
    engine.register_fn("curve", curve);
    engine.register_fn("pulse", pulse);
}

fn length(v: Number) -> f64 {
    v.as_slice().iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    if low == high {
        return f64::from(u8::from(x >= high));
    }
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// splitmix64 (Steele, Lea, Flood 2014) as a hash.
fn hash(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 53 bits as 0..1, one excluded.
fn unit_from_hash(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

pub(super) fn random(seed: u32, n: f64) -> f64 {
    // + 0.0 makes -0 and 0 the same key.
    unit_from_hash(hash(hash(u64::from(seed)) ^ (n + 0.0).to_bits()))
}

/// Value noise -1..1 with a lattice value at every integer, joined by the quintic fade of Perlin 2002.
pub(super) fn noise(x: f64) -> f64 {
    let cell = x.floor();
    let lattice = |at: f64| 2.0 * unit_from_hash(hash(at as i64 as u64)) - 1.0;
    let t = x - cell;
    let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    lattice(cell) * (1.0 - fade) + lattice(cell + 1.0) * fade
}

/// 1 in the first `width` of every `period` of x, else 0; all three in the same unit.
fn pulse(x: f64, period: f64, width: f64) -> Outcome<f64> {
    if period > 0.0 {
        Ok(f64::from(u8::from(x.rem_euclid(period) < width)))
    } else {
        Err(out_of_domain(format!("`pulse` needs a period above 0, not {period},")))
    }
}

/// Monotone piecewise cubic through the keys, constant outside of them.
pub(super) fn curve(x: f64, keys: Array) -> Outcome<f64> {
    let mut points = Vec::with_capacity(keys.len());
    for key in &keys {
        match operand("curve", key)? {
            Number { len: 2, v: [x, y, ..] } => points.push((x, y)),
            _ => return Err(wrong("each key of `curve` is a pair [x, y]")),
        }
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some(pair) = points.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(out_of_domain(format!("`curve` has two keys at x = {}", pair[0].0)));
    }
    if points.is_empty() {
        return Err(wrong("`curve` needs a key: curve(x, [[0, 0], [1, 1]])"));
    }
    Ok(if x.is_nan() { x } else { monotone(&points, x) })
}
