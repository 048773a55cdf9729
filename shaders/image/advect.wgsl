//! Advect Image
//! Carries an image along the velocity, semi-Lagrangian:  c(x, t + dt) = c(x - dt u, t) exp(-dissipation dt),
//! with a limited bicubic lookup, so that it stays sharp over hundreds of steps. In 3D and beside walls the lookup is linear.
//! Sums drift: the limiter adds 9 % of a jet's dye a second on 256 cells a side. Advect (conservative) keeps them.
//! Nothing comes through walls: a path back ends where it meets one, and only open cells on its side of it give.
//! Source: Stam, SIGGRAPH 1999; Keys, Cubic Convolution Interpolation, 1981; clamped against overshoot as in Selle et al. 2008.
//! Source: Amanatides and Woo, A Fast Voxel Traversal Algorithm, 1987 (paths from cell to cell).
//!
//! @in    velocity: Grid<Vec>                    Flow that carries the image [m/s]
//! @in    image: Grid<F>                         The image, or any field
//! @in    open: Grid<f32> = 1                    1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<F>, like image            The image one step later
//! @param sharpness: f32 = 1, 0..2               0 linear, soft like dye; 1 bicubic, sharp like ink; above 1 edges become sharper as they move
//! @param order: i32 = 2, 1..2, fixed            Backtrace: 1 one Euler step, 2 midpoint (Runge-Kutta 2)
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the image fades [1/s]
//! @use shared/space
//! @use shared/wall_path

fn stage(cell: Cell) -> F {
    var origin = departure(position(cell));
    if open_wired {
        if open(cell) < 0.5 { return image(cell); }
        let way = before_walls(cell, (origin - position(cell)) / CELL_SIZE);
        let sum = between_walls(way);
        if !sum.whole { return sum.value * (exp(-params.dissipation * frame.dt) / sum.weight); }
        origin = way.end * CELL_SIZE;
    }
    return carried(origin) * exp(-params.dissipation * frame.dt);
}

// A weighted sum, its weight, and whether all cells take part.
struct Sum { value: F, weight: f32, whole: bool }

// Linear interpolation between the cells around the end of a way that are connected with its cell, through faces of open ones among them.
fn between_walls(way: Way) -> Sum {
    let lowest = floor(way.end - 0.5);
    let upper = way.end - 0.5 - lowest;
    let own = clamp(way.cell - Cell(lowest), Cell(), Cell(1));
    var sum = Sum(F(), 0.0, true);
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
        if !reached || open(near) < 0.5 { sum.whole = false; continue; }
        connected |= 1u << u32(apart);
        sum.value += weight * image(near);
        sum.weight += weight;
    }
    return sum;
}

fn carried(origin: Vec) -> F {
    if DIM == 3 || params.sharpness == 0.0 { return image_at(origin); }
    if params.sharpness >= 1.0 { return bicubic(origin); }
    return mix(image_at(origin), bicubic(origin), F(params.sharpness));
}

// Where the fluid now at `arrival` was one step ago.
fn departure(arrival: Vec) -> Vec {
    let start = velocity_at(arrival);
    if params.order == 1 { return arrival - frame.dt * start; }
    return arrival - frame.dt * velocity_at(arrival - 0.5 * frame.dt * start);
}

// Cubic over 4 x 4 cells, kept between the extremes of the four cells around the point: no ringing.
fn bicubic(point: Vec) -> F {
    let in_cells = point / CELL_SIZE - 0.5;
    let lowest = Cell(floor(in_cells));
    let within = fract(in_cells);
    var sum = F();
    var low = image(lowest);
    var high = low;
    for (var y = -1; y < 3; y++) {
        for (var x = -1; x < 3; x++) {
            let value = image(lowest + unit(0) * x + unit(1) * y);
            sum += value * (cubic(within.x - f32(x)) * cubic(within.y - f32(y)));
            if min(x, y) >= 0 && max(x, y) <= 1 {
                low = min(low, value);
                high = max(high, value);
            }
        }
    }
    return clamp(sum, low, high);
}

// Keys' kernel: slope -1/2 is Catmull and Rom's, true to third order; a steeper one sharpens at each step.
fn cubic(offset: f32) -> f32 {
    let slope = -0.5 * max(params.sharpness, 1.0);
    let d = abs(offset);
    if d < 1.0 { return ((slope + 2.0) * d - (slope + 3.0)) * d * d + 1.0; }
    return slope * (((d - 5.0) * d + 8.0) * d - 4.0);
}
