//! Liquid Level
//! The first step of drawing a liquid: the share of fluid f, continued from the fluid into the walls by a weighted mean of the
//! cells around, so that the vessel's outline, not its cells, bounds the liquid. Films of either fluid along the wall that are not
//! thicker than `film` would show the steps of the cells, so they are not shown.
//! Source: normalised convolution, Knutsson and Westin, CVPR 1993; prefiltered splines, Unser, IEEE Signal Processing Magazine 16, 1999
//! (here to first order).
//!
//! @in    shares: Grid<vec2f>                Fractions of f and g whose sum is one
//! @in    open: Grid<f32>                    1 in cells that fluid can fill, 0 in walls
//! @in    vessel: Field<f32> = -1e9          Signed distance to the vessel, negative inside; used to detect films [m]
//! @out   relief: Grid<vec4f>, like shares   Share of f; 1 where it is known; 0, for Liquid Inflate; a cell's width in metres
//! @param film: f32 = 1, 0..2                Thickness of films that are not shown [cells]
//! @param sharpen: f32 = 0.75, 0..1          Sharpening against the splines' blur, for thin threads; at 1 cells become visible
//! @param sigma: f32 = 1.2, 0.1..4           Reach of the mean into walls and films [cells]

fn stage(cell: Cell) -> vec4f {
    let trusted = trust(cell);
    let share = shares(cell).x;
    // A cubic B-spline blurs by 1 + d^2 / 6 along each axis, d^2 the second difference; walls count as more of the same.
    var bend = 0.0;
    for (var face = 0; face < FACES; face++) {
        let there = neighbor(cell, face);
        bend += trust(there) * (shares(there).x - share);
    }
    let own = share - params.sharpen * bend / 6.0;
    if trusted == 1.0 { return vec4f(own, 1.0, 0.0, CELL_SIZE); }

    var sum = 0.0;
    var total = 0.0;
    // Two cells are what reading by splines needs, and two may be films.
    for (var k = 0; k < 81; k++) {
        let offset = vec2i(k % 9 - 4, k / 9 - 4);
        var there = cell;
        there.x += offset.x;
        there.y += offset.y;
        let away = vec2f(offset);
        let weight = trust(there) * exp(-0.5 * dot(away, away) / (params.sigma * params.sigma));
        sum += weight * shares(there).x;
        total += weight;
    }
    let is_open = select(0.0, 1.0, open(cell) > 0.0);
    let around = select(share, sum / max(total, 1e-20), total > 0.0);
    return vec4f(mix(around, own, trusted), select(is_open, 1.0, total > 0.0), 0.0, CELL_SIZE);
}

// 1 where the share of a cell is shown as it is, 0 in walls and films.
fn trust(cell: Cell) -> f32 {
    if !inside(cell) || open(cell) == 0.0 { return 0.0; }
    if params.film == 0.0 { return 1.0; }
    return clamp(0.5 - params.film - vessel(position(cell)) / CELL_SIZE, 0.0, 1.0);
}
