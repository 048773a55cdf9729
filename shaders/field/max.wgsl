//! Maximum of Fields
//! The larger of two values at every position:  max(a, b),  of vectors component by component.
//! Source: none.
//!
//! @in  a: Field<T>                  A field
//! @in  b: Field<T> = 0              Another, in the same unit
//! @out result: Field<T>       The larger value at every position

fn stage(position: Vec) -> T {
    return max(a(position), b(position));
}
