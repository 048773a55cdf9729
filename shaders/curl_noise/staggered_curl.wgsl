//! Curl (staggered)
//! The flow through each face as the circulation of the potential around it:  u_a = d psi_c / db - d psi_b / dc,  a, b, c in turn.
//! Every edge counts once with each sign in a cell, so the staggered divergence is zero up to rounding.
//! In a 2D domain the z component is evaluated at the vertices. Set the node's `on` to the domain of the grid.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, section 2.1; Yee, IEEE Trans. Antennas Propag. 14, 1966.
//!
//! @in  potential: Field<vec3f>     psi [m^2/s]
//! @out velocity: FaceGrid          Flow through the faces [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let middle = Vec(cell) + 0.5 - 0.5 * Vec(unit(axis));
        var circulation = 0.0;
        for (var turn = 1; turn <= 2; turn++) {
            // Differences along `across` of the component along the edges, the third axis.
            let across = (axis + turn) % 3;
            if across < DIM {
                let half_cell = 0.5 * Vec(unit(across));
                let change = potential((middle + half_cell) * CELL_SIZE) - potential((middle - half_cell) * CELL_SIZE);
                circulation += change[3 - axis - across] * f32(3 - 2 * turn);
            }
        }
        faces[axis] = circulation / CELL_SIZE;
    }
    return faces;
}
