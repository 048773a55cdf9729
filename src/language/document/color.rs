//! Colours on the canvas.

use std::fmt;

/// A colour in sRGB: red, green and blue from 0 to 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// Parses a colour such as `#7a5c2e`.
    pub fn parse(text: &str) -> Option<Color> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Color([r, g, b]))
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Color([r, g, b]) = self;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}
