//! What a kernel counts about the sums of its scatter ports. A sum is exact or it is reported: the previous sum that `atomicAdd` returns
//! shows whether the new one left 32 bits. What rounds to zero is weighed against all that is added, in a sample of the invocations:
//! the sample moves on from frame to frame, so that in the end every invocation was looked at.
//!
//! ```wgsl
//! fn _check_mass(_at: i32, _part: i32, _value: f32, _r: f32, _q: i32, _o: i32) { .. }
//! fn _sampled_end() { if (!_sampled) { return; } .. }
//! ```

mod tiled;

use std::fmt::Write as _;

use super::bins::Bins;
use super::context::{Context, Written};
use crate::codegen::builtin::WRONG;
use crate::codegen::stage_kernel::names;
use crate::codegen::uniforms::{Block, Content};
use crate::codegen::wgsl::float;
use crate::ir::Lanes;
use crate::ir::query::checked;
use crate::scatter::{HEAD_WORDS, ScatterCheck};
use crate::stage::IterationSource;
use crate::stage::header::Port;
use crate::stage::types::{ValueType, WireType};
pub(super) use tiled::sampled_chunks;

/// Invocations of a dispatch that are sampled, about.
const SAMPLED: u64 = 4096;
/// Most invocations that one sampled stands for.
const MOST_STRIDE: u64 = 64;

/// What is written to scatter ports whose sums are checked.
fn checked_writes<'a>(cx: &Context<'a>) -> impl Iterator<Item = Written<'a>> {
    cx.writes().filter(|written| checked(cx.stage, written.port))
}

/// What is counted for each checked port.
pub(super) fn checks(cx: &Context<'_>) -> Vec<ScatterCheck> {
    let check = |written: Written<'_>| {
        let Written { port, value, .. } = &written;
        let of_particles = port.is_summed_set();
        let cells = if of_particles {
            u64::from(value.capacity)
        } else {
            cx.domain_of(value).map_or(1, |d| d.elements(value.ty))
        };
        let ty = value.ty.value();
        ScatterCheck {
            node: cx.node.path.clone(),
            port: name(&written).into(),
            of_particles,
            bits: bits(port, ty),
            scalar: ty.scalar(),
            components: ty.components(value.dim),
            cells,
        }
    };
    checked_writes(cx).map(check).collect()
}

/// Members of the uniform block: where a port's counts begin, and its marks.
pub(super) fn members(cx: &Context<'_>, block: &mut Block) {
    for written in checked_writes(cx) {
        let port = name(&written);
        for (name, marks) in [(counts(port), false), (marks(port), true)] {
            block.push(name, ValueType::I32, 2, Content::Check { port: port.into(), marks });
        }
    }
}

/// The functions that count.
pub(super) fn functions(cx: &Context<'_>) -> String {
    let mut out = String::new();
    let mut flush = String::new();
    for written in checked_writes(cx) {
        let Written { port, value, .. } = &written;
        let name = name(&written);
        if out.is_empty() {
            out.push_str("var<private> _sampled: bool;\n");
            if Bins::of(cx).is_some() {
                out.push_str("var<private> _component: u32;\n");
            }
            out.push_str(WRONG);
        }
        let ty = value.ty.value();
        match bits(port, ty) {
            None => out.push_str(&whole(name, ty)),
            Some(bits) => {
                let n = ty.components(value.dim);
                let (text, end) = match (Bins::of(cx), value.ty) {
                    (Some(_), _) => (tiled::functions(name, n), tiled::end(name, n)),
                    _ if matches!(cx.op.lanes, Lanes::Components(_)) => (fixed(name, 1, bits), flushed_component(name)),
                    (None, ty) if n > 1 && ty != WireType::FaceGrid => (vectors(name, n, bits), flushed(name, n)),
                    _ => (fixed(name, n, bits), flushed(name, n)),
                };
                out.push_str(&text);
                flush.push_str(&end);
            }
        }
    }
    if !flush.is_empty() {
        let binned = Bins::of(cx).is_some();
        let sum = if binned { "" } else { SUM };
        let _ = writeln!(out, "{sum}fn _sampled_end() {{ if (!_sampled) {{ return; }}{flush} }}");
    }
    out
}

