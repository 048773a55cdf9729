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

fn stage(position: Vec) -> F {
    return operate(a(position), b(position));
}

fn operate(a: F, b: F) -> F {
    switch params.operation {
        case 0 { return a + b; }
        case 1 { return a - b; }
        case 2 { return a * b; }
        case 3 { return divide(a, b); }
        case 4 { return power(a, b); }
        case 5 { return min(a, b); }
        case 6 { return max(a, b); }
        case 7 { return select(a - b * floor(divide(a, b)), F(), b == F()); }
        case 8 { return abs(a); }
        case 9 { return sqrt(max(a, F())); }
        case 10 { return exp(a); }
        case 11 { return select(log(max(a, F(1.2e-38))), F(), a <= F()); }
        case 12 { return sin(a); }
        case 13 { return cos(a); }
        case 14 { return floor(a); }
        case 15 { return a - floor(a); }
        default { return sign(a); }
    }
}

fn divide(a: F, b: F) -> F {
    return select(a / b, F(), b == F());
}

// WGSL raises only positive numbers to a power. Of a negative one, an odd power is negative, and a fraction has no value.
fn power(a: F, b: F) -> F {
    let whole = b == floor(b);
    let odd = floor(0.5 * b) != 0.5 * b;
    let size = select(pow(abs(a), b), F(), a == F());
    let real = select(select(F(), size, whole), size, a >= F());
    return select(select(real, -real, (a < F()) & odd), F(1.0), b == F());
}
