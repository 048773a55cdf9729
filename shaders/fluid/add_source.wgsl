//! Add Source
//! Adds a substance around a point:  dq/dt = rate w(d) source,  w = exp(-d^2 / radius^2);
//! or, with `replace`, moves the field towards the source:  dq/dt = rate w(d) (source - q),  which never exceeds it.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999; Gaussian splat as in Harris, GPU Gems ch. 38, 2004.
//!
//! @inout field: Grid<F> = 0                                                 Dye, density, temperature, any field
//! @in    source: Grid<F> = 1                                                What is added: one value for all cells, or an image
//! @param center: Vec = (0.5, 0.1, 0.5), soft 0..1, handle position          Centre of the source, as a fraction of the domain along each axis
//! @param radius: f32 = 0.05, 0.., soft 0.005..0.5, handle radius of center  Reach, as a fraction of the domain's width
//! @param rate: f32 = 4, 0.., soft 0..30                                     Amount of the source per second [1/s]
//! @param replace: bool = false                                              Move the field towards the source instead of adding to it

fn stage(cell: Cell) -> F {
    let distance = length(position(cell) - params.center * SIZE) / max(params.radius * SIZE.x, 1e-6);
    let amount = params.rate * exp(-distance * distance) * frame.dt;
    let before = field(cell);
    if params.replace != 0 { return before + (source(cell) - before) * (1.0 - exp(-amount)); }
    return before + source(cell) * amount;
}
