//! Water Normal
//! Normals of a liquid from its smoothed depth: the gradient along each axis of the image is one of the two one-sided differences,
//! so that it does not cross an outline: the smaller one, or with `creases` the one on whose side two consecutive pixels
//! extrapolate to this one (1/depth is linear on a plane), which also keeps the sharp edges of a tank's sides.
//! Then calm water is flattened, since particles never rest completely:
//!   mask = max(clamp((|v| - slow) / (fast - slow)), clamp((height - rest_height) / lift)),  normal.xz *= mask.
//! The mask keeps moving water, and water high above the rest level. Surfaces steeper than `steep`, such as water behind glass, are kept.
//! Source: van der Laan, Green and Sainz, I3D 2009, section 3.2 (smaller difference); Wu, Accurate Normal Reconstruction from
//! Depth Buffer, 2019 (two pixels in a row); the article's step 5 (mask, with z up).
//!
//! @in    depth: Grid<f32>, edge zero              Smoothed depth along the axis of view [m]
//! @in    camera: Camera                           Viewpoint of the image
//! @in    velocity: Grid<vec3f> = 0                Velocity of the surface, smoothed; if not connected, nothing is flattened [m/s]
//! @out   normal: Grid<vec3f>, like depth          Outward unit vector in space, zero where there is nothing
//! @out   mask: Grid<f32>, like depth              Factor on the normal's horizontal part, 0..1
//! @param slow: f32 = 0.1, 0.., soft 0..2          Speed up to which water counts as calm [m/s]
//! @param fast: f32 = 0.6, 0.., soft 0..4          Speed from which normals are unchanged [m/s]
//! @param rest_height: f32 = 1000, soft 0..2       Height of the water at rest; normals above are kept [m]
//! @param lift: f32 = 0.01, 0.0001.., soft 0..0.5  Height above this level at which normals are kept completely [m]
//! @param steep: f32 = 0.5, -1..1                  Upward component of the normal below which a surface is too steep to be calm; -1 flattens all
//! @param creases: bool = true                     Use two pixels on each side instead of one

fn stage(cell: Cell) -> Result {
    let here = depth(cell);
    if here > 1e30 { return Result(vec3f(), 0.0); }
    let view = camera();
    // A point is  eye + depth q  with q along its ray; to the next pixel along an axis q changes by a constant.
    let q = view[2].xyz + view[0].w * (screen(cell).x * view[0].xyz + screen(cell).y * view[1].xyz);
    let step = view[0].w * 2.0 / f32(RESOLUTION.y);
    let x = slope(cell, unit(0));
    let y = slope(cell, unit(1));
    let along_x = x[0] * q + (here + x[1] * x[0]) * step * view[0].xyz;
    let along_y = y[0] * q + (here + y[1] * y[0]) * step * view[1].xyz;
    let across = cross(along_x, along_y);
    let normal = across * (select(1.0, -1.0, dot(across, q) > 0.0) / max(length(across), 1e-30));
    let mask = kept(cell, camera_eye(view) + here * q);
    let level = mix(1.0, mask, smoothstep(params.steep, params.steep + 0.2, normal.y));
    let softened = vec3f(normal.x * level, normal.y, normal.z * level);
    // The article's: what is calm and looks down is taken for level too.
    if level == 0.0 && normal.y < 1e-6 { return Result(vec3f(0.0, 1.0, 0.0), mask); }
    return Result(softened / max(length(softened), 1e-20), mask);
}

// Difference to a neighbour along an axis, and the side it is taken on. Where both are far off or empty, level with the picture.
fn slope(cell: Cell, axis: Cell) -> vec2f {
    let here = depth(cell);
    let before = depth(cell - axis);
    let after = depth(cell + axis);
    let back = here - before;
    let ahead = after - here;
    var off = vec2f(abs(back), abs(ahead));
    if params.creases != 0 {
        let near = 1.0 / max(vec2f(before, after), vec2f(1e-6));
        let far = 1.0 / max(vec2f(depth(cell - 2 * axis), depth(cell + 2 * axis)), vec2f(1e-6));
        off = abs(2.0 * near - far - 1.0 / here);
        // Beside a gap of one pixel no side has two in a row; the nearer of them is better than none.
        off += select(vec2f(), vec2f(1e6), abs(vec2f(back, ahead)) > vec2f(0.5 * here));
    }
    let chosen = select(vec2f(back, -1.0), vec2f(ahead, 1.0), off.y < off.x);
    return select(chosen, vec2f(), abs(chosen.x) > 0.5 * here);
}

fn kept(cell: Cell, place: vec3f) -> f32 {
    if !velocity_wired { return 1.0; }
    let moving = (length(velocity(cell)) - params.slow) / max(params.fast - params.slow, 1e-6);
    let high = (place.y - params.rest_height) / params.lift;
    return max(clamp(moving, 0.0, 1.0), clamp(high, 0.0, 1.0));
}
