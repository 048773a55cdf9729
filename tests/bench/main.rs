//! The cases of `stagewright bench` do the work that they say: each small, against a reference in f64. One binary, one device a
//! process. Every measurement prints its error, its bar and where the bar comes from.

mod cases;
mod filters;
mod fluids;
mod lbm;
mod measures;
mod mpm;
mod particles;
mod two_phase;
