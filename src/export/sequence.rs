//! Numbered files, one a frame, encoded and written by separate threads.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::frames::Frames;
use super::memory::Share;
use super::record;
use super::sink::{Action, ExportError, Frame, FrameSink, Log, Present, Sums, Target};
use crate::files::{portable, read, write as atomic};

/// Length of the queue; each thread holds one more frame.
const QUEUE: usize = 2;

/// How a frame becomes a file.
#[derive(Debug)]
pub struct Encoding {
    /// The extension of the files' names, without the dot.
    pub ending: &'static str,
    /// The bytes of a frame's file, or the error. Runs on several threads.
    pub encode: fn(&Frame, &Target) -> Result<Vec<u8>, String>,
    /// Whether numbers are rounded to half precision.
    pub half: bool,
    /// A file that lists those of all frames, written at the end.
    pub index: Option<Index>,
}

/// A file about the whole sequence.
#[derive(Debug)]
pub struct Index {
    /// The extension of its name, without the dot.
    pub ending: &'static str,
    /// Text of the file, from the numbers of all complete frames and the names of their files.
    pub text: fn(&Target, &[(u64, String)]) -> String,
}

/// State that the workers share with the sequence.
#[derive(Default)]
struct Progress {
    written: AtomicU64,
    /// Frames in the queue are dropped: after an error, or when the sequence is dropped.
    stop: AtomicBool,
    error: Mutex<Option<ExportError>>,
}

impl Progress {
    fn fail(&self, error: ExportError) {
        self.stop.store(true, Ordering::Relaxed);
        // The first error is the cause of the others.
        lock(&self.error).get_or_insert(error);
    }

    fn check(&self) -> Result<(), ExportError> {
        lock(&self.error).clone().map_or(Ok(()), Err)
    }
}

/// A worker that panicked while it held one of these locks left the data consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes `frame.0001.png`, `frame.0002.png`, ... into a folder, from several threads.
///
/// A frame gets its name when it is complete. When the sequence is dropped before `finish`, it drops the queued frames,
/// completes those that were started, and leaves no temporary file.
pub struct Sequence {
    files: Files,
    /// Frames that are there, or that are on their way.
    frames: BTreeSet<u64>,
    /// Frames that this run has written.
    run_frames: Vec<u64>,
    progress: Arc<Progress>,
    /// Closing the queue ends the workers.
    queue: Option<SyncSender<Queued>>,
    workers: Vec<JoinHandle<()>>,
}

/// A frame, and its share of the memory for frames.
type Queued = (Frame, Share);

/// The files' names and formats.
#[derive(Clone)]
struct Files {
    target: Target,
    encoding: &'static Encoding,
}

impl Files {
    fn path(&self, index: u64) -> PathBuf {
        self.target.folder.join(self.name(index))
    }

    fn name(&self, index: u64) -> String {
        self.target.names.frame(self.target.frames.number(index), self.encoding.ending)
    }

    /// Files with names of the range's frames, whatever they contain, by frame; folders are not included.
    fn present(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.target.folder)? {
            let (entry, frames) = (entry?, &self.target.frames);
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| self.target.names.number(name, self.encoding.ending));
            let frame = number.and_then(|number| frames.of_number(number)).filter(|frame| frames.contains(*frame));
            // One with other zeros before its number, or in another case, is another file.
            let frame = frame.filter(|frame| name.to_str() == Some(self.name(*frame).as_str()));
            if let Some(frame) = frame
                && !entry.file_type()?.is_dir()
            {
                found.push((frame, entry.path()));
            }
        }
        Ok(found)
    }

    /// Writes to a temporary file first. Anything with the frame's name is replaced, even a symbolic link.
    fn write(&self, frame: &Frame, log: &Log) -> Result<(), ExportError> {
        let (index, path) = (frame.index, self.path(frame.index));
        log.count_odd(frame, self.encoding.half);
        let encoded = (self.encoding.encode)(frame, &self.target);
        let bytes = encoded.map_err(|message| ExportError::Encode { index, path: path.clone(), message })?;
        self.replace(&path, &bytes, || log.file(index, &record::sum(&bytes), &path))
    }

    /// `note` is called before the file gets its name.
    fn replace(
        &self,
        path: &Path,
        bytes: &[u8],
        note: impl Fn() -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let failed = |error: io::Error| ExportError::file(Action::Write, path, &error);
        let mut temporary = atomic::temporary(&self.target.folder).map_err(failed)?;
        temporary.write_all(bytes).map_err(failed)?;
        note()?;
        self.target.publish(temporary, path)
    }

    /// The file about the whole sequence.
    fn index(&self) -> Option<(PathBuf, &'static Index)> {
        let index = self.encoding.index.as_ref()?;
        Some((self.target.folder.join(self.target.names.single(index.ending)), index))
    }
}

