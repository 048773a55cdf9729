//! Force on a Body
//! Force that a fluid exerts on the bodies of Obstacle. The pressure pushes on what closes the faces of each cell,  -sum of p (a_upper - a_lower) h^(DIM - 1);
//! friction is what Diffuse Faces exchanges with it,  rho nu h^(DIM - 2) w (u - u_body).  The pressure in the middle of a cell is not that on the body: under a
//! flat floor the buoyancy would change by steps, from cell to cell. With a `shape` it is continued linearly to its surface, and the buoyancy is exact.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007, section 4 (pressure); Kirkpatrick, Armfield and Kent, J. Comput. Phys. 184, 2003 (friction).
//!
//! @in    velocity: FaceGrid                          Flow on the faces [m/s]
//! @in    pressure: Grid<f32>                         Pressure x step / density [m^2/s]
//! @in    fraction: FaceGrid                          Open part of each face (see Obstacle)
//! @in    distance: FaceGrid                          Distance of each face to the bodies (see Obstacle) [m]
//! @in    motion: FaceGrid = 0, velocity of fraction distance  Velocity of the bodies [m/s]
//! @in    shape: Field<f32> = 1e9                     Signed distance to the bodies, as Obstacle has it [m]
//! @out   force: Vec, reduce sum                      Force [N, in 2D N/m]
//! @out   friction: Vec, reduce sum                   The part of it that is friction, likewise
//! @out   torque: vec3f, reduce sum                   Torque about the centre; in 2D only z [N m, in 2D N]
//! @param viscosity: f32 = 0.00001, 0.., soft 0..0.001    Kinematic viscosity [m^2/s]
//! @param density: f32 = 1, 0.001.., soft 1..2000         Mass per volume; 2 / (U^2 A) gives drag and lift coefficients [kg/m^3]
//! @param step: f32 = 1, 0.001..1                         Part of the time step in the pressure: 0.5 for Fluid Step, else 1
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position  Centre that the torque is about [m]
//! @use shared/cut_faces
//! @use shared/space

fn stage(cell: Cell) -> Result {
    var pressed = Vec();
    var dragged = Vec();
    let area = pow(CELL_SIZE, f32(DIM - 1));
    let surface = on_surface(cell);
    let pressure_there = pressure(cell) + dot(slope(cell), surface - position(cell));
    for (var axis = 0; axis < DIM; axis++) {
        let rise = fraction_face(cell, 2 * axis + 1) - fraction_face(cell, 2 * axis);
        // Only what a body closes, not the border of the domain.
        let bounded = wall_face(cell, axis) || wall_face(cell + unit(axis), axis);
        if !bounded { pressed[axis] -= params.density * pressure_there / (params.step * frame.dt) * rise * area; }
    }
    // As in Diffuse Faces, but not divided by the open part of the face.
    let mine = opened(cell);
    var rise = Vec();
    var turned = Vec();
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        if wall_face(cell + unit(axis) * (face & 1), axis) { continue; }
        let next = neighbor(cell, face);
        let both = min(mine, opened(next));
        rise += both * (distance(next) - distance(cell)) - mine * (centre(next) - centre(cell));
        turned += (mine - both) * (motion(next) - motion(cell));
    }
    let w = max(rise, Vec()) / max(distance(cell), Vec(1e-3 * CELL_SIZE));
    let stress = params.density * params.viscosity * (w * (velocity(cell) - motion(cell)) - turned) / CELL_SIZE;
    dragged = select(Vec(), stress * area, distance(cell) > Vec());
    // Pressure acts on the surface, friction on the faces of the cell.
    var torque = cross(in_space(surface - params.center), in_space(pressed));
    let arm = position(cell) - params.center;
    for (var axis = 0; axis < DIM; axis++) {
        let side = Vec(unit(axis));
        torque += cross(in_space(arm - 0.5 * CELL_SIZE * side), in_space(dragged[axis] * side));
    }
    return Result(pressed + dragged, dragged, torque);
}

// The point of the surface next to a cell that it cuts; else, and without a shape, the middle of the cell.
fn on_surface(cell: Cell) -> Vec {
    let middle = position(cell);
    if !shape_wired { return middle; }
    let distance = shape(middle);
    if abs(distance) > CELL_SIZE { return middle; }
    let normal = shape_gradient(middle, 0.1 * CELL_SIZE);
    return middle - distance * normal / max(length(normal), 1e-6);
}

// Slope of the pressure in a cell, by differences through its open faces.
fn slope(cell: Cell) -> Vec {
    var slope = Vec();
    if !shape_wired { return slope; }
    for (var axis = 0; axis < DIM; axis++) {
        var count = 0.0;
        for (var side = 0; side < 2; side++) {
            if fraction_face(cell, 2 * axis + side) <= 0.0 { continue; }
            slope[axis] += (pressure(neighbor(cell, 2 * axis + side)) - pressure(cell)) * f32(2 * side - 1);
            count += 1.0;
        }
        slope[axis] /= CELL_SIZE * max(count, 1.0);
    }
    return slope;
}
