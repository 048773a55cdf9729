//! Compression Check
//! Checks that a conservative step is short enough: the least volume that a cell can have between its sweeps,
//! 1 - sum over axes of dt (u_upper - u_lower) / h  where that is an outflow. A uniform flow may move any number of cells.
//! Source: Leonard, Lock and MacVean, Mon. Weather Rev. 124, 1996 (deformational Courant number).
//!
//! @in    velocity: FaceGrid                             Flow on the faces [m/s]
//! @out   smallest: f32, reduce min, expect 0.05..1      Least volume of a cell between sweeps, in its own. Below 0.05 new extrema may arise (sums are kept): use more substeps
//! @param substeps: i32 = 1, 1..                         Steps per frame

fn stage(cell: Cell) -> f32 {
    var volume = 1.0;
    for (var axis = 0; axis < DIM; axis++) {
        volume -= max(velocity_face(cell, 2 * axis + 1) - velocity_face(cell, 2 * axis), 0.0) * frame.dt / (f32(params.substeps) * CELL_SIZE);
    }
    return volume;
}
