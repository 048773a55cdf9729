//! Narrow-Range Filter
//! Smooths a depth image within a narrow range around each pixel's depth z0: a Gaussian mean in which a sample
//!   nearer than z0 - low does not count, nor does the opposite one, so that slopes are not biased;
//!   farther than z0 + high counts as z0 + drop, so that silhouettes are rounded, also against the background;
//!   in between counts unchanged and widens the range:  low = max(low, z0 - z + range),  high = max(high, z - z0 + range).
//! These rules are the paper's. Here the window has a fixed size in the image (in the paper: in the scene), and the range
//! widens ring by ring from the centre, so that the order within a ring does not matter.
//! Empty pixels (where `scatter min` wrote nothing) stay empty; next to a surface they count as farther.
//! Source: Truong and Yuksel, A Narrow-Range Filter for Screen-Space Fluid Rendering, PACM CGIT 1(1), 2018.
//!
//! @in    depth: Grid<f32>, edge clamp          Depth along the axis of view [m]
//! @out   result: Grid<f32>, like depth         The smoothed depth [m]
//! @param axis: i32 = 2, 0..2                   Window: 0 along x, 1 along y, 2 whole square (exact)
//! @param radius: i32 = 6, 0..16                Half width of the window, about 3 sigma [cells]
//! @param sigma: f32 = 2, 0.01.., soft 0.5..6   Standard deviation of the weight by distance [cells]
//! @param range: f32 = 0.1, 0.., soft 0..1      Step in depth that separates surfaces, about 10 particle radii [m]
//! @param drop: f32 = 0.01, 0.., soft 0..0.1    Depth behind a silhouette that farther samples count as; 0 keeps silhouettes sharp [m]
//! @param empty: f32 = 1e30                     Values above this are empty pixels [m]

fn stage(cell: Cell) -> f32 {
    let center = depth(cell);
    if center > params.empty { return center; }
    var sum = 0.0;
    var total = 1.0;
    var range = vec2f(-params.range, params.range); // from nearest to farthest, less z0
    for (var ring = 1; ring <= params.radius; ring++) {
        var widened = range;
        for (var i = 0; i < 4 * params.radius; i++) {
            if i >= pairs(ring) { break; }
            let offset = pair_offset(ring, i);
            let pair = vec2f(depth(in_image(cell, offset)), depth(in_image(cell, -offset))) - center;
            if min(pair.x, pair.y) < range.x { continue; }
            let far = pair > vec2f(range.y);
            let counted = select(pair, vec2f(params.drop), far);
            let weight = exp(-0.5 * f32(dot(offset, offset)) / (params.sigma * params.sigma));
            sum += weight * (counted.x + counted.y);
            total += 2.0 * weight;
            let near = select(pair, vec2f(), far);
            widened.x = min(widened.x, min(near.x, near.y) - params.range);
            widened.y = max(widened.y, max(near.x, near.y) + params.range);
        }
        range = widened;
    }
    return center + sum / total;
}

// Pairs of opposite pixels at a distance of `ring` cells, along the longer axis of their offset.
fn pairs(ring: i32) -> i32 {
    return select(4 * ring, 1, params.axis < 2);
}

// One of each pair: the right side of the ring from below, then its top.
fn pair_offset(ring: i32, i: i32) -> vec2i {
    if params.axis == 0 { return vec2i(ring, 0); }
    if params.axis == 1 { return vec2i(0, ring); }
    if i <= 2 * ring { return vec2i(ring, i - ring); }
    return vec2i(i - 3 * ring, ring);
}

fn in_image(cell: Cell, offset: vec2i) -> Cell {
    return cell + unit(0) * offset.x + unit(1) * offset.y;
}
