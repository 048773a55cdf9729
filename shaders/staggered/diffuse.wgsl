//! Diffuse Faces
//! One Gauss-Seidel sweep of implicit viscosity on the faces:  u = (u_old + a sum(w v)) / (1 + a sum(w)),  a = step dt nu / h^2,  over
//! the 2 DIM neighbours, with their velocity as v and w = 1. Across a wall at the distance d, v is the velocity of the wall and w = h / d: at
//! half a cell that is the ghost value 2 u_wall - u, so the fluid sticks to the wall itself (no slip). With free slip, and across a mirror, w = 0 there.
//! Walls are closed borders, cells that are not open, and obstacles (see Obstacle). An inflow has the velocity of its faces, and along it
//! that of the border; beyond an open border the flow goes on as it is. Stable for any step.
//! The velocity of a border is that at the start of the frame, which `time` in an expression is; with its acceleration it is u_wall + wall_time dt a_wall during the frame.
//!
//! Around obstacles the velocity of a face is the mean over its open part c. Neighbours exchange momentum through what is open of both,
//! w = min(c, c_next) / c. The obstacle's part keeps a flow that rises linearly from it as it is,  w = sum(w (d_next - d) - (e_next - e)) / d,  with the mean
//! distance d over the open part (see Obstacle) and e that of the whole face. That is of second order, symmetric, and loses energy for any cut.
//! Source: Stam, SIGGRAPH 1999, section 3; Harlow and Welch, Phys. Fluids 8, 1965 (ghost values); Kirkpatrick, Armfield and Kent,
//! J. Comput. Phys. 184, 2003 (momentum of cut cells).
//!
//! @iterations 8
//! @sweep checkerboard
//! @in    before: FaceGrid                            Flow before [m/s]
//! @inout velocity: FaceGrid = 0, radius 1            Flow after, refined by each sweep [m/s]
//! @in    open: Grid<f32> = 1                         1 in cells that fluid can fill, 0 in walls
//! @in    fraction: FaceGrid = 1                      Open part of each face; read where the distance is positive
//! @in    distance: FaceGrid = 1                      Distance of each face to the obstacles, 0 or negative on those that they close [m]
//! @in    motion: FaceGrid = 0, velocity of open fraction distance  Velocity of obstacles and of cells that are not open [m/s]
//! @param viscosity: f32 = 0.00001, 0.., soft 0..0.001     Kinematic viscosity: water 1e-6, light oil 1e-5 [m^2/s]
//! @param step: f32 = 1, 0..1                         Part of the time step
//! @param free_slip: bool = false                     Walls exert no friction
//! @param keep_inside: bool = false                   Faces inside obstacles keep the flow before, for steps that stick it themselves
//! @param left: Vec = (0, 0, 0), soft -1..1           Velocity of the closed border at x = 0, along it, at the start of the frame [m/s]
//! @param right: Vec = (0, 0, 0), soft -1..1          Velocity of the closed border at the greatest x [m/s]
//! @param bottom: Vec = (0, 0, 0), soft -1..1         Velocity of the closed border at y = 0 [m/s]
//! @param top: Vec = (0, 0, 0), soft -1..1            Velocity of the closed border at the greatest y [m/s]
//! @param back: Vec = (0, 0, 0), soft -1..1           Velocity of the closed border at z = 0 [m/s]
//! @param front: Vec = (0, 0, 0), soft -1..1          Velocity of the closed border at the greatest z [m/s]
//! @param left_acceleration: Vec = (0, 0, 0), soft -1..1  Acceleration of the closed border at x = 0 [m/s^2]
//! @param right_acceleration: Vec = (0, 0, 0), soft -1..1  Acceleration of the closed border at the greatest x [m/s^2]
//! @param bottom_acceleration: Vec = (0, 0, 0), soft -1..1  Acceleration of the closed border at y = 0 [m/s^2]
//! @param top_acceleration: Vec = (0, 0, 0), soft -1..1  Acceleration of the closed border at the greatest y [m/s^2]
//! @param back_acceleration: Vec = (0, 0, 0), soft -1..1  Acceleration of the closed border at z = 0 [m/s^2]
//! @param front_acceleration: Vec = (0, 0, 0), soft -1..1  Acceleration of the closed border at the greatest z [m/s^2]
//! @param wall_time: f32 = 1, 0..1                     Part of the frame after which the flow is computed: borders have the velocity of then
//! @use shared/cut_faces

