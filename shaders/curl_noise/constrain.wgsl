//! Constrain Potential
//! Makes the flow of a potential slip along an obstacle:  alpha psi + (1 - alpha) n (n . psi),  alpha = ramp(d / width),
//! with n the gradient of the distance. Below the surface alpha continues with its sign, so that finite differences see no kink.
//! Near sharp edges, where n would cause spikes, only  alpha psi  is used (equation 3).
//! An edge is where the distance bends within a quarter of the width h:  h |lap d| > sharpness; a sphere has 2 h / radius.
//! With `no_slip` the fluid sticks to the obstacle:  s psi,  where the smooth step s(d / width) and its derivatives are zero on the surface.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equations 3 to 5.
//!
//! @in    potential: Field<vec3f>                          psi [m^2/s]
//! @in    shape: Field<f32> = 1e9                          Signed distance to the obstacles [m]
//! @out   constrained: Field<vec3f>                        psi whose curl has no component through the surface [m^2/s]
//! @param width: f32 = 0.3, 0.001.., soft 0.01..1          Width of the modified layer: the size of the eddies [m]
//! @param no_slip: bool = false, fixed                     The viscous condition: on the surface and inside, the flow is zero
//! @param sharpness: f32 = 1, 0.., soft 0..4, fixed        Curvature from which an edge is sharp; at 0 no edge is
//! @param step: f32 = 0.002, 0.0001.., soft 0.001..0.02    Half the distance of the differences for the normal [m]
//! @use shared/boundary_ramp
//! @use shared/surface_bend

fn stage(position: Vec) -> vec3f {
    let psi = potential(position);
    let distance = shape(position);
    if params.no_slip != 0 { return rise(distance / params.width) * psi; }
    let alpha = ramp(distance / params.width);
    if alpha >= 1.0 { return psi; }
    let gradient = shape_gradient(position, params.step);
    let normal = vec3f(gradient.xy, select(0.0, gradient[DIM - 1], DIM == 3));
    var kept = 1.0 - alpha;
    if params.sharpness > 0.0 { kept *= smoothness(position, distance, params.width); }
    return alpha * psi + kept * dot(normal, psi) * normal;
}
