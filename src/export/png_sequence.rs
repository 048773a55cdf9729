//! Numbered PNG frames, compressed and written by threads of their own.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::files::write as atomic;
use crate::sim::Image;

/// Two threads keep up with a simulation; more would take its cores.
const WORKERS: usize = 2;
/// Frames that wait; with one in each worker, at most four are in memory.
const QUEUE: usize = 2;
/// The widest number that is padded; u64 has no more digits.
const MAX_DIGITS: usize = 20;

/// What was being done when a file or folder failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    CreateFolder,
    Write,
    Rename,
    StartThread,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::CreateFolder => "create the folder",
            Action::Write => "write",
            Action::Rename => "rename the temporary file to",
            Action::StartThread => "start a thread that writes",
        })
    }
}

/// Why frames are not written; one sentence with the path and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    #[error("cannot {action} {}: {message}; {}", .path.display(), remedy(*.kind))]
    File { action: Action, path: PathBuf, kind: io::ErrorKind, message: String },
    #[error("`{prefix}` cannot begin the name of a frame; use letters, digits, `-` and `_`, without a folder")]
    Prefix { prefix: String },
    #[error(
        "frame {index} is {width} x {height} but has {bytes} bytes of pixels; it needs width x height x 4, and no side of 0"
    )]
    Size { index: u64, width: u32, height: u32, bytes: usize },
    #[error("frame {index} does not encode as PNG: {message}")]
    Encode { index: u64, message: String },
    #[error("the threads that write {} have stopped; start the export again", .folder.display())]
    Stopped { folder: PathBuf },
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "there is no space left: free some or choose another folder"
        }
        io::ErrorKind::PermissionDenied => "there is no permission to write: change it or choose another folder",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only: choose another folder",
        io::ErrorKind::NotFound => "the folder is not there: create it and export again",
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "a file has the folder's name: choose another folder"
        }
        io::ErrorKind::InvalidInput => "name the folder itself, or choose another one",
        io::ErrorKind::IsADirectory => "a folder has the frame's name: remove it or choose another folder",
        _ => "check the disk or choose another folder",
    }
}

fn file_error(action: Action, path: &Path, error: &io::Error) -> ExportError {
    ExportError::File { action, path: path.into(), kind: error.kind(), message: error.to_string() }
}

struct Frame {
    path: PathBuf,
    index: u64,
    image: Image,
}

/// What the workers share with the sequence.
#[derive(Default)]
struct Progress {
    written: AtomicU64,
    /// Frames that still wait are let go: after an error, or when the sequence is dropped.
    stop: AtomicBool,
    error: Mutex<Option<ExportError>>,
}

impl Progress {
    fn fail(&self, error: ExportError) {
        self.stop.store(true, Ordering::Relaxed);
        // The first error is the cause, the rest follow from it.
        lock(&self.error).get_or_insert(error);
    }

    fn check(&self) -> Result<(), ExportError> {
        lock(&self.error).clone().map_or(Ok(()), Err)
    }
}

/// A worker that panicked has left nothing half done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes `frame.0001.png`, `frame.0002.png`, ... into a folder, from two threads.
///
/// A frame appears under its name when it is complete. Dropping the sequence without `finish` lets go of the frames that
/// wait, ends those begun, and leaves no temporary file.
pub struct PngSequence {
    folder: PathBuf,
    prefix: String,
    digits: usize,
    progress: Arc<Progress>,
    /// Closed to let the workers end.
    queue: Option<SyncSender<Frame>>,
    workers: Vec<JoinHandle<()>>,
}

impl PngSequence {
    /// Creates the folder, and those above it; a link in its place is refused. `digits` pads the frame number with zeros (4 is usual).
    ///
    /// # Errors
    /// A folder that cannot be created, a prefix that is no name.
    pub fn new(dir: &Path, prefix: &str, digits: usize) -> Result<PngSequence, ExportError> {
        if prefix.is_empty() || prefix.starts_with('.') || prefix.contains(['/', '\\', ':', '\0']) {
            return Err(ExportError::Prefix { prefix: prefix.into() });
        }
        atomic::create_folder(dir).map_err(|error| file_error(Action::CreateFolder, dir, &error))?;
        let (queue, frames) = sync_channel(QUEUE);
        let frames = Arc::new(Mutex::new(frames));
        // From here on a failure drops `sequence`, which ends the workers that run.
        let mut sequence = PngSequence {
            folder: dir.into(),
            prefix: prefix.into(),
            digits: digits.min(MAX_DIGITS),
            progress: Arc::default(),
            queue: Some(queue),
            workers: Vec::with_capacity(WORKERS),
        };
        for worker in 0..WORKERS {
            let (frames, progress) = (Arc::clone(&frames), Arc::clone(&sequence.progress));
            let thread = std::thread::Builder::new().name(format!("png {worker}"));
            let folder = dir.to_path_buf();
            let started = thread.spawn(move || work(&frames, &progress, &folder));
            sequence.workers.push(started.map_err(|error| file_error(Action::StartThread, dir, &error))?);
        }
        Ok(sequence)
    }

