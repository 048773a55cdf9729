//! Path from a face
//! Paths from the centre of a face that stop at walls. Reads the input `open`.
//! Source: Amanatides and Woo, A Fast Voxel Traversal Algorithm, 1987.

const LONGEST = 256; // cells that a path back crosses

// The end of a way from a face, which stops at the first wall that it meets on the way from cell to cell (Amanatides and Woo 1987).
fn before_walls(cell: Cell, axis: i32, start: Vec, end: Vec) -> Vec {
    if !open_wired { return end; }
    let way = (end - start) / CELL_SIZE;
    var here = cell - unit(axis) * select(0, 1, way[axis] < 0.0);
    // The parts of the way after which it comes to the next face along each axis.
    var next = Vec();
    for (var i = 0; i < DIM; i++) { next[i] = select(0.5, 1.0, i == axis) / max(abs(way[i]), 1e-20); }
    var part = 0.0;
    for (var i = 0; i < LONGEST; i++) {
        var first = 0;
        for (var other = 1; other < DIM; other++) { if next[other] < next[first] { first = other; } }
        part = next[first];
        if part >= 1.0 { return end; }
        here += unit(first) * select(-1, 1, way[first] > 0.0);
        if open(here) < 0.5 { break; }
        next[first] += 1.0 / max(abs(way[first]), 1e-20);
    }
    return start + part * (end - start);
}
