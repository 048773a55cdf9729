//! Age
//! Increases the age of particles:  age += dt.  Kill Old removes old ones.
//!
//! @inout particles: Particles{age: f32} -> {age: f32}    The particle set; age is the time since emission [s]

fn stage(particle: Particle) -> f32 {
    return particle.age + frame.dt;
}
