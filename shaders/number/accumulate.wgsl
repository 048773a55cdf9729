//! Accumulate over Time
//! Adds what a rate amounts to in a frame. The part of Integral over Time that adds.
//! Source: Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974.
//!
//! @over once
//! @in    earlier: vec2f = 0              The sum of earlier frames, from a State
//! @out   sum: vec2f                      The sum, and what rounding has cut off it
//! @out   value: f32                      The integral up to the beginning of the frame
//! @out   next: f32                       The integral up to its end
//! @param rate: f32 = 1                   What is integrated; it may change from frame to frame [1/s]

fn stage() -> Result {
    let before = earlier();
    let added = params.rate * frame.dt;
    let after = before.x + added;
    let larger = select(added, before.x, abs(before.x) >= abs(added));
    let lost = (larger - after) + select(before.x, added, abs(before.x) >= abs(added));
    return Result(vec2f(after, before.y + lost), before.x + before.y, after + before.y + lost);
}
