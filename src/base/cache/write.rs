//! Writing: frame by frame, each as a whole.

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::frame::{Header, MAGIC, Size};
use super::{Cache, CacheError, FRAMES, INDEX, Index, MAX_INDEX, STATES, codec};
use crate::files::numbered::Numbered;
use crate::files::{ReadError, read, write};

/// The name in the header of a checkpoint of what it says about itself.
const STATE_MAGIC: &[u8] = b"\"stagewright\":";
/// Bytes at the beginning of a file in which these are.
const BEGIN: u64 = 1 << 12;

/// Writes a cache.
pub struct Writer {
    folder: PathBuf,
    index: Index,
    identity: [u8; 32],
    replaced: u64,
    _lock: write::FolderLock,
}

/// What a cache that is continued holds already.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Frames that are there and sound. With a State, also the one before the first.
    pub sound: BTreeSet<u64>,
    /// Frames that are damaged or of another cache, and why.
    pub broken: Vec<(u64, CacheError)>,
}

impl Writer {
    /// Starts to write into a folder, which is created where it does not exist. Frames of another cache there are removed;
    /// with `resume`, those of the same are kept where they are sound, also where it was to end with another frame. Every byte of them
    /// is read.
    ///
    /// # Errors
    /// A folder that can't be written, or that another process writes to; files with the names of a cache's that no bake has written.
    pub fn begin(folder: &Path, index: Index, resume: bool) -> Result<(Writer, Kept), CacheError> {
        let fault = |error: io::Error| fault(folder, &error);
        write::create_folder(folder).map_err(fault)?;
        let lock = write::FolderLock::take(folder).map_err(fault)?;
        let Some(lock) = lock else { return Err(CacheError::Locked(folder.into())) };
        write::sweep(folder);
        let before = Cache::open(folder).ok().filter(|before| resume && index.continues(before.index()));
        let mut replaced = 0;
        match &before {
            Some(_) => surplus(folder, index.last).try_for_each(|path| gone(&path)).map_err(fault)?,
            None => {
                check(folder)?;
                replaced = remove_files(folder).map_err(fault)?;
            }
        }
        let mut kept = Kept::default();
        if let Some(before) = &before {
            before.verify_all(&before.present(), |frame, found| match found {
                Ok(_) => drop(kept.sound.insert(frame)),
                Err(error) => kept.broken.push((frame, error)),
            });
            kept.broken.retain(|(frame, _)| *frame <= index.last);
            kept.broken.sort_by_key(|(frame, _)| *frame);
        }
        if before.is_none_or(|before| *before.index() != index) {
            let text = serde_json::to_vec_pretty(&index).map_err(|error| fault(io::Error::other(error)))?;
            write::replace_in_export(&folder.join(INDEX), &text).map_err(fault)?;
        }
        let identity = index.identity();
        Ok((Writer { folder: folder.into(), index, identity, replaced, _lock: lock }, kept))
    }

    /// Files of another cache that were removed.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Writes a frame with the words of each part, in the order of the index. Returns its size on disk \[bytes\].
    ///
    /// # Errors
    /// A disk that is full, or a folder that is gone; parts of another size than the index says.
    pub fn write(&self, frame: u64, time: f64, parts: &[&[u32]]) -> Result<u64, CacheError> {
        let path = FRAMES.path(&self.folder, frame);
        let fault = |error: io::Error| fault(&path, &error);
        let packed = parts.iter().map(|words| codec::pack(words)).collect::<io::Result<Vec<Vec<u8>>>>();
        let packed = packed.map_err(fault)?;
        let size = |((words, packed), part): ((&&[u32], &Vec<u8>), &super::BakedPart)| Size {
            words: words.len() as u64,
            packed: packed.len() as u64,
            not_finite: part.numbers.not_finite(words),
        };
        let sizes = parts.iter().zip(&packed).zip(self.index.parts()).map(size).collect();
        let header = Header { hash: [0; 32], cache: self.identity, frame, time, parts: sizes };
        let fits = header.check(&self.index, &self.identity, frame);
        let fits = fits.and_then(|()| header.check_counts(&self.index, |place| parts.get(place)?.first().copied()));
        fits.map_err(|cause| fault(io::Error::other(cause)))?;
        let begin = header.seal(&packed);
        let mut file = write::temporary(&self.folder).map_err(fault)?;
        file.write_all(&begin).map_err(fault)?;
        packed.iter().try_for_each(|bytes| file.write_all(bytes)).map_err(fault)?;
        write::rename(file, &path).map_err(fault)?;
        Ok(begin.len() as u64 + packed.iter().map(|bytes| bytes.len() as u64).sum::<u64>())
    }

