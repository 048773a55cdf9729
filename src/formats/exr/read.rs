//! Reads an OpenEXR image as pixels: one part of scan lines or tiles, with half, float or whole numbers.
//!
//! Source: OpenEXR File Layout, and ImfZip.cpp, ImfRle.cpp and ImfPxr24Compressor.cpp for the order of bytes before compression.

use std::io::Read;

use flate2::read::ZlibDecoder;
use half::f16;

use super::layout::MAGIC;
use super::piz::words;
use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::malformed::FormatName;
use crate::pixels::{Pixels, Samples, Window, check_size};
use crate::warnings::not_finite;
use crate::work::{Phase, Work};

/// Upper bound of how much a byte of the file can expand, by deflate.
const MAX_RATIO: u64 = 1032;
/// Limit of the samples that are held \[bytes\].
const MAX_SAMPLES: usize = 768 << 20;
/// Limit of channels: a movie's frame with all its layers has some hundred.
const MAX_CHANNELS: usize = 1024;
/// Limit of the bytes that are compressed together.
const MAX_BLOCK: usize = 1 << 28;
/// Names of layers that an error lists.
const LISTED: usize = 12;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("EXR");

/// Reads a file.
///
/// # Errors
/// Errors of [`pixels`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    let (pixels, note) = pixels(&file.bytes, file.layer, file.work)?;
    Ok(Content::Image(pixels, note))
}

/// How numbers of a channel are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    U32,
    Half,
    Float,
}

impl Number {
    fn bytes(self) -> usize {
        if self == Number::Half { 2 } else { 4 }
    }

    /// The number at the start of these bytes.
    fn read(self, bytes: &[u8]) -> f32 {
        let word = || bytes.first_chunk().copied().unwrap_or_default();
        match self {
            Number::U32 => u32::from_le_bytes(word()) as f32,
            Number::Float => f32::from_le_bytes(word()),
            Number::Half => f16::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()).to_f32(),
        }
    }
}

struct Channel {
    name: String,
    number: Number,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Rle,
    /// Deflate; so many lines together.
    Zip(usize),
    /// Deflate of floats with 24 bits.
    Pxr24,
    Piz,
}

impl Compression {
    fn new(code: u8) -> Result<Compression, Cause> {
        let other = |name: &'static str| Err(Cause::Compression(name));
        match code {
            0 => Ok(Compression::None),
            1 => Ok(Compression::Rle),
            2 => Ok(Compression::Zip(1)),
            3 => Ok(Compression::Zip(16)),
            4 => Ok(Compression::Piz),
            5 => Ok(Compression::Pxr24),
            6 => other("B44"),
            7 => other("B44A"),
            8 => other("DWAA"),
            9 => other("DWAB"),
            10.. => other("a newer kind of"),
        }
    }

    /// Lines that are compressed together.
    fn lines(self) -> usize {
        match self {
            Compression::None | Compression::Rle => 1,
            Compression::Zip(lines) => lines,
            Compression::Pxr24 => 16,
            Compression::Piz => 32,
        }
    }
}

/// What a file says before its pixels.
struct Header {
    channels: Vec<Channel>,
    compression: Compression,
    /// The pixels that the file holds.
    data: Window,
    /// The pixels that are the image.
    display: Window,
    /// Width and height of a tile, where there are any.
    tile: Option<[usize; 2]>,
}

