//! Checks of sums that go through a tile of workgroup memory. What a tile holds cannot leave its range, so that only what goes around it, and
//! what it adds to the grid, is checked. The samples of a workgroup are summed in workgroup memory: neighbours would wait for each other in
//! memory.
//!
//! ```wgsl
//! fn _sample_mass(_steps: f32) { .. }
//! fn _flushed_mass(_at: i32, _q: i32, _o: i32) { .. }
//! ```

use super::{MOST_STRIDE, SAMPLED, bits, checked_writes, counts, invocations, marks};
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::wgsl::COMPONENTS;
use crate::scatter::HEAD_WORDS;

/// The functions of a port: `_sample_x` looks at what is added \[steps\]; `_report_x` notes the last cell of which a
/// particle has found that what went around the tile is wrong; `_flushed_x` checks what the tile adds to the grid, `_q` to `_o`; `_sampled_x` ends a chunk's sample.
pub(super) fn functions(name: &str, n: u32) -> String {
    let (counts, marks) = (counts(name), marks(name));
    let float = if n == 1 { "f32".into() } else { format!("vec{n}f") };
    format!(
        "var<private> _total_{name}: {float};
var<private> _lost_{name}: {float};
var<private> _most_{name}: u32;
var<workgroup> _sums_{name}: array<atomic<u32>, {all}>;
fn _sample_{name}(_steps: {float}) {{
    let _size = select({float}(), abs(_steps), abs(_steps) < {float}(1e30));
    _total_{name} += _size;
    _lost_{name} += select({float}(), _size, round(_steps) == {float}());
}}
var<private> _none_{name}: i32 = -1;
var<private> _left_{name}: i32 = -1;
var<private> _size_{name}: f32;
fn _report_{name}() {{
    if (_none_{name} >= 0) {{ _wrong(params.{counts}, params.{marks}, _none_{name}, 2u, 0.0); _none_{name} = -1; }}
    if (_left_{name} >= 0) {{ _wrong(params.{counts}, params.{marks}, _left_{name}, 1u, _size_{name}); _left_{name} = -1; }}
}}
fn _sum_{name}(_at: i32, _steps: f32) {{
    let _amount = ceil(_steps * 256.0);
    let _high = floor(_amount / 4294967296.0);
    let _low = u32(_amount - _high * 4294967296.0);
    let _before = atomicAdd(&_sums_{name}[_at], _low);
    let _more = u32(_high) + select(0u, 1u, _before + _low < _before);
    if (_more > 0u) {{ atomicAdd(&_sums_{name}[_at + 1], _more); }}
}}
fn _flushed_{name}(_at: i32, _q: i32, _o: i32) {{
    let _s = _o + _q;
    if (((_o ^ _s) & (_q ^ _s)) < 0) {{ _wrong(params.{counts}, params.{marks}, _at, 1u, f32(_o) + f32(_q)); return; }}
    if (_sampled) {{ _most_{name} = max(_most_{name}, u32(abs(_s))); }}
}}
fn _sampled_{name}(_lane: u32) {{
    if (_most_{name} > atomicLoad(&_alarms[params.{counts} + 3])) {{ atomicMax(&_alarms[params.{counts} + 3], _most_{name}); }}
    _most_{name} = 0u;
    if (_lane >= {pairs}u) {{ return; }}
    let _low = atomicExchange(&_sums_{name}[2u * _lane], 0u);
    let _high = atomicExchange(&_sums_{name}[2u * _lane + 1u], 0u);
    let _at = params.{counts} + {HEAD_WORDS} + 2 * i32(_lane);
    let _before = atomicAdd(&_alarms[_at], _low);
    let _more = _high + select(0u, 1u, _before + _low < _before);
    if (_more > 0u) {{ atomicAdd(&_alarms[_at + 1], _more); }}
}}
",
        all = 4 * n,
        pairs = 2 * n,
    )
}

/// The end of a particle's sample.
pub(super) fn end(name: &str, n: u32) -> String {
    let parts = (0..n).map(|part| {
        let component = if n == 1 { String::new() } else { format!(".{}", COMPONENTS[part as usize]) };
        let sum = |of: &str, at: u32| {
            format!(" if (_{of}_{name}{component} > 0.0) {{ _sum_{name}({at}, _{of}_{name}{component}); }}")
        };
        sum("total", 4 * part) + &sum("lost", 4 * part + 2)
    });
    let parts: String = parts.collect();
    let zero = if n == 1 { "0.0".into() } else { format!("vec{n}f()") };
    format!("{parts} _total_{name} = {zero}; _lost_{name} = {zero};")
}

/// What a chunk of listed particles samples: the statement that decides whether it is sampled, the one that clears the sums of samples, and the
/// one that ends its sample.
pub(in crate::codegen::stage_kernel) fn sampled_chunks(cx: &Context<'_>) -> Option<[String; 3]> {
    let sampled: Vec<Written<'_>> =
        checked_writes(cx).filter(|written| bits(written.port, written.value.ty.value()).is_some()).collect();
    sampled.first()?;
    let stride = (invocations(cx) / SAMPLED).clamp(1, MOST_STRIDE);
    let mask = (1u64 << stride.ilog2()) - 1;
    let begin = format!("_sampled = ((_chunk + frame.index) & {mask}u) == 0u; ");
    let clear = sampled.iter().map(|Written { port, value, .. }| {
        let words = 4 * value.ty.value().components(value.dim);
        format!("    if (_lane < {words}u) {{ atomicStore(&_sums_{}[_lane], 0u); }}\n", port.name)
    });
    let ends: String = sampled.iter().map(|written| format!(" _sampled_{}(_lane);", written.port.name)).collect();
    Some([begin, clear.collect(), format!("    if (_sampled) {{{ends} }}\n")])
}
