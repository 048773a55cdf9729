//! First Measures
//! Keeps the measures of the first step, with which Step compares later ones.
//! Source: none.
//!
//! @over once
//! @in  before: vec4f      What was kept so far, 0 in the first step
//! @in  now: vec4f         Measures of this step
//! @out kept: vec4f        Measures of the first step

fn stage() -> vec4f {
    return select(before(), now(), before().x == 0.0);
}
