//! Pieces of binary files.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Longest text that is read \[bytes\].
const MAX_TEXT: u32 = 1 << 16;

/// Appends the length of a text and the text.
pub(super) fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.bytes());
}

/// Reads a file forward; everything gives `None` at its end.
pub(super) struct Reader<'f>(BufReader<&'f mut File>);

impl<'f> Reader<'f> {
    pub(super) fn new(file: &'f mut File) -> Reader<'f> {
        Reader(BufReader::new(file))
    }

    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// A text after its length.
    pub(super) fn string(&mut self) -> Option<String> {
        let length = u32::from_le_bytes(self.take()?);
        if length > MAX_TEXT {
            return None;
        }
        let mut bytes = vec![0; length as usize];
        self.0.read_exact(&mut bytes).ok()?;
        String::from_utf8(bytes).ok()
    }

    pub(super) fn skip(&mut self, bytes: u64) -> Option<()> {
        self.0.seek_relative(i64::try_from(bytes).ok()?).ok()
    }

    pub(super) fn seek(&mut self, at: u64) -> Option<()> {
        self.0.seek(SeekFrom::Start(at)).ok().map(drop)
    }
}
