//! How much space is left on a disk.

use std::path::Path;

/// The space that is left for files in a folder, which need not exist yet \[bytes\]; `None` where the system does not say.
pub fn free(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.exists() || folder.as_os_str().is_empty())?;
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    free_at(there)
}

#[cfg(unix)]
fn free_at(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
fn free_at(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_that_does_not_exist_yet_has_the_space_of_its_parent() {
        let parent = std::env::temp_dir();
        assert!(free(&parent).is_some_and(|bytes| bytes > 0));
        assert!(free(&parent.join("not/yet")).is_some_and(|bytes| bytes > 0));
    }
}
