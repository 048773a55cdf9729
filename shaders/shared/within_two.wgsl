//! Cells within two
//! The 125 cells (2D: 25) within two of a cell along each axis.

const WITHIN_TWO = 25 + 100 * (DIM - 2); // 5^DIM

fn two_apart(index: i32) -> Cell {
    var away = Cell();
    var rest = index;
    for (var axis = 0; axis < DIM; axis++) {
        away[axis] = rest % 5 - 2;
        rest /= 5;
    }
    return away;
}

// Whether parts have a minus sign.
fn are_marked(lower: vec4f, upper: vec4f) -> bool {
    return any(min(lower, upper) < vec4f());
}
