//! Reach
//! How far the contents of a cell can move without touching a wall: the largest box of open cells that grows around it, side by side, up
//! to a limit. Contents moved within it and distributed to the nearest cells end in open cells only. It grows across periodic borders;
//! all other borders are walls.
//! Source: saharan, oil clock article, 2016 (map of the largest and smallest velocity).
//!
//! @in    open: Grid<f32> = 1            1 in cells that fluid can fill, 0 in walls
//! @out   low: Grid<Vec>, like open      Maximum distance in the negative direction of each axis, zero or less [cells]
//! @out   high: Grid<Vec>, like open     Maximum distance in the positive direction of each axis, zero or more [cells]
//! @param limit: i32 = 4, 1..8           Maximum growth of the box on each side [cells]

const LARGEST = 289; // cells of a layer in 3D at the highest limit

fn stage(cell: Cell) -> Result {
    var low = Cell();
    var high = Cell();
    for (var round = 0; round < params.limit; round++) {
        for (var axis = 0; axis < DIM; axis++) {
            if all_open(cell, low, high, axis, low[axis] - 1) { low[axis] -= 1; }
            if all_open(cell, low, high, axis, high[axis] + 1) { high[axis] += 1; }
        }
    }
    return Result(Vec(low), Vec(high));
}

// Whether the layer of the box at an offset along an axis is open.
fn all_open(cell: Cell, low: Cell, high: Cell, axis: i32, offset: i32) -> bool {
    // From end to end there is a short way round along a periodic axis only.
    let around = displacement(Vec(), SIZE);
    let extent = high - low + Cell(1);
    var count = 1;
    for (var other = 0; other < DIM; other++) { count *= select(extent[other], 1, other == axis); }
    for (var index = 0; index < LARGEST; index++) {
        if index >= count { break; }
        var place = cell;
        var rest = index;
        for (var other = 0; other < DIM; other++) {
            if other == axis { place[other] += offset; continue; }
            place[other] += low[other] + rest % extent[other];
            rest /= extent[other];
        }
        if open(place) < 0.5 { return false; }
        for (var other = 0; other < DIM; other++) {
            if (place[other] < 0 || place[other] >= RESOLUTION[other]) && around[other] != 0.0 { return false; }
        }
    }
    return true;
}
