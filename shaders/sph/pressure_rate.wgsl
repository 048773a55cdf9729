//! SPH Pressure (rate)
//! Pressure by its rate,  dp/dt = c^2 drho/dt,  with a State that keeps it: it is not that of the density of a lattice, which changes with how the particles lie. Slowly it approaches that of the density, where the kernel is
//! full:  dp/dt += restoring c/h (c^2 (rho - rho_0) - p),  so the volume stays; fifty times as fast where particles are crowded, with a density 1.08 to 1.16 times that at rest, or they would come together in pairs. Spray, which has less than half of the density, loses its pressure while sound passes h: without neighbours it has no rate. The force is that of  p + damping dt c^2 drho/dt,  as in SPH Pressure (ahead), which takes the energy of sound.
//! The row beside a shape does not pull at it: under tension its particles would be drawn to each other.
//! Source: Monaghan, J. Comput. Phys. 110, 1994 (density by its rate); Antuono et al., Comput. Phys. Commun. 180, 2010 (density diffusion, of which the slow approach takes the place).
//!
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @in    kernel: vec4f              From SPH Kernel
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @inout particles: Particles{density: f32, density_rate: f32, filled: f32, inside: f32, pressure: f32} -> {pressure: f32, expected: f32}    The fluid; its pressure [Pa] changes; gains that of the force [Pa]
//! @param stiffness: f32 = 200, 0.., soft 0..2000    Square of the speed of sound c [m^2/s^2]
//! @param damping: f32 = 1, 0.., soft 0..2           How many steps ahead; more than 1 needs a shorter step
//! @param restoring: f32 = 0.001, 0..0.1             Approach to the pressure of the density, over the time in which sound passes h
//! @param clamp_negative: bool = false               No attraction where the fluid is stretched; beside shapes there is none

fn stage(particle: Particle) -> Result {
    let time = select(frame.dt, dt(), dt() > 0.0);
    let change = params.stiffness * time * particle.density_rate;
    let passed = sqrt(params.stiffness) * time / kernel().z;
    var approach = select(0.0, params.restoring * passed, particle.inside > 0.97);
    approach += 50.0 * params.restoring * passed * smoothstep(1.08, 1.16, particle.density / rest_density());
    var pressure = particle.pressure + change;
    pressure += min(approach, 1.0) * (params.stiffness * (particle.density - rest_density()) - pressure);
    pressure *= 1.0 - min(passed, 1.0) * (1.0 - smoothstep(0.4, 0.6, particle.density / rest_density()));
    let pushes = params.clamp_negative != 0 || particle.filled < 0.8 * particle.inside;
    if pushes { pressure = max(pressure, 0.0); }
    var expected = pressure + params.damping * change;
    if pushes { expected = max(expected, 0.0); }
    return Result(pressure, expected);
}
