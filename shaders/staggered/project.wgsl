//! Project (staggered)
//! Subtracts the pressure gradient on each face:  u_f -= (p(cell) - p(cell - e)) / h;  0 on closed borders; an inflow is kept.
//! With a converged pressure the staggered divergence is zero up to rounding. Faces that an obstacle covers take its velocity.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965; Bridson, Fluid Simulation for Computer Graphics, ch. 5.
//!
//! @inout velocity: FaceGrid = 0     Flow on the faces [m/s]
//! @in    pressure: Grid<f32>, open zero        Pressure x dt / density [m^2/s]
//! @in    fraction: FaceGrid = 1     Open part of each face (see Obstacle)
//! @in    motion: FaceGrid = 0, velocity of fraction  Velocity of the obstacles [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if inflow_face(cell, axis) { continue; }
        let projected = faces[axis] - (pressure(cell) - pressure(cell - unit(axis))) / CELL_SIZE;
        faces[axis] = select(projected, 0.0, wall_face(cell, axis));
        if fraction_wired && fraction(cell)[axis] == 0.0 { faces[axis] = motion(cell)[axis]; }
    }
    return faces;
}
