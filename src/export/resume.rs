//! What the folder of an export holds before it begins: which frames are kept, and what would be lost.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::claim;
use super::error::JobError;
use super::item::Item;
use super::order::{Export, Logs};
use super::record::{Fingerprint, Record, SeriesMatch};
use super::remarks::Remarks;
use super::run::Missing;
use super::sink::{About, FrameSink, Kind, Log, Sums, Target};
use super::sizes;
use super::subject::ExportSubject;
use crate::files::write::{self, FolderLock};
use crate::sim::Simulation;

/// How many frames a sentence names.
const NAMED: usize = 6;

/// A series of files in the folder.
struct Series {
    /// Frames whose files are kept, those outside of the range too.
    kept: BTreeSet<u64>,
    /// Checksums of the files that are kept.
    sums: Sums,
    /// Whether nothing of it is known to be of this export.
    foreign: bool,
    /// Frames of the range with a file that is not of this export.
    others: u64,
    /// What differs about these; `None` where nothing is known of them. And whether it is a cache alone.
    differs: Option<(String, bool)>,
    /// Recorded frames of the range without a file, and those whose file has changed.
    missing: BTreeSet<u64>,
    changed: BTreeSet<u64>,
    /// A file of all frames that has changed, or is of another range.
    again: Option<String>,
}

/// What the folder of an export holds.
struct FolderContents(Vec<Series>);

impl FolderContents {
    /// Compares the folder with its record. Reads every file that the record lists.
    fn compare(export: &Export, inputs: &Fingerprint, record: &Record) -> Result<FolderContents, JobError> {
        let sinks = export.sinks(&About::default(), &Logs::default());
        let one = |(item, sink): (&Item, Box<dyn FrameSink>)| {
            series(export, item, &*sink, inputs, record).map_err(|error| export.fault(&error))
        };
        export.items.iter().zip(sinks).map(one).collect::<Result<_, _>>().map(FolderContents)
    }

    /// What is not of this export: how many, and what differs.
    fn others(&self, folder: &Path) -> Option<String> {
        let others: Vec<&Series> = self.0.iter().filter(|series| series.others > 0).collect();
        let count = others.iter().map(|series| series.others).max()?;
        let frames = if count == 1 { "1 frame".to_string() } else { format!("{count} frames") };
        let folder = folder.display();
        Some(match others.iter().find_map(|series| series.differs.as_ref()) {
            Some((what, _)) => format!("{folder} has {frames} of another export, which differs in {what}"),
            None => format!("{folder} has {frames} that no export of this graph is recorded to have written"),
        })
    }

    /// Frames of all series.
    fn union(&self, of: impl Fn(&Series) -> &BTreeSet<u64>) -> Vec<u64> {
        let all: BTreeSet<u64> = self.0.iter().flat_map(|series| of(series).iter().copied()).collect();
        all.into_iter().collect()
    }

    /// What is computed again, and why.
    fn again(&self) -> Vec<String> {
        let mut said = Vec::new();
        let missing = self.union(|series| &series.missing);
        if !missing.is_empty() {
            said.push(format!("{}, and computed again", counted(&missing, "is missing", "are missing")));
        }
        let changed = self.union(|series| &series.changed);
        if !changed.is_empty() {
            let [one, several] = ["is not as it was written", "are not as they were written"];
            said.push(format!("{}, and computed again", counted(&changed, one, several)));
        }
        said.extend(self.0.iter().filter_map(|series| series.again.clone()));
        said
    }
}

/// Whether all frames are in one file.
fn is_one_file(item: &Item) -> bool {
    item.format.single && item.kind != Kind::Particles
}

/// `2 frames are missing (7, 12)`
fn counted(frames: &[u64], one: &str, several: &str) -> String {
    let mut names: Vec<String> = frames.iter().take(NAMED).map(u64::to_string).collect();
    if frames.len() > NAMED {
        names.push("...".into());
    }
    let names = names.join(", ");
    match frames.len() {
        1 => format!("1 frame {one} ({names})"),
        count => format!("{count} frames {several} ({names})"),
    }
}

