//! Amplitude Behind
//! Keeps turbulence to the wake of an obstacle:  A psi,  A = smooth(s / rise) exp(-(r / (radius + spread s))^2),  with s
//! downwind from the start, r from the line through it, and smooth a step from 0 to 1. Add the laminar flow to it.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, section 3 (A psi_T).
//!
//! @in    potential: Field<F>                                               Potential of the turbulence [m^2/s]
//! @out   behind: Field<F>                                                  The same, only in the wake [m^2/s]
//! @param start: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position         Start of the wake, for instance the obstacle's centre [m]
//! @param wind: Vec = (1, 0, 0), soft -4..4, handle direction of start      Direction of the wind, of any length
//! @param rise: f32 = 0.3, 0.001.., soft 0.01..2                            Length over which the turbulence grows [m]
//! @param radius: f32 = 0.3, 0.001.., soft 0.01..2, handle radius of start  Radius of the wake at its start [m]
//! @param spread: f32 = 0.2, 0.., soft 0..1                                 Increase of the radius for each metre downwind

fn stage(position: Vec) -> F {
    let away = position - params.start;
    let wind = params.wind / max(length(params.wind), 1e-20);
    let downwind = dot(away, wind);
    let t = clamp(downwind / params.rise, 0.0, 1.0);
    let aside = length(away - downwind * wind) / (params.radius + params.spread * max(downwind, 0.0));
    return potential(position) * (t * t * t * (10.0 - t * (15.0 - 6.0 * t)) * exp(-aside * aside));
}
