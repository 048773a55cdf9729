//! Shed Vortices
//! Potential of the eddies that a body sheds: for each particle of a set a vortex particle,
//! f(q) (R^2 - |x - x0|^2) / 2 w,  q = |x - x0| / R,  f = (1 - q^2)^2 / 3,  with w in a direction that its id chooses at random.
//! Eddies grow and fade with their age. In a 2D domain they turn to the left or to the right.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equation 7.
//! Keywords: wake, eddy, vortex
//!
//! @in    eddies: Particles{position: Vec, age: f32, id: u32}    Their centres, such as from Emit at a Place; the first 128 count
//! @out   potential: Field<vec3f>                           psi; its curl is the flow [m^2/s]
//! @param radius: f32 = 0.1, 0.001.., soft 0.01..1          R, radius of a new eddy [m]
//! @param growth: f32 = 0.02, 0.., soft 0..0.5              Speed at which the radius grows [m/s]
//! @param angular: f32 = 5, 0.., soft 0..20                 |w|, angular velocity of the centre [rad/s]
//! @param rise: f32 = 0.2, 0.001.., soft 0.01..2            Time over which an eddy begins [s]
//! @param life: f32 = 4, 0.001.., soft 0.1..10              Age at which it has faded [s]
//! @use shared/shedding

fn stage(position: Vec) -> vec3f {
    var psi = vec3f();
    for (var i = 0; i < 128; i++) {
        if u32(i) >= eddies_count() { break; }
        let eddy = eddies(u32(i));
        let radius = params.radius + params.growth * eddy.age;
        let away = position - eddy.position;
        let left = 1.0 - dot(away, away) / (radius * radius);
        if left <= 0.0 { continue; }
        psi += presence(eddy.age) * radius * radius * left * left * left * direction(eddy.id);
    }
    return psi * (params.angular / 6.0);
}

// Uniform on the unit sphere, or one of two directions along z.
fn direction(id: u32) -> vec3f {
    let height = 2.0 * random_at(id, 0x5edu) - 1.0;
    if DIM == 2 { return vec3f(0.0, 0.0, select(-1.0, 1.0, height > 0.0)); }
    let turn = 6.2831853 * random_at(id, 0x5eeu);
    return vec3f(sqrt(max(1.0 - height * height, 0.0)) * vec2f(cos(turn), sin(turn)), height);
}
