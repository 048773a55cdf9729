//! Weights of Links
//! Interpolation that follows the density. Every second cell along both axes is a cell of the next level. A cell between two of them
//! takes from each in the ratio of its links to either side, so that the flux through it is continuous, and nothing through
//! a wall. A cell between four takes what its eight links say, with the cells beside it interpolated so already. It takes only of wide cells
//! that stand for it (Reach of Wide Cells): others are behind a wall. Negative links count as none, so no part is negative. 2D only.
//! Source: Alcouffe, Brandt, Dendy and Painter, SIAM J. Sci. Stat. Comput. 2, 1981; Dendy, J. Comput. Phys. 48, 1982.
//!
//! @in  links: Grid<vec4f>                   Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                      Links to open borders [m/kg]
//! @in  reach: Grid<u32>                     Bits for the nine cells around each wide cell, x first: which of them it stands for
//! @out weights: Grid<vec4f>, like links     Parts that a cell takes of the wide cell at half its index, of those at +x, +y and +x+y

fn stage(cell: Cell) -> vec4f {
    let odd = vec2<bool>((cell.x & 1) == 1, (cell.y & 1) == 1);
    if !any(odd) { return vec4f(1.0, 0.0, 0.0, 0.0); }
    if !odd.y { let part = between(cell, 0); return vec4f(part, 0.0, 0.0); }
    if !odd.x { let part = between(cell, 1); return vec4f(part.x, 0.0, part.y, 0.0); }
    let low = link(cell, 5) * between(cell - unit(1), 0);
    let high = link(cell, 1) * between(cell + unit(1), 0);
    let left = link(cell, 4) * between(cell - unit(0), 1);
    let right = link(cell, 0) * between(cell + unit(0), 1);
    let corners = vec4f(link(cell, 6), link(cell, 7), link(cell, 3), link(cell, 2));
    var parts = corners + vec4f(low, high) + vec4f(left.x, right.x, left.y, right.y);
    var stands = vec4f();
    for (var k = 0; k < 4; k++) {
        stands[k] = f32(stands_for(cell + unit(0) * (2 * (k & 1) - 1) + unit(1) * (2 * (k >> 1) - 1), cell));
    }
    parts *= stands;
    let sum = dot(parts, vec4f(1.0)) + sink(cell);
    if sum > 0.0 { return parts / sum; }
    return select(vec4f(), stands / max(dot(stands, vec4f(1.0)), 1.0), around(cell) > 0.0);
}

// Parts of the two cells on either side along an axis: the links across the axis are summed up.
fn between(cell: Cell, axis: i32) -> vec2f {
    if around(cell) <= 0.0 { return vec2f(); }
    var sides = vec2f(link(cell, 4 + axis), link(cell, axis));
    if axis == 0 {
        sides += vec2f(link(cell, 3) + link(cell, 6), link(cell, 2) + link(cell, 7));
    } else {
        sides += vec2f(link(cell, 6) + link(cell, 7), link(cell, 2) + link(cell, 3));
    }
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

// The eight cells around: +x, +y, +x+y, -x+y, and opposite to these.
fn offset(k: i32) -> Cell {
    let along = array<Cell, 4>(unit(0), unit(1), unit(0) + unit(1), unit(1) - unit(0))[k & 3];
    return select(along, -along, k > 3);
}

// Link to one of them; there is none from or to a cell beyond a border, unless it is periodic.
fn link(cell: Cell, k: i32) -> f32 {
    let other = cell + offset(k);
    if !exists(cell) || !exists(other) { return 0.0; }
    if k < 4 { return max(links(cell)[k], 0.0); }
    return max(links(other)[k - 4], 0.0);
}

// Whether there is a cell: inside, or around a periodic axis.
fn exists(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        let around = !wall_face(Cell(), axis) && !open_face(Cell(), axis);
        if (cell[axis] < 0 || cell[axis] >= RESOLUTION[axis]) && !around { return false; }
    }
    return true;
}
