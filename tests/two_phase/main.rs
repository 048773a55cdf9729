//! The two-phase solver of the oil clock: volume fractions, variable density, surface tension, walls.

mod advection;
mod advection_reference;
mod bodies;
mod clock;
mod conservation;
mod curvature;
mod droplets;
mod fullness;
mod heat;
mod heave;
mod layers;
mod momentum;
mod plic_stages;
mod pressure;
mod space;
mod stages;
mod stages_reference;
mod stages_solves;
mod stress;
mod turning;
