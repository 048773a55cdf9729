//! PLIC: Sweep
//! Advects both fluids along one axis. Through each face passes the content of the donor cell's slab that the flow carries: of f what the
//! plane cuts from it, of g the rest, neither more than the cell has. All amounts are integer multiples of 2^-23 that both cells of a face
//! compute equally, so no volume is lost as long as no cell holds more than two volumes of a fluid: then sums of them are exact in f32. Courant
//! numbers up to 1/2 keep to that.
//! Source: Youngs, Numerical Methods for Fluid Dynamics, 1982; Weymouth and Yue, J. Comput. Phys. 229, 2010.
//!
//! @in    fractions: Grid<vec2f>                  Volume fractions V_f and V_g
//! @in    plane: Grid<vec4f>                      Plane that divides each cell: normal out of f, and constant
//! @in    flow: FaceGrid                          Volume through each face in a step [cells]
//! @out   result: Grid<vec2f>, like fractions     Fractions after this sweep
//! @param sweep: i32 = 0, 0..2                    Number of the sweep. The axis of the first one changes from step to step
//! @use shared/plic

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
