//! PLIC: Sweep
//! Advects both fluids along one axis. Through each face passes the content of the donor cell's slab that the flow carries: of f what the
//! plane cuts from it, of g the rest, neither more than the cell has. All amounts are integer multiples of 2^-20 that both cells of a face
//! compute equally, so no volume is lost.
//! Source: Youngs, Numerical Methods for Fluid Dynamics, 1982; Weymouth and Yue, J. Comput. Phys. 229, 2010.
//!
//! @in    fractions: Grid<vec2f>                  Volume fractions V_f and V_g
//! @in    plane: Grid<vec4f>                      Plane that divides each cell: normal out of f, and constant
//! @in    flow: FaceGrid                          Volume through each face in a step [cells]
//! @out   result: Grid<vec2f>, like fractions     Fractions after this sweep
//! @param sweep: i32 = 0, 0..2                    Number of the sweep. The axis of the first one changes from step to step

fn stage(cell: Cell) -> vec2f {
    let axis = (i32(frame.index) + substep + params.sweep) % DIM;
    let here = leaving(cell, axis);
    let gained = leaving(cell - unit(axis), axis).zw + leaving(cell + unit(axis), axis).xy;
    return fractions(cell) - here.xy - here.zw + gained;
}

// f and g that leave a cell through its lower face, and through its upper one.
fn leaving(cell: Cell, axis: i32) -> vec4f {
    let v = fractions(cell);
    let lower = max(-flow_face(cell, 2 * axis), 0.0);
    let upper = max(flow_face(cell, 2 * axis + 1), 0.0);
    let down = slab(cell, axis, 0.0, lower, v);
    return vec4f(down, slab(cell, axis, 1.0 - upper, upper, v - down));
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
