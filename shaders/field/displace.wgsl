//! Displace Field
//! Reads a field at displaced positions:  result(x) = field(x + amount by(x)).  With noise as the displacement it is a domain warp.
//! Keywords: distort, domain warp, offset
//! Source: Perlin, An Image Synthesizer, SIGGRAPH 1985; Quilez, Domain Warping, 2002.
//!
//! @in    field: Field<T>                       Any field
//! @in    by: Field<Vec>                        Displacement, such as Vector Noise
//! @out   result: Field<T>                      The displaced field
//! @param amount: f32 = 0.1, soft -1..1         Factor of the displacement [m]

fn stage(position: Vec) -> T {
    return field(position + params.amount * by(position));
}
