//! Pointer Force
//! The pressed pointer drags the fluid along:  u += dt strength w(d) u_pointer,  with d the distance to its stroke.
//! Only while a chosen button is down. In 3D the pointer moves on the middle plane of the domain.
//! Source: edom18, Unity fluid simulation (InteractionForce), 2020: u += u_pointer where d < radius.
//!
//! @inout velocity: Grid<Vec> = 0                     Flow [m/s]
//! @param radius: f32 = 0.03, 0.., soft 0.005..0.2    Reach around the pointer [m]
//! @param strength: f32 = 60, soft 0..120             Pointer velocities added per second; 60 is one per step at 60 steps/s [1/s]
//! @param falloff: f32 = 1, 0..1                      0 a disc with a hard edge, 1 a Gaussian
//! @param buttons: i32 = 1, 1..7                      Active buttons, as a sum: 1 left, 2 right, 4 middle
//! @use shared/pointer_stroke

fn stage(cell: Cell) -> Vec {
    if (i32(frame.buttons) & params.buttons) == 0 { return velocity(cell); }
    let distance = distance_to_stroke(position(cell)) / max(params.radius, 1e-6);
    let disc = select(0.0, 1.0, distance < 1.0);
    let weight = mix(disc, exp(-distance * distance), params.falloff);
    return velocity(cell) + frame.dt * params.strength * weight * in_domain(frame.mouse_velocity, Vec());
}
