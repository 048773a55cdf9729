//! Add Fields
//! The sum of fields:  a + weight b.  Potentials, velocities and colours add; the flow of a sum is the sum of the flows.
//! Keywords: sum, subtract, difference, plus
//! Source: none, addition.
//!
//! @in    a: Field<F>                          A field
//! @in    b: Field<F> = 0                      Another, in the same unit
//! @out   sum: Field<F>                        Their sum
//! @param weight: f32 = 1, soft -2..2          Weight of the second

fn stage(position: Vec) -> F {
    return a(position) + b(position) * params.weight;
}
