//! Residual of Links
//! What a pressure leaves of a level's right-hand side,  r - sum of l (p_other - p) + s p.  2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  residual: Grid<f32>                  Right-hand side r [1/s]
//! @in  links: Grid<vec4f>                   Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                      Links to open borders [m/kg]
//! @in  pressure: Grid<f32>                  Pressure x dt [Pa s]
//! @out left: Grid<f32>, like residual       What is left of it [1/s]

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
