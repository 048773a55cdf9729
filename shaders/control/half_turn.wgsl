//! Half Turn
//! Turns by half a turn with every key press, easing in and out: from its angle and speed at the press, along the cubic
//! that ends at rest at the target (Hermite), so that a press during a turn continues smoothly. It stores its memory in a State,
//! `(state: "vec4f", inputs: {"next": "turn.memory"})`, whose wire is `last`.
//! Source: none; cubic Hermite interpolation.
//!
//! @over once
//! @in    last: vec4f = 0                    Its memory from the previous frame, from the State
//! @out   memory: vec4f                      Angle [rad] and speed [rad] at the start of the motion, the completed part of it, a code
//! @out   angle: f32                         Angle, counter-clockwise [rad]
//! @out   rate: f32                          Angular velocity at the end of the frame [rad/s]
//! @out   change: f32                        Its mean rate of change over the frame [rad/s^2]
//! @param duration: f32 = 1.2, 0.01.., soft 0.1..4     Time of a turn [s]
//! @param turned: bool = false               An additional half turn; at the start it is applied at once
//! @param key: i32 = 1, 1..255               Key bits that start a turn: 1 space

const PI = 3.14159265;

fn stage() -> Result {
    // The code: 8 for each press, 4 after the first frame, 2 if `turned` was set, 1 if the key was down.
    let turned = select(0u, 1u, params.turned != 0);
    let held = select(0u, 1u, (i32(frame.keys) & params.key) != 0);
    var code = u32(last().w);
    var motion = last().xyz;
    if (code & 4u) == 0u {
        code = 4u + 2u * turned;
        motion = vec3f(PI * f32(turned), 0.0, 1.0);
    }
    let before = goal(code >> 3u, (code >> 1u) & 1u);
    let presses = (code >> 3u) + (held & ~code & 1u);
    let now = goal(presses, turned);
    if now != before { motion = vec3f(angle_at(motion, before), speed_at(motion, before), 0.0); }
    let began = speed_at(motion, now) / params.duration;
    motion.z = min(motion.z + frame.dt / params.duration, 1.0);
    let rate = speed_at(motion, now) / params.duration;
    let memory = vec4f(motion, f32(8u * presses + 4u + 2u * turned + held));
    return Result(memory, angle_at(motion, now), rate, (rate - began) / max(frame.dt, 1e-6));
}

fn goal(presses: u32, turned: u32) -> f32 { return PI * f32(presses + turned); }

// The cubic with angle x and slope y at part 0, the goal and rest at part 1.
fn angle_at(motion: vec3f, end: f32) -> f32 {
    let left = 1.0 - motion.z;
    return end - (end - motion.x) * left * left * (1.0 + 2.0 * motion.z) + motion.y * motion.z * left * left;
}

fn speed_at(motion: vec3f, end: f32) -> f32 {
    let left = 1.0 - motion.z;
    return 6.0 * (end - motion.x) * left * motion.z + motion.y * left * (1.0 - 3.0 * motion.z);
}
