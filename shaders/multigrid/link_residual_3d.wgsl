//! Residual of Links in Space
//! What a pressure leaves of a level's right-hand side,  r - sum of l (p_other - p) + s p.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>                  Right-hand side r [1/s]
//! @in  links_a: Grid<vec4f>                 Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in  links_b: Grid<vec4f>                 Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in  links_c: Grid<vec4f>                 Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in  links_d: Grid<vec4f>                 Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in  pressure: Grid<f32>                  Pressure x dt [Pa s]
//! @out left: Grid<f32>, like residual       What is left of it [1/s]
//! @use shared/space_links

fn stage(cell: Cell) -> f32 {
    let sink = links_a(cell).w;
    var inflow = -sink * pressure(cell);
    var total = sink;
    for (var k = 0; k < 2 * KEPT; k++) {
        let l = link(cell, k);
        inflow += l * (pressure(cell + offset(k)) - pressure(cell));
        total += abs(l);
    }
    return select(0.0, residual(cell) - inflow, total > 0.0);
}
