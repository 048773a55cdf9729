//! Sweeps: one graph with many values, each run to a frame and written to a folder of its own.
//!
//! A [`manifest::Manifest`] lists the tasks. Each is run by itself, in any order and on any machine ([`task`]): what it writes depends
//! on the manifest, the graph and the adapter alone. [`results`] gathers what is there, for a contact sheet ([`sheet`]), a page
//! ([`page`]) and a table. [`farm`] writes jobs for schedulers, which run a task by its index.

pub mod axis;
mod canvas;
mod error;
pub mod farm;
mod folder;
pub mod job;
pub mod manifest;
pub mod page;
mod random;
pub mod results;
pub mod sheet;
pub mod task;

use std::path::Path;

use crate::png;

pub use error::SweepError;
pub use folder::{PAGE, SHEET, TABLE, write};
use folder::{RESULTS, lock};
use results::Results;

/// Writes the contact sheet, the page and the table of what there is in the folder of a sweep. Returns the results.
///
/// # Errors
/// A folder without a manifest, or one that cannot be written.
pub fn summarize(folder: &Path) -> Result<Results, SweepError> {
    let results = Results::read(folder)?;
    let sheet = png(&sheet::sheet(&results, folder))?;
    let (page, table) = (page::page(&results, folder), results.to_csv());
    write(folder, &[(SHEET, &sheet), (PAGE, page.as_bytes()), (TABLE, table.as_bytes())])?;
    Ok(results)
}