    /// Waits until all frames are on disk.
    pub fn finish(self) {
        write::sync_folder(&self.folder);
    }
}

/// Removes a cache, and its folder if nothing else is in it.
///
/// # Errors
/// Files that can't be removed, or that no bake has written; a folder that another process writes to.
pub fn remove(folder: &Path) -> Result<(), CacheError> {
    let fault = |error: io::Error| fault(folder, &error);
    let lock = write::FolderLock::take(folder).map_err(fault)?;
    let Some(_lock) = lock else { return Err(CacheError::Locked(folder.into())) };
    check(folder)?;
    remove_files(folder).map_err(fault)?;
    // One with other files stays.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// Removes the index, the frames and the checkpoints, and no other file. Returns how many.
fn remove_files(folder: &Path) -> io::Result<u64> {
    let files: Vec<PathBuf> = files(folder).collect();
    // First, so that what is left after a kill is no cache.
    let index = folder.join(INDEX);
    let count = files.len() as u64 + u64::from(index.exists());
    gone(&index)?;
    files.iter().try_for_each(|path| gone(path))?;
    Ok(count)
}

/// The frames and checkpoints of a cache.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let first = Some(FRAMES.path(folder, 0)).filter(|path| path.symlink_metadata().is_ok());
    surplus(folder, 0).chain(first)
}

/// Checks that the files which a bake replaces are those of a bake: an index that a version of this program wrote vouches for those
/// beside it. Others say by their first bytes what they are.
///
/// # Errors
/// A file that is something else, a link among them.
fn check(folder: &Path) -> Result<(), CacheError> {
    let index = folder.join(INDEX);
    match read::bytes_without_links(&index, MAX_INDEX) {
        Ok(bytes) if is_ours(&bytes) => return Ok(()),
        Err(ReadError::Missing) => {}
        _ => return Err(CacheError::Foreign(index)),
    }
    let other = files(folder).find(|path| {
        let Ok((file, _)) = read::open_without_links(path) else { return true };
        let mut begin = Vec::new();
        let read = file.take(BEGIN).read_to_end(&mut begin).is_ok();
        let ours = |magic: &[u8]| begin.windows(magic.len()).any(|bytes| bytes == magic);
        // An empty file is what a crash of the system leaves.
        let is_cache = begin.is_empty() || begin.starts_with(&MAGIC[..MAGIC.len() - 1]) || ours(STATE_MAGIC);
        !(read && is_cache)
    });
    other.map_or(Ok(()), |path| Err(CacheError::Foreign(path)))
}

/// Whether an index is that of a cache, of any version of this program.
fn is_ours(index: &[u8]) -> bool {
    let json = serde_json::from_slice::<serde_json::Value>(index).ok();
    let program = json.as_ref().and_then(|json| json.get("program")?.as_str());
    program.is_some_and(|program| program.starts_with("stagewright "))
}

/// Frames and checkpoints after a frame.
fn surplus(folder: &Path, last: u64) -> impl Iterator<Item = PathBuf> {
    let after = move |files: Numbered| {
        let found = files.present(folder).into_iter().filter(move |(frame, _)| *frame > last);
        found.map(move |(frame, _)| files.path(folder, frame))
    };
    after(FRAMES).chain(after(STATES))
}

/// Removes a file that may be there.
fn gone(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn fault(path: &Path, error: &io::Error) -> CacheError {
    let cause = match error.kind() {
        io::ErrorKind::StorageFull => {
            "the disk is full; free some space and resume the bake, or choose another folder".into()
        }
        _ => format!("{error}; choose another folder"),
    };
    CacheError::File { path: path.into(), doing: "written", cause }
}
