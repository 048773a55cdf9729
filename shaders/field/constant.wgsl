//! Constant Field
//! The same number everywhere.
//! Source: none.
//!
//! @out   field: Field<f32>                     The number
//! @param amount: f32 = 1, soft -10..10         The number

fn stage(position: Vec) -> f32 {
    return params.amount;
}