    /// Where a frame goes.
    pub fn path(&self, index: u64) -> PathBuf {
        let digits = self.digits;
        self.folder.join(format!("{}.{index:0digits$}.png", self.prefix))
    }

    /// Queues a frame; waits while the queue is full. A frame that exists is replaced.
    ///
    /// # Errors
    /// An image whose pixels do not fit its size, or what a worker met since; from then on every push fails.
    pub fn push(&mut self, index: u64, frame: Image) -> Result<(), ExportError> {
        self.progress.check()?;
        let Image { width, height, rgba: ref pixels } = frame;
        let bytes = usize::try_from(u64::from(width) * u64::from(height)).ok().and_then(|cells| cells.checked_mul(4));
        if bytes != Some(pixels.len()) || pixels.is_empty() {
            return Err(ExportError::Size { index, width, height, bytes: pixels.len() });
        }
        let frame = Frame { path: self.path(index), index, image: frame };
        let sent = self.queue.as_ref().is_some_and(|queue| queue.send(frame).is_ok());
        if sent { Ok(()) } else { Err(ExportError::Stopped { folder: self.folder.clone() }) }
    }

    /// Waits for every frame and says how many were written.
    ///
    /// # Errors
    /// The first that a worker met; frames that were pushed after it are missing.
    pub fn finish(mut self) -> Result<u64, ExportError> {
        let clean = self.join();
        self.progress.check()?;
        if clean {
            Ok(self.progress.written.load(Ordering::Relaxed))
        } else {
            Err(ExportError::Stopped { folder: self.folder.clone() })
        }
    }

    /// Closes the queue and waits for the workers; whether all of them ended well.
    fn join(&mut self) -> bool {
        self.queue = None;
        let panicked = self.workers.drain(..).filter_map(|worker| worker.join().err()).count();
        panicked == 0
    }
}

impl Drop for PngSequence {
    fn drop(&mut self) {
        self.progress.stop.store(true, Ordering::Relaxed);
        self.join();
    }
}

