//! Weights of Links
//! Interpolation that follows the density. Every second cell along both axes is a cell of the next level. A cell between two of them
//! takes from each in the ratio of its links to either side, so that the flux through it is continuous, and nothing through
//! a wall. A cell between four takes what its eight links say, with the cells beside it interpolated so already. So does a cell between two
//! with a wall on one side: along an oblique wall the two alone would give it a pressure that is constant in steps. It takes only of wide
//! cells that stand for it (Reach of Wide Cells): others are behind a wall. Negative links count as none, so no part is negative. 2D only.
//! Source: Alcouffe, Brandt, Dendy and Painter, SIAM J. Sci. Stat. Comput. 2, 1981; Dendy, J. Comput. Phys. 48, 1982.
//!
//! @in  links: Grid<vec4f>                   Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                      Links to open borders [m/kg]
//! @in  reach: Grid<u32>                     Bits for the nine cells around each wide cell, x first: which of them it stands for
//! @out weights: Grid<vec4f>, like links     Parts that a cell takes of the wide cell at half its index, of those at +x, +y and +x+y; with a minus sign, of the four one lower across the line of two it is on
//! @use shared/link_stencil
//! @use shared/positive_links

fn stage(cell: Cell) -> vec4f {
    let odd = vec2<bool>((cell.x & 1) == 1, (cell.y & 1) == 1);
    if !any(odd) { return vec4f(1.0, 0.0, 0.0, 0.0); }
    var middle = cell;
    var side = 0;
    var plain = vec4f();
    if !all(odd) {
        let axis = select(0, 1, odd.y);
        let part = between(cell, axis);
        plain = select(vec4f(part, 0.0, 0.0), vec4f(part.x, 0.0, part.y, 0.0), odd.y);
        // With links to one side only it belongs to the four wide cells there.
        side = only_side(cell, 1 - axis);
        middle += unit(1 - axis) * side;
        if side == 0 || min(middle.x, middle.y) < 0 || middle.x >= RESOLUTION.x || middle.y >= RESOLUTION.y { return plain; }
    }
    let whole = middle_parts(middle);
    if side == 0 { return whole; }
    let parts = by_links(cell, middle) + link_to(cell, middle) * whole;
    let sum = dot(parts, vec4f(1.0)) + sink(cell);
    if sum <= 0.0 { return plain; }
    return f32(side) * parts / sum;
}

// Parts of the four wide cells around the middle of them.
fn middle_parts(cell: Cell) -> vec4f {
    let parts = by_links(cell, cell);
    let sum = dot(parts, vec4f(1.0)) + sink(cell);
    if sum > 0.0 { return parts / sum; }
    var stands = vec4f();
    for (var k = 0; k < 4; k++) {
        stands[k] = f32(stands_for(cell + unit(0) * (2 * (k & 1) - 1) + unit(1) * (2 * (k >> 1) - 1), cell));
    }
    return select(vec4f(), stands / max(dot(stands, vec4f(1.0)), 1.0), around(cell) > 0.0);
}

// What the links of a cell say of the four wide cells around a middle: links to these, and to the cells between two of them.
fn by_links(cell: Cell, middle: Cell) -> vec4f {
    var parts = vec4f();
    for (var k = 0; k < 8; k++) {
        let other = cell + offset(k);
        let l = link(cell, k);
        let apart = other - middle;
        if l <= 0.0 || max(abs(apart.x), abs(apart.y)) > 1 || all(apart == Cell()) { continue; }
        // Of the lower left, the lower right, the upper left and the upper right.
        let lower = (apart.x + 1) / 2 + (apart.y + 1) / 2 * 2;
        if apart.x != 0 && apart.y != 0 {
            parts[lower] += l * f32(stands_for(other, cell));
            continue;
        }
        let axis = select(0, 1, apart.x != 0);
        let two = l * between(other, axis);
        parts[lower] += two.x;
        parts[lower + 1 + axis] += two.y;
    }
    return parts;
}

// 1 or -1 for a cell with links to one side of a line only, else 0. A negative link ties it as well.
fn only_side(cell: Cell, across: i32) -> i32 {
    var tied = vec2<bool>();
    for (var k = 0; k < 8; k++) {
        let side = offset(k)[across];
        let other = cell + offset(k);
        if side == 0 || !exists(other) { continue; }
        var l = 0.0;
        if k < 4 { l = links(cell)[k]; } else { l = links(other)[k - 4]; }
        if l != 0.0 { tied[(side + 1) / 2] = true; }
    }
    return i32(tied.y) - i32(tied.x);
}

fn link_to(cell: Cell, other: Cell) -> f32 {
    for (var k = 0; k < 8; k++) {
        if all(cell + offset(k) == other) { return link(cell, k); }
    }
    return 0.0;
}

// Parts of the two cells on either side along an axis: the links across the axis are summed up.
fn between(cell: Cell, axis: i32) -> vec2f {
    var all = sink(cell);
    var sides = vec2f();
    for (var k = 0; k < 8; k++) {
        let l = link(cell, k);
        let side = offset(k)[axis];
        all += l;
        sides += l * vec2f(f32(side < 0), f32(side > 0));
    }
    if all <= 0.0 { return vec2f(); }
    let stands = vec2f(f32(stands_for(cell - unit(axis), cell)), f32(stands_for(cell + unit(axis), cell)));
    sides *= stands;
    let sum = sides.x + sides.y;
    // Links in a bend lead to a wide cell along neither side.
    if sum <= 0.0 { return stands / max(stands.x + stands.y, 1.0); }
    return sides / (sum + sink(cell));
}

// Whether a wide cell beside a cell stands for it.
fn stands_for(wide: Cell, cell: Cell) -> bool {
    let apart = cell - wide;
    return exists(wide) && (reach(wide) >> u32(apart.x + 1 + 3 * (apart.y + 1)) & 1u) == 1u;
}

fn around(cell: Cell) -> f32 {
    var total = sink(cell);
    for (var k = 0; k < 8; k++) { total += link(cell, k); }
    return total;
}
