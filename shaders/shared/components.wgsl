//! Components
//! Vectors of the domain from vectors of space.

// A vector of three dimensions in the domain; in 2D without z.
fn in_domain(v: vec3f) -> Vec {
    var part = Vec();
    for (var axis = 0; axis < DIM; axis++) { part[axis] = v[axis]; }
    return part;
}
