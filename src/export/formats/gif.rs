//! Animated GIF: 256 colours a frame, in one file. Source: GIF89a Specification, CompuServe, 1990.
//!
//! Delays are whole hundredths of a second, and browsers play a delay below two of them as ten. The delays are rounded so that the movie
//! keeps time. Above 50 frames a second, frames are left out.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use ::gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::movie::{Begun, Container, Fault, Movie, Writer};
use crate::sim::Image;
use crate::sink::{Format, Kind, Target};

pub(crate) const FORMAT: Format = Format {
    name: "gif",
    title: "GIF",
    about: "a movie of 256 colours a frame that everything plays, at most 50 frames a second",
    takes: &[Kind::Image],
    joins: false,
    beside: &[],
    single: true,
    bytes_per_pixel: 0.6,
    open: |target| Box::new(Movie::new(target, &Container { ending: "gif", open, ready: |_| Ok(()) })),
};

/// Shortest delay \[1/100 s\].
const SHORTEST: u64 = 2;
/// Number of pixels from which the 256 colours are chosen, at least: one in ten where there are more than ten times as many.
const SAMPLES: usize = 1 << 16;

struct Animation {
    encoder: Encoder<BufWriter<File>>,
    size: [u16; 2],
    fps: f64,
    /// Frames that came.
    frames: u64,
    /// Time that has been shown \[1/100 s\].
    shown: u64,
}

fn open(_: &Path, file: File, first: &Image, target: &Target) -> Begun {
    let side =
        |side: u32| u16::try_from(side).map_err(|_| format!("GIF images have at most {} pixels a side", u16::MAX));
    let size = [side(first.width)?, side(first.height)?];
    let mut encoder = Encoder::new(BufWriter::new(file), size[0], size[1], &[]).map_err(fault)?;
    encoder.set_repeat(Repeat::Infinite).map_err(fault)?;
    Ok(Box::new(Animation { encoder, size, fps: target.fps(), frames: 0, shown: 0 }))
}

fn fault(error: ::gif::EncodingError) -> Fault {
    match error {
        ::gif::EncodingError::Io(error) => Fault::Io(error),
        other => Fault::Encoder(other.to_string()),
    }
}

impl Animation {
    /// The delay of the next frame \[1/100 s\]; `None` where it is left out.
    fn delay(&mut self) -> Option<u16> {
        self.frames += 1;
        let end = (100.0 * self.frames as f64 / self.fps).round() as u64;
        let delay = end.saturating_sub(self.shown);
        if delay < SHORTEST {
            return None;
        }
        self.shown = end;
        Some(u16::try_from(delay).unwrap_or(u16::MAX))
    }
}

impl Writer for Animation {
    fn push(&mut self, image: &Image) -> Result<(), Fault> {
        if [image.width, image.height] != self.size.map(u32::from) {
            return Err("it has another size than the first frame of the movie".to_string().into());
        }
        let first = self.frames == 0;
        let delay = match self.delay() {
            Some(delay) => delay,
            // A movie has a frame, however short.
            None if first => {
                self.shown = SHORTEST;
                SHORTEST as u16
            }
            None => return Ok(()),
        };
        let mut pixels = image.rgba.clone();
        let every = (pixels.len() / 4 / SAMPLES).clamp(1, 10) as i32;
        let mut frame = Frame::from_rgba_speed(self.size[0], self.size[1], &mut pixels, every);
        frame.delay = delay;
        if frame.transparent.is_some() {
            frame.dispose = DisposalMethod::Background;
        }
        self.encoder.write_frame(&frame).map_err(fault)
    }

    fn finish(self: Box<Self>) -> Result<(), Fault> {
        let file = self.encoder.into_inner().map_err(fault)?;
        file.into_inner().map(drop).map_err(|error| Fault::Io(error.into_error()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Seek;

    use super::*;

    /// Delays of the frames, and the red of their first pixels.
    fn movie(name: &str, fps: f64, count: u8) -> Vec<(u16, u8)> {
        let image = |shade: u8| Image { width: 3, height: 2, rgba: [shade, 0, 9, 255].repeat(6) };
        let path = std::env::temp_dir().join(format!("stagewright-gif-{name}-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        let mut copy = file.try_clone().unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut target = Target::images("".into(), 1..=1);
        target.about.fps = fps;
        let mut writer = open(&path, file, &image(0), &target).unwrap();
        (0..count).for_each(|frame| writer.push(&image(frame)).unwrap());
        assert!(writer.push(&Image { width: 2, height: 2, rgba: vec![0; 16] }).is_err());
        writer.finish().unwrap();
        copy.rewind().unwrap();
        let mut options = ::gif::DecodeOptions::new();
        options.set_color_output(::gif::ColorOutput::RGBA);
        let mut reader = options.read_info(copy).unwrap();
        assert_eq!((reader.width(), reader.height(), reader.repeat()), (3, 2, Repeat::Infinite));
        let mut found = Vec::new();
        while let Some(frame) = reader.read_next_frame().unwrap() {
            found.push((frame.delay, frame.buffer[0]));
        }
        found
    }

    #[test]
    fn a_movie_keeps_time_and_its_colours() {
        let thirds = movie("thirds", 30.0, 6);
        assert_eq!(thirds, [(3, 0), (4, 1), (3, 2), (3, 3), (4, 4), (3, 5)]);
        let fast = movie("fast", 60.0, 60);
        let total: u32 = fast.iter().map(|(delay, _)| u32::from(*delay)).sum();
        assert!(total == 100 && fast.iter().all(|(delay, _)| (2..=4).contains(delay)), "a second: {total}, {fast:?}");
        assert_eq!(movie("short", 1000.0, 1).len(), 1);
    }
}
