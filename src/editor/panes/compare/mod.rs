//! Compares two wires or images: of the running graph, of a frame that was held, or of another graph that runs in lockstep. Nothing is
//! measured or kept while the pane is closed.
//!
//! `pane` takes the values of both sides once they show the same frame, and `measure` compares them. Another graph is made by a change of the
//! document (`other`), compiled (`build`), and follows the running one with its input and parameters (`companion`); the player waits for it.

mod body;
mod build;
mod companion;
mod images;
mod list;
mod measure;
mod menus;
mod numbers;
mod other;
mod pane;
mod sides;

pub(crate) use other::Change;
pub(crate) use pane::ComparePane;
