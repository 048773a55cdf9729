//! Dense Solve
//! The solution of the level that is solved,  sum of l (p_other - p) - s p = r, by the inverse of its links (Dense Elimination). On other levels it is zero, and
//! sweeps start from it. Where heavy fluid or walls leave hardly a link between parts of a vessel, sweeps alone do not find the pressure between them. 2D only.
//! Source: Golub and Van Loan, Matrix Computations, 2013, ch. 3.
//!
//! @in  residual: Grid<f32>                    Right-hand side r [1/s]
//! @in  inverse: Grid<vec4f>                   Inverse of the links [kg/m]
//! @out pressure: Grid<f32>, like residual     Pressure x dt [Pa s]

fn stage(cell: Cell) -> f32 {
    let half = max(WIDENING / 2, 1);
    let finer = (FINEST + half - 1) / half;
    let count = RESOLUTION.x * RESOLUTION.y;
    if count > 256 || (finer.x * finer.y <= 256 && WIDENING > 2) { return 0.0; }
    var sum = 0.0;
    for (var x = 0; x < 64; x++) {
        if 4 * x >= count { break; }
        let row = inverse_at(Vec(unit(0) * x + unit(1) * (cell.x + RESOLUTION.x * cell.y)) + 0.5);
        for (var c = 0; c < 4; c++) {
            let number = 4 * x + c;
            if number < count { sum -= row[c] * residual(unit(0) * (number % RESOLUTION.x) + unit(1) * (number / RESOLUTION.x)); }
        }
    }
    return sum;
}
