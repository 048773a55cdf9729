//! Colour ramps.

use super::{SAMPLES, Unfit, check_places, check_value, place, segment};

/// Linear RGB and alpha, not premultiplied.
pub type Color = [f64; 4];

/// Colours over 0..1, given by stops.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Gradient {
    /// (t, colour), in the order of t.
    pub stops: Vec<(f64, Color)>,
}

impl Gradient {
    /// The colour at t: linear between stops in each of red, green, blue and alpha. Transparent black without stops. A
    /// gradient that [`Gradient::check`] rejects gives some colour or NaN.
    pub fn at(&self, t: f64) -> Color {
        let Some((i, j)) = segment(&self.stops, t, |(t, _)| *t) else { return [0.0; 4] };
        let (Some((t0, from)), Some((t1, to))) = (self.stops.get(i), self.stops.get(j)) else { return [0.0; 4] };
        let x = if t1 > t0 { (t - t0) / (t1 - t0) } else { 0.0 };
        let mut color = *from;
        color.iter_mut().zip(to).for_each(|(c, to)| *c += (to - *c) * x);
        color
    }

    /// Checks that there are stops, sorted by t, inside 0..1, with finite components of at most 1e38.
    ///
    /// # Errors
    /// The first error and its remedy.
    pub fn check(&self) -> Result<(), Unfit> {
        check_places(self.stops.iter().map(|(t, _)| *t), "gradient", "stop (t, \"#rrggbb\")")?;
        for (index, (_, color)) in self.stops.iter().enumerate() {
            let part = |value: &f64| check_value(*value, &format!("stop {} of the gradient has {value}", index + 1));
            color.iter().try_for_each(part)?;
        }
        Ok(())
    }

    /// The table that the GPU reads: colours at equal distances, four numbers each, exact at both ends.
    pub fn samples(&self) -> Vec<f64> {
        (0..SAMPLES).flat_map(|i| self.at(place(i))).collect()
    }
}

/// `#rrggbb` or `#rrggbbaa` in sRGB, as a linear colour.
pub fn color_from_hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#')?;
    if ![6, 8].contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |i: usize| digits.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let light = |i: usize| byte(i).map(linear_from_srgb);
    Some([light(0)?, light(1)?, light(2)?, f64::from(byte(3).unwrap_or(255)) / 255.0])
}

/// A linear colour as `#rrggbb` or `#rrggbbaa`; `None` where this would not read back as exactly the same colour.
pub fn hex_from_color(color: Color) -> Option<String> {
    let [r, g, b, a] = color;
    let light = |value: f64| (0..=255).find(|byte| linear_from_srgb(*byte) == value);
    let alpha = (0..=255).find(|byte| f64::from(*byte) / 255.0 == a)?;
    let solid = format!("#{:02x}{:02x}{:02x}", light(r)?, light(g)?, light(b)?);
    Some(if alpha == 255 { solid } else { format!("{solid}{alpha:02x}") })
}

/// The linear value of a byte in sRGB, 0 to 1 (IEC 61966-2-1).
pub fn linear_from_srgb(byte: u8) -> f64 {
    let value = f64::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
