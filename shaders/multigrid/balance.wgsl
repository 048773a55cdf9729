//! Balance
//! Subtracts the mean from a divergence, unless an open border determines the pressure. Walls get zero.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 7 (Neumann boundary conditions).
//!
//! @in  divergence: Grid<f32>                   Outflow per volume [1/s]
//! @in  weight: FaceGrid = 1                    Inverse mass on each face, 0 on walls
//! @in  excess: vec4f                           Sum of the divergence [1/s], open cells, weights of open borders (Excess)
//! @out balanced: Grid<f32>, like divergence    The same without its mean [1/s]

fn stage(cell: Cell) -> f32 {
    var weights = 0.0;
    for (var face = 0; face < FACES; face++) { weights += weight_face(cell, face); }
    if weights == 0.0 { return 0.0; }
    let sum = excess();
    return divergence(cell) - select(sum.x / max(sum.y, 1.0), 0.0, sum.z > 0.0);
}
