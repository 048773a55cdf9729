//! Begin
//! Start of the conjugate gradient method: the first direction is the step of one Jacobi sweep,  d = z,  z = -r h^2 / sum(w).
//! Source: Shewchuk, An Introduction to the Conjugate Gradient Method Without the Agonizing Pain, 1994, B3.
//!
//! @in  residual: Grid<f32>             Divergence that the pressure does not remove [1/s]
//! @in  weight: FaceGrid = 1            Inverse mass on each face, 0 on walls
//! @out direction: Grid<f32>            First direction
//! @out measures: vec4f, reduce sum     Sums of: -r z, the residual [1/s], open cells, weights of open borders
//! @use shared/face_weights

fn stage(cell: Cell) -> Result {
    let total = total_weight(cell);
    if total == 0.0 { return Result(0.0, vec4f(0.0)); }
    let correction = -residual(cell) * CELL_SIZE * CELL_SIZE / total;
    return Result(correction, vec4f(-residual(cell) * correction, residual(cell), 1.0, open_weight(cell)));
}