impl Sequence {
    /// A sequence of files in a folder, one a frame.
    pub fn new(target: Target, encoding: &'static Encoding) -> Sequence {
        let files = Files { target, encoding };
        Sequence {
            files,
            frames: BTreeSet::new(),
            run_frames: Vec::new(),
            progress: Arc::default(),
            queue: None,
            workers: Vec::new(),
        }
    }

    /// Closes the queue and waits for the workers; returns whether none of them panicked.
    fn join(&mut self) -> bool {
        self.queue = None;
        let panicked = self.workers.drain(..).filter_map(|worker| worker.join().err()).count();
        panicked == 0
    }

    fn stopped(&self) -> ExportError {
        ExportError::Stopped { folder: self.files.target.folder.clone() }
    }
}

impl FrameSink for Sequence {
    fn names(&self) -> String {
        let frames = self.files.target.frames;
        format!("{} to {}", self.files.name(frames.first()), self.files.name(frames.last()))
    }

    fn path(&self, frame: u64) -> PathBuf {
        self.files.path(frame)
    }

    fn kept(&self, _: &Frames, sums: &Sums) -> BTreeSet<u64> {
        let as_written = |frame: &u64| record::is_as_written(&self.files.path(*frame), sums, *frame);
        sums.keys().copied().filter(as_written).collect()
    }

    fn unlisted(&self, sums: &Sums) -> io::Result<u64> {
        Ok(self.files.present()?.iter().filter(|(frame, _)| !sums.contains_key(frame)).count() as u64)
    }

    fn present(&self) -> io::Result<u64> {
        Ok(self.files.present()?.len() as u64)
    }

    fn files(&self) -> io::Result<Present> {
        let (files, frames) = (&self.files, self.files.target.frames);
        let index = files.index().and_then(|(path, _)| path.file_name()?.to_str().map(String::from));
        let same = |name: &String, found: &str| portable::folded(name) == portable::folded(found);
        let of_frame = |found: &str| {
            let number = files.target.names.number(found, files.encoding.ending)?;
            let frame = frames.of_number(number).filter(|frame| frames.contains(*frame))?;
            Some(files.name(frame)).filter(|name| same(name, found))
        };
        let of_index = |found: &str| index.clone().filter(|name| same(name, found));
        Present::find(&files.target.folder, |found| of_frame(found).or_else(|| of_index(found)))
    }

    fn remove(&mut self) -> io::Result<u64> {
        let files = self.files.present()?;
        files.iter().try_for_each(|(_, file)| fs::remove_file(file))?;
        if let Some((index, _)) = self.files.index().filter(|(index, _)| fs::symlink_metadata(index).is_ok()) {
            fs::remove_file(index)?;
        }
        Ok(files.len() as u64)
    }

    fn begin(&mut self, kept: &BTreeSet<u64>, log: Log) -> Result<(), ExportError> {
        self.frames = kept.clone();
        let folder = &self.files.target.folder;
        let (queue, frames) = sync_channel(QUEUE);
        let frames = Arc::new(Mutex::new(frames));
        self.queue = Some(queue);
        // After a failure, dropping the sequence ends the workers that were started.
        for worker in 0..self.files.target.threads.max(1) {
            let (frames, progress) = (Arc::clone(&frames), Arc::clone(&self.progress));
            let (files, log) = (self.files.clone(), log.clone());
            // Not `background`: several threads share one bounded queue, and all have to end before the series is complete.
            let thread = std::thread::Builder::new().name(format!("frames {worker}"));
            let started = thread.spawn(move || work(&frames, &progress, &files, &log));
            self.workers.push(started.map_err(|error| ExportError::file(Action::StartThread, folder, &error))?);
        }
        Ok(())
    }

    fn write(&mut self, frame: Frame) -> Result<(), ExportError> {
        self.progress.check()?;
        frame.check()?;
        self.frames.insert(frame.index);
        self.run_frames.push(frame.index);
        let share = Share::take(frame.bytes());
        let sent = self.queue.as_ref().is_some_and(|queue| queue.send((frame, share)).is_ok());
        if sent { Ok(()) } else { Err(self.stopped()) }
    }

