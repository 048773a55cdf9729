// A wire in memory, and what is shown of it.
//
// Everything is read as words, so one text serves every type. An element is a cell, a particle, or a number alone; what is
// shown of it is one scalar, as the bits of an f32: compilers may assume that NaN does not occur, of bits they may not.

const GRID = 0u;
const FACES = 1u;
const STARTS = 2u; // first entries of a neighbour grid; what is shown is how many there are
const COMPONENT = 0u;
const MAGNITUDE = 1u;
const DIRECTION = 2u;
const COLOR = 3u;
const NONE = 0xffffffffu;
const HALF = 3u; // f32 stored as f16, two a word

struct Params {
    resolution: vec3u,
    kind: u32,
    size: vec2u, // of the image [pixels]
    view: u32,
    axis: u32,
    elements: u32,
    live: u32, // whether the count says how many of them there are
    stride: u32, // numbers of an element that lie side by side
    components: u32,
    scalar: u32,
    dim: u32,
    layer: u32,
    place_stride: u32,
    show: u32,
    component: u32,
    map: i32,
    given: u32, // whether `low` and `high` are to be used
    low: f32,
    high: f32,
    zero: u32, // 0, which the compiler can't know
    asked: u32,
    pointer: vec2f, // 0..1 from the lower left
    cell_size: f32,
    signed_map: u32,
    plane: u32, // numbers from those to its next ones
    right: vec4f, // fourth: tangent of half the vertical angle of view
    up: vec4f, // fourth: slices that a cell is cut into along x
    forward: vec4f,
    eye: vec4f,
    edges: array<vec4f, 12>, // of the domain's box, from .xy to .zw [pixels from the lower left]
}

struct Found {
    least: atomic<u32>, // key, turned round so that zero is where a maximum starts
    most: atomic<u32>,
    finite: atomic<u32>,
    nans: atomic<u32>,
    infinite: atomic<u32>,
    count: u32,
    low: f32, // range of the colours
    high: f32,
    inverse: f32, // power of two that brings every value below 4
    edges: array<f32, 65>,
    bins: array<atomic<u32>, 64>,
    picked: u32,
    place: array<u32, 3>,
    words: array<u32, 64>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> living: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: Found;
@group(0) @binding(5) var<storage, read_write> sums: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> depths: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> winners: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> pixels: array<u32>;

fn count() -> u32 {
    if params.live == 0u { return params.elements; }
    return min(living[0], params.elements);
}

fn number(word: u32) -> f32 {
    switch params.scalar {
        case 1u { return f32(bitcast<i32>(word)); }
        case 2u { return f32(word); }
        default { return bitcast<f32>(word); }
    }
}

// The bits of a number of an element, whose numbers lie one behind the other, or plane by plane.
fn part(index: u32, k: u32) -> u32 {
    let at = k / params.stride * params.plane + index * params.stride + k % params.stride;
    if params.scalar != HALF { return values[at]; }
    return bitcast<u32>(unpack2x16float(values[at >> 1u] >> ((at & 1u) << 4u)).x);
}

fn index_of(cell: vec3u) -> u32 {
    return (cell.z * params.resolution.y + cell.y) * params.resolution.x + cell.x;
}

fn cell_of(index: u32) -> vec3u {
    let row = index / params.resolution.x;
    return vec3u(index % params.resolution.x, row % params.resolution.y, row / params.resolution.y);
}

// Word of a face component: the lower face of a cell, or with `upper` the one across. Faces are stored a layer wider.
fn face_word(cell: vec3u, axis: u32, upper: u32) -> u32 {
    var at = cell;
    at[axis] += upper;
    let wide = params.resolution.xy + 1u;
    return ((at.z * wide.y + at.y) * wide.x + at.x) * params.dim + axis;
}

fn element(index: u32) -> vec4f {
    var value = vec4f();
    if params.kind == STARTS {
        value.x = f32(values[(index + 1u) * params.stride] - values[index * params.stride]);
    } else if params.kind == FACES {
        let cell = cell_of(index);
        for (var axis = 0u; axis < params.dim; axis++) {
            let lower = bitcast<f32>(values[face_word(cell, axis, 0u)]);
            value[axis] = 0.5 * (lower + bitcast<f32>(values[face_word(cell, axis, 1u)]));
        }
    } else {
        // Of more than four numbers, the one that is shown stands first.
        let first = select(0u, params.component, params.show == COMPONENT && params.components > 4u);
        for (var k = 0u; k < min(params.components - first, 4u); k++) { value[k] = number(part(index, first + k)); }
    }
    return value;
}

fn is_nan(bits: u32) -> bool { return (bits & 0x7fffffffu) > 0x7f800000u; }
fn is_infinite(bits: u32) -> bool { return (bits & 0x7fffffffu) == 0x7f800000u; }

// Bits of what is shown of an element.
fn shown(value: vec4f) -> u32 {
    if params.show == COMPONENT { return bitcast<u32>(value[select(params.component, 0u, params.components > 4u)]); }
    let bits = bitcast<vec4u>(value);
    if is_nan(bits.x) || is_nan(bits.y) || is_nan(bits.z) || is_nan(bits.w) { return 0x7fc00000u; }
    if is_infinite(bits.x) || is_infinite(bits.y) || is_infinite(bits.z) || is_infinite(bits.w) { return 0x7f800000u; }
    if params.show == COLOR { return bitcast<u32>(dot(value.rgb, vec3f(0.2126, 0.7152, 0.0722))); }
    // Squares of numbers beyond 1e19 would overflow, and below 1e-19 vanish.
    let most = max(max(abs(value.x), abs(value.y)), max(abs(value.z), abs(value.w)));
    if most > 1e-18 && most < 1e18 { return bitcast<u32>(length(value)); }
    if most == 0.0 { return 0u; }
    return bitcast<u32>(min(most * length(value / most), 3.4028234e38));
}

// Integers of the order of floats.
fn key(bits: u32) -> u32 { return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u); }
fn from_key(k: u32) -> f32 { return bitcast<f32>(select(~k, k & 0x7fffffffu, (k >> 31u) == 1u)); }
