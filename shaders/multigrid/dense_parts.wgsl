//! Dense Parts
//! What the pressure of each cell takes of the pressures of others through the 32 cells that are eliminated next (Dense Elimination): for
//! their own rows the inverse of their square (Dense Pivots), for every other row its links to them times that inverse.
//! Source: Golub and Van Loan, Matrix Computations, 2013, ch. 3.2 (elimination by blocks).
//!
//! @in  matrix: Grid<vec4f>         The matrix, in cells of 1 m [m/kg]
//! @in  pivots: Grid<vec4f>         Inverse of the square of these cells, in cells of 1 m [kg/m]
//! @in  size: vec4f                 Of the level (Size of the Solved Level)
//! @in  done: f32 = 0               Cells eliminated before the first repeat
//! @out parts: Grid<vec4f>          Parts of each row, four columns in a cell
//! @use shared/dense
//! @use shared/solved_level

fn stage(cell: Cell) -> vec4f {
    let step = i32(done()) / 32 + substep;
    if cell.y / 32 == step { return pivots_at(place(cell.x, cell.y & 31)); }
    let count = select(0, 8, cell.y < solved_count());
    var part = vec4f();
    for (var x = 0; x < count; x++) {
        let links = matrix_at(place(8 * step + x, cell.y));
        part += links.x * pivots_at(place(cell.x, 4 * x)) + links.y * pivots_at(place(cell.x, 4 * x + 1));
        part += links.z * pivots_at(place(cell.x, 4 * x + 2)) + links.w * pivots_at(place(cell.x, 4 * x + 3));
    }
    return part;
}
