//! Collide
//! Particles bounce off a shape, which may move. A particle that is deeper than its radius is pushed out to the surface, never removed;
//! if it approaches, the normal component of its relative velocity is reversed, times the restitution, and from
//! the tangential one Coulomb friction takes up to  friction (1 + restitution) |v_normal|.  What is slower than
//! `rest_speed` after that comes to rest: it moves with the surface, and its last step along it is undone.
//! A particle that has crossed a thin part of the shape in its last step is stopped on the side from which it came: where the shape is
//! nearer than the step is long, the step is searched by sphere tracing.
//! Source: Bridson, Fedkiw and Anderson, Robust Treatment of Collisions, SIGGRAPH 2002, sec. 7.3 (friction as impulse); the rest state of Niagara's collisions, and their radius from each particle's scale; Hart, Sphere Tracing, 1996.
//!
//! @in    shape: Field<f32> = 1e9                           Signed distance [m], negative inside
//! @in    shape_velocity: Field<Vec> = 0, velocity of shape  Velocity of the shape's material [m/s]
//! @in    dt: f32 = 0                                       Time step in which the particles have come here with their velocity; 0 is the frame's [s]
//! @in    sizes: Particles{radius: f32} = 0                 The same particles with a radius each, which then counts instead of the parameter [m]
//! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}    The particle set
//! @param restitution: f32 = 0.3, 0..1                      Fraction of the normal speed that a bounce keeps
//! @param friction: f32 = 0.1, 0.., soft 0..1               Coulomb's coefficient
//! @param radius: f32 = 0, 0.., soft 0..0.1                 Radius of a particle, unless `sizes` is wired [m]
//! @param rest_speed: f32 = 0, 0.., soft 0..1               Speed along the surface up to which a particle that hits it comes to rest there; 0: none does [m/s]
//! @param probe: f32 = 0.1, 0.0001..1                       Step of the differences for the surface normal, as a fraction of a cell
//! @use shared/contact

const ROUNDS = 4;
// Of a step: how often it is searched, as far as it goes on along the surfaces that it hits, and how far each time.
const HITS = 3;
const SAMPLES = 64;
// How far from the surface it ends then, in cells, so that rounding leaves it on its side.
const SKIN = 0.001;

fn stage(particle: Particle) -> Result {
    let arrival = particle.position;
    let distance = shape(arrival);
    var radius = params.radius;
    if sizes_wired { radius = sizes(particle.index).radius; }
    // As the shape sees it: it may have moved, too.
    let step = select(frame.dt, dt(), dt() > 0.0) * (particle.velocity - shape_velocity(arrival));
    if distance >= radius + length(step) { return Result(arrival, particle.velocity); }
    var out = pushed(arrival, Vec(), radius);
    // A way out along the step, or none: has the particle come through the shape?
    if dot(step, out.normal) >= 0.0 {
        let way = stopped(arrival, step, radius);
        if any(way.normal != Vec()) { out = pushed(way.place, way.normal, radius); }
    }
    if all(out.normal == Vec()) { return Result(arrival, particle.velocity); }
    let carried = shape_velocity(out.place);
    let left = bounced(particle.velocity - carried, out.normal);
    let rests = params.rest_speed > 0.0 && length(left) <= params.rest_speed;
    if rests { return Result(out.place - select(frame.dt, dt(), dt() > 0.0) * left, carried); }
    return Result(out.place, carried + left);
}

// A place, and the normal of the surface that it was moved to; zero where there was none to move to.
struct Contact { place: Vec, normal: Vec }

// A place moved out of the shape, if it is in it.
fn pushed(inside: Vec, before: Vec, radius: f32) -> Contact {
    var place = inside;
    var normal = before;
    for (var round = 0; round < ROUNDS; round++) {
        let depth = radius - shape(place);
        if depth <= 0.0 { break; }
        let slope = shape_gradient(place, params.probe * CELL_SIZE);
        let steepness = length(slope);
        // Where the distance is level (a sphere's middle) any way out will do.
        if steepness > 1e-6 { normal = slope / steepness; } else { normal = Vec(unit(1)); }
        // A distance has slope 1. Where it is flatter, half a Newton step at most keeps a ridge from throwing far.
        place += normal * (depth / max(steepness, 0.5));
    }
    return Contact(place, normal);
}

// Where a step ends that slides along the surfaces in its way.
fn stopped(arrival: Vec, step: Vec, radius: f32) -> Contact {
    var place = arrival;
    var normal = Vec();
    var start = arrival - step;
    for (var hit = 0; hit < HITS; hit++) {
        let way = place - start;
        let long = length(way);
        if long <= 0.0 { break; }
        let contact = first_contact(start, way / long, long, radius);
        if all(contact.normal == Vec()) { break; }
        normal = contact.normal;
        place -= min(dot(place - contact.place, normal) - SKIN * CELL_SIZE, 0.0) * normal;
        start = contact.place;
    }
    return Contact(place, normal);
}

// Where a straight way first meets the surface from outside. No sample is farther than the surface can be, or than a 64th of the way.
fn first_contact(start: Vec, direction: Vec, long: f32, radius: f32) -> Contact {
    let least = long / f32(SAMPLES);
    var done = 0.0;
    for (var i = 0; i < 2 * SAMPLES; i++) {
        let here = start + done * direction;
        let away = shape(here) - radius;
        // It begins inside, and comes out.
        if i == 0 && away < -least { break; }
        if away < 2.0 * least {
            // From a little before, so that the other side of a thin shape does not count.
            let probe = params.probe * CELL_SIZE;
            let slope = shape_gradient(here - 2.0 * probe * direction, probe);
            let steepness = max(length(slope), 1e-6);
            let closing = -dot(direction, slope) / steepness;
            if closing * (long - done) > away {
                return Contact(here + max(away, 0.0) / max(closing, 1e-3) * direction, slope / steepness);
            }
        }
        done += max(away, least);
        if done >= long { break; }
    }
    return Contact(Vec(), Vec());
}
