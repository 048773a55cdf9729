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

// f and g in a slab of a cell, no more than is there.
fn slab(cell: Cell, axis: i32, start: f32, width: f32, there: vec2f) -> vec2f {
    if width == 0.0 { return vec2f(); }
    let cut = round(width * part(plane(cell), axis, start, width) * 1048576.0) / 1048576.0;
    let f = min(max(cut, width - there.y), min(there.x, width));
    return vec2f(f, min(width - f, there.y));
}

// Part of a slab that lies below a plane.
fn part(plane: vec4f, axis: i32, start: f32, width: f32) -> f32 {
    if all(plane.xyz == vec3f()) { return plane.w; }
    var n = plane.xyz;
    var constant = plane.w - n[axis] * start;
    n[axis] *= width;
    let length = abs(n.x) + abs(n.y) + abs(n.z);
    if length == 0.0 { return select(0.0, 1.0, constant > 0.0); }
    let mirrored = max(-n, vec3f());
    constant = (constant + mirrored.x + mirrored.y + mirrored.z) / length;
    if constant > 0.5 { return 1.0 - corner(abs(n) / length, 1.0 - constant); }
    return corner(abs(n) / length, constant);
}

// Volume that a plane cuts off the corner at zero of a unit cube, a <= 1/2, by the sizes of m's components.
fn corner(m: vec3f, a: f32) -> f32 {
    if a <= 0.0 { return 0.0; }
    let small = min(m.x, min(m.y, m.z));
    let large = max(m.x, max(m.y, m.z));
    let middle = max(min(m.x, m.y), min(max(m.x, m.y), m.z));
    if a >= small + middle { return (a - 0.5 * (small + middle)) / large; }
    let area = middle * large;
    if a < small { return a * a * a / (6.0 * small * area); }
    let past = max(vec2f(a) - vec2f(middle, large), vec2f());
    let wedge = (0.5 * a * (a - small) + small * small / 6.0) / area;
    return wedge - dot(past * past, past) / max(6.0 * small * area, 1e-20);
}
