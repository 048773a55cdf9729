//! Kernels of the compiler's own: fill, copy, fixed point, the end of a reduction, and the picture of an Output.

use super::accessors::{load, storage_type};
use super::prelude::float;
use crate::graph::Domain;
use crate::stage::header::Reduction;
use crate::stage::types::{Scalar, ValueType};

/// Invocations of a workgroup, one word each.
pub const LANES: u32 = 256;
/// WebGPU's limit on workgroups along one axis.
const MAX_GROUPS: u64 = 65_535;

/// Workgroups that cover so many words.
pub fn word_groups(words: u64) -> [u32; 3] {
    let groups = words.div_ceil(u64::from(LANES)).max(1);
    let rows = groups.div_ceil(MAX_GROUPS);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}

/// A kernel that runs once a word: `body` may use the word's index `i`.
fn per_word(declarations: &str, words: u64, body: &str) -> String {
    format!(
        "{declarations}\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let i = (group.y * groups.x + group.x) * {LANES}u + lane;\n    \
             if (i >= {words}u) {{ return; }}\n    \
             {body}\n\
         }}\n"
    )
}

/// Every element becomes the block's value; the components go round.
pub fn fill(words: u64, components: u32) -> String {
    let declarations = "struct Params { value: vec4u }\n\
         @group(0) @binding(1) var<uniform> params: Params;\n\
         @group(0) @binding(2) var<storage, read_write> _out: array<u32>;";
    let value = match components {
        1 => "params.value.x".to_string(),
        n => format!("params.value[i % {n}u]"),
    };
    per_word(declarations, words, &format!("_out[i] = {value};"))
}

pub fn copy(words: u64) -> String {
    let declarations = "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;";
    per_word(declarations, words, "_out[i] = _in[i];")
}

/// Floats to fixed point or back. Integers are their own fixed point.
pub fn convert(words: u64, scalar: Scalar, bits: u32, to_fixed: bool, in_place: bool) -> String {
    let declarations = match in_place {
        true => "@group(0) @binding(2) var<storage, read_write> _out: array<u32>;",
        false => {
            "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
             @group(0) @binding(3) var<storage, read_write> _out: array<u32>;"
        }
    };
    let source = if in_place { "_out[i]" } else { "_in[i]" };
    let scale = float(f64::from(1u32 << bits));
    let value = match (scalar, to_fixed) {
        (Scalar::F32, true) => format!("bitcast<u32>(i32(round(bitcast<f32>({source}) * {scale})))"),
        (Scalar::F32, false) => format!("bitcast<u32>(f32(bitcast<i32>({source})) / {scale})"),
        _ => source.to_string(),
    };
    per_word(declarations, words, &format!("_out[i] = {value};"))
}

/// Starting value of a reduction, and the expression that joins `a` and `b`.
pub fn reduction(reduction: Reduction, scalar: Scalar) -> (&'static str, &'static str) {
    match (reduction, scalar) {
        (Reduction::Sum, Scalar::F32) => ("0.0", "a + b"),
        (Reduction::Sum, _) => ("0", "a + b"),
        (Reduction::Max, Scalar::F32) => ("-3.4028234e38", "max(a, b)"),
        (Reduction::Min, Scalar::F32) => ("3.4028234e38", "min(a, b)"),
        (Reduction::Max, Scalar::I32) => ("-2147483647 - 1", "max(a, b)"),
        (Reduction::Min, Scalar::I32) => ("2147483647", "min(a, b)"),
        (Reduction::Max, Scalar::U32) => ("0u", "max(a, b)"),
        (Reduction::Min, Scalar::U32) => ("4294967295u", "min(a, b)"),
    }
}

/// The tree in workgroup memory `shared_NAME`, after every lane has stored its value.
pub fn tree(variable: &str, join: &str) -> String {
    let join = join.replace("a ", "p ").replace("(a,", "(p,").replace(" b", " q");
    let half = LANES / 2;
    format!(
        "workgroupBarrier();\n    \
         for (var s = {half}u; s > 0u; s >>= 1u) {{\n        \
             if (_lane < s) {{ let p = {variable}[_lane]; let q = {variable}[_lane + s]; {variable}[_lane] = {join}; }}\n        \
             workgroupBarrier();\n    \
         }}"
    )
}

