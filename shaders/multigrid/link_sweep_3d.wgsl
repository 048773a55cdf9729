//! Sweep of Links in Space
//! One damped Jacobi sweep of a level of links,  sum of l (p_other - p) - s p = r,  damped as by Smooth (variable density): iterations are
//! multiples of four. Negative links count as positive in the diagonal, so no sweep overshoots. It treats all cells alike, so a cycle of
//! such sweeps is symmetric, which conjugate gradients need of a preconditioner.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid); Adams, Brezina, Hu and Tuminaro, J. Comput. Phys. 188, 2003 (polynomial smoothers); Baker, Falgout, Kolev and Yang, SIAM J. Sci. Comput. 33, 2011 (Jacobi with sums of absolute values).
//!
//! @in    residual: Grid<f32>                  Right-hand side r [1/s]
//! @in    links_a: Grid<vec4f>                 Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in    links_b: Grid<vec4f>                 Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in    links_c: Grid<vec4f>                 Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in    links_d: Grid<vec4f>                 Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @inout pressure: Grid<f32> = 0, radius 1    Pressure x dt, refined by each sweep [Pa s]
//! @use shared/chebyshev
//! @use shared/space_links

fn stage(cell: Cell) -> f32 {
    let own = pressure(cell);
    let sink = links_a(cell).w;
    var left = -residual(cell) - sink * own;
    var total = sink;
    for (var k = 0; k < 2 * KEPT; k++) {
        let l = link(cell, k);
        left += l * (pressure(cell + offset(k)) - own);
        // By Gershgorin, eigenvalues of a sweep then lie between 0 and 2, which Chebyshev's damping needs.
        total += abs(l);
    }
    if total <= 0.0 { return 0.0; }
    return own + relaxation() * left / total;
}
