//! Pressure (variable density, Jacobi)
//! One Jacobi sweep of  div(w grad p) = div(u):  p = (w_l p_l + w_r p_r + w_t p_t + w_b p_b - div(u) h^2) / (w_l + w_r + w_t + w_b).
//! Faces of weight 0 are walls. Also solves the correction of fractions, with their shortfall as the divergence.
//! Source: saharan, oil clock article, 2016, step 4; Harris, GPU Gems ch. 38.
//!
//! @iterations 60
//! @in    divergence: Grid<f32>, balanced     Outflow per volume [1/s]
//! @in    weight: FaceGrid                    Inverse mass on each face, 0 on walls [m^3/kg]
//! @inout pressure: Grid<f32> = 0, radius 1, open zero   Pressure x dt, refined by each sweep [Pa s]
//! @param relaxation: f32 = 1, 0..1         Weight of the new value

fn stage(cell: Cell) -> f32 {
    var sum = -divergence(cell) * CELL_SIZE * CELL_SIZE;
    var total = 0.0;
    for (var face = 0; face < FACES; face++) {
        let w = weight_face(cell, face);
        sum += w * pressure(neighbor(cell, face));
        total += w;
    }
    if total == 0.0 { return 0.0; }
    return mix(pressure(cell), sum / total, params.relaxation);
}
