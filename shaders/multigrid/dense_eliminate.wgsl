//! Dense Elimination
//! Eliminates 32 cells of a matrix of links. What a cell linked is linked directly, and its row becomes the parts that its pressure takes of
//! others. After the last the matrix is the inverse: the pressures per unit of outflow. Nothing is subtracted, so weak links keep
//! their digits.
//! Source: Golub and Van Loan, Matrix Computations, 2013, ch. 3.2 (elimination by blocks); Grassmann, Taksar and Heyman, Oper. Res. 33, 1985 (without subtractions).
//!
//! @inout matrix: Grid<vec4f>     The matrix, four columns in a cell [m/kg], the inverse of what is eliminated [kg/m]
//! @in    parts: Grid<vec4f>      What each row takes of the cells that are eliminated (Dense Parts), in cells of 1 m
//! @in    size: vec4f             Of the level (Size of the Solved Level)
//! @in    done: f32 = 0           Cells eliminated before the first repeat
//! @use shared/dense
//! @use shared/solved_level

fn stage(cell: Cell) -> vec4f {
    let step = i32(done()) / 32 + substep;
    let cells = solved_count();
    let own = matrix(cell);
    // Software drivers skip loops that no cell runs, but no other code.
    let inside = 4 * cell.x < cells && cell.y < cells;
    let among = cell.x / 8 == step;
    var taken = vec4f();
    var most = abs(own);
    for (var x = 0; x < select(0, 8, inside && !among); x++) {
        let part = parts_at(place(x, cell.y));
        let row = 32 * step + 4 * x;
        let a = part.x * from_row(cell, row);
        let b = part.y * from_row(cell, row + 1);
        let c = part.z * from_row(cell, row + 2);
        let d = part.w * from_row(cell, row + 3);
        taken += a + b + c + d;
        most = max(most, max(max(abs(a), abs(b)), max(abs(c), abs(d))));
    }
    // Where negative links cancel positive ones, roundings are no link.
    var sum = select(own + taken, vec4f(), abs(own + taken) < 1e-6 * most);
    // On the diagonal is what leads out of the vessel.
    let diagonal = inside && cell.y / 4 == cell.x && cell.x / 8 > step;
    var out = own[cell.y & 3];
    for (var x = 0; x < select(0, 8, diagonal); x++) {
        let column = 8 * step + x;
        let row = 4 * column;
        let sinks = vec4f(matrix(place_of(column, row)).x, matrix(place_of(column, row + 1)).y, matrix(place_of(column, row + 2)).z, matrix(place_of(column, row + 3)).w);
        out += dot(parts_at(place(x, cell.y)), sinks);
    }
    if diagonal { sum[cell.y & 3] = out; }
    for (var x = 0; x < select(0, 1, inside && among); x++) { sum = parts_at(place(cell.x & 7, cell.y)); }
    return select(own, select(sum, taken, cell.y / 32 == step && !among), inside);
}

fn from_row(cell: Cell, row: i32) -> vec4f {
    return matrix(place_of(cell.x, row));
}

fn place_of(x: i32, y: i32) -> Cell {
    return unit(0) * x + unit(1) * y;
}
