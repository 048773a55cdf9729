//! Energy and Momentum (faces)
//! Integrals of a flow on faces:  rho u^2 / 2  and  rho u,  each cell with the mean over its two faces along each axis.
//! For the enstrophy take Face to Centre, and Energy, Momentum and Enstrophy.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: Batchelor, An Introduction to Fluid Dynamics, 1967; Harlow and Welch, Phys. Fluids 8, 1965 (staggered grid).
//!
//! @in  velocity: FaceGrid                  Flow on the faces [m/s]
//! @in  density: Grid<f32> = 1              Mass per volume; 1 gives kinematic values [kg/m^3]
//! @out energy: f32, reduce sum             Kinetic energy [kg m^2/s^2, in 2D per metre]
//! @out momentum: Vec, reduce sum           Momentum [kg m/s, in 2D per metre]

fn stage(cell: Cell) -> Result {
    let mass = density(cell) * pow(CELL_SIZE, f32(DIM));
    var energy = 0.0;
    var momentum = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let lower = velocity_face(cell, 2 * axis);
        let upper = velocity_face(cell, 2 * axis + 1);
        energy += 0.25 * mass * (lower * lower + upper * upper);
        momentum[axis] = 0.5 * mass * (lower + upper);
    }
    return Result(energy, momentum);
}
