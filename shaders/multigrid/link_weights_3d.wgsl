//! Weights of Links in Space
//! Interpolation that follows the density. Every second cell along each axis is a cell of the next level. A cell between two of them takes from
//! each in the ratio of its links to either side, so that the flux through it is continuous, and nothing through a wall. A cell
//! between four takes what its links say of those and of the cells between two, then a cell between eight likewise: three iterations. Links along an
//! axis between which a cell does not lie are added to those across. Negative links count as none, so no part is negative.
//! Source: Alcouffe, Brandt, Dendy and Painter, SIAM J. Sci. Stat. Comput. 2, 1981; Dendy, J. Comput. Phys. 48, 1982.
//!
//! @in    links_a: Grid<vec4f>                   Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in    links_b: Grid<vec4f> = 0               Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in    links_c: Grid<vec4f> = 0               Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in    links_d: Grid<vec4f> = 0               Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in    reach: Grid<u32> = 0                   Bits for the 27 cells around each wide cell, x first: which of them it stands for (Reach of Wide Cells in Space)
//! @inout lower: Grid<vec4f> = 0, radius 1       Parts that a cell takes of the wide cell at half its index, and of those at +x, +y and +x+y
//! @inout upper: Grid<vec4f> = 0, radius 1       Parts of the four wide cells above these along z
//! @use shared/around_wide

fn stage(cell: Cell) -> Result {
    var odd = Cell();
    var between = 0;
    for (var axis = 0; axis < DIM; axis++) {
        odd[axis] = cell[axis] & 1;
        between += odd[axis];
    }
    if between == 0 { return Result(vec4f(1.0, 0.0, 0.0, 0.0), vec4f()); }
    if between != iteration + 1 { return Result(lower(cell), upper(cell)); }
    var stands = array<f32, 8>();
    var several = 0.0;
    for (var corner = 0; corner < 8; corner++) {
        stands[corner] = f32(stands_for(cell, odd, corner));
        several += stands[corner];
    }
    var parts = array<f32, 8>();
    var total = links_a(cell).w;
    var tied = total > 0.0;
    for (var k = 0; k < 2 * KEPT; k++) {
        if !links_b_wired && k % KEPT > 2 { continue; }
        let l = link(cell, k);
        tied = tied || l > 0.0;
        let step = offset(k) * odd;
        if l <= 0.0 || all(step == Cell()) { continue; }
        let other = cell + step;
        let plain = is_wide(other);
        let low = select(lower(other), vec4f(1.0, 0.0, 0.0, 0.0), plain);
        let high = select(upper(other), vec4f(), plain);
        // The other's wide cells are those of this cell, or one further up along axes of upward steps.
        var shift = 0;
        for (var axis = 0; axis < DIM; axis++) { shift |= max(step[axis], 0) << u32(axis); }
        for (var corner = 0; corner < 8; corner++) {
            let part = select(low[corner & 3], high[corner & 3], corner > 3);
            let taken = l * part * stands[(corner | shift) & 7];
            parts[(corner | shift) & 7] += taken;
            total += taken;
        }
    }
    // Links in a bend lead to wide cells along neither side.
    if tied && total <= 0.0 {
        parts = stands;
        total = several;
    }
    let scale = select(0.0, 1.0 / total, total > 0.0);
    return Result(
        scale * vec4f(parts[0], parts[1], parts[2], parts[3]),
        scale * vec4f(parts[4], parts[5], parts[6], parts[7]),
    );
}

// Whether one of the wide cells around a cell stands for it.
fn stands_for(cell: Cell, odd: Cell, corner: i32) -> bool {
    var away = Cell();
    for (var axis = 0; axis < 3; axis++) {
        let up = (corner >> u32(axis)) & 1;
        if axis >= DIM { if up == 1 { return false; } continue; }
        if up == 1 && odd[axis] == 0 { return false; }
        away[axis] = odd[axis] * (1 - 2 * up);
    }
    let wide = cell - away;
    return exists(wide) && (!reach_wired || (reach(wide) >> u32(index_of(away)) & 1u) == 1u);
}
