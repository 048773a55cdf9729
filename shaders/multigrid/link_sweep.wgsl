//! Sweep of Links
//! One damped Jacobi sweep of a level of links,  sum of l (p_other - p) - s p = r.  It treats all cells alike, so a cycle of such sweeps is
//! symmetric, which conjugate gradients need of a preconditioner. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid); Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2 (weighted Jacobi).
//!
//! @in    residual: Grid<f32>                  Right-hand side r [1/s]
//! @in    links: Grid<vec4f>                   Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in    sink: Grid<f32>                      Links to open borders [m/kg]
//! @inout pressure: Grid<f32> = 0, radius 1    Pressure x dt, refined by each sweep [Pa s]
//! @param relaxation: f32 = 0.85, 0..1         Weight of the new value

fn stage(cell: Cell) -> f32 {
    var sum = -residual(cell);
    var total = sink(cell);
    for (var k = 0; k < 8; k++) {
        let l = link(cell, k);
        sum += l * pressure(cell + offset(k));
        total += l;
    }
    if total <= 0.0 { return 0.0; }
    return mix(pressure(cell), sum / total, params.relaxation);
}

// The eight cells around: +x, +y, +x+y, -x+y, and opposite to these.
fn offset(k: i32) -> Cell {
    let along = array<Cell, 4>(unit(0), unit(1), unit(0) + unit(1), unit(1) - unit(0))[k & 3];
    return select(along, -along, k > 3);
}

// Link to one of them; there is none through a border, unless it is periodic.
fn link(cell: Cell, k: i32) -> f32 {
    if k < 4 { return links(cell)[k]; }
    let other = cell + offset(k);
    return select(0.0, links(other)[k - 4], exists(other));
}

// Whether there is a cell: inside, or around a periodic axis.
fn exists(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        let around = !wall_face(Cell(), axis) && !open_face(Cell(), axis);
        if (cell[axis] < 0 || cell[axis] >= RESOLUTION[axis]) && !around { return false; }
    }
    return true;
}
