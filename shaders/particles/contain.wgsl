//! Contain
//! Keeps particles in the domain. They bounce off its walls with restitution and Coulomb friction; where it is periodic (`wrap`)
//! they re-enter on the other side; `open` and `zero` sides are open.
//!
//! @in    sizes: Particles{radius: f32} = 0      The same particles with a radius each, which then counts instead of the margin [m]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}    The particle set
//! @param restitution: f32 = 0.3, 0..1           Fraction of the normal speed that a bounce keeps
//! @param friction: f32 = 0, 0.., soft 0..1      Coulomb's coefficient
//! @param margin: f32 = 0, 0.., soft 0..0.1      Distance kept from the walls: a particle's radius, unless `sizes` is wired [m]
//! @use shared/contact

fn stage(particle: Particle) -> Result {
    var place = particle.position;
    var velocity = particle.velocity;
    let size = SIZE;
    var radius = params.margin;
    if sizes_wired { radius = sizes(particle.index).radius; }
    // Three quarters of the domain are a quarter the other way along a periodic axis.
    let around = displacement(Vec(), 0.75 * size);
    for (var axis = 0; axis < DIM; axis++) {
        if around[axis] < 0.0 {
            place[axis] -= size[axis] * floor(place[axis] / size[axis]);
            if place[axis] >= size[axis] { place[axis] = 0.0; } // a rounded up -0.0000001
            continue;
        }
        let margin = min(radius, 0.5 * size[axis]);
        var inward = 0.0;
        if place[axis] < margin && wall_face(Cell(), axis) {
            place[axis] = margin;
            inward = 1.0;
        } else if place[axis] > size[axis] - margin && wall_face(RESOLUTION, axis) {
            place[axis] = size[axis] - margin;
            inward = -1.0;
        }
        velocity = bounced(velocity, Vec(unit(axis)) * inward);
    }
    return Result(place, velocity);
}
