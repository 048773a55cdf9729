//! Spread Fractions
//! Moves each cell's content along the flow and shares it out to the cells nearest to where it arrives, so that no volume is lost: each share is a whole multiple
//! of 2^-20 and the nearest cell gets what is left. Each fluid is carried by the flow and its own attraction, which presses the interface together. Without
//! that the method is diffusive: it smears every interface by a fraction of a cell a step.
//! Source: saharan, oil clock article, 2016, step 7.
//!
//! @in    fractions: Grid<vec2f>                             Volume fractions V_f and V_g
//! @in    velocity: FaceGrid                                 Flow on the faces [m/s]
//! @in    attraction_f: Grid<Vec> = 0                        Pull on f, of a narrow blur [1/m]
//! @in    attraction_g: Grid<Vec> = 0                        Pull on g, of a narrow blur [1/m]
//! @in    low: Grid<Vec> = -1                                Farthest moves down each axis [cells]
//! @in    high: Grid<Vec> = 1                                Farthest moves up each axis [cells]
//! @out   result: Grid<vec2f>, like fractions, scatter 20    Volume fractions one step later
//! @param compression: f32 = 1, 0.., soft 0..2               Cells moved by a slope of one a cell: the larger, the crisper; from 3 on it breaks up [cells^2]

const CORNERS = 4 * (DIM - 1); // 2^DIM

fn stage(cell: Cell) {
    let v = fractions(cell);
    var flow = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        flow += Vec(unit(axis)) * 0.5 * (velocity_face(cell, 2 * axis) + velocity_face(cell, 2 * axis + 1));
    }
    let carried = flow * frame.dt / CELL_SIZE;
    let pull = params.compression * CELL_SIZE;
    spread(cell, carried + pull * attraction_f(cell), vec2f(v.x, 0.0));
    spread(cell, carried + pull * attraction_g(cell), vec2f(0.0, v.y));
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
