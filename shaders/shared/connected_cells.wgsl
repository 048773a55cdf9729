//! Connected cells
//! Interpolation on one side of walls. Reads the inputs `open` and `field`.
//! @use shared/space
//! @use shared/wall_path

// A weighted sum, and its weight.
struct Sum { value: F, weight: f32 }

// Linear interpolation between the cells around the end of a way that are connected with its cell, through faces of open ones among them.
fn between_walls(way: Way) -> Sum {
    let lowest = floor(way.end - 0.5);
    let upper = way.end - 0.5 - lowest;
    let own = clamp(way.cell - Cell(lowest), Cell(), Cell(1));
    var sum = Sum(F(), 0.0);
    var connected = 0u;
    // By the axes along which a cell differs from that of the way: each comes after those between.
    for (var apart = 0; apart < CORNERS; apart++) {
        var near = Cell(lowest);
        var weight = 1.0;
        var reached = apart == 0;
        for (var axis = 0; axis < DIM; axis++) {
            let beside = (apart >> u32(axis)) & 1;
            let step = own[axis] ^ beside;
            near += step * unit(axis);
            weight *= select(1.0 - upper[axis], upper[axis], step == 1);
            let before = apart ^ (1 << u32(axis));
            reached = reached || (beside == 1 && ((connected >> u32(before)) & 1u) == 1u);
        }
        if !reached || open(near) < 0.5 { continue; }
        connected |= 1u << u32(apart);
        sum.value += weight * field(near);
        sum.weight += weight;
    }
    return sum;
}
