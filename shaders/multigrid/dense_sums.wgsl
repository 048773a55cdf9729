//! Dense Sums
//! What links the four cells that are eliminated next (Dense Elimination) to those left after them, and to open borders: the sums of their rows.
//! Source: none.
//!
//! @in  matrix: Grid<vec4f>           The matrix, in cells of 1 m; these rows and all after them are not yet eliminated [m/kg]
//! @out sums: vec4f, reduce sum       Sums of the four rows [m/kg]

fn stage(cell: Cell) -> vec4f {
    let numbers = matrix_at(Vec(unit(0) * cell.x + unit(1) * (4 * substep + cell.y)) + 0.5);
    // On the diagonal is what leads out of the vessel.
    let sum = select(select(0.0, numbers[cell.y & 3], cell.x == substep), dot(numbers, vec4f(1.0)), cell.x > substep);
    return select(vec4f(), vec4f(sum), vec4i(0, 1, 2, 3) == vec4i(cell.y));
}
