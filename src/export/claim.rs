//! What an export may replace in its folders.

use std::fs;
use std::path::PathBuf;

use super::checkpoints;
use super::error::JobError;
use super::order::{Export, Logs};
use super::record;
use super::sink::{About, Present};
use crate::files::written::{self, Written};

impl Export {
    /// The number of files in the folder that would be replaced, and whether exports have written all of them.
    pub fn would_replace(&self) -> (usize, bool) {
        let (count, others) = in_the_way(self);
        (count.max(others.len()), others.is_empty())
    }
}

/// Checks that exports have written all files that an export replaces. Returns how many there are.
///
/// # Errors
/// Files that no export has written, unless the export may replace them.
pub(super) fn check(export: &Export) -> Result<usize, JobError> {
    let (count, others) = in_the_way(export);
    match others.first() {
        Some(path) if !export.overwrite => Err(JobError::Taken { path: path.clone(), others: others.len() - 1 }),
        _ => Ok(count),
    }
}

/// The number of files in the folders of an export that it would replace, and those of them that no export has written.
fn in_the_way(export: &Export) -> (usize, Vec<PathBuf>) {
    let sinks = export.sinks(&About::default(), &Logs::default());
    let found: Vec<Present> = sinks.iter().filter_map(|sink| sink.files().ok()).collect();
    // An export that runs lists a file before the file is there.
    let lists: Vec<(PathBuf, Written)> =
        export.folders().into_iter().map(|folder| (folder.clone(), Written::read(&folder))).collect();
    let owned = |path: &&PathBuf| {
        let list = lists.iter().find(|(folder, _)| Some(folder.as_path()) == path.parent());
        list.is_some_and(|(_, written)| written.owns(path))
    };
    let files: Vec<PathBuf> = found.iter().flat_map(|found| found.files.clone()).chain(saved(export)).collect();
    let alike = found.iter().flat_map(|found| found.alike.clone());
    let foreign_lists = lists.iter().filter(|(_, written)| written.is_foreign());
    let foreign_lists = foreign_lists.map(|(folder, _)| written::path(folder));
    let others = files.iter().filter(|path| !owned(path)).cloned();
    let mut others: Vec<PathBuf> =
        others.chain(alike).chain(foreign_lists).chain(record::foreign(&export.folder)).collect();
    others.sort();
    (files.len(), others)
}

/// Checkpoints in the folder that the export will write too.
fn saved(export: &Export) -> Vec<PathBuf> {
    let Some(wanted) = &export.checkpoints else { return Vec::new() };
    let last = export.frames.last();
    let due = |frame: &u64| *frame <= last && (frame.is_multiple_of(wanted.every.max(1)) || *frame == last);
    let present = checkpoints::FILES.present(&export.folder).into_iter().map(|(frame, _)| frame).filter(due);
    let paths = present.map(|frame| checkpoints::path(&export.folder, frame));
    paths.filter(|path| fs::symlink_metadata(path).is_ok()).collect()
}
