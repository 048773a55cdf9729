//! Keeps unsaved changes while the window runs, so that little is lost if the program or the machine crashes.
//!
//! Every window has a lock that the system releases however the window ends, and beside it a graph file. If a lock is free and
//! the file still exists, a window has crashed.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use crate::document::{Document, salvage};
use crate::files::{read, write};
use crate::model::session::{Draft, Drafts, Session};
use crate::model::{disk, layout, names};
use crate::threads::join_within;

/// The largest file that is recovered \[bytes\]: a graph and the texts of stages.
const MAX_KEPT: u64 = 2 * crate::files::MAX_GRAPH;
/// Precedes the path of the document, on the first line.
const OF: &str = "// Changes that were not saved to ";
/// Precedes the path and the text of a stage file, on the lines that follow.
const DRAFT: &str = "// Not saved either: ";

enum Work {
    /// Writes the text of the window's file.
    Write(String),
    /// Removes the window's file.
    Clear,
    /// Removes what a crashed window left, which is safe elsewhere.
    Forget(Left),
}

/// Keeps the changes of one window.
pub(crate) struct Recovery {
    /// The content of the window's file; `None` if there is none.
    kept: Option<(Document, Drafts)>,
    next: Instant,
    every: Duration,
    /// Sends work to the thread; `None` only while the recovery is dropped.
    work: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    slot: Option<RecoveryFiles>,
    /// The window is closed with changes that are not saved.
    stays: bool,
}

/// The files of a window. The lock is held as long as this exists.
struct RecoveryFiles {
    lock: PathBuf,
    /// Closed last, which releases the lock.
    _held: File,
}

impl RecoveryFiles {
    fn graph(&self) -> PathBuf {
        self.lock.with_extension("ron")
    }

    fn remove(&self) {
        // The graph first: a lock alone says that there is nothing to recover.
        let _ = fs::remove_file(self.graph());
        let _ = fs::remove_file(&self.lock);
    }
}

/// The unsaved changes of a window that crashed.
pub(crate) struct Left {
    slot: RecoveryFiles,
    pub document: Box<Document>,
    /// The file that it belongs to.
    pub path: Option<PathBuf>,
    /// Texts of stage files.
    pub drafts: Drafts,
    pub when: SystemTime,
}

impl Left {
    /// Deletes it.
    pub(crate) fn discard(self) {
        self.slot.remove();
    }

    /// Describes how the unsaved changes differ from their files.
    pub(crate) fn difference(&self) -> String {
        let drafts = names::names(self.drafts.keys());
        match (self.of_document(), drafts.is_empty()) {
            (graph, true) => graph,
            (graph, false) => format!("{graph}; changes to {drafts}"),
        }
    }

    /// Whether the document equals its file.
    pub(crate) fn as_file(&self) -> bool {
        let saved = self.path.as_deref().and_then(|path| disk::read(path).ok()).map(layout::placed);
        saved.is_some_and(|saved| saved == *self.document)
    }

    fn of_document(&self) -> String {
        let Some(path) = &self.path else { return format!("never saved, {} nodes", self.document.nodes.len()) };
        let Ok(saved) = disk::read(path).map(layout::placed) else {
            return "its file can no longer be read".into();
        };
        let (ours, theirs) = (&self.document.nodes, &saved.nodes);
        let changed = ours.iter().filter(|(name, node)| theirs.get(*name) != Some(node)).count();
        let removed = theirs.keys().filter(|name| !ours.contains_key(*name)).count();
        match changed + removed {
            0 if *self.document == saved => "same as the file".into(),
            0 => "the graph's settings differ from the file".into(),
            1 => "1 node differs from the file".into(),
            n => format!("{n} nodes differ from the file"),
        }
    }
}

impl Recovery {
    /// Keeps changes in a folder, which is created if needed, with this pause between two writes. Without a folder, or if it
    /// can't be used, nothing is kept.
    pub(crate) fn with_pause(folder: Option<&Path>, every: Duration) -> Recovery {
        let slot = folder.and_then(take_slot);
        let (work, jobs) = channel();
        let file = slot.as_ref().map(RecoveryFiles::graph);
        let run = move || {
            for job in jobs {
                match (job, &file) {
                    (Work::Write(text), Some(file)) => {
                        // If it fails, the previous file still exists; a full disk is reported when the user saves.
                        let _ = write::replace(file, text.as_bytes());
                    }
                    (Work::Clear, Some(file)) => drop(fs::remove_file(file)),
                    (Work::Forget(left), _) => left.discard(),
                    (_, None) => {}
                }
            }
        };
        // Not `background`: jobs go in and no answer comes back; closing waits as long as a slow disk may take.
        let thread = slot.as_ref().and_then(|_| std::thread::Builder::new().name("recovery".into()).spawn(run).ok());
        let work = thread.is_some().then_some(work);
        Recovery { kept: None, next: Instant::now(), every, work, thread, slot, stays: false }
    }

    /// Changes the pause between two writes.
    pub(crate) fn set_pause(&mut self, every: Duration) {
        self.every = every;
        self.next = self.next.min(Instant::now() + every);
    }

