//! Links by Galerkin in Space
//! Links of the next level, P^T A P: what cells twice as wide exchange when the cells between them take what Weights of Links in Space says.
//! Links may be negative: with zero in their place, wide cells would resist what the cells do not.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  links_a: Grid<vec4f>, nearest            Links to the cells at +x, +y and +z, and the sink [m/kg]
//! @in  links_b: Grid<vec4f> = 0, nearest        Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in  links_c: Grid<vec4f> = 0, nearest        Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in  links_d: Grid<vec4f> = 0, nearest        Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in  lower: Grid<vec4f>, nearest              Parts that a cell takes of the lower four of eight wide cells
//! @in  upper: Grid<vec4f>, nearest              Parts of the upper four
//! @out wide_a: Grid<vec4f>, half links_a        The same links of wide cells [m/kg]
//! @out wide_b: Grid<vec4f>, half links_a        The same links of wide cells [m/kg]
//! @out wide_c: Grid<vec4f>, half links_a        The same links of wide cells [m/kg]
//! @out wide_d: Grid<vec4f>, half links_a        The same links of wide cells [m/kg]
//! @use shared/links_3d
//! @use shared/links_at
//! @use shared/wide_shares

fn stage(cell: Cell) -> Result {
    // What a correction of 1 in the wide cells around changes in this one.
    var row = array<f32, 27>();
    for (var index = 0; index < AROUND; index++) {
        let child = around(cell, index);
        let weight = share(child, cell);
        if weight == 0.0 { continue; }
        var total = links_a_at(finer_position(child)).w;
        for (var k = 0; k < 2 * KEPT; k++) {
            if !links_b_wired && k % KEPT > 2 { continue; }
            let l = link(child, k);
            if l == 0.0 { continue; }
            total += l;
            add(&row, cell, child + offset(k), weight * l);
        }
        add(&row, cell, child, -weight * total);
    }
    var sum = 0.0;
    var scale = 0.0;
    for (var i = 0; i < 27; i++) {
        sum -= row[i];
        scale += abs(row[i]);
    }
    // Without open borders roundings of some thousand products are left.
    let sink = select(0.0, sum, sum > 1e-5 * scale);
    return Result(
        vec4f(row[14], row[16], row[22], sink),
        vec4f(row[17], row[15], row[23], row[21]),
        vec4f(row[25], row[19], row[26], row[24]),
        vec4f(row[20], row[18], 0.0, 0.0),
    );
}

// Adds an amount of what a finer cell takes of the wide cells around it.
fn add(row: ptr<function, array<f32, 27>>, wide: Cell, child: Cell, amount: f32) {
    let parts = parts_of(child);
    let first = half_of(child) - wide;
    for (var corner = 0; corner < 8; corner++) {
        let part = select(parts.lower[corner & 3], parts.upper[corner & 3], corner > 3);
        if part == 0.0 { continue; }
        var index = 0;
        var stride = 1;
        for (var axis = 0; axis < DIM; axis++) {
            index += clamp(first[axis] + 1 + ((corner >> u32(axis)) & 1), 0, 2) * stride;
            stride *= 3;
        }
        (*row)[index] += amount * part;
    }
}

// Link between finer cells.
fn link(child: Cell, k: i32) -> f32 {
    var keeper = child;
    if k >= KEPT { keeper += offset(k); }
    if !finer_exists(keeper) { return 0.0; }
    return kept_at(finer_position(keeper), k % KEPT);
}
