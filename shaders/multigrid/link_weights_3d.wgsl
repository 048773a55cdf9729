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
//! @inout lower: Grid<vec4f> = 0, radius 1       Parts that a cell takes of the wide cell at half its index, and of those at +x, +y and +x+y
//! @inout upper: Grid<vec4f> = 0, radius 1       Parts of the four wide cells above these along z
//! @use shared/space_links

fn stage(cell: Cell) -> Result {
    var odd = Cell();
    var between = 0;
    for (var axis = 0; axis < DIM; axis++) {
        odd[axis] = cell[axis] & 1;
        between += odd[axis];
    }
    if between == 0 { return Result(vec4f(1.0, 0.0, 0.0, 0.0), vec4f()); }
    if between != iteration + 1 { return Result(lower(cell), upper(cell)); }
    var parts = array<f32, 8>();
    var total = links_a(cell).w;
    for (var k = 0; k < 2 * KEPT; k++) {
        if !links_b_wired && k % KEPT > 2 { continue; }
        let step = offset(k) * odd;
        let l = link(cell, k);
        if l <= 0.0 || all(step == Cell()) { continue; }
        total += l;
        let other = cell + step;
        let plain = all((other - 2 * (other / 2)) == Cell());
        let low = select(lower(other), vec4f(1.0, 0.0, 0.0, 0.0), plain);
        let high = select(upper(other), vec4f(), plain);
        // The other's wide cells are those of this cell, or one further up along axes of upward steps.
        var shift = 0;
        for (var axis = 0; axis < DIM; axis++) { shift |= max(step[axis], 0) << u32(axis); }
        for (var corner = 0; corner < 8; corner++) {
            let part = select(low[corner & 3], high[corner & 3], corner > 3);
            if part != 0.0 { parts[(corner | shift) & 7] += l * part; }
        }
    }
    let scale = select(0.0, 1.0 / total, total > 0.0);
    return Result(
        scale * vec4f(parts[0], parts[1], parts[2], parts[3]),
        scale * vec4f(parts[4], parts[5], parts[6], parts[7]),
    );
}
