//! Minimum of Fields
//! The smaller of two values at every position:  min(a, b),  of vectors component by component.
//! Source: none.
//!
//! @in  a: Field<T>                  A field
//! @in  b: Field<T> = 0              Another, in the same unit
//! @out result: Field<T>       The smaller value at every position

fn stage(position: Vec) -> T {
    return min(a(position), b(position));
}
