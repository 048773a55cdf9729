//! Pieces of binary files.

/// Appends the length of a text and the text.
pub(super) fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.bytes());
}
