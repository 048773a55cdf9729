//! Wind
//! The same vector everywhere, such as a wind.
//! Source: none.
//!
//! @out   velocity: Field<Vec>                              The vector [m/s]
//! @param wind: Vec = (1, 0, 0), soft -4..4, handle vector  The vector [m/s]

fn stage(position: Vec) -> Vec {
    return params.wind;
}