fn series(
    export: &Export,
    item: &Item,
    sink: &dyn FrameSink,
    inputs: &Fingerprint,
    record: &Record,
) -> std::io::Result<Series> {
    let mut series = Series {
        kept: BTreeSet::new(),
        sums: Sums::new(),
        foreign: true,
        others: 0,
        differs: None,
        missing: BTreeSet::new(),
        changed: BTreeSet::new(),
        again: None,
    };
    // A folder that is not there has no files.
    let count = |result: std::io::Result<u64>| match result {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        other => other,
    };
    let entry = record.match_series(item, &export.frames, export.size, inputs);
    let (frames, mut sums) = match entry {
        SeriesMatch::Same(frames, sums) => (frames, sums),
        SeriesMatch::Other(what, rebaked) => {
            series.others = count(sink.present())?;
            series.differs = Some((what, rebaked));
            return Ok(series);
        }
        SeriesMatch::None => {
            series.others = count(sink.present())?;
            return Ok(series);
        }
    };
    (series.foreign, series.others) = (false, count(sink.unlisted(&sums))?);
    series.kept = sink.kept(&frames, &sums);
    if is_one_file(item) {
        let there = std::fs::symlink_metadata(sink.path(export.frames.first())).is_ok();
        if series.kept.is_empty() && !sums.is_empty() {
            let names = sink.names();
            series.again = Some(match (there, frames == export.frames) {
                (false, _) => format!("{names} is missing, and made again"),
                (true, false) if !sink.is_table() => {
                    format!("{names} has the frames {} to {}, and is made again", frames.first(), frames.range().end())
                }
                (true, _) => format!("{names} is not as it was written, and made again"),
            });
        }
        if series.kept.is_empty() {
            sums.clear();
        }
    } else {
        let lost = sums.keys().filter(|frame| export.frames.contains(**frame) && !series.kept.contains(frame));
        for frame in lost {
            let there = std::fs::symlink_metadata(sink.path(*frame)).is_ok();
            if there {
                series.changed.insert(*frame)
            } else {
                series.missing.insert(*frame)
            };
        }
        sums.retain(|frame, _| series.kept.contains(frame));
    }
    series.sums = sums;
    Ok(series)
}

impl Export {
    /// Whether there are frames in the folder that differ from this export by the contents of caches alone.
    pub fn rebaked(&self, inputs: &Fingerprint) -> bool {
        let Ok(FolderContents(found)) = FolderContents::compare(self, inputs, &Record::read(&self.folder)) else {
            return false;
        };
        let others = || found.iter().filter(|series| series.others > 0);
        others().next().is_some() && others().all(|series| series.differs.as_ref().is_some_and(|(_, rebaked)| *rebaked))
    }

    /// The number of frames in the folder that an export with these inputs can keep, where others are missing;
    /// `None` where there is no such export, and where it is complete. Reads each of the files.
    pub fn interrupted(&self, inputs: &Fingerprint) -> Option<u64> {
        let record = Record::read(&self.folder);
        let FolderContents(found) = FolderContents::compare(self, inputs, &record).ok()?;
        let same =
            |item: &Item| matches!(record.match_series(item, &self.frames, self.size, inputs), SeriesMatch::Same(..));
        if !self.items.iter().any(same) || found.iter().any(|series| series.others > 0) {
            return None;
        }
        let kept = Missing::new(self.frames, found.into_iter().map(|series| series.kept).collect()).kept();
        Some(kept).filter(|kept| *kept < self.frames.count())
    }
}

/// An export whose folder is locked and has been looked at. Nothing in it has been changed.
pub struct Ready<'e> {
    pub(super) export: &'e Export,
    pub(super) inputs: &'e Fingerprint,
    locks: Vec<FolderLock>,
    record: Record,
    found: FolderContents,
    said: Vec<String>,
}

/// An export that has begun.
pub(super) struct Started {
    pub(super) sinks: Vec<Box<dyn FrameSink>>,
    pub(super) work: Missing,
    /// Frames that were removed.
    pub(super) replaced: u64,
    pub(super) remarks: Arc<Remarks>,
    /// Lists of the folders' files.
    pub(super) logs: Logs,
    pub(super) locks: Vec<FolderLock>,
}

impl<'e> Ready<'e> {
    /// The locks of the folders, for a caller that writes into them after the frames. They are held for as long as it keeps them.
    pub(crate) fn locks(&mut self) -> Vec<FolderLock> {
        std::mem::take(&mut self.locks)
    }

