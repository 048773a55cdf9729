//! Transform Image
//! Scales and rotates an image, or any grid, in the xy plane about `pivot`, then shifts it, by linear interpolation. Offset and pivot are fractions of its
//! size. Blur an image before it is made much smaller.
//! Keywords: translate, move, rotate, scale, tile, repeat, mirror, flip
//! Source: none, linear interpolation.
//!
//! @in    image: Grid<F>                                         The image, or any grid
//! @out   result: Grid<F>, like image                            The moved image
//! @param outside: i32 = 0, 0..3                                 0 nothing, 1 hold, 2 repeat (tile), 3 mirror. What surrounds the image
//! @param offset: vec2f = (0, 0), soft -1..1                     Shift
//! @param angle: f32 = 0, soft -180..180                         Angle, counter-clockwise [degrees]
//! @param scale: vec2f = (1, 1), soft 0.1..4                     Magnification along the image's own axes; a negative one mirrors
//! @param pivot: vec2f = (0.5, 0.5), soft 0..1, handle position  Point that scale and rotation leave in place

fn stage(cell: Cell) -> F {
    let away = position(cell).xy - (params.offset + params.pivot) * SIZE.xy;
    let c = cos(radians(params.angle));
    let s = sin(radians(params.angle));
    let scale = select(params.scale, vec2f(1e-9), params.scale == vec2f());
    let local = params.pivot * SIZE.xy + vec2f(c * away.x + s * away.y, c * away.y - s * away.x) / scale;
    if params.outside == 0 && (any(local < vec2f()) || any(local > SIZE.xy)) { return F(); }
    let point = local / CELL_SIZE - 0.5;
    let lowest = floor(point);
    let t = point - lowest;
    var sum = F();
    for (var corner = 0; corner < 4; corner++) {
        let side = vec2f(f32(corner & 1), f32(corner >> 1u));
        let weight = mix(1.0 - t, t, side);
        var near = cell;
        near.x = shown(lowest.x + side.x, RESOLUTION.x);
        near.y = shown(lowest.y + side.y, RESOLUTION.y);
        sum += image(near) * (weight.x * weight.y);
    }
    return sum;
}

// The column or row that is shown at an index outside; whole numbers in floats, since remainders of negative ones differ.
fn shown(index: f32, count: i32) -> i32 {
    let n = f32(count);
    if params.outside < 2 { return i32(clamp(index, 0.0, n - 1.0)); }
    let period = select(n, 2.0 * n, params.outside == 3);
    let within = index - period * floor((index + 0.5) / period);
    return i32(select(within, 2.0 * n - 1.0 - within, within >= n));
}
