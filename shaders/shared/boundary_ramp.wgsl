//! Boundary ramp
//! Weights of a stream function or a vector potential by the distance to an obstacle.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, equation 4.

// An odd smooth step from -1 to 1.
fn ramp(r: f32) -> f32 {
    let x = clamp(r, -1.0, 1.0);
    return x * (1.875 + x * x * (0.375 * x * x - 1.25));
}

// A smooth step from 0 on the surface to 1 at the width, which begins and ends without slope and curvature.
fn rise(r: f32) -> f32 {
    let x = clamp(r, 0.0, 1.0);
    return x * x * x * (10.0 - x * (15.0 - 6.0 * x));
}
