//! Axes
//! Vectors from bits.

// 1 along the axes of a set of bits.
fn bits(mask: i32) -> Vec {
    var axes = Vec();
    for (var axis = 0; axis < DIM; axis++) { axes += f32((mask >> u32(axis)) & 1) * Vec(unit(axis)); }
    return axes;
}
