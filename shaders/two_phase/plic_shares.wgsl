//! PLIC: Shares
//! Share of fluid f in each cell before a sweep. A sweep along one axis stretches a cell, although all of them together do not. The
//! stretch  c D,  D = net outflow of the sweeps before,  is undone with the fluid that the cell held most of at the step's start (c = 1 for f),
//! which keeps shares within 0..1.
//! Source: Weymouth and Yue, J. Comput. Phys. 229, 2010.
//!
//! @in    fractions: Grid<vec2f>                Volume fractions now
//! @in    before: Grid<vec2f>                   Volume fractions at the step's start
//! @in    flow: FaceGrid                        Volume through each face in a step [cells]
//! @out   shares: Grid<f32>, like fractions     Share of f, the stretch undone
//! @param sweep: i32 = 0, 0..2                  Number of the sweep to come. The first one's axis changes from step to step

fn stage(cell: Cell) -> f32 {
    let v = fractions(cell);
    var whole = v.x + v.y;
    for (var sweep = 0; sweep < params.sweep; sweep++) {
        let axis = (i32(frame.index) + substep + sweep) % DIM;
        whole += flow_face(cell, 2 * axis + 1) - flow_face(cell, 2 * axis);
    }
    if whole <= 0.0 { return 0.0; }
    // From the fluid that takes no part: a cell that is full of the other is so exactly.
    let held = before(cell);
    return clamp(select(v.x / whole, 1.0 - v.y / whole, held.x > held.y), 0.0, 1.0);
}
