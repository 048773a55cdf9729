//! Add Change to Faces
//! Gives the faces what stages did to a flow at cell centres, half to each:  u_face += (du(cell) + du(cell - e)) / 2,  du = after - before,
//! 0 on walls and closed borders; an inflow is kept. Stages for flows at centres (Buoyancy, Confine Vorticity, Stroke Force) act on a flow on faces
//! so: Face to Centre averages it, and only their change comes back, so the flow itself is not averaged twice.
//! Source: Zhu and Bridson, Animating Sand as a Fluid, SIGGRAPH 2005 (a change loses nothing on its way between two places).
//!
//! @inout velocity: FaceGrid = 0     Flow on the faces [m/s]
//! @in    before: Grid<Vec>          The flow at cell centres, as Face to Centre gives it [m/s]
//! @in    after: Grid<Vec>           What became of it [m/s]
//! @in    open: Grid<f32> = 1        1 in cells that fluid can fill, 0 in walls

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if inflow_face(cell, axis) { continue; }
        let below = cell - unit(axis);
        let change = 0.5 * (after(cell)[axis] - before(cell)[axis] + after(below)[axis] - before(below)[axis]);
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5;
        faces[axis] = select(faces[axis] + change, 0.0, closed);
    }
    return faces;
}
