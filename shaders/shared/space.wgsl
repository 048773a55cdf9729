//! Space
//! Vectors and corners in two and three dimensions.

// Corners of a cell: 2^DIM.
const CORNERS = 4 * (DIM - 1);

// A vector of the domain in three dimensions; z is 0 in 2D.
fn in_space(v: Vec) -> vec3f {
    return vec3f(v.xy, select(0.0, v[DIM - 1], DIM == 3));
}
