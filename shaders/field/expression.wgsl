//! Expression Field
//! A number at every position:  value(x, a, b).  The expression may name position [m], a, b, time, and number nodes.
//! Keywords: formula, math, wrangle, custom
//! Source: none.
//!
//! @in    a: Field<f32> = 0                 A field that the expression can name
//! @in    b: Field<f32> = 0                 A field that the expression can name
//! @out   field: Field<f32>                 The value at every position
//! @param value: formula = "position.x"     The expression, such as sin(tau * position.x)

fn stage(position: Vec) -> f32 {
    return value(position, a(position), b(position));
}
