//! Step
//! Step of optimal length along a direction:  p += a d,  r -= a q,  a = (-r z) / curvature.
//! Source: Shewchuk, An Introduction to the Conjugate Gradient Method Without the Agonizing Pain, 1994, B3.
//!
//! @inout pressure: Grid<f32> = 0     Pressure x dt
//! @inout residual: Grid<f32>         Divergence that the pressure does not remove [1/s]
//! @in    direction: Grid<f32>        d
//! @in    change: Grid<f32>           q
//! @in    weight: FaceGrid = 1        Inverse mass on each face, 0 on walls
//! @in    curvature: f32              Curvature along the direction
//! @in    before: vec4f               Measures before the step
//! @in    first: vec4f = 0            Measures before the first step
//! @in    parts: u32 = 1              Closed parts of the fluid
//! @param longest: f32 = 1e30, 0..    Beside other parts a longer step is that of roundings, and none is taken
//! @out   measures: vec4f, reduce sum  Sums of: -r z, the residual [1/s], open cells, weights of open borders
//! @use shared/face_weights

fn stage(cell: Cell) -> Result {
    let total = total_weight(cell);
    if total == 0.0 { return Result(0.0, 0.0, vec4f(0.0)); }
    let before = before();
    // Beside other parts, the mean of a closed part is not known here. So steps end before its roundings count.
    let several = parts() > 1u || (parts_wired && parts() == 1u && before.w > 0.0);
    let goes_on = curvature() > 1e-37 && (!several || (before.x > 1e-10 * first().x && before.x < params.longest * curvature()));
    let way = select(0.0, before.x / max(curvature(), 1e-37), goes_on);
    // Where no border holds the pressure, what roundings add to the mean would never go, and grow on the steps to come.
    let mean = select(before.y / max(before.z, 1.0), 0.0, before.w > 0.0 || several);
    let residual = residual(cell) - way * change(cell) - mean;
    let left = residual * residual * CELL_SIZE * CELL_SIZE / total;
    return Result(pressure(cell) + way * direction(cell), residual, vec4f(left, residual, 1.0, open_weight(cell)));
}
