//! PLIC: Normal (Youngs)
//! Normal of the interface,  n = -grad V,  from the 3x3 (3D: 3x3x3) cells around, with double weight for those closer to the axis.
//! A wall counts as the open cell next to it, so an interface meets walls at 90 degrees.
//! Source: Youngs, Numerical Methods for Fluid Dynamics, 1982; Parker and Youngs, AWRE report 01/92, 1992.
//!
//! @in  shares: Grid<f32>                    Share of f
//! @in  open: Grid<f32> = 1                  1 in cells that fluid can fill, 0 in walls
//! @out normals: Grid<Vec>, like shares      Normal out of f, not of length one; 0 in cells of one fluid [1/cells]

const AROUND = 9 + 18 * (DIM - 2); // 3^DIM

fn stage(cell: Cell) -> Vec {
    if shares(cell) <= 0.0 || shares(cell) >= 1.0 { return Vec(); }
    var slope = Vec();
    for (var index = 0; index < AROUND; index++) {
        var offset = Cell();
        var weight = 1.0;
        var rest = index;
        for (var axis = 0; axis < DIM; axis++) {
            offset[axis] = rest % 3 - 1;
            weight *= select(0.25, 0.5, offset[axis] == 0);
            rest /= 3;
        }
        // Along its own axis an offset is not weighed: 1/4 there, and 1/2 for the way of two cells.
        slope += 2.0 * weight * Vec(offset) * seen(cell, offset);
    }
    return -slope;
}

// Share at an offset; for a wall the mean of the open cells that stand between it and the axes, else the cell's own.
fn seen(cell: Cell, offset: Cell) -> f32 {
    if open(cell + offset) > 0.5 { return shares(cell + offset); }
    var sum = 0.0;
    var count = 0.0;
    for (var axis = 0; axis < DIM; axis++) {
        let beside = cell + offset - unit(axis) * offset[axis];
        if offset[axis] == 0 || open(beside) < 0.5 { continue; }
        sum += shares(beside);
        count += 1.0;
    }
    return select(sum / max(count, 1.0), shares(cell), count == 0.0);
}
