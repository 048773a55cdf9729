//! Stretch
//! Stretches a shape along an axis and squeezes it across, so that it keeps its volume:  y = center + S^-1 (x - center),  with S the factor f along
//! the axis and f^(-1 / (DIM - 1)) across. The distance  shape(y) / |S^-1 grad shape|  is exact to first order at the surface.
//! Affine Motion is the flow of a body that is stretched so.
//! Source: distance by its first-order expansion: Taubin, Distance Approximations for Rasterizing Implicit Curves, ACM TOG 13, 1994.
//! Keywords: scale, squash, deform, ellipsoid
//!
//! @in    shape: Field<f32>                                               Signed distance [m]
//! @out   distance: Field<f32>                                            Signed distance of the stretched shape [m]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position      The point that stays [m]
//! @param axis: Vec = (0, 1, 0), soft -1..1, handle direction of center   Direction of the stretching, of any length
//! @param factor: f32 = 1.5, 0.01..100, soft 0.5..2                       f, length along the axis over that before
//! @param step: f32 = 0.002, 0.0001.., soft 0.001..0.02                   Half the distance of the differences for the gradient [m]

fn stage(position: Vec) -> f32 {
    let place = params.center + shrunk(position - params.center);
    let slope = length(shrunk(shape_gradient(place, params.step)));
    // In the middle of a shape the gradient is zero.
    return shape(place) / max(slope, min(1.0 / params.factor, across()));
}

fn across() -> f32 { return pow(params.factor, 1.0 / f32(DIM - 1)); }

fn shrunk(v: Vec) -> Vec {
    let axis = params.axis / max(length(params.axis), 1e-20);
    let along = dot(v, axis) * axis;
    return along / params.factor + across() * (v - along);
}
