//! Math of Fields
//! A calculation at every position, of vectors component by component; those of one operand take a. Angles are in radians.
//! The result is 0 where there is none: a division or modulo by 0, a root or logarithm of a negative number, its power with a
//! fraction. The modulo of a negative number is positive for a positive divisor:  a - b floor(a / b).
//! Keywords: add, subtract, multiply, divide, pow, abs, sqrt, exp, log, sin, cos, fract, negate, difference
//! Source: none.
//!
//! @in    a: Field<F> = 0                     First operand
//! @in    b: Field<F> = 0                     Second operand
//! @out   result: Field<F>                    The result
//! @param operation: i32 = 0, 0..16           0 add (a + b), 1 subtract (a - b), 2 multiply (a b), 3 divide (a / b), 4 power (a^b), 5 minimum, 6 maximum, 7 modulo, 8 absolute, 9 square root, 10 exponential, 11 logarithm, 12 sine, 13 cosine, 14 floor, 15 fraction, 16 sign
//! @use shared/arithmetic

fn stage(position: Vec) -> F {
    return operate(a(position), b(position));
}
