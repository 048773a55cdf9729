//! Dense Links
//! Links between all cells of the level that is solved, as a matrix of 256 rows: a row has the links of one cell, four in a cell of this grid, and on
//! the diagonal its sink. Other levels leave the matrix as it is. 2D only.
//! Source: none.
//!
//! @inout matrix: Grid<vec4f> = 0     The matrix [m/kg]
//! @in    links: Grid<vec4f>          Links of the level to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in    sink: Grid<f32>             Links to open borders [m/kg]
//! @in    size: vec4f                 Of the level (Size of the Solved Level)

fn stage(cell: Cell) -> vec4f {
    let cells = vec2i(size().xy);
    if cells.x == 0 { return matrix(cell); }
    if cell.y >= cells.x * cells.y { return vec4f(); }
    var row = vec4f();
    for (var c = 0; c < 4; c++) {
        let column = 4 * cell.x + c;
        if column >= cells.x * cells.y { continue; }
        if column == cell.y {
            row[c] = sink_at(place(cell.y, cells));
            continue;
        }
        for (var k = 0; k < 4; k++) {
            if beside(cell.y, k, cells) == column { row[c] += links_at(place(cell.y, cells))[k]; }
            if beside(column, k, cells) == cell.y { row[c] += links_at(place(column, cells))[k]; }
        }
    }
    return row;
}

// Centre of a cell of the level, by its number [m].
fn place(number: i32, cells: vec2i) -> Vec {
    return (Vec(unit(0) * (number % cells.x) + unit(1) * (number / cells.x)) + 0.5) * size().z;
}

// Number of the cell at +x, +y, +x+y or -x+y, or -1 beyond the border.
fn beside(number: i32, k: i32, cells: vec2i) -> i32 {
    var other = vec2i(number % cells.x, number / cells.x) + array<vec2i, 4>(vec2i(1, 0), vec2i(0, 1), vec2i(1, 1), vec2i(-1, 1))[k];
    let periodic = vec2<bool>((i32(size().w) & 1) == 1, (i32(size().w) & 2) == 2);
    let beyond = vec2<bool>(other.x < 0 || other.x >= cells.x, other.y >= cells.y);
    if any(beyond & !periodic) { return -1; }
    other = (other + cells) % cells;
    return other.x + cells.x * other.y;
}
