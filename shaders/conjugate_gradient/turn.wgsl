//! Turn
//! The next direction, conjugate to those before:  d = z + b d,  b = (-r z) after the step / before it.
//! Source: Shewchuk, An Introduction to the Conjugate Gradient Method Without the Agonizing Pain, 1994, B3 (Fletcher and Reeves).
//!
//! @inout direction: Grid<f32>        d
//! @in    residual: Grid<f32>         Divergence that the pressure does not remove [1/s]
//! @in    weight: FaceGrid = 1        Inverse mass on each face, 0 on walls
//! @in    before: vec4f               Measures before the step
//! @in    after: vec4f                Measures after it

fn stage(cell: Cell) -> f32 {
    var total = 0.0;
    for (var face = 0; face < FACES; face++) { total += weight_face(cell, face); }
    if total == 0.0 { return 0.0; }
    let turn = select(0.0, after().x / max(before().x, 1e-37), before().x > 1e-37);
    return turn * direction(cell) - residual(cell) * CELL_SIZE * CELL_SIZE / total;
}
