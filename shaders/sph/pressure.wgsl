//! SPH Pressure
//! Pressure of an ideal gas around its rest density:  p = k (rho - rho_0).  The speed of sound is sqrt(k); ten times the fastest
//! flow keeps the density within 1 %.
//! Source: Desbrun and Cani 1996; Mueller, Charypar and Gross, SCA 2003, equation 12; the article's step 4.2.
//!
//! @in    rest_density: f32 = 1000                         Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{density: f32} -> {pressure: f32}    The fluid; gains its pressure [Pa]
//! @param stiffness: f32 = 200, 0.., soft 0..2000          Stiffness k, the square of the speed of sound [m^2/s^2]
//! @param clamp_negative: bool = true                      No attraction where the density is below that at rest, which prevents clumping

fn stage(particle: Particle) -> f32 {
    let pressure = params.stiffness * (particle.density - rest_density());
    return select(pressure, max(pressure, 0.0), params.clamp_negative != 0);
}
