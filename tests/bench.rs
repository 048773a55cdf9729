//! The cases of `stagewright bench` do the work that they say: each small, against a reference in f64. One binary, one device a
//! process. Every measurement prints its error, its bar and where the bar comes from.

#[path = "solvers/harness.rs"]
#[allow(dead_code)] // shared with `solvers`, which uses all of it
mod harness;
#[path = "solvers/reference.rs"]
#[allow(dead_code)]
mod reference;

#[path = "fields/asking.rs"]
#[allow(dead_code)]
mod asking;
#[path = "fields/noise_reference.rs"]
#[allow(dead_code)]
mod noise_reference;

#[path = "bench/cases.rs"]
mod cases;
#[path = "bench/filters.rs"]
mod filters;
#[path = "bench/fluids.rs"]
mod fluids;
#[path = "bench/measures.rs"]
mod measures;
#[path = "bench/particles.rs"]
mod particles;
#[path = "bench/two_phase.rs"]
mod two_phase;
