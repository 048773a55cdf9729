//! Curvature by Heights
//! Curvature of the interface from the heights of columns of cells along the axis nearest to its normal,  H = h sum of V_f.  In 2D three columns,
//! kappa = -H'' / (1 + H'^2)^(3/2):  1 / R for a disc of f, -1 / R for one of g. In 3D seven, one, the
//! four beside it and two corners, and
//! kappa = -(H_aa (1 + H_b^2) + H_bb (1 + H_a^2) - 2 H_ab H_a H_b) / (1 + H_a^2 + H_b^2)^(3/2):  2 / R for a ball. Second order: for a disc too large by
//! 3/8 to 3/4 of (h / R)^2, for a ball by up to 3/4; an interface smeared by s adds up to 9 (s / R)^2. The columns are centred on the interface, so that all its cells in
//! a column get the same value. A column must change from pure to pure once; otherwise other axes are tried, then `otherwise` is used, as
//! in threads and drops with a radius below four cells.
//! Source: Cummins, Francois and Kothe, Computers and Structures 83, 2005; Popinet, J. Comput. Phys. 228, 2009.
//!
//! @in    shares: Grid<vec2f>                      Fractions whose sum is one
//! @in    open: Grid<f32> = 1                      1 in cells that fluid can fill; a wall counts as a copy of the cell before it (90 degrees)
//! @in    otherwise: Grid<f32> = 0                 Curvature where the heights do not determine one [1/m]
//! @in    found: Grid<f32> = 0                     1 where `otherwise` is known
//! @out   curvature: Grid<f32>, like shares        Curvature, 0 away from the interface [1/m]
//! @out   method: Grid<f32>, like shares           2 where the heights gave it, 1 where `otherwise` did, 0 where there is none
//! @param reach: i32 = 5, 2..6                     Cells of a column on either side; more for a thicker interface [cells]
//! @param impurity: f32 = 0.02, 0..0.5             Tolerance for how pure a column's ends must be, and how monotonic its shares

// Heights of three columns in a row over the middle cell [cells], and how far each is from falling from 1 to 0 once.
struct Row { height: vec3f, flaw: vec3f }

fn stage(cell: Cell) -> Result {
    var slope = vec3f();
    for (var axis = 0; axis < DIM; axis++) { slope[axis] = rise(cell, axis); }
    let off = open(cell) < 0.5 || all(slope == vec3f());
    var left = abs(slope);
    for (var turn = 0; turn < DIM && !off; turn++) {
        var axis = select(0, 1, left.y >= left.x);
        if DIM == 3 && left.z > left[axis] { axis = 2; }
        left[axis] = -1.0;
        let along = select(-unit(axis), unit(axis), slope[axis] < 0.0); // out of f
        let aside = unit((axis + 1) % DIM);
        var own = heights(cell, along, aside);
        // The window moves to where the interface is.
        var middle = cell + i32(round(own.height.y)) * along;
        if any(middle != cell) && open(middle) > 0.5 && inside(middle) { own = heights(middle, along, aside); } else { middle = cell; }
        if max(own.flaw.x, max(own.flaw.y, own.flaw.z)) > params.impurity { continue; }
        let a = 0.5 * (own.height.z - own.height.x);
        let aa = own.height.z + own.height.x - 2.0 * own.height.y;
        if DIM == 2 { return Result(-aa / pow(1.0 + a * a, 1.5) / CELL_SIZE, 2.0); }
        let across = unit((axis + 2) % DIM);
        let lower = beside(own, middle, -across, along, aside);
        let upper = beside(own, middle, across, along, aside);
        let b = 0.5 * (upper.height.y - lower.height.y);
        let bb = upper.height.y + lower.height.y - 2.0 * own.height.y;
        // Two of the corners make H_ab: those along the contour. The others are the steepest columns, and more than ten times as far off.
        let rises = a * b > 0.0;
        let corners = select(vec2f(lower.height.x, upper.height.z), vec2f(upper.height.x, lower.height.z), rises);
        let flaws = select(vec2f(lower.flaw.x, upper.flaw.z), vec2f(upper.flaw.x, lower.flaw.z), rises);
        if max(max(lower.flaw.y, upper.flaw.y), max(flaws.x, flaws.y)) > params.impurity { continue; }
        let ab = select(0.5, -0.5, rises) * (corners.x + corners.y - 2.0 * own.height.y - aa - bb);
        let bend = aa * (1.0 + b * b) + bb * (1.0 + a * a) - 2.0 * ab * a * b;
        return Result(-bend / pow(1.0 + a * a + b * b, 1.5) / CELL_SIZE, 2.0);
    }
    return Result(otherwise(cell) * found(cell), found(cell));
}

// The row next to another one. A wall is a copy of it.
fn beside(own: Row, middle: Cell, step: Cell, along: Cell, aside: Cell) -> Row {
    if open(middle + step) < 0.5 { return own; }
    return heights(middle + step, along, aside);
}

// Difference of V_f along an axis over the 3 x 3 (3D: 3 x 3 x 3) cells around, by Sobel's weights.
fn rise(cell: Cell, axis: i32) -> f32 {
    let here = vec3f(shares(cell).x);
    let aside = unit((axis + 1) % DIM);
    var sum = 0.0;
    for (var k = 2 - DIM; k <= DIM - 2; k++) {
        let place = cell + k * unit((axis + 2) % DIM);
        let difference = row(place + unit(axis), aside, here) - row(place - unit(axis), aside, here);
        sum += f32(2 - abs(k)) * (difference.x + difference.z + 2.0 * difference.y);
    }
    return sum;
}

// Where a column is pure and stops falling it ends, so that other interfaces don't count.
fn heights(middle: Cell, along: Cell, aside: Cell) -> Row {
    let centre = row(middle, aside, vec3f(0.5));
    var sum = centre - 0.5;
    var flaw = vec3f();
    for (var half = -1; half <= 1; half += 2) {
        // What there is of g below and of f above.
        let all_of = vec3f(select(0.0, 1.0, half < 0));
        var left = abs(all_of - centre);
        var last = centre;
        var ended = vec3<bool>();
        for (var k = 1; k <= params.reach; k++) {
            last = row(middle + half * k * along, aside, last);
            let next = abs(all_of - last);
            ended |= (left <= vec3f(params.impurity)) & (next >= left);
            flaw = max(flaw, select(next - left, vec3f(), ended));
            sum += f32(half) * select(next, vec3f(), ended);
            left = select(next, left, ended);
            if all(ended) { break; }
        }
        flaw = max(flaw, left);
    }
    return Row(sum, flaw);
}

// Shares of f in a cell and in those on either side of it. A wall repeats the cell beside it, else the last ones.
fn row(place: Cell, aside: Cell, last: vec3f) -> vec3f {
    var c = last;
    if open(place) > 0.5 { c = vec3f(shares(place).x); }
    if open(place - aside) > 0.5 { c.x = shares(place - aside).x; }
    if open(place + aside) > 0.5 { c.z = shares(place + aside).x; }
    return c;
}
