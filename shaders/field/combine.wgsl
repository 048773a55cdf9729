//! Combine Fields
//! Numbers as the components of a vector at every position. In 2D z does not count.
//! Keywords: combine XYZ, merge, make vector
//! Source: none.
//!
//! @in    x: Field<f32> = 0     First component
//! @in    y: Field<f32> = 0     Second component
//! @in    z: Field<f32> = 0     Third component
//! @out   result: Field<Vec>    The vector

fn stage(position: Vec) -> Vec {
    var vector = Vec();
    vector.x = x(position);
    vector.y = y(position);
    if DIM == 3 { vector[DIM - 1] = z(position); }
    return vector;
}
