//! Vectors in the plane
//! Vectors of the domain from pairs.

// A pair as x and y; z is 0.
fn flat(pair: vec2f) -> Vec {
    var at = Vec();
    at.x = pair.x;
    at.y = pair.y;
    return at;
}
