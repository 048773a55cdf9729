//! Reading: regular files, up to a size limit; for files that a graph names, only those below its folder.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Why a file cannot be read, worded as the end of a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file does not exist.
    #[error("there is no such file")]
    Missing,
    /// The path is a folder, a pipe or something else, as named here.
    #[error("it is {0}, not a regular file")]
    Kind(&'static str),
    /// The file is larger than this limit \[bytes\].
    #[error("it is larger than {}", size(*.0))]
    TooLarge(u64),
    /// The file lies outside the graph's folder, and such files are not allowed.
    #[error("it lies outside the graph's folder")]
    Outside,
    /// The operating system's error.
    #[error("{0}")]
    Io(String),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            io::ErrorKind::StorageFull => ReadError::Io("the disk is full".into()),
            _ => ReadError::Io(error.to_string()),
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    }
}

/// Access of a graph to files: those that it may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The graph's folder. Relative names start here.
    pub folder: PathBuf,
    /// Whether the user has allowed files outside the folder.
    pub anywhere: bool,
}

impl Access {
    /// Access to a folder; with `anywhere`, also to files outside of it.
    pub fn new(folder: impl Into<PathBuf>, anywhere: bool) -> Access {
        Access { folder: folder.into(), anywhere }
    }

    /// Whether a name stays inside the folder by its text alone, without access to the disk.
    pub fn may_name(&self, named: &Path) -> bool {
        let leaves = named.is_absolute() || named.components().any(|part| part == Component::ParentDir);
        self.anywhere || !leaves
    }

    /// Whether a folder that a graph names, and that need not exist, is the graph's own or below it, with all links on the way
    /// followed. A link that leads nowhere is outside.
    pub fn contains(&self, folder: &Path) -> bool {
        let base = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let inside = || Some(real(folder)?.starts_with(fs::canonicalize(base).ok()?));
        self.anywhere || inside().unwrap_or(false)
    }

    /// The path of a file that a graph names.
    ///
    /// # Errors
    /// [`ReadError::Outside`] where the file is not below the graph's folder: absolute names, `..`, and links that lead
    /// out; a file that does not exist.
    pub fn resolve(&self, named: &Path) -> Result<PathBuf, ReadError> {
        self.resolve_from(&self.folder, named)
    }

    /// The path of a file that another file names, relative to that file's folder.
    ///
    /// # Errors
    /// Errors of [`Access::resolve`].
    pub fn resolve_from(&self, base: &Path, named: &Path) -> Result<PathBuf, ReadError> {
        let path = base.join(named);
        if self.anywhere {
            return Ok(path);
        }
        // Whether a file outside exists is not revealed either.
        let failed = |e: io::Error| if self.may_name(named) { e.into() } else { ReadError::Outside };
        let path = fs::canonicalize(path).map_err(failed)?;
        let folder = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        if path.starts_with(fs::canonicalize(folder)?) { Ok(path) } else { Err(ReadError::Outside) }
    }
}

/// A path without links, `.` and `..`, of which the last parts need not exist. `None` for a link that leads nowhere.
fn real(path: &Path) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            part => real.push(part),
        }
        if fs::symlink_metadata(&real).is_ok_and(|about| about.is_symlink()) {
            real = fs::canonicalize(&real).ok()?;
        }
    }
    // The system may write a path that exists in another way, as Windows does.
    let there = real.ancestors().find(|path| path.exists())?;
    let rest = real.strip_prefix(there).ok()?;
    Some(fs::canonicalize(there).ok()?.join(rest))
}

/// Names of what is in a folder, in no order. Names that are no text are left out.
///
/// # Errors
/// A folder that is missing or cannot be listed; more than a million names.
pub fn names(folder: &Path) -> Result<Vec<String>, ReadError> {
    const MAX_NAMES: usize = 1_000_000;
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
        if names.len() > MAX_NAMES {
            return Err(ReadError::Io(format!("its folder holds more than {MAX_NAMES} files")));
        }
    }
    Ok(names)
}

/// Opens a regular file. Returns its size \[bytes\] too.
///
/// # Errors
/// Anything else, such as folders, devices and pipes. Reading these may never start or never end.
pub fn open(path: &Path) -> Result<(File, u64), ReadError> {
    check(&fs::metadata(path)?)?;
    opened(options().open(path)?)
}

/// Opens a regular file, as [`open()`] does, but symbolic links are an error.
///
/// # Errors
/// Errors of [`open()`].
pub fn open_without_links(path: &Path) -> Result<(File, u64), ReadError> {
    check(&fs::symlink_metadata(path)?)?;
    opened(without_links().open(path)?)
}

/// The contents of a file.
///
/// # Errors
/// Errors of [`open()`]; more than `limit` bytes.
pub fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    all(open(path)?, limit)
}

