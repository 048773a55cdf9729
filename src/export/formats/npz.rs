//! NumPy arrays, several a file: a zip archive without compression, as `numpy.savez` writes.

use flate2::Crc;

use super::npy::{array, numbers, shape};
use crate::sequence::{Encoding, Sequence};
use crate::sink::{Format, Frame, Kind, Target};
use crate::value::Value;

pub(crate) const FORMAT: Format = Format {
    name: "npz",
    title: "NPZ",
    about: "NumPy arrays of grids, of the attributes of particles, and of numbers, with frame, time and cell sizes",
    takes: &[Kind::Grid2, Kind::Grid3, Kind::Particles, Kind::Number],
    joins: true,
    beside: &[],
    single: false,
    bytes_per_pixel: 16.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "npz", encode, half: false, index: None };

/// Largest file without the extension for 64 bits \[bytes\].
const MAX_FILE: usize = u32::MAX as usize;

fn encode(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let mut zip = Zip::default();
    let floats = |shape: &[usize], values: &[f64]| {
        numbers(shape, "<f8", values.iter().flat_map(|value| value.to_le_bytes()), 8 * values.len())
    };
    zip.add("frame", &numbers(&[], "<i8", frame.index.to_le_bytes().into_iter(), 8))?;
    zip.add("time", &floats(&[], &[frame.time]))?;
    zip.add("fps", &floats(&[], &[target.about.fps]))?;
    for layer in frame.layers()? {
        let name = &layer.name;
        match layer.value() {
            Value::Grid(grid) => {
                zip.add(name, &array(&shape(&grid), grid.scalar, &grid.words))?;
                let edges = grid.edges.get(..grid.dim as usize).unwrap_or(&grid.edges);
                zip.add(&format!("{name}.cell_size"), &floats(&[edges.len()], edges))?;
            }
            Value::Particles(particles) => {
                // The attributes of one set have their own names.
                let alone = frame.layers()?.len() == 1;
                for attribute in &particles.attributes {
                    let components = (attribute.components > 1).then_some(attribute.components);
                    let shape: Vec<usize> = std::iter::once(particles.count).chain(components).collect();
                    let data = array(&shape, attribute.scalar, &attribute.words);
                    let own = &attribute.name;
                    zip.add(&if alone { own.clone() } else { format!("{name}.{own}") }, &data)?;
                }
            }
            Value::Number(values) => {
                let shape = if values.len() == 1 { Vec::new() } else { vec![values.len()] };
                zip.add(name, &floats(&shape, &values))?;
            }
            Value::Picture(_) => return Err("NPZ files hold no images; name the wire that the Output shows".into()),
        }
    }
    Ok(zip.finish())
}

/// An archive of uncompressed files.
#[derive(Default)]
struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Zip {
    fn add(&mut self, name: &str, data: &[u8]) -> Result<(), String> {
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
        self.directory.extend(b"PK\x01\x02\x14\x00");
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

    fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u32;
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
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
