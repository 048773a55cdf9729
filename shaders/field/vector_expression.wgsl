//! Vector Expression Field
//! A vector at every position:  value(x, a, b).  The expression may name position [m], a, b, time, and number nodes.
//! Keywords: formula, math, wrangle, custom
//! Source: none.
//!
//! @in    a: Field<Vec> = 0                 A vector field that the expression can name
//! @in    b: Field<f32> = 0                 A field that the expression can name
//! @out   field: Field<Vec>                 The vector at every position
//! @param value: formula<Vec> = "position"  The expression, such as [-position.y, position.x]

fn stage(position: Vec) -> Vec {
    return value(position, a(position), b(position));
}
