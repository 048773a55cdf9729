//! Shape between Frames
//! Where a moving shape is in a substep. Its parameters change once a frame, so within a frame it goes straight on with its velocity, to where the frame
//! has it at the end of the last substep:  d(x) = shape(x + (frame dt - (substep + 1) dt) u(x)).  Without that it jumps at the start of a frame, and squeezes
//! the particles in its way. Use it inside the group of a substep; fewer iterations than substeps leave it behind by what they lack. Substeps of unequal length
//! say how much of the frame has `passed`.
//! Source: forward kinematics of a rigid body, first order in time; Akinci et al., SIGGRAPH 2012 (bodies move with every step of the fluid).
//!
//! @in    shape: Field<f32> = 1e9       Signed distance at the end of the frame [m]
//! @in    velocity: Field<Vec> = 0, velocity of shape  Velocity of the shape [m/s]
//! @in    dt: f32 = 0                   Time step of a substep; 0 is the frame's [s]
//! @in    passed: f32 = 0               Time from the start of the frame to the end of the substep; 0: all substeps are as long as this one [s]
//! @out   distance: Field<f32>          Signed distance at the end of the substep [m]

fn stage(position: Vec) -> f32 {
    if !velocity_wired { return shape(position); }
    let step = select(frame.dt, dt(), dt() > 0.0);
    let end = select(f32(substep + 1) * step, passed(), passed() > 0.0);
    return shape(position + max(frame.dt - end, 0.0) * velocity(position));
}
