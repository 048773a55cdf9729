//! Expectations of a document, checked against its graph. An invalid one is a warning, since it never keeps a graph from running.

mod check;
mod expectation;

pub use check::check;
pub(super) use check::{Fault, carried, components, port, statistic, target};
pub use expectation::{Bound, ExpectSubject, Expectation, Frames, Statistic, Tolerance, list, plain, rounded};
