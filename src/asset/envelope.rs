//! Numbers over time from files: how loud a sound is in each frame (WAV), and how the points of a sound or a [table](super::table)
//! become a number for each frame.

use super::error::{Cause, Text};

/// Limit of frames.
pub(super) const MAX_FRAMES: usize = 1_000_000;
/// Largest rate of a sound \[samples/s\], and largest number of its channels.
const MAX_RATE: u32 = 1_000_000;
const MAX_CHANNELS: u16 = 256;

/// What a frame of a sound gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loudness {
    /// The root of the mean square of its samples.
    #[default]
    Rms,
    /// The largest sample.
    Peak,
}

fn sound(message: impl Into<Text>) -> Cause {
    Cause::broken("WAV", message)
}

/// How loud a WAV file is in each frame, from 0 to 1; the first frame is 0. All its channels count.
///
/// # Errors
/// An invalid or truncated file, a sound of other numbers than PCM or floats, more than a million frames.
pub fn of_sound(bytes: &[u8], fps: f64, loudness: Loudness) -> Result<Vec<(f64, f64)>, Cause> {
    let (Some(b"RIFF" | b"RF64"), Some(b"WAVE")) = (bytes.get(..4), bytes.get(8..12)) else {
        return Err(other_kind(bytes).unwrap_or_else(|| sound("it does not begin as one")));
    };
    let mut rest = bytes.get(12..).unwrap_or_default();
    let (mut format, mut long) = (None, None);
    loop {
        let (head, after) = rest.split_first_chunk::<8>().ok_or_else(|| sound("it is cut off"))?;
        let [.., a, b, c, d] = *head;
        let size = u32::from_le_bytes([a, b, c, d]) as usize;
        match (head.get(..4), format) {
            (Some(b"fmt "), _) => {
                format = Some(Format::read(after.get(..size).ok_or_else(|| sound("it is cut off"))?)?)
            }
            // The size of the data of a file that may be longer than 4 GiB (EBU Tech 3306).
            (Some(b"ds64"), _) => {
                long = after.get(8..).and_then(|size| size.first_chunk()).map(|size| u64::from_le_bytes(*size))
            }
            (Some(b"data"), Some(format)) => {
                // A sound that was written to a pipe does not say how long it is.
                let long = long.and_then(|size| after.get(..usize::try_from(size).ok()?));
                let data = if size >= 0xffff_f000 { long.or(Some(after)) } else { after.get(..size) };
                return format.frames(data.ok_or_else(|| sound("it is cut off"))?, fps, loudness);
            }
            (Some(b"data"), None) => return Err(sound("it does not say how its samples are stored")),
            _ => {}
        }
        // Chunks begin at even places.
        rest = after.get(size.saturating_add(size % 2)..).ok_or_else(|| sound("it is cut off"))?;
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
    fn read(chunk: &[u8]) -> Result<Format, Cause> {
        let short = |at: usize| chunk.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
        let missing = || sound("it is cut off");
        let rate = chunk.get(4..).and_then(|bytes| bytes.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
        let (tag, channels, bits) = (short(0), short(2).ok_or_else(missing)?, short(14).ok_or_else(missing)?);
        let rate = rate.ok_or_else(missing)?;
        // An extensible format says its kind further on.
        let tag = if tag == Some(0xfffe) { short(24) } else { tag };
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
            return Err(sound(format!("it has {channels} channels of {rate} samples a second")));
        }
        Ok(Format { float, channels, rate, bits })
    }

    /// From -1 to 1.
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
            return Err(sound("it has no samples"));
        }
        let a_frame = f64::from(self.rate) / fps;
        if samples as f64 / a_frame > MAX_FRAMES as f64 {
            return Err(Cause::Parts("frames", MAX_FRAMES));
        }
        let start = |frame: usize| ((frame as f64 * a_frame).round() as usize).min(samples);
        let mut frames = Vec::new();
        let mut frame = 0;
        while start(frame) < samples {
            let own = data.get(start(frame) * each..start(frame + 1) * each).unwrap_or_default();
            let (mut square, mut peak, mut count) = (0.0, 0.0f64, 0usize);
            for bytes in own.chunks_exact(width) {
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

/// Whether a number is one of 32 bits too.
pub(super) fn usable(number: &f64) -> bool {
    (*number as f32).is_finite()
}

/// How a file becomes a number for each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Frames per second of the graph.
    pub fps: f64,
    /// What a frame of a sound gets.
    pub loudness: Loudness,
    /// The time in which the number comes near a higher value, all but 1/e of the way \[s\]; 0 follows at once.
    pub attack: f64,
    /// The same for a lower value \[s\].
    pub release: f64,
}

impl Timing {
    /// The values at whole frames: straight lines between points of frame and value, the first one before them, and the last
    /// one in the frame that it lies in. Then they rise and fall as slowly as is wanted.
    ///
    /// # Errors
    /// More than a million frames.
    pub(super) fn frames(&self, points: &[(f64, f64)]) -> Result<Vec<f32>, Cause> {
        let last = points.last().map_or(0.0, |(at, _)| at.max(0.0));
        if last.is_nan() || last >= MAX_FRAMES as f64 {
            return Err(Cause::Parts("frames", MAX_FRAMES));
        }
        let mut next = 0;
        let straight = (0..=last as u64).map(|frame| {
            let frame = frame as f64;
            while points.get(next).is_some_and(|(at, _)| *at <= frame) {
                next += 1;
            }
            match (next.checked_sub(1).and_then(|before| points.get(before)), points.get(next)) {
                (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (frame - x0) / (x1 - x0),
                (Some((_, only)), None) | (None, Some((_, only))) => *only,
                (None, None) => 0.0,
            }
        });
        let part = |time: f64| if time > 0.0 { 1.0 - (-1.0 / (time * self.fps)).exp() } else { 1.0 };
        let (rise, fall) = (part(self.attack), part(self.release));
        let mut followed = None;
        let follow = |value: f64| {
            let before = followed.unwrap_or(value);
            let now = before + (value - before) * if value > before { rise } else { fall };
            followed = Some(now);
            now as f32
        };
        Ok(straight.map(follow).collect())
    }
}

/// The fewest points that straight lines between them need to be nowhere farther than `tolerance` from the given ones
/// (Ramer 1972, Douglas and Peucker 1973, with distances along the values alone).
pub fn simplified(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    let mut kept = vec![false; points.len()];
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let (Some((x0, y0)), Some((x1, y1))) = (points.get(from), points.get(to)) else { continue };
        kept[from] = true;
        kept[to] = true;
        let apart = |(x, y): &(f64, f64)| (y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))).abs();
        let between = points.iter().enumerate().take(to).skip(from + 1);
        let farthest = between.map(|(index, point)| (index, apart(point))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((index, distance)) = farthest
            && distance > tolerance
        {
            open.extend([(from, index), (index, to)]);
        }
    }
    points.iter().zip(kept).filter_map(|(point, kept)| kept.then_some(*point)).collect()
}
