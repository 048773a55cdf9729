//! Dense Links in Space
//! Links between all cells of the level that is solved, as a matrix: a row has the links of one cell, four in a cell of this grid, and on
//! the diagonal its sink. A closed level has its most linked cell's pressure held by a sink as strong as its links: held where hardly anything links
//! it, all others would differ by less than they round. Other levels leave the matrix as it is. The matrix lies in a 3D domain of one layer.
//! Source: none.
//!
//! @inout matrix: Grid<vec4f> = 0           The matrix [m/kg]
//! @in    links_a: Grid<vec4f>, nearest     Links of the level to the cells at +x, +y and +z, and the sink [m/kg]
//! @in    links_b: Grid<vec4f>, nearest     Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in    links_c: Grid<vec4f>, nearest     Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in    links_d: Grid<vec4f>, nearest     Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in    size: vec4f                       Of the solved level (Size of the Solved Level in Space), if it is this or a finer one
//! @in    ground: f32                       Cell whose pressure is held, if this is the solved level
//! @param level: i32 = 1, 0..16             How often this level has been halved
//! @use shared/links_3d
//! @use shared/links_at
//! @use shared/dense_row
//! @use shared/solved_level

fn stage(cell: Cell) -> vec4f {
    let count = solved_count();
    let solved = is_solved(params.level);
    var row = vec4f();
    // Software drivers skip loops that no cell runs, but no other code.
    for (var c = 0; c < select(0, 4, solved && 4 * cell.x < count && cell.y < count); c++) {
        let own = solved_cell(cell.y);
        let column = 4 * cell.x + c;
        if column >= count { continue; }
        if column == cell.y {
            row[c] = links_a_at(solved_centre(own)).w + held(column);
            continue;
        }
        let other = solved_cell(column);
        if are_apart(own, other) { continue; }
        // Around a periodic axis of two cells there are two links. One of two cells keeps each.
        for (var k = 0; k < 2 * KEPT; k++) {
            if solved_beside(own, offset(k)) != column { continue; }
            row[c] += kept_at(solved_centre(select(other, own, k < KEPT)), k % KEPT);
        }
    }
    return select(matrix(cell), row, solved);
}
