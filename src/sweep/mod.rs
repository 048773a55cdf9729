//! Sweeps: one graph with many values, each run to a frame and written to a folder of its own.
//!
//! A [`manifest::Manifest`] lists the tasks. Each is run by itself, in any order and on any machine ([`task`]): what it writes depends
//! on the manifest, the graph and the adapter alone. [`results`] gathers what is there, for a contact sheet ([`sheet`]), a page
//! ([`page`]) and a table. [`farm`] writes jobs for schedulers, which run a task by its index.

pub mod axis;
mod canvas;
pub mod farm;
pub mod job;
pub mod manifest;
pub mod page;
mod random;
pub mod results;
pub mod sheet;
pub mod task;

use std::path::Path;

use crate::export::png;
use crate::files::write;
use crate::problem::Problems;
use results::Results;

/// The names of what [`summarize`] writes.
pub const SHEET: &str = "sheet.png";
/// The page.
pub const PAGE: &str = "sheet.html";
/// The table.
pub const TABLE: &str = "sweep.csv";

/// Writes the contact sheet, the page and the table of what there is in the folder of a sweep. Returns the results.
///
/// # Errors
/// A folder without a manifest, or one that cannot be written.
pub fn summarize(folder: &Path) -> Result<Results, SweepError> {
    let results = Results::read(folder)?;
    let sheet = png(&sheet::sheet(&results, folder))?;
    let page = page::page(&results, folder);
    for (name, bytes) in [(SHEET, sheet), (PAGE, page.into_bytes()), (TABLE, results.to_csv().into_bytes())] {
        let path = folder.join(name);
        write::replace(&path, &bytes).map_err(|error| format!("{}: {error}; choose another folder", path.display()))?;
    }
    Ok(results)
}

/// Why a sweep, or a task of it, cannot run.
#[derive(Debug, thiserror::Error)]
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
