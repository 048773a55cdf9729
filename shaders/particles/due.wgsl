//! Particles Due
//! The whole particles that a rate has built up since the start; what is left counts in the next frame. A rate that rises or falls from
//! frame to frame is integrated by the rule of Adams and Bashforth,  r dt + (r - r_before) dt / 2,  with the smaller of the last two
//! differences, so that a rate which jumps counts from the frame on in which it does. The part of Emission Rate that counts.
//! Source: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, ch. III.1 (the rule).
//!
//! @over once
//! @in    earlier: u32 = 0                                  Fraction of a particle that earlier frames left over, from a State, in units of 2^-32
//! @in    before: vec3f = 0                                 From a State: the rate of the frame before, its difference to that of the frame before it [1/s], and particles too many
//! @out   amount: u32                                       Particles to emit in this frame
//! @out   remainder: u32                                    Fraction that this frame leaves over, in units of 2^-32
//! @out   recent: vec3f                                     The same for this frame
//! @param rate: f32 = 1000, 0..536870912, soft 0..20000     Rate, which may change from frame to frame [1/s]
//! @param burst: i32 = 0, 0..536870912, soft 0..10000       Particles in a single burst
//! @param burst_time: f32 = 0, 0.., soft 0..10, steady      Time of the burst: the first frame that reaches it [s]

fn stage() -> Result {
    let last = before();
    let rise = params.rate - last.x;
    let steady = select(0.0, sign(rise) * min(abs(rise), abs(last.y)), rise * last.y > 0.0);
    // Where a rate falls towards zero this may be negative, and is due later, unless the rate has stopped.
    let rate = select(params.rate + 0.5 * steady, 0.0, params.rate == 0.0);
    // 1 / dt is the frames per second up to rounding, and these are mostly a whole number.
    let frames = 1.0 / max(frame.dt, 1e-9);
    let per_second = select(frames, round(frames), abs(frames - round(frames)) < 1e-5 * frames);
    // The nearest whole number and what it misses. Together they are exact but for the rounding of a fraction.
    let nearest = round(rate / per_second);
    let missing = clamp((rate - nearest * per_second) / per_second, -0.5, 0.4999999);
    let fraction = bitcast<u32>(i32(missing * 4294967296.0));
    // Sums of 32 bits wrap round at a whole particle.
    let sum = earlier() + fraction;
    var due = i32(nearest);
    if missing < 0.0 { due -= select(0, 1, sum > earlier()); } else { due += select(0, 1, sum < earlier()); }
    // Counted in frames, so that rounding never makes it two bursts or none.
    let burst_frame = u32(ceil(params.burst_time / max(frame.dt, 1e-9) - 1e-3));
    due -= i32(last.z);
    let amount = u32(max(due, 0)) + select(0u, u32(params.burst), frame.index == burst_frame);
    return Result(amount, sum, vec3f(params.rate, rise, f32(max(-due, 0))));
}
