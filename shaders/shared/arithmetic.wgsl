//! Arithmetic
//! Operations of two values, by `params.operation`, component by component.

// The result of the operation.
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

// WGSL raises only positive numbers to a power. Of a negative one, an odd power is negative, and a fraction has no value.
fn power(a: F, b: F) -> F {
    let whole = b == floor(b);
    let odd = floor(0.5 * b) != 0.5 * b;
    let size = select(pow(abs(a), b), F(), a == F());
    let real = select(select(F(), size, whole), size, a >= F());
    return select(select(real, -real, (a < F()) & odd), F(1.0), b == F());
}

// A quotient; 0 where the divisor is 0.
fn divide(a: F, b: F) -> F {
    return select(a / b, F(), b == F());
}
