//! Animated PNG: 8 bits a channel with alpha, without loss. Source: Portable Network Graphics, third edition, W3C.

use std::fs::File;
use std::io::{BufWriter, Cursor, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Crc;

use super::movie::{Begun, Container, Fault, Movie, Writer};
use crate::sim::Image;
use crate::sink::{Format, Kind, Target};

pub(crate) const FORMAT: Format = Format {
    name: "apng",
    title: "Animated PNG",
    about: "a movie without loss that browsers play, in one file",
    takes: &[Kind::Image],
    joins: false,
    beside: &[],
    single: true,
    bytes_per_pixel: 1.0,
    open: |target| Box::new(Movie::new(target, &Container { ending: "apng", open, ready: |_| Ok(()) })),
};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Length, kind and checksum around the data of a chunk.
const AROUND: usize = 12;

struct Animation<W> {
    file: W,
    size: [u32; 2],
    fps: f64,
    /// Where the number of frames is.
    count_at: u64,
    frames: u32,
    /// Number of the next chunk of the animation.
    next: u32,
}

fn open(_: &Path, file: File, first: &Image, target: &Target) -> Begun {
    Ok(Box::new(Animation::begin(BufWriter::new(file), [first.width, first.height], target.fps())?))
}

/// The bytes of a movie.
///
/// # Errors
/// Images of different sizes, an encoder's error.
pub(super) fn bytes(images: impl Iterator<Item = Image>, fps: f64) -> Result<Vec<u8>, String> {
    let mut animation = None;
    for image in images {
        let begin = || Animation::begin(Cursor::new(Vec::new()), [image.width, image.height], fps);
        let mut begun = animation.take().map_or_else(begin, Ok).map_err(|error| error.to_string())?;
        begun.push(&image).map_err(|fault| match fault {
            Fault::Io(error) => error.to_string(),
            Fault::Encoder(message) => message,
        })?;
        animation = Some(begun);
    }
    let mut animation = animation.ok_or("there are no images")?;
    animation.end().map_err(|error| error.to_string())?;
    Ok(animation.file.into_inner())
}

impl<W: Write + Seek> Animation<W> {
    fn begin(file: W, size: [u32; 2], fps: f64) -> std::io::Result<Animation<W>> {
        let mut animation = Animation { file, size, fps, count_at: 0, frames: 0, next: 0 };
        animation.start()?;
        Ok(animation)
    }

    /// Everything before the first frame.
    fn start(&mut self) -> std::io::Result<()> {
        self.file.write_all(SIGNATURE)?;
        let [width, height] = self.size;
        // 8 bits, RGBA, no interlacing.
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
        self.chunk(b"IHDR", &header)?;
        self.chunk(b"sRGB", &[0])?;
        self.count_at = self.file.stream_position()?;
        self.count()
    }

    /// The chunk with the number of frames; the animation repeats without end.
    fn count(&mut self) -> std::io::Result<()> {
        let data = [self.frames.to_be_bytes(), [0; 4]].concat();
        self.chunk(b"acTL", &data)
    }

    fn chunk(&mut self, kind: &[u8; 4], data: &[u8]) -> std::io::Result<()> {
        let mut crc = Crc::new();
        crc.update(kind);
        crc.update(data);
        self.file.write_all(&(data.len() as u32).to_be_bytes())?;
        self.file.write_all(kind)?;
        self.file.write_all(data)?;
        self.file.write_all(&crc.sum().to_be_bytes())
    }

    /// The place of a frame in the order of chunks.
    fn number(&mut self) -> [u8; 4] {
        self.next += 1;
        (self.next - 1).to_be_bytes()
    }

    fn frame(&mut self, data: &[u8]) -> std::io::Result<()> {
        let [width, height] = self.size.map(u32::to_be_bytes);
        let delay = delay(self.fps).map(u16::to_be_bytes);
        // The whole image, which replaces the one before.
        let number = self.number();
        let control = [&number[..], &width, &height, &[0; 8], &delay[0], &delay[1], &[0, 0]].concat();
        self.chunk(b"fcTL", &control)?;
        match self.frames {
            0 => self.chunk(b"IDAT", data)?,
            _ => {
                let number = self.number();
                self.chunk(b"fdAT", &[&number[..], data].concat())?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        self.chunk(b"IEND", &[])?;
        self.file.seek(SeekFrom::Start(self.count_at))?;
        self.count()?;
        self.file.flush()
    }
}

/// The time of a frame as a fraction of a second.
fn delay(fps: f64) -> [u16; 2] {
    let hundredths = (100.0 * fps).round();
    match hundredths {
        n if (1.0..=65_535.0).contains(&n) => [100, n as u16],
        _ => [1, fps.clamp(1.0, 65_535.0) as u16],
    }
}

impl<W: Write + Seek> Writer for Animation<W> {
    fn push(&mut self, image: &Image) -> Result<(), Fault> {
        if [image.width, image.height] != self.size {
            return Err("it has another size than the first frame of the movie".to_string().into());
        }
        let data = compressed(image).map_err(|error| error.to_string())?;
        Ok(self.frame(&data)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Fault> {
        Ok(self.end()?)
    }
}

/// The compressed pixels of an image.
fn compressed(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::with_capacity(image.rgba.len() / 2);
    let mut encoder = png::Encoder::new(&mut file, image.width, image.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&image.rgba)?;
    writer.finish()?;
    let (mut data, mut rest) = (Vec::with_capacity(file.len()), file.get(SIGNATURE.len()..).unwrap_or_default());
    while let Some(length) = rest.first_chunk().map(|length| u32::from_be_bytes(*length) as usize) {
        if rest.get(4..8) == Some(b"IDAT") {
            data.extend(rest.get(8..8 + length).unwrap_or_default());
        }
        rest = rest.get(length + AROUND..).unwrap_or_default();
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_decoder_finds_all_frames() {
        let image = |shade: u8| Image { width: 5, height: 4, rgba: vec![shade; 80] };
        let path = std::env::temp_dir().join(format!("stagewright-apng-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        let mut copy = file.try_clone().unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut target = Target::images("".into(), 1..=1);
        target.about.fps = 29.97;
        let mut writer = open(&path, file, &image(0), &target).unwrap();
        (0..3u8).for_each(|frame| writer.push(&image(40 * frame)).unwrap());
        assert!(writer.push(&Image { width: 4, height: 4, rgba: vec![0; 64] }).is_err());
        writer.finish().unwrap();
        copy.rewind().unwrap();
        let mut reader = png::Decoder::new(BufReader::new(&mut copy)).read_info().unwrap();
        assert_eq!(
            reader.info().animation_control.map(|control| (control.num_frames, control.num_plays)),
            Some((3, 0))
        );
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        for frame in 0..3u8 {
            reader.next_frame(&mut pixels).unwrap();
            assert!(pixels.iter().all(|byte| *byte == 40 * frame), "frame {frame}");
            let control = reader.info().frame_control.unwrap();
            assert_eq!((control.delay_num, control.delay_den), (100, 2997));
        }
    }
}
