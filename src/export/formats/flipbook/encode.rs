//! The files of a flipbook: sheets as PNG and EXR, the numbers about them as JSON.

use half::f16;
use serde_json::{Value as Json, json};

use super::preview;
use super::texels::{Grid, Texel, Tile, filled, unweighted};
use crate::sheet::{Layout, MAX_SIDE};
use crate::sink::{About, Target};
use stagewright_formats::exr::write::{Channel, Header, Samples, file};

/// What a sheet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Colours in sRGB with alpha.
    Color,
    /// Light that comes from the smoke itself, in sRGB.
    Emission,
    /// Displacement to the next tile.
    Motion,
    /// Directions, with x right, y up and z towards the viewer.
    Normal,
    /// Light from the right, the top and the back, linear, and the opacity.
    Positive,
    /// Light from the left, the bottom and the front.
    Negative,
}

impl Role {
    /// The role by the name of a value, or the port's name at its end.
    pub(super) fn named(name: &str, first: bool) -> Role {
        match name.rsplit('.').next() {
            _ if first => Role::Color,
            Some("motion") => Role::Motion,
            Some("normal") => Role::Normal,
            Some("right_top_back") => Role::Positive,
            Some("left_bottom_front") => Role::Negative,
            _ => Role::Emission,
        }
    }

    /// Numbers of an element, where it is a grid.
    pub(super) fn components(self) -> usize {
        match self {
            Role::Motion => 2,
            Role::Normal => 3,
            _ => 4,
        }
    }

    /// The ends of its files' names.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            Role::Color => &["_color.png"],
            Role::Emission => &["_emission.png"],
            Role::Motion => &["_motion.png", "_motion.exr"],
            Role::Normal => &["_normal.png"],
            Role::Positive => &["_right_top_back.png"],
            Role::Negative => &["_left_bottom_front.png"],
        }
    }

    fn is_srgb(self) -> bool {
        matches!(self, Role::Color | Role::Emission)
    }
}

/// A flipbook whose tiles are all there.
pub(super) struct Sheets<'t> {
    pub target: &'t Target,
    pub layout: Layout,
    /// Texels of a tile.
    pub size: [usize; 2],
    /// Simulated times of all frames that were taken \[s\].
    pub times: Vec<f64>,
    /// What each sheet holds, and its tiles.
    pub sheets: Vec<(Role, Vec<Tile>)>,
}

/// The end of a file's name, and its bytes.
type File = (String, Vec<u8>);

