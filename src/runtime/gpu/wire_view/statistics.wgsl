// Range, counts, sums and histogram of what a view shows.
// Source: exact sum of two numbers, Knuth, TAOCP vol. 2, 4.2.2; the rest is counting.

const BINS = 64u;
const LANES = 256u;

var<workgroup> tally: array<atomic<u32>, 5>;
var<workgroup> bins: array<atomic<u32>, 64>;
var<workgroup> parts: array<vec4f, 256>;

@compute @workgroup_size(256)
fn reduce(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = count();
    var least = 0u;
    var most = 0u;
    var finite = 0u;
    var nans = 0u;
    var infinite = 0u;
    for (var i = group.x * LANES + lane; i < n; i += groups.x * LANES) {
        let bits = shown(element(i));
        if is_nan(bits) {
            nans++;
        } else if is_infinite(bits) {
            infinite++;
        } else {
            finite++;
            least = max(least, ~key(bits));
            most = max(most, key(bits));
        }
    }
    atomicMax(&tally[0], least);
    atomicMax(&tally[1], most);
    atomicAdd(&tally[2], finite);
    atomicAdd(&tally[3], nans);
    atomicAdd(&tally[4], infinite);
    workgroupBarrier();
    if lane == 0u {
        atomicMax(&found.least, atomicLoad(&tally[0]));
        atomicMax(&found.most, atomicLoad(&tally[1]));
        atomicAdd(&found.finite, atomicLoad(&tally[2]));
        atomicAdd(&found.nans, atomicLoad(&tally[3]));
        atomicAdd(&found.infinite, atomicLoad(&tally[4]));
    }
}

// One workgroup: the range of the colours, and the edges of the histogram's bins.
@compute @workgroup_size(128)
fn find_range(@builtin(local_invocation_index) lane: u32) {
    var bottom = 0.0;
    var top = 0.0;
    if atomicLoad(&found.finite) > 0u {
        bottom = from_key(~atomicLoad(&found.least));
        top = from_key(atomicLoad(&found.most));
    }
    let largest = max(abs(bottom), abs(top));
    // Where all values are the same, the range begins at zero.
    if bottom == top {
        bottom = min(bottom, 0.0);
        top = max(top, 0.0);
        if bottom == top { top = 1.0; }
    }
    // Halves, for the difference of the two may be beyond the largest number.
    let part = f32(lane) / f32(BINS);
    let inner = 2.0 * (0.5 * bottom + (0.5 * top - 0.5 * bottom) * part);
    if lane <= BINS { found.edges[lane] = select(select(inner, top, lane == BINS), bottom, lane == 0u); }
    if lane != 0u { return; }
    found.count = count();
    let exponent = clamp((bitcast<u32>(largest) >> 23u) & 255u, 1u, 253u);
    found.inverse = bitcast<f32>((254u - exponent) << 23u);
    found.low = bottom;
    found.high = top;
    if params.given == 1u {
        found.low = params.low;
        found.high = params.high;
    } else if params.show == COLOR {
        found.low = 0.0;
        found.high = 1.0;
    } else if params.show == DIRECTION {
        found.low = 0.0;
    } else if params.signed_map == 1u {
        found.low = -max(abs(bottom), abs(top));
        found.high = -found.low;
    }
}

// Hidden from compilers that take (a + b) - a for b.
fn rounded(value: f32) -> f32 { return bitcast<f32>(bitcast<u32>(value) ^ params.zero); }

// A sum and what rounding took from it.
fn add(total: vec2f, value: f32) -> vec2f {
    let sum = rounded(total.x + value);
    let taken = rounded(sum - total.x);
    return vec2f(sum, total.y + ((total.x - rounded(sum - taken)) + (value - taken)));
}

fn join(a: vec4f, b: vec4f) -> vec4f {
    let sum = add(a.xy, b.x);
    let square = add(a.zw, b.z);
    return vec4f(sum.x, sum.y + b.y, square.x, square.y + b.w);
}

// Bins, and each workgroup's sum of values and of squares, all times `found.inverse` so that squares do not overflow.
@compute @workgroup_size(256)
fn spread(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
    let n = count();
    var total = vec4f();
    for (var i = group.x * LANES + lane; i < n; i += groups.x * LANES) {
        let bits = shown(element(i));
        if is_nan(bits) || is_infinite(bits) { continue; }
        let value = bitcast<f32>(bits);
        let small = value * found.inverse;
        total = vec4f(add(total.xy, small), add(total.zw, small * small));
        var bin = 0u;
        for (var step = BINS / 2u; step > 0u; step >>= 1u) {
            if value >= found.edges[bin + step] { bin += step; }
        }
        atomicAdd(&bins[bin], 1u);
    }
    parts[lane] = total;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half >>= 1u) {
        if lane < half { parts[lane] = join(parts[lane], parts[lane + half]); }
        workgroupBarrier();
    }
    if lane == 0u { sums[group.x] = parts[0]; }
    if lane < BINS { atomicAdd(&found.bins[lane], atomicLoad(&bins[lane])); }
}
