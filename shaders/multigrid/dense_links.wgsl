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

fn stage(cell: Cell) -> vec4f {
    let cells = vec2i(size().xy);
    let count = cells.x * cells.y;
    let solved = count > 0 && (i32(size().w) >> 2u) == params.level;
    var row = vec4f();
    let own = vec2i(cell.y % max(cells.x, 1), cell.y / max(cells.x, 1));
    for (var c = 0; c < select(0, 4, solved && 4 * cell.x < count && cell.y < count); c++) {
        let column = 4 * cell.x + c;
        if column >= count { continue; }
        if column == cell.y {
            row[c] = sink_at(centre(own));
            let held = ground() < 1e38 && i32(bitcast<u32>(ground()) & 1023u) == cell.y;
            if held { row[c] += ground(); }
            continue;
        }
        let other = vec2i(column % cells.x, column / cells.x);
        let near = abs(other - own);
        if any((near > vec2i(1)) & (near < cells - 1)) { continue; }
        // Around a periodic axis of two cells there are two links.
        for (var y = -1; y <= 1; y++) {
            for (var x = -1; x <= 1; x++) {
                if all(beside(own, vec2i(x, y), cells) == other) { row[c] += link(own, vec2i(x, y), other); }
            }
        }
    }
    return select(matrix(cell), row, solved);
}

// Link to the cell at an offset, which one of the two holds. A centre is rounded, so that a few millionths of the cells beside it are read
// too: where there is no more than that, there is a wall.
fn link(own: vec2i, apart: vec2i, other: vec2i) -> f32 {
    let upwards = apart.y > 0 || (apart.y == 0 && apart.x > 0);
    let holder = centre(select(other, own, upwards));
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
fn index_of(along: vec2i) -> i32 {
    if along.y == 0 { return 0; }
    return select(along.x + 1, 3, along.x < 0);
}

// Centre of a cell of the level [m].
fn centre(place: vec2i) -> Vec {
    return (Vec(unit(0) * place.x + unit(1) * place.y) + 0.5) * size().z;
}

// The cell at an offset, or one that is none beyond the border.
fn beside(own: vec2i, apart: vec2i, cells: vec2i) -> vec2i {
    let other = own + apart;
    let periodic = vec2<bool>((i32(size().w) & 1) == 1, (i32(size().w) & 2) == 2);
    let beyond = (other < vec2i()) | (other >= cells);
    if any(beyond & !periodic) { return vec2i(-1); }
    return (other + cells) % cells;
}
