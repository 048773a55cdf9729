//! The variation wall: simulations of one graph with other values, side by side. They are computed only while the pane is seen.

mod build;
mod choice;
mod pane;
pub(crate) mod tiles;
mod wall;

pub(crate) use choice::{Variable, Varied, candidates, plain};
pub(crate) use pane::Variations;
