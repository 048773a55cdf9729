//! Movies by the program ffmpeg, where it is installed: MP4 (H.264), WebM (VP9) and QuickTime (ProRes 422 HQ).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::child::Child;
use super::movie::{Begun, Container, Fault, Movie, Writer};
use crate::sim::Image;
use crate::sink::{Format, Kind, Target};

pub(crate) const MP4: Format = Format {
    name: "mp4",
    title: "MP4",
    about: "a movie in H.264, by ffmpeg",
    takes: &[Kind::Image],
    joins: false,
    beside: &[],
    single: true,
    bytes_per_pixel: 0.05,
    open: |target| Box::new(Movie::new(target, &Container { ending: "mp4", open: h264, ready })),
};

pub(crate) const WEBM: Format = Format {
    name: "webm",
    title: "WebM",
    about: "a movie in VP9, by ffmpeg",
    open: |target| Box::new(Movie::new(target, &Container { ending: "webm", open: vp9, ready })),
    ..MP4
};

pub(crate) const PRORES: Format = Format {
    name: "prores",
    title: "ProRes",
    about: "a movie in ProRes 422 HQ for editing, by ffmpeg",
    bytes_per_pixel: 0.6,
    open: |target| Box::new(Movie::new(target, &Container { ending: "mov", open: prores, ready })),
    ..MP4
};

const PROGRAM: &str = "ffmpeg";
/// The name of the curve of sRGB.
const SRGB: &str = "iec61966-2-1";
/// What a system says of a full disk (strerror of ENOSPC and EDQUOT).
const FULL: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

fn h264(path: &Path, _: File, first: &Image, target: &Target) -> Begun {
    let codec = ["-c:v", "libx264", "-crf", "16", "-preset", "medium", "-movflags", "+faststart", "-f", "mp4"];
    open(path, first, target, ["yuv420p", SRGB], &codec)
}

fn vp9(path: &Path, _: File, first: &Image, target: &Target) -> Begun {
    let codec = ["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"];
    open(path, first, target, ["yuv420p", SRGB], &codec)
}

fn prores(path: &Path, _: File, first: &Image, target: &Target) -> Begun {
    let codec = ["-c:v", "prores_ks", "-profile:v", "3", "-vendor", "apl0", "-movflags", "+write_colr", "-f", "mov"];
    // Its frames can't name the curve of sRGB.
    open(path, first, target, ["yuv422p10le", "bt709"], &codec)
}

fn limit(target: &Target) -> Duration {
    Duration::from_secs(u64::from(target.settings.timeout))
}

/// Whether the program is installed.
fn ready(target: &Target) -> Result<(), String> {
    let absent =
        || "it needs the program ffmpeg, which is not installed (on Debian: apt-get install ffmpeg)".to_string();
    let mut command = Command::new(PROGRAM);
    command.arg("-version").stdin(Stdio::null());
    let mut child = Child::start(command, limit(target)).map_err(|_| absent())?;
    match child.wait() {
        Some(status) if status.success() => Ok(()),
        Some(_) => Err(absent()),
        None => Err(hangs(limit(target))),
    }
}

fn hangs(limit: Duration) -> String {
    format!("ffmpeg did nothing for {} s and was stopped; raise --timeout if it needs longer", limit.as_secs())
}

struct Ffmpeg {
    child: Child,
    path: PathBuf,
    size: [u32; 2],
    limit: Duration,
}

fn open(path: &Path, first: &Image, target: &Target, [pixels, curve]: [&str; 2], codec: &[&str]) -> Begun {
    let size = [first.width, first.height];
    let [width, height] = even(size);
    // Colours in BT.709, which frames and file say.
    let filter = format!(
        "scale=out_color_matrix=bt709:out_range=tv,format={pixels},setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc={curve}"
    );
    let mut command = Command::new(PROGRAM);
    command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &target.fps().to_string(), "-i", "pipe:0", "-an"]);
    command.args(["-vf", &filter, "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", curve]);
    command.args(["-fflags", "+bitexact", "-flags:v", "+bitexact"]).args(codec);
    // A path is never taken for a protocol or an option.
    let mut file = std::ffi::OsString::from("file:");
    file.push(path);
    command.arg(file).stdin(Stdio::piped());
    let limit = limit(target);
    let child = Child::start(command, limit).map_err(|error| format!("ffmpeg can't be started: {error}"))?;
    Ok(Box::new(Ffmpeg { child, path: path.into(), size, limit }))
}

/// Codecs halve colours, so sides must be even.
fn even(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.next_multiple_of(2))
}

/// The colours of an image, whose last column and row are repeated where its sides are odd.
fn colors(image: &Image) -> Vec<u8> {
    let [width, height] = even([image.width, image.height]).map(|side| side as usize);
    let mut rgb = Vec::with_capacity(3 * width * height);
    for row in image.rgba.chunks_exact(4 * image.width.max(1) as usize) {
        let start = rgb.len();
        row.chunks_exact(4).for_each(|pixel| rgb.extend(pixel.iter().take(3)));
        if rgb.len() - start < 3 * width {
            rgb.extend_from_within(rgb.len() - 3..);
        }
    }
    if rgb.len() < 3 * width * height {
        rgb.extend_from_within(rgb.len() - 3 * width..);
    }
    rgb
}

impl Ffmpeg {
    /// Why ffmpeg has ended.
    fn fault(&mut self) -> Fault {
        let status = self.child.wait();
        if self.child.timed_out() {
            return hangs(self.limit).into();
        }
        let text = self.child.report();
        if FULL.iter().any(|full| text.contains(full)) {
            return io::Error::from(io::ErrorKind::StorageFull).into();
        }
        let last = text.lines().rfind(|line| !line.trim().is_empty()).map(|line| line.trim().to_string());
        let ended = status.map_or_else(String::new, |status| format!(" ({status})"));
        let message = last.unwrap_or_else(|| format!("it ended without a message{ended}"));
        format!("ffmpeg reports: {message}").into()
    }
}

impl Writer for Ffmpeg {
    fn push(&mut self, image: &Image) -> Result<(), Fault> {
        if [image.width, image.height] != self.size {
            return Err("it has another size than the first frame of the movie".to_string().into());
        }
        // Where it no longer reads, it has ended.
        self.child.input(&colors(image)).map_err(|_| self.fault())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Fault> {
        match self.child.wait() {
            Some(status) if status.success() => {}
            _ => {
                return Err(match self.fault() {
                    Fault::Encoder(message) if !self.child.timed_out() => {
                        format!("{message}; choose another format or size, or check the installed ffmpeg").into()
                    }
                    fault => fault,
                });
            }
        }
        match fs::metadata(&self.path) {
            Ok(about) if about.len() > 0 => Ok(()),
            Ok(_) => {
                Err("ffmpeg wrote an empty file and reported no error; check the installed ffmpeg".to_string().into())
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_sides_repeat_their_last_pixels() {
        let image = Image { width: 3, height: 1, rgba: vec![1, 2, 3, 9, 4, 5, 6, 9, 7, 8, 9, 9] };
        let row = [1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 8, 9];
        assert_eq!(colors(&image), [row, row].concat());
        let even = Image { width: 2, height: 2, rgba: (0..16).collect() };
        assert_eq!(colors(&even), [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14]);
    }
}
