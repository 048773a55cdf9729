//! Residual of Links
//! What a pressure leaves of a level's right-hand side,  r - sum of l (p_other - p) + s p.  2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>                  Right-hand side r [1/s]
//! @in  links: Grid<vec4f>                   Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                      Links to open borders [m/kg]
//! @in  pressure: Grid<f32>                  Pressure x dt [Pa s]
//! @out left: Grid<f32>, like residual       What is left of it [1/s]
//! @use shared/link_stencil
//! @use shared/links

fn stage(cell: Cell) -> f32 {
    var inflow = -sink(cell) * pressure(cell);
    var total = sink(cell);
    for (var k = 0; k < 8; k++) {
        let l = link(cell, k);
        inflow += l * (pressure(cell + offset(k)) - pressure(cell));
        total += abs(l);
    }
    return select(0.0, residual(cell) - inflow, total > 0.0);
}
