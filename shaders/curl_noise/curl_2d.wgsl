//! Curl (2D)
//! The flow of a stream function:  u = (dpsi/dy, -dpsi/dx),  by central differences. It conserves area for any function.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, section 2.1.
//!
//! @in    potential: Field<f32>                             psi [m^2/s]
//! @out   velocity: Field<Vec>                              u [m/s]
//! @param step: f32 = 0.001, 0.0001.., soft 0.001..0.05     Half the distance of a difference. It lets (step / radius)^2 of the speed through a curved surface [m]

fn stage(position: Vec) -> Vec {
    let slope = potential_gradient(position, params.step);
    return Vec(unit(0)) * slope.y - Vec(unit(1)) * slope.x;
}
