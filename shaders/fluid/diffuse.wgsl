//! Diffuse (implicit)
//! One Gauss-Seidel sweep of backward Euler diffusion  (I - dt diffusivity lap) q = q_before.  Stable for any step.
//! Connect the field to both inputs; 4 to 20 iterations are enough for common viscosities.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999; Unity Graphics Programming ch. 4 (DiffuseVelocity).
//!
//! @sweep checkerboard
//! @in    before: Grid<T>                              The field before diffusion, the right-hand side
//! @inout field: Grid<T> = 0, radius 1                 The diffused field, refined by each sweep
//! @param diffusivity: f32 = 0.001, 0.., soft 0..0.1   Diffusivity or kinematic viscosity [m^2/s]

fn stage(cell: Cell) -> T {
    let a = params.diffusivity * frame.dt / (CELL_SIZE * CELL_SIZE);
    var sum = T();
    for (var face = 0; face < FACES; face++) { sum += field(neighbor(cell, face)); }
    return (before(cell) + sum * a) * (1.0 / (1.0 + f32(FACES) * a));
}
