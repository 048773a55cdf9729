//! Advect Faces
//! Self-advection of the flow: each face takes its component from where the flow came from,  u(x) = u_old(x - dt u(x - dt u / 2)).
//! Another field on faces is carried likewise. The lookup is linear, which smooths like a viscosity of about h |u| / 4.
//! A path back ends where it meets a wall.
//! Source: Stam, SIGGRAPH 1999 (semi-Lagrangian); Bridson, Fluid Simulation for Computer Graphics, ch. 3 (midpoint path).
//!
//! @in    velocity: FaceGrid                    Flow on the faces [m/s]
//! @in    field: FaceGrid = 0                   What the flow carries; unless wired, the flow itself [m/s]
//! @in    open: Grid<f32> = 1                   1 in cells that fluid can fill, 0 in walls
//! @out   result: FaceGrid, like velocity       The flow one step later [m/s]
//! @param step: f32 = 1, 0..1                   Part of the time step

const LONGEST = 256; // cells that a path back crosses

fn stage(cell: Cell) -> Vec {
    let dt = params.step * frame.dt;
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        if inflow_face(cell, axis) { faces[axis] = given(cell)[axis]; }
        if wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5 { continue; }
        let here = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        let half_way = here - 0.5 * dt * velocity_at(here);
        faces[axis] = carried(before_walls(cell, axis, here, here - dt * velocity_at(half_way)))[axis];
    }
    return faces;
}

// The end of a way from a face, which stops at the first wall that it meets on the way from cell to cell (Amanatides and Woo 1987).
fn before_walls(cell: Cell, axis: i32, start: Vec, end: Vec) -> Vec {
    if !open_wired { return end; }
    let way = (end - start) / CELL_SIZE;
    var here = cell - unit(axis) * select(0, 1, way[axis] < 0.0);
    // The parts of the way after which it comes to the next face along each axis.
    var next = Vec();
    for (var i = 0; i < DIM; i++) { next[i] = select(0.5, 1.0, i == axis) / max(abs(way[i]), 1e-20); }
    var part = 0.0;
    for (var i = 0; i < LONGEST; i++) {
        var first = 0;
        for (var other = 1; other < DIM; other++) { if next[other] < next[first] { first = other; } }
        part = next[first];
        if part >= 1.0 { return end; }
        here += unit(first) * select(-1, 1, way[first] > 0.0);
        if open(here) < 0.5 { break; }
        next[first] += 1.0 / max(abs(way[first]), 1e-20);
    }
    return start + part * (end - start);
}

fn given(cell: Cell) -> Vec {
    if field_wired { return field(cell); }
    return velocity(cell);
}

fn carried(place: Vec) -> Vec {
    if field_wired { return field_at(place); }
    return velocity_at(place);
}
