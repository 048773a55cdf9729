//! The record of a folder's exports: which files they have written, the checksum of each, and what it depends on. From it another run
//! tells which frames are there, whether they are as they were written, and whether they are of the same graph.
//!
//! The first line is the `Record` as RON; each line after it is a file, `SERIES FRAME CHECKSUM`, appended before the file gets its name,
//! and sorted once the export is complete. A line that is not complete counts as none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use super::fingerprint::Fingerprint;
use super::fingerprint::{Hash, Parts, hexadecimal};
use super::frames::Frames;
use super::item::Item;
use super::remarks::Remarks;
use super::settings::Settings;
use super::sink::{Journal, Kind, Log, Sums};
use super::subject::{ExportSubject, Source};
use crate::files::{read, write};
use crate::sim::wire_view::View;

/// The name of the file in the folder of an export that is not complete.
pub(super) const RECORD: &str = "frame.export.ron";
/// The name of that file once the export is complete.
const COMPLETE: &str = ".frame.export";
/// Largest file: some millions of frames.
const MAX_RECORD: u64 = 1 << 28;
/// Version of the format.
const VERSION: u32 = 1;
/// Digits of a checksum: 128 bits of SHA-256.
const DIGITS: usize = 32;

/// The first line of the file. It contains no text from the graph: a file with a fixed name must not have contents that
/// somebody else chose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    /// The parts of fingerprints, by their hashes.
    inputs: BTreeMap<String, Parts>,
    series: Vec<Series>,
    /// Checksums of the files of each series.
    #[serde(skip)]
    sums: Vec<Sums>,
}

/// A series of files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Series {
    /// Hash of the name of its first file, which tells series apart.
    files: String,
    /// Hash of what it shows.
    shows: String,
    format: String,
    /// Size that was chosen for images \[pixels\].
    size: Option<(u32, u32)>,
    /// Hash of the settings of the format.
    settings: String,
    /// First, last and step.
    frames: (u64, u64, u64),
    /// The hash of the fingerprint.
    inputs: String,
}

fn hash(text: &str) -> String {
    let mut hash = Hash::default();
    hash.part(b"text", text.as_bytes());
    hash.short()
}

/// The subject without the sizes of images.
fn unsized_subject(subject: &ExportSubject) -> ExportSubject {
    match subject.clone() {
        ExportSubject::Wire(view) => ExportSubject::Wire(View { size: None, ..view }),
        ExportSubject::Values(mut parts) => {
            for part in &mut parts {
                if let Source::Picture(_, size) = &mut part.source {
                    *size = None;
                }
            }
            ExportSubject::Values(parts)
        }
        output => output,
    }
}

impl Series {
    fn new(item: &Item, frames: &Frames, size: Option<(u32, u32)>, inputs: &Fingerprint) -> Series {
        let sized = matches!(item.kind, Kind::Image | Kind::Picture);
        // The step is in the range, and how long a program may take changes no file.
        let settings = Settings { every: 1, timeout: 0, ..item.settings };
        Series {
            files: hash(&item.path(1).to_string_lossy()),
            shows: hash(&format!("{:?} {:?}", unsized_subject(&item.subject), item.kind)),
            format: item.format.name.into(),
            size: size.filter(|_| sized),
            settings: hash(&format!("{settings:?}")),
            frames: (frames.first(), *frames.range().end(), frames.step()),
            inputs: inputs.text().into(),
        }
    }

    fn frames(&self) -> Frames {
        Frames::new(self.frames.0..=self.frames.1, self.frames.2)
    }

    /// What is different besides the inputs, as the beginning of a sentence.
    fn changes(&self, recorded: &Series) -> Option<String> {
        let size = |size: Option<(u32, u32)>| {
            size.map_or_else(|| "the Output's own".into(), |(width, height)| format!("{width}x{height}"))
        };
        if self.format != recorded.format {
            Some(format!("the format ({} before)", recorded.format.escape_debug()))
        } else if self.size != recorded.size {
            Some(format!("the size of the images (--size: {} before)", size(recorded.size)))
        } else if self.shows != recorded.shows {
            Some("what the files show".into())
        } else if self.settings != recorded.settings {
            Some("a setting of the format".into())
        } else if !self.frames().fits(&recorded.frames()) {
            Some(format!(
                "the step of the frames (--every {} from frame {} on before)",
                recorded.frames.2, recorded.frames.0
            ))
        } else {
            None
        }
    }
}

