//! Writes archives of NumPy arrays, without compression as `numpy.savez` does.

use flate2::Crc;

use super::layout::{END, ENTRY};

/// Largest file without the extension for 64 bits \[bytes\].
const MAX_FILE: usize = u32::MAX as usize;

/// An archive of uncompressed files.
#[derive(Default)]
pub struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Zip {
    /// Adds a file with an array.
    ///
    /// # Errors
    /// More than 4 GiB or 65535 arrays.
    pub fn add(&mut self, name: &str, data: &[u8]) -> Result<(), String> {
        let name = format!("{name}.npy");
        if self.bytes.len() + data.len() + self.directory.len() > MAX_FILE {
            return Err("NPZ files hold at most 4 GiB; write each wire as npy".into());
        }
        let mut crc = Crc::new();
        crc.update(data);
        // Version 2.0, names in UTF-8, stored, midnight of the 1st January 1980: files of equal values are equal.
        let mut head = Vec::new();
        for part in [20u16, 1 << 11, 0, 0, 1 << 5 | 1] {
            head.extend(part.to_le_bytes());
        }
        for part in [crc.sum(), data.len() as u32, data.len() as u32] {
            head.extend(part.to_le_bytes());
        }
        head.extend((name.len() as u16).to_le_bytes());
        head.extend(0u16.to_le_bytes());
        self.directory.extend(ENTRY);
        self.directory.extend(b"\x14\x00");
        self.directory.extend(&head);
        // No comment, disk 0, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend((self.bytes.len() as u32).to_le_bytes());
        self.directory.extend(name.bytes());
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(head);
        self.bytes.extend(name.bytes());
        self.bytes.extend(data);
        self.count = self.count.checked_add(1).ok_or("NPZ files hold at most 65535 arrays")?;
        Ok(())
    }

    /// The bytes of the archive.
    pub fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u32;
        self.bytes.extend(&self.directory);
        self.bytes.extend(END);
        self.bytes.extend([0; 4]);
        for count in [self.count, self.count] {
            self.bytes.extend(count.to_le_bytes());
        }
        self.bytes.extend((self.directory.len() as u32).to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend(0u16.to_le_bytes());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = |shape: &[usize], values: &[f32]| {
            let data = values.iter().flat_map(|value| value.to_le_bytes());
            crate::npy::write::numbers(shape, crate::points::Type::F32, data, 4 * values.len())
        };
        let mut zip = Zip::default();
        zip.add("mass", &numbers(&[2], &[7.0, 8.0])).unwrap();
        zip.add("position", &numbers(&[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])).unwrap();
        let found = crate::npz::read::points(&zip.finish(), None, &Default::default()).unwrap();
        let names: Vec<&str> = found.properties.iter().map(|property| property.name.as_str()).collect();
        assert_eq!((found.count, names), (2, vec!["x", "y", "z", "mass"]));
    }

    #[test]
    fn the_directory_tells_where_files_are_and_only_whole_archives_count() {
        let mut zip = Zip::default();
        zip.add("a", b"first").unwrap();
        zip.add("b.c", b"second one").unwrap();
        let bytes = zip.finish();
        let at = bytes.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
        let offset = u32::from_le_bytes(bytes[at + 42..at + 46].try_into().unwrap()) as usize;
        assert_eq!(&bytes[at + 46..at + 53], b"b.c.npy");
        assert_eq!(&bytes[offset..offset + 4], b"PK\x03\x04");
        assert_eq!(&bytes[offset + 30..offset + 47], b"b.c.npysecond one");
        // CRC-32 of "first", by another program.
        assert_eq!(u32::from_le_bytes(bytes[14..18].try_into().unwrap()), 0x9271_ee57);
    }
}
