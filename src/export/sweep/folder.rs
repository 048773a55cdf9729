//! The folder of a sweep: names of the files beside the tasks' folders, and how they are written under a lock.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::SweepError;
use crate::files;
use crate::files::write::FolderLock;

/// The names of what [`super::summarize`] writes.
pub const SHEET: &str = "sheet.png";
/// The page.
pub const PAGE: &str = "sheet.html";
/// The table.
pub const TABLE: &str = "sweep.csv";
/// Name of the template of [`super::farm::openjd`] in the folder of a sweep.
pub const OPENJD: &str = "openjd.yaml";
/// Name of the script of [`super::farm::slurm`] in the folder of a sweep.
pub const SLURM: &str = "slurm.sh";

/// What a sweep writes beside the manifest and the folders of its tasks.
pub(super) const RESULTS: [&str; 5] = [SHEET, PAGE, TABLE, OPENJD, SLURM];
/// How long another process may write into the folder of a sweep, which takes a moment.
const LOCKED: Duration = Duration::from_secs(10);

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
pub(super) fn lock(folder: &Path) -> Result<FolderLock, SweepError> {
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
