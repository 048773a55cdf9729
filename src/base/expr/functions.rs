//! Operators and functions of expressions: a table of each, and their implementations.

use super::context::ExprContext;
use super::number::Number;
use super::value::{ExprValue, Fault, vector};
use crate::curve::monotone;

/// How an operator or a function is applied to its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Apply {
    /// Applied to each component; a scalar counts as a vector of equal components.
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    /// Applies to the [`difference`] of two scalars or of two conditions.
    Compare(fn(f64) -> bool),
    /// `&&` and `||`; a left side with this value decides the result.
    Logic(bool),
    Not,
    Random,
    Length,
    Dot,
    Normalize,
    Vector,
    Curve,
    Pulse,
}
use Apply::*;

/// The notation for messages and completion, and the implementation.
pub(crate) type Function = (&'static str, Apply);

/// Binary operators with their precedence. An operator comes before those that are its prefix.
pub(super) const OPERATORS: &[(u8, Function)] = &[
    (RIGHT, ("**", Two(f64::powf))),
    (6, ("*", Two(|a, b| a * b))),
    (6, ("/", Two(|a, b| a / b))),
    (6, ("%", Two(|a, b| a % b))),
    (5, ("+", Two(|a, b| a + b))),
    (5, ("-", Two(|a, b| a - b))),
    (4, ("<=", Compare(|d| d <= f64::EPSILON))),
    (4, (">=", Compare(|d| d >= -f64::EPSILON))),
    (4, ("<", Compare(|d| d < -f64::EPSILON))),
    (4, (">", Compare(|d| d > f64::EPSILON))),
    (3, ("==", Compare(|d| d.abs() <= f64::EPSILON))),
    (3, ("!=", Compare(|d| d.abs() > f64::EPSILON || d.is_nan()))),
    (2, ("&&", Logic(false))),
    (1, ("||", Logic(true))),
];
/// Precedence of the right-associative operator: 2 ** 3 ** 2 is 2 ** 9.
pub(super) const RIGHT: u8 = 7;
/// Precedence of prefix operators, the highest.
pub(super) const PREFIX: u8 = 8;
pub(super) const MINUS: &Function = &("-", One(|x| -x));
pub(super) const NOT: &Function = &("!", Not);

#[rustfmt::skip]
pub(super) const TABLE: &[Function] = &[
    ("sin(x)", One(f64::sin)), ("cos(x)", One(f64::cos)), ("tan(x)", One(f64::tan)), ("asin(x)", One(f64::asin)),
    ("acos(x)", One(f64::acos)), ("atan(x)", One(f64::atan)), ("atan2(y, x)", Two(f64::atan2)),
    ("sinh(x)", One(f64::sinh)), ("cosh(x)", One(f64::cosh)), ("tanh(x)", One(f64::tanh)),
    ("sqrt(x)", One(f64::sqrt)), ("abs(x)", One(f64::abs)), ("floor(x)", One(f64::floor)),
    ("ceil(x)", One(f64::ceil)), ("round(x)", One(f64::round)), ("fract(x)", One(|x| x - x.floor())),
    ("exp(x)", One(f64::exp)), ("log(x)", One(f64::ln)), ("pow(x, y)", Two(f64::powf)), ("min(a, b)", Two(f64::min)),
    ("max(a, b)", Two(f64::max)), ("clamp(x, low, high)", Three(|x, low, high| x.max(low).min(high))),
    ("mix(a, b, t)", Three(|a, b, t| a + (b - a) * t)),
    ("step(edge, x)", Two(|edge, x| f64::from(u8::from(x >= edge)))), ("smoothstep(low, high, x)", Three(smoothstep)),
    ("sign(x)", One(|x| if x == 0.0 { 0.0 } else { x.signum() })), ("length(v)", Length), ("dot(a, b)", Dot),
    ("normalize(v)", Normalize), ("vec(x, y[, z[, w]])", Vector), ("random(n)", Random), ("noise(x)", One(noise)),
    ("curve(x, [[x0, y0], [x1, y1], ...])", Curve), ("pulse(x, period, width)", Pulse),
];

/// Whether a function is computed on the CPU only.
pub(super) fn on_cpu_only(&(usage, apply): &Function) -> bool {
    matches!(apply, Random | Curve | Pulse) || name(usage) == "noise"
}

pub(super) fn function(name: &str) -> Option<&'static Function> {
    TABLE.iter().find(|(usage, _)| usage.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
}

/// `lists` holds the entries of every [`ExprValue::List`].
pub(super) fn call(
    &(usage, apply): &Function,
    arguments: &[ExprValue],
    ctx: &ExprContext,
    lists: &[Number],
) -> Result<ExprValue, Fault> {
    let number = |value: &ExprValue| value.number(|| format!("`{}`", name(usage)));
    let zip = |a: &ExprValue, b: &ExprValue, f: fn(f64, f64) -> f64| {
        let (a, b) = (number(a)?, number(b)?);
        a.zip(b, f).ok_or_else(|| unlike(usage, a, b))
    };
    let wrong = || {
        let kinds = arguments.iter().map(ExprValue::kind).collect::<Vec<_>>().join(", ");
        Fault::Text(match usage.contains('(') {
            true => format!("write it as {usage}; here it has ({kinds})"),
            false => format!("`{usage}` does not work on ({kinds})"),
        })
    };
    Ok(match (apply, arguments) {
        (One(f), [x]) => number(x)?.map(f).into(),
        (Two(f), [a, b]) => zip(a, b, f)?.into(),
        (Three(f), [ExprValue::Scalar(a), ExprValue::Scalar(b), ExprValue::Scalar(c)]) => {
            ExprValue::Scalar(f(*a, *b, *c))
        }
        (Three(f), [a, b, c]) => {
            let c = number(c)?;
            let shape = zip(a, b, |a, _| a)?;
            let len = shape.zip(c, |a, _| a).ok_or_else(|| unlike(usage, shape, c))?.len;
            let ([a, b, c], mut v) = ([number(a)?, number(b)?, c].map(Number::spread), [0.0; 4]);
            (0..len).for_each(|i| v[i] = f(a[i], b[i], c[i]));
            Number { len, v }.into()
        }
        (Compare(f), [ExprValue::Scalar(a), ExprValue::Scalar(b)]) => ExprValue::Condition(f(difference(*a, *b))),
        (Compare(f), [a @ ExprValue::Condition(_), b @ ExprValue::Condition(_)]) => {
            ExprValue::Condition(f(difference(number(a)?.v[0], number(b)?.v[0])))
        }
        (Compare(_), _) => {
            return Err(Fault::Text(format!(
                "`{usage}` compares two numbers or two conditions; of a vector take .x or length(v)"
            )));
        }
        (Not, [ExprValue::Condition(condition)]) => ExprValue::Condition(!condition),
        (Random, [n]) => number(n)?.map(|n| random(ctx.seed, n)).into(),
        (Length, [v]) => ExprValue::Scalar(length(number(v)?)),
        (Dot, [a, b]) => ExprValue::Scalar(zip(a, b, |a, b| a * b)?.as_slice().iter().sum()),
        (Normalize, [v]) => {
            let v = number(v)?;
            // A pointer at rest has no direction; zero is more useful than NaN.
            let scale = length(v);
            v.map(|x| if scale == 0.0 { 0.0 } else { x / scale }).into()
        }
        (Vector, [_, _, ..]) => ExprValue::Vector(vector(arguments).ok_or_else(wrong)?),
        (Curve, [ExprValue::Scalar(x), ExprValue::List(start, end)]) => {
            ExprValue::Scalar(curve(*x, lists.get(*start..*end).unwrap_or_default())?)
        }
        (Pulse, [ExprValue::Scalar(x), ExprValue::Scalar(period), ExprValue::Scalar(width)]) => {
            ExprValue::Scalar(pulse(*x, *period, *width)?)
        }
        _ => return Err(wrong()),
    })
}

fn name(usage: &str) -> &str {
    usage.split('(').next().unwrap_or(usage)
}

fn unlike(usage: &str, a: Number, b: Number) -> Fault {
    let (short, long) = (a.len.min(b.len), a.len.max(b.len));
    Fault::Text(format!("`{}` cannot combine a vector of {short} with one of {long}", name(usage)))
}

/// The difference a - b relative to the larger one. Differences that come from rounding, as of 0.1 + 0.2 and 0.3, count
/// as zero, and so do values next to zero, such as `sin(pi)`.
fn difference(a: f64, b: f64) -> f64 {
    let scale = a.abs().max(b.abs());
    match a == b {
        true => 0.0,
        false if a == 0.0 || b == 0.0 || scale.is_infinite() => a - b,
        false => (a - b) / scale,
    }
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

/// The upper 53 bits as a number in [0, 1).
fn unit_from_hash(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

pub(super) fn random(seed: u32, n: f64) -> f64 {
    // + 0.0 gives -0 and 0 the same key.
    unit_from_hash(hash(hash(u64::from(seed)) ^ (n + 0.0).to_bits()))
}

/// Value noise in -1..1 with a random value at every integer, interpolated by the quintic of Perlin 2002.
pub(super) fn noise(x: f64) -> f64 {
    let cell = x.floor();
    let lattice = |at: f64| 2.0 * unit_from_hash(hash(at as i64 as u64)) - 1.0;
    let t = x - cell;
    let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    lattice(cell) * (1.0 - fade) + lattice(cell + 1.0) * fade
}

/// 1 in the first `width` of every `period` of x, otherwise 0; all three in the same unit.
fn pulse(x: f64, period: f64, width: f64) -> Result<f64, Fault> {
    if period > 0.0 {
        Ok(f64::from(u8::from(x.rem_euclid(period) < width)))
    } else {
        Err(Fault::Domain(format!("`pulse` needs a period above 0, not {period},")))
    }
}

/// Monotone piecewise cubic through the keys, constant before and after them.
pub(super) fn curve(x: f64, keys: &[Number]) -> Result<f64, Fault> {
    if keys.iter().any(|key| key.len != 2) {
        return Err(Fault::Text("each key of `curve` is a pair [x, y]".into()));
    }
    let mut points: Vec<(f64, f64)> = keys.iter().map(|key| (key.v[0], key.v[1])).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some(pair) = points.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Fault::Domain(format!("`curve` has two keys at x = {}", pair[0].0)));
    }
    if points.is_empty() {
        return Err(Fault::Text("`curve` needs a key: curve(x, [[0, 0], [1, 1]])".into()));
    }
    Ok(if x.is_nan() { x } else { monotone(&points, x) })
}
