//! Intersect
//! Intersection of two shapes:  max(a, b);  with `blend` the new edge is rounded by  h^2 / 4 blend,  h = max(blend - |a - b|, 0).
//! Source: Ricci, A Constructive Geometry for Computer Graphics, 1973; Quilez, Smooth Minimum (quadratic).
//!
//! @in    a: Field<f32>                             A shape's signed distance [m]
//! @in    b: Field<f32> = -1e9                      Another's [m]
//! @out   distance: Field<f32>                      Signed distance; outside an edge a lower bound [m]
//! @param blend: f32 = 0, 0.., soft 0..0.5          Width of the rounded edge; 0 is sharp [m]

fn stage(position: Vec) -> f32 {
    let a = a(position);
    let b = b(position);
    let near = max(params.blend - abs(a - b), 0.0);
    return max(a, b) + near * near / max(4.0 * params.blend, 1e-20);
}
