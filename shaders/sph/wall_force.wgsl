//! SPH Wall Force
//! Adds the pressure of a shape, which may move, to the acceleration, and the friction of the shape and of the closed sides of the domain.
//! a_i += p_i/rho_i^2 rho_0 grad(share) + mu_wall/rho_i |grad share|/z (v_wall - v_i) along the wall,  with the share of SPH Wall Density. It is the derivative of the
//! energy that the particle has by its density, so a shape at rest gives no energy. A particle is pushed back before it touches. Particles at half a spacing, and at a
//! uniform pressure, are in equilibrium. Beyond a shape the pressure goes on rising by  rho g  towards it: of this, wet particles get  carry (1 - z/b')^2 g  along the normal, against gravity.
//! The pressure of closed sides is in SPH Acceleration.
//! Source: Akinci et al., SIGGRAPH 2012, equation 9 (pressure of a wall); Adami, Hu and Adams, J. Comput. Phys. 231, 2012, equation 27 (its rise beyond); Bender, Kugelstadt, Weiler and Koschier, Volume Maps, MIG 2019.
//!
//! @in    wall: vec4f                        From SPH Kernel
//! @in    carry: f32 = 0                     From SPH Kernel; at 0 the pressure beyond a shape is that of the particle
//! @in    rest_density: f32 = 1000           Density at rest rho_0 [kg/m^3]
//! @in    shape: Field<f32> = 1e9            Signed distance [m], negative inside
//! @in    shape_velocity: Field<Vec> = 0, velocity of shape  Velocity of the shape's material [m/s]
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32, pressure: f32, acceleration: Vec} -> {acceleration: Vec}    The fluid; its acceleration is increased [m/s^2]
//! @param viscosity: f32 = 0, 0.., soft 0..100    Viscosity at the wall: 0 is free slip, that of the fluid is no slip [Pa s]
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector  That of SPH Acceleration [m/s^2]
//! @param probe: f32 = 0.1, 0.0001..1        Step of the differences for the shape's normal, as a fraction of a cell
//! @param corrected: bool = false                 The pressure is that of SPH Corrected Acceleration, of particles of the volume m/rho_0
//! @use shared/sph_wall

fn stage(particle: Particle) -> Vec {
    let distance = shape(particle.position);
    let near = distance < max(wall().y, wall().w);
    if !near && params.viscosity <= 0.0 { return particle.acceleration; }
    var free = 1.0;
    var push = Vec(); // grad free
    var dragged = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        for (var side = 0; side < 2; side++) {
            if !wall_face(side * RESOLUTION, axis) { continue; }
            let distance = select(particle.position[axis], SIZE[axis] - particle.position[axis], side == 1);
            let taken = share(distance);
            let normal = Vec(unit(axis)) * select(1.0, -1.0, side == 1);
            push = push * (1.0 - taken.x) + free * taken.y * normal;
            free *= 1.0 - taken.x;
            dragged += friction(distance, taken.y, normal, -particle.velocity);
        }
    }
    var acceleration = particle.acceleration;
    if near {
        let taken = share(distance);
        let slope = shape_gradient(particle.position, params.probe * CELL_SIZE);
        let normal = slope / max(length(slope), 1e-6);
        let density = select(particle.density, rest_density(), params.corrected != 0);
        let pressed = rest_density() * particle.pressure / (density * density);
        let wet = smoothstep(0.9, 1.0, particle.density / rest_density());
        acceleration += pressed * (free * taken.y * normal - taken.x * push) - wet * lift(distance) * dot(params.gravity, normal) * normal;
        if params.viscosity > 0.0 { dragged += friction(distance, taken.y, normal, shape_velocity(particle.position) - particle.velocity); }
    }
    return acceleration + params.viscosity / particle.density * dragged;
}

fn lift(distance: f32) -> f32 {
    let left = max(1.0 - max(distance, 0.0) / wall().w, 0.0);
    return min(carry() * left * left, 0.5);
}

// The finite difference over the distance, whose flux crosses |grad share|: on a lattice 2 (v_wall - v)/spacing^2.
fn friction(distance: f32, steepness: f32, normal: Vec, faster: Vec) -> Vec {
    return steepness / max(distance, 0.25 * wall().y) * (faster - dot(faster, normal) * normal);
}
