//! MacCormack Correction (faces)
//! Second-order correction of a field on faces that Advect Faces carried:  q' = A(q) + strength (q - A_reversed(A(q))) / 2.
//! The limiter keeps it between the faces that A(q) was interpolated from, except for what a smooth crest or trough rises beyond them: where
//! all second differences along an axis agree in sign and about in size, by a quarter of 2 min - max of them; a parabola rises by an eighth.
//! Where a path meets a wall, the result of Advect Faces remains. Connect what Advect Faces reads and its result; use the same `step`.
//! Source: Selle, Fedkiw, Kim, Liu and Rossignac, J. Sci. Comput. 2008; Suresh and Huynh, J. Comput. Phys. 136, 1997 (limits that
//! keep smooth extrema).
//!
//! @in    velocity: FaceGrid                    Flow on the faces [m/s]
//! @in    field: FaceGrid = 0                   What the flow carries; unless wired, the flow itself [m/s]
//! @in    forward: FaceGrid                     The field after Advect Faces [m/s]
//! @in    open: Grid<f32> = 1                   1 in cells that fluid can fill, 0 in walls
//! @out   result: FaceGrid, like velocity       The corrected field [m/s]
//! @param step: f32 = 1, 0..1                   Part of the time step
//! @param strength: f32 = 1, 0..1               Share of the correction; 0 keeps the result of Advect Faces
//! @param limiter: i32 = 1, 0..2, fixed         New extrema: 0 all, 1 only smooth ones, 2 none
//! @use shared/space
//! @use shared/carried_faces

const LONGEST = 256; // cells that a path crosses

fn stage(cell: Cell) -> Vec {
    let dt = params.step * frame.dt;
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        if inflow_face(cell, axis) { faces[axis] = carried_faces(cell)[axis]; }
        if wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5 { continue; }
        let here = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        if meets_wall(cell, axis, here, dt) || meets_wall(cell, axis, here, -dt) {
            faces[axis] = forward(cell)[axis];
            continue;
        }
        let returned = forward_at(traced(here, dt))[axis];
        let corrected = forward(cell)[axis] + 0.5 * params.strength * (carried_faces(cell)[axis] - returned);
        faces[axis] = limited(corrected, traced(here, -dt), axis);
    }
    return faces;
}

// Where the flow takes a point within `dt`; a negative time traces back.
fn traced(start: Vec, dt: f32) -> Vec {
    return start + dt * velocity_at(start + 0.5 * dt * velocity_at(start));
}

// Whether the way from a face within `dt` meets a wall on its way from cell to cell (Amanatides and Woo 1987).
fn meets_wall(cell: Cell, axis: i32, start: Vec, dt: f32) -> bool {
    if !open_wired { return false; }
    let way = (traced(start, dt) - start) / CELL_SIZE;
    var here = cell - unit(axis) * select(0, 1, way[axis] < 0.0);
    // The parts of the way after which it comes to the next face along each axis.
    var next = Vec();
    for (var i = 0; i < DIM; i++) { next[i] = select(0.5, 1.0, i == axis) / max(abs(way[i]), 1e-20); }
    for (var i = 0; i < LONGEST; i++) {
        var first = 0;
        for (var other = 1; other < DIM; other++) { if next[other] < next[first] { first = other; } }
        if next[first] >= 1.0 { return false; }
        here += unit(first) * select(-1, 1, way[first] > 0.0);
        if open(here) < 0.5 { return true; }
        next[first] += 1.0 / max(abs(way[first]), 1e-20);
    }
    return true;
}

// Keeps a value near the faces around the place that it came from.
fn limited(value: f32, origin: Vec, axis: i32) -> f32 {
    if params.limiter == 0 { return value; }
    let lowest = Cell(floor(origin / CELL_SIZE - 0.5 + 0.5 * Vec(unit(axis))));
    var low = carried_faces(lowest)[axis];
    var high = low;
    var least = Vec(1e30);
    var most = Vec(-1e30);
    for (var corner = 0; corner < CORNERS; corner++) {
        var place = lowest;
        for (var other = 0; other < DIM; other++) { place += unit(other) * ((corner >> u32(other)) & 1); }
        let at = carried_faces(place)[axis];
        low = min(low, at);
        high = max(high, at);
        if params.limiter == 2 { continue; }
        for (var other = 0; other < DIM; other++) {
            let bend = carried_faces(place - unit(other))[axis] - 2.0 * at + carried_faces(place + unit(other))[axis];
            least[other] = min(least[other], bend);
            most[other] = max(most[other], bend);
        }
    }
    if params.limiter == 2 { return clamp(value, low, high); }
    let trough = dot(max(2.0 * least - most, Vec()), Vec(0.25));
    let crest = dot(max(least - 2.0 * most, Vec()), Vec(0.25));
    return clamp(value, low - trough, high + crest);
}
