//! Path to a wall
//! Paths from the centre of a cell that stop at walls. Reads the input `open`.
//! Source: Amanatides and Woo, A Fast Voxel Traversal Algorithm, 1987.

const LONGEST = 256; // cells that a path back crosses

// The end of a way from a cell's centre, in cells, and the cell in which it lies.
struct Way { end: Vec, cell: Cell }

// A way that stops at the first wall. It leads from cell to cell through faces, so it does not slip between walls that touch at an edge.
fn before_walls(start: Cell, way: Vec) -> Way {
    var here = start;
    // The parts of the way after which it comes to the next face along each axis.
    var next = Vec();
    for (var axis = 0; axis < DIM; axis++) { next[axis] = 0.5 / max(abs(way[axis]), 1e-20); }
    var part = 0.0;
    for (var i = 0; i < LONGEST; i++) {
        var axis = 0;
        for (var other = 1; other < DIM; other++) { if next[other] < next[axis] { axis = other; } }
        part = min(next[axis], 1.0);
        let ahead = here + unit(axis) * select(-1, 1, way[axis] > 0.0);
        if part == 1.0 || open(ahead) < 0.5 { break; }
        here = ahead;
        next[axis] += 1.0 / max(abs(way[axis]), 1e-20);
    }
    return Way(Vec(start) + 0.5 + part * way, here);
}
