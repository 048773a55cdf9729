//! Environment
//! Light from all directions, as a field that is evaluated with a unit vector instead of a position. A sky that brightens towards the
//! horizon, a sun with a glow, a softbox above for broad highlights, and light from the ground below. The same field
//! serves as background and reflection.
//! Source: none; a sky by powers of the height, as in many image generators since Perlin 1985.
//!
//! @out   light: Field<vec3f>                                          Radiance from a direction, in linear light
//! @param sun: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the sun, of any length
//! @param sun_light: color = (30, 26, 20, 1)                           Radiance of its disc
//! @param sun_size: f32 = 2, 0.01..90, soft 0.2..20                    Radius of its disc [degrees]
//! @param glow: f32 = 0.015, 0.., soft 0..0.2                          Light around the sun, relative to the disc's
//! @param zenith: color = (0.20, 0.42, 0.80, 1)                        Sky above
//! @param horizon: color = (0.95, 0.98, 1.00, 1)                       Sky at the horizon
//! @param haze: f32 = 0.45, 0.05..4                                    Width of the gradient to the zenith; more keeps the sky bright
//! @param ground: color = (0.30, 0.29, 0.27, 1)                        Light from below
//! @param box_light: color = (3, 3, 3, 1)                              Radiance of the softbox
//! @param box_center: vec2f = (0.5, -0.4), soft -2..2                  Its centre on a ceiling one metre above, x and z [m]
//! @param box_size: vec2f = (0.8, 0.5), 0.., soft 0..2                 Its width and length there; 0 omits it [m]

fn stage(position: Vec) -> vec3f {
    let given = vec3f(position.xy, select(0.0, position[DIM - 1], DIM == 3));
    let direction = given / max(length(given), 1e-20);
    let height = direction.y;
    let sky = mix(params.horizon.rgb, params.zenith.rgb, pow(max(height, 0.0), params.haze));
    let open = mix(params.ground.rgb, sky, smoothstep(-0.06, 0.02, height));
    return open + sun_light(direction) + box_light(direction);
}

fn sun_light(direction: vec3f) -> vec3f {
    let near = dot(direction, params.sun / max(length(params.sun), 1e-20));
    let edge = cos(radians(params.sun_size));
    let disc = smoothstep(edge - 0.3 * (1.0 - edge), edge + 0.3 * (1.0 - edge), near);
    let halo = params.glow * pow(max(near, 0.0), 24.0);
    return params.sun_light.rgb * (disc + halo);
}

fn box_light(direction: vec3f) -> vec3f {
    if direction.y < 0.02 || params.box_size.x * params.box_size.y == 0.0 { return vec3f(); }
    let ceiling = direction.xz / direction.y;
    let beyond = abs(ceiling - params.box_center) / (0.5 * params.box_size);
    let inside = 1.0 - smoothstep(vec2f(0.4), vec2f(1.2), beyond);
    return params.box_light.rgb * inside.x * inside.y;
}