impl Sheets<'_> {
    fn grid(&self) -> Grid {
        let [columns, rows] = [self.layout.columns, self.layout.rows].map(|n| n as usize);
        Grid { columns, rows, tile: self.size, padding: self.target.settings.sheet.padding as usize }
    }

    /// Simulated time from a tile to the next \[s\].
    pub(super) fn interval(&self) -> f64 {
        match self.times.as_slice() {
            [first, .., last] => (last - first) / (self.times.len() - 1) as f64,
            _ => 1.0 / self.target.fps(),
        }
    }

    /// All files.
    ///
    /// # Errors
    /// A sheet that is too large, an encoder's error.
    pub(super) fn files(&self) -> Result<Vec<File>, String> {
        let grid = self.grid();
        let [width, height] = grid.size();
        if width.max(height) > MAX_SIDE as usize {
            return Err(format!(
                "the sheet is {width} x {height} texels, and engines take at most {MAX_SIDE} a side: use a smaller --size or fewer tiles"
            ));
        }
        let mut files = Vec::new();
        let mut scale = None;
        let mut played = None;
        let opaque = self.sheets.first().is_some_and(|(_, tiles)| tiles.iter().flatten().all(|texel| texel[3] >= 1.0));
        for (role, tiles) in &self.sheets {
            let encoded = match role {
                Role::Motion => {
                    let largest = scale_of(tiles, self.interval());
                    scale = Some(largest);
                    let vectors = self.sheet(tiles, |texel, _| encoded_vector(texel, self.interval(), largest));
                    files.push(("_motion.exr".into(), self.exr(&vectors)?));
                    bytes(&vectors)
                }
                Role::Normal => bytes(&self.sheet(tiles, |texel, _| normal(texel))),
                Role::Positive => bytes(&self.sheet(tiles, |[x, y, z], alpha| [x, y, z, alpha])),
                Role::Negative => {
                    // Engines take the last channel for emission.
                    bytes(&self.sheet(tiles, |[x, y, z], _| [x, y, z, 1.0]))
                }
                Role::Color | Role::Emission => bytes(&self.sheet(tiles, |rgb, alpha| {
                    let [r, g, b] = rgb.map(srgb);
                    [r, g, b, if opaque { 1.0 } else { alpha }]
                })),
            };
            let alpha = matches!(role, Role::Color | Role::Emission | Role::Positive);
            let ending = role.files().first().copied().unwrap_or_default();
            files.push((ending.into(), png(&encoded, [width, height], alpha, role.is_srgb())?));
            match (role, &mut played) {
                (Role::Color, _) => played = Some((encoded, None)),
                (Role::Motion, Some((_, motion))) => *motion = Some(encoded),
                _ => {}
            }
        }
        if let Some((color, motion)) = played {
            let movie = preview::movie(self, &grid, &color, motion.as_deref().zip(scale))?;
            files.push(("_preview.apng".into(), movie));
        }
        let text = serde_json::to_string_pretty(&self.json(scale)).map_err(|error| error.to_string())?;
        files.push((".json".into(), format!("{text}\n").into_bytes()));
        Ok(files)
    }

    /// The texels of a sheet, 0 to 1: from the numbers without their weight, or with it where colours are to be multiplied, and the weight.
    fn sheet(&self, tiles: &[Tile], texel: impl Fn([f32; 3], f32) -> Texel) -> Vec<Texel> {
        let (grid, sheet) = (self.grid(), self.target.settings.sheet);
        let fill = |tile: &Tile| {
            let opaque = tile.iter().all(|texel| texel[3] >= 1.0);
            let numbers = filled(tile, self.size);
            (opaque, numbers)
        };
        let numbers: Vec<_> = tiles.iter().map(fill).collect();
        let place = |(tile, index, padding): (usize, usize, bool)| {
            let weight = tiles.get(tile).and_then(|tile| tile.get(index)).map_or(0.0, |texel| texel[3]);
            let (opaque, numbers) = numbers.get(tile).map_or((false, &[][..]), |(opaque, numbers)| (*opaque, numbers));
            let numbers = numbers.get(index).copied().unwrap_or_default();
            let weight = if padding && !opaque { 0.0 } else { weight };
            (numbers, weight)
        };
        let multiplied = sheet.premultiplied;
        let of = |(numbers, weight): ([f32; 3], f32)| match multiplied {
            true => texel(numbers.map(|number| number * weight), weight),
            false => texel(numbers, weight),
        };
        grid.places().map(place).map(of).collect()
    }

    /// Motion vectors in half precision, encoded as in the PNG file.
    fn exr(&self, vectors: &[Texel]) -> Result<Vec<u8>, String> {
        let mut header = Header::default();
        header.text("software", About::PROGRAM);
        header.text("comments", &self.target.about.graph);
        header.text("graphHash", &self.target.about.hash);
        let channel = |name: &str, part: usize| Channel {
            name: name.into(),
            samples: Samples::F16(vectors.iter().map(|texel| f16::from_f32(texel[part])).collect()),
        };
        Ok(file(header, &[channel("G", 1), channel("R", 0)], self.grid().size()))
    }

    /// What an engine asks for.
    fn json(&self, scale: Option<f32>) -> Json {
        let grid = self.grid();
        let sheet = self.target.settings.sheet;
        let about = &self.target.about;
        let base = self.target.names.single("");
        let base = base.trim_end_matches('.');
        let sheets: serde_json::Map<String, Json> = self
            .sheets
            .iter()
            .flat_map(|(role, _)| role.files())
            .map(|ending| {
                let key = ending.trim_start_matches('_').replace(".png", "").replace(".exr", "_half");
                (key, Json::from(format!("{base}{ending}")))
            })
            .collect();
        let [width, height] = grid.size();
        let mut text = json!({
            "program": About::PROGRAM,
            "graph": about.graph,
            "graph_hash": about.hash,
            // Those before it are in the last tiles of a loop.
            "first_frame": self.target.frames.nth(u64::from(self.layout.blended)),
            "frame_step": self.target.frames.step(),
            "columns": grid.columns,
            "rows": grid.rows,
            "tiles": self.layout.tiles(),
            "order": "left to right, top to bottom",
            "width": width,
            "height": height,
            "tile": grid.cell(),
            "padding": sheet.padding,
            "fps": self.target.fps(),
            "loop": sheet.looped,
            "alpha": if sheet.premultiplied { "premultiplied" } else { "straight" },
            "sheets": sheets,
        });
        if let (Some(scale), Some(object)) = (scale, text.as_object_mut()) {
            let vectors = json!({
                "scale": decimal(scale),
                "unit": "tiles, from each tile to the next",
                "decode": "(2 * rg - 1) * scale",
                "y": "up",
            });
            object.insert("motion_vectors".into(), vectors);
        }
        text
    }
}

