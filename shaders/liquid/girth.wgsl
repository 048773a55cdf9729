//! Vessel Girth
//! Radius of a vessel of revolution around the domain's centre, by row: a sphere trace from the axis outwards finds the
//! wall. With its slope along y, this gives the vessel a round front, although the solver is 2D.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996.
//!
//! @in    vessel: Field<f32>              Signed distance to the vessel, negative inside [m]
//! @in    open: Grid<f32> = 1             Any grid of the solver, for its rows; otherwise the node's `on` is used
//! @out   girth: Grid<vec2f>, like open   Radius [m] in this row, and its slope along y

fn stage(cell: Cell) -> vec2f {
    let here = position(cell);
    let ahead = 0.75 * CELL_SIZE;
    return vec2f(radius(here, 0.0), (radius(here, ahead) - radius(here, -ahead)) / (2.0 * ahead));
}

fn radius(here: Vec, ahead: f32) -> f32 {
    var point = here;
    point.x = 0.5 * SIZE.x;
    point.y += ahead;
    // Rows beyond an end, and so near to it that the trace would creep, have the radius of the end.
    point.y -= sign(point.y - 0.5 * SIZE.y) * max(vessel(point) + 1.5 * CELL_SIZE, 0.0);
    for (var k = 0; k < 64; k++) {
        let free = -vessel(point);
        if free < 1e-3 * CELL_SIZE { break; }
        point.x += free;
    }
    return point.x - 0.5 * SIZE.x;
}