fn stage(cell: Cell) -> Vec {
    let a = params.step * frame.dt * params.viscosity / (CELL_SIZE * CELL_SIZE);
    let friction = select(1.0, 0.0, params.free_slip != 0);
    // As a change of u, so that what the division rounds vanishes with the change.
    let u = velocity(cell);
    var sum = before(cell) - u;
    var total = Vec(1.0);
    let mine = max(opened(cell), Vec(1e-20));
    var rise = Vec();
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        let next = neighbor(cell, face);
        var v = velocity(neighbor(cell, face));
        var w = Vec(1.0);
        // The component through a wall is known on the wall itself; only those along it are half a cell away.
        let along = Vec(1.0) - Vec(unit(axis));
        let upper = cell + unit(axis) * (face & 1);
        if wall_face(upper, axis) {
            v = mix(select(Vec(), v, inflow_face(upper, axis)), border(face), along);
            w = mix(Vec(1.0), Vec(select(2.0 * friction, 0.0, mirror_face(upper, axis))), along);
        } else if open_wired {
            let hidden = along * closed_faces(next);
            v = mix(v, motion(next), hidden);
            w = mix(w, Vec(2.0 * friction), hidden);
        }
        if distance_wired && !wall_face(upper, axis) {
            let part = min(mine, opened(next)) / mine;
            let grip = mix(Vec(1.0), Vec(friction), along);
            w *= part;
            rise += grip * (part * (distance(next) - distance(cell)) - (centre(next) - centre(cell)));
            // A body that turns: its velocity takes the place of the flow in the closed part.
            sum += a * grip * (1.0 - part) * (motion(next) - motion(cell));
        }
        sum += a * w * (v - u);
        total += a * w;
    }
    if distance_wired {
        let w = max(rise, Vec()) / max(distance(cell), Vec(1e-3 * CELL_SIZE));
        sum += a * w * (motion(cell) - u);
        total += a * w;
    }
    var faces = u + sum / total;
    for (var axis = 0; axis < DIM; axis++) {
        let solid = open(cell) < 0.5 || open(cell - unit(axis)) < 0.5 || distance(cell)[axis] <= 0.0;
        let stuck = select(motion(cell)[axis], 0.0, wall_face(cell, axis));
        faces[axis] = select(faces[axis], stuck, solid || wall_face(cell, axis));
        if inflow_face(cell, axis) { faces[axis] = before(cell)[axis]; }
        if distance_wired && params.keep_inside != 0 && distance(cell)[axis] <= 0.0 { faces[axis] = before(cell)[axis]; }
    }
    return faces;
}

// 1 for the lower faces of a cell that lie between two cells that are not open.
fn closed_faces(cell: Cell) -> Vec {
    var closed = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        closed[axis] = select(0.0, 1.0, open(cell) < 0.5 && open(cell - unit(axis)) < 0.5);
    }
    return closed;
}

// Velocity of a closed border of the domain.
fn border(face: i32) -> Vec {
    let passed = params.wall_time * frame.dt;
    switch face {
        case 0: { return params.left + passed * params.left_acceleration; }
        case 1: { return params.right + passed * params.right_acceleration; }
        case 2: { return params.bottom + passed * params.bottom_acceleration; }
        case 3: { return params.top + passed * params.top_acceleration; }
        case 4: { return params.back + passed * params.back_acceleration; }
        default: { return params.front + passed * params.front_acceleration; }
    }
}
