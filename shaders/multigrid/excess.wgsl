//! Excess
//! Sum of a divergence over open cells, and whether an open border determines the pressure. What flows into a
//! closed or periodic box must flow out, or no pressure can remove the divergence.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 7 (Neumann boundary conditions).
//!
//! @in  divergence: Grid<f32>           Outflow per volume [1/s]
//! @in  weight: FaceGrid = 1            Inverse mass on each face, 0 on walls
//! @out excess: vec4f, reduce sum       Sum of the divergence [1/s], open cells, weights of open borders, sum of magnitudes [1/s]
//! @use shared/face_weights

fn stage(cell: Cell) -> vec4f {
    let own = divergence(cell);
    return select(vec4f(0.0), vec4f(own, 1.0, open_weight(cell), abs(own)), total_weight(cell) > 0.0);
}
