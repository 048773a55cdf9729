//! Writes JPEG files of which every pixel is known.

/// Bits of a JPEG scan. A byte 0xff is followed by 0.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    open: u32,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for bit in (0..count).rev() {
            self.open = self.open << 1 | value >> bit & 1;
            self.count += 1;
            if self.count == 8 {
                self.bytes.push(self.open as u8);
                if self.open == 0xff {
                    self.bytes.push(0);
                }
                (self.open, self.count) = (0, 0);
            }
        }
    }
}

/// A baseline JPEG of blocks of 8 x 8 equal pixels, from the top. Its tables have a code of four bits for each size of a
/// difference and one of a bit for the end of a block, so the file is exactly what the blocks say. `channels` is 1 for grey, 3
/// for Y, Cb and Cr.
pub fn jpeg(across: usize, channels: usize, blocks: &[u8], orientation: Option<u16>) -> Vec<u8> {
    let down = blocks.len() / across / channels;
    let mut bytes = vec![0xff, 0xd8];
    let mut segment = |marker: u8, content: &[u8]| {
        bytes.extend([0xff, marker]);
        bytes.extend((content.len() as u16 + 2).to_be_bytes());
        bytes.extend(content);
    };
    if let Some(orientation) = orientation {
        let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01".to_vec();
        exif.extend(orientation.to_be_bytes());
        exif.extend([0; 6]);
        segment(0xe1, &exif);
    }
    // A step of 8 is a step of 1 in every pixel of the block.
    segment(0xdb, &[&[0][..], &[8; 64]].concat());
    let mut frame = vec![8];
    frame.extend((down as u16 * 8).to_be_bytes());
    frame.extend((across as u16 * 8).to_be_bytes());
    frame.push(channels as u8);
    (0..channels as u8).for_each(|i| frame.extend([i + 1, 0x11, 0]));
    segment(0xc0, &frame);
    segment(
        0xc4,
        &[&[0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]].concat(),
    );
    segment(0xc4, &[0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut scan = vec![channels as u8];
    (0..channels as u8).for_each(|i| scan.extend([i + 1, 0]));
    scan.extend([0, 63, 0]);
    segment(0xda, &scan);
    let mut bits = Bits::default();
    let mut before = vec![0i32; channels];
    for block in blocks.chunks(channels) {
        for (value, before) in block.iter().zip(&mut before) {
            let difference = i32::from(*value) - 128 - *before;
            *before += difference;
            let size = 32 - difference.unsigned_abs().leading_zeros();
            bits.put(size, 4);
            let coded = if difference < 0 { difference + (1 << size) - 1 } else { difference };
            bits.put(coded as u32, size);
            bits.put(0, 1);
        }
    }
    // The last byte is filled with ones.
    bits.put(0x7f, 7);
    bytes.extend(bits.bytes);
    bytes.extend([0xff, 0xd9]);
    bytes
}
