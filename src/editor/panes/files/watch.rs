//! Notices when other programs change open files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// Programs write a file in several steps; after this time without events it is complete.
const QUIET: Duration = Duration::from_millis(150);

/// Watched files and their changes. Folders are watched rather than files, since many programs replace a file by a new one.
pub(super) struct Watch {
    /// Watcher of the files; `None` if the system can't watch files.
    watcher: Option<RecommendedWatcher>,
    events: Receiver<PathBuf>,
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    touched: BTreeSet<PathBuf>,
    quiet_at: Instant,
}

impl Watch {
    /// `wake` is called on another thread after each event.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Watch {
        let (sender, events) = channel();
        let heard = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if event.kind.is_access() {
                return;
            }
            // The receiver is gone when the window is.
            event.paths.into_iter().for_each(|path| drop(sender.send(path)));
            wake();
        };
        let watcher = notify::recommended_watcher(heard).ok();
        let (files, folders, touched) = Default::default();
        Watch { watcher, events, files, folders, touched, quiet_at: Instant::now() }
    }

    /// Watches these files and no others.
    pub(super) fn follow(&mut self, files: impl Iterator<Item = PathBuf>) {
        self.files = files.filter_map(|file| full(&file)).collect();
        let folders: BTreeSet<PathBuf> = self.files.iter().filter_map(|f| f.parent()).map(Path::to_path_buf).collect();
        let Some(watcher) = &mut self.watcher else { return };
        for old in self.folders.difference(&folders) {
            // It may be gone.
            let _ = watcher.unwatch(old);
        }
        let before = std::mem::take(&mut self.folders);
        // A folder that can't be watched is tried again at the next call.
        self.folders = folders
            .into_iter()
            .filter(|new| before.contains(new) || watcher.watch(new, RecursiveMode::NonRecursive).is_ok())
            .collect();
    }

    /// Watched files that were written, created or replaced, once the writing is complete.
    pub(super) fn changed(&mut self) -> BTreeSet<PathBuf> {
        for path in self.events.try_iter().filter(|path| self.files.contains(path)) {
            self.touched.insert(path);
            self.quiet_at = Instant::now() + QUIET;
        }
        if self.pending().is_some() { BTreeSet::new() } else { std::mem::take(&mut self.touched) }
    }

    /// How long until changes can be returned.
    pub(super) fn pending(&self) -> Option<Duration> {
        let left = self.quiet_at.saturating_duration_since(Instant::now());
        (!self.touched.is_empty() && !left.is_zero()).then_some(left)
    }
}

/// The path that the watcher reports for a file.
pub(super) fn full(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(folder).ok()?.join(file.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_written_or_replaced_is_noticed_and_others_are_not() {
        let folder = std::env::temp_dir().join(format!("stagewright-watch-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, other) = (folder.join("graph.ron"), folder.join("other.ron"));
        fs::write(&file, "1").unwrap();
        let mut watch = Watch::new(|| {});
        watch.follow([file.clone()].into_iter());
        let mut next = |within: Duration| {
            let since = Instant::now();
            while since.elapsed() < within {
                let changed = watch.changed();
                if !changed.is_empty() {
                    return changed;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            BTreeSet::new()
        };
        let expected = BTreeSet::from([full(&file).unwrap()]);
        fs::write(&file, "2").unwrap();
        fs::write(&file, "3").unwrap();
        assert_eq!(next(Duration::from_secs(10)), expected);
        fs::write(&other, "x").unwrap();
        fs::read(&file).unwrap();
        assert_eq!(next(Duration::from_millis(400)), BTreeSet::new(), "two writes are one change");
        fs::rename(&other, &file).unwrap();
        assert_eq!(next(Duration::from_secs(10)), expected);
        fs::remove_dir_all(folder).unwrap();
    }
}
