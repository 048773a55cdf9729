//! Shed Rings
//! Potential of the vortex rings that a body sheds, such as smoke rings: for each particle of a set a vortex curve,
//! f(q) (R^2 - |x - x_C|^2) / 2 w_C,  q = |x - x_C| / R,  f = (1 - q^2)^2 / 3,  along a circle around the particle and across its velocity.
//! With x_C the closest point of the circle. The flow through a ring goes along the velocity. Rings grow and fade with their age.
//! In a 2D domain a ring is a pair of vortices.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 8.
//! Keywords: wake, smoke ring, vortex
//!
//! @in    rings: Particles{position: Vec, velocity: Vec, age: f32}    Centres of the rings, such as from Emit at a Place; the first 64 count
//! @out   potential: Field<vec3f>                           psi; its curl is the flow [m^2/s]
//! @param radius: f32 = 0.2, 0.001.., soft 0.01..1          Radius of a new ring [m]
//! @param growth: f32 = 0.05, 0.., soft 0..0.5              Speed at which the radius grows [m/s]
//! @param core: f32 = 0.12, 0.001.., soft 0.01..1           R, radius of the vortex core; less than the radius [m]
//! @param angular: f32 = 5, soft -20..20                    w, angular velocity of the core [rad/s]
//! @param rise: f32 = 0.2, 0.001.., soft 0.01..2            Time over which a ring begins [s]
//! @param life: f32 = 4, 0.001.., soft 0.1..10              Age at which it has faded [s]
//! @use shared/space
//! @use shared/shedding

fn stage(position: Vec) -> vec3f {
    var psi = vec3f();
    for (var i = 0; i < 64; i++) {
        if u32(i) >= rings_count() { break; }
        let ring = rings(u32(i));
        let radius = params.radius + params.growth * ring.age;
        let away = position - ring.position;
        // Beyond radius and core a ring has no flow.
        if dot(away, away) >= (radius + params.core) * (radius + params.core) { continue; }
        let axis = in_space(ring.velocity) / max(length(ring.velocity), 1e-20);
        let across = in_space(away) - dot(in_space(away), axis) * axis;
        let outward = across / max(length(across), 1e-20);
        let q = length(in_space(away) - radius * outward) / params.core;
        let left = max(1.0 - q * q, 0.0);
        psi += presence(ring.age) * left * left * left * cross(axis, outward);
    }
    return psi * (params.core * params.core / 6.0 * params.angular);
}
