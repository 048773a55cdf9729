//! Unpacks Blosc, the compression that OpenVDB uses where it can, with LZ4 inside.
//! Format: README_CHUNK_FORMAT of c-blosc 1, and LZ4's block format.

use crate::cursor::Cursor;

/// Bytes of the head of a chunk.
const HEAD: usize = 16;
/// Blocks of more elements than this are divided into one stream for each byte of an element.
const DIVIDED: usize = 128;

/// The bytes of a chunk; `None` where it is damaged, has another size, or another method inside.
pub(super) fn unpacked(chunk: Cursor<'_>, size: usize) -> Option<Vec<u8>> {
    let number = |at: usize| chunk.at_position(at).ok()?.u32().ok().map(|number| number as usize);
    let [_, _, flags, width] = chunk.at_position(0).ok()?.array().ok()?;
    let width = usize::from(width);
    let (all, block) = (number(4)?, number(8)?);
    if all != size || width == 0 {
        return None;
    }
    if flags & 2 != 0 {
        // It was not made smaller.
        return chunk.at_position(HEAD).ok()?.take(size).ok().map(<[u8]>::to_vec);
    }
    let (bits_shuffled, codec) = (flags & 4 != 0, flags >> 5);
    if bits_shuffled || codec != 1 || block == 0 {
        return None;
    }
    let mut out = Vec::with_capacity(size);
    for index in 0..size.div_ceil(block) {
        let count = block.min(size - index * block);
        let whole = count == block;
        let divided = flags & 0x10 == 0 && width <= 16 && block / width >= DIVIDED && whole;
        let streams = if divided { width } else { 1 };
        let mut at = number(HEAD + 4 * index)?;
        let mut bytes = Vec::with_capacity(count);
        for _ in 0..streams {
            let (packed, count) = (number(at)?, count / streams);
            let stream = chunk.at_position(at + 4).ok()?.take(packed).ok()?;
            at += 4 + packed;
            if packed == count { bytes.extend(stream) } else { lz4(stream, count, &mut bytes)? }
        }
        let shuffled = flags & 1 != 0 && width > 1;
        if shuffled { out.extend(ordered(&bytes, width)) } else { out.extend(bytes) }
    }
    (out.len() == size).then_some(out)
}

/// Elements from their first bytes, their second bytes and so on.
fn ordered(bytes: &[u8], width: usize) -> impl Iterator<Item = u8> {
    let count = bytes.len() / width;
    let byte = move |index: usize| match index / width {
        element if element < count => bytes.get(index % width * count + element),
        // What is no whole element is at the end.
        _ => bytes.get(index),
    };
    (0..bytes.len()).map(move |index| byte(index).copied().unwrap_or_default())
}

/// Appends `count` bytes.
fn lz4(packed: &[u8], count: usize, out: &mut Vec<u8>) -> Option<()> {
    let (begin, mut rest) = (out.len(), packed);
    let end = begin + count;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        let literals = length(usize::from(token >> 4), &mut rest)?;
        let (literal_bytes, after) = rest.split_at_checked(literals)?;
        if out.len() + literals > end {
            return None;
        }
        out.extend(literal_bytes);
        rest = after;
        // The last literals are followed by nothing.
        let Some((distance, after)) = rest.split_first_chunk() else { break };
        rest = after;
        let distance = usize::from(u16::from_le_bytes(*distance));
        let copied = length(usize::from(token & 15), &mut rest)? + 4;
        let from = out.len().checked_sub(distance).filter(|from| distance > 0 && *from >= begin)?;
        if out.len() + copied > end {
            return None;
        }
        // What is copied may be what was just written.
        for at in from..from + copied {
            out.push(out.get(at).copied()?);
        }
    }
    (out.len() == end).then_some(())
}

/// A length of four bits; 15 is continued in bytes up to one that is not 255.
fn length(short: usize, rest: &mut &[u8]) -> Option<usize> {
    let mut length = short;
    let mut continued = short == 15;
    while continued {
        let (more, after) = rest.split_first()?;
        *rest = after;
        length += usize::from(*more);
        continued = *more == 255;
    }
    Some(length)
}
