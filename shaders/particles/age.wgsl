//! Age
//! Lets particles grow older:  age += dt.  Kill Old removes those that are due.
//!
//! @inout particles: Particles{age: f32} -> {age: f32}    Time since they were emitted [s]

fn stage(particle: Particle) -> f32 {
    return particle.age + frame.dt;
}
