//! Spread Fractions
//! Moves each cell's contents along the flow and distributes them to the cells nearest to the target, so that no volume is lost: each share is an integer multiple
//! of 2^-20, and the nearest cell gets the rest. Each fluid is carried by the flow and its own attraction, which compresses the interface. Without
//! this the method is diffusive: it smears every interface by a fraction of a cell per step.
//! Source: saharan, oil clock article, 2016, step 7.
//!
//! @in    fractions: Grid<vec2f>                             Volume fractions V_f and V_g
//! @in    velocity: FaceGrid                                 Flow on the faces [m/s]
//! @in    attraction_f: Grid<Vec> = 0                        Attraction of f, from a narrow blur [1/m]
//! @in    attraction_g: Grid<Vec> = 0                        Attraction of g, from a narrow blur [1/m]
//! @in    low: Grid<Vec> = -1                                Maximum distance in the negative direction of each axis [cells]
//! @in    high: Grid<Vec> = 1                                Maximum distance in the positive direction of each axis [cells]
//! @out   result: Grid<vec2f>, like fractions, scatter 20    Volume fractions one step later
//! @param compression: f32 = 1, 0.., soft 0..2               Cells moved by a gradient of one per cell. Larger is sharper; from 3 on the interface breaks up [cells^2]

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
