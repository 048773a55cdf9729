//! Exchange Fractions
//! Moves volume between cells along the correction's pressure gradient,  flow = w (p_a - p_b) / h^2  cells, in the ratio of the donor cell's
//! fluids, and no more than it has. Amounts are integer multiples of 2^-20 that both cells compute equally, so nothing is lost.
//! Source: saharan, oil clock article, 2016, step 11.
//!
//! @in    pressure: Grid<f32>, open zero                       Pressure of the correction p_V [kg/m]
//! @in    weight: FaceGrid                          Inverse mass on each face, 0 on walls [m^3/kg]
//! @in    fractions: Grid<vec2f>                    Volume fractions V_f and V_g
//! @out   result: Grid<vec2f>, like fractions       Fractions whose sum is closer to one

fn stage(cell: Cell) -> vec2f {
    var v = fractions(cell);
    let given = given_part(cell);
    for (var face = 0; face < FACES; face++) {
        let other = neighbor(cell, face);
        let out = outflow(cell, face);
        if out > 0.0 { v -= whole(fractions(cell) * (out * given)); }
        if out < 0.0 { v += whole(fractions(other) * (-out * given_part(other))); }
    }
    return v;
}

// What leaves a cell through a face [cells].
fn outflow(cell: Cell, face: i32) -> f32 {
    return weight_face(cell, face) * (pressure(cell) - pressure(neighbor(cell, face))) / (CELL_SIZE * CELL_SIZE);
}

// Part of each of its fluids that leaves a cell per wanted outflow: all of it at most, less what rounding could add to that.
fn given_part(cell: Cell) -> f32 {
    var wanted = 0.0;
    for (var face = 0; face < FACES; face++) { wanted += max(outflow(cell, face), 0.0); }
    let v = fractions(cell);
    return 1.0 / max(max(v.x + v.y, wanted * 1.000002), 1e-20);
}

fn whole(volume: vec2f) -> vec2f {
    return floor(volume * 1048576.0) / 1048576.0;
}
