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

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::files::{self, write::FolderLock};
use crate::png;
use crate::problem::Problems;
use results::Results;

/// The names of what [`summarize`] writes.
pub const SHEET: &str = "sheet.png";
/// The page.
pub const PAGE: &str = "sheet.html";
/// The table.
pub const TABLE: &str = "sweep.csv";

/// What a sweep writes beside the manifest and the folders of its tasks.
const RESULTS: [&str; 5] = [SHEET, PAGE, TABLE, farm::OPENJD, farm::SLURM];
/// How long another process may write into the folder of a sweep, which takes a moment.
const LOCKED: Duration = Duration::from_secs(10);

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

/// Writes files into the folder of a sweep, which has a manifest.
///
/// # Errors
/// A folder that cannot be written, or that another process does not stop to write to.
pub fn write(folder: &Path, files: &[(&str, &[u8])]) -> Result<(), SweepError> {
    let _lock = lock(folder)?;
    for (name, bytes) in files {
        let path = folder.join(name);
        let fault = |error: io::Error| format!("{}: {error}; choose another folder", path.display());
        files::write::replace_in_export(&path, bytes).map_err(fault)?;
    }
    Ok(())
}

/// Locks the folder of a sweep, and removes what a killed one has left. Tasks that run hold only the locks of their own folders.
fn lock(folder: &Path) -> Result<FolderLock, SweepError> {
    let fault = |error: io::Error| format!("{}: {error}; choose another folder", folder.display());
    let since = Instant::now();
    loop {
        if let Some(lock) = FolderLock::take(folder).map_err(fault)? {
            files::write::sweep(folder);
            return Ok(lock);
        }
        if since.elapsed() > LOCKED {
            let cause = "another process is writing into it; wait until it is done, or choose another folder";
            return Err(format!("{}: {cause}", folder.display()).into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

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
