//! Constrain Stream Function
//! Makes the flow of a stream function slip along an obstacle, whose outline becomes a streamline:
//! level + ramp(d / width) (psi - level).  What flows between two obstacles is the difference of their levels.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equations 3 and 4.
//!
//! @in    potential: Field<f32>                        psi [m^2/s]
//! @in    shape: Field<f32> = 1e9                      Signed distance to the obstacles [m]
//! @out   constrained: Field<f32>                      psi, equal to the level on the outline [m^2/s]
//! @param width: f32 = 0.3, 0.001.., soft 0.01..1      Width of the modified layer: the size of the eddies [m]
//! @param level: f32 = 0, soft -1..1                   psi on the outline; in a wind the value of the wind at its centre [m^2/s]

fn stage(position: Vec) -> f32 {
    let x = clamp(shape(position) / params.width, -1.0, 1.0);
    let ramp = x * (1.875 + x * x * (0.375 * x * x - 1.25));
    return params.level + ramp * (potential(position) - params.level);
}
