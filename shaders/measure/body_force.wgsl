//! Force on a Body
//! Force that a fluid exerts on the bodies of Obstacle. The pressure pushes on what closes the faces of each cell,  -sum of p (a_upper - a_lower) h^(DIM - 1);
//! friction is  rho nu  times the difference to the body over the distance to it, as in Diffuse Faces.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007, section 4 (pressure); Gibou, Fedkiw, Cheng and Kang, J. Comput. Phys. 176, 2002 (walls between faces).
//!
//! @in    velocity: FaceGrid                          Flow on the faces [m/s]
//! @in    pressure: Grid<f32>                         Pressure x step / density [m^2/s]
//! @in    fraction: FaceGrid                          Open part of each face (see Obstacle)
//! @in    distance: FaceGrid                          Signed distance of each face to the bodies [m]
//! @in    motion: FaceGrid = 0                        Velocity of the bodies [m/s]
//! @out   force: Vec, reduce sum                      Force [N, in 2D N/m]
//! @out   friction: Vec, reduce sum                   The part of it that is friction, likewise
//! @param viscosity: f32 = 0.00001, 0.., soft 0..0.001    Kinematic viscosity [m^2/s]
//! @param density: f32 = 1, 0.001.., soft 1..2000         Mass per volume; 2 / (U^2 A) gives drag and lift coefficients [kg/m^3]
//! @param step: f32 = 1, 0.001..1                         Part of the time step in the pressure: 0.5 for Fluid Step, else 1

fn stage(cell: Cell) -> Result {
    var pressed = Vec();
    var dragged = Vec();
    let area = pow(CELL_SIZE, f32(DIM - 1));
    for (var axis = 0; axis < DIM; axis++) {
        let rise = fraction_face(cell, 2 * axis + 1) - fraction_face(cell, 2 * axis);
        // Only what a body closes, not the border of the domain.
        let bounded = wall_face(cell, axis) || wall_face(cell + unit(axis), axis);
        if !bounded { pressed[axis] -= params.density * pressure(cell) / (params.step * frame.dt) * rise * area; }
    }
    let here = distance(cell);
    for (var face = 0; face < FACES; face++) {
        let next = neighbor(cell, face);
        let there = distance(next);
        let way = clamp(here / (here - there), Vec(0.01), Vec(1.0));
        let wall = mix(motion(cell), motion(next), way);
        let stress = params.density * params.viscosity * (velocity(cell) - wall) / (way * CELL_SIZE);
        dragged += select(Vec(), stress * area, (here > Vec()) & (there <= Vec()));
    }
    return Result(pressed + dragged, dragged);
}
