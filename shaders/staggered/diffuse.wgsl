//! Diffuse Faces
//! One Gauss-Seidel sweep of implicit viscosity on the faces:  u = (u_old + a sum of the 2 DIM neighbours) / (1 + 2 DIM a),  a = dt nu / h^2.
//! Stable for any step. At walls and closed borders the velocity is zero (no slip).
//! Source: Stam, SIGGRAPH 1999, section 3.
//!
//! @sweep checkerboard
//! @in    before: FaceGrid                            Flow before [m/s]
//! @inout velocity: FaceGrid = 0, radius 1            Flow after, refined by each sweep [m/s]
//! @in    open: Grid<f32> = 1                         1 in cells that fluid can fill, 0 in walls
//! @param viscosity: f32 = 0.00001, 0.., soft 0..0.001     Kinematic viscosity: water 1e-6, light oil 1e-5 [m^2/s]

fn stage(cell: Cell) -> Vec {
    let a = frame.dt * params.viscosity / (CELL_SIZE * CELL_SIZE);
    var around = Vec();
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        let closed = wall_face(cell + unit(axis) * (face & 1), axis);
        around += select(velocity(neighbor(cell, face)), Vec(), closed);
    }
    var faces = (before(cell) + a * around) / (1.0 + f32(FACES) * a);
    for (var axis = 0; axis < DIM; axis++) {
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(cell - unit(axis)) < 0.5;
        faces[axis] = select(faces[axis], 0.0, closed);
    }
    return faces;
}
