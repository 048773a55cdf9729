//! The two-phase solver of the oil clock: volume fractions, variable density, surface tension, walls.

// The reference holds more than this binary uses.
#[allow(dead_code)]
#[path = "solvers/reference.rs"]
mod reference;

#[allow(dead_code)]
#[path = "solvers/harness.rs"]
mod harness;

#[path = "two_phase/advection.rs"]
mod advection;
#[path = "two_phase/advection_reference.rs"]
mod advection_reference;
#[path = "two_phase/clock.rs"]
mod clock;
#[path = "two_phase/conservation.rs"]
mod conservation;
#[path = "two_phase/curvature.rs"]
mod curvature;
#[path = "two_phase/droplets.rs"]
mod droplets;
#[path = "two_phase/layers.rs"]
mod layers;
