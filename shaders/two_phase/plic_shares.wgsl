//! PLIC: Shares
//! Share of fluid f in each cell before a sweep. A sweep along a single axis stretches a cell, although all sweeps together do not. The
//! stretch  c D,  D = net outflow of the earlier sweeps,  is undone with the fluid that dominated the cell at the start of the step (c = 1 for f),
//! which keeps shares within 0..1.
//! Source: Weymouth and Yue, J. Comput. Phys. 229, 2010.
//!
//! @in    fractions: Grid<vec2f>                Present volume fractions
//! @in    before: Grid<vec2f>                   Volume fractions at the start of the step
//! @in    flow: FaceGrid                        Volume through each face in a step [cells]
//! @out   shares: Grid<f32>, like fractions     Share of f without the stretch
//! @param sweep: i32 = 0, 0..2                  Number of the next sweep. The axis of the first one changes from step to step

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
