//! SPH Shift
//! Moves particles to where they are missing, without a change of their velocity:  x_i += min(shifting c dt, 0.08 h) h uneven_i.  (More than 0.1 h would overshoot.)  Particles that stay evenly spread while they flow do not lock like a lattice.
//! Where the kernel is full they move; at surfaces and in the row along a shape they don't. A shape takes the place of the particles beyond it, as in SPH Wall Force: without, those beside it would be moved into it, and gather at its edges.
//! Source: Lind, Xu, Stansby and Rogers, J. Comput. Phys. 231, 2012; Sun et al., Comput. Methods Appl. Mech. Eng. 315, 2017.
//!
//! @in    dt: f32 = 0                Time step; 0 is the frame's [s]
//! @in    kernel: vec4f              From SPH Kernel
//! @in    wall: vec4f = 0            From SPH Kernel; at 0 shapes are not there
//! @in    shape: Field<f32> = 1e9    Signed distance [m], negative inside
//! @inout particles: Particles{position: Vec, uneven: Vec, filled: f32} -> {position: Vec}    The fluid; its particles move
//! @param shifting: f32 = 0.2, 0..0.25               Speed over that of sound; 0 leaves them
//! @param stiffness: f32 = 200, 0.., soft 0..2000    Square of the speed of sound c [m^2/s^2]
//! @param probe: f32 = 0.1, 0.0001..1                Step of the differences for the shape's normal, as a fraction of a cell
//! @use shared/sph_wall

fn stage(particle: Particle) -> Vec {
    let time = select(frame.dt, dt(), dt() > 0.0);
    let reach = min(params.shifting * sqrt(params.stiffness) * time, 0.08 * kernel().z);
    var uneven = particle.uneven;
    let distance = shape(particle.position);
    if distance < max(wall().y, wall().w) && wall().y > 0.0 {
        let slope = shape_gradient(particle.position, params.probe * CELL_SIZE);
        uneven += 0.5 * share(distance).y / max(length(slope), 1e-6) * slope;
    }
    return particle.position + reach * kernel().z * smoothstep(0.85, 0.98, particle.filled) * uneven;
}
