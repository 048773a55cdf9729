//! Energy, Momentum and Enstrophy
//! Integrals of a flow:  rho |u|^2 / 2,  rho u,  |curl u|^2 / 2.  The curl is of second order, one-sided next to a border that is not periodic.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: Batchelor, An Introduction to Fluid Dynamics, 1967; Pope, Turbulent Flows, 2000.
//!
//! @in  velocity: Grid<Vec>                 Flow [m/s]
//! @in  density: Grid<f32> = 1              Mass per volume; 1 gives kinematic values [kg/m^3]
//! @out energy: f32, reduce sum             Kinetic energy [kg m^2/s^2, in 2D per metre]
//! @out momentum: Vec, reduce sum           Momentum [kg m/s, in 2D per metre]
//! @out enstrophy: f32, reduce sum          Enstrophy [m^DIM/s^2]
//! @use shared/space

fn stage(cell: Cell) -> Result {
    let volume = pow(CELL_SIZE, f32(DIM));
    let u = velocity(cell);
    let mass = density(cell) * volume;
    let w = curl(cell);
    return Result(0.5 * mass * dot(u, u), mass * u, 0.5 * volume * dot(w, w));
}

fn curl(cell: Cell) -> vec3f {
    var curl = vec3f();
    for (var axis = 0; axis < DIM; axis++) { curl += cross(in_space(Vec(unit(axis))), in_space(slope(cell, axis))); }
    return curl;
}

// Second-order difference along an axis. Next to a border, only cells inside count.
fn slope(cell: Cell, axis: i32) -> Vec {
    let e = unit(axis);
    let first = wall_face(cell, axis) || open_face(cell, axis);
    let last = wall_face(cell + e, axis) || open_face(cell + e, axis);
    if !first && !last { return (velocity(cell + e) - velocity(cell - e)) / (2.0 * CELL_SIZE); }
    let inward = select(-e, e, first);
    let rise = 4.0 * velocity(cell + inward) - 3.0 * velocity(cell) - velocity(cell + 2 * inward);
    return select(-rise, rise, first) / (2.0 * CELL_SIZE);
}
