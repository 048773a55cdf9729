//! SPH Body Force
//! Force and torque of a fluid on a shape: the opposite of what SPH Wall Force does to the particles, summed over them. The sides of the domain take their part of the
//! kernel first, as there. A body at rest under water loses the weight of the water that it displaces; its volume is that inside of a surface half a spacing from the nearest particles.
//! Source: Akinci et al., SIGGRAPH 2012, equation 9; Bender, Kugelstadt, Weiler and Koschier, Volume Maps, MIG 2019.
//!
//! @in    particles: Particles{position: Vec, velocity: Vec, density: f32, pressure: f32}    The fluid
//! @in    wall: vec4f                        From SPH Kernel
//! @in    mass: f32                          Mass of a particle [kg]
//! @in    carry: f32 = 0                     From SPH Kernel, as in SPH Wall Force
//! @in    rest_density: f32 = 1000           Density at rest rho_0 [kg/m^3]
//! @in    shape: Field<f32> = 1e9            Signed distance [m], negative inside
//! @in    shape_velocity: Field<Vec> = 0, velocity of shape  Velocity of the shape's material [m/s]
//! @out   force: Vec, reduce sum             Force [N, in 2D N/m]
//! @out   torque: vec3f, reduce sum          Torque about the centre; in 2D only z [N m, in 2D N]
//! @param viscosity: f32 = 0, 0.., soft 0..100                        Viscosity at the wall, as in SPH Wall Force [Pa s]
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector of center  That of SPH Acceleration [m/s^2]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position  Centre that the torque is about [m]
//! @param probe: f32 = 0.1, 0.0001..1                                 Step of the differences for the shape's normal, as a fraction of a cell
//! @use shared/space
//! @param corrected: bool = false                                     The pressure is that of SPH Corrected Acceleration, of particles of the volume m/rho_0
//! @use shared/sph_wall

fn stage(particle: Particle) -> Result {
    let distance = shape(particle.position);
    if distance >= max(wall().y, wall().w) { return Result(Vec(), vec3f()); }
    var free = 1.0;
    for (var axis = 0; axis < DIM; axis++) {
        if !wall_face(Cell(), axis) { continue; }
        for (var side = 0; side < 2; side++) {
            free *= 1.0 - share(select(particle.position[axis], SIZE[axis] - particle.position[axis], side == 1)).x;
        }
    }
    let steepness = share(distance).y;
    let slope = shape_gradient(particle.position, params.probe * CELL_SIZE);
    let normal = slope / max(length(slope), 1e-6);
    let faster = particle.velocity - shape_velocity(particle.position);
    let density = select(particle.density, rest_density(), params.corrected != 0);
    let pressed = -rest_density() * particle.pressure / (density * density) * free * steepness * normal;
    let dragged = params.viscosity / particle.density * steepness / max(distance, 0.25 * wall().y) * (faster - dot(faster, normal) * normal);
    let left = max(1.0 - max(distance, 0.0) / wall().w, 0.0);
    let wet = smoothstep(0.9, 1.0, particle.density / rest_density());
    let carried = wet * min(carry() * left * left, 0.5) * dot(params.gravity, normal) * normal;
    let force = mass() * (pressed + carried + dragged);
    let arm = displacement(params.center, particle.position);
    return Result(force, cross(in_space(arm), in_space(force)));
}
