//! Parts by links
//! What the links of a cell in space say of the wide cells around it. Reads the inputs of Links of a cell in space, `reach`, `lower` and `upper`.
//! @use shared/around_wide

// Parts of the lower and upper four of eight wide cells, and whether links or the wide cells themselves tell them.
struct LinkParts { lower: vec4f, upper: vec4f, told: bool }

// `odd` are the axes along which the cell lies between wide cells. Along an axis with a `side` it takes of those on that side too, and where that is -1 its wide cells begin one lower.
fn parts_by_links(cell: Cell, odd: Cell, side: Cell) -> LinkParts {
    var stands = array<f32, 8>();
    var several = 0.0;
    for (var corner = 0; corner < 8; corner++) {
        stands[corner] = f32(stands_for(cell, odd, side, corner));
        several += stands[corner];
    }
    var parts = array<f32, 8>();
    var total = links_a(cell).w;
    var tied = total > 0.0;
    for (var k = 0; k < 2 * KEPT; k++) {
        if !links_b_wired && k % KEPT > 2 { continue; }
        let l = link(cell, k);
        tied = tied || l > 0.0;
        let step = offset(k) * (odd + abs(side));
        if l <= 0.0 || all(step == Cell()) { continue; }
        let other = cell + step;
        let plain = is_wide(other);
        let low = select(lower(other), vec4f(1.0, 0.0, 0.0, 0.0), plain);
        let high = select(upper(other), vec4f(), plain);
        // The other's wide cells are those of this cell, or one further up: along axes of upward steps, and without a step where this cell's begin one lower.
        var shift = 0;
        for (var axis = 0; axis < DIM; axis++) { shift |= i32(step[axis] > side[axis]) << u32(axis); }
        for (var corner = 0; corner < 8; corner++) {
            let part = select(low[corner & 3], high[corner & 3], corner > 3);
            let taken = l * part * stands[(corner | shift) & 7];
            parts[(corner | shift) & 7] += taken;
            total += taken;
        }
    }
    // Links in a bend lead to wide cells along neither side.
    let bend = tied && total <= 0.0;
    if bend {
        parts = stands;
        total = several;
    }
    let scale = select(0.0, 1.0 / total, total > 0.0);
    return LinkParts(
        scale * vec4f(parts[0], parts[1], parts[2], parts[3]),
        scale * vec4f(parts[4], parts[5], parts[6], parts[7]),
        !bend,
    );
}

// Whether one of the wide cells that a cell may take of stands for it. Of those two away, the cells between have taken already.
fn stands_for(cell: Cell, odd: Cell, side: Cell, corner: i32) -> bool {
    var away = Cell();
    var far = false;
    for (var axis = 0; axis < 3; axis++) {
        let up = (corner >> u32(axis)) & 1;
        if axis >= DIM { if up == 1 { return false; } continue; }
        away[axis] = odd[axis] * (1 - 2 * up);
        if odd[axis] == 1 || up == i32(side[axis] < 0) { continue; }
        if side[axis] == 0 { return false; }
        far = true;
    }
    let wide = cell - away;
    return far || exists(wide) && (!reach_wired || (reach(wide) >> u32(index_of(away)) & 1u) == 1u);
}

// Along each axis 1 for a cell that lies between wide cells.
fn between_wide(cell: Cell) -> Cell {
    var odd = Cell();
    for (var axis = 0; axis < DIM; axis++) { odd[axis] = cell[axis] & 1; }
    return odd;
}
