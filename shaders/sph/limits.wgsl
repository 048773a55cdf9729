//! SPH Limits
//! Checks that a substep is short enough for sound and for viscosity. With SPH Step Check these are the causes of an SPH fluid that boils or bursts.
//! Source: Monaghan, J. Comput. Phys. 110, 1994, and Morris, Fox and Zhu, J. Comput. Phys. 136, 1997 (conditions); the limits are measured.
//!
//! @over once
//! @in    dt: f32 = 0                                      Time step; 0 is the frame's [s]
//! @in    kernel: vec4f                                    From SPH Kernel
//! @in    rest_density: f32 = 1000                         Density at rest rho_0 [kg/m^3]
//! @in    shape: Field<f32> = 1e9                          Signed distance of a shape [m], where gradients are corrected
//! @out   sound: f32, expect 0..0.45                       Distance of sound in a step, in smoothing radii, times sqrt((1 + 2 damping)/3), and beside a shape sqrt(correction). Above 0.45 the fluid bursts: use more substeps, or less stiffness or damping
//! @out   viscous: f32, expect 0..0.75                     Damping of the fastest mode by viscosity in a step; above 1 it grows. Above 0.75: use more substeps, or less viscosity
//! @param stiffness: f32 = 200, 0.., soft 0..2000          Stiffness of the pressure, the square of the speed of sound [m^2/s^2]
//! @param damping: f32 = 1, 0.., soft 0..2                 How many steps ahead SPH Pressure (ahead) looks
//! @param viscosity: f32 = 10, 0.., soft 0..100            Dynamic viscosity [Pa s]
//! @param artificial: f32 = 0, 0.., soft 0..1              Artificial viscosity alpha
//! @param correction: f32 = 1, 1.., soft 1..2              Largest factor of corrected gradients beside a shape, 1.5 in SPH Corrected Density

fn stage() -> Result {
    let dt = select(frame.dt, dt(), dt() > 0.0);
    let h = kernel().z;
    let speed = sqrt(params.stiffness);
    let corrected = select(1.0, sqrt(params.correction), shape(Vec()) < 1e8);
    let sound = speed * dt / h * corrected * sqrt((1.0 + 2.0 * params.damping) / 3.0);
    // v_i changes at the rate 2 (DIM + 2) nu times a sum of weights (a for the first and, as in the integral, 7 or 9.4 b for the second), of which the lattice has 1/DIM along each axis, and opposite neighbours double it.
    let kinematic = params.viscosity / rest_density() + params.artificial * speed * 0.5 * h / (2.0 * f32(DIM + 2));
    let weights = unpack2x16float(bitcast<u32>(kernel().w));
    let viscous = 2.0 * f32(DIM + 2) * kinematic * (weights.y + select(9.4, 7.0, DIM == 2) * weights.x) * dt / (h * h);
    return Result(sound, viscous);
}
