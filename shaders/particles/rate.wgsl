//! Emission Rate
//! Number of particles to emit in this frame: after n frames at a steady rate  floor(n rate dt)  in total, without drift, and
//! `burst` more once.
//!
//! @over once
//! @out   amount: u32                                       Particles to emit in this frame
//! @param rate: f32 = 1000, 0..536870912, soft 0..20000     Steady rate [1/s]
//! @param burst: i32 = 0, 0..536870912, soft 0..10000       Particles in a single burst
//! @param burst_time: f32 = 0, 0.., soft 0..10              Time of the burst: the first frame that reaches it [s]

fn stage() -> u32 {
    let each = params.rate * frame.dt;
    let whole = floor(each);
    // The fraction in units of 2^-32. What has built up is this times the frame, and the whole numbers in it wrap round.
    let fraction = u32((each - whole) * 4294967296.0);
    let built_up = frame.index * fraction;
    let due = select(0u, 1u, built_up > 0xffffffffu - fraction);
    // Counted in frames, so that rounding never makes it two bursts or none.
    let burst_frame = u32(ceil(params.burst_time / max(frame.dt, 1e-9) - 1e-3));
    return u32(whole) + due + select(0u, u32(params.burst), frame.index == burst_frame);
}
