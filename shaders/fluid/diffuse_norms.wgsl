//! Diffuse Norms
//! Greatest magnitudes of what is left of the equation of Diffuse,  r = q_before - (I - dt diffusivity lap) q,  and of the change  q - q_before.
//! Source: definition; Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @in    before: Grid<F>                              The field before diffusion
//! @in    field: Grid<F>                               The diffused field
//! @in    open: Grid<f32> = 1                          1 in cells that fluid can fill, 0 in walls
//! @in    motion: Grid<F> = 0, velocity of open        Velocity of the walls, as Diffuse reads it
//! @out   norms: vec2f, reduce max                     Of the residual and of the change, in the field's unit
//! @param diffusivity: f32 = 0.001, 0.., soft 0..0.1   Diffusivity or kinematic viscosity [m^2/s]
//! @param free_slip: bool = false, fixed               Walls exert no friction; of another field, let nothing through

fn stage(cell: Cell) -> vec2f {
    if open_wired && open(cell) < 0.5 { return vec2f(); }
    let a = params.diffusivity * frame.dt / (CELL_SIZE * CELL_SIZE);
    var flow = F();
    for (var face = 0; face < FACES; face++) {
        var slope = field(neighbor(cell, face)) - field(cell);
        if open_wired && open(neighbor(cell, face)) < 0.5 {
            slope = select(2.0, 0.0, params.free_slip != 0) * (motion(neighbor(cell, face)) - field(cell));
        }
        flow += slope;
    }
    let change = field(cell) - before(cell);
    return vec2f(length(a * flow - change), length(change));
}
