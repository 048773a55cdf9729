//! Obstacle
//! What the stages on faces need of a solid body: the open fraction of each face, from the signed distance at its corners; the distance
//! at its centre; and the velocity of the body there. The open fractions are the weights of the pressure solvers for variable density. For a body
//! that does not change, this runs once.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007, section 4.2 (fractions); Ng, Min and Gibou, J. Comput. Phys. 228, 2009.
//!
//! @in  shape: Field<f32>             Signed distance to the body, negative inside [m]
//! @in  motion: Field<Vec> = 0        Velocity of the body [m/s]
//! @out fraction: FaceGrid            Open part of each face, 0 on closed borders and inflows
//! @out distance: FaceGrid            Signed distance of the centre of each face [m]
//! @out velocity: FaceGrid            Velocity of the body on the faces, 0 on closed borders [m/s]

fn stage(cell: Cell) -> Result {
    var fraction = Vec();
    var distance = Vec();
    var velocity = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let centre = (Vec(cell) + 0.5 - 0.5 * Vec(unit(axis))) * CELL_SIZE;
        distance[axis] = shape(centre);
        velocity[axis] = select(motion(centre)[axis], 0.0, wall_face(cell, axis));
        let next = 0.5 * CELL_SIZE * Vec(unit((axis + 1) % DIM));
        if DIM == 2 {
            fraction[axis] = open_line(shape(centre - next), shape(centre + next));
        } else {
            let last = 0.5 * CELL_SIZE * Vec(unit((axis + 2) % DIM));
            let corner = vec4f(shape(centre - next - last), shape(centre + next - last), shape(centre + next + last), shape(centre - next + last));
            var sum = 0.0;
            for (var i = 0; i < 4; i++) { sum += open_triangle(vec3f(distance[axis], corner[i], corner[(i + 1) & 3])); }
            fraction[axis] = sum / 4.0;
        }
        fraction[axis] = select(fraction[axis], 0.0, wall_face(cell, axis));
    }
    return Result(fraction, distance, velocity);
}

// Part of a line with a positive distance, linear between its ends.
fn open_line(a: f32, b: f32) -> f32 {
    let low = min(a, b);
    let high = max(a, b);
    if low >= 0.0 { return 1.0; }
    return max(high, 0.0) / (high - low);
}

// Part of a triangle with a positive distance, linear between its corners.
fn open_triangle(d: vec3f) -> f32 {
    let low = min(d.x, min(d.y, d.z));
    let high = max(d.x, max(d.y, d.z));
    let middle = d.x + d.y + d.z - low - high;
    if low >= 0.0 { return 1.0; }
    if high <= 0.0 { return 0.0; }
    if middle <= 0.0 { return high * high / ((high - low) * (high - middle)); }
    return 1.0 - low * low / ((high - low) * (middle - low));
}
