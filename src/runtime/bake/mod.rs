//! Baking: a simulation is computed once, the values of some of its wires go to disk, and the graph runs from there.
//!
//! [`status_of`] says what the cache of a bake holds and whether the graph still leads to it, [`playing`] which wires a plan
//! takes from caches, and [`job`] writes a cache.

pub mod job;
mod status;

pub use status::{Bakes, Condition, Status, playing, status_of};
