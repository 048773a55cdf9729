//! Net Source of a Box
//! What flows from nowhere into a closed or periodic box, for a warning: no pressure can remove that.
//! Source: none.
//!
//! @over once
//! @in  excess: vec4f                Sum of the divergence [1/s], open cells, weights of open borders, sum of magnitudes (Excess)
//! @out amount: f32, expect 0..0     The box is closed, and what flows into it is not zero: its {count} cells have a net source of {amount} cells a second, which no pressure can remove. Open a side of the domain, or let as much flow out as in
//! @out count: f32                   Open cells

fn stage() -> Result {
    let sum = excess();
    // As for parts (Balance Parts).
    let grows = sum.z == 0.0 && abs(sum.x) * frame.dt > 0.01 && abs(sum.x) > 0.001 * sum.w;
    return Result(select(0.0, -sum.x, grows), sum.y);
}
