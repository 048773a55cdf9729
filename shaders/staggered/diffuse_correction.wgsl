//! Viscosity Correction (faces)
//! What second differences leave of viscosity, so that a step of it is of fourth order in space:  u -= step dt nu / (12 h^2) sum of the fourth differences along each axis.
//! Put it before Diffuse Faces. It is a difference of fluxes, so momentum is kept, and leaves parabolas as they are. Fluxes that would need a face at or beyond a border that is not periodic are left out.
//! Where  a = step dt nu / h^2  is above 3 / (4 DIM) it is weakened to that, so that Crank-Nicolson steps, which go as far again, stay stable.
//! Source: Fornberg, Math. Comp. 51, 1988 (fourth-order differences).
//!
//! @in    velocity: FaceGrid               Flow before [m/s]
//! @out   result: FaceGrid, like velocity  The corrected flow [m/s]
//! @param viscosity: f32 = 0.00001, 0.., soft 0..0.001     Kinematic viscosity, that of Diffuse Faces [m^2/s]
//! @param step: f32 = 1, 0..1              Part of the time step

fn stage(cell: Cell) -> Vec {
    let a = min(params.step * frame.dt * params.viscosity / (CELL_SIZE * CELL_SIZE), 0.75 / f32(DIM));
    if a == 0.0 { return velocity(cell); }
    var bend = Vec();
    for (var axis = 0; axis < DIM; axis++) { bend += third(cell, axis) - third(cell - unit(axis), axis); }
    return velocity(cell) - a / 12.0 * bend;
}

// The third difference between a cell and the next along the axis.
fn third(cell: Cell, axis: i32) -> Vec {
    // The component along the axis is known on the border itself.
    var keep = 1.0 - f32(border(cell - unit(axis), axis)) * Vec(unit(axis));
    for (var k = 0; k < 3; k++) { keep *= 1.0 - f32(border(cell + k * unit(axis), axis)); }
    return keep * (velocity(cell + 2 * unit(axis)) - velocity(cell - unit(axis)) - 3.0 * (velocity(cell + unit(axis)) - velocity(cell)));
}

fn border(cell: Cell, axis: i32) -> bool {
    return wall_face(cell, axis) || open_face(cell, axis) || inflow_face(cell, axis);
}
