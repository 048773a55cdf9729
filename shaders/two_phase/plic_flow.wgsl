//! PLIC: Flow
//! Volume through each face in a substep,  u dt / h,  in cells. It is an integer multiple of 2^-20, so the cells on both sides add
//! and subtract exactly the same amount. Walls let nothing through.
//! Source: Weymouth and Yue, J. Comput. Phys. 229, 2010 (flux of a split sweep).
//!
//! @in    velocity: FaceGrid                 Flow on the faces [m/s]
//! @in    open: Grid<f32> = 1                1 in cells that fluid can fill, 0 in walls
//! @out   flow: FaceGrid, like velocity      Volume through each face, at most one cell [cells]
//! @param substeps: i32 = 1, 1..             Number of substeps per frame

fn stage(cell: Cell) -> Vec {
    let courant = velocity(cell) * (frame.dt / (f32(params.substeps) * CELL_SIZE));
    var through = clamp(round(courant * 1048576.0) / 1048576.0, Vec(-1.0), Vec(1.0));
    for (var axis = 0; axis < DIM; axis++) {
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(cell - unit(axis)) < 0.5;
        through[axis] = select(through[axis], 0.0, closed);
    }
    return through;
}
