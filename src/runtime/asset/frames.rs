//! Files that are numbered by frame, such as the images of a movie.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::request::{Neighbor, Request, Wanted};
use super::{AssetError, Cause};
use crate::files::Access;
use crate::files::read::names;
use crate::graph::{Beyond, Pattern, Sequence};

/// Limit of files of a sequence.
pub const MAX_FRAMES: u64 = 100_000;

/// The files of a sequence, as found on the disk, and which one a frame shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    pattern: Pattern,
    /// Numbers of the files, without gaps.
    numbers: RangeInclusive<u64>,
    /// The number in the first frame.
    first: u64,
    beyond: Beyond,
    /// How each is read.
    request: Request,
    stamp: u64,
}

impl Frames {
    /// Looks for the files of a sequence. `request` says how each of them is read; its path is that of the sequence, as the graph
    /// names it.
    ///
    /// # Errors
    /// No file, a gap, too many files, a folder that cannot be listed or lies outside of the graph's.
    pub fn find(request: Request, sequence: &Sequence) -> Result<Frames, Cause> {
        let pattern = request.path.to_str().and_then(Pattern::from_path).ok_or(Cause::NoFrames)?;
        let found = numbers(&pattern, &request.access)?;
        let (Some(low), Some(high)) = (found.first().copied(), found.last().copied()) else {
            return Err(Cause::NoFrames);
        };
        if found.len() as u64 > MAX_FRAMES {
            return Err(Cause::Parts("files", MAX_FRAMES as usize));
        }
        if let Some((number, _)) = (low..=high).zip(&found).find(|(number, found)| number != *found) {
            return Err(Cause::Gap(pattern.path(number).into()));
        }
        let mut hash = DefaultHasher::new();
        for number in low..=high {
            let about = std::fs::metadata(request.access.folder.join(pattern.path(number))).ok();
            about.map(|about| (about.modified().ok(), about.len())).hash(&mut hash);
        }
        let first = sequence.first.unwrap_or(low);
        let numbers = low..=high;
        let beyond = sequence.beyond;
        let stamp = hash.finish();
        Ok(Frames { pattern, numbers, first, beyond, request, stamp })
    }

    /// Changes when the files do.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// The number of the file that a frame shows; the first frame is 0.
    ///
    /// # Errors
    /// Beyond the files, where that is an error.
    pub fn number(&self, frame: u64) -> Result<u64, Cause> {
        let (low, high) = (*self.numbers.start(), *self.numbers.end());
        let number = self.first.saturating_add(frame);
        match self.beyond {
            _ if self.numbers.contains(&number) => Ok(number),
            Beyond::Hold => Ok(number.clamp(low, high)),
            Beyond::Loop => {
                let count = i128::from(high - low) + 1;
                let place = (i128::from(number) - i128::from(low)).rem_euclid(count);
                Ok(low + place as u64)
            }
            Beyond::Error => Err(Cause::Beyond(number, low, high)),
        }
    }

    /// Whether a frame shows a file that is held, so that nothing moves.
    pub fn is_held(&self, frame: u64) -> bool {
        self.beyond == Beyond::Hold && !self.numbers.contains(&self.first.saturating_add(frame))
    }

    /// Whether the sequence gives the velocity of a mesh.
    pub fn is_velocity(&self) -> bool {
        matches!(self.request.wanted, Wanted::Velocity { .. })
    }

    /// How the file with a number is read. The velocity of a mesh is that from the file before it; in the first file, that to the
    /// one after it.
    ///
    /// # Errors
    /// A file that is gone, or lies outside of the graph's folder.
    pub fn request(&self, number: u64) -> Result<Request, AssetError> {
        let (low, high) = (*self.numbers.start(), *self.numbers.end());
        let neighbor = match (self.is_velocity() && high > low, number > low) {
            (false, _) => None,
            (true, true) => Some(Neighbor { path: self.resolve(number - 1)?, later: false }),
            (true, false) => Some(Neighbor { path: self.resolve(low + 1)?, later: true }),
        };
        Ok(Request { path: self.resolve(number)?, neighbor, ..self.request.clone() })
    }

    fn resolve(&self, number: u64) -> Result<PathBuf, AssetError> {
        let named = PathBuf::from(self.pattern.path(number));
        let found = self.request.access.resolve(&named);
        found.map_err(|error| AssetError { file: named, cause: error.into() })
    }
}

/// The files of a sequence that a graph names, in order; none where the path is that of one file.
pub fn files_of(named: &Path, access: &Access) -> Vec<PathBuf> {
    let Some(pattern) = named.to_str().and_then(Pattern::from_path) else { return Vec::new() };
    let numbers = numbers(&pattern, access).unwrap_or_default();
    numbers.into_iter().filter_map(|number| access.resolve(Path::new(&pattern.path(number))).ok()).collect()
}

/// The numbers that there are, in order.
fn numbers(pattern: &Pattern, access: &Access) -> Result<Vec<u64>, Cause> {
    let folder = if pattern.folder().is_empty() { "." } else { pattern.folder() };
    let folder = access.resolve(Path::new(folder))?;
    let mut numbers: Vec<u64> = names(&folder)?.iter().filter_map(|name| pattern.number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
