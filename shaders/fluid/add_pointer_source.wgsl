//! Pointer Source
//! Adds a substance along the stroke of the pressed pointer:  dq/dt = rate w(d) source,  w = exp(-d^2 / radius^2);
//! or, with `replace`, paints the field with the source:  dq/dt = rate w(d) (source - q).
//! Only while a chosen button is down. In 3D the pointer moves on the middle plane of the domain.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999; Gaussian splat as in Harris, GPU Gems ch. 38, 2004.
//!
//! @inout field: Grid<F> = 0                         Dye, density, temperature, any field
//! @in    source: Grid<F> = 1                        What is added: one value for all cells, or an image
//! @param radius: f32 = 0.03, 0.., soft 0.005..0.2   Reach around the pointer [m]
//! @param rate: f32 = 10, 0.., soft 0..60            Amount of the source per second [1/s]
//! @param replace: bool = false                      Move the field towards the source instead of adding to it
//! @param buttons: i32 = 1, 1..7                     Active buttons, as a sum: 1 left, 2 right, 4 middle
//! @use shared/pointer_stroke

fn stage(cell: Cell) -> F {
    let before = field(cell);
    if (i32(frame.buttons) & params.buttons) == 0 { return before; }
    let distance = distance_to_stroke(position(cell)) / max(params.radius, 1e-6);
    let amount = params.rate * exp(-distance * distance) * frame.dt;
    if params.replace != 0 { return before + (source(cell) - before) * (1.0 - exp(-amount)); }
    return before + source(cell) * amount;
}
