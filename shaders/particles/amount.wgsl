//! Amount
//! Number of live particles.
//! Source: none, the count of the set.
//!
//! @over once
//! @in    particles: Particles{}    The particle set
//! @out   amount: u32               How many they are

fn stage() -> u32 { return particles_count(); }
