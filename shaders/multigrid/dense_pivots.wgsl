//! Dense Pivots
//! Inverse of the square of the four cells that are eliminated next (Dense Elimination). The diagonal is the sum of what links a cell to all others
//! that are left and to open borders. As a sum it keeps its digits, however little links a part of the vessel to the rest. The last
//! cell of a closed part has no links left, and the pressure zero.
//! Source: Grassmann, Taksar and Heyman, Oper. Res. 33, 1985 (elimination without subtractions).
//!
//! @in  matrix: Grid<vec4f>         The matrix, in cells of 1 m [m/kg]
//! @in  sums: vec4f                 Sums of the four rows (Dense Sums) [m/kg]
//! @out inverse: Grid<vec4f>        Its rows, in four cells along x [kg/m]

fn stage(cell: Cell) -> vec4f {
    var square = array<vec4f, 4>();
    for (var r = 0; r < 4; r++) { square[r] = matrix_at(Vec(unit(0) * substep + unit(1) * (4 * substep + r)) + 0.5); }
    var rest = sums();
    for (var r = 0; r < 4; r++) {
        let links = square[r];
        var total = rest[r];
        for (var c = r + 1; c < 4; c++) { total += links[c]; }
        let part = select(0.0, 1.0 / max(total, 1e-30), total > 0.0);
        for (var other = 0; other < 4; other++) {
            if other == r { continue; }
            let taken = square[other][r] * part;
            square[other] += taken * links;
            square[other][r] = taken;
            rest[other] += select(0.0, taken * rest[r], other > r);
        }
        square[r] = part * links;
        square[r][r] = part;
    }
    return square[clamp(cell.x, 0, 3)];
}
