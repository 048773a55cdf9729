//! Kernels of the compiler's own: fill, copy, fixed point, the end of a reduction, and the picture of an Output.

use crate::codegen::layout::storage_type;
use crate::codegen::prelude::{HALF, HALVES, PCG};
use crate::codegen::reduction::{joined, neutral, tree};
use crate::codegen::uniforms::FRAME_STRUCT;
use crate::codegen::wgsl::float;
use crate::graph::Domain;
use crate::graph::outputs::image_scale;
use crate::ir::layout::Layout;
use crate::ir::workgroups::LANES;
use crate::stage::header::Reduction;
use crate::stage::types::{Scalar, ValueType};

/// WGSL that notes a cell where something is wrong. Two bits a cell say what, so that a cell counts once. `_kind`: 1 the sum left its range,
/// 2 no number was added.
pub(crate) const WRONG: &str = "fn _wrong(_counts: i32, _marks: i32, _at: i32, _kind: u32, _size: f32) {
    let _bit = _kind << (2u * (u32(_at) & 15u));
    if ((atomicOr(&_alarms[_marks + (_at >> 4u)], _bit) & _bit) == 0u) { atomicAdd(&_alarms[_counts + i32(_kind) - 1], 1u); }
    let _bits = bitcast<u32>(abs(_size));
    if (_bits > atomicLoad(&_alarms[_counts + 2])) { atomicMax(&_alarms[_counts + 2], _bits); }
}
";

/// A kernel that runs once a word: `body` may use the word's index `i`.
pub(super) fn per_word(declarations: &str, words: u64, body: &str) -> String {
    per_word_below(declarations, &format!("{words}u"), body)
}

fn per_word_below(declarations: &str, words: &str, body: &str) -> String {
    format!(
        "{declarations}\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let i = (group.y * groups.x + group.x) * {LANES}u + lane;\n    \
             if (i >= {words}) {{ return; }}\n    \
             {body}\n\
         }}\n"
    )
}

/// Every element becomes the block's value; the components go round.
pub(crate) fn fill(words: u64, layout: Layout) -> String {
    let declarations = "struct Params { value: vec4u }\n\
         @group(0) @binding(1) var<uniform> params: Params;\n\
         @group(0) @binding(2) var<storage, read_write> _out: array<u32>;";
    let number = |flat: &str| match layout.numbers() {
        1 => "params.value.x".to_string(),
        n if layout.value == ValueType::Mat => {
            format!("select(0u, params.value.x, {flat} % {n}u % {}u == 0u)", layout.dim + 1)
        }
        // All numbers of an array are the same.
        _ if layout.value.is_array() => "params.value.x".to_string(),
        n => format!("params.value[{flat} % {n}u]"),
    };
    let half = |flat: &str| format!("bitcast<f32>({})", number(flat));
    let value = match layout.is_half() {
        true => format!("pack2x16float(vec2f({}, {}))", half("(2u * i)"), half("(2u * i + 1u)")),
        false => number("i"),
    };
    per_word(declarations, words, &format!("_out[i] = {value};"))
}

pub(crate) fn fill_word(words: u64, word: u32) -> String {
    per_word("@group(0) @binding(2) var<storage, read_write> _out: array<u32>;", words, &format!("_out[i] = {word}u;"))
}

/// Several values at once: of each the size in words, the largest first, and what every word of it becomes.
pub(crate) fn clear(values: &[(u64, u32)]) -> String {
    let most = values.first().map_or(0, |(words, _)| *words);
    let buffer = |k: usize| format!("@group(0) @binding({}) var<storage, read_write> _out{k}: array<u32>;\n", k + 2);
    let set = |(k, (words, word)): (usize, &(u64, u32))| match *words < most {
        true => format!("if (i < {words}u) {{ _out{k}[i] = {word}u; }}"),
        false => format!("_out{k}[i] = {word}u;"),
    };
    let declarations: String = (0..values.len()).map(buffer).collect();
    let body: Vec<String> = values.iter().enumerate().map(set).collect();
    per_word(&declarations, most, &body.join(" "))
}

pub(crate) fn copy(words: u64) -> String {
    let declarations = "@group(0) @binding(2) var<storage, read> _in: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> _out: array<u32>;";
    per_word(declarations, words, "_out[i] = _in[i];")
}

