//! Rising Vortex Rings
//! Potential of a chain of vortex rings that rise along a vertical axis and pull smoke with them. For each, with r the distance from the axis:
//! psi = magnitude (z, 0, -x) / ((r - radius)^2 + (r + radius)^2 + (y - y_ring)^2 + falloff),  constrained at the obstacle.
//! Distance and whirl are about the same axis; the article's SamplePotential takes r from the axis of the world and the whirl about the obstacle's centre.
//! Near sharp edges only  alpha psi  is used (equation 3), see Constrain Potential. With `no_slip` the fluid sticks to the obstacle.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007 (rising plume); edom18, Curl Noise (SamplePotential).
//!
//! @in    shape: Field<f32> = 1e9                                             Signed distance to the obstacles [m]
//! @in    phase: f32 = 0                                                      Rings since the start, where their rate changes: what it adds up to, from Integral over Time
//! @out   potential: Field<vec3f>                                             psi; its curl is the flow [m^2/s]
//! @param center: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position        A point of the axis [m]
//! @param radius: f32 = 0.25, 0.001.., soft 0.01..2, handle radius of center  Radius of the rings, and width of the layer at the obstacle [m]
//! @param speed: f32 = 0.3, 0.001.., soft 0.01..2                             Speed at which they rise [m/s]
//! @param rate: f32 = 1, 0.01.., soft 0.1..10, steady phase                   Rings per second, speed / rate apart; at most 64 exist [1/s]
//! @param magnitude: f32 = 0.2, soft 0..2                                     Strength [m^3/s]
//! @param falloff: f32 = 0.03, 0.0001.., soft 0.001..1                        Softness of their core [m^2]
//! @param base: f32 = 0, soft -4..4                                           Height where they start [m]
//! @param ceiling: f32 = 1, soft -4..4                                        Height where they end [m]
//! @param fade: f32 = 0, 0.., soft 0..1                                       Length over which they fade in and out; 0 is sudden, as published [m]
//! @param still: bool = false                                                 The rings stand still, as published
//! @param no_slip: bool = false, fixed                                        The viscous condition: on the surface and inside, the flow is zero
//! @param sharpness: f32 = 1, 0.., soft 0..4, fixed                           Curvature from which an edge is sharp; at 0 no edge is
//! @param step: f32 = 0.002, 0.0001.., soft 0.001..0.02                       Half the distance of the differences for the shape's normal [m]
//! @use shared/space
//! @use shared/boundary_ramp
//! @use shared/surface_bend

fn stage(position: Vec) -> vec3f {
    let away = in_space(position) - params.center;
    let r = length(away.xz);
    let without_height = (r - params.radius) * (r - params.radius) + (r + params.radius) * (r + params.radius) + params.falloff;
    let spacing = params.speed / params.rate;
    let top = params.ceiling + spacing;
    // With a phase, the rate is that of the moment, which only spaces the rings.
    let passed = fract(select(frame.time * params.rate, phase(), phase_wired));
    var height = params.ceiling + select(spacing * passed, 0.0, params.still != 0);
    var magnitude = 0.0;
    for (var ring = 0; ring < 64; ring++) {
        if height <= params.base { break; }
        let below = in_space(position).y - height;
        let presence = smoothstep(0.0, params.fade, height - params.base) * smoothstep(0.0, params.fade, top - height);
        magnitude += select(1.0, presence, params.fade > 0.0) / (without_height + below * below);
        height -= spacing;
    }
    let psi = params.magnitude * magnitude * vec3f(away.z, 0.0, -away.x);

    let distance = shape(position);
    if params.no_slip != 0 { return rise(distance / params.radius) * psi; }
    let alpha = ramp(distance / params.radius);
    let normal = in_space(shape_gradient(position, params.step));
    var kept = 1.0 - alpha;
    if params.sharpness > 0.0 {
        if alpha < 1.0 { kept *= smoothness(position, distance, params.radius); }
    }
    return alpha * psi + kept * dot(normal, psi) * normal;
}