/// What the record has of a series.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SeriesMatch {
    /// Nothing.
    None,
    /// Files of the same, their range, and their checksums.
    Same(Frames, Sums),
    /// Files of something else: what differs, as the beginning of a sentence, and whether it is a cache alone.
    Other(String, bool),
}

/// Files in a folder with the names of records that are none.
pub(super) fn foreign(folder: &Path) -> Vec<std::path::PathBuf> {
    let other = |name: &&str| {
        let path = folder.join(name);
        let text = || read::bytes_without_links(&path, MAX_RECORD).ok();
        // Those of earlier versions are records too.
        let ours = || text().is_some_and(|bytes| bytes.starts_with(b"(version:") || bytes.starts_with(b"(first:"));
        fs::symlink_metadata(&path).is_ok() && !ours()
    };
    [RECORD, COMPLETE].iter().filter(|name| other(name)).map(|name| folder.join(name)).collect()
}

impl Record {
    /// Reads the record in a folder; a symbolic link is ignored, and a file that is none is too.
    pub(super) fn read(folder: &Path) -> Record {
        Record::load(folder, RECORD).or_else(|| Record::load(folder, COMPLETE)).unwrap_or_default()
    }

    fn load(folder: &Path, name: &str) -> Option<Record> {
        let bytes = read::bytes_without_links(&folder.join(name), MAX_RECORD).ok()?;
        Record::parse(&String::from_utf8_lossy(&bytes))
    }

    fn parse(text: &str) -> Option<Record> {
        let (first, rest) = text.split_once('\n')?;
        let mut record: Record = ron::de::from_str(first).ok()?;
        if record.version != VERSION {
            return None;
        }
        record.sums = vec![Sums::new(); record.series.len()];
        // The last line may not be complete.
        for line in rest.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let mut words = line.split(' ');
            let (Some(series), Some(frame), Some(sum), None) = (words.next(), words.next(), words.next(), words.next())
            else {
                continue;
            };
            let (Ok(series), Ok(frame)) = (series.parse::<usize>(), frame.parse::<u64>()) else { continue };
            if sum.len() == DIGITS
                && let Some(sums) = record.sums.get_mut(series)
            {
                sums.entry(frame).or_default().push(sum.into());
            }
        }
        Some(record)
    }

    fn place(&self, series: &Series) -> Option<(usize, &Series)> {
        self.series.iter().enumerate().find(|(_, recorded)| recorded.files == series.files)
    }

    /// What is known of a series.
    pub(super) fn match_series(
        &self,
        item: &Item,
        frames: &Frames,
        size: Option<(u32, u32)>,
        inputs: &Fingerprint,
    ) -> SeriesMatch {
        let series = Series::new(item, frames, size, inputs);
        let Some((at, recorded)) = self.place(&series) else { return SeriesMatch::None };
        let changes = match recorded.inputs == series.inputs {
            true => None,
            false => {
                let parts = self.inputs.get(&recorded.inputs).cloned().unwrap_or_default();
                Some((inputs.changes(&parts), inputs.rebaked(&parts)))
            }
        };
        let changes = changes.or_else(|| Some((series.changes(recorded)?, false)));
        match changes {
            None => SeriesMatch::Same(recorded.frames(), self.sums.get(at).cloned().unwrap_or_default()),
            Some((what, rebaked)) => SeriesMatch::Other(what, rebaked),
        }
    }

    /// Takes in a series, with the checksums of those of its files that stay.
    pub(super) fn enter(
        &mut self,
        item: &Item,
        frames: &Frames,
        size: Option<(u32, u32)>,
        inputs: &Fingerprint,
        sums: Sums,
    ) {
        let series = Series::new(item, frames, size, inputs);
        match self.place(&series).map(|(at, _)| at) {
            Some(at) => {
                if let (Some(recorded), Some(before)) = (self.series.get_mut(at), self.sums.get_mut(at)) {
                    (*recorded, *before) = (series, sums);
                }
            }
            None => {
                self.series.push(series);
                self.sums.push(sums);
            }
        }
        self.inputs.insert(inputs.text().into(), inputs.parts());
        let used: BTreeSet<&String> = self.series.iter().map(|series| &series.inputs).collect();
        self.inputs.retain(|hash, _| used.contains(hash));
    }

    /// Writes the record of an export that begins, and opens it for its files. The places of its series among those of the folder follow
    /// from the items.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(super) fn begin(&mut self, folder: &Path) -> io::Result<Journal> {
        self.version = VERSION;
        let file = self.write(folder, RECORD)?;
        let _ = fs::remove_file(folder.join(COMPLETE));
        write::sync_folder(folder);
        Ok(Journal::new(file))
    }

    /// Writes the file, its lines in the order of series and frames.
    fn write(&self, folder: &Path, name: &str) -> io::Result<fs::File> {
        let mut text = ron::to_string(self).map_err(io::Error::other)?;
        text.push('\n');
        for (series, sums) in self.sums.iter().enumerate() {
            for (frame, sums) in sums {
                for sum in sums.iter().collect::<BTreeSet<_>>() {
                    text += &format!("{series} {frame} {sum}\n");
                }
            }
        }
        let mut temporary = write::temporary(folder)?;
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        write::keep(temporary, &folder.join(name))
    }

    /// Where the lines of a series go.
    pub(super) fn log(&self, item: &Item, journal: &Journal, remarks: &Arc<Remarks>) -> Log {
        let files = hash(&item.path(1).to_string_lossy());
        let series = self.series.iter().position(|recorded| recorded.files == files).unwrap_or(usize::MAX);
        Log::new(journal.clone(), series, remarks.clone())
    }
}

