//! Add Fields
//! The sum of fields:  a + weight b.  Potentials, velocities and colours add; the flow of a sum is the sum of the flows.
//! Keywords: sum, subtract, difference, plus
//! Source: none, addition.
//!
//! @in    a: Field<T>                          A field
//! @in    b: Field<T> = 0                      Another, in the same unit
//! @out   sum: Field<T>                        Their sum
//! @param weight: f32 = 1, soft -2..2          Weight of the second

fn stage(position: Vec) -> T {
    return a(position) + b(position) * params.weight;
}
