//! SPH Wall Density
//! Adds what a shape takes of the kernel to the density and to its rate; the shape may move. Its share depends on the distance, by the function of SPH Kernel, which is made for planes: it should not be
//! curved within a smoothing radius. A closed side of the domain nearby takes its part first; SPH Density has counted that. SPH Wall Force is the derivative of the same function.
//! Source: Bender, Kugelstadt, Weiler and Koschier, Volume Maps, MIG 2019 (a wall's part of the kernel as a function of the signed distance).
//!
//! @in    wall: vec4f                        From SPH Kernel
//! @in    rest_density: f32 = 1000           Density at rest rho_0 [kg/m^3]
//! @in    shape: Field<f32> = 1e9            Signed distance [m], negative inside
//! @in    shape_velocity: Field<Vec> = 0, velocity of shape  Velocity of the shape's material [m/s]
//! @inout particles: Particles{position: Vec, velocity: Vec, density: f32, density_rate: f32} -> {density: f32, density_rate: f32}    The fluid; its density [kg/m^3] and the rate of it [kg/m^3/s] increase
//! @param probe: f32 = 0.1, 0.0001..1        Step of the differences for the shape's normal, as a fraction of a cell
//! @use shared/sph_wall

fn stage(particle: Particle) -> Result {
    let distance = shape(particle.position);
    if distance >= max(wall().y, wall().w) { return Result(particle.density, particle.density_rate); }
    var free = 1.0; // of sides
    var flow = 0.0; // of the fluid into them: -d free/dt
    for (var axis = 0; axis < DIM; axis++) {
        for (var side = 0; side < 2; side++) {
            if !wall_face(side * RESOLUTION, axis) { continue; }
            let taken = share(select(particle.position[axis], SIZE[axis] - particle.position[axis], side == 1));
            let speed = select(particle.velocity[axis], -particle.velocity[axis], side == 1);
            flow = flow * (1.0 - taken.x) - free * taken.y * speed;
            free *= 1.0 - taken.x;
        }
    }
    let taken = share(distance);
    let slope = shape_gradient(particle.position, params.probe * CELL_SIZE);
    let normal = slope / max(length(slope), 1e-6);
    let rate = -free * taken.y * dot(normal, particle.velocity - shape_velocity(particle.position)) - flow * taken.x;
    return Result(particle.density + rest_density() * free * taken.x, particle.density_rate + rest_density() * rate);
}
