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
#[path = "two_phase/heat.rs"]
mod heat;
#[path = "two_phase/layers.rs"]
mod layers;
#[path = "two_phase/momentum.rs"]
mod momentum;
#[path = "two_phase/pressure.rs"]
mod pressure;
#[path = "two_phase/stages.rs"]
mod stages;
#[path = "two_phase/stages_reference.rs"]
mod stages_reference;
#[path = "two_phase/stages_solves.rs"]
mod stages_solves;
#[path = "two_phase/stress.rs"]
mod stress;
#[path = "two_phase/turning.rs"]
mod turning;
