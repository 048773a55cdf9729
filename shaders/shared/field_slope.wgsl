//! Slope of a field
//! Differences of the field `a` over `params.step`.

// Central difference along an axis.
fn slope(position: Vec, axis: i32) -> Vec {
    let e = params.step * Vec(unit(axis));
    return (a(position + e) - a(position - e)) / (2.0 * params.step);
}
