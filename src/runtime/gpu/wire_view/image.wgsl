// The image of a view: which element each pixel shows, and its colour. The maps are those of the stage view/color_map,
// whose text stands behind this one; what it takes from its generated surroundings is below.

const MAXIMUM = 1u;
const ORBIT = 2u;
const POINTS = 3u;

alias Cell = vec2i;
fn field(cell: Cell) -> f32 { return f32(cell.x); }

// The axes to the right and upwards in an image along `axis`: z shows x and y, y shows x and z, x shows z and y.
fn across() -> vec2u { return select(vec2u(select(0u, 2u, params.axis == 0u), 1u), vec2u(0u, 2u), params.axis == 1u); }

// What a pixel shows; NONE where there is nothing. Rows count from the top.
fn seen(pixel: vec2u) -> u32 {
    switch params.view {
        case ORBIT { return along_ray(pixel); }
        case POINTS { return nearest(pixel); }
        case MAXIMUM { return along_axis(pixel); }
        default { return in_layer(pixel); }
    }
}

fn nearest(pixel: vec2u) -> u32 { return atomicLoad(&winners[pixel.y * params.size.x + pixel.x]); }

// The cell of a pixel in the layer of a slice.
fn cell_below(pixel: vec2u) -> vec3u {
    let axes = across();
    let extent = vec2u(params.resolution[axes.x], params.resolution[axes.y]);
    let upwards = vec2u(pixel.x, params.size.y - 1u - pixel.y);
    let at = (2u * upwards + 1u) * extent / (2u * params.size);
    var cell = vec3u(0u);
    cell[axes.x] = at.x;
    cell[axes.y] = at.y;
    cell[params.axis] = params.layer;
    return cell;
}

fn in_layer(pixel: vec2u) -> u32 {
    let index = index_of(cell_below(pixel));
    return select(NONE, index, index < count());
}

fn along_axis(pixel: vec2u) -> u32 {
    var cell = cell_below(pixel);
    var best = NONE;
    var most = 0u;
    for (var layer = 0u; layer < params.resolution[params.axis]; layer++) {
        cell[params.axis] = layer;
        let rank = rank(index_of(cell));
        if rank > most { most = rank; best = index_of(cell); }
    }
    return best;
}

// A number that grows with what is shown, or with its distance from zero where the map has two ends. NaN hides nothing.
fn rank(index: u32) -> u32 {
    let bits = shown(element(index));
    if is_nan(bits) { return NONE; }
    if is_infinite(bits) { return NONE - 1u; }
    return key(select(bits, bits & 0x7fffffffu, params.signed_map == 1u));
}

// From the lower left [pixels] to a point of the image as cameras have it.
fn point_of(at: vec2f) -> vec2f { return (2.0 * at - vec2f(params.size)) / f32(params.size.y); }

// The cell with the greatest rank along the ray through a pixel. Samples lie half a cell apart.
fn along_ray(pixel: vec2u) -> u32 {
    let point = point_of(vec2f(f32(pixel.x) + 0.5, f32(params.size.y - pixel.y) - 0.5));
    let ray = normalize(params.forward.xyz + params.right.w * (point.x * params.right.xyz + point.y * params.up.xyz));
    let safe = select(ray, vec3f(1e-20), ray == vec3f());
    let edges = params.cell_size / vec3f(params.up.w, 1.0, 1.0);
    let box = vec3f(params.resolution) * edges;
    let a = -params.eye.xyz / safe;
    let b = (box - params.eye.xyz) / safe;
    let enters = min(a, b);
    let leaves = max(a, b);
    let first = max(max(enters.x, enters.y), max(enters.z, 0.0));
    let last = min(leaves.x, min(leaves.y, leaves.z));
    if first >= last { return NONE; }
    let samples = min(u32((last - first) / (0.5 * edges.x)) + 1u, 8192u);
    let step = (last - first) / f32(samples);
    var best = NONE;
    var most = 0u;
    for (var k = 0u; k < samples; k++) {
        let at = (params.eye.xyz + (first + (f32(k) + 0.5) * step) * ray) / edges;
        let cell = vec3u(clamp(at, vec3f(), vec3f(params.resolution) - 1.0));
        let rank = rank(index_of(cell));
        if rank > most { most = rank; best = index_of(cell); }
    }
    return best;
}

