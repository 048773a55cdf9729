//! Dense Pivots
//! Eliminates four cells of a square of 32 in each sweep; after eight it is the inverse of the square. The diagonal is the sum of what links a
//! cell to all others that are left and to open borders. As a sum it keeps its digits, however little links a part of the vessel to the
//! rest. The last cell of a closed part has no links left, and the pressure zero.
//! Source: Grassmann, Taksar and Heyman, Oper. Res. 33, 1985 (elimination without subtractions).
//!
//! @inout square: Grid<vec4f>     Rows of the square, four columns in a cell, and in the ninth what links a row to all beyond it (Dense Square) [m/kg, inverted kg/m]

fn stage(cell: Cell) -> vec4f {
    let block = iteration & 7;
    let row = 4 * block;
    var four = Four(block_row(row), block_row(row + 1), block_row(row + 2), block_row(row + 3),
        vec4f(beyond(row), beyond(row + 1), beyond(row + 2), beyond(row + 3)));
    four = without(four, vec4f(1.0, 0.0, 0.0, 0.0), vec4f(0.0, 1.0, 1.0, 1.0));
    four = without(four, vec4f(0.0, 1.0, 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 1.0));
    four = without(four, vec4f(0.0, 0.0, 1.0, 0.0), vec4f(0.0, 0.0, 0.0, 1.0));
    four = without(four, vec4f(0.0, 0.0, 0.0, 1.0), vec4f());
    let among = cell.y / 4 == block;
    let own = square(cell);
    var part = array<vec4f, 4>(four.a, four.b, four.c, four.d)[cell.y & 3];
    if !among {
        let links = square(place(block, cell.y));
        part = links.x * four.a + links.y * four.b + links.z * four.c + links.w * four.d;
    }
    if cell.x == block { return part; }
    // What links the four to those beyond the square stays, and is passed on to those not yet eliminated.
    if cell.x == 8 && cell.y < row + 4 { return own; }
    let a = part.x * square(place(cell.x, row));
    let b = part.y * square(place(cell.x, row + 1));
    let c = part.z * square(place(cell.x, row + 2));
    let d = part.w * square(place(cell.x, row + 3));
    if among { return a + b + c + d; }
    // Where negative links cancel positive ones, roundings are no link.
    let sum = own + a + b + c + d;
    let most = max(max(max(abs(a), abs(b)), max(abs(c), abs(d))), abs(own));
    return select(sum, vec4f(), abs(sum) < 1e-6 * most);
}

// Four rows of links among four cells, and what links each to all others that are left.
struct Four { a: vec4f, b: vec4f, c: vec4f, d: vec4f, rest: vec4f }

// Eliminates one of them. `after` are those left of the four.
fn without(four: Four, one: vec4f, after: vec4f) -> Four {
    let row = one.x * four.a + one.y * four.b + one.z * four.c + one.w * four.d;
    let rest = dot(one, four.rest);
    let total = rest + dot(row, after);
    let part = select(0.0, 1.0 / max(total, 1e-30), total > 0.0);
    let taken = part * vec4f(dot(four.a, one), dot(four.b, one), dot(four.c, one), dot(four.d, one));
    return Four(
        one_row(four.a, row, taken.x, part, one, one.x), one_row(four.b, row, taken.y, part, one, one.y),
        one_row(four.c, row, taken.z, part, one, one.z), one_row(four.d, row, taken.w, part, one, one.w),
        four.rest + after * taken * rest,
    );
}

fn one_row(own: vec4f, row: vec4f, taken: f32, part: f32, one: vec4f, among: f32) -> vec4f {
    let sum = own + taken * row;
    let other = select(sum, vec4f(), abs(sum) < 1e-6 * abs(taken * row));
    return select(mix(other, vec4f(taken), one), mix(part * row, vec4f(part), one), among == 1.0);
}

fn block_row(row: i32) -> vec4f {
    return square(place(row / 4, row));
}

// What links a row to all after its four: within the square and beyond it.
fn beyond(row: i32) -> f32 {
    var sum = square(place(8, row)).x;
    for (var x = row / 4 + 1; x < 8; x++) { sum += dot(square(place(x, row)), vec4f(1.0)); }
    return sum;
}

fn place(x: i32, y: i32) -> Cell {
    return unit(0) * x + unit(1) * y;
}