    /// Locks the folders of an export and looks at what they hold. The simulation has not started yet, or is before the first frame.
    ///
    /// # Errors
    /// A range that is empty or past; sizes that do not fit into one file; a folder that can't be written, or that another export is
    /// writing to. Files that are not of an export to be resumed.
    pub fn lock(export: &'e Export, inputs: &'e Fingerprint, simulation: &Simulation) -> Result<Ready<'e>, JobError> {
        let (first, frames) = (export.frames.first(), export.frames);
        if first == 0 || frames.count() == 0 {
            return Err(JobError::Frames { first, last: *frames.range().end() });
        }
        export.check()?;
        if simulation.frame() >= first {
            return Err(JobError::Past { first, present: simulation.frame() });
        }
        for item in &export.items {
            if let ExportSubject::Output(output) = &item.subject {
                simulation.find_output(output.as_deref())?;
            }
        }
        sizes::check(&export.items, simulation.plan(), &frames)?;
        let mut locks = Vec::new();
        for folder in export.folders() {
            Target::create_folder(&folder)?;
            let lock = FolderLock::take(&folder).map_err(|error| export.fault(&error))?;
            let Some(lock) = lock else { return Err(JobError::Locked { folder }) };
            locks.push(lock);
        }
        let record = Record::read(&export.folder);
        let (mut found, mut said) = (FolderContents(Vec::new()), Vec::new());
        if export.resume {
            found = FolderContents::compare(export, inputs, &record)?;
            let others = found.others(&export.folder);
            match others {
                Some(there) if !export.overwrite => return Err(JobError::Others { there }),
                Some(there) => said.push(format!("{there}: they are replaced")),
                None => {}
            }
            said.extend(found.again());
        } else {
            match claim::check(export)? {
                0 => {}
                1 => said.push("1 existing file replaced".into()),
                count => said.push(format!("{count} existing files replaced")),
            }
        }
        Ok(Ready { export, inputs, locks, record, found, said })
    }

    /// What the export is about to do to the files in the folder, a sentence each.
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// Removes files that are replaced, and writes the record.
    pub(super) fn start(mut self, simulation: &Simulation) -> Result<Started, JobError> {
        let (export, inputs) = (self.export, self.inputs);
        let plan = simulation.plan();
        let about = About { graph: plan.name.clone(), hash: inputs.text().into(), fps: plan.fps };
        export.folders().iter().for_each(|folder| write::sweep(folder));
        let logs = Logs::begin(export).map_err(|error| export.fault(&error))?;
        let mut sinks = export.sinks(&about, &logs);
        let (mut kept, mut replaced) = (Vec::new(), 0);
        let mut found = self.found.0.into_iter();
        for (item, sink) in export.items.iter().zip(&mut sinks) {
            let fault = |error| export.fault(&error);
            let (kept_frames, sums) = match found.next() {
                Some(series) if !series.foreign => {
                    // The file of another range is not extended.
                    if is_one_file(item) && series.kept.is_empty() {
                        sink.remove().map_err(fault)?;
                    }
                    replaced = replaced.max(series.others);
                    (series.kept, series.sums)
                }
                _ => {
                    replaced = replaced.max(sink.remove().map_err(fault)?);
                    // Those outside of the range stay.
                    let mut sums = match self.record.match_series(item, &export.frames, export.size, inputs) {
                        SeriesMatch::Same(_, sums) if !is_one_file(item) => sums,
                        _ => Sums::new(),
                    };
                    sums.retain(|frame, _| !export.frames.contains(*frame));
                    (BTreeSet::new(), sums)
                }
            };
            self.record.enter(item, &export.frames, export.size, inputs, sums);
            kept.push(kept_frames);
        }
        let (work, remarks) = (Missing::new(export.frames, kept), Arc::<Remarks>::default());
        let complete = work.is_empty();
        let journal = match complete {
            true => None,
            false => Some(self.record.begin(&export.folder).map_err(|error| export.fault(&error))?),
        };
        for ((item, sink), kept) in export.items.iter().zip(&mut sinks).zip(work.of_each()) {
            let log = journal.as_ref().map_or_else(Log::default, |journal| self.record.log(item, journal, &remarks));
            sink.begin(kept, log)?;
        }
        Ok(Started { sinks, work, replaced, remarks, logs, locks: self.locks })
    }
}
