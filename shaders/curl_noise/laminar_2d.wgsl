//! Laminar Stream Function
//! Stream function of a uniform wind in the plane:  V_x (y - y0) - V_y (x - x0). Constrain it at an obstacle, with x0 in
//! the obstacle's centre, and the wind flows around it.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, section 3 (psi_L).
//!
//! @out   potential: Field<f32>                                       psi; the flow is (dpsi/dy, -dpsi/dx) [m^2/s]
//! @param wind: Vec = (1, 0, 0), soft -4..4, handle vector of center  V [m/s]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position  x0 [m]

fn stage(position: Vec) -> f32 {
    let away = position - params.center;
    return params.wind.x * away.y - params.wind.y * away.x;
}
