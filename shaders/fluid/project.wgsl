//! Project
//! Subtracts the pressure gradient, central differences at cell centres:  u' = attenuation^(60 dt) (u - grad(p)).
//! Across a wall the pressure rises by what stops the flow on the wall,  dp/dn = n . (u - motion),  with u extrapolated from two
//! cells. Cells in walls take the velocity of the wall.
//! Source: Stam 1999; Harris, GPU Gems ch. 38; edom18, Unity fluid simulation (UpdateVelocity, _Attenuation), 2020;
//! Gresho and Sani, Int. J. Numer. Methods Fluids 7, 1987 (pressure on walls).
//!
//! @inout velocity: Grid<Vec> = 0                       Flow [m/s]
//! @in    pressure: Grid<f32>, open zero                Pressure x dt / density [m^2/s]
//! @in    open: Grid<f32> = 1                           1 in cells that fluid can fill, 0 in walls
//! @in    motion: Grid<Vec> = 0, velocity of open       Velocity of the walls [m/s]
//! @param attenuation: f32 = 1, 0..1, soft 0.9..1       Factor on the velocity in 1/60 s, at any number of frames per second; below 1 it acts as friction

fn stage(cell: Cell) -> Vec {
    if open_wired && open(cell) < 0.5 { return motion(cell); }
    var gradient = Vec();
    for (var face = 0; face < FACES; face++) {
        var next = pressure(neighbor(cell, face));
        if open_wired && open(neighbor(cell, face)) < 0.5 {
            var flow = velocity(cell);
            if open(neighbor(cell, face ^ 1)) > 0.5 { flow += 0.5 * (flow - velocity(neighbor(cell, face ^ 1))); }
            next = pressure(cell) + CELL_SIZE * dot(face_normal(face), flow - motion(neighbor(cell, face)));
        }
        gradient += face_normal(face) * next;
    }
    let projected = velocity(cell) - gradient / (2.0 * CELL_SIZE);
    if params.attenuation == 1.0 { return projected; }
    return pow(params.attenuation, 60.0 * frame.dt) * projected;
}
