//! Staggered Courant Number
//! Checks that a step is short enough for advection in fluxes: the part of a cell that the flow crosses, summed over the axes,  dt sum(|u|) / h.
//! Source: Courant, Friedrichs and Lewy 1928.
//!
//! @in    velocity: FaceGrid                      Flow on the faces [m/s]
//! @out   courant: f32, reduce max, expect 0..1   Part of a cell that the fastest flow crosses in a step. Above 1 it is carried too slowly: use shorter frames or wider cells
//! @param step: f32 = 1, 0..1                     Part of the time step

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    for (var axis = 0; axis < DIM; axis++) {
        sum += max(abs(velocity_face(cell, 2 * axis)), abs(velocity_face(cell, 2 * axis + 1)));
    }
    return sum * params.step * frame.dt / CELL_SIZE;
}
