//! A folder of the user's own stages, read again when a file in it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::document::{Document, NodeKind, Nodes, Scope};
use crate::library::Library;
use crate::problem::{Problem, Problems};

/// Writing a file causes several events; all have arrived after this time without any.
const QUIET: Duration = Duration::from_millis(100);
/// Longest wait for a folder that is written to all the time.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// How often to read a folder that can't be watched, for example because it is gone.
const RETRY: Duration = Duration::from_secs(1);

/// A library, or why the folder can't be read.
type Answer = Result<Arc<Library>, Problem>;

enum Message {
    Changed,
    Stop,
}

/// The folder and the thread that watches it.
pub(crate) struct Stages {
    folder: PathBuf,
    messages: Sender<Message>,
    answers: Receiver<Answer>,
    /// The folder has not been read yet.
    first: bool,
    since: Instant,
}

impl Stages {
    /// Reads a folder on a thread of its own, now and whenever it changes; `wake` is called there when [`Stages::poll`] has
    /// a result.
    pub(crate) fn open(folder: PathBuf, wake: impl Fn() + Send + 'static) -> Stages {
        let (messages, inbox) = channel();
        let (outbox, answers) = channel();
        let follower = Follower { folder: folder.clone(), library: None, messages: messages.clone(), outbox };
        // If no thread can be started, `poll` reports it.
        // Not `background`: the thread also takes messages, and closing the folder does not wait for a slow disk.
        drop(std::thread::Builder::new().name("stages".into()).spawn(move || follower.run(&inbox, wake)));
        Stages { folder, messages, answers, first: true, since: Instant::now() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the folder holds: returned once after it was read, and once after each change.
    pub(crate) fn poll(&mut self) -> Option<Answer> {
        let mut last = None;
        let ended = loop {
            match self.answers.try_recv() {
                Ok(answer) => last = Some(answer),
                Err(nothing) => break nothing == TryRecvError::Disconnected,
            }
        };
        if last.is_none() && ended && self.first {
            let cause = format!("the stages in {} can't be read: no thread can be started", self.folder.display());
            last = Some(Err(Problem::new("", "", cause, "close other programs, and open the graph again")));
        }
        self.first &= last.is_none();
        last
    }

    /// When the folder was opened.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// Whether the folder is still being read for the first time.
    pub(crate) fn waiting(&self) -> bool {
        self.first
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        // The thread may have ended by itself.
        let _ = self.messages.send(Message::Stop);
    }
}

struct Follower {
    folder: PathBuf,
    /// The library that was read last; `None` while the folder can't be read.
    library: Option<Arc<Library>>,
    messages: Sender<Message>,
    outbox: Sender<Answer>,
}

impl Follower {
    fn run(mut self, inbox: &Receiver<Message>, wake: impl Fn()) {
        let mut last = Arc::new(Library::builtin().clone());
        let mut first = true;
        loop {
            // Watched again every time, since the folder may have been replaced; and before it is read, so that nothing
            // is missed.
            let watcher = self.watch();
            let answer = read(&self.folder, &last);
            let news = match (&answer, &self.library) {
                (Ok(now), Some(library)) => !now.files().eq(library.files()),
                (Err(_), None) => first,
                _ => true,
            };
            first = false;
            self.library = answer.as_ref().ok().cloned();
            last = self.library.clone().unwrap_or(last);
            if news {
                if self.outbox.send(answer).is_err() {
                    return;
                }
                wake();
            }
            if !wait(inbox, watcher.is_some()) {
                return;
            }
        }
    }

    fn watch(&self) -> Option<RecommendedWatcher> {
        let messages = self.messages.clone();
        let changed = move |event: notify::Result<notify::Event>| {
            // Reading the folder causes events too.
            if event.map_or(true, |event| !event.kind.is_access()) {
                // The thread may be gone.
                let _ = messages.send(Message::Changed);
            }
        };
        // A link could lead to the root of the file system.
        if !std::fs::symlink_metadata(&self.folder).ok()?.is_dir() {
            return None;
        }
        let config = notify::Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(changed, config).ok()?;
        watcher.watch(&self.folder, RecursiveMode::Recursive).ok()?;
        Some(watcher)
    }
}

/// Waits until the folder should be read again; false when the stages were dropped.
fn wait(inbox: &Receiver<Message>, watching: bool) -> bool {
    let first =
        if watching { inbox.recv().map_err(|_| RecvTimeoutError::Disconnected) } else { inbox.recv_timeout(RETRY) };
    let since = Instant::now();
    let mut message = first;
    loop {
        match message {
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(Message::Changed) if since.elapsed() > LONGEST_WAIT => return true,
            Ok(Message::Changed) => message = inbox.recv_timeout(QUIET),
        }
    }
}

fn read(folder: &Path, before: &Library) -> Answer {
    Library::with_folder(folder, before).map(Arc::new).map_err(|error| {
        let cause = format!("the stages in {} can't be read: {error}", folder.display());
        Problem::new("", "", cause, "restore the folder; until then the loaded stages stay in use")
    })
}

/// Problems of a user's files. If a node uses the last valid version of a file, the problem is listed at that node.
pub(crate) fn problems(library: &Library, document: &Document) -> Problems {
    let mut problems = library.warnings();
    for (name, errors) in library.broken() {
        let Some(file) = library.file(name) else { continue };
        let user = user(name, &document.nodes, &Scope::default());
        let kept = library.get(name).is_some();
        if user.is_some() && !kept {
            // Compiling reports it, for every node that names it.
            continue;
        }
        let remedy = if kept { "fix it; until then its last valid version is used" } else { "fix it to use it" };
        for error in errors {
            // One in a shared file that it uses is listed there as well.
            let path = library.file(&error.file).unwrap_or(file).path.display();
            let cause = format!("{path}, line {}: {}", error.place.line, error.message);
            let problem = Problem::new(user.as_deref().unwrap_or_default(), "", cause, remedy).at(error.place);
            problems.push(problem.in_file(&error.file));
        }
    }
    problems
}

/// Path of the first node that names a stage.
fn user(stage: &str, nodes: &Nodes, scope: &Scope) -> Option<String> {
    nodes.iter().find_map(|(name, node)| match &node.kind {
        NodeKind::Stage(named) if named == stage => Some(scope.path(name)),
        NodeKind::Group(group) => user(stage, &group.nodes, &scope.inside(name)),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