/// The contents of a file that is not a symbolic link.
///
/// # Errors
/// Errors of [`bytes`].
pub fn bytes_without_links(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    all(open_without_links(path)?, limit)
}

/// The contents of a text file.
///
/// # Errors
/// Errors of [`bytes`]; invalid UTF-8, with the line of the first error.
pub fn text(path: &Path, limit: u64) -> Result<String, ReadError> {
    text_of(bytes(path, limit)?)
}

/// Converts bytes to text.
///
/// # Errors
/// Invalid UTF-8, with the line of the first error.
pub fn text_of(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        ReadError::Io(format!("line {line} is not UTF-8 text"))
    })
}

fn all((file, length): (File, u64), limit: u64) -> Result<Vec<u8>, ReadError> {
    if length > limit {
        return Err(ReadError::TooLarge(limit));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLarge(limit)) } else { Ok(bytes) }
}

/// Between the check and the opening, another file may have taken its place.
fn opened(file: File) -> Result<(File, u64), ReadError> {
    let about = file.metadata()?;
    check(&about)?;
    Ok((file, about.len()))
}

fn check(about: &Metadata) -> Result<(), ReadError> {
    if about.is_file() { Ok(()) } else { Err(ReadError::Kind(kind(about))) }
}

#[cfg(unix)]
fn kind(about: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match about.file_type() {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind(about: &Metadata) -> &'static str {
    match about.file_type() {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a symbolic link",
        _ => "a device",
    }
}

/// Opening must not block on a pipe that has taken the file's place meanwhile.
#[cfg(unix)]
fn options() -> OpenOptions {
    flags(rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY)
}

#[cfg(unix)]
fn without_links() -> OpenOptions {
    use rustix::fs::OFlags;
    flags(OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW)
}

#[cfg(unix)]
fn flags(flags: rustix::fs::OFlags) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(not(unix))]
fn without_links() -> OpenOptions {
    options()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_kept_and_texts_say_where_they_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"one\ntwo\n\xff\n").unwrap();
        assert_eq!(bytes(&path, 10).unwrap().len(), 10);
        assert_eq!(bytes(&path, 9), Err(ReadError::TooLarge(9)));
        assert_eq!(text(&path, 99).unwrap_err().to_string(), "line 3 is not UTF-8 text");
        assert_eq!(bytes(&folder.path().join("b"), 9), Err(ReadError::Missing));
        assert_eq!(bytes(folder.path(), 9), Err(ReadError::Kind("a folder")));
        assert_eq!(ReadError::TooLarge(1 << 20).to_string(), "it is larger than 1 MiB");
    }

    #[test]
    fn names_stay_below_the_folder() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("graph");
        fs::create_dir_all(folder.join("in")).unwrap();
        for name in ["out.obj", "graph/a.obj", "graph/in/b.obj"] {
            fs::write(above.path().join(name), "").unwrap();
        }
        let near = Access::new(&folder, false);
        for inside in ["a.obj", "in/b.obj", "in/../a.obj", "./a.obj"] {
            assert!(near.resolve(Path::new(inside)).is_ok(), "{inside}");
        }
        let whole = above.path().join("out.obj");
        for outside in ["../out.obj", "../none.obj", "in/../../out.obj", whole.to_str().unwrap(), "/etc/none"] {
            assert_eq!(near.resolve(Path::new(outside)), Err(ReadError::Outside), "{outside}");
        }
        assert_eq!(near.resolve(Path::new("c.obj")), Err(ReadError::Missing));
        assert_eq!(near.resolve_from(&folder.join("in"), Path::new("../a.obj")).map(|p| p.exists()), Ok(true));
        assert_eq!(near.resolve_from(&folder.join("in"), Path::new("../../out.obj")), Err(ReadError::Outside));
        assert!(Access::new(&folder, true).resolve(Path::new("../out.obj")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_devices_are_refused() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        stagewright_test_support::make_pipe(&at("pipe"));
        symlink("/dev/zero", at("zero")).unwrap();
        fs::write(at("a"), "x").unwrap();
        symlink(at("a"), at("link")).unwrap();
        assert_eq!(bytes(&at("pipe"), 9), Err(ReadError::Kind("a pipe")));
        assert_eq!(bytes(&at("zero"), 9), Err(ReadError::Kind("a device")));
        assert_eq!(bytes(&at("link"), 9).unwrap(), b"x");
        assert_eq!(bytes_without_links(&at("link"), 9), Err(ReadError::Kind("a symbolic link")));
        // As if it had been put there after the check.
        assert!(opened(options().open(at("pipe")).unwrap()).is_err() && without_links().open(at("link")).is_err());
        let near = Access::new(folder.path(), false);
        assert_eq!(near.resolve(Path::new("zero")), Err(ReadError::Outside));
        assert!(near.resolve(Path::new("link")).is_ok(), "a link that stays inside");
    }
}
