//! SPH Time Step
//! Chooses the next substep of a frame: the longest that sound, the fastest particle, the largest acceleration and viscosity allow. The rest of the frame is
//! divided into as few equal steps as that takes, so the last one is no shorter than the others. For a group that repeats until `left` is below a microsecond:
//! its first repeat starts with the whole frame, the others with what the one before has left.
//! Limits:  sound  c dt sqrt((1 + 2 damping)/3) <= sound h;  motion  v dt + a dt^2 <= courant h, with at least the acceleration of gravity;  viscosity as in SPH Limits.
//! Source: Courant, Friedrichs and Lewy 1928; Monaghan, J. Comput. Phys. 110, 1994; Morris, Fox and Zhu, J. Comput. Phys. 136, 1997.
//!
//! @over once
//! @in    speed: f32                            Of the fastest particle [m/s]
//! @in    acceleration: f32 = 0                 The largest acceleration [m/s^2]
//! @in    remaining: f32                        What the substep before has left of the frame [s]
//! @in    kernel: vec4f                         From SPH Kernel
//! @in    rest_density: f32 = 1000              Density at rest rho_0 [kg/m^3]
//! @out   dt: f32                               Time step [s]
//! @out   left: f32                             Time that is left of the frame after it [s]
//! @out   passed: f32                           Time from the start of the frame to the end of the step [s]
//! @out   substeps: f32                         Substeps of the frame so far
//! @param stiffness: f32 = 200, 0.., soft 0..2000          Stiffness of the pressure, the square of the speed of sound; 0 for a fluid without sound [m^2/s^2]
//! @param damping: f32 = 1, 0.., soft 0..2                 How many steps ahead SPH Pressure (ahead) looks
//! @param viscosity: f32 = 10, 0.., soft 0..100            Dynamic viscosity [Pa s]
//! @param artificial: f32 = 0, 0.., soft 0..1              Artificial viscosity alpha
//! @param gravity: Vec = (0, -9.81, 0), soft -20..20, handle vector  Acceleration everywhere [m/s^2]
//! @param courant: f32 = 0.4, 0.01..1                      How far the fastest particle may go in a step, in smoothing radii
//! @param sound: f32 = 0.4, 0.01..0.45                     How far sound may go in a step, in smoothing radii; the fluid bursts above 0.45
//! @param viscous: f32 = 0.7, 0.01..0.75                   Largest damping by viscosity in a step

fn stage() -> Result {
    let h = kernel().z;
    let begin = select(remaining(), frame.dt, substep == 0);
    let pull = max(acceleration(), length(params.gravity));
    let reach = params.courant * h;
    // The positive root of  v dt + a dt^2 = reach.
    var longest = 2.0 * reach / max(speed() + sqrt(speed() * speed() + 4.0 * pull * reach), 1e-20);
    let celerity = sqrt(params.stiffness);
    if celerity > 0.0 { longest = min(longest, params.sound * h / (celerity * sqrt((1.0 + 2.0 * params.damping) / 3.0))); }
    let kinematic = params.viscosity / rest_density() + params.artificial * celerity * 0.5 * h / (2.0 * f32(DIM + 2));
    let weights = unpack2x16float(bitcast<u32>(kernel().w)); // as in SPH Limits
    let rate = 2.0 * f32(DIM + 2) * kinematic * (weights.y + select(9.4, 7.0, DIM == 2) * weights.x) / (h * h);
    if rate > 0.0 { longest = min(longest, params.viscous / rate); }
    let steps = max(ceil(begin / max(longest, 1e-9) - 0.001), 1.0);
    let after = select(begin - begin / steps, 0.0, steps == 1.0);
    return Result(begin / steps, after, frame.dt - after, f32(substep + 1));
}
