//! Dense Elimination
//! Eliminates four cells of a matrix of links. What a cell linked is linked directly, and its row becomes the parts that its pressure takes of others. After the last four
//! the matrix is the inverse: the pressures per unit of outflow. Nothing is subtracted, so weak links keep their digits.
//! Source: Golub and Van Loan, Matrix Computations, 2013, ch. 3.2 (elimination by blocks); Grassmann, Taksar and Heyman, Oper. Res. 33, 1985 (without subtractions).
//!
//! @inout matrix: Grid<vec4f>     The matrix, four columns in a cell [m/kg], the inverse of what is eliminated [kg/m]
//! @in    pivots: Grid<vec4f>     Inverse of the square of the four cells (Dense Pivots), in cells of 1 m [kg/m]

fn stage(cell: Cell) -> vec4f {
    let first = 4 * substep;
    // A row of the four takes part of the others as they are, any other row by its links to the four.
    let among = cell.y / 4 == substep;
    var part = pivot(cell.y & 3);
    if !among {
        let links = matrix(place(substep, cell.y));
        part = vec4f();
        for (var r = 0; r < 4; r++) { part += links[r] * pivot(r); }
    }
    if cell.x == substep { return part; }
    let own = matrix(cell);
    var taken = vec4f();
    for (var r = 0; r < 4; r++) { taken += part[r] * matrix(place(cell.x, first + r)); }
    if among { return taken; }
    if cell.y / 4 == cell.x && cell.x > substep {
        // On the diagonal is what leads out of the vessel.
        let c = cell.y & 3;
        taken[c] = 0.0;
        for (var r = 0; r < 4; r++) { taken[c] += part[r] * matrix(place(substep, first + r))[r]; }
    }
    return own + taken;
}

fn pivot(row: i32) -> vec4f {
    return pivots_at(Vec(place(row, 0)) + 0.5);
}

fn place(x: i32, y: i32) -> Cell {
    return unit(0) * x + unit(1) * y;
}
