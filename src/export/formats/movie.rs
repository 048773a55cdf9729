//! Moving pictures: all frames in one file, which a thread of its own writes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::export::memory::Share;
use crate::export::sink::{Action, ExportError, Frame, FrameSink, Target};
use crate::files::{read, write};
use crate::sim::Image;

/// Frames that may wait.
const QUEUE: usize = 4;

/// Writes images into one file.
pub(super) trait Writer {
    /// # Errors
    /// Why the image can't be written, in one sentence.
    fn push(&mut self, image: &Image) -> Result<(), String>;

    /// Completes the file.
    ///
    /// # Errors
    /// As [`Writer::push`].
    fn finish(self: Box<Self>) -> Result<(), String>;
}

/// A movie that was begun, or why it can't be.
pub(super) type Begun = Result<Box<dyn Writer>, String>;

/// How a movie is written.
#[derive(Debug)]
pub(super) struct Container {
    /// The extension of the file's name, without the dot.
    pub ending: &'static str,
    /// Begins a file for images of the first one's size, at so many frames a second: its path, and the open file.
    pub open: fn(&Path, File, &Image, f64) -> Begun,
    /// Why it can't be written on this machine.
    pub ready: fn() -> Result<(), String>,
}

/// The sink of a movie. An interrupted one begins again.
pub(super) struct Movie {
    target: Target,
    container: &'static Container,
    queue: Option<SyncSender<(Frame, Share)>>,
    /// Returns the number of frames that were written.
    thread: Option<JoinHandle<Result<u64, ExportError>>>,
}

impl Movie {
    pub(super) fn new(target: Target, container: &'static Container) -> Movie {
        Movie { target, container, queue: None, thread: None }
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

    fn whole(&self, _: Option<[u32; 2]>) -> u64 {
        0
    }

    fn present(&self) -> io::Result<u64> {
        Ok(u64::from(fs::symlink_metadata(self.file()).is_ok()))
    }

    fn remove(&mut self) -> io::Result<u64> {
        let present = self.present()?;
        if present > 0 {
            fs::remove_file(self.file())?;
        }
        Ok(present)
    }

    fn begin(&mut self, _: u64) -> Result<(), ExportError> {
        let (path, index) = (self.file(), self.target.frames.first());
        (self.container.ready)().map_err(|message| ExportError::Encode { index, path: path.clone(), message })?;
        let (queue, frames) = sync_channel(QUEUE);
        self.queue = Some(queue);
        let (target, container) = (self.target.clone(), self.container);
        let thread = std::thread::Builder::new().name("movie".into());
        let started = thread.spawn(move || work(&frames, &target, container, &path));
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
        // The frames so far are a movie too.
        let _ = self.join();
    }
}

fn work(
    frames: &Receiver<(Frame, Share)>,
    target: &Target,
    container: &Container,
    path: &Path,
) -> Result<u64, ExportError> {
    let failed = |error: io::Error| ExportError::file(Action::Write, path, &error);
    let (mut open, mut written) = (None, 0);
    while let Ok((frame, _share)) = frames.recv() {
        let encode = |message| ExportError::Encode { index: frame.index, path: path.into(), message };
        let image = frame.image().map_err(encode)?;
        if open.is_none() {
            let temporary = write::temporary(&target.folder).map_err(failed)?;
            let file = temporary.reopen().map_err(failed)?;
            let writer = (container.open)(temporary.path(), file, image, target.fps()).map_err(encode)?;
            open = Some((temporary, writer));
        }
        if let Some((_, writer)) = &mut open {
            writer.push(image).map_err(encode)?;
        }
        written += 1;
    }
    let Some((temporary, writer)) = open else { return Ok(0) };
    let index = target.frames.at(written);
    writer.finish().map_err(|message| ExportError::Encode { index, path: path.into(), message })?;
    write::rename(temporary, path).map_err(|error| ExportError::file(Action::Rename, path, &error))?;
    Ok(written)
}
