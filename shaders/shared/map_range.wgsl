//! Map range
//! Range and shape of a mapped value. Reads `params.from_low`, `from_high`, `bounded`, `shape` and `steps`.

// The position of a value in its range: 0 at the low end, 1 at the high end.
fn part(a: F) -> F {
    let span = params.from_high - params.from_low;
    if span == 0.0 { return select(F(), F(1.0), a >= F(params.from_low)); }
    let t = (a - params.from_low) / span;
    return select(t, clamp(t, F(), F(1.0)), params.bounded != 0 || params.shape != 0);
}

// The shape applied to a position.
fn shaped(t: F) -> F {
    let steps = f32(params.steps);
    switch params.shape {
        case 0 { return t; }
        case 1 { return t * t * (3.0 - 2.0 * t); }
        case 2 { return t * t * t * (t * (6.0 * t - 15.0) + 10.0); }
        default { return min(floor(t * steps), F(steps - 1.0)) / (steps - 1.0); }
    }
}