/// Decodes the colours, or the layer of this name: `NAME.R NAME.G NAME.B NAME.A`, `NAME.X NAME.Y NAME.Z`, or one channel.
/// What is not a finite number becomes 0, which the text says.
///
/// # Errors
/// An invalid or truncated file, detected before memory is allocated for its pixels; too many pixels; several parts, deep
/// pixels, compressions that lose something; a layer that it does not have.
pub(crate) fn pixels(bytes: &[u8], layer: Option<&str>, work: &Work) -> Result<(Pixels, Option<String>), Cause> {
    let mut rest = Cursor::new(NAME, bytes);
    if !rest.begins_with(&MAGIC) {
        return Err(NAME.malformed("it does not begin as one"));
    }
    let flags = rest.u32()?;
    if flags & 0xff != 2 {
        return Err(Cause::Unsupported(format!("version {} of the format", flags & 0xff).into()));
    }
    for (flag, what) in [(0x800, "deep pixels"), (0x1000, "several parts")] {
        if flags & flag != 0 {
            return Err(Cause::Unsupported(what.into()));
        }
    }
    let header = header(&mut rest, flags & 0x200 != 0)?;
    let chosen = choose(&header.channels, layer)?;
    let pixel: usize = header.channels.iter().map(|channel| channel.number.bytes()).sum();
    let (Window { width, height, .. }, display) = (header.data, header.display);
    if (width * height) as u64 * pixel as u64 / MAX_RATIO > bytes.len() as u64 {
        return Err(NAME.malformed(format!("{} bytes can't hold {width} x {height} pixels", bytes.len())));
    }
    let channels = chosen.len();
    let mut image = Image::new(&header, chosen)?;
    let [across, down] = header.tile.unwrap_or([width, header.compression.lines()]);
    let (columns, rows) = (width.div_ceil(across), height.div_ceil(down));
    work.begin(Phase::Decoding, (columns * rows) as u64)?;
    for index in 0..columns * rows {
        let (column, row) = (index % columns, index / columns);
        let block = Window {
            left: header.data.left + (column * across) as i64,
            top: header.data.top + (row * down) as i64,
            width: across.min(width - column * across),
            height: down.min(height - row * down),
        };
        let raw = block_bytes(&mut rest, &header, block, [column, row], pixel)?;
        image.copy(&raw, &header, block);
        work.go_on(1)?;
    }
    let note = not_finite(image.strange, "its numbers");
    let Image { window, samples, .. } = image;
    Ok((Pixels { width: display.width, height: display.height, channels, window, samples }, note))
}

/// The bytes before a zero.
fn word<'a>(rest: &mut Cursor<'a>) -> Result<&'a [u8], Cause> {
    let end = rest.rest().iter().take(256).position(|byte| *byte == 0);
    let word = rest.take(end.ok_or_else(|| NAME.malformed("a name does not end"))?)?;
    rest.take(1)?;
    Ok(word)
}

fn header(rest: &mut Cursor<'_>, tiled: bool) -> Result<Header, Cause> {
    let mut channels = None;
    let mut compression = None;
    let mut data = None;
    let mut display = None;
    let mut tile = None;
    loop {
        let name = word(rest)?;
        if name.is_empty() {
            break;
        }
        let _type = word(rest)?;
        let size = usize::try_from(rest.i32()?).map_err(|_| NAME.malformed("an attribute has a negative size"))?;
        let mut value = rest.part(size)?;
        match name {
            b"channels" => channels = Some(channel_list(&mut value)?),
            b"compression" => compression = Some(Compression::new(value.u8()?)?),
            b"dataWindow" => data = Some(window(&mut value)?),
            b"displayWindow" => display = Some(window(&mut value)?),
            b"tiles" => {
                let sides = [value.i32()?, value.i32()?].map(|side| usize::try_from(side).unwrap_or(0));
                tile = Some(sides);
            }
            _ => {}
        }
    }
    let missing = |what: &str| NAME.malformed(format!("it does not say its {what}"));
    let data: Window = data.ok_or_else(|| missing("data window"))?;
    let tile = match (tiled, tile) {
        (false, _) => None,
        (true, Some([across, down])) if across > 0 && down > 0 => Some([across, down]),
        (true, _) => return Err(missing("size of tiles")),
    };
    Ok(Header {
        channels: channels.ok_or_else(|| missing("channels"))?,
        compression: compression.ok_or_else(|| missing("compression"))?,
        display: display.unwrap_or(data),
        data,
        tile,
    })
}

