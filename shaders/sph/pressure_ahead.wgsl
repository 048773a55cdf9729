//! SPH Pressure (ahead)
//! Pressure of the density that is expected some steps ahead:  p(rho + damping dt drho/dt),  by the equation of state of SPH Pressure. This is a bulk viscosity of
//! damping dt k rho_0: it takes the energy of sound, never gives any, and leaves flow without compression alone. At 0 it is SPH Pressure, and a
//! tank rings for minutes.
//! Source: bulk viscosity: Landau and Lifshitz, Fluid Mechanics, sec. 15 and 79; equations of state: Desbrun and Cani 1996; Monaghan, J. Comput. Phys. 110, 1994.
//!
//! @in    dt: f32 = 0                                      Time step; 0 is the frame's [s]
//! @in    rest_density: f32 = 1000                         Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{density: f32, density_rate: f32} -> {pressure: f32}    The fluid; gains its pressure [Pa]
//! @param damping: f32 = 1, 0.., soft 0..2                 How many steps ahead; more than 1 needs a shorter step
//! @param stiffness: f32 = 200, 0.., soft 0..2000          Stiffness k, the square of the speed of sound [m^2/s^2]
//! @param exponent: f32 = 1, 0.1..20                       Exponent: 1 is linear, 7 is Tait's for water
//! @param clamp_negative: bool = true                      No attraction where the density is below that at rest, which prevents clumping

fn stage(particle: Particle) -> f32 {
    let expected = particle.density + params.damping * select(frame.dt, dt(), dt() > 0.0) * particle.density_rate;
    var pressure = params.stiffness * (expected - rest_density());
    if params.exponent != 1.0 {
        pressure = params.stiffness * rest_density() / params.exponent * (pow(max(expected / rest_density(), 0.0), params.exponent) - 1.0);
    }
    return select(pressure, max(pressure, 0.0), params.clamp_negative != 0);
}
