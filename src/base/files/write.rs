//! Writing: a new file with a random name beside the target, created exclusively, and then renamed to it.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

/// A file that gets its name when it is complete.
pub type Temporary = NamedTempFile;

/// Prefix of temporary files.
const TEMPORARY: &str = ".stagewright-";
const ENDING: &str = ".tmp";
/// Prefix of an export's temporary files. Nothing else uses such names, so an export may remove those of a killed one.
const OF_EXPORT: &str = ".stagewright-frame-";
/// A file is written within seconds. A temporary file of this age is from a program that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Replaces a file atomically: at every moment it is either the old or the new one, complete, and the new one is on
/// disk when this function returns. A symbolic link is replaced itself; its target is not changed.
///
/// # Errors
/// Why it cannot be written; the file is unchanged then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(TEMPORARY, path, bytes)
}

/// Replaces a file in the folder of an export atomically: if the process is killed, its temporary file is removed
/// together with those of frames.
///
/// # Errors
/// Errors of [`replace`].
pub fn replace_in_export(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(OF_EXPORT, path, bytes)
}

fn replace_by(prefix: &str, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path)?;
    let mut temporary = create(folder, prefix)?;
    if let Ok(before) = fs::symlink_metadata(path)
        && before.is_file()
    {
        temporary.as_file().set_permissions(plain(before.permissions()))?;
    }
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    sync_folder(folder);
    sweep_abandoned(folder);
    Ok(())
}

/// Removes temporary files of programs that were killed while they wrote: those that were not changed for long.
fn sweep_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = is_named(&entry, TEMPORARY) && !is_named(&entry, OF_EXPORT);
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if ours && age().is_some_and(|age| age > ABANDONED) {
            // Files that cannot be removed do no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether an entry is a temporary file with this prefix.
fn is_named(entry: &fs::DirEntry, prefix: &str) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    name.starts_with(prefix) && name.ends_with(ENDING) && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Replaces a file that the user has chosen atomically: for a symbolic link, its target is replaced, and the link stays.
///
/// # Errors
/// Errors of [`replace`].
pub fn replace_target(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link without a target is replaced itself.
    replace(&fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()), bytes)
}

/// Writes a file that the user has named for output. It may be a device or a pipe such as `/dev/stdout`; a regular or
/// new file is written as by [`replace_target`].
///
/// # Errors
/// Why it cannot be written.
pub fn output(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => fs::write(path, bytes),
        _ => replace_target(path, bytes),
    }
}

/// Creates a folder and its parents. A symbolic link in the place of the folder is an error: in a folder that somebody
/// else has created, it would silently redirect the files of an export. Links further up in the path are followed.
///
/// # Errors
/// Why it cannot be created; a symbolic link of this name.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    // Without a trailing `/` or `/.`, which would follow the link.
    let name: PathBuf = folder.components().collect();
    if fs::symlink_metadata(&name).is_ok_and(|about| about.is_symlink()) {
        let target = fs::read_link(&name).unwrap_or_default();
        let cause = format!("it is a symbolic link to {}, which is not followed", target.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, cause));
    }
    fs::create_dir_all(folder)
}

/// Creates a temporary file of an export. It is removed again unless [`rename`] gives it its final name.
///
/// # Errors
/// Why it cannot be created.
pub fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    create(folder, OF_EXPORT)
}

/// Gives a temporary file its final name. A symbolic link of that name is replaced itself.
///
/// # Errors
/// Why it cannot be renamed; the temporary file is removed then.
pub fn rename(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    temporary.persist(path)?;
    Ok(())
}

/// Gives a temporary file its final name, as [`rename`] does, and returns the open file.
///
/// # Errors
/// Errors of [`rename`].
pub fn keep(temporary: NamedTempFile, path: &Path) -> io::Result<File> {
    Ok(temporary.persist(path)?)
}

/// Removes temporary files that a killed export has left. Call this only while holding the folder's lock.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_named(&entry, OF_EXPORT) {
            // Files that cannot be removed do no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes sure that a folder's entries are on disk. Not every system can open folders for this.
pub fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A lock on a folder that one process at a time may write to. The system releases it however the process ends.
pub struct FolderLock {
    _held: Option<File>,
}

impl FolderLock {
    /// Locks a folder; `None` while another process, or another export of this one, holds the lock. File systems
    /// without locks are not locked.
    pub fn take(folder: &Path) -> io::Result<Option<FolderLock>> {
        let Some(file) = lock_file(folder)? else { return Ok(Some(FolderLock { _held: None })) };
        match file.try_lock() {
            Ok(()) => Ok(Some(FolderLock { _held: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(_)) => Ok(Some(FolderLock { _held: None })),
        }
    }
}

/// The folder itself can be locked, so no lock file is needed.
#[cfg(unix)]
fn lock_file(folder: &Path) -> io::Result<Option<File>> {
    File::open(folder).map(Some)
}

/// Folders cannot be opened as files on this system.
#[cfg(not(unix))]
fn lock_file(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(".stagewright.lock");
    fs::OpenOptions::new().write(true).create(true).truncate(false).open(path).map(Some)
}

fn folder_of(path: &Path) -> io::Result<&Path> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"));
    }
    Ok(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

/// Creates a file that did not exist, so that no link is followed. It gets the permissions of the user's other files.
fn create(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(ENDING).rand_bytes(12);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Read, write and execute permissions, without the bits that let a program run as another user.
#[cfg(unix)]
fn plain(permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(permissions.mode() & 0o777)
}

#[cfg(not(unix))]
fn plain(permissions: Permissions) -> Permissions {
    permissions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace(Path::new("/"), b"").is_err() && replace(Path::new("/no/such/a"), b"").is_err());
        // A folder in the way: the temporary file must be removed.
        fs::create_dir(folder.path().join("b")).unwrap();
        assert!(replace(&folder.path().join("b"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_or_its_target_is() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [victim, link] = ["victim", "link"].map(|name| folder.path().join(name));
        fs::write(&victim, "precious").unwrap();
        fs::set_permissions(&victim, Permissions::from_mode(0o4640)).unwrap();
        symlink(&victim, &link).unwrap();
        replace_target(&link, b"chosen").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&victim).unwrap(), b"chosen");
        assert_eq!(fs::metadata(&victim).unwrap().permissions().mode() & 0o7777, 0o640);
        replace(&link, b"own").unwrap();
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read(&victim).unwrap(), fs::read(&link).unwrap()), (b"chosen".to_vec(), b"own".to_vec()));
    }

    #[test]
    fn a_save_removes_what_a_killed_one_left_long_ago_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let names = [".stagewright-old.tmp", ".stagewright-new.tmp", ".stagewright-frame-old.tmp", ".other-old.tmp"];
        for name in names {
            let file = File::create(folder.path().join(name)).unwrap();
            let age = if name.contains("old") { 2 * ABANDONED } else { Duration::ZERO };
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
        }
        replace(&folder.path().join("graph.ron"), b"()").unwrap();
        let left = names.map(|name| folder.path().join(name).exists());
        assert_eq!(left, [false, true, true, true]);
    }

    #[test]
    fn a_folder_is_locked_once_and_swept_of_its_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        assert!(lock.is_some() && FolderLock::take(folder.path()).unwrap().is_none());
        drop(lock);
        assert!(FolderLock::take(folder.path()).unwrap().is_some());
        let (_, left) = temporary(folder.path()).unwrap().keep().unwrap();
        let other = folder.path().join(".stagewright-other.tmp");
        fs::write(&other, "").unwrap();
        sweep(folder.path());
        assert!(!left.exists() && other.exists());
    }
}
