//! Fullness
//! Checks that the two fluids fill their cells: the largest |V_f + V_g - 1| of an open cell. Void and overfull cells are taken along by every later
//! step, and nothing else shows them.
//! Source: Rider and Kothe, J. Comput. Phys. 141, 1998 (volumes that are conserved but do not fill space).
//!
//! @in  fractions: Grid<vec2f>                      Volume fractions V_f and V_g
//! @in  open: Grid<f32> = 1                         1 in cells that fluid can fill, 0 in walls
//! @out off: f32, reduce max, expect 0..0.05        Largest |V_f + V_g - 1|. Above 0.05 the flow has a divergence that the pressure or walls should have removed: use more cycles, Correct Fractions, or a flow that stays inside its walls

fn stage(cell: Cell) -> f32 {
    let v = fractions(cell);
    return select(0.0, abs(v.x + v.y - 1.0), open(cell) > 0.5);
}
