//! Dense Square
//! The square of the 32 cells that are eliminated next, which Dense Pivots inverts, and the sum of each row beyond it (Dense Sums).
//! Source: none.
//!
//! @in  matrix: Grid<vec4f>             The matrix, in cells of 1 m [m/kg]
//! @in  sums: Grid<f32>                 Sums of the rows, in sixteen parts along x, in cells of 1 m [m/kg]
//! @in  size: vec4f                     Of the level (Size of the Solved Level)
//! @in  done: f32 = 0                   Cells eliminated before the first repeat
//! @out square: Grid<vec4f>             Its rows, four columns in a cell; the sum is in the ninth [m/kg]
//! @out eliminated: f32, reduce max     Cells eliminated after these
//! @out left: f32, reduce max           Cells left after these
//! @use shared/dense
//! @use shared/solved_level

fn stage(cell: Cell) -> Result {
    let step = i32(done()) / 32 + substep;
    var numbers = vec4f();
    if cell.x < 8 {
        numbers = matrix_at(place(8 * step + cell.x, 32 * step + cell.y));
    } else {
        for (var part = 0; part < 16; part++) { numbers.x += sums_at(place(part, cell.y)); }
    }
    let eliminated = f32(32 * (step + 1));
    return Result(numbers, eliminated, f32(solved_count()) - eliminated);
}