    /// The changes of windows that crashed, the latest first. As long as they are held, no other window is offered them.
    pub(crate) fn left(folder: Option<&Path>) -> Vec<Left> {
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let locks = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "lock"));
        let mut left: Vec<Left> = locks.filter_map(|lock| open(&lock)).collect();
        left.sort_by_key(|left| std::cmp::Reverse(left.when));
        left
    }

    /// Called in every frame: writes the document and texts of stage files if they have unsaved changes. Returns when it
    /// has to be called again.
    pub(crate) fn keep(&mut self, session: &Session) -> Option<Duration> {
        self.keep_these(session.document(), session.path(), session.drafts(), session.unsaved())
    }

    /// Writes the parts of a session if they have unsaved changes. Returns when it has to be called again.
    pub(crate) fn keep_these(
        &mut self,
        document: &Document,
        path: Option<&Path>,
        drafts: &Drafts,
        unsaved: bool,
    ) -> Option<Duration> {
        let work = self.work.as_ref()?;
        if !unsaved {
            if self.kept.take().is_some() {
                let _ = work.send(Work::Clear);
            }
            return None;
        }
        let now = Instant::now();
        if now < self.next {
            return Some(self.next - now);
        }
        if self.kept.as_ref().is_none_or(|(kept_document, texts)| kept_document != document || texts != drafts) {
            self.next = now + self.every;
            self.kept = Some((document.clone(), drafts.clone()));
            let _ = work.send(Work::Write(text(document, path, drafts)));
        }
        None
    }

    /// Keeps the changes beyond the window: the next start offers them.
    pub(crate) fn leave_behind(&mut self, session: &Session) {
        self.next = Instant::now();
        self.keep(session);
        self.stays = true;
    }

    /// Removes what a crashed window left, which is the open document now, once that is written.
    pub(crate) fn adopt(&mut self, left: Left) {
        let Some(work) = &self.work else { return };
        self.kept = Some((Document::clone(&left.document), left.drafts.clone()));
        let _ = work.send(Work::Write(text(&left.document, left.path.as_deref(), &left.drafts)));
        let _ = work.send(Work::Forget(left));
    }
}

/// A window that is closed leaves no files, unless it did not wait for a slow disk; one that panics does.
impl Drop for Recovery {
    fn drop(&mut self) {
        self.work = None;
        let finished = self.thread.take().is_none_or(|thread| join_within(thread, disk::PATIENCE));
        if let Some(slot) = self.slot.take().filter(|_| finished && !self.stays && !std::thread::panicking()) {
            slot.remove();
        }
    }
}

fn take_slot(folder: &Path) -> Option<RecoveryFiles> {
    fs::create_dir_all(folder).ok()?;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
    // Between creating and locking, another window that looks for crashed ones may remove the lock.
    (0..8).find_map(|attempt| {
        let lock = folder.join(format!("{}-{since}-{attempt}.lock", std::process::id()));
        hold(&lock, true)
    })
}

/// Locks a file, if it is free and still exists.
fn hold(lock: &Path, create: bool) -> Option<RecoveryFiles> {
    let file = OpenOptions::new().write(true).create_new(create).open(lock).ok()?;
    file.try_lock().ok()?;
    lock.is_file().then(|| RecoveryFiles { lock: lock.to_path_buf(), _held: file })
}

fn open(lock: &Path) -> Option<Left> {
    let slot = hold(lock, false)?;
    let text = read::bytes_without_links(&slot.graph(), MAX_KEPT)
        .ok()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let Some(document) = text.as_deref().and_then(|text| salvage(text).document).map(Box::new) else {
        slot.remove();
        return None;
    };
    let head = || text.as_deref().unwrap_or_default().lines().take_while(|line| line.starts_with("//"));
    let path = head().find_map(|line| ron::from_str(line.strip_prefix(OF)?).ok());
    let draft = |line: &str| ron::from_str::<(PathBuf, Draft)>(line.strip_prefix(DRAFT)?).ok();
    let drafts = head().filter_map(draft).collect();
    let when = fs::metadata(slot.graph()).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    Some(Left { slot, document, path, drafts, when })
}

