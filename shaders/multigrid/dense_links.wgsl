//! Dense Links
//! Links between all cells of the level that is solved, as a matrix: a row has the links of one cell, four in a cell of this grid, and on
//! the diagonal its sink. A closed level has its most linked cell's pressure held by a sink as strong as its links: held where hardly anything links
//! it, all others would differ by less than they round. Other levels leave the matrix as it is. 2D only.
//! Source: none.
//!
//! @inout matrix: Grid<vec4f> = 0     The matrix [m/kg]
//! @in    links: Grid<vec4f>          Links of the level to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in    sink: Grid<f32>             Links to open borders [m/kg]
//! @in    size: vec4f                 Of the solved level (Size of the Solved Level), if it is this or a finer one
//! @in    ground: f32                 Cell whose pressure is held, if this is the solved level
//! @param level: i32 = 1, 0..16       How often this level has been halved
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
            row[c] = sink_at(solved_centre(own)) + held(column);
            continue;
        }
        let other = solved_cell(column);
        if are_apart(own, other) { continue; }
        // Around a periodic axis of two cells there are two links.
        for (var y = -1; y <= 1; y++) {
            for (var x = -1; x <= 1; x++) {
                let apart = unit(0) * x + unit(1) * y;
                if solved_beside(own, apart) == column { row[c] += link(own, apart, other); }
            }
        }
    }
    return select(matrix(cell), row, solved);
}

// Link to the cell at an offset, which one of the two holds. A centre is rounded, so that a few millionths of the cells beside it are read
// too: where there is no more than that, there is a wall.
fn link(own: vec3i, apart: Cell, other: vec3i) -> f32 {
    let upwards = apart.y > 0 || (apart.y == 0 && apart.x > 0);
    let holder = solved_centre(select(other, own, upwards));
    let along = select(-apart, apart, upwards);
    let k = index_of(along);
    var most = 0.0;
    for (var i = 0; i < 9; i++) {
        let beside = size().z * Vec(unit(0) * (i % 3 - 1) + unit(1) * (i / 3 - 1));
        most = max(most, abs(links_at(holder + beside)[k]));
    }
    let l = links_at(holder)[k];
    return select(l, 0.0, abs(l) < 1e-5 * most);
}

// Of +x, +y, +x+y and -x+y.
fn index_of(along: Cell) -> i32 {
    if along.y == 0 { return 0; }
    return select(along.x + 1, 3, along.x < 0);
}
