//! Advect Momentum
//! One stage of a Runge-Kutta step of advection in fluxes, around bodies that cut cells:  c u' = c u_start - dt / h sum(F (u_s - u)),  with the open part c
//! of the face, the flow F through the sides of the cell around it, the mean of that through the cells' own faces, and the velocity u_s on them. u_s is the mean of
//! two faces less an eighth of the upwind second difference (QUICK, third order), without it next to closed faces. Momentum passes from face to face, so near a
//! body this is more accurate than to look up where the flow came from: such a lookup reads closed faces. It needs short steps: where more flows through a cell than it holds, as in
//! small cut cells, c is what flows, so the step is stable, but the flow there too slow. Staggered Courant Number warns of that.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965; Leonard, Comput. Methods Appl. Mech. Eng. 19, 1979 (QUICK); Kirkpatrick, Armfield and
//! Kent, J. Comput. Phys. 184, 2003 (cut cells).
//!
//! @in    velocity: FaceGrid                    Flow that carries, free of divergence [m/s]
//! @in    start: FaceGrid                       What it carries, at the start of the step [m/s]
//! @in    field: FaceGrid                       The same at this stage of the step [m/s]
//! @in    fraction: FaceGrid = 1                Open part of each face (see Obstacle)
//! @in    distance: FaceGrid = 1                Distance of each face to the obstacles, 0 or negative on those that they close [m]
//! @in    motion: FaceGrid = 0, velocity of fraction distance  Velocity of the obstacles [m/s]
//! @out   result: FaceGrid, like velocity       The carried flow after the stage [m/s]
//! @param step: f32 = 1, 0..1                   Part of the time step
//! @param part: f32 = 1, 0..1                   Part of that which this stage of the Runge-Kutta step covers

fn stage(cell: Cell) -> Vec {
    let courant = params.step * frame.dt / CELL_SIZE;
    var faces = start(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if wall_face(cell, axis) {
            if !inflow_face(cell, axis) { faces[axis] = 0.0; }
            continue;
        }
        if distance(cell)[axis] <= 0.0 { continue; }
        let here = field(cell)[axis];
        var change = 0.0;
        var passed = 0.0;
        for (var along = 0; along < DIM; along++) {
            var brought = 0.0;
            var flows = 0.0;
            for (var face = 2 * along; face <= 2 * along + 1; face++) {
                let next = neighbor(cell, face);
                let outwards = f32(2 * (face & 1) - 1);
                let flow = 0.5 * courant * outwards * through_side(cell, face, axis);
                var value = 0.5 * (here + field(next)[axis]);
                if flow > 0.0 { value -= upwind(cell, face, axis); } else { value -= upwind(next, face ^ 1, axis); }
                brought -= flow * (value - here);
                flows += abs(flow);
            }
            change += brought;
            passed += flows;
        }
        // As much flows in as out. Of the whole step, so that the stages remain those of one method.
        faces[axis] += params.part * change / max(max(fraction(cell)[axis], 0.5 * passed), 1e-6);
    }
    return faces;
}

// Twice the flow through a side of the cell around a face, along the axis of that side [m/s].
fn through_side(cell: Cell, face: i32, axis: i32) -> f32 {
    let along = face_axis(face);
    if along == axis { return through(cell, axis) + through(neighbor(cell, face), axis); }
    let side = cell + unit(along) * (face & 1);
    return through(side, along) + through(side - unit(axis), along);
}

// Flow through the lower face of a cell along an axis, as in Divergence.
fn through(cell: Cell, axis: i32) -> f32 {
    if inflow_face(cell, axis) { return velocity(cell)[axis]; }
    if wall_face(cell, axis) { return 0.0; }
    return mix(motion(cell)[axis], velocity(cell)[axis], fraction(cell)[axis]);
}

// An eighth of the second difference around the face that is upwind of a side, 0 next to closed faces.
fn upwind(cell: Cell, face: i32, axis: i32) -> f32 {
    let behind = neighbor(cell, face ^ 1);
    let ahead = neighbor(cell, face);
    if min(min(distance(behind)[axis], distance(cell)[axis]), distance(ahead)[axis]) <= 0.0 { return 0.0; }
    return 0.125 * (field(behind)[axis] - 2.0 * field(cell)[axis] + field(ahead)[axis]);
}