/// A number as it is read by people: the fewest digits that give the same `f32`.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

/// The factor of encoded vectors \[tiles\]: the largest component of what is seen, rounded up to three digits.
pub(super) fn scale_of(tiles: &[Tile], interval: f64) -> f32 {
    let seen = tiles.iter().flatten().filter(|texel| texel[3] > 1.0 / 255.0);
    let largest = seen.map(|texel| unweighted(*texel)).fold(0.0f32, |most, [x, y, _]| most.max(x.abs()).max(y.abs()));
    let largest = f64::from(largest) * interval;
    if largest <= 0.0 {
        return 1.0;
    }
    let unit = 10f64.powi(largest.log10().floor() as i32 - 2);
    // A little less, so that what is a round number stays it.
    ((largest / unit - 1e-4).ceil() * unit) as f32
}

/// A velocity in tiles a second, as `r` and `g`.
pub(super) fn encoded_vector([x, y, _]: [f32; 3], interval: f64, scale: f32) -> Texel {
    let [r, g] = [x, y].map(|part| (0.5 + 0.5 * part * interval as f32 / scale).clamp(0.0, 1.0));
    [r, g, 0.0, 1.0]
}

fn normal(vector: [f32; 3]) -> Texel {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    let [x, y, z] = if length > 1e-6 { vector.map(|part| part / length) } else { [0.0, 0.0, 1.0] };
    [x, y, z].map(|part| 0.5 + 0.5 * part).into_iter().chain([1.0]).enumerate().fold(
        [0.0; 4],
        |mut texel, (at, part)| {
            if let Some(place) = texel.get_mut(at) {
                *place = part;
            }
            texel
        },
    )
}

/// The sRGB curve, IEC 61966-2-1.
pub(super) fn srgb(linear: f32) -> f32 {
    match linear.clamp(0.0, 1.0) {
        low if low <= 0.003_130_8 => 12.92 * low,
        high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
    }
}

/// Four bytes a texel.
pub(super) fn bytes(texels: &[Texel]) -> Vec<u8> {
    texels.iter().flatten().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect()
}

fn png(rgba: &[u8], [width, height]: [usize; 2], alpha: bool, srgb: bool) -> Result<Vec<u8>, String> {
    let rgb: Vec<u8>;
    let (color, data) = match alpha {
        true => (png::ColorType::Rgba, rgba),
        false => {
            rgb = rgba.chunks_exact(4).flat_map(|texel| texel.iter().take(3)).copied().collect();
            (png::ColorType::Rgb, rgb.as_slice())
        }
    };
    let mut file = Vec::with_capacity(data.len() / 2);
    let mut encode = || {
        let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(color);
        encoder.set_depth(png::BitDepth::Eight);
        if srgb {
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(data)?;
        writer.finish()
    };
    encode().map_err(|error: png::EncodingError| error.to_string())?;
    Ok(file)
}
