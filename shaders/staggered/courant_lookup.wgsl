//! Staggered Courant Number (lookups)
//! Checks that a step is short enough to look up where the flow came from: the cells that the flow crosses,  dt |u| / h.
//! Lookups are stable for any step, so more is allowed than for fluxes (see Staggered Courant Number).
//! Source: Courant, Friedrichs and Lewy 1928.
//!
//! @in    velocity: FaceGrid                      Flow on the faces [m/s]
//! @out   courant: f32, reduce max, expect 0..5   Cells that the fastest flow crosses in the step. Above 5 paths that turn are cut short, and frames per second change the motion: use more substeps or frames per second, or wider cells
//! @param step: f32 = 1, 0..1                     Part of the time step

fn stage(cell: Cell) -> f32 {
    var fastest = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        fastest[axis] = max(abs(velocity_face(cell, 2 * axis)), abs(velocity_face(cell, 2 * axis + 1)));
    }
    return length(fastest) * params.step * frame.dt / CELL_SIZE;
}
