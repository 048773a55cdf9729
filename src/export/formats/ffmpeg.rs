//! Movies by the program ffmpeg, where it is installed: MP4 (H.264), WebM (VP9) and QuickTime (ProRes 422 HQ).

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::movie::{Begun, Container, Movie, Writer};
use crate::export::sink::{Format, Kind};
use crate::sim::Image;

pub(in crate::export) const MP4: Format = Format {
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

pub(in crate::export) const WEBM: Format = Format {
    name: "webm",
    title: "WebM",
    about: "a movie in VP9, by ffmpeg",
    open: |target| Box::new(Movie::new(target, &Container { ending: "webm", open: vp9, ready })),
    ..MP4
};

pub(in crate::export) const PRORES: Format = Format {
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
/// What is kept of what the program reports \[bytes\].
const MAX_REPORT: u64 = 1 << 12;

fn h264(path: &Path, _: File, first: &Image, fps: f64) -> Begun {
    let codec = ["-c:v", "libx264", "-crf", "16", "-preset", "medium", "-movflags", "+faststart", "-f", "mp4"];
    open(path, first, fps, ["yuv420p", SRGB], &codec)
}

fn vp9(path: &Path, _: File, first: &Image, fps: f64) -> Begun {
    open(
        path,
        first,
        fps,
        ["yuv420p", SRGB],
        &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"],
    )
}

fn prores(path: &Path, _: File, first: &Image, fps: f64) -> Begun {
    let codec = ["-c:v", "prores_ks", "-profile:v", "3", "-vendor", "apl0", "-movflags", "+write_colr", "-f", "mov"];
    // Its frames can't name the curve of sRGB.
    open(path, first, fps, ["yuv422p10le", "bt709"], &codec)
}

/// Whether the program is installed.
fn ready() -> Result<(), String> {
    let run =
        Command::new(PROGRAM).arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match run {
        Ok(status) if status.success() => Ok(()),
        _ => Err("it needs the program ffmpeg, which is not installed (on Debian: apt-get install ffmpeg)".into()),
    }
}

struct Ffmpeg {
    child: Child,
    size: [u32; 2],
}

fn open(path: &Path, first: &Image, fps: f64, [pixels, curve]: [&str; 2], codec: &[&str]) -> Begun {
    let size = [first.width, first.height];
    // Colours in BT.709, which frames and file say. Sides must be even: what is missing is black.
    let filter = format!(
        "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format={pixels},setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc={curve}"
    );
    let mut command = Command::new(PROGRAM);
    command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
    command.args(["-s", &format!("{}x{}", size[0], size[1]), "-r", &fps.to_string(), "-i", "pipe:0", "-an"]);
    command.args(["-vf", &filter, "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", curve]);
    command.args(["-fflags", "+bitexact", "-flags:v", "+bitexact"]).args(codec);
    // A path is never taken for a protocol or an option.
    let mut file = std::ffi::OsString::from("file:");
    file.push(path);
    command.arg(file).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("ffmpeg can't be started: {error}"))?;
    Ok(Box::new(Ffmpeg { child, size }))
}

impl Ffmpeg {
    /// The end of what the program has reported.
    fn report(&mut self) -> String {
        let mut text = Vec::new();
        if let Some(errors) = &mut self.child.stderr {
            let _ = errors.take(MAX_REPORT).read_to_end(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it ended without a message");
        format!("ffmpeg reports: {}", last.trim())
    }
}

impl Writer for Ffmpeg {
    fn push(&mut self, image: &Image) -> Result<(), String> {
        if [image.width, image.height] != self.size {
            return Err("it has another size than the first frame of the movie".into());
        }
        let rgb: Vec<u8> = image.rgba.chunks_exact(4).flat_map(|pixel| pixel.iter().take(3).copied()).collect();
        let written = self.child.stdin.as_mut().map_or(Ok(()), |pipe| pipe.write_all(&rgb));
        written.map_err(|_| {
            // It no longer reads, so it has ended.
            self.child.stdin = None;
            self.report()
        })
    }

    fn finish(mut self: Box<Self>) -> Result<(), String> {
        self.child.stdin = None;
        let report = self.report();
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            _ => Err(report),
        }
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // One that has ended is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
