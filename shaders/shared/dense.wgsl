//! Dense matrix
//! Entries of a dense matrix on a grid.

// The position of an entry, in cells.
fn place(x: i32, y: i32) -> Vec {
    return Vec(unit(0) * x + unit(1) * y) + 0.5;
}
