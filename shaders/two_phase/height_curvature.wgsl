//! Curvature by Heights
//! Curvature of the interface from the heights of three columns of cells along the axis nearer to its normal,
//! H = h sum of V_f,  kappa = -H'' / (1 + H'^2)^(3/2):  1 / R for a disc of f, -1 / R for one of g. Second order: too large by 3/8 to 3/4 of
//! (h / R)^2; an interface smeared by s adds up to 9 (s / R)^2. The columns are centred on the interface, so that all its cells in a column
//! get the same value. A column must change from pure to pure once; otherwise the other axis is tried, then `otherwise` is used, as in threads and
//! drops with a radius below four cells. In 3D it is the curvature within each xy slice.
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

fn stage(cell: Cell) -> Result {
    let slope = vec2f(rise(cell, unit(0), unit(1)), rise(cell, unit(1), unit(0)));
    let off = open(cell) < 0.5 || all(slope == vec2f(0.0));
    let steep = select(1, 0, abs(slope.x) > abs(slope.y));
    for (var turn = 0; turn < 2 && !off; turn++) {
        let axis = abs(steep - turn);
        let along = select(-unit(axis), unit(axis), slope[axis] < 0.0); // out of f
        var h = heights(cell, along, unit(1 - axis));
        // The window moves to where the interface is.
        let middle = cell + i32(round(h.y)) * along;
        if any(middle != cell) && open(middle) > 0.5 && inside(middle) { h = heights(middle, along, unit(1 - axis)); }
        if h.w > params.impurity { continue; }
        let first = 0.5 * (h.z - h.x);
        let second = h.z - 2.0 * h.y + h.x;
        return Result(-second / pow(1.0 + first * first, 1.5) / CELL_SIZE, 2.0);
    }
    return Result(otherwise(cell) * found(cell), found(cell));
}

// Difference of V_f along a direction over the 3 x 3 cells around, by Sobel's weights.
fn rise(cell: Cell, along: Cell, aside: Cell) -> f32 {
    let here = vec3f(shares(cell).x);
    return dot(vec3f(1.0, 2.0, 1.0), row(cell + along, aside, here) - row(cell - along, aside, here));
}

// Heights of three columns over the middle [cells], and how far these are from falling from 1 to 0 once. Where a column is pure and
// stops falling it ends, so that other interfaces don't count.
fn heights(middle: Cell, along: Cell, aside: Cell) -> vec4f {
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
    return vec4f(sum, max(flaw.x, max(flaw.y, flaw.z)));
}

// Shares of f in a cell and in those on either side of it. A wall repeats the cell beside it, else the last ones.
fn row(place: Cell, aside: Cell, last: vec3f) -> vec3f {
    var c = last;
    if open(place) > 0.5 { c = vec3f(shares(place).x); }
    if open(place - aside) > 0.5 { c.x = shares(place - aside).x; }
    if open(place + aside) > 0.5 { c.z = shares(place + aside).x; }
    return c;
}
