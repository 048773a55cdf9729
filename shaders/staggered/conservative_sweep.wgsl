//! Conservative Sweep
//! Carries a field along one axis as amounts that pass through faces:  a' = a + F_lower - F_upper.  Both cells of a face compute the same F, so the
//! sum over all cells is kept. F is what lies upwind of the face in the volume  V = dt u / h  that passes it, of any number of cells, from a
//! parabola in each. Cells change their volume in a sweep and have it back after one along every axis, if the flow has no divergence;
//! then no new extrema arise, as long as the volumes stay positive. The order of the axes reverses from step to step.
//! Through an inflow, and back through an open border, comes what the first cell has.
//! Source: Colella and Woodward, J. Comput. Phys. 54, 1984 (PPM, equations 1.6 to 1.10); Leonard, Lock and MacVean, Mon. Weather Rev. 124, 1996 (flux form at any step).
//!
//! @in    velocity: FaceGrid                     Flow on the faces [m/s]
//! @in    open: Grid<f32> = 1                    1 in cells that fluid can fill, 0 in walls
//! @in    amount: Grid<F>                        Field times volume in cells, before this sweep
//! @in    volume: Grid<f32> = 1                  Volume of cells after the earlier sweeps, from the sweep before [cells]
//! @out   result: Grid<F>, like amount           Amounts after this sweep
//! @out   after: Grid<f32>, like amount          Volume of cells after it [cells]
//! @param sweep: i32 = 0, 0..2                   Number of the sweep in its step: 0, 1 and, in 3D, 2
//! @param substeps: i32 = 1, 1..                 Steps per frame
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the field fades, applied by sweep 0 [1/s]

const LONGEST = 32; // cells that may pass a face in a step

fn stage(cell: Cell) -> Result {
    if params.sweep >= DIM { return Result(amount(cell), volume(cell)); }
    let axis = axis_of(params.sweep);
    let kept = amount(cell) + passed(cell, axis) - passed(cell + unit(axis), axis);
    let size = volume(cell) + (volume_through(cell, axis) - volume_through(cell + unit(axis), axis));
    if params.sweep > 0 { return Result(kept, size); }
    return Result(kept * exp(-params.dissipation * frame.dt / f32(params.substeps)), size);
}

fn axis_of(sweep: i32) -> i32 {
    let step = i32(frame.index) * params.substeps + substep;
    return select(sweep, DIM - 1 - sweep, (step & 1) == 1);
}

// F through a cell's lower face, positive towards the cell.
fn passed(cell: Cell, axis: i32) -> F {
    let through = volume_through(cell, axis);
    if through == 0.0 { return F(); }
    let upwind = select(unit(axis), -unit(axis), through > 0.0);
    var donor = cell + min(upwind, Cell());
    var left = abs(through);
    var sum = F();
    for (var i = 0; i < LONGEST; i++) {
        let size = there(donor);
        if left <= size { break; }
        // Nothing comes from beyond a wall.
        if closed(max(donor, donor + upwind), axis) { left = size; break; }
        sum += amount(donor);
        left -= size;
        donor += upwind;
    }
    return sign(through) * (sum + left * mean_next_to(donor, axis, through > 0.0, min(left / there(donor), 1.0)));
}

// Volume through a cell's lower face in a step [cells].
fn volume_through(cell: Cell, axis: i32) -> f32 {
    if closed(cell, axis) { return 0.0; }
    var faces = velocity(cell);
    return faces[axis] * frame.dt / (f32(params.substeps) * CELL_SIZE);
}

fn closed(cell: Cell, axis: i32) -> bool {
    return (wall_face(cell, axis) && !inflow_face(cell, axis)) || open(cell) < 0.5 || open(cell - unit(axis)) < 0.5;
}

// Volume of a cell that can be divided by.
fn there(cell: Cell) -> f32 { return max(volume(cell), 0.05); }

fn value(cell: Cell) -> F { return amount(cell) / there(cell); }

// Mean of a cell's parabola over the share x of it that lies at its upper or its lower end.
fn mean_next_to(cell: Cell, axis: i32, upper: bool, x: f32) -> F {
    let e = unit(axis) * select(-1, 1, upper);
    // Four neighbours, a positive direction towards the face. Across a wall the value repeats.
    let here = value(cell);
    let ahead = select(value(cell + e), here, closed(max(cell, cell + e), axis));
    let behind = select(value(cell - e), here, closed(max(cell, cell - e), axis));
    // As in empty space. The parabola is this constant, to the bit.
    if all(here == ahead) && all(here == behind) { return here; }
    let far_ahead = select(value(cell + 2 * e), ahead, closed(max(cell + e, cell + 2 * e), axis));
    let far_behind = select(value(cell - 2 * e), behind, closed(max(cell - e, cell - 2 * e), axis));
    let slope = limited(behind, here, ahead);
    var first = 0.5 * (behind + here) - (slope - limited(far_behind, behind, here)) / 6.0;
    var last = 0.5 * (here + ahead) - (limited(here, ahead, far_ahead) - slope) / 6.0;
    // No parabola leaves the range of its ends: a constant at an extremum, or else the far end moves.
    let level = (last - here) * (here - first) <= F();
    let rise = last - first;
    let bend = 6.0 * (here - 0.5 * (first + last));
    let near_first = bend * rise > rise * rise;
    let near_last = -bend * rise > rise * rise;
    first = select(select(first, 3.0 * here - 2.0 * last, near_first), here, level);
    last = select(select(last, 3.0 * here - 2.0 * first, near_last), here, level);
    let curved = 6.0 * (here - 0.5 * (first + last));
    return last - 0.5 * x * (last - first - (1.0 - 2.0 / 3.0 * x) * curved);
}

// Slope across the middle of three values, within what keeps the ends between neighbours; 0 at an extremum.
fn limited(a: F, b: F, c: F) -> F {
    let steepest = 2.0 * min(abs(b - a), abs(c - b));
    let slope = clamp(0.5 * (c - a), -steepest, steepest);
    return select(F(), slope, (b - a) * (c - b) > F());
}
