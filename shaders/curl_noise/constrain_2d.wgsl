//! Constrain Stream Function
//! Makes the flow of a stream function slip along an obstacle, whose outline becomes a streamline:
//! level + ramp(d / width) (psi - level).  What flows between two obstacles is the difference of their levels.
//! With `no_slip` the fluid sticks to the obstacle: in place of the ramp is a smooth step, whose derivatives are zero on the outline.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equations 3 and 4.
//!
//! @in    potential: Field<f32>                        psi [m^2/s]
//! @in    shape: Field<f32> = 1e9                      Signed distance to the obstacles [m]
//! @out   constrained: Field<f32>                      psi, equal to the level on the outline [m^2/s]
//! @param width: f32 = 0.3, 0.001.., soft 0.01..1      Width of the modified layer: the size of the eddies [m]
//! @param no_slip: bool = false, fixed                 The viscous condition: on the outline and inside, the flow is zero
//! @param level: f32 = 0, soft -1..1                   psi on the outline; in a wind the value of the wind at its centre [m^2/s]
//! @use shared/boundary_ramp

fn stage(position: Vec) -> f32 {
    let part = potential(position) - params.level;
    let distance = shape(position) / params.width;
    if params.no_slip != 0 { return params.level + rise(distance) * part; }
    return params.level + ramp(distance) * part;
}
