//! Vector in Space
//! A vector of a domain's own dimensions as one of three components, with z = 0 from a 2D domain, so that a State can keep it.
//! Source: none.
//! Keywords: convert, vec3f
//!
//! @over once
//! @in    vector: Vec = 0        Vector of two or three components
//! @out   result: vec3f          The same with three

fn stage() -> vec3f {
    let v = vector();
    return vec3f(v.xy, select(0.0, v[DIM - 1], DIM == 3));
}
