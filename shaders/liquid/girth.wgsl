//! Vessel Girth
//! Radius of a vessel of revolution around the domain's centre, by row: a sphere trace from the axis outwards finds the
//! wall. With its slope along y, this gives the vessel a round front, although the solver is 2D. A vessel with things inside is traced `inward`,
//! from the border of the domain, which finds its outline.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996.
//!
//! @in    vessel: Field<f32>              Signed distance to the vessel, negative inside [m]
//! @in    open: Grid<f32> = 1             Any grid of the solver, for its rows; otherwise the node's `on` is used
//! @out   girth: Grid<vec2f>, like open   Radius [m] in this row, and its slope along y
//! @param inward: bool = false            Trace from the border of the domain to the axis

fn stage(cell: Cell) -> vec2f {
    let here = position(cell);
    let ahead = 0.75 * CELL_SIZE;
    // The row below, this one, the row above: one call, since a driver copies all of its text to each.
    var radii = vec3f();
    for (var row = 0; row < 3; row += 1) { radii[row] = radius(here, f32(row - 1) * ahead); }
    return vec2f(radii.y, (radii.z - radii.x) / (2.0 * ahead));
}

fn radius(here: Vec, ahead: f32) -> f32 {
    var point = here;
    point.x = 0.5 * SIZE.x;
    point.y += ahead;
    if params.inward != 0 { return outline(point); }
    // Rows beyond an end, and so near to it that the trace would creep, have the radius of the end.
    point.y -= sign(point.y - 0.5 * SIZE.y) * max(vessel(point) + 1.5 * CELL_SIZE, 0.0);
    for (var k = 0; k < 64; k++) {
        let free = -vessel(point);
        if free < 1e-3 * CELL_SIZE { break; }
        point.x += free;
    }
    return point.x - 0.5 * SIZE.x;
}

fn outline(at_axis: Vec) -> f32 {
    var point = at_axis;
    // The ends, from below and from above.
    var ends = vec2f(0.0, SIZE.y);
    for (var end = 0; end < 2; end += 1) {
        var end_point = at_axis;
        end_point.y = ends[end];
        for (var k = 0; k < 64; k++) { end_point.y += f32(1 - 2 * end) * max(vessel(end_point), 0.0); }
        ends[end] = end_point.y;
    }
    let inset = min(1.5 * CELL_SIZE, 0.5 * max(ends.y - ends.x, 0.0));
    point.y = clamp(point.y, ends.x + inset, max(ends.y, ends.x) - inset);
    point.x = SIZE.x;
    for (var k = 0; k < 64; k++) {
        let left = vessel(point);
        if left < 1e-3 * CELL_SIZE || point.x <= 0.5 * SIZE.x { break; }
        point.x -= left;
    }
    return max(point.x - 0.5 * SIZE.x, 0.0);
}
