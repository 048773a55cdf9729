//! PLIC: Flow
//! Volume through each face in a substep,  u dt / h,  in cells. It is an integer multiple of 2^-23, so the cells on both sides add
//! and subtract exactly the same amount. What rounding leaves in one step is made up for in the next ones, so that over 1,024 steps a steady flow
//! is off by less than one such quantum. With the fractions wired, what a flow that changes, or the rest of its divergence, has left over flows on to
//! the emptier cell,  (e - e_next) / 4 DIM  of e = V_f + V_g - 1  up to 2^-14 of a cell, so that cells remain full. Walls let nothing through.
//! Source: Bresenham, IBM Systems Journal 4, 1965 (steps of whole numbers along a line); Weymouth and Yue, J. Comput. Phys. 229, 2010 (flux of a split sweep).
//!
//! @in    velocity: FaceGrid                 Flow on the faces [m/s]
//! @in    open: Grid<f32> = 1                1 in cells that fluid can fill, 0 in walls
//! @in    fractions: Grid<vec2f> = (0.5, 0.5)  Volume fractions V_f and V_g before the step
//! @out   flow: FaceGrid, like velocity      Volume through each face, at most one cell [cells]
//! @param substeps: i32 = 1, 1..             Number of substeps per frame
//! @use shared/plic_quanta

const MOST = 6.1035156e-5; // 2^-14

fn stage(cell: Cell) -> Vec {
    var courant = velocity(cell) * (frame.dt / (f32(params.substeps) * CELL_SIZE));
    if fractions_wired {
        for (var axis = 0; axis < DIM; axis++) {
            if !inside(cell) || !inside(cell - unit(axis)) { continue; } // nothing through borders of the domain
            courant[axis] += clamp((excess(cell - unit(axis)) - excess(cell)) / f32(4 * DIM), -MOST, MOST);
        }
    }
    let quanta = min(abs(courant), Vec(1.0)) * QUANTA;
    let part = fract(quanta);
    let turn = f32((i32(frame.index) * params.substeps + substep) & 1023);
    var through = sign(courant) * (floor(quanta) + floor((turn + 1.0) * part) - floor(turn * part)) / QUANTA;
    for (var axis = 0; axis < DIM; axis++) {
        let closed = (wall_face(cell, axis) && !inflow_face(cell, axis)) || open(cell) < 0.5 || open(cell - unit(axis)) < 0.5;
        through[axis] = select(through[axis], 0.0, closed);
    }
    return through;
}

// What a cell holds beyond its volume.
fn excess(cell: Cell) -> f32 { return fractions(cell).x + fractions(cell).y - 1.0; }
