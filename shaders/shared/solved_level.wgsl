//! Solved level
//! What Size of the Solved Level (in Space) decided. Reads the input `size`: cells along x and y, width of a cell [m], and in bits 1, 2 and 4 for a periodic
//! x, y and z, 8 times the number of halvings and 256 times the cells along z.

// Cells along each axis; zero if no level is solved yet.
fn solved_cells() -> vec3i {
    return vec3i(vec2i(size().xy), i32(size().w) >> 8u);
}

fn solved_count() -> i32 {
    let cells = solved_cells();
    return cells.x * cells.y * cells.z;
}

// Whether a level that has been halved so often is the one that is solved.
fn is_solved(halvings: i32) -> bool {
    return solved_count() > 0 && (i32(size().w) >> 3u & 31) == halvings;
}

// A cell by its number, x first.
fn solved_cell(number: i32) -> vec3i {
    let cells = max(solved_cells(), vec3i(1));
    return vec3i(number % cells.x, number / cells.x % cells.y, number / (cells.x * cells.y));
}

// Centre of a cell [m].
fn solved_centre(cell: vec3i) -> Vec {
    return (Vec(unit(0) * cell.x + unit(1) * cell.y + unit(2) * cell.z) + 0.5) * size().z;
}

// The number of the cell at an offset; -1 beyond the border.
fn solved_beside(cell: vec3i, apart: Cell) -> i32 {
    let cells = solved_cells();
    let around = (vec3i(i32(size().w)) >> vec3u(0u, 1u, 2u) & vec3i(1)) == vec3i(1);
    var other = cell;
    for (var axis = 0; axis < DIM; axis++) { other[axis] += apart[axis]; }
    if any(((other < vec3i()) | (other >= cells)) & !around) { return -1; }
    let inside = (other + cells) % cells;
    return inside.x + cells.x * (inside.y + cells.y * inside.z);
}
