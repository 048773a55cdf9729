//! Dense Sums
//! What links the 32 cells that are eliminated next (Dense Elimination) to those left after them, and to open borders: the sums of their
//! rows, in sixteen parts each.
//! Source: none.
//!
//! @in  matrix: Grid<vec4f>           The matrix, in cells of 1 m; these rows and all after them are not yet eliminated [m/kg]
//! @in  size: vec4f                   Of the level (Size of the Solved Level)
//! @in  done: f32 = 0               Cells eliminated before the first repeat
//! @out sums: Grid<f32>               Parts of the sum of each row, along x [m/kg]
//! @use shared/dense
//! @use shared/solved_level

fn stage(cell: Cell) -> f32 {
    let step = i32(done()) / 32 + substep;
    let cells = solved_count();
    let row = 32 * step + cell.y;
    var sum = 0.0;
    for (var x = 8 * (step + 1) + cell.x; 4 * x < cells; x += 16) { sum += dot(matrix_at(place(x, row)), vec4f(1.0)); }
    // On the diagonal is what leads out of the vessel.
    if cell.x == 0 { sum += matrix_at(place(row / 4, row))[row & 3]; }
    return sum;
}
