//! Path
//! A place that moves along a drawn path: its coordinates are curves over the part of the duration that has passed. The velocity is that
//! to the place in the next frame, so a body that moves with it stays on the path. The tables of the curves are joined by a quadratic B-spline,
//! without kinks.
//! Source: none; B-spline: de Boor, A Practical Guide to Splines, 1978.
//! Keywords: curve, animation, trajectory, fly, keyframes
//!
//! @over once
//! @out   center: vec3f                                 The place [m]
//! @out   velocity: vec3f                               Its velocity over this frame [m/s]
//! @param x: curve = [(0, 0.2), (1, 0.8)]               First coordinate over time / duration [m]
//! @param y: curve = [(0, 0.5), (1, 0.5)]               Second coordinate [m]
//! @param z: curve = [(0, 0.5), (1, 0.5)]               Third coordinate; a 2D domain ignores it [m]
//! @param duration: f32 = 4, 0.001.., soft 0.5..20, steady    Time from one end to the other, a constant: where it changes, the place jumps [s]
//! @param start: f32 = 0, soft 0..10, steady            When it begins; before that it waits at the first end [s]
//! @param repeat: bool = false                          Begins again at the end, where the curves should be as at the start. Otherwise it stays there

fn stage() -> Result {
    let here = place(frame.time);
    return Result(here, (place(frame.time + frame.dt) - here) / max(frame.dt, 1e-6));
}

fn place(time: f32) -> vec3f {
    var part = max(time - params.start, 0.0) / params.duration;
    part = select(min(part, 1.0), fract(part), params.repeat != 0);
    let at = 64.0 * part;
    let middle = round(at);
    let u = at - middle;
    return 0.5 * (0.5 - u) * (0.5 - u) * drawn(middle - 1.0) + (0.75 - u * u) * drawn(middle)
        + 0.5 * (0.5 + u) * (0.5 + u) * drawn(middle + 1.0);
}

// The entry of the tables; beyond an end, the next round's, or mirrored at the end, which the path so begins and ends in.
fn drawn(entry: f32) -> vec3f {
    if params.repeat != 0 { return entries((entry - 64.0 * floor(entry / 64.0)) / 64.0); }
    let inner = clamp(entry, 0.0, 64.0);
    return 2.0 * entries(inner / 64.0) - entries((2.0 * inner - entry) / 64.0);
}

fn entries(t: f32) -> vec3f { return vec3f(x(t), y(t), z(t)); }