/// The statements around the call of the stage that begin and end its sample. `argument` is what the stage is called for.
pub(super) fn sampled(cx: &Context<'_>, argument: &str) -> Option<(String, &'static str)> {
    checked_writes(cx).find(|written| bits(written.port, written.value.ty.value()).is_some())?;
    if Bins::of(cx).is_some() {
        return Some((String::new(), " _sampled_end();"));
    }
    let place = match (cx.stage.source(), argument.is_empty()) {
        (_, true) => return Some(("_sampled = true; ".into(), " _sampled_end();")),
        (IterationSource::Particles, _) => "(_i >> 6u)".to_string(),
        _ => {
            let z = if cx.dim == 3 { " + u32(_cell.z) * 11u" } else { "" };
            format!("((u32(_cell.x) >> 4u) + (u32(_cell.y) >> 3u) * 5u{z})")
        }
    };
    let stride = (invocations(cx) / SAMPLED).clamp(1, MOST_STRIDE);
    let stride = 1u64 << stride.ilog2();
    let begin = format!("_sampled = (({place} + frame.index) & {}u) == 0u; ", stride - 1);
    Some((begin, " _sampled_end();"))
}

fn invocations(cx: &Context<'_>) -> u64 {
    match cx.node.set.as_ref().filter(|_| cx.stage.source() == IterationSource::Particles) {
        Some(set) => u64::from(set.capacity),
        None => cx.graph.extent(cx.node).map(u64::from).iter().product(),
    }
}

/// Fraction bits of a port; none where it adds whole numbers.
fn bits(port: &Port, ty: ValueType) -> Option<u32> {
    port.sum_bits().filter(|_| !matches!(ty, ValueType::I32 | ValueType::U32))
}

/// The name by which a stage adds to what it writes: a port, or an attribute of particles.
fn name<'w>(written: &'w Written<'_>) -> &'w str {
    names::returned(written.port, &written.write.part)
}

fn counts(name: &str) -> String {
    format!("_counts_{name}")
}

fn marks(name: &str) -> String {
    format!("_marks_{name}")
}

/// Adds to a sum of 64 bits, in 256ths of a step, rounded up.
const SUM: &str = "fn _sum64(_at: i32, _steps: f32) {
    let _amount = ceil(_steps * 256.0);
    let _high = floor(_amount / 4294967296.0);
    let _low = u32(_amount - _high * 4294967296.0);
    let _before = atomicAdd(&_alarms[_at], _low);
    let _more = u32(_high) + select(0u, 1u, _before + _low < _before);
    if (_more > 0u) { atomicAdd(&_alarms[_at + 1], _more); }
}
";

/// `_r`: the value in steps, rounded; `_q`: the same as it was added; `_o`: the sum before.
fn fixed(name: &str, n: u32, bits: u32) -> String {
    let counts = counts(name);
    let marks = marks(name);
    let scale = float(f64::from(1u32 << bits));
    format!(
        "var<private> _total_{name}: array<f32, {n}>;
var<private> _lost_{name}: array<f32, {n}>;
var<private> _most_{name}: u32;
fn _check_{name}(_at: i32, _part: i32, _value: f32, _r: f32, _q: i32, _o: i32) {{
    if ((bitcast<u32>(_value) & 0x7f800000u) == 0x7f800000u) {{ _wrong(params.{counts}, params.{marks}, _at, 2u, 0.0); return; }}
    let _s = _o + _q;
    if (abs(_r) >= 2147483648.0 || ((_o ^ _s) & (_q ^ _s)) < 0) {{ _wrong(params.{counts}, params.{marks}, _at, 1u, f32(_o) + _r); return; }}
    if (!_sampled) {{ return; }}
    let _steps = abs(_value * {scale});
    _total_{name}[_part] += _steps;
    if (_r == 0.0) {{ _lost_{name}[_part] += _steps; }}
    _most_{name} = max(_most_{name}, u32(abs(_s)));
}}
"
    )
}

