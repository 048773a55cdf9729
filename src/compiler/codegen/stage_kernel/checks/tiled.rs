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
use crate::scatter::HEAD_WORDS;

/// The functions of a port: `_sample_x` looks at what is added \[steps\], at one component in each chunk; `_added_around_x` checks what was
/// added to the grid itself, `_q` to `_o`; `_flushed_x` checks what the tile adds to the grid, `_q` to `_o`; `_sampled_x` ends a chunk's
/// sample.
pub(super) fn functions(name: &str, n: u32) -> String {
    let (counts, marks) = (counts(name), marks(name));
    let (float, component) =
        if n == 1 { ("f32".into(), String::new()) } else { (format!("vec{n}f"), format!("[_component % {n}u]")) };
    format!(
        "var<private> _total_{name}: f32;
var<private> _lost_{name}: f32;
var<private> _most_{name}: u32;
var<workgroup> _sums_{name}: array<atomic<u32>, {all}>;
fn _sample_{name}(_steps: {float}) {{
    let _size = abs(_steps{component});
    if (!(_size < 1e30)) {{ return; }}
    _total_{name} += _size;
    if (round(_size) == 0.0) {{ _lost_{name} += _size; }}
}}
fn _added_around_{name}(_at: i32, _steps: f32, _q: i32, _o: i32) {{
    let _s = _o + _q; let _none = !(abs(_steps) < 1e30);
    if (_none || abs(_steps) >= 2147483648.0 || ((_o ^ _s) & (_q ^ _s)) < 0) {{
        _wrong(params.{counts}, params.{marks}, _at, select(1u, 2u, _none), select(abs(_steps) + 2147483648.0, 0.0, _none));
    }}
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
    if (_at < 0) {{ return; }}
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
    let component = format!("i32(_component % {n}u)");
    format!(
        " if (_total_{name} > 0.0) {{ _sum_{name}(4 * {component}, _total_{name}); }} if (_lost_{name} > 0.0) {{ _sum_{name}(4 * {component} + 2, _lost_{name}); }} \
         _total_{name} = 0.0; _lost_{name} = 0.0;"
    )
}

/// What a chunk of listed particles samples: the statement that decides whether it is sampled, the one that clears the sums of samples, and the
/// one that ends its sample.
pub(in crate::codegen::stage_kernel) fn sampled_chunks(cx: &Context<'_>) -> Option<[String; 3]> {
    let sampled: Vec<Written<'_>> =
        checked_writes(cx).filter(|written| bits(written.port, written.value.ty.value()).is_some()).collect();
    sampled.first()?;
    let stride = (invocations(cx) / SAMPLED).clamp(1, MOST_STRIDE);
    let mask = (1u64 << stride.ilog2()) - 1;
    // Each time that a chunk is sampled another component is.
    let begin = format!(
        "_sampled = ((_chunk + frame.index) & {mask}u) == 0u; _component = (_chunk + frame.index) >> {}u; ",
        stride.ilog2()
    );
    let clear = sampled.iter().map(|Written { port, value, .. }| {
        let words = 4 * value.ty.value().components(value.dim);
        format!("    if (_lane < {words}u) {{ atomicStore(&_sums_{}[_lane], 0u); }}\n", port.name)
    });
    let ends: String = sampled.iter().map(|written| format!(" _sampled_{}(_lane);", written.port.name)).collect();
    Some([begin, clear.collect(), format!("    if (_sampled) {{{ends} }}\n")])
}
