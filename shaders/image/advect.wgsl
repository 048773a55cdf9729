//! Advect Image
//! Carries an image along the velocity, semi-Lagrangian:  c(x, t + dt) = c(x - dt u, t) exp(-dissipation dt),
//! with a limited bicubic lookup, so that it stays sharp over hundreds of steps. In 3D and beside walls the lookup is linear. A path that
//! would begin in a wall is shortened, and cells in walls neither give nor take.
//! Source: Stam, SIGGRAPH 1999; Keys, Cubic Convolution Interpolation, 1981; clamped against overshoot as in Selle et al. 2008.
//!
//! @in    velocity: Grid<Vec>                    Flow that carries the image [m/s]
//! @in    image: Grid<T>                         The image, or any field
//! @in    open: Grid<f32> = 1                    1 in cells that fluid can fill, 0 in walls
//! @out   result: Grid<T>, like image            The image one step later
//! @param sharpness: f32 = 1, 0..2               0 linear, soft like dye; 1 bicubic, sharp like ink; above 1 edges become sharper as they move
//! @param order: i32 = 2, 1..2, fixed            Backtrace: 1 one Euler step, 2 midpoint (Runge-Kutta 2)
//! @param dissipation: f32 = 0, 0.., soft 0..4   Rate at which the image fades [1/s]

const CORNERS = 4 * (DIM - 1); // 2^DIM

fn stage(cell: Cell) -> T {
    var origin = departure(position(cell));
    if open_wired {
        if open(cell) < 0.5 { return image(cell); }
        for (var i = 0; i < 8; i++) { origin = select(origin, 0.5 * (origin + position(cell)), open_at(origin) < 0.5); }
        // Linear interpolation between open cells.
        let lowest = Cell(floor(origin / CELL_SIZE - 0.5));
        var upper = fract(origin / CELL_SIZE - 0.5);
        var sum = T();
        var total = 0.0;
        var beside_wall = false;
        for (var corner = 0; corner < CORNERS; corner++) {
            var near = lowest;
            var weight = 1.0;
            for (var axis = 0; axis < DIM; axis++) {
                let step = (corner >> u32(axis)) & 1;
                near += step * unit(axis);
                weight *= select(1.0 - upper[axis], upper[axis], step == 1);
            }
            sum += image(near) * (weight * open(near));
            total += weight * open(near);
            beside_wall = beside_wall || open(near) < 0.5;
        }
        if beside_wall { return sum * (exp(-params.dissipation * frame.dt) / total); }
    }
    return carried(origin) * exp(-params.dissipation * frame.dt);
}

fn carried(origin: Vec) -> T {
    if DIM == 3 || params.sharpness == 0.0 { return image_at(origin); }
    if params.sharpness >= 1.0 { return bicubic(origin); }
    return mix(image_at(origin), bicubic(origin), T(params.sharpness));
}

// Where the fluid now at `arrival` was one step ago.
fn departure(arrival: Vec) -> Vec {
    let start = velocity_at(arrival);
    if params.order == 1 { return arrival - frame.dt * start; }
    return arrival - frame.dt * velocity_at(arrival - 0.5 * frame.dt * start);
}

// Cubic over 4 x 4 cells, kept between the extremes of the four cells around the point: no ringing.
fn bicubic(point: Vec) -> T {
    let in_cells = point / CELL_SIZE - 0.5;
    let lowest = Cell(floor(in_cells));
    let within = fract(in_cells);
    var sum = T();
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
