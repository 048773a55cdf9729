//! Advect Faces (cubic)
//! As Advect Faces, u(x) = u_old(x - dt u(x - dt u / 2)),  with a cubic through four faces along each axis instead of a line through two.
//! The limiter keeps each cubic between its two middle faces, except for what a smooth crest or trough rises beyond them: where the
//! second differences a and b on both sides agree in sign and about in size, by a quarter of 2 min(a, b) - max(a, b); a parabola rises by an eighth.
//! Source: Catmull and Rom 1974; Bridson, Fluid Simulation for Computer Graphics, ch. 3; Suresh and Huynh, J. Comput. Phys. 136, 1997
//! (limits that keep smooth extrema).
//!
//! @in    velocity: FaceGrid                    Flow on the faces [m/s]
//! @in    field: FaceGrid = 0                   What the flow carries; unless wired, the flow itself [m/s]
//! @in    open: Grid<f32> = 1                   1 in cells that fluid can fill, 0 in walls
//! @out   result: FaceGrid, like velocity       The flow one step later [m/s]
//! @param step: f32 = 1, 0..1                   Part of the time step
//! @param limiter: i32 = 1, 0..2, fixed         New extrema: 0 all, 1 only smooth ones, 2 none
//! @use shared/face_path
//! @use shared/carried_faces

fn stage(cell: Cell) -> Vec {
    let dt = params.step * frame.dt;
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        if inflow_face(cell, axis) { faces[axis] = carried_faces(cell)[axis]; }
        if wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5 { continue; }
        let here = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        let half_way = here - 0.5 * dt * velocity_at(here);
        let origin = before_walls(cell, axis, here, here - dt * velocity_at(half_way));
        faces[axis] = cubic_at(origin / CELL_SIZE - 0.5 + 0.5 * Vec(unit(axis)), axis);
    }
    return faces;
}

// A component at a place in cells, counted from its own first face.
fn cubic_at(place: Vec, axis: i32) -> f32 {
    let lowest = Cell(floor(place));
    let t = place - floor(place);
    if DIM == 2 { return plane(lowest, t, axis); }
    var planes = vec4f();
    for (var k = 0; k < 4; k++) { planes[k] = plane(lowest + (k - 1) * unit(DIM - 1), t, axis); }
    return cubic(planes, t[DIM - 1]);
}

fn plane(lowest: Cell, t: Vec, axis: i32) -> f32 {
    var rows = vec4f();
    for (var j = 0; j < 4; j++) {
        var row = vec4f();
        for (var i = 0; i < 4; i++) { row[i] = carried_faces(lowest + (i - 1) * unit(0) + (j - 1) * unit(1))[axis]; }
        rows[j] = cubic(row, t.x);
    }
    return cubic(rows, t.y);
}

// Catmull and Rom's cubic from v.y at t = 0 to v.z at t = 1.
fn cubic(v: vec4f, t: f32) -> f32 {
    let rest = 2.0 * v.x - 5.0 * v.y + 4.0 * v.z - v.w + t * (3.0 * (v.y - v.z) + v.w - v.x);
    let value = v.y + 0.5 * t * (v.z - v.x + t * rest);
    if params.limiter == 0 { return value; }
    let low = min(v.y, v.z);
    let high = max(v.y, v.z);
    if params.limiter == 2 { return clamp(value, low, high); }
    let bend = vec2f(v.x - 2.0 * v.y + v.z, v.y - 2.0 * v.z + v.w);
    let least = min(bend.x, bend.y);
    let most = max(bend.x, bend.y);
    let trough = 0.25 * max(2.0 * least - most, 0.0);
    let crest = 0.25 * max(least - 2.0 * most, 0.0);
    return clamp(value, low - trough, high + crest);
}
