//! Moving pictures: all frames in one file, which a thread of its own writes.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::files::{read, write};
use crate::frames::Frames;
use crate::memory::Share;
use crate::record;
use crate::sim::Image;
use crate::sink::{Action, ExportError, Frame, FrameSink, Log, Present, Sums, Target};

/// Frames that may wait.
const QUEUE: usize = 4;
/// The frame of the file in records.
const WHOLE: u64 = 0;

/// Why a movie can't be written.
#[derive(Debug)]
pub(super) enum Fault {
    /// The operating system's error: a full disk, for example.
    Io(io::Error),
    /// The encoder's, in one sentence.
    Encoder(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault::Encoder(message)
    }
}

/// Writes images into one file.
pub(super) trait Writer {
    /// # Errors
    /// Why the image can't be written.
    fn push(&mut self, image: &Image) -> Result<(), Fault>;

    /// Completes the file.
    ///
    /// # Errors
    /// As [`Writer::push`].
    fn finish(self: Box<Self>) -> Result<(), Fault>;
}

/// A movie that was begun, or why it can't be.
pub(super) type Begun = Result<Box<dyn Writer>, Fault>;

/// How a movie is written.
#[derive(Debug)]
pub(super) struct Container {
    /// The extension of the file's name, without the dot.
    pub ending: &'static str,
    /// Begins a file for images of the first one's size: its path, and the open file.
    pub open: fn(&Path, File, &Image, &Target) -> Begun,
    /// Checks that a movie can be written on this machine; else why not.
    pub ready: fn(&Target) -> Result<(), String>,
}

/// The sink of a movie. It has a temporary name until all frames are in it; an interrupted one begins again.
pub(super) struct Movie {
    target: Target,
    container: &'static Container,
    queue: Option<SyncSender<(Frame, Share)>>,
    /// No more frames come, and none has failed elsewhere.
    finished: Arc<AtomicBool>,
    /// Returns the number of frames that were written.
    thread: Option<JoinHandle<Result<u64, ExportError>>>,
}

impl Movie {
    pub(super) fn new(target: Target, container: &'static Container) -> Movie {
        Movie { target, container, queue: None, finished: Arc::default(), thread: None }
    }

    fn file(&self) -> PathBuf {
        self.target.folder.join(self.names())
    }

    fn stopped(&self) -> ExportError {
        ExportError::Stopped { folder: self.target.folder.clone() }
    }

    fn join(&mut self) -> Result<u64, ExportError> {
        self.queue = None;
        let Some(thread) = self.thread.take() else { return Ok(0) };
        thread.join().unwrap_or_else(|_| Err(self.stopped()))
    }
}

impl FrameSink for Movie {
    fn names(&self) -> String {
        self.target.names.single(self.container.ending)
    }

    fn path(&self, _: u64) -> PathBuf {
        self.file()
    }

    fn kept(&self, frames: &Frames, sums: &Sums) -> BTreeSet<u64> {
        let whole = *frames == self.target.frames && record::is_as_written(&self.file(), sums, WHOLE);
        if whole { frames.iter().collect() } else { BTreeSet::new() }
    }

    fn present(&self) -> io::Result<u64> {
        Ok(u64::from(fs::symlink_metadata(self.file()).is_ok()))
    }

    fn files(&self) -> io::Result<Present> {
        Present::find_names(&self.target.folder, &[self.names()])
    }

    fn remove(&mut self) -> io::Result<u64> {
        let present = self.present()?;
        if present > 0 {
            fs::remove_file(self.file())?;
        }
        Ok(present)
    }

    fn begin(&mut self, kept: &BTreeSet<u64>, log: Log) -> Result<(), ExportError> {
        if !kept.is_empty() {
            return Ok(());
        }
        let path = self.file();
        let unready = |message| ExportError::Incomplete { path: path.clone(), message };
        (self.container.ready)(&self.target).map_err(unready)?;
        let (queue, frames) = sync_channel(QUEUE);
        self.queue = Some(queue);
        let target = self.target.clone();
        let container = self.container;
        let finished = self.finished.clone();
        // Not `background`: the queue of frames is bounded, and the movie is complete only when the thread has ended.
        let thread = std::thread::Builder::new().name("movie".into());
        let started = thread.spawn(move || work(&frames, &target, container, &path, &log, &finished));
        self.thread = Some(started.map_err(|e| ExportError::file(Action::StartThread, &self.target.folder, &e))?);
        Ok(())
    }

    fn write(&mut self, frame: Frame) -> Result<(), ExportError> {
        frame.check()?;
        let share = Share::take(frame.bytes());
        if self.queue.as_ref().is_some_and(|queue| queue.send((frame, share)).is_ok()) {
            return Ok(());
        }
        // The thread has ended, with the reason.
        match self.join() {
            Err(error) => Err(error),
            Ok(_) => Err(self.stopped()),
        }
    }

    fn finish(&mut self) -> Result<u64, ExportError> {
        self.finished.store(true, Ordering::Relaxed);
        self.join()
    }

    fn sync(&self) {
        if let Ok((file, _)) = read::open_without_links(&self.file()) {
            let _ = file.sync_all();
        }
        write::sync_folder(&self.target.folder);
    }
}

impl Drop for Movie {
    fn drop(&mut self) {
        let _ = self.join();
    }
}

fn work(
    frames: &Receiver<(Frame, Share)>,
    target: &Target,
    container: &Container,
    path: &Path,
    log: &Log,
    finished: &AtomicBool,
) -> Result<u64, ExportError> {
    let failed = |error: io::Error| ExportError::file(Action::Write, path, &error);
    let (mut open, mut written) = (None, 0);
    while let Ok((frame, _share)) = frames.recv() {
        let encode = |fault: Fault| match fault {
            Fault::Io(error) => failed(error),
            Fault::Encoder(message) => ExportError::Encode { index: frame.index, path: path.into(), message },
        };
        let image = frame.image().map_err(|message| encode(Fault::Encoder(message)))?;
        if open.is_none() {
            let temporary = write::temporary(&target.folder).map_err(failed)?;
            let file = temporary.reopen().map_err(failed)?;
            let writer = (container.open)(temporary.path(), file, image, target).map_err(encode)?;
            open = Some((temporary, writer));
        }
        if let Some((_, writer)) = &mut open {
            writer.push(image).map_err(encode)?;
        }
        written += 1;
    }
    let Some((temporary, writer)) = open else { return Ok(0) };
    // What was cancelled, or failed elsewhere, is no movie.
    if !finished.load(Ordering::Relaxed) || written < target.frames.count() {
        return Ok(written);
    }
    writer.finish().map_err(|fault| match fault {
        Fault::Io(error) => failed(error),
        Fault::Encoder(message) => ExportError::Incomplete { path: path.into(), message },
    })?;
    let sum = record::sum_of(temporary.path()).unwrap_or_default();
    log.file(WHOLE, &sum, path)?;
    target.publish(temporary, path)?;
    Ok(written)
}
