//! Collide
//! Particles bounce off a shape, which may move. A particle that is deeper than its radius is pushed out to the surface, never removed;
//! if it approaches, the normal component of its relative velocity is reversed, times the restitution, and from
//! the tangential one Coulomb friction takes up to  friction (1 + restitution) |v_normal|.  What is slower than
//! `rest_speed` after that comes to rest: it moves with the surface, and its last step along it is undone.
//! Source: Bridson, Fedkiw and Anderson, Robust Treatment of Collisions, SIGGRAPH 2002, sec. 7.3 (friction as impulse); the rest state of Niagara's collisions.
//!
//! @in    shape: Field<f32> = 1e9                           Signed distance [m], negative inside
//! @in    shape_velocity: Field<Vec> = 0                    Velocity of the shape's material [m/s]
//! @in    dt: f32 = 0                                       Time step in which the particles have come here, for rest_speed; 0 is the frame's [s]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}    The particle set
//! @param restitution: f32 = 0.3, 0..1                      Fraction of the normal speed that a bounce keeps
//! @param friction: f32 = 0.1, 0.., soft 0..1               Coulomb's coefficient
//! @param radius: f32 = 0, 0.., soft 0..0.1                 Radius of a particle [m]
//! @param rest_speed: f32 = 0, 0.., soft 0..1               Speed along the surface up to which a particle that hits it comes to rest there; 0: none does [m/s]
//! @param probe: f32 = 0.1, 0.0001..1                       Step of the differences for the surface normal, as a fraction of a cell

const ROUNDS = 4;

fn stage(particle: Particle) -> Result {
    var place = particle.position;
    if shape(place) >= params.radius { return Result(place, particle.velocity); }
    var normal = Vec();
    for (var round = 0; round < ROUNDS; round++) {
        let depth = params.radius - shape(place);
        if depth <= 0.0 { break; }
        let slope = shape_gradient(place, params.probe * CELL_SIZE);
        let steepness = length(slope);
        // Where the distance is level (a sphere's middle) any way out will do.
        if steepness > 1e-6 { normal = slope / steepness; } else { normal = Vec(unit(1)); }
        // A distance has slope 1. Where it is flatter, half a Newton step at most keeps a ridge from throwing far.
        place += normal * (depth / max(steepness, 0.5));
    }
    let carried = shape_velocity(place);
    let left = bounced(particle.velocity - carried, normal);
    let rests = params.rest_speed > 0.0 && length(left) <= params.rest_speed;
    if rests { return Result(place - select(frame.dt, dt(), dt() > 0.0) * left, carried); }
    return Result(place, carried + left);
}

// A velocity after it has hit a surface at rest.
fn bounced(velocity: Vec, normal: Vec) -> Vec {
    let across = dot(velocity, normal);
    if across >= 0.0 { return velocity; }
    let along = velocity - across * normal;
    let taken = params.friction * (1.0 + params.restitution) * -across;
    return along * max(1.0 - taken / max(length(along), 1e-20), 0.0) - params.restitution * across * normal;
}
