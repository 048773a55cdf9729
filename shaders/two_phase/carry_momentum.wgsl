//! Carry Momentum
//! Advects the flow along one axis by the masses that the same sweep of PLIC moves:  (m u)' = m u + sum of  F u_upwind.  A face's mass is the mean of
//! its two cells', as for the pressure, and the mass through a side of its control volume the mean of two faces'. So mass and momentum stay
//! consistent, no momentum is lost, and a heavy drop does not take its velocity from light fluid. In pure fluid u_upwind is of second order (van
//! Leer's limiter); where the density changes it is the donor's, so that no sweep makes new extrema at any density ratio.
//! Source: Rudman, Int. J. Numer. Meth. Fluids 28, 1998; Bussmann, Kothe and Sicilian, ASME FEDSM 2002; van Leer, J. Comput. Phys. 32, 1979.
//!
//! @inout velocity: FaceGrid                            Flow whose momentum is carried [m/s]
//! @in    mass_flow: FaceGrid                           Mass through each face in the sweep [kg/m^3 cells]
//! @in    before: Grid<vec2f>                           Volume fractions before the sweep
//! @in    after: Grid<vec2f>                            Volume fractions after it
//! @in    open: Grid<f32> = 1                           1 in cells that fluid can fill, 0 in walls
//! @param density_f: f32 = 1200, 0.001.., soft 1..2000  Density of fluid f [kg/m^3]
//! @param density_g: f32 = 1000, 0.001.., soft 1..2000  Density of fluid g [kg/m^3]
//! @param sweep: i32 = 0, 0..2                          Number of the sweep. The axis of the first one changes from step to step

fn stage(cell: Cell) -> Vec {
    let axis = (i32(frame.index) + substep + params.sweep) % DIM;
    var faces = velocity(cell);
    for (var d = 0; d < DIM; d++) {
        if inflow_face(cell, d) { continue; }
        let below = cell - unit(d);
        let closed = wall_face(cell, d) || open(cell) < 0.5 || open(below) < 0.5;
        let had = 0.5 * (mass(before(below)) + mass(before(cell)));
        let has = 0.5 * (mass(after(below)) + mass(after(cell)));
        let momentum = had * faces[d] + brought(cell, d, axis) - brought(cell + unit(axis), d, axis);
        faces[d] = select(select(faces[d], momentum / max(has, 1e-30), has > 0.0), 0.0, closed);
    }
    return faces;
}

// Momentum of component d that comes through the lower side, along an axis, of the control volume of a cell's lower face.
fn brought(cell: Cell, d: i32, axis: i32) -> f32 {
    let through = 0.5 * (mass_flow(cell - unit(d))[axis] + mass_flow(cell)[axis]);
    if through == 0.0 { return 0.0; }
    let forward = select(-unit(axis), unit(axis), through > 0.0);
    let donor = select(cell, cell - unit(axis), through > 0.0);
    let u = velocity(donor)[d];
    let back = u - velocity(donor - forward)[d];
    let ahead = velocity(donor + forward)[d] - u;
    let density = density_at(donor, d);
    let apart = max(abs(density_at(donor + forward, d) - density), abs(density_at(donor - forward, d) - density));
    if back * ahead <= 0.0 || apart > 0.001 * density { return through * u; }
    // Half of what lies between the middle of the control volume and that of the slab that leaves it.
    let slope = 2.0 * back * ahead / (back + ahead);
    return through * (u + 0.5 * (1.0 - abs(through) / density) * slope);
}

fn mass(v: vec2f) -> f32 {
    return dot(v, vec2f(params.density_f, params.density_g));
}

// Mass per volume of the fluids around a face: sweeps may fill cells to more or less than one for a while.
fn density_at(cell: Cell, d: i32) -> f32 {
    let v = before(cell);
    let w = before(cell - unit(d));
    return 0.5 * (mass(v) / max(v.x + v.y, 1e-6) + mass(w) / max(w.x + w.y, 1e-6));
}
