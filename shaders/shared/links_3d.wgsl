//! Links in space
//! Links of a cell to the 26 around it. Reads the inputs `links_a`, `links_b`, `links_c` and `links_d`; where only the first is wired, to the six that share a face.

// Links that a cell keeps; the others are kept by the cells that they lead to.
const KEPT = 13;

// The cells around: +x, +y, +z, the ten others that come after the cell, and opposite to these.
fn offset(k: i32) -> Cell {
    let after = array<vec3i, 13>(
        vec3i(1, 0, 0), vec3i(0, 1, 0), vec3i(0, 0, 1),
        vec3i(1, 1, 0), vec3i(-1, 1, 0), vec3i(1, 0, 1), vec3i(-1, 0, 1), vec3i(0, 1, 1), vec3i(0, -1, 1),
        vec3i(1, 1, 1), vec3i(-1, 1, 1), vec3i(1, -1, 1), vec3i(-1, -1, 1),
    );
    let way = after[k % KEPT];
    var cell = Cell();
    for (var axis = 0; axis < DIM; axis++) { cell[axis] = select(way[axis], -way[axis], k >= KEPT); }
    return cell;
}
