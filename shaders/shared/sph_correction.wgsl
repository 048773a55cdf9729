//! SPH correction
//! Symmetric matrices of particles, as two attributes: the diagonal, and the elements yz, xz and xy.

// Matrix times vector.
fn corrected(diagonal: vec3f, others: vec3f, vector: Vec) -> Vec {
    let v = vec3f(vector[0], vector[1], select(vector[DIM - 1], 0.0, DIM == 2));
    let product = diagonal * v + others.zxy * v.yzx + others.yzx * v.zxy;
    var result = Vec();
    for (var axis = 0; axis < DIM; axis++) { result[axis] = product[axis]; }
    return result;
}