/// A graph file, whose first lines hold the path of the document and the texts of stage files.
fn text(document: &Document, path: Option<&Path>, drafts: &Drafts) -> String {
    // The next window may start in another folder.
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let of = path.and_then(|path| ron::to_string(&absolute(path)).ok()).map(|path| format!("{OF}{path}\n"));
    // RON escapes line ends.
    let draft = |(path, draft): (&PathBuf, &Draft)| ron::to_string(&(absolute(path), draft)).ok();
    let drafts: String = drafts.iter().filter_map(draft).map(|text| format!("{DRAFT}{text}\n")).collect();
    format!("{}{drafts}{}", of.unwrap_or_default(), document.to_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::layout;
    use stagewright_test_support::fixture::fluid;

    /// Where the child of a test keeps its changes.
    const CHILD: &str = "STAGEWRIGHT_TEST_RECOVERY";
    const PAUSE: Duration = Duration::from_millis(20);

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stagewright-recovery-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).map(|entries| entries.count()).unwrap_or(0)
    }

    /// A stage file whose text has every character that could break a line.
    fn drafts() -> Drafts {
        let text = "//! \"Fade\"\r\n\t\\ (π)\n// Not saved either: \u{2028}\n".to_string();
        let draft = Draft { text, of: String::new(), overtaken: true };
        Drafts::from([(PathBuf::from("/some \"where\"/stages/fade.wgsl"), draft)])
    }

    fn wait(mut until: impl FnMut() -> bool) {
        let since = Instant::now();
        while !until() {
            assert!(since.elapsed() < Duration::from_secs(30), "it does not come");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A helper process of the test below: it edits until it is killed.
    #[test]
    fn child() {
        let Some(folder) = std::env::var_os(CHILD) else { return };
        let mut recovery = Recovery::with_pause(Some(Path::new(&folder)), PAUSE);
        let mut document = fluid();
        for edit in 0_u32.. {
            document.seed = edit;
            document.nodes.remove("look");
            recovery.keep_these(&document, Some(Path::new("/some \"where\"/graph.ron")), &drafts(), true);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn what_a_killed_window_had_is_offered_to_the_next() {
        let folder = folder("kill");
        let program = std::env::current_exe().unwrap();
        let mut child = std::process::Command::new(program)
            .args(["--exact", "model::recovery::tests::child"])
            .env(CHILD, &folder)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let graph =
            || fs::read_dir(&folder).ok()?.flatten().map(|e| e.path()).find(|p| p.extension() == Some("ron".as_ref()));
        let seed = |path: &Path| fs::read_to_string(path).ok().and_then(|t| Document::parse(&t).ok()).map(|d| d.seed);
        wait(|| graph().is_some_and(|path| seed(&path).is_some_and(|seed| seed > 20)));
        assert!(Recovery::left(Some(&folder)).is_empty(), "it lives");
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        let left = Recovery::left(Some(&folder));
        assert_eq!(left.len(), 1);
        assert!(left[0].document.seed > 20 && !left[0].document.nodes.contains_key("look"));
        assert_eq!(left[0].path.as_deref(), Some(Path::new("/some \"where\"/graph.ron")));
        assert_eq!(left[0].drafts, drafts());
        assert!(left[0].when.elapsed().unwrap() < Duration::from_secs(60));
        assert!(Recovery::left(Some(&folder)).is_empty(), "who holds it is the only one to offer it");
        drop(left);
        // If it is left for later, it is offered again; if it is adopted, the window keeps it.
        let mut window = Recovery::with_pause(Some(&folder), PAUSE);
        let left = Recovery::left(Some(&folder)).pop().unwrap();
        let seed = left.document.seed;
        window.adopt(left);
        wait(|| files(&folder) == 2);
        let mut other = Document { seed, ..fluid() };
        other.nodes.remove("look");
        assert_eq!(window.kept, Some((other, drafts())));
        drop(window);
        assert_eq!(files(&folder), 0, "a window that is closed leaves nothing");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn saved_changes_are_not_kept() {
        let folder = folder("saved");
        let mut recovery = Recovery::with_pause(Some(&folder), PAUSE);
        let none = Drafts::new();
        assert_eq!(recovery.keep_these(&fluid(), None, &none, false), None);
        assert_eq!(files(&folder), 1, "the lock alone");
        assert_eq!(recovery.keep_these(&fluid(), None, &none, true), None);
        let again = recovery.keep_these(&Document::default(), None, &none, true);
        assert!(again.is_some_and(|pause| pause <= PAUSE), "not before the pause is over");
        wait(|| files(&folder) == 2);
        recovery.keep_these(&fluid(), None, &none, false);
        wait(|| files(&folder) == 1);
        drop(recovery);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_difference_is_told() {
        let folder = folder("difference");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("graph.ron");
        let placed = layout::placed(fluid());
        disk::save(&path, &fluid()).unwrap();
        let mut document = placed.clone();
        document.nodes.remove("look");
        document.set("jet", "rate", crate::document::ParamValue::Number(1.0)).unwrap();
        let slot = hold(&folder.join("a.lock"), true).unwrap();
        let document = Box::new(document);
        let drafts = Drafts::new();
        let when = SystemTime::now();
        let mut left = Left { slot, document, path: Some(path), drafts, when };
        assert_eq!(left.difference(), "2 nodes differ from the file");
        *left.document = placed;
        assert_eq!(left.difference(), "same as the file");
        left.drafts = self::drafts();
        assert!(left.as_file());
        assert_eq!(left.difference(), "same as the file; changes to fade.wgsl");
        left.drafts.clear();
        left.document.fps = 30.0;
        assert_eq!(left.difference(), "the graph's settings differ from the file");
        left.path = None;
        assert_eq!(left.difference(), format!("never saved, {} nodes", fluid().nodes.len()));
        fs::remove_dir_all(folder).unwrap();
    }
}