/// Elements that lie in memory in one way to where they lie in the other; two an invocation where they share a word.
pub(crate) fn convert_precision(elements: u64, from: Layout, to: Layout, dithered: bool) -> String {
    let frame = match dithered {
        true => format!("{FRAME_STRUCT}\n@group(0) @binding(0) var<uniform> frame: Frame;\n{PCG}\n{HALF}\n{HALVES}\n"),
        false => String::new(),
    };
    let declarations = format!(
        "{frame}@group(0) @binding(2) var<storage, read> _in: {};\n\
         @group(0) @binding(3) var<storage, read_write> _out: {};",
        from.buffer(),
        to.buffer()
    );
    let left = |number: &str, element: &str| if dithered { to.dithered(number, element) } else { number.into() };
    if to.pairs() {
        let (even, odd) = (from.load("_in", "2u * i"), from.load("_in", "2u * i + 1u"));
        let (even, odd) = (left(&even, "2u * i"), left(&odd, "2u * i + 1u"));
        return per_word(&declarations, elements.div_ceil(2), &to.store_pair("_out", "2u * i", &even, &odd));
    }
    if to.value.is_array() {
        let load = from.load_numbers("_in", "i", elements);
        let store = to.store_numbers("_out", "i", "v", elements, dithered);
        return per_word(&declarations, elements, &format!("let v = {load}; {store}"));
    }
    let (load, store) = (from.load("_in", "i"), to.store("_out", "i", &left("v", "i")));
    per_word(&declarations, elements, &format!("let v = {load}; {store}"))
}