fn channel_list(value: &mut Cursor<'_>) -> Result<Vec<Channel>, Cause> {
    let mut channels = Vec::new();
    loop {
        let name = word(value)?;
        if name.is_empty() {
            return Ok(channels);
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let stored = match value.i32()? {
            0 => Number::U32,
            1 => Number::Half,
            2 => Number::Float,
            _ => return Err(NAME.malformed(format!("the channel `{name}` has an unknown type"))),
        };
        let _linear = value.i32()?;
        if [value.i32()?, value.i32()?] != [1, 1] {
            return Err(Cause::Unsupported("channels with fewer samples than pixels".into()));
        }
        channels.push(Channel { name, number: stored });
        if channels.len() > MAX_CHANNELS {
            return Err(Cause::Parts("channels", MAX_CHANNELS));
        }
    }
}

fn window(value: &mut Cursor<'_>) -> Result<Window, Cause> {
    let [left, top, right, bottom] = [value.i32()?, value.i32()?, value.i32()?, value.i32()?].map(i64::from);
    let side = |low: i64, high: i64| u32::try_from(high - low + 1).ok().filter(|side| *side > 0);
    let (Some(width), Some(height)) = (side(left, right), side(top, bottom)) else {
        return Err(NAME.malformed("it has no pixels"));
    };
    check_size(width, height)?;
    Ok(Window { left, top, width: width as usize, height: height as usize })
}

/// Positions of the channels that become the image: grey, grey and alpha, three, or three and alpha. Where there are two numbers
/// a pixel, and neither is alpha, the third is `None`.
fn choose(channels: &[Channel], layer: Option<&str>) -> Result<Vec<Option<usize>>, Cause> {
    let named = |name: &str| channels.iter().position(|channel| channel.name == name);
    let within = |prefix: &str, letters: [&str; 4]| -> Option<Vec<Option<usize>>> {
        let found = letters.map(|letter| named(&format!("{prefix}{letter}")));
        match found {
            [Some(_), Some(_), Some(_), None] => Some(found[..3].to_vec()),
            [Some(_), Some(_), Some(_), Some(_)] => Some(found.to_vec()),
            _ => None,
        }
    };
    let of = |prefix: &str| {
        let letter = |letter: &str| named(&format!("{prefix}{letter}"));
        let vector = ["XYZ", "xyz", "UVW", "uvw"].into_iter().find_map(|set| {
            let [x, y, z] = [0, 1, 2].map(|at| letter(&set[at..=at]));
            (x.is_some() && y.is_some()).then(|| vec![x, y, z])
        });
        let grey = ["Y", "V", "y", "v"].into_iter().find_map(letter);
        let alpha = letter("A").or_else(|| letter("a"));
        within(prefix, ["R", "G", "B", "A"])
            .or_else(|| within(prefix, ["r", "g", "b", "a"]))
            .or(vector)
            .or_else(|| grey.map(|grey| std::iter::once(Some(grey)).chain(alpha.map(Some)).collect()))
    };
    let first = || match channels {
        [one] => named(&one.name).map(|one| vec![Some(one)]),
        _ => channels
            .iter()
            .find_map(|channel| of(channel.name.rsplit_once('.').map(|(layer, _)| format!("{layer}."))?.as_str())),
    };
    let found = match layer {
        None => of("").or_else(first),
        Some(layer) => of(&format!("{layer}.")).or_else(|| named(layer).map(|one| vec![Some(one)])),
    };
    found.ok_or_else(|| {
        let mut available: Vec<String> = Vec::new();
        for channel in channels {
            let name = channel.name.rsplit_once('.').map_or(channel.name.as_str(), |(layer, _)| layer);
            let name: String = name.chars().take(40).collect();
            if available.len() < LISTED && !available.contains(&name) {
                available.push(name);
            }
        }
        Cause::Layer { wanted: layer.unwrap_or("R").into(), available: available.join(", ").into() }
    })
}

/// The numbers of a block, line by line and in each line channel by channel.
fn block_bytes<'a>(
    table: &mut Cursor<'a>,
    header: &Header,
    block: Window,
    place: [usize; 2],
    pixel: usize,
) -> Result<std::borrow::Cow<'a, [u8]>, Cause> {
    let offset = usize::try_from(table.u64()?).map_err(|_| NAME.cut_off())?;
    let mut rest = table.at_position(offset)?;
    let as_said = match header.tile {
        // Of the full resolution, which comes first.
        Some(_) => {
            let coordinates = [rest.i32()?, rest.i32()?, rest.i32()?, rest.i32()?].map(i64::from);
            coordinates == [place[0] as i64, place[1] as i64, 0, 0]
        }
        None => i64::from(rest.i32()?) == block.top,
    };
    if !as_said {
        return Err(NAME.malformed("its lines are not where it says"));
    }
    let size = usize::try_from(rest.i32()?).map_err(|_| NAME.malformed("a block has a negative size"))?;
    let packed = rest.take(size)?;
    let raw = block.width.saturating_mul(block.height).saturating_mul(pixel);
    if raw > MAX_BLOCK {
        return Err(Cause::Unsupported("blocks of more than 256 MiB".into()));
    }
    if raw as u64 / MAX_RATIO > size as u64 {
        return Err(NAME.malformed("a block can't hold its pixels"));
    }
    // What compression did not make smaller is stored as it is.
    if size == raw {
        return Ok(packed.into());
    }
    let bytes = match header.compression {
        Compression::None => return Err(NAME.malformed("a block has the wrong size")),
        Compression::Rle => restored(unrolled(packed, raw)?),
        Compression::Zip(_) => restored(inflated(packed, raw)?),
        Compression::Pxr24 => pxr24(packed, &header.channels, block)?,
        Compression::Piz => piz(packed, &header.channels, block)?,
    };
    Ok(bytes.into())
}

