//! Dense Solve
//! The solution of the level that is solved,  sum of l (p_other - p) - s p = r, by the inverse of its links (Dense Product). On other levels it is zero, and
//! sweeps start from it. Where heavy fluid or walls leave hardly a link between parts of a vessel, sweeps alone do not find the pressure between them.
//! Source: Golub and Van Loan, Matrix Computations, 2013, ch. 3.
//!
//! @in  residual: Grid<f32>                    Right-hand side r [1/s]
//! @in  product: Grid<f32>                     Parts of the inverse times it, in cells of 1 m (Dense Product) [Pa s]
//! @in  size: vec4f                            Of the level (Size of the Solved Level)
//! @out pressure: Grid<f32>, like residual     Pressure x dt [Pa s]
//! @use shared/cell_index
//! @use shared/dense
//! @use shared/solved_level

fn stage(cell: Cell) -> f32 {
    if !is_solved(i32(firstTrailingBit(WIDENING))) { return 0.0; }
    var sum = 0.0;
    for (var part = 0; part < 16; part++) { sum -= product_at(place(part, index(cell))); }
    return sum;
}
