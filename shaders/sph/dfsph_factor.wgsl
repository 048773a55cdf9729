//! DFSPH Factor
//! Adds what a shape takes of the kernel to the density, and bounds its answer: pressures of p lower the density by at most about  dt^2 p/rho^2 factor  in a step,
//! factor = s + max(s, layers),  s = |sum_j g_j + mirror + shape|^2 + single.  For a pair it is twice s, exactly; on lattices with h of 1.3 to 3 spacings it is 0.85 to 1.25 times the largest answer.
//! The shape may move. Its share of the kernel is that of SPH Wall Density.
//! Source: Bender and Koschier, SCA 2015, equation 9 (1/alpha); Bender, Kugelstadt, Weiler and Koschier, Volume Maps, MIG 2019 (a wall's part of the kernel as a function of the signed distance).
//!
//! @in    wall: vec4f                        From SPH Kernel
//! @in    rest_density: f32 = 1000           Density at rest rho_0 [kg/m^3]
//! @in    shape: Field<f32> = 1e9            Signed distance [m], negative inside
//! @in    shape_velocity: Field<Vec> = 0, velocity of shape  Velocity of the shape's material [m/s]
//! @inout particles: Particles{position: Vec, density: f32, gradient: Vec, mirror: Vec, single: f32, layers: f32} -> {density: f32, answer: vec2f, walls: vec4f}    The fluid; its density increases; gains factor and memory for DFSPH Pressure, the gradients of mirror and shape [kg/m^4], and in w the rate by the shape's motion [kg/m^3/s]
//! @param probe: f32 = 0.1, 0.0001..1        Step of the differences for the shape's normal, as a fraction of a cell
//! @use shared/sph_wall

fn stage(particle: Particle) -> Result {
    var density = particle.density;
    var walls = particle.mirror;
    var inflow = 0.0;
    let distance = shape(particle.position);
    if distance < max(wall().y, wall().w) {
        var free = 1.0; // of sides
        var push = Vec(); // grad free
        for (var axis = 0; axis < DIM; axis++) {
            for (var side = 0; side < 2; side++) {
                if !wall_face(side * RESOLUTION, axis) { continue; }
                let taken = share(select(particle.position[axis], SIZE[axis] - particle.position[axis], side == 1));
                push = push * (1.0 - taken.x) + free * taken.y * Vec(unit(axis)) * select(1.0, -1.0, side == 1);
                free *= 1.0 - taken.x;
            }
        }
        let taken = share(distance);
        let slope = shape_gradient(particle.position, params.probe * CELL_SIZE);
        let normal = slope / max(length(slope), 1e-6);
        density += rest_density() * free * taken.x;
        walls -= rest_density() * (free * taken.y * normal - taken.x * push);
        inflow = rest_density() * free * taken.y * dot(normal, shape_velocity(particle.position));
    }
    let gradient = particle.gradient + walls;
    let single = dot(gradient, gradient) + particle.single;
    var rates = vec4f(0.0, 0.0, 0.0, inflow);
    for (var axis = 0; axis < DIM; axis++) { rates[axis] = walls[axis]; }
    return Result(density, vec2f(single + max(single, particle.layers), 0.0), rates);
}
