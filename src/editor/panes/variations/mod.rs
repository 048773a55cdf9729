//! The variation wall: simulations of one graph with other values, side by side. They are computed only while the pane is seen.
//!
//! `choice` draws values from a hash of the parameter's name, so one parameter does not change another. `build` compiles the documents on a
//! thread, and adds up the memory of the plans before it makes a simulation. `wall` computes the tiles in lockstep. `pane` compares the documents
//! that would run with those that do, so moving a node restarts nothing.

mod build;
mod choice;
mod pane;
pub(crate) mod tiles;
mod wall;

pub(crate) use choice::{Variable, Varied, candidates, plain};
pub(crate) use pane::Variations;