// sRGB and opacity of an element.
fn paint(index: u32) -> vec4f {
    let value = element(index);
    let bits = shown(value);
    if is_nan(bits) { return vec4f(1.0, 0.0, 1.0, 1.0); }
    if is_infinite(bits) { return vec4f(0.0, 1.0, 1.0, 1.0); }
    let span = found.high - found.low;
    let scale = 1.0 / select(span, 1e-30, span == 0.0);
    if params.show == COLOR {
        let opacity = select(1.0, clamp(value.w, 0.0, 1.0), params.components == 4u);
        return vec4f(srgb((value.rgb - found.low) * scale), opacity);
    }
    let t = clamp((bitcast<f32>(bits) - found.low) * scale, 0.0, 1.0);
    if params.show == DIRECTION { return vec4f(srgb(wheel(value.xyz, bitcast<f32>(bits), t)), 1.0); }
    return vec4f(clamp(color(t), vec3f(), vec3f(1.0)), 1.0);
}

// As the stage view/vector: hue is the direction in the xy plane, lightness the square root of the length.
fn wheel(flow: vec3f, speed: f32, t: f32) -> vec3f {
    let value = sqrt(t);
    let depth = select(0.0, flow.z / max(speed, 1e-20), params.components > 2u);
    let hue = flow.xy / max(length(flow.xy), 1e-20);
    let lightness = mix(0.04, 0.76 + 0.12 * depth, value);
    let chroma = 0.13 * value * (1.0 - 0.5 * abs(depth));
    let root = vec3f(lightness) + chroma * vec3f(
        dot(hue, vec2f(0.3963377774, 0.2158037573)),
        dot(hue, vec2f(-0.1055613458, -0.0638541728)),
        dot(hue, vec2f(-0.0894841775, -1.2914855480)),
    );
    let lms = root * root * root;
    return vec3f(
        dot(lms, vec3f(4.0767416621, -3.3077115913, 0.2309699292)),
        dot(lms, vec3f(-1.2684380046, 2.6097574011, -0.3413193965)),
        dot(lms, vec3f(-0.0041960863, -0.7034186147, 1.7076147010)),
    );
}

fn srgb(linear: vec3f) -> vec3f {
    let c = clamp(linear, vec3f(), vec3f(1.0));
    return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));
}

// What shows where nothing lies: dark, with the edges of the domain's box.
fn backdrop(pixel: vec2u) -> vec3f {
    let at = vec2f(f32(pixel.x) + 0.5, f32(params.size.y - pixel.y) - 0.5);
    var line = 0.0;
    for (var k = 0u; k < 12u; k++) {
        let a = params.edges[k].xy;
        let along = params.edges[k].zw - a;
        let long = dot(along, along);
        if long == 0.0 { continue; }
        let away = at - a - along * clamp(dot(at - a, along) / long, 0.0, 1.0);
        line = max(line, clamp(1.2 - length(away), 0.0, 1.0));
    }
    return mix(vec3f(0.06, 0.06, 0.07), vec3f(0.32, 0.33, 0.37), line);
}

fn put(pixel: vec2u, color: vec4f) { pixels[pixel.y * params.size.x + pixel.x] = pack4x8unorm(color); }

// One entry for each way of coming from pixels to elements: where lanes run in step, each pays for all that a kernel could do.
@compute @workgroup_size(16, 16)
fn show_layer(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= params.size) { return; }
    let index = in_layer(id.xy);
    var color = vec4f(0.06, 0.06, 0.07, 1.0);
    if index != NONE { color = paint(index); }
    put(id.xy, color);
}

@compute @workgroup_size(16, 16)
fn show_maximum(@builtin(global_invocation_id) id: vec3u) {
    if all(id.xy < params.size) { put(id.xy, paint(along_axis(id.xy))); }
}

@compute @workgroup_size(16, 16)
fn show_rays(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= params.size) { return; }
    let index = along_ray(id.xy);
    if index != NONE { put(id.xy, paint(index)); } else { put(id.xy, vec4f(backdrop(id.xy), 1.0)); }
}

@compute @workgroup_size(16, 16)
fn show_points(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= params.size) { return; }
    let index = nearest(id.xy);
    if index != NONE { put(id.xy, paint(index)); } else { put(id.xy, vec4f(backdrop(id.xy), 1.0)); }
}

// The element under the pointer, word for word.
@compute @workgroup_size(1)
fn pick() {
    let at = vec2u(clamp(params.pointer, vec2f(), vec2f(1.0)) * vec2f(params.size));
    let upwards = min(at, params.size - 1u);
    let index = seen(vec2u(upwards.x, params.size.y - 1u - upwards.y));
    found.picked = index;
    if index == NONE { return; }
    if params.kind == STARTS {
        found.words[0] = values[(index + 1u) * params.stride] - values[index * params.stride];
    } else if params.kind == FACES {
        for (var k = 0u; k < 2u * params.dim; k++) { found.words[k] = values[face_word(cell_of(index), k / 2u, k % 2u)]; }
    } else {
        for (var k = 0u; k < params.components; k++) { found.words[k] = part(index, k); }
    }
    if params.place_stride == 0u { return; }
    for (var k = 0u; k < params.dim; k++) { found.place[k] = places[index * params.place_stride + k]; }
}
