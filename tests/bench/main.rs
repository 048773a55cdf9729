//! The cases of `stagewright bench` do the work that they say: each small, against a reference in f64. One binary, one device a
//! process. Every measurement prints its error, its bar and where the bar comes from.

#[path = "../solvers/harness.rs"]
#[allow(dead_code)] // shared with `solvers`, which uses all of it
mod harness;
#[path = "../solvers/reference.rs"]
#[allow(dead_code)]
mod reference;

#[path = "../fields/asking.rs"]
#[allow(dead_code)]
mod asking;
#[path = "../fields/noise_reference.rs"]
#[allow(dead_code)]
mod noise_reference;

mod cases;
mod filters;
mod fluids;
mod lbm;
mod measures;
mod mpm;
mod particles;
mod two_phase;
