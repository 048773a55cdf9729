//! Why a sweep, or a task of it, cannot run.

use crate::problem::Problems;

/// Why a sweep, or a task of it, cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// One sentence.
    #[error("{0}")]
    Message(String),
    /// What is wrong with the graph where it has certain values, which are named.
    #[error("{0}: {1}")]
    Problems(String, Problems),
}

impl From<String> for SweepError {
    fn from(message: String) -> SweepError {
        SweepError::Message(message)
    }
}
