//! Measure
//! Size of a residual in the measure of a preconditioner,  -r z,  z what that makes of r. Step and Turn (preconditioned) need it.
//! Source: Shewchuk, An Introduction to the Conjugate Gradient Method Without the Agonizing Pain, 1994, B3.
//!
//! @in  residual: Grid<f32>             Divergence that the pressure does not remove [1/s]
//! @in  correction: Grid<f32>           Preconditioned residual z
//! @in  weight: FaceGrid = 1            Inverse mass on each face, 0 on walls
//! @out measures: vec4f, reduce sum     Sums of: -r z, the residual [1/s], open cells, weights of open borders

fn stage(cell: Cell) -> vec4f {
    var total = 0.0;
    var open = 0.0;
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        let w = weight_face(cell, face);
        total += w;
        open += select(0.0, w, open_face(cell + unit(axis) * (face & 1), axis) || !runs_in(neighbor(cell, face)));
    }
    return select(vec4f(), vec4f(-residual(cell) * correction(cell), residual(cell), 1.0, open), total > 0.0);
}
