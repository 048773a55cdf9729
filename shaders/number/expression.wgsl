//! Expression of Numbers
//! A number on the GPU:  value(a, b, c).  The expression may name a, b, c, time, and number nodes. For numbers that stages measure, such
//! as a largest speed or a sum, which expressions of parameters cannot read. Other numbers need only a number node.
//! Keywords: math, add, subtract, multiply, divide, compare, if, clamp, min, max, power
//! Source: none.
//!
//! @over once
//! @in    a: f32 = 0                A number that the expression can name
//! @in    b: f32 = 0                A number that the expression can name
//! @in    c: f32 = 0                A number that the expression can name
//! @out   result: f32               The value
//! @param value: formula = "a"      The expression, such as  if a > b { sqrt(a) } else { b }

fn stage() -> f32 {
    return value(Vec(), a(), b(), c());
}