/// One workgroup joins the partial results of all.
pub fn reduce(count: u64, kind: Reduction, value: ValueType, dim: u32) -> String {
    let ty = value.wgsl(dim);
    let (start, join) = reduction(kind, value.scalar());
    let tree = tree("_shared", join);
    let n = value.components(dim);
    let out = match n {
        3 => "_out[0] = _shared[0].x; _out[1] = _shared[0].y; _out[2] = _shared[0].z;",
        _ => "_out[0] = _shared[0];",
    };
    let storage = storage_type(value, dim);
    format!(
        "@group(0) @binding(2) var<storage, read> _in: array<{ty}>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: {storage};\n\
         var<workgroup> _shared: array<{ty}, {LANES}>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(local_invocation_index) _lane: u32) {{\n    \
             var a = {ty}({start});\n    \
             for (var i = _lane; i < {count}u; i += {LANES}u) {{ let b = _in[i]; a = {join}; }}\n    \
             _shared[_lane] = a;\n    \
             {tree}\n    \
             if (_lane == 0u) {{ {out} }}\n\
         }}\n"
    )
}

/// Linear RGBA to sRGB bytes: interpolated where the picture is larger than the grid, averaged where it is smaller. The
/// grid's y axis points up, a picture's first row is its top. A picture of another shape shows the whole grid between black bars.
pub fn present(domain: &Domain, width: u32, height: u32) -> String {
    let [x, y, _] = domain.resolution;
    let stretch = (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
    let cells_a_pixel = stretch.0.max(stretch.1);
    let fit = format!("vec2f({}, {})", float(cells_a_pixel / stretch.0), float(cells_a_pixel / stretch.1));
    let taps = cells_a_pixel.ceil().clamp(1.0, 8.0) as u32;
    let cell = load("_image", ValueType::Vec4, 2, &format!("c.y * {x} + c.x"));
    format!(
        "@group(0) @binding(2) var<storage, read> _image: array<vec4f>;\n\
         @group(0) @binding(3) var<storage, read_write> _pixels: array<u32>;\n\
         fn cell(at: vec2i) -> vec4f {{ let c = clamp(at, vec2i(0), vec2i({x} - 1, {y} - 1)); return {cell}; }}\n\
         fn sample(at: vec2f) -> vec4f {{\n    \
             let q = at * vec2f({x}.0, {y}.0) - 0.5; let o = floor(q); let f = q - o; let b = vec2i(o);\n    \
             return mix(mix(cell(b), cell(b + vec2i(1, 0)), f.x), mix(cell(b + vec2i(0, 1)), cell(b + vec2i(1, 1)), f.x), f.y);\n\
         }}\n\
         fn encode(linear: vec3f) -> vec3f {{\n    \
             let c = clamp(linear, vec3f(0.0), vec3f(1.0));\n    \
             return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));\n\
         }}\n\
         @compute @workgroup_size(32, 8, 1)\n\
         fn _main(@builtin(global_invocation_id) id: vec3u) {{\n    \
             if (id.x >= {width}u || id.y >= {height}u) {{ return; }}\n    \
             var sum = vec4f(0.0);\n    \
             for (var j = 0; j < {taps}; j++) {{ for (var i = 0; i < {taps}; i++) {{\n        \
                 let at = (vec2f(id.xy) + (vec2f(f32(i), f32(j)) + 0.5) / {taps}.0) / vec2f({width}.0, {height}.0);\n        \
                 let seen = (vec2f(at.x, 1.0 - at.y) - 0.5) * {fit} + 0.5;\n        \
                 let inside = all(seen >= vec2f(0.0)) && all(seen <= vec2f(1.0));\n        \
                 sum += select(vec4f(0.0, 0.0, 0.0, 1.0), sample(seen), inside);\n    \
             }} }}\n    \
             let color = sum / {taps2}.0;\n    \
             _pixels[id.y * {width}u + id.x] = pack4x8unorm(vec4f(encode(color.rgb), clamp(color.a, 0.0, 1.0)));\n\
         }}\n",
        taps2 = taps * taps
    )
}
