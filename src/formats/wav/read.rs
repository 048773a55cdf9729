//! How loud a sound is in each frame (WAV).

use crate::content::{Content, Loudness, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::limits::MAX_TRACK;
use crate::malformed::FormatName;
use crate::numbers::usable;

/// Largest rate of a sound \[samples/s\], and largest number of its channels.
const MAX_RATE: u32 = 1_000_000;
const MAX_CHANNELS: u16 = 256;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("WAV");

/// Reads a file.
///
/// # Errors
/// Errors of [`of_sound`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    of_sound(&file.bytes, file.fps, file.loudness).map(Content::Track)
}

/// How loud a WAV file is in each frame, from 0 to 1; the first frame is 0. All its channels count.
///
/// # Errors
/// An invalid or truncated file, a sound of other numbers than PCM or floats, more than a million frames.
fn of_sound(bytes: &[u8], fps: f64, loudness: Loudness) -> Result<Vec<(f64, f64)>, Cause> {
    let (Some(b"RIFF" | b"RF64"), Some(b"WAVE")) = (bytes.get(..4), bytes.get(8..12)) else {
        return Err(other_kind(bytes).unwrap_or_else(|| NAME.malformed("it does not begin as one")));
    };
    let mut rest = Cursor::new(NAME, bytes).at_position(12)?;
    let (mut format, mut long) = (None, None);
    loop {
        let (id, size) = (rest.array()?, rest.u32()? as usize);
        let mut chunk = rest;
        match (&id, format) {
            (b"fmt ", _) => format = Some(Format::read(chunk.part(size)?)?),
            // The size of the data of a file that may be longer than 4 GiB (EBU Tech 3306).
            (b"ds64", _) => long = chunk.take(8).and_then(|_| chunk.u64()).ok(),
            (b"data", Some(format)) => {
                // A sound that was written to a pipe does not say how long it is.
                let long = long.and_then(|size| chunk.rest().get(..usize::try_from(size).ok()?));
                let data = match size >= 0xffff_f000 {
                    true => long.unwrap_or(chunk.rest()),
                    false => chunk.take(size)?,
                };
                return format.frames(data, fps, loudness);
            }
            (b"data", None) => return Err(NAME.malformed("it does not say how its samples are stored")),
            _ => {}
        }
        // Chunks begin at even places.
        rest.take(size.saturating_add(size % 2))?;
    }
}

/// The refusal of a file that is another kind of sound, whatever its name.
fn other_kind(bytes: &[u8]) -> Option<Cause> {
    let kinds: [(&[u8], &str); 6] = [
        (b"fLaC", "a FLAC"),
        (b"OggS", "an Ogg"),
        (b"ID3", "an MP3"),
        (b"\xff\xfb", "an MP3"),
        (b"FORM", "an AIFF"),
        (b"RIFX", "a big-endian WAV"),
    ];
    let (_, kind) = kinds.iter().find(|(begin, _)| bytes.starts_with(begin))?;
    Some(Cause::Unfit(format!("it is {kind} file by its contents").into(), "convert it to WAV"))
}

/// The names of codings that WAV files may hold.
fn coding(tag: u16) -> String {
    match tag {
        2 | 0x11 => "ADPCM".into(),
        6 => "A-law".into(),
        7 => "u-law".into(),
        0x31 => "GSM".into(),
        0x55 => "MP3".into(),
        tag => format!("the coding {tag:#x}"),
    }
}

/// How samples are stored.
#[derive(Clone, Copy)]
struct Format {
    float: bool,
    channels: u16,
    rate: u32,
    bits: u16,
}

impl Format {
    fn read(chunk: Cursor<'_>) -> Result<Format, Cause> {
        let short = |at: usize| chunk.at_position(at)?.u16();
        let channels = short(2)?;
        let bits = short(14)?;
        let rate = chunk.at_position(4)?.u32()?;
        // An extensible format says its kind further on.
        let tag = if short(0)? == 0xfffe { short(24).ok() } else { short(0).ok() };
        let float = match (tag, bits) {
            (Some(1), 8 | 16 | 24 | 32) => false,
            (Some(3), 32 | 64) => true,
            (Some(1 | 3), bits) => {
                let cause = format!("its samples have {bits} bits");
                return Err(Cause::Unfit(cause.into(), "save it with 16, 24 or 32 bits"));
            }
            (tag, _) => {
                let cause = format!("its sound is stored as {}", coding(tag.unwrap_or_default()));
                return Err(Cause::Unfit(cause.into(), "save it as PCM, which WAV files usually hold"));
            }
        };
        if !(1..=MAX_CHANNELS).contains(&channels) || !(1..=MAX_RATE).contains(&rate) {
            return Err(NAME.malformed(format!("it has {channels} channels of {rate} samples a second")));
        }
        Ok(Format { float, channels, rate, bits })
    }

    /// A sample from -1 to 1.
    fn sample(self, bytes: &[u8]) -> f64 {
        let mut word = [0u8; 8];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let [a, b, c, d, ..] = word;
        match (self.float, self.bits) {
            (true, 32) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (true, _) => f64::from_le_bytes(word),
            (_, 8) => (f64::from(a) - 128.0) / 128.0,
            (_, 16) => f64::from(i16::from_le_bytes([a, b])) / 32_768.0,
            (_, 24) => f64::from(i32::from_le_bytes([0, a, b, c])) / 2_147_483_648.0,
            _ => f64::from(i32::from_le_bytes([a, b, c, d])) / 2_147_483_648.0,
        }
    }

    fn frames(self, data: &[u8], fps: f64, loudness: Loudness) -> Result<Vec<(f64, f64)>, Cause> {
        let width = usize::from(self.bits / 8);
        let each = width * usize::from(self.channels);
        let samples = data.len() / each;
        if samples == 0 {
            return Err(NAME.malformed("it has no samples"));
        }
        let a_frame = f64::from(self.rate) / fps;
        if samples as f64 / a_frame > MAX_TRACK as f64 {
            return Err(Cause::Parts("frames", MAX_TRACK));
        }
        let start = |frame: usize| ((frame as f64 * a_frame).round() as usize).min(samples);
        let mut frames = Vec::new();
        let mut frame = 0;
        while start(frame) < samples {
            let frame_bytes = data.get(start(frame) * each..start(frame + 1) * each).unwrap_or_default();
            let mut square = 0.0;
            let mut peak = 0.0f64;
            let mut count = 0usize;
            for bytes in frame_bytes.chunks_exact(width) {
                let sample = self.sample(bytes);
                let sample = if usable(&sample) { sample } else { 0.0 };
                square += sample * sample;
                peak = peak.max(sample.abs());
                count += 1;
            }
            let value = match loudness {
                Loudness::Rms => (square / count.max(1) as f64).sqrt(),
                Loudness::Peak => peak,
            };
            frames.push((frame as f64, value));
            frame += 1;
        }
        Ok(frames)
    }
}