/// Marks the record of a folder as that of complete exports, in an order that does not depend on which file was written first. If this
/// fails, the next export looks at its files once more.
pub(super) fn complete(folder: &Path) {
    let written = Record::load(folder, RECORD).is_some_and(|record| record.write(folder, COMPLETE).is_ok());
    let _ = match written {
        true => fs::remove_file(folder.join(RECORD)),
        false => fs::rename(folder.join(RECORD), folder.join(COMPLETE)),
    };
}

/// The checksum of a file's bytes.
pub(super) fn sum(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

fn digits(digest: &[u8]) -> String {
    let mut text = hexadecimal(digest);
    text.truncate(DIGITS);
    text
}

/// The checksum of a file on disk; `None` for symbolic links, and where it can't be read.
pub(super) fn sum_of(path: &Path) -> Option<String> {
    let (mut file, _) = read::open_without_links(path).ok()?;
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Some(digits(&hash.finalize())),
            Ok(count) => hash.update(chunk.get(..count)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Whether a file is as one of these checksums says.
pub(super) fn is_as_written(path: &Path, sums: &Sums, frame: u64) -> bool {
    sums.get(&frame).is_some_and(|recorded| sum_of(path).is_some_and(|sum| recorded.contains(&sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_torn_or_forged_count_as_none() {
        let sum = sum(b"x");
        let head = "(version:1,inputs:{},series:[(files:\"a\",shows:\"b\",format:\"png\",size:None,settings:\"c\",frames:(1,9,1),inputs:\"d\")])\n".to_string();
        let lines = format!("0 1 {sum}\n0 2 {}\n0 x {sum}\n7 3 {sum}\n0 4 {sum} 5\n\n0 1 {sum}\n0 5 {sum}", &sum[1..]);
        let record = Record::parse(&(head.clone() + &lines)).unwrap();
        assert_eq!(record.sums, [Sums::from([(1, vec![sum.clone(), sum.clone()])])]);
        for text in ["", "()\n", "(first:1,last:2)\n", &head.replace("version:1", "version:9"), head.trim_end()] {
            assert_eq!(Record::parse(text), None, "{text}");
        }
        assert_eq!(sum, "2d711642b726b04401627ca9fbac32f5", "of `printf x | sha256sum`");
    }
}
