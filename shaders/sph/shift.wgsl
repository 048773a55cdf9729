//! SPH Shift
//! Moves particles to where they are missing, without a change of their velocity:  x_i += min(shifting c dt, 0.08 h) h uneven_i.  (More than 0.1 h would overshoot.)  Particles that stay evenly spread while they flow do not lock like a lattice.
//! Near surfaces and shapes nothing is moved.
//! Source: Lind, Xu, Stansby and Rogers, J. Comput. Phys. 231, 2012; Sun et al., Comput. Methods Appl. Mech. Eng. 315, 2017.
//!
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @in    kernel: vec4f              From SPH Kernel
//! @inout particles: Particles{position: Vec, uneven: Vec} -> {position: Vec}    The fluid; its particles move
//! @param shifting: f32 = 0.2, 0..0.25               Speed over that of sound; 0 leaves them
//! @param stiffness: f32 = 200, 0.., soft 0..2000    Square of the speed of sound c [m^2/s^2]

fn stage(particle: Particle) -> Vec {
    let time = select(frame.dt, dt(), dt() > 0.0);
    let reach = min(params.shifting * sqrt(params.stiffness) * time, 0.08 * kernel().z);
    return particle.position + reach * kernel().z * particle.uneven;
}
