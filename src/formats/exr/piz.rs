//! PIZ, a compression of EXR files without loss: a Haar wavelet of 16 bits whose numbers are counted through and Huffman coded.
//! Source: ImfPizCompressor.cpp, ImfWav.cpp and ImfHuf.cpp of OpenEXR.

use crate::cursor::Cursor;

/// Numbers that a code can stand for: 16 bits, and one that repeats the number before.
const SYMBOLS: usize = (1 << 16) + 1;
/// Longest code \[bits\].
const MAX_LENGTH: usize = 58;
/// Lengths from here on are runs of symbols without a code.
const SHORT_RUN: u64 = 59;
const LONG_RUN: u64 = 63;

/// The words of a block, channel by channel. `channels` has the width and the height of each, and its words a number.
/// `None` where the block is damaged.
pub(crate) fn words(mut packed: Cursor<'_>, channels: &[[usize; 3]]) -> Option<Vec<u16>> {
    let [low, high] = [packed.u16().ok()?, packed.u16().ok()?].map(usize::from);
    let mut present = vec![0u8; 1 << 13];
    if low <= high {
        let bitmap = packed.take(high - low + 1).ok()?;
        present.get_mut(low..=high)?.copy_from_slice(bitmap);
    }
    let is_present =
        |word: &u32| *word == 0 || present.get((word >> 3) as usize).is_some_and(|b| b >> (word & 7) & 1 == 1);
    let table: Vec<u16> = (0..1u32 << 16).filter(is_present).map(|word| word as u16).collect();
    let size = packed.u32().ok()? as usize;
    let coded = packed.part(size).ok()?;
    let count = channels.iter().map(|[width, height, words]| width * height * words).sum();
    let mut words = decoded(coded, count)?;
    let mut plane = words.as_mut_slice();
    for [width, height, each] in channels {
        let (samples, others) = plane.split_at_mut_checked(width * height * each)?;
        for first in 0..*each {
            unravel(samples, first, [*width, *height], [*each, each * width], table.len() <= 1 << 14);
        }
        plane = others;
    }
    for word in &mut words {
        *word = table.get(usize::from(*word)).copied().unwrap_or_default();
    }
    Some(words)
}

/// Bits, the highest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn next(&mut self) -> Option<u64> {
        let bit = self.bytes.get(self.at / 8)? >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(bit.into())
    }

    fn take(&mut self, count: usize) -> Option<u64> {
        (0..count).try_fold(0, |sum, _| Some(sum << 1 | self.next()?))
    }
}

/// Symbols by their codes. Codes of a length follow each other, and those of a longer one are smaller.
struct Codes {
    symbols: Vec<u32>,
    /// The first code of each length, how many there are, and where their symbols begin.
    lengths: [[u64; 3]; MAX_LENGTH + 1],
}

impl Codes {
    /// Codes from the length of each symbol's code.
    fn new(of: &[u8]) -> Option<Codes> {
        let mut lengths = [[0u64; 3]; MAX_LENGTH + 1];
        for length in of {
            lengths.get_mut(usize::from(*length))?[1] += 1;
        }
        let mut code = 0;
        for [first, count, _] in lengths.iter_mut().skip(1).rev() {
            *first = code;
            code = (code + *count) >> 1;
        }
        let mut begin = 0;
        for [_, count, start] in lengths.iter_mut().skip(1) {
            *start = begin;
            begin += *count;
        }
        let mut next = lengths.map(|[.., start]| start as usize);
        let mut symbols = vec![0; begin as usize];
        for (symbol, length) in of.iter().enumerate().filter(|(_, length)| **length > 0) {
            let place = next.get_mut(usize::from(*length))?;
            *symbols.get_mut(*place)? = symbol as u32;
            *place += 1;
        }
        Some(Codes { symbols, lengths })
    }

    fn symbol(&self, bits: &mut Bits) -> Option<u32> {
        let mut code = 0;
        for [first, count, start] in self.lengths.iter().skip(1) {
            code = code << 1 | bits.next()?;
            if let Some(index) = code.checked_sub(*first).filter(|index| index < count) {
                return self.symbols.get((start + index) as usize).copied();
            }
        }
        None
    }
}

fn decoded(mut coded: Cursor<'_>, count: usize) -> Option<Vec<u16>> {
    // The first and the last symbol, the size of the table, bits of data, nothing.
    let mut field = || coded.u32().ok().map(|field| field as usize);
    let [low, high, _, length, _] = [field()?, field()?, field()?, field()?, field()?];
    let rest = coded.rest();
    if low > high || high >= SYMBOLS {
        return None;
    }
    let mut lengths = vec![0u8; SYMBOLS];
    let mut bits = Bits { bytes: rest, at: 0 };
    let mut symbol = low;
    while symbol <= high {
        match bits.take(6)? {
            LONG_RUN => symbol += bits.take(8)? as usize + 6,
            run @ SHORT_RUN.. => symbol += (run - SHORT_RUN) as usize + 2,
            length => {
                *lengths.get_mut(symbol)? = length as u8;
                symbol += 1;
            }
        }
    }
    let codes = Codes::new(&lengths)?;
    let data = rest.get(bits.at.div_ceil(8)..)?;
    let mut bits = Bits { bytes: data, at: 0 };
    if length > 8 * data.len() {
        return None;
    }
    let mut words: Vec<u16> = Vec::with_capacity(count);
    while bits.at < length {
        let symbol = codes.symbol(&mut bits)?;
        if symbol as usize == high {
            let (times, last) = (bits.take(8)? as usize, *words.last()?);
            words.resize(words.len() + times, last);
        } else {
            words.push(u16::try_from(symbol).ok()?);
        }
        if words.len() > count {
            return None;
        }
    }
    (words.len() == count).then_some(words)
}

/// Restores a plane from its wavelet. `first` is its first word, `step` the words from one column and from one row to the next.
/// `narrow` tells that its numbers have 14 bits.
fn unravel(words: &mut [u16], first: usize, [width, height]: [usize; 2], [column, row]: [usize; 2], narrow: bool) {
    let mut pair = |low: usize, high: usize| {
        let (Some(l), Some(h)) = (words.get(low).copied(), words.get(high).copied()) else { return };
        let (a, b) = if narrow {
            let (l, h) = (i32::from(l as i16), i32::from(h as i16));
            let a = l + (h & 1) + (h >> 1);
            (a as u16, (a - h) as u16)
        } else {
            let b = l.wrapping_sub(h >> 1);
            (h.wrapping_add(b).wrapping_sub(1 << 15), b)
        };
        if let Some(place) = words.get_mut(low) {
            *place = a;
        }
        if let Some(place) = words.get_mut(high) {
            *place = b;
        }
    };
    let at = |x: usize, y: usize| first + x * column + y * row;
    let mut twice = 1;
    while 2 * twice <= width.min(height) {
        twice *= 2;
    }
    while twice > 1 {
        let once = twice / 2;
        let (across, down) = (width / twice * twice, height / twice * twice);
        for y in (0..down).step_by(twice) {
            for x in (0..across).step_by(twice) {
                pair(at(x, y), at(x, y + once));
                pair(at(x + once, y), at(x + once, y + once));
                pair(at(x, y), at(x + once, y));
                pair(at(x, y + once), at(x + once, y + once));
            }
            if width & once != 0 {
                pair(at(across, y), at(across, y + once));
            }
        }
        if height & once != 0 {
            for x in (0..across).step_by(twice) {
                pair(at(x, down), at(x + once, down));
            }
        }
        twice = once;
    }
}
