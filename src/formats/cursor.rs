//! Bounds-checked reading of binary files.

use super::error::Cause;
use super::malformed::FormatName;

/// A position in the bytes of a file. Reading beyond the last byte is the error that the file is cut off.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    format: FormatName,
    bytes: &'a [u8],
    position: usize,
    big_endian: bool,
}

macro_rules! numbers {
    ($($ty:ident)*) => {$(
        #[doc = concat!("Reads a `", stringify!($ty), "` in the byte order of the file.")]
        ///
        /// # Errors
        /// The file is cut off.
        pub fn $ty(&mut self) -> Result<$ty, Cause> {
            let bytes = self.array()?;
            Ok(if self.big_endian { $ty::from_be_bytes(bytes) } else { $ty::from_le_bytes(bytes) })
        }
    )*};
}

impl<'a> Cursor<'a> {
    /// The start of a file whose numbers have their lowest byte first.
    pub fn new(format: FormatName, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { format, bytes, position: 0, big_endian: false }
    }

    /// The cursor for a file whose numbers have their highest byte first.
    pub fn big_endian(self) -> Cursor<'a> {
        Cursor { big_endian: true, ..self }
    }

    /// Another position in the same bytes.
    ///
    /// # Errors
    /// A position beyond the end: the file is cut off.
    pub fn at_position(self, position: usize) -> Result<Cursor<'a>, Cause> {
        if position > self.bytes.len() { Err(self.format.cut_off()) } else { Ok(Cursor { position, ..self }) }
    }

    /// How many bytes come before.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The bytes that follow.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Reads this many bytes.
    ///
    /// # Errors
    /// The file is cut off.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Cause> {
        let bytes = self.rest().get(..count).ok_or_else(|| self.format.cut_off())?;
        self.position += count;
        Ok(bytes)
    }

    /// Reads this many bytes as a file of their own.
    ///
    /// # Errors
    /// The file is cut off.
    pub fn part(&mut self, count: usize) -> Result<Cursor<'a>, Cause> {
        Ok(Cursor { bytes: self.take(count)?, position: 0, ..*self })
    }

    /// Reads as many bytes as the array has.
    ///
    /// # Errors
    /// The file is cut off.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Cause> {
        let bytes = self.rest().first_chunk().ok_or_else(|| self.format.cut_off())?;
        self.position += N;
        Ok(*bytes)
    }

    /// Reads bytes that must be these; says whether they are, and stays in front of other ones.
    pub fn begins_with(&mut self, bytes: &[u8]) -> bool {
        let begins = self.rest().starts_with(bytes);
        self.position += if begins { bytes.len() } else { 0 };
        begins
    }

    numbers!(u8 u16 u32 u64 i32 i64 f32 f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: FormatName = FormatName("TEST");

    #[test]
    fn numbers_are_read_in_both_orders() {
        let bytes = [1, 2, 3, 4, 0, 0, 128, 63];
        let mut cursor = Cursor::new(NAME, &bytes);
        assert_eq!((cursor.u16(), cursor.u8(), cursor.position()), (Ok(0x201), Ok(3), 3));
        assert_eq!(cursor.at_position(4).unwrap().f32(), Ok(1.0));
        assert_eq!(cursor.at_position(0).unwrap().big_endian().u32(), Ok(0x0102_0304));
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let mut cursor = Cursor::new(NAME, &[1, 2, 3]);
        assert_eq!(cursor.u32().unwrap_err().to_string(), "it is not a valid TEST file: it is cut off");
        assert_eq!(cursor.take(usize::MAX).unwrap_err(), NAME.cut_off());
        assert_eq!((cursor.at_position(3).is_ok(), cursor.at_position(4).is_ok(), cursor.position()), (true, false, 0));
        assert!(cursor.begins_with(&[1, 2]) && !cursor.begins_with(&[2]));
        let mut part = cursor.part(1).unwrap();
        assert_eq!((part.u8(), part.u8().is_err(), cursor.rest()), (Ok(3), true, [].as_slice()));
    }
}