fn inflated(packed: &[u8], count: usize) -> Result<Vec<u8>, Cause> {
    let mut bytes = Vec::with_capacity(count);
    let read = ZlibDecoder::new(packed).take(count as u64 + 1).read_to_end(&mut bytes);
    if read.is_ok() && bytes.len() == count { Ok(bytes) } else { Err(NAME.malformed("a block is damaged")) }
}

/// Runs of bytes: a negative count of bytes as they are, or one less than the times that a byte is repeated.
fn unrolled(packed: &[u8], count: usize) -> Result<Vec<u8>, Cause> {
    let damaged = || NAME.malformed("a block is damaged");
    let mut bytes = Vec::with_capacity(count);
    let mut rest = packed;
    while let Some((run, after)) = rest.split_first() {
        let run = i32::from(*run as i8);
        rest = if run < 0 {
            let (literals, after) = after.split_at_checked(run.unsigned_abs() as usize).ok_or_else(damaged)?;
            bytes.extend(literals);
            after
        } else {
            let (byte, after) = after.split_first().ok_or_else(damaged)?;
            bytes.resize(bytes.len() + run as usize + 1, *byte);
            after
        };
        if bytes.len() > count {
            return Err(damaged());
        }
    }
    if bytes.len() == count { Ok(bytes) } else { Err(damaged()) }
}

/// Bytes in their order, from differences between those of even and then of odd places.
fn restored(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut before = None;
    for byte in &mut bytes {
        *byte = before.map_or(*byte, |before: u8| before.wrapping_add(*byte).wrapping_sub(128));
        before = Some(*byte);
    }
    let (even, odd) = bytes.split_at(bytes.len().div_ceil(2));
    let mut out = vec![0; bytes.len()];
    out.iter_mut().step_by(2).zip(even).for_each(|(to, from)| *to = *from);
    out.iter_mut().skip(1).step_by(2).zip(odd).for_each(|(to, from)| *to = *from);
    out
}

/// Differences of numbers, their highest bytes first, each byte apart; floats without their lowest.
fn pxr24(packed: &[u8], channels: &[Channel], block: Window) -> Result<Vec<u8>, Cause> {
    let stored = |number: Number| match number {
        Number::U32 => 4,
        Number::Half => 2,
        Number::Float => 3,
    };
    let line: usize = channels.iter().map(|channel| stored(channel.number) * block.width).sum();
    let bytes = inflated(packed, line * block.height)?;
    let mut rest = bytes.as_slice();
    let mut out = Vec::new();
    for _ in 0..block.height {
        for channel in channels {
            let count = stored(channel.number);
            let (planes, after) = rest.split_at_checked(count * block.width).ok_or_else(|| NAME.cut_off())?;
            rest = after;
            let mut value = 0u32;
            for x in 0..block.width {
                let byte = |plane: usize| u32::from(planes.get(plane * block.width + x).copied().unwrap_or_default());
                let difference = (0..count).fold(0, |sum, plane| sum << 8 | byte(plane));
                value = value.wrapping_add(if count == 3 { difference << 8 } else { difference });
                match channel.number {
                    Number::Half => out.extend((value as u16).to_le_bytes()),
                    _ => out.extend(value.to_le_bytes()),
                }
            }
        }
    }
    Ok(out)
}

