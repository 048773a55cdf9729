// Particles as discs of some pixels: the nearest of each pixel, and of equally near ones the first, so that the image does
// not depend on the order in which threads run.

const MOST_RADIUS = 3.0;
const NEAR = 1e-4;
const SAME = 4u; // units in the last place that two kernels may round a depth apart

// Pixels from the lower left, and depth [m]. In 2D all are equally deep. Nothing is at a depth below NEAR.
fn project(index: u32) -> vec3f {
    var place = vec3f();
    for (var k = 0u; k < params.dim; k++) { place[k] = bitcast<f32>(places[index * params.place_stride + k]); }
    if !is_finite(place.x) || !is_finite(place.y) || !is_finite(place.z) { return vec3f(-1.0); }
    if params.dim == 2u {
        return vec3f(place.xy / (vec2f(params.resolution.xy) * params.cell_size) * vec2f(params.size), 1.0);
    }
    let away = place - params.eye.xyz;
    let depth = dot(away, params.forward.xyz);
    if depth < NEAR { return vec3f(-1.0); }
    let point = vec2f(dot(away, params.right.xyz), dot(away, params.up.xyz)) / (params.right.w * depth);
    return vec3f(0.5 * (point * f32(params.size.y) + vec2f(params.size)), depth);
}

// Few particles are drawn large, many as single pixels.
fn radius() -> f32 {
    let room = f32(params.size.x * params.size.y) / f32(max(count(), 1u));
    return floor(min(0.25 * sqrt(room), MOST_RADIUS));
}

@compute @workgroup_size(256)
fn clear_points(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var i = group.x * 256u + lane; i < params.size.x * params.size.y; i += groups.x * 256u) {
        atomicStore(&depths[i], NONE);
        atomicStore(&winners[i], NONE);
    }
}

fn cover(index: u32, claim: bool) {
    let at = project(index);
    if at.z < NEAR || any(at.xy < vec2f(-MOST_RADIUS)) || any(at.xy > vec2f(params.size) + MOST_RADIUS) { return; }
    // Depths are positive, and so in the order of their bits.
    let depth = bitcast<u32>(at.z);
    let reach = i32(radius());
    for (var j = -reach; j <= reach; j++) {
        for (var i = -reach; i <= reach; i++) {
            let pixel = vec2i(floor(at.xy)) + vec2i(i, j);
            if i * i + j * j > reach * reach + reach || any(pixel < vec2i(0)) || any(pixel >= vec2i(params.size)) { continue; }
            let word = (params.size.y - 1u - u32(pixel.y)) * params.size.x + u32(pixel.x);
            if !claim {
                atomicMin(&depths[word], depth);
            } else if depth <= atomicLoad(&depths[word]) + SAME {
                atomicMin(&winners[word], index);
            }
        }
    }
}

@compute @workgroup_size(256)
fn find_depths(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var i = group.x * 256u + lane; i < count(); i += groups.x * 256u) { cover(i, false); }
}

@compute @workgroup_size(256)
fn find_winners(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
    for (var i = group.x * 256u + lane; i < count(); i += groups.x * 256u) { cover(i, true); }
}
