//! Links by Galerkin
//! Links of the next level, P^T A P: what cells twice as wide exchange when the cells between them take what Weights of Links says. Each cell
//! computes one of the four links of the wide cell at half its index, and a quarter of it holds no more: the mean of four (Restrict) is the
//! wide cell's. Links may be negative: with zero in their place, wide cells would resist
//! what the cells do not. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  links: Grid<vec4f>                   Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                      Links to open borders [m/kg]
//! @in  weights: Grid<vec4f>                 Parts that a cell takes of wide cells
//! @out parts: Grid<vec4f>, like links       Links of the wide cells, times four, one in each cell [m/kg]
//! @out sinks: Grid<f32>, like links         Sinks of the wide cells, times four, in parts [m/kg]
//! @use shared/link_stencil
//! @use shared/links
//! @use shared/link_interpolation

fn stage(cell: Cell) -> Result {
    let wide = half_of(cell);
    // A cell of an odd column computes the link to +x, of an odd row to +y, of both to +x+y, of neither to -x+y.
    let odd = cell - wide * 2;
    var parts = vec4f();
    let k = array<i32, 4>(3, 0, 1, 2)[odd.x + 2 * odd.y];
    parts[k] = 4.0 * wide_link(wide, wide + offset(k));
    // The first cell stands in for those beyond the border.
    if k == 3 && !inside(cell + unit(0) + unit(1)) {
        for (var other = 0; other < 3; other++) {
            if !inside(cell + offset(other)) { parts[other] = 4.0 * wide_link(wide, wide + offset(other)); }
        }
    }
    // As in Gather: cells before the first cell of the wide one, and behind the last.
    var sum = 0.0;
    var scale = 0.0;
    for (var i = 0; i < 9; i++) {
        let child = cell + unit(0) * (2 * odd.x - 2 + i % 3) + unit(1) * (2 * odd.y - 2 + i / 3);
        let weight = share(child, wide);
        if weight == 0.0 { continue; }
        var left = sink(child) * whole(child);
        for (var k = 0; k < 8; k++) {
            let l = link(child, k);
            if l == 0.0 { continue; }
            left += l * (whole(child) - whole(child + offset(k)));
            scale = max(scale, l);
        }
        sum += weight * left;
    }
    // Without open borders roundings are left.
    return Result(parts, select(0.0, 4.0 * sum, sum > 1e-5 * scale));
}

// Sum over the cells of one wide cell, and over those of the other around them.
fn wide_link(wide: Cell, other: Cell) -> f32 {
    var sum = 0.0;
    for (var y = -2; y <= 2; y++) {
        for (var x = -2; x <= 2; x++) {
            let child = wide * 2 + unit(0) * x + unit(1) * y;
            let weight = share(child, wide);
            if weight == 0.0 { continue; }
            let own = share(child, other);
            for (var k = 0; k < 8; k++) {
                let l = link(child, k);
                if l == 0.0 { continue; }
                sum += weight * l * (share(child + offset(k), other) - own);
            }
            sum -= weight * sink(child) * own;
        }
    }
    return sum;
}

// All that a cell takes: 1 but beside open borders and in walls.
fn whole(cell: Cell) -> f32 {
    return dot(abs(weights(cell)), vec4f(1.0));
}
