//! PLIC: Mass Flow
//! Mass that a sweep carries through each face along its axis,  rho_f F_f + rho_g F_g,  F the volumes that PLIC: Sweep exchanges there. Carry
//! Momentum gives this mass its velocity. Faces along other axes get 0.
//! Source: Rudman, Int. J. Numer. Meth. Fluids 28, 1998; Bussmann, Kothe and Sicilian, ASME FEDSM 2002.
//!
//! @in    fractions: Grid<vec2f>                        Volume fractions before the sweep
//! @in    plane: Grid<vec4f>                            Plane that divides each cell: normal out of f, and constant
//! @in    flow: FaceGrid                                Volume through each face in a step [cells]
//! @out   mass_flow: FaceGrid, like flow                Mass through each face, positive along +axis [kg/m^3 cells]
//! @param density_f: f32 = 1200, 0.001.., soft 1..2000  Density of fluid f [kg/m^3]
//! @param density_g: f32 = 1000, 0.001.., soft 1..2000  Density of fluid g [kg/m^3]
//! @param sweep: i32 = 0, 0..2                          Number of the sweep. The axis of the first one changes from step to step
//! @use shared/plic

fn stage(cell: Cell) -> Vec {
    let axis = (i32(frame.index) + substep + params.sweep) % DIM;
    let through = flow(cell)[axis];
    let below = cell - unit(axis);
    var volumes = vec2f();
    if through < 0.0 { volumes = -slab(cell, axis, 0.0, -through, fractions(cell)); }
    if through > 0.0 {
        // As in the sweep, what leaves through the donor's lower face leaves first.
        let v = fractions(below);
        let lower = max(-flow(below)[axis], 0.0);
        volumes = slab(below, axis, 1.0 - through, through, v - slab(below, axis, 0.0, lower, v));
    }
    return Vec(unit(axis)) * dot(volumes, vec2f(params.density_f, params.density_g));
}
