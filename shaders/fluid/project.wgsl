//! Project
//! Subtracts the pressure gradient, central differences at cell centres:  u' = attenuation (u - grad(p)).
//! Source: Stam 1999; Harris, GPU Gems ch. 38; edom18, Unity fluid simulation (UpdateVelocity, _Attenuation), 2020.
//!
//! @inout velocity: Grid<Vec> = 0                       Flow [m/s]
//! @in    pressure: Grid<f32>, open zero                           Pressure x dt / density [m^2/s]
//! @param attenuation: f32 = 1, 0..1, soft 0.9..1       Factor on the velocity in each step; below 1 it acts as friction

fn stage(cell: Cell) -> Vec {
    var gradient = Vec();
    for (var face = 0; face < FACES; face++) { gradient += face_normal(face) * pressure(neighbor(cell, face)); }
    return params.attenuation * (velocity(cell) - gradient / (2.0 * CELL_SIZE));
}
