//! Obstacle
//! What the stages on faces need of a solid body: the open fraction of each face and the mean distance to the body over that part, from the signed
//! distance at its corners, and the velocity of the body. A face that is partly open has a positive distance, a closed one none. The open fractions are
//! the weights of the pressure solvers for variable density. The distance d is corrected for the mean curvature k of the body, d - k d^2 / 2: to second order
//! a harmonic function that is 0 on the body and rises by 1 per metre there, as a flow along it does. For a body that does not change, this runs once.
//! A body that moves is where it is at the end of the step, with its velocity there, in both halves of a fluid step.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007, section 4.2 (fractions); Ng, Min and Gibou, J. Comput. Phys. 228, 2009.
//!
//! @in  shape: Field<f32>             Signed distance to the body, negative inside [m]
//! @in  motion: Field<Vec> = 0, velocity of shape  Velocity of the body [m/s]
//! @out fraction: FaceGrid            Open part of each face, 0 on closed borders and inflows
//! @out distance: FaceGrid            Mean distance of the open part of each face; of closed faces that of the centre, 0 or negative [m]
//! @out velocity: FaceGrid            Velocity of the body at the centres of the faces, 0 on closed borders [m/s]

fn stage(cell: Cell) -> Result {
    var fraction = Vec();
    var distance = Vec();
    var velocity = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let centre = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        let middle = shape(centre);
        let ahead = 0.5 * CELL_SIZE * Vec(unit(axis));
        let next = 0.5 * CELL_SIZE * Vec(unit((axis + 1) % DIM));
        var part = vec2f();
        var corners = 0.0;
        if DIM == 2 {
            let ends = vec2f(shape(centre - next), shape(centre + next));
            corners = 0.5 * (ends.x + ends.y);
            part = open_line(ends);
        } else {
            let last = 0.5 * CELL_SIZE * Vec(unit((axis + 2) % DIM));
            let corner = vec4f(shape(centre - next - last), shape(centre + next - last), shape(centre + next + last), shape(centre - next + last));
            corners = 0.25 * (corner.x + corner.y + corner.z + corner.w);
            for (var i = 0; i < 4; i++) { part += 0.25 * open_triangle(vec3f(middle, corner[i], corner[(i + 1) & 3])); }
        }
        fraction[axis] = select(part.x, 0.0, wall_face(cell, axis));
        velocity[axis] = select(motion(centre)[axis], 0.0, wall_face(cell, axis));
        distance[axis] = middle;
        if part.x < 1.0 { distance[axis] = select(min(middle, 0.0), part.y / part.x, part.x > 0.0); }
        if distance[axis] > 0.0 {
            // The Laplacian of the distance, from half a cell around.
            let bend = 8.0 * (corners - middle) + 4.0 * (shape(centre - ahead) + shape(centre + ahead) - 2.0 * middle);
            let curvature = bend / (CELL_SIZE * CELL_SIZE);
            distance[axis] *= 1.0 - clamp(0.5 * curvature * distance[axis], -0.5, 0.5);
        }
    }
    return Result(fraction, distance, velocity);
}

// Part of a line with a positive distance, linear between its ends, and the integral of the distance over it.
fn open_line(ends: vec2f) -> vec2f {
    let low = min(ends.x, ends.y);
    let high = max(ends.x, ends.y);
    if low >= 0.0 { return vec2f(1.0, 0.5 * (low + high)); }
    if high <= 0.0 { return vec2f(); }
    let part = high / (high - low);
    return vec2f(part, 0.5 * part * high);
}

// The same of a triangle, linear between its corners.
fn open_triangle(d: vec3f) -> vec2f {
    let low = min(d.x, min(d.y, d.z));
    let high = max(d.x, max(d.y, d.z));
    let sum = d.x + d.y + d.z;
    let middle = sum - low - high;
    if low >= 0.0 { return vec2f(1.0, sum / 3.0); }
    if high <= 0.0 { return vec2f(); }
    if middle <= 0.0 {
        let part = high * high / ((high - low) * (high - middle));
        return vec2f(part, part * high / 3.0);
    }
    let closed = low * low / ((high - low) * (middle - low));
    return vec2f(1.0 - closed, (sum - closed * low) / 3.0);
}
