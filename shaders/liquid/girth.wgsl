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
    return vec2f(radius(here, 0.0), (radius(here, ahead) - radius(here, -ahead)) / (2.0 * ahead));
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
    var low = at_axis;
    low.y = 0.0;
    var high = at_axis;
    high.y = SIZE.y;
    for (var k = 0; k < 64; k++) {
        low.y += max(vessel(low), 0.0);
        high.y -= max(vessel(high), 0.0);
    }
    let inset = min(1.5 * CELL_SIZE, 0.5 * max(high.y - low.y, 0.0));
    point.y = clamp(point.y, low.y + inset, max(high.y, low.y) - inset);
    point.x = SIZE.x;
    for (var k = 0; k < 64; k++) {
        let left = vessel(point);
        if left < 1e-3 * CELL_SIZE || point.x <= 0.5 * SIZE.x { break; }
        point.x -= left;
    }
    return max(point.x - 0.5 * SIZE.x, 0.0);
}
