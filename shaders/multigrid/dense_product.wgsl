//! Dense Product
//! The inverse of the links of the level that is solved (Dense Elimination) times its right-hand side: each row in sixteen parts, which Dense Solve
//! sums up.
//! Source: none.
//!
//! @in    residual: Grid<f32>           Right-hand side of a level [1/s]
//! @in    inverse: Grid<vec4f>          Inverse of the links, in cells of 1 m [kg/m]
//! @in    size: vec4f                   Of the solved level (Size of the Solved Level)
//! @out   product: Grid<f32>            Parts of each row, along x; zero on a level that is not solved [Pa s]
//! @param level: i32 = 1, 0..16         How often this level has been halved
//! @use shared/dense
//! @use shared/solved_level

fn stage(cell: Cell) -> f32 {
    let count = select(0, solved_count(), is_solved(params.level) && cell.y < solved_count());
    var sum = 0.0;
    for (var x = cell.x; 4 * x < count; x += 16) {
        let row = inverse_at(place(x, cell.y));
        sum += dot(row, vec4f(value(4 * x), value(4 * x + 1), value(4 * x + 2), value(4 * x + 3)));
    }
    return sum;
}

// Beyond the last cell the inverse is zero.
fn value(number: i32) -> f32 {
    return residual_at(solved_centre(solved_cell(number)));
}
