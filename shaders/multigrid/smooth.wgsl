//! Smooth (variable density)
//! One damped Jacobi sweep of  div(w grad p) = div(u). The damping changes from sweep to sweep, by the roots of a Chebyshev polynomial: four of
//! them take more than equal sweeps of every error that cells twice as wide cannot represent. Iterations are multiples of four. All cells
//! are treated alike, so sweeps before and after a correction make the cycle symmetric, which conjugate gradients need of a preconditioner.
//! Source: Adams, Brezina, Hu and Tuminaro, J. Comput. Phys. 188, 2003 (polynomial smoothers); Saad, Iterative Methods for Sparse Linear Systems, 2003, ch. 12.3.
//!
//! @in    divergence: Grid<f32>                         Outflow per volume [1/s]
//! @in    weight: FaceGrid                              Inverse mass on each face, 0 on walls [m^3/kg]
//! @inout pressure: Grid<f32> = 0, radius 1, open zero  Pressure x dt, refined by each sweep [Pa s]
//! @use shared/chebyshev

fn stage(cell: Cell) -> f32 {
    let own = pressure(cell);
    var left = -divergence(cell) * CELL_SIZE * CELL_SIZE;
    var total = 0.0;
    for (var face = 0; face < FACES; face++) {
        let w = weight_face(cell, face);
        // Differences keep the digits that a large pressure lacks.
        left += w * (pressure(neighbor(cell, face)) - own);
        total += w;
    }
    if total == 0.0 { return 0.0; }
    return own + relaxation() * left / total;
}