fn work(frames: &Mutex<Receiver<Frame>>, progress: &Progress, folder: &Path) {
    loop {
        // A statement of its own, so that the lock is free while the frame is written.
        let next = lock(frames).recv();
        let Ok(frame) = next else { return };
        if progress.stop.load(Ordering::Relaxed) {
            continue;
        }
        match write(&frame, folder) {
            Ok(()) => {
                progress.written.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => progress.fail(error),
        }
    }
}

/// Under a temporary name first. What has the frame's name is replaced, even if it is a link.
fn write(frame: &Frame, folder: &Path) -> Result<(), ExportError> {
    let png =
        encode(&frame.image).map_err(|error| ExportError::Encode { index: frame.index, message: error.to_string() })?;
    let failed = |error: io::Error| file_error(Action::Write, &frame.path, &error);
    let mut temporary = atomic::temporary(folder).map_err(failed)?;
    temporary.write_all(&png).map_err(failed)?;
    atomic::rename(temporary, &frame.path).map_err(|error| file_error(Action::Rename, &frame.path, &error))
}

/// The image as an sRGB PNG file: RGB, or RGBA where some pixel is not opaque.
fn encode(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let opaque = image.rgba.chunks_exact(4).all(|pixel| matches!(pixel, [.., 255]));
    let rgb: Vec<u8>;
    let (color, data) = if opaque {
        let pixels = image.rgba.chunks_exact(4);
        rgb = pixels.flat_map(|pixel| pixel.iter().take(3).copied()).collect();
        (png::ColorType::Rgb, &rgb)
    } else {
        (png::ColorType::Rgba, &image.rgba)
    };
    let mut file = Vec::with_capacity(data.len() / 2);
    let mut encoder = png::Encoder::new(&mut file, image.width, image.height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder of its own for each test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("stagewright-png-{}-{name}", std::process::id()));
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

    fn decode(path: &Path) -> (png::Info<'static>, Vec<u8>) {
        let mut reader = png::Decoder::new(io::BufReader::new(fs::File::open(path).unwrap())).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut data).unwrap();
        data.truncate(frame.buffer_size());
        (reader.info().clone(), data)
    }

    #[test]
    fn frames_come_back_as_they_were_pushed() {
        let folder = Folder::new("round");
        let mut sequence = PngSequence::new(&folder.0.join("deep"), "frame", 4).unwrap();
        let opaque = image(33, 17, 255);
        let clear = image(8, 4, 128);
        for index in 1..=20 {
            sequence.push(index, if index == 20 { clear.clone() } else { opaque.clone() }).unwrap();
        }
        let (first, last) = (sequence.path(1), sequence.path(20));
        assert!(first.ends_with("deep/frame.0001.png"));
        assert_eq!(sequence.finish().unwrap(), 20);
        let (info, data) = decode(&first);
        let rgb: Vec<u8> = opaque.rgba.chunks(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        assert_eq!((info.width, info.height, info.color_type), (33, 17, png::ColorType::Rgb));
        assert!(info.srgb.is_some());
        assert!(data == rgb);
        let (info, data) = decode(&last);
        assert_eq!(info.color_type, png::ColorType::Rgba);
        assert!(data == clear.rgba);
        assert_eq!(Folder(folder.0.join("deep")).names().len(), 20);
    }

    #[test]
    fn a_frame_is_replaced_and_wide_numbers_stay_whole() {
        let folder = Folder::new("replace");
        for alpha in [255, 100] {
            let mut sequence = PngSequence::new(&folder.0, "a-b", 2).unwrap();
            sequence.push(12345, image(2, 2, alpha)).unwrap();
            sequence.push(7, image(2, 2, alpha)).unwrap();
            assert_eq!(sequence.finish().unwrap(), 2);
        }
        assert_eq!(folder.names(), ["a-b.07.png", "a-b.12345.png"]);
        assert_eq!(decode(&folder.0.join("a-b.07.png")).0.color_type, png::ColorType::Rgba);
        let widest = PngSequence::new(&folder.0, "x", usize::MAX).unwrap().path(1);
        assert!(widest.ends_with(format!("x.{}1.png", "0".repeat(19))));
    }

    #[test]
    fn wrong_images_and_prefixes_are_refused() {
        let folder = Folder::new("refuse");
        let mut sequence = PngSequence::new(&folder.0, "frame", 4).unwrap();
        for (width, height, bytes) in [(2, 2, 15), (0, 4, 0), (u32::MAX, u32::MAX, 4)] {
            let error = sequence.push(3, Image { width, height, rgba: vec![0; bytes] }).unwrap_err().to_string();
            assert!(error.starts_with(&format!("frame 3 is {width} x {height} but has {bytes} bytes")), "{error}");
        }
        sequence.push(3, image(1, 1, 255)).unwrap();
        assert_eq!(sequence.finish().unwrap(), 1);
        for prefix in ["", "a/b", "..", "a\\b"] {
            assert!(matches!(PngSequence::new(&folder.0, prefix, 4), Err(ExportError::Prefix { .. })), "{prefix}");
        }
    }

    #[test]
    fn an_error_of_a_worker_reaches_push_and_finish() {
        let folder = Folder::new("gone");
        let mut sequence = PngSequence::new(&folder.0, "frame", 4).unwrap();
        fs::remove_dir_all(&folder.0).unwrap();
        // The queue takes a few frames before the first error is known; then every push fails.
        let failed = (0..100).find_map(|index| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            sequence.push(index, image(4, 4, 255)).err()
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
        let error = PngSequence::new(&file, "frame", 4).err().unwrap().to_string();
        assert!(error.starts_with("cannot create the folder ") && error.contains("choose another folder"), "{error}");
        // A folder in place of a frame: the temporary file has to go.
        fs::create_dir_all(folder.0.join("frame.0001.png")).unwrap();
        let mut sequence = PngSequence::new(&folder.0, "frame", 4).unwrap();
        sequence.push(1, image(4, 4, 255)).unwrap();
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
        let mut sequence = PngSequence::new(&inside, "frame", 4).unwrap();
        sequence.push(1, image(4, 4, 255)).unwrap();
        assert_eq!(sequence.finish().unwrap(), 1);
        assert_eq!(fs::read(&outside).unwrap(), b"precious");
        assert!(fs::symlink_metadata(inside.join("frame.0001.png")).unwrap().is_file());
        std::os::unix::fs::symlink(&inside, folder.0.join("link")).unwrap();
        for name in ["link", "link/", "link/."] {
            let error = PngSequence::new(&folder.0.join(name), "frame", 4).err().unwrap().to_string();
            assert!(error.contains("it is a symbolic link to ") && error.contains("name the folder itself"), "{error}");
        }
    }

    #[test]
    fn dropping_leaves_whole_frames_only() {
        let folder = Folder::new("drop");
        let mut sequence = PngSequence::new(&folder.0, "frame", 4).unwrap();
        for index in 0..8 {
            sequence.push(index, image(256, 256, 200)).unwrap();
        }
        drop(sequence);
        for name in folder.names() {
            assert!(name.ends_with(".png"), "{name}");
            assert_eq!(decode(&folder.0.join(name)).1.len(), 256 * 256 * 4);
        }
    }
}
