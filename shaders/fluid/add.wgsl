//! Add
//! Adds one field to another over time:  q += dt scale source.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999 (add forces); Unity Graphics Programming ch. 4 (AddSourceVelocity).
//!
//! @inout field: Grid<F> = 0              The field that grows
//! @in    source: Grid<F> = 0             Rate of addition: a force per mass, an inflow
//! @param scale: f32 = 1, soft -10..10    Factor on the source

fn stage(cell: Cell) -> F {
    return field(cell) + source(cell) * (params.scale * frame.dt);
}