/// Checks all components of a vector at once. What is wrong is rare: its text is there once, in a loop that a driver can't write out, since a
/// driver's compiler takes longer for it than for all the rest.
fn vectors(name: &str, n: u32, bits: u32) -> String {
    let counts = counts(name);
    let marks = marks(name);
    let scale = float(f64::from(1u32 << bits));
    let each = ["1u", "2u", "4u", "8u"].iter().take(n as usize).copied().collect::<Vec<_>>().join(", ");
    let largest = ["_sizes.x", "_sizes.y", "_sizes.z", "_sizes.w"];
    let largest =
        largest.iter().take(n as usize).fold(format!("_most_{name}"), |most, size| format!("max({most}, {size})"));
    format!(
        "var<private> _total_{name}: vec{n}f;
var<private> _lost_{name}: vec{n}f;
var<private> _most_{name}: u32;
fn _each_{name}(_these: vec{n}<bool>) -> u32 {{ return dot(select(vec{n}u(), vec{n}u({each}), _these), vec{n}u(1u)); }}
fn _check_{name}(_at: i32, _value: vec{n}f, _r: vec{n}f, _q: vec{n}i, _o: vec{n}i) {{
    let _s = _o + _q;
    let _none = (bitcast<vec{n}u>(_value) & vec{n}u(0x7f800000u)) == vec{n}u(0x7f800000u);
    let _bad = _none | (abs(_r) >= vec{n}f(2147483648.0)) | (((_o ^ _s) & (_q ^ _s)) < vec{n}i());
    for (var _left = _each_{name}(_bad); _left != 0u; _left &= _left - 1u) {{
        let _k = firstTrailingBit(_left);
        _wrong(params.{counts}, params.{marks}, _at, select(1u, 2u, _none[_k]), select(f32(_o[_k]) + _r[_k], 0.0, _none[_k]));
    }}
    if (!_sampled) {{ return; }}
    let _steps = select(abs(_value * {scale}), vec{n}f(), _bad);
    _total_{name} += _steps;
    _lost_{name} += select(vec{n}f(), _steps, _r == vec{n}f());
    let _sizes = select(vec{n}u(abs(_s)), vec{n}u(), _bad);
    _most_{name} = {largest};
}}
"
    )
}

/// The end of a port's sample.
fn flushed(name: &str, n: u32) -> String {
    let parts = (0..n).map(|part| {
        let at = HEAD_WORDS + 4 * part;
        flushed_part(name, part, [at, at + 2].map(|at| at.to_string()))
    });
    format!(" atomicMax(&_alarms[params.{} + 3], _most_{name});{}", counts(name), parts.collect::<String>())
}

/// The end of a port's sample where the invocation adds one component alone.
fn flushed_component(name: &str) -> String {
    let part = flushed_part(name, 0, [HEAD_WORDS, HEAD_WORDS + 2].map(|at| format!("4 * _share + {at}")));
    format!(" atomicMax(&_alarms[params.{} + 3], _most_{name});{part}", counts(name))
}

/// What was added to a component, and what of it was lost, to the counts at these places.
fn flushed_part(name: &str, part: u32, [added, lost]: [String; 2]) -> String {
    let counts = counts(name);
    format!(
        " if (_total_{name}[{part}] > 0.0) {{ _sum64(params.{counts} + {added}, _total_{name}[{part}]); }}\
         \x20if (_lost_{name}[{part}] > 0.0) {{ _sum64(params.{counts} + {lost}, _lost_{name}[{part}]); }}"
    )
}

/// Whole numbers lose nothing; their sum can leave its range.
fn whole(name: &str, ty: ValueType) -> String {
    let counts = counts(name);
    let marks = marks(name);
    let wgsl = ty.wgsl(2);
    let left = match ty {
        ValueType::I32 => "((_o ^ _s) & (_value ^ _s)) < 0",
        _ => "_s < _o",
    };
    format!(
        "fn _check_{name}(_at: i32, _value: {wgsl}, _o: {wgsl}) {{
    let _s = _o + _value;
    if ({left}) {{ _wrong(params.{counts}, params.{marks}, _at, 1u, f32(_o) + f32(_value)); }}
}}
"
    )
}
