//! The files that exports have written into a folder: a list in the folder itself, by which a later export knows what it may replace.
//!
//! A line of the list holds a hash of a file's name and the file's size, and no text that somebody else chose. A file of another size is
//! not the one that was written, so a list that was packed with a graph claims nothing of the user's.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::{read, write};

/// The name of the list.
const LIST: &str = ".frame.export.list";
/// The first line. A file without it is somebody else's.
const HEADER: &str = "stagewright files 1\n";
/// A list of over a million files \[bytes\].
const MAX_LIST: u64 = 64 << 20;
/// Bytes of a name's hash.
const HASH: usize = 16;
/// The most sizes of a file.
const SIZES: usize = 4;

/// A hash of a file's name, in hexadecimal.
type Key = String;

/// The files that exports have written into a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Sizes \[bytes\], the last one at the end. A process that is killed between listing a file and renaming it leaves the one before.
    files: BTreeMap<Key, Vec<u64>>,
    /// Something else has the list's name.
    foreign: bool,
}

impl Written {
    /// Reads the list of a folder. Where there is none, it is empty; a symbolic link is not followed.
    pub fn read(folder: &Path) -> Written {
        let path = folder.join(LIST);
        let Ok(bytes) = read::bytes_without_links(&path, MAX_LIST) else {
            return Written { foreign: fs::symlink_metadata(&path).is_ok(), ..Written::default() };
        };
        let text = String::from_utf8_lossy(&bytes);
        let Some(lines) = text.strip_prefix(HEADER) else { return Written { foreign: true, ..Written::default() } };
        // A line without its end was cut.
        let lines = lines.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let entry = |line: &str| {
            let (name, size) = line.split_once(' ')?;
            let is_hash = name.len() == 2 * HASH && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hash.then_some((name.to_string(), size.parse().ok()?))
        };
        let mut files: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
        for (name, size) in lines.filter_map(entry) {
            let sizes = files.entry(name).or_default();
            sizes.retain(|listed_size| *listed_size != size);
            sizes.push(size);
            if sizes.len() > SIZES {
                sizes.remove(0);
            }
        }
        Written { files, foreign: false }
    }

    /// Whether the list names a file, even if the file has changed or is gone.
    pub fn lists(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.files.contains_key(&key(name)))
    }

    /// Whether what is there now was written: a regular file of the size that is listed, or one that a crash of the system has emptied.
    pub fn owns(&self, path: &Path) -> bool {
        let Some(sizes) = path.file_name().and_then(|name| self.files.get(&key(name))) else { return false };
        let whole = |size: u64| size == 0 || sizes.contains(&size);
        fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && whole(about.len()))
    }

    /// Whether a file that is not a list has its name, which [`Log::begin`] would replace.
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    fn text(&self) -> String {
        let mut text = String::from(HEADER);
        for (name, size) in self.files.iter().flat_map(|(name, sizes)| sizes.iter().map(move |size| (name, size))) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name} {size}");
        }
        text
    }
}

/// The path of a folder's list.
pub fn path(folder: &Path) -> PathBuf {
    folder.join(LIST)
}

fn key(name: &OsStr) -> Key {
    let hash = Sha256::digest(name.as_encoded_bytes());
    hash.iter().take(HASH).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Adds files to the list of a folder. Clones add to the same list; the default one adds to none.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<Arc<Mutex<File>>>);

/// Logs are equal where they add to the same open file.
impl PartialEq for Log {
    fn eq(&self, other: &Log) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

impl Log {
    /// Goes on with the list of a folder. Anything of its name is replaced, even a symbolic link. Call this while holding the folder's
    /// lock.
    ///
    /// # Errors
    /// A folder that can't be written.
    pub fn begin(folder: &Path, list: &Written) -> io::Result<Log> {
        let mut temporary = write::temporary(folder)?;
        temporary.write_all(list.text().as_bytes())?;
        let file = temporary.persist(path(folder))?;
        Ok(Log(Some(Arc::new(Mutex::new(file)))))
    }

    /// Adds a file of this size \[bytes\] before it gets its name, so that a killed export has no file that is not listed.
    ///
    /// # Errors
    /// A list that can't be written.
    pub fn add(&self, path: &Path, size: u64) -> io::Result<()> {
        let (Some(file), Some(name)) = (&self.0, path.file_name()) else { return Ok(()) };
        let line = format!("{} {size}\n", key(name));
        // A thread that panicked wrote whole lines.
        file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }

    /// Sorts the list and forgets earlier sizes, so that it does not depend on the order in which threads wrote.
    pub fn finish(folder: &Path) {
        let mut list = Written::read(folder);
        list.files.values_mut().for_each(|sizes| drop(sizes.drain(..sizes.len().saturating_sub(1))));
        if !list.foreign {
            // A list that is not sorted says the same.
            let _ = write::replace_in_export(&path(folder), list.text().as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_known_by_its_name_and_size() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let log = Log::begin(folder.path(), &Written::read(folder.path())).unwrap();
        for (name, size) in [("b.png", 3), ("a.png", 9), ("b.png", 5)] {
            log.add(&at(name), size).unwrap();
        }
        for (name, bytes) in [("a.png", 9), ("b.png", 3), ("c.png", 9)] {
            fs::write(at(name), vec![1; bytes]).unwrap();
        }
        let owned = || ["a.png", "b.png", "c.png", "d.png"].map(|name| Written::read(folder.path()).owns(&at(name)));
        assert_eq!(owned(), [true, true, false, false], "b may be the file before, and c is not listed");
        Log::finish(folder.path());
        assert_eq!(owned(), [true, false, false, false], "b has another size");
        assert!(Written::read(folder.path()).lists(&at("b.png")));
        fs::write(at("b.png"), "").unwrap();
        assert_eq!(owned(), [true, true, false, false], "a file that a crash has emptied");
        let text = fs::read_to_string(path(folder.path())).unwrap();
        assert!(text.lines().count() == 3 && !text.contains("png"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn a_list_of_somebody_else_lists_nothing_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        let whole = format!("{HEADER}{} 1\n", key(OsStr::new("a.png")));
        fs::write(folder.path().join("a.png"), "1").unwrap();
        for (text, ours) in [
            (whole.as_str(), true),
            (whole.trim_end(), false),
            (&whole[1..], false),
            (&whole.replace(" 1\n", " -1\n"), false),
            ("", false),
        ] {
            fs::write(path(folder.path()), text).unwrap();
            assert_eq!(Written::read(folder.path()).owns(&folder.path().join("a.png")), ours, "{text:?}");
        }
        fs::write(&victim, &whole).unwrap();
        fs::remove_file(path(folder.path())).unwrap();
        std::os::unix::fs::symlink(&victim, path(folder.path())).unwrap();
        let list = Written::read(folder.path());
        assert!(list.is_foreign() && !list.owns(&folder.path().join("a.png")));
        Log::begin(folder.path(), &list).unwrap().add(Path::new("b"), 7).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), whole);
    }
}