    fn finish(&mut self) -> Result<u64, ExportError> {
        let clean = self.join();
        self.progress.check()?;
        if !clean {
            return Err(self.stopped());
        }
        let written = self.progress.written.load(Ordering::Relaxed);
        if let Some((path, index)) = self.files.index() {
            let frames = self.frames.iter().map(|frame| (*frame, self.files.name(*frame)));
            let text = (index.text)(&self.files.target, &frames.collect::<Vec<_>>());
            self.files.replace(&path, text.as_bytes(), || Ok(()))?;
        }
        Ok(written)
    }

    fn sync(&self) {
        for index in &self.run_frames {
            // A file that is missing was removed by somebody else.
            if let Ok((file, _)) = read::open_without_links(&self.files.path(*index)) {
                let _ = file.sync_all();
            }
        }
        if let Some((file, _)) = self.files.index().and_then(|(index, _)| read::open_without_links(&index).ok()) {
            let _ = file.sync_all();
        }
        atomic::sync_folder(&self.files.target.folder);
    }
}

impl Drop for Sequence {
    fn drop(&mut self) {
        self.progress.stop.store(true, Ordering::Relaxed);
        self.join();
    }
}

fn work(frames: &Mutex<Receiver<Queued>>, progress: &Progress, files: &Files, log: &Log) {
    loop {
        // A separate statement, so that the lock is free while the frame is written.
        let next = lock(frames).recv();
        let Ok((frame, _share)) = next else { return };
        if progress.stop.load(Ordering::Relaxed) {
            continue;
        }
        match files.write(&frame, log) {
            Ok(()) => {
                progress.written.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => progress.fail(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT;
    use crate::sim::Image;
    use crate::sink::Content;
    use std::ops::RangeInclusive;

    /// A folder of its own for each test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("stagewright-sequence-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn image(width: u32, height: u32, alpha: u8) -> Image {
        let byte = |i: u32| if i % 4 == 3 { alpha } else { (i * 7 % 251) as u8 };
        Image { width, height, rgba: (0..width * height * 4).map(byte).collect() }
    }

    /// The default format's sink, ready to write.
    fn begun(folder: &Path, frames: RangeInclusive<u64>) -> Result<Box<dyn FrameSink>, ExportError> {
        let target = Target::images(folder.into(), frames);
        Target::create_folder(&target.folder)?;
        let mut sink = (DEFAULT.open)(target);
        sink.begin(&BTreeSet::new(), Log::default())?;
        Ok(sink)
    }

    fn frame(index: u64, image: Image) -> Frame {
        Frame { index, time: 0.0, content: Content::Image(image) }
    }

    /// The pixels of a file with alpha.
    fn decoded(path: &Path) -> Vec<u8> {
        let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        data.truncate(info.buffer_size());
        data
    }

    #[test]
    fn frames_are_written_replaced_counted_and_removed() {
        let folder = Folder::new("round");
        let deep = folder.0.join("deep");
        let images = [image(33, 17, 127), image(33, 17, 128)];
        for image in &images {
            let mut sink = begun(&deep, 1..=20).unwrap();
            for index in (1..=20).filter(|index| *index != 12) {
                sink.write(frame(index, image.clone())).unwrap();
            }
            assert_eq!(sink.finish().unwrap(), 19);
            assert_eq!(sink.names(), "frame.0001.png to frame.0020.png");
            assert_eq!(decoded(&deep.join("frame.0020.png")), image.rgba);
        }
        let mut sink = begun(&deep, 3..=15).unwrap();
        let sums =
            (1..=20).filter_map(|frame| Some((frame, vec![record::sum_of(&sink.path(frame))?]))).collect::<Sums>();
        let frames = (1..=20).into();
        fs::write(deep.join("frame.0005.png"), "cut").unwrap();
        fs::remove_file(deep.join("frame.0019.png")).unwrap();
        let kept: Vec<u64> = sink.kept(&frames, &sums).into_iter().collect();
        assert_eq!(kept, (1..=20).filter(|frame| ![5, 12, 19].contains(frame)).collect::<Vec<_>>());
        fs::write(deep.join("frame.0012.png"), "of somebody else").unwrap();
        assert_eq!((sink.unlisted(&sums).unwrap(), sink.present().unwrap()), (1, 13));
        assert_eq!(sink.remove().unwrap(), 13);
        assert_eq!((sink.kept(&frames, &sums).len(), sink.present().unwrap()), (6, 0));
        assert_eq!(Folder(deep).names().len(), 6, "those outside of the range stay");
    }

    #[test]
    fn wide_numbers_stay_whole() {
        let folder = Folder::new("wide");
        let mut sink = begun(&folder.0, 7..=12345).unwrap();
        for index in [7, 12345] {
            sink.write(frame(index, image(2, 2, 255))).unwrap();
        }
        assert_eq!(sink.finish().unwrap(), 2);
        assert_eq!(folder.names(), ["frame.0007.png", "frame.12345.png"]);
    }

    #[test]
    fn wrong_images_are_refused() {
        let folder = Folder::new("refuse");
        let mut sink = begun(&folder.0, 1..=9).unwrap();
        for (width, height, bytes) in [(2, 2, 15), (0, 4, 0), (u32::MAX, u32::MAX, 4)] {
            let image = Image { width, height, rgba: vec![0; bytes] };
            let error = sink.write(frame(3, image)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("frame 3 is {width} x {height} but has {bytes} bytes")), "{error}");
        }
        sink.write(frame(3, image(1, 1, 255))).unwrap();
        assert_eq!(sink.finish().unwrap(), 1);
    }

    #[test]
    fn an_error_of_a_worker_reaches_push_and_finish() {
        let folder = Folder::new("gone");
        let mut sequence = begun(&folder.0, 0..=99).unwrap();
        fs::remove_dir_all(&folder.0).unwrap();
        // The queue accepts a few frames before the first error is known; then every write fails.
        let failed = (0..100).find_map(|index| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            sequence.write(frame(index, image(4, 4, 255))).err()
        });
        let error = failed.unwrap();
        assert!(error.to_string().contains("gone/frame.") && error.to_string().contains("create it"), "{error}");
        assert_eq!(sequence.finish().unwrap_err(), error);
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_named() {
        let folder = Folder::new("file");
        fs::create_dir_all(&folder.0).unwrap();
        let file = folder.0.join("taken");
        fs::write(&file, "x").unwrap();
        let error = begun(&file, 0..=99).err().unwrap().to_string();
        assert!(error.starts_with("cannot create the folder ") && error.contains("choose another folder"), "{error}");
        // A folder in the place of a frame: the temporary file must be removed.
        fs::create_dir_all(folder.0.join("frame.0001.png")).unwrap();
        let mut sequence = begun(&folder.0, 0..=99).unwrap();
        sequence.write(frame(1, image(4, 4, 255))).unwrap();
        let error = sequence.finish().unwrap_err().to_string();
        assert!(
            error.starts_with("cannot rename the temporary file to ") && error.contains("frame.0001.png"),
            "{error}"
        );
        assert_eq!(folder.names(), ["frame.0001.png", "taken"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_replaced_and_a_folder_that_is_one_is_refused() {
        let folder = Folder::new("links");
        let (inside, outside) = (folder.0.join("frames"), folder.0.join("outside"));
        fs::create_dir_all(&inside).unwrap();
        fs::write(&outside, "precious").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("frame.0001.png")).unwrap();
        let mut sequence = begun(&inside, 0..=99).unwrap();
        sequence.write(frame(1, image(4, 4, 255))).unwrap();
        assert_eq!(sequence.finish().unwrap(), 1);
        assert_eq!(fs::read(&outside).unwrap(), b"precious");
        assert!(fs::symlink_metadata(inside.join("frame.0001.png")).unwrap().is_file());
        std::os::unix::fs::symlink(&inside, folder.0.join("link")).unwrap();
        for name in ["link", "link/", "link/."] {
            let error = begun(&folder.0.join(name), 0..=99).err().unwrap().to_string();
            assert!(error.contains("it is a symbolic link to ") && error.contains("name the folder itself"), "{error}");
        }
    }

    #[test]
    fn dropping_leaves_whole_frames_only() {
        let folder = Folder::new("drop");
        let mut sequence = begun(&folder.0, 0..=99).unwrap();
        for index in 0..8 {
            sequence.write(frame(index, image(256, 256, 200))).unwrap();
        }
        drop(sequence);
        for name in folder.names() {
            assert!(name.ends_with(".png"), "{name}");
            assert!(decoded(&folder.0.join(name)) == image(256, 256, 200).rgba);
        }
    }
}