/// Floats to fixed point or back. Integers are their own fixed point.
pub(crate) fn convert(words: u64, scalar: Scalar, bits: u32, to_fixed: bool, in_place: bool) -> String {
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

/// Floats to fixed point, with what does not fit noted as for a sum. `components`: words of a cell. The block says where its counts begin,
/// and its marks.
pub(crate) fn to_fixed_checked(words: u64, components: u32, bits: u32, in_place: bool) -> String {
    let (buffers, source) = go_on(in_place, 2);
    let alarms = if in_place { 3 } else { 4 };
    let declarations = format!(
        "struct Params {{ counts: i32, marks: i32 }}\n\
         @group(0) @binding(1) var<uniform> params: Params;\n\
         {buffers}@group(0) @binding({alarms}) var<storage, read_write> _alarms: array<atomic<u32>>;\n\
         {WRONG}"
    );
    let scale = float(f64::from(1u32 << bits));
    let body = format!(
        "let v = bitcast<f32>({source}[i]); let r = round(v * {scale}); let cell = i32(i / {components}u);\n    \
         if ((bitcast<u32>(v) & 0x7f800000u) == 0x7f800000u) {{ _wrong(params.counts, params.marks, cell, 2u, 0.0); }}\n    \
         else if (abs(r) >= 2147483648.0) {{ _wrong(params.counts, params.marks, cell, 1u, r); }}\n    \
         _out[i] = bitcast<u32>(i32(r));"
    );
    per_word(&declarations, words, &body)
}

/// The buffer that a kernel goes on from, in place or not, and the name it is read by.
fn go_on(in_place: bool, first: u32) -> (String, &'static str) {
    let buffer = |binding, access: &str, name: &str| {
        format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<u32>;\n")
    };
    match in_place {
        true => (buffer(first, "read_write", "_out"), "_out"),
        false => (format!("{}{}", buffer(first, "read", "_in"), buffer(first + 1, "read_write", "_out")), "_in"),
    }
}

/// Integers of the order of floats back to floats: those below zero have their other bits the other way round.
pub(crate) fn from_ordered(words: u64, in_place: bool) -> String {
    let (declarations, source) = go_on(in_place, 2);
    let body = format!("let v = {source}[i]; _out[i] = select(v, v ^ 0x7fffffffu, (v >> 31u) == 1u);");
    per_word(&declarations, words, &body)
}

/// The exclusive prefix sum within each block of 1024 words, and each block's sum. After Blelloch 1990; a lane takes four
/// words, so that a block needs one tree.
pub(crate) fn scan_blocks(n: u64, in_place: bool) -> String {
    let (declarations, source) = go_on(in_place, 2);
    let sums = if in_place { 3 } else { 4 };
    format!(
        "{declarations}@group(0) @binding({sums}) var<storage, read_write> _sums: array<u32>;\n\
         {SHARED_SCAN}\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let block = group.y * groups.x + group.x;\n    \
             let first = (block * {LANES}u + lane) * 4u;\n    \
             var v = vec4u(0u);\n    \
             for (var k = 0u; k < 4u; k++) {{ if (first + k < {n}u) {{ v[k] = {source}[first + k]; }} }}\n    \
             let sum = v.x + v.y + v.z + v.w;\n    \
             let before = scan(lane, sum);\n    \
             let out = vec4u(before, before + v.x, before + v.x + v.y, before + v.x + v.y + v.z);\n    \
             for (var k = 0u; k < 4u; k++) {{ if (first + k < {n}u) {{ _out[first + k] = out[k]; }} }}\n    \
             if (lane == {LANES}u - 1u && block < {blocks}u) {{ _sums[block] = before + sum; }}\n\
         }}\n",
        blocks = n.div_ceil(1024).max(1)
    )
}

/// The exclusive prefix sum over all blocks' sums, and the total behind it, by one workgroup.
pub(crate) fn scan_sums(blocks: u64, in_place: bool) -> String {
    let (declarations, source) = go_on(in_place, 2);
    format!(
        "{declarations}{SHARED_SCAN}\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(local_invocation_index) lane: u32) {{\n    \
             var carry = 0u;\n    \
             for (var base = 0u; base < {blocks}u; base += {LANES}u) {{\n        \
                 let i = base + lane;\n        \
                 var v = 0u;\n        \
                 if (i < {blocks}u) {{ v = {source}[i]; }}\n        \
                 let before = scan(lane, v);\n        \
                 if (i < {blocks}u) {{ _out[i] = carry + before; }}\n        \
                 carry += shared_sums[{LANES}u - 1u];\n        \
                 workgroupBarrier();\n    \
             }}\n    \
             if (lane == 0u) {{ _out[{blocks}u] = carry; }}\n\
         }}\n"
    )
}

/// Adds each block's start to its words, and writes the total behind them.
pub(crate) fn scan_add(n: u64, in_place: bool) -> String {
    let (declarations, source) = go_on(in_place, 3);
    let declarations = format!("@group(0) @binding(2) var<storage, read> _starts: array<u32>;\n{declarations}");
    let blocks = n.div_ceil(1024).max(1);
    let body = format!(
        "if (i == {n}u) {{ _out[i] = _starts[{blocks}u]; return; }} _out[i] = {source}[i] + _starts[i / 1024u];"
    );
    per_word(&declarations, n + 1, &body)
}

/// Adds to each block's words the sums of all blocks before it, and writes the total behind them.
pub(crate) fn scan_end(n: u64, in_place: bool) -> String {
    let (declarations, source) = go_on(in_place, 3);
    let (block_count, half) = (n.div_ceil(1024).max(1), LANES / 2);
    format!(
        "@group(0) @binding(2) var<storage, read> _sums: array<u32>;\n{declarations}\
         var<workgroup> shared_sums: array<u32, {LANES}>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {{\n    \
             let block = group.y * groups.x + group.x;\n    \
             if (block > {last}u) {{ return; }}\n    \
             let before = min(block, {block_count}u);\n    \
             var sum = 0u;\n    \
             for (var k = lane; k < before; k += {LANES}u) {{ sum += _sums[k]; }}\n    \
             shared_sums[lane] = sum;\n    \
             workgroupBarrier();\n    \
             for (var s = {half}u; s > 0u; s >>= 1u) {{\n        \
                 if (lane < s) {{ shared_sums[lane] += shared_sums[lane + s]; }}\n        \
                 workgroupBarrier();\n    \
             }}\n    \
             let start = shared_sums[0];\n    \
             for (var k = 0u; k < 4u; k++) {{\n        \
                 let i = block * 1024u + k * {LANES}u + lane;\n        \
                 if (i < {n}u) {{ _out[i] = {source}[i] + start; }}\n        \
                 if (i == {n}u) {{ _out[i] = start; if (block < {block_count}u) {{ _out[i] += _sums[block]; }} }}\n    \
             }}\n\
         }}\n",
        last = n / 1024
    )
}

/// Inclusive sums of the lanes in `shared_sums`; gives the exclusive one.
const SHARED_SCAN: &str = "var<workgroup> shared_sums: array<u32, 256>;\n\
     fn scan(lane: u32, value: u32) -> u32 {\n    \
         shared_sums[lane] = value;\n    \
         workgroupBarrier();\n    \
         for (var step = 1u; step < 256u; step <<= 1u) {\n        \
             var add = 0u;\n        \
             if (lane >= step) { add = shared_sums[lane - step]; }\n        \
             workgroupBarrier();\n        \
             shared_sums[lane] += add;\n        \
             workgroupBarrier();\n    \
         }\n    \
         return shared_sums[lane] - value;\n\
     }\n";

/// Attributes of so many words each, what is read besides, and where the attributes go.
fn elements(words: &[u32], others: &[&str]) -> String {
    let buffer = |i: usize, access: &str, name: &str, words: u32| {
        // One load for what lies in one place; an array of vectors of three would be padded.
        let ty = if matches!(words, 2 | 4) { format!("vec{words}u") } else { "u32".to_string() };
        format!("@group(0) @binding({}) var<storage, {access}> {name}: array<{ty}>;\n", i + 2)
    };
    let read = words.iter().enumerate().map(|(k, words)| buffer(k, "read", &format!("_in{k}"), *words));
    let besides = others.iter().enumerate().map(|(k, name)| buffer(words.len() + k, "read", name, 1));
    let first = words.len() + others.len();
    let out = words.iter().enumerate().map(|(k, words)| buffer(first + k, "read_write", &format!("_out{k}"), *words));
    read.chain(besides).chain(out).collect()
}

/// Attributes to move, and what says where: their buffers, and the copies of so many words each.
fn moves(words: &[u32], others: &[&str], to: &str, from: &str) -> (String, String) {
    let copy = |(k, words): (usize, &u32)| match words {
        1 | 2 | 4 => format!("_out{k}[{to}] = _in{k}[{from}];"),
        n => (0..*n).map(|i| format!("_out{k}[{n}u * {to} + {i}u] = _in{k}[{n}u * {from} + {i}u];")).collect(),
    };
    let copies: Vec<String> = words.iter().enumerate().map(copy).collect();
    (elements(words, others), copies.join(" "))
}

/// What stays moves to the place that the prefix sum says.
pub(crate) fn compact(n: u64, words: &[u32]) -> String {
    let (declarations, copies) = moves(words, &["_places"], "p", "i");
    let body = format!("let p = _places[i]; if (_places[i + 1u] > p) {{ {copies} }}");
    per_word(&declarations, n, &body)
}

/// How many are left: the total of the prefix sum. How many there ever were does not change.
pub(crate) fn compact_count(capacity: u32) -> String {
    let body = format!(
        "let n = _places[{capacity}u]; let g = (n + 255u) / 256u; _out0[0] = n; _out0[1] = _count[1]; \
         _out0[4] = min(g, 65535u); _out0[5] = (g + 65534u) / 65535u; _out0[6] = 1u;"
    );
    let declarations = "@group(0) @binding(2) var<storage, read> _count: array<u32>;\n\
         @group(0) @binding(3) var<storage, read> _places: array<u32>;\n\
         @group(0) @binding(4) var<storage, read_write> _out0: array<u32>;\n";
    per_word(declarations, 1, &body)
}

/// Each place gets the particle that the index says.
pub(crate) fn gather(n: u64, words: &[u32]) -> String {
    let (declarations, copies) = moves(words, &["_index", "_count"], "i", "j");
    let body = format!("if (i >= _count[0]) {{ return; }} let j = min(_index[i], {n}u - 1u); {copies}");
    per_word(&declarations, n, &body)
}

/// Each particle goes to the place that the index says.
pub(crate) fn scatter(n: u64, words: &[u32]) -> String {
    let (declarations, copies) = moves(words, &["_index", "_count"], "j", "i");
    let body = format!("if (i >= _count[0]) {{ return; }} let j = _index[i]; if (j < {n}u) {{ {copies} }}");
    per_word(&declarations, n, &body)
}

/// Each particle's attributes side by side.
pub(crate) fn pack(attributes: &[Layout], pack: Layout) -> String {
    let buffer = |k: usize, layout: &Layout| {
        format!("@group(0) @binding({}) var<storage, read> _in{k}: {};\n", k + 2, layout.buffer())
    };
    let declarations: String = attributes.iter().enumerate().map(|(k, layout)| buffer(k, layout)).collect();
    let (count, out) = (attributes.len() + 2, attributes.len() + 3);
    let declarations = format!(
        "{declarations}@group(0) @binding({count}) var<storage, read> _count: array<u32>;\n\
         @group(0) @binding({out}) var<storage, read_write> _out: {};\n",
        pack.buffer()
    );
    let words: Vec<(String, u32)> = attributes
        .iter()
        .enumerate()
        .map(|(k, layout)| (layout.load(&format!("_in{k}"), "i"), layout.value.components(layout.dim)))
        .collect();
    per_word_below(&declarations, "_count[0]", &format!("_out[i] = {};", packed(&words, pack)))
}

/// An element of a pack from expressions of so many components each.
pub(crate) fn packed(parts: &[(String, u32)], pack: Layout) -> String {
    let all = pack.numbers();
    let used: u32 = parts.iter().map(|(_, words)| words).sum();
    let components = parts.iter().map(|(part, _)| part.clone());
    let rest = (used..all).map(|_| "0.0".to_string());
    format!("vec{all}f({})", components.chain(rest).collect::<Vec<_>>().join(", "))
}

/// One workgroup joins the partial results of all.
///
/// `blocks`: of partial results along a list of blocks, how many each has, and the word of the table behind them with the number of blocks.
pub(crate) fn reduce(
    count: u64,
    (kind, value): (Reduction, ValueType),
    dim: u32,
    blocks: Option<(u32, u32)>,
) -> String {
    let table = blocks.map_or("", |_| "@group(0) @binding(3) var<storage, read> _table: array<u32>;\n");
    let out_binding = if blocks.is_some() { 4 } else { 3 };
    let count = match blocks {
        Some((each, word)) => format!("min({count}u, {each}u * _table[{word}])"),
        None => format!("{count}u"),
    };
    let ty = value.wgsl(dim);
    let (start, join) = (neutral(kind, value.scalar()), joined(kind, "a", "b"));
    let tree = tree("_shared", kind);
    let n = value.components(dim);
    let out = match n {
        3 => "_out[0] = _shared[0].x; _out[1] = _shared[0].y; _out[2] = _shared[0].z;",
        _ => "_out[0] = _shared[0];",
    };
    let storage = storage_type(value, dim);
    format!(
        "@group(0) @binding(2) var<storage, read> _in: array<{ty}>;\n{table}\
         @group(0) @binding({out_binding}) var<storage, read_write> _out: {storage};\n\
         var<workgroup> _shared: array<{ty}, {LANES}>;\n\
         @compute @workgroup_size({LANES})\n\
         fn _main(@builtin(local_invocation_index) _lane: u32) {{\n    \
             var a = {ty}({start});\n    \
             let count = {count};\n    \
             for (var i = _lane; i < count; i += {LANES}u) {{ let b = _in[i]; a = {join}; }}\n    \
             _shared[_lane] = a;\n    \
             {tree}\n    \
             if (_lane == 0u) {{ {out} }}\n\
         }}\n"
    )
}

/// Linear RGBA to sRGB bytes: interpolated where the picture is larger than the grid, averaged where it is smaller. The
/// grid's y axis points up, a picture's first row is its top. A picture of another shape shows the whole grid between black bars.
pub(crate) fn present(domain: &Domain, image: Layout, width: u32, height: u32) -> String {
    let [x, y, _] = domain.resolution;
    let cells_a_pixel = (f64::from(x) / f64::from(width)).max(f64::from(y) / f64::from(height));
    let [across, up] = image_scale([x, y], [width, height]);
    let fit = format!("vec2f({}, {})", float(across), float(up));
    let taps = cells_a_pixel.ceil().clamp(1.0, 8.0) as u32;
    let (cell, buffer) = (image.load("_image", &format!("c.y * {x} + c.x")), image.buffer());
    format!(
        "@group(0) @binding(2) var<storage, read> _image: {buffer};\n\
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
