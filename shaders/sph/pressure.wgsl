//! SPH Pressure
//! Pressure by an equation of state. With exponent 1 it is linear,  p = k (rho - rho_0);  with 7 it is Tait's for water:
//! p = k rho_0/exponent ((rho/rho_0)^exponent - 1).  The speed of sound at rest is sqrt(k); ten times the fastest flow keeps the density within 1 %.
//! Source: Desbrun and Cani 1996; Mueller, Charypar and Gross, SCA 2003, equation 12, the article's step 4.2; Tait: Monaghan, J. Comput. Phys. 110, 1994;
//! Becker and Teschner, SCA 2007.
//!
//! @in    rest_density: f32 = 1000                         Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{density: f32} -> {pressure: f32}    The fluid; gains its pressure [Pa]
//! @param stiffness: f32 = 200, 0.., soft 0..2000          Stiffness k, the square of the speed of sound [m^2/s^2]
//! @param exponent: f32 = 1, 0.1..20                       Exponent: 1 is linear, 7 is Tait's for water
//! @param clamp_negative: bool = true                      No attraction where the density is below that at rest, which prevents clumping

fn stage(particle: Particle) -> f32 {
    var pressure = params.stiffness * (particle.density - rest_density());
    if params.exponent != 1.0 {
        pressure = params.stiffness * rest_density() / params.exponent * (pow(particle.density / rest_density(), params.exponent) - 1.0);
    }
    return select(pressure, max(pressure, 0.0), params.clamp_negative != 0);
}