/// Lines of all channels, from words channel by channel.
fn piz(packed: &[u8], channels: &[Channel], block: Window) -> Result<Vec<u8>, Cause> {
    let sizes: Vec<_> = channels.iter().map(|one| [block.width, block.height, one.number.bytes() / 2]).collect();
    let words = words(Cursor::new(NAME, packed), &sizes).ok_or_else(|| NAME.malformed("a block is damaged"))?;
    let mut out = Vec::with_capacity(2 * words.len());
    for y in 0..block.height {
        let mut start = 0;
        for [width, height, each] in &sizes {
            let line = words.get(start + y * width * each..).unwrap_or_default().iter().take(width * each);
            out.extend(line.flat_map(|word| word.to_le_bytes()));
            start += width * height * each;
        }
    }
    Ok(out)
}

/// The chosen channels of the pixels that are in the file and in the image.
struct Image {
    chosen: Vec<Option<usize>>,
    /// Relative to the display window.
    window: Window,
    samples: Samples,
    /// How many numbers are not finite.
    strange: usize,
}

impl Image {
    fn new(header: &Header, chosen: Vec<Option<usize>>) -> Result<Image, Cause> {
        let Window { left, top, width, height } = header.data.overlap(header.display);
        let window = Window { left: left - header.display.left, top: top - header.display.top, width, height };
        let mut chosen_channels = chosen.iter().flatten().filter_map(|index| header.channels.get(*index));
        let half = chosen_channels.all(|channel| channel.number == Number::Half);
        let count = width * height * chosen.len();
        let samples = match half {
            true => Samples::Halves(vec![f16::ZERO; count]),
            false if 4 * count > MAX_SAMPLES => {
                let cause = format!("{width} x {height} pixels of {} numbers of 32 bits are too many", chosen.len());
                return Err(Cause::Unfit(cause.into(), "save it with half floats (16 bits), or shrink it"));
            }
            false => Samples::Floats(vec![0.0; count]),
        };
        Ok(Image { chosen, window, samples, strange: 0 })
    }

    /// Copies a block to where it is in the image.
    fn copy(&mut self, raw: &[u8], header: &Header, block: Window) {
        let Window { left, top, width, height } = self.window;
        let (left, top) = (left + header.display.left, top + header.display.top);
        let line: usize = header.channels.iter().map(|channel| channel.number.bytes() * block.width).sum();
        for (at, bytes) in raw.chunks_exact(line.max(1)).enumerate() {
            let Some(y) = usize::try_from(block.top + at as i64 - top).ok().filter(|y| *y < height) else { continue };
            for (position, index) in self.chosen.iter().enumerate() {
                let Some(channel) = index.and_then(|index| header.channels.get(index)) else { continue };
                let before = header.channels.iter().take(index.unwrap_or(0));
                let start: usize = before.map(|channel| channel.number.bytes() * block.width).sum();
                let numbers = bytes.get(start..).unwrap_or_default().chunks_exact(channel.number.bytes());
                for (column, number) in numbers.take(block.width).enumerate() {
                    let x = usize::try_from(block.left + column as i64 - left).ok().filter(|x| *x < width);
                    let Some(place) = x.map(|x| (y * width + x) * self.chosen.len() + position) else { continue };
                    let number = channel.number.read(number);
                    self.strange += usize::from(!number.is_finite());
                    match &mut self.samples {
                        Samples::Halves(data) => set(data, place, f16::from_f32(number)),
                        Samples::Floats(data) => set(data, place, number),
                        Samples::Bytes(_) | Samples::Words(_) => {}
                    }
                }
            }
        }
    }
}

fn set<T>(data: &mut [T], place: usize, number: T) {
    if let Some(to) = data.get_mut(place) {
        *to = number;
    }
}
