//! Advect Value (faces)
//! Carries a value at cell centres along a flow on faces:  q(x) = q_old(x - dt u(x - dt u / 2)).  The lookup is linear over the open
//! cells around the place. Nothing comes through walls: a path back ends where it meets one, and only open cells on its side of it give. No new extrema, stable for any step; it smooths like a diffusivity of about h |u| / 4.
//! Source: Stam, SIGGRAPH 1999 (semi-Lagrangian); Bridson, Fluid Simulation for Computer Graphics, ch. 3 (midpoint path).
//! Source: Amanatides and Woo, A Fast Voxel Traversal Algorithm, 1987 (paths from cell to cell).
//!
//! @in    field: Grid<F>                   What the flow carries
//! @in    velocity: FaceGrid               Flow on the faces [m/s]
//! @in    open: Grid<f32> = 1              1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<F>, like field      The same one step later

const CORNERS = 4 * (DIM - 1); // 2^DIM
const LONGEST = 256; // cells that a path back crosses

fn stage(cell: Cell) -> F {
    if open(cell) < 0.5 { return field(cell); }
    let here = position(cell);
    let half_way = here - 0.5 * frame.dt * velocity_at(here);
    let origin = here - frame.dt * velocity_at(half_way);
    if !open_wired { return field_at(origin); }
    let sum = between_walls(before_walls(cell, (origin - here) / CELL_SIZE));
    return sum.value / sum.weight;
}

// The end of a way from a cell's centre, in cells, and the cell in which it lies.
struct Way { end: Vec, cell: Cell }

// A way that stops at the first wall. It leads from cell to cell through faces, so it does not slip between walls that touch at an edge.
fn before_walls(start: Cell, way: Vec) -> Way {
    var here = start;
    // The parts of the way after which it comes to the next face along each axis.
    var next = Vec();
    for (var axis = 0; axis < DIM; axis++) { next[axis] = 0.5 / max(abs(way[axis]), 1e-20); }
    var part = 0.0;
    for (var i = 0; i < LONGEST; i++) {
        var axis = 0;
        for (var other = 1; other < DIM; other++) { if next[other] < next[axis] { axis = other; } }
        part = min(next[axis], 1.0);
        let ahead = here + unit(axis) * select(-1, 1, way[axis] > 0.0);
        if part == 1.0 || open(ahead) < 0.5 { break; }
        here = ahead;
        next[axis] += 1.0 / max(abs(way[axis]), 1e-20);
    }
    return Way(Vec(start) + 0.5 + part * way, here);
}

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

// A weighted sum, and its weight.
struct Sum { value: F, weight: f32 }
