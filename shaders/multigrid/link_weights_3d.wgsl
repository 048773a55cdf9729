//! Weights of Links in Space
//! Interpolation that follows the density. Every second cell along each axis is a cell of the next level. A cell between two of them takes from
//! each in the ratio of its links to either side, so that the flux through it is continuous, and nothing through a wall. A cell
//! between four takes what its links say of those and of the cells between two, then a cell between eight likewise: three iterations. Links along an
//! axis between which a cell does not lie are added to those across. Negative links count as none, so no part is negative. Weights of One-sided Cells follows, along oblique walls.
//! Source: Alcouffe, Brandt, Dendy and Painter, SIAM J. Sci. Stat. Comput. 2, 1981; Dendy, J. Comput. Phys. 48, 1982.
//!
//! @in    links_a: Grid<vec4f>                   Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in    links_b: Grid<vec4f> = 0               Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in    links_c: Grid<vec4f> = 0               Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in    links_d: Grid<vec4f> = 0               Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in    reach: Grid<u32> = 0                   Bits for the 27 cells around each wide cell, x first: which of them it stands for (Reach of Wide Cells in Space)
//! @inout lower: Grid<vec4f> = 0, radius 1       Parts that a cell takes of the wide cell at half its index, and of those at +x, +y and +x+y
//! @inout upper: Grid<vec4f> = 0, radius 1       Parts of the four wide cells above these along z
//! @iterations 3
//! @use shared/link_parts

fn stage(cell: Cell) -> Result {
    let odd = between_wide(cell);
    var between = 0;
    for (var axis = 0; axis < DIM; axis++) { between += odd[axis]; }
    if between == 0 { return Result(vec4f(1.0, 0.0, 0.0, 0.0), vec4f()); }
    if between != iteration + 1 { return Result(lower(cell), upper(cell)); }
    let parts = parts_by_links(cell, odd, Cell());
    return Result(parts.lower, parts.upper);
}
