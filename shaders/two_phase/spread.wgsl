//! Spread Fractions
//! Moves each cell's contents along the flow and distributes them to the cells nearest to the target, so that no volume is lost: each share is an integer multiple
//! of 2^-20, and the nearest cell gets the rest. Each fluid is carried by the flow and its own attraction, which compresses the interface. Without
//! this the method is diffusive: it smears every interface by a fraction of a cell per step. The article has two attractions: one of a narrow blur that
//! acts here alone, and the one that step 8 adds to the flow, which it reads as carrying each fluid as well:  dx = strength dt^2 s.
//! Source: saharan, oil clock article, 2016, step 7.
//!
//! @in    fractions: Grid<vec2f>                             Volume fractions V_f and V_g
//! @in    velocity: FaceGrid                                 Flow on the faces [m/s]
//! @in    attraction_f: Grid<Vec> = 0                        Attraction of f, from a narrow blur [1/m]
//! @in    attraction_g: Grid<Vec> = 0                        Attraction of g, from a narrow blur [1/m]
//! @in    tension_f: Grid<Vec> = 0                           Attraction of f from the wide blur of step 8, if it is to carry f too [1/m]
//! @in    tension_g: Grid<Vec> = 0                           The same of g [1/m]
//! @in    low: Grid<Vec> = -1                                Maximum distance in the negative direction of each axis [cells]
//! @in    high: Grid<Vec> = 1                                Maximum distance in the positive direction of each axis [cells]
//! @out   result: Grid<vec2f>, like fractions, scatter 20    Volume fractions one step later
//! @param compression: f32 = 1, 0.., soft 0..2               Cells moved in a step by a gradient of one per cell. Larger is sharper; from 3 on the interface breaks up. It sharpens in each step, however short [cells^2]
//! @param strength: f32 = 0.01, soft 0..1                    Acceleration per gradient of the wide attraction, as in step 8 [m^2/s^2]
//! @use shared/space

fn stage(cell: Cell) {
    let v = fractions(cell);
    var flow = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        flow += Vec(unit(axis)) * 0.5 * (velocity_face(cell, 2 * axis) + velocity_face(cell, 2 * axis + 1));
    }
    let carried = flow * frame.dt / CELL_SIZE;
    let pull = params.compression * CELL_SIZE;
    var move_f = carried + pull * attraction_f(cell);
    var move_g = carried + pull * attraction_g(cell);
    let wide = params.strength * frame.dt * frame.dt / CELL_SIZE;
    if tension_f_wired { move_f += wide * tension_f(cell); }
    if tension_g_wired { move_g += wide * tension_g(cell); }
    spread(cell, move_f, vec2f(v.x, 0.0));
    spread(cell, move_g, vec2f(0.0, v.y));
}

// The nearest cell gets what rounding leaves; it is never beyond the box of free moves, where the farthest may be.
fn spread(cell: Cell, wanted: Vec, amount: vec2f) {
    let place = Vec(cell) + clamp(wanted, low(cell), high(cell));
    let lowest = floor(place);
    let nearest = Cell(floor(place + 0.5));
    var left = amount;
    for (var corner = 0; corner < CORNERS; corner++) {
        var weight = 1.0;
        var around = Cell(lowest);
        for (var axis = 0; axis < DIM; axis++) {
            let upper = (corner >> u32(axis)) & 1;
            let part = place[axis] - lowest[axis];
            weight *= select(1.0 - part, part, upper == 1);
            around += unit(axis) * upper;
        }
        if all(around == nearest) { continue; }
        let share = floor(amount * weight * 1048576.0) / 1048576.0;
        left -= share;
        add_result(around, share);
    }
    add_result(nearest, left);
}
