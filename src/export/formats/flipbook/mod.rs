//! Flipbooks: frames side by side on one sheet, with sheets of motion vectors, normals and light beside it, for game engines.
//!
//! Tiles run from left to right and from top to bottom. `NAME_color.png` has the colours, `NAME_motion.png` and `.exr` the displacement
//! from each tile to the next, `NAME.json` the numbers that an engine asks for, and `NAME_preview.apng` plays it.

mod decode;
mod encode;
mod preview;
mod texels;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::files::{read, write};
use crate::frames::Frames;
use crate::record;
use crate::sheet::Layout;
use crate::sink::{Action, ExportError, Format, Frame, FrameSink, Kind, Log, Present, Sums, Target};
use crate::sizes;
use crate::value::{ExportedValue, Layer, vectors};

use encode::{Role, Sheets};
use texels::Tile;

pub(crate) const FORMAT: Format = Format {
    name: "flipbook",
    title: "Flipbook",
    about: "frames on one sheet for game engines, with motion vectors, normals and six-way light where they are added with +",
    takes: &[Kind::Picture],
    joins: true,
    beside: &[
        ("motion", Kind::Grid2),
        ("normal", Kind::Grid2),
        ("right_top_back", Kind::Picture),
        ("left_bottom_front", Kind::Picture),
        ("emission", Kind::Picture),
    ],
    single: true,
    bytes_per_pixel: 3.0,
    open: |target| Box::new(Flipbook::new(target)),
};

/// The texels of a frame, for each sheet.
struct ReceivedFrame {
    /// Simulated time \[s\].
    time: f64,
    tiles: Vec<Tile>,
}

/// The sink of a flipbook: tiles stay in memory until all are there. An interrupted one begins again.
struct Flipbook {
    target: Target,
    roles: Vec<Role>,
    /// Texels of a tile.
    size: Option<[usize; 2]>,
    frames: Vec<ReceivedFrame>,
    received: u64,
    log: Log,
}

impl Flipbook {
    fn new(target: Target) -> Flipbook {
        let roles = target.layers.iter().enumerate().map(|(index, name)| Role::named(name, index == 0)).collect();
        Flipbook { target, roles, size: None, frames: Vec::new(), received: 0, log: Log::default() }
    }

    /// The name of a file, without the folder: `ending` begins with `_` or a dot.
    fn name(&self, ending: &str) -> String {
        let single = self.target.names.single("");
        format!("{}{ending}", single.trim_end_matches('.'))
    }

    /// The names of its files.
    fn files(&self) -> Vec<String> {
        let sheets = self.roles.iter().flat_map(|role| role.files()).map(|ending| self.name(ending));
        sheets.chain([self.name(".json"), self.name("_preview.apng")]).collect()
    }

    fn layout(&self) -> Result<Layout, String> {
        self.target.settings.sheet.layout(&self.target.frames)
    }

    /// The texels of a frame on all sheets.
    fn tiles(&mut self, layers: &[Layer]) -> Result<Vec<Tile>, String> {
        let mut tiles: Vec<Tile> = Vec::with_capacity(layers.len());
        for (layer, role) in layers.iter().zip(&self.roles) {
            let value = layer.value();
            let size = match (&value, self.size) {
                (ExportedValue::Picture(picture), None) => [picture.width as usize, picture.height as usize],
                (_, size) => size.ok_or("the first value is no image")?,
            };
            self.size = Some(size);
            let [width, height] = size;
            sizes::fits_tile(&layer.name, layer.cells().unwrap_or([1, 1]), size.map(|side| side as u32))?;
            let tile = match value {
                ExportedValue::Picture(picture) if [picture.width as usize, picture.height as usize] == size => {
                    let (pixels, _) = picture.rgba.as_chunks::<4>();
                    pixels.iter().map(|[r, g, b, a]| [r * a, g * a, b * a, *a].map(finite)).collect()
                }
                ExportedValue::Picture(picture) => {
                    return Err(format!(
                        "`{}` is {} x {} and a tile {width} x {height}: use --size {width}x{height}",
                        layer.name, picture.width, picture.height
                    ));
                }
                ExportedValue::Grid(grid) if grid.components == role.components() => {
                    let grid = grid.centered();
                    let numbers = vectors(&grid, size.map(|side| side as u32));
                    // A velocity becomes tiles a second.
                    let extent = [0, 1].map(|axis| f64::from(grid.cells[axis]) * grid.edges[axis]);
                    let scale = extent.map(|extent| if *role == Role::Motion { (1.0 / extent) as f32 } else { 1.0 });
                    let weights = tiles.first().into_iter().flatten().map(|texel| texel[3]);
                    let weighted = |([x, y, z, _], weight): ([f32; 4], f32)| {
                        [x * scale[0] * weight, y * scale[1] * weight, z * weight, weight].map(finite)
                    };
                    numbers.into_iter().zip(weights).map(weighted).collect()
                }
                _ => {
                    let needed = role.components();
                    return Err(format!("`{}` needs a grid in 2D of vectors of {needed}", layer.name));
                }
            };
            tiles.push(tile);
        }
        Ok(tiles)
    }

    /// Writes all files under temporary names, then gives them their own.
    fn save(&mut self, layout: Layout) -> Result<(), ExportError> {
        let json = self.target.folder.join(self.name(".json"));
        let failed = |message| ExportError::Incomplete { path: json, message };
        let (times, mut sheets) = (self.frames.iter().map(|frame| frame.time).collect::<Vec<_>>(), Vec::new());
        for (index, role) in self.roles.iter().enumerate() {
            // Tiles are moved: both copies of a large flipbook may not fit into memory.
            let tiles = self.frames.iter_mut().filter_map(|frame| frame.tiles.get_mut(index)).map(std::mem::take);
            sheets.push((*role, texels::looped(&tiles.collect::<Vec<_>>(), layout.tiles())));
        }
        let size = self.size.unwrap_or([1, 1]);
        let sheets = Sheets { target: &self.target, layout, size, times, sheets };
        let mut written = Vec::new();
        for (ending, bytes) in sheets.files().map_err(failed)? {
            let path = self.target.folder.join(self.name(&ending));
            let failed = |error: io::Error| ExportError::file(Action::Write, &path, &error);
            let mut temporary = write::temporary(&self.target.folder).map_err(failed)?;
            temporary.write_all(&bytes).map_err(failed)?;
            written.push((temporary, path, record::sum(&bytes)));
        }
        // In the order of `files`.
        for (name, at) in self.files().into_iter().zip(0..) {
            let path = self.target.folder.join(name);
            let sum = written.iter().find(|(_, named, _)| *named == path).map(|(_, _, sum)| sum.as_str());
            self.log.file(at, sum.unwrap_or_default(), &path)?;
        }
        for (temporary, path, _) in written {
            self.target.publish(temporary, &path)?;
        }
        Ok(())
    }
}

/// NaN and infinity would fill a sheet from one texel.
fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

impl FrameSink for Flipbook {
    fn names(&self) -> String {
        self.files().join(", ")
    }

    fn path(&self, _: u64) -> PathBuf {
        self.target.folder.join(self.name("_color.png"))
    }

    fn kept(&self, frames: &Frames, sums: &Sums) -> BTreeSet<u64> {
        let paths = self.files().into_iter().map(|name| self.target.folder.join(name));
        let whole = paths.zip(0..).all(|(path, at)| record::is_as_written(&path, sums, at));
        let all = if *frames == self.target.frames && whole { Some(frames.iter()) } else { None };
        all.into_iter().flatten().collect()
    }

    fn present(&self) -> io::Result<u64> {
        let found = self.files().iter().any(|name| fs::symlink_metadata(self.target.folder.join(name)).is_ok());
        Ok(u64::from(found))
    }

    fn files(&self) -> io::Result<Present> {
        Present::find_names(&self.target.folder, &Flipbook::files(self))
    }

    fn remove(&mut self) -> io::Result<u64> {
        let present = self.present()?;
        let files = self.files().into_iter().map(|name| self.target.folder.join(name));
        files.filter(|path| fs::symlink_metadata(path).is_ok()).try_for_each(fs::remove_file)?;
        Ok(present)
    }

    fn begin(&mut self, _: &BTreeSet<u64>, log: Log) -> Result<(), ExportError> {
        self.log = log;
        let (index, path) = (self.target.frames.first(), self.path(1));
        self.layout().map(drop).map_err(|message| ExportError::Encode { index, path, message })
    }

    fn write(&mut self, frame: Frame) -> Result<(), ExportError> {
        self.received += 1;
        self.log.count_odd(&frame, false);
        let (index, path) = (frame.index, self.path(1));
        let tiles = frame.layers().and_then(|layers| self.tiles(layers));
        let tiles = tiles.map_err(|message| ExportError::Encode { index, path, message })?;
        self.frames.push(ReceivedFrame { time: frame.time, tiles });
        Ok(())
    }

    fn finish(&mut self) -> Result<u64, ExportError> {
        let (index, path) = (self.target.frames.first(), self.path(1));
        let layout = self.layout().map_err(|message| ExportError::Encode { index, path, message })?;
        // A sheet with gaps plays nowhere.
        if self.frames.len() == layout.tiles() + layout.blended as usize {
            self.save(layout)?;
        }
        Ok(self.received)
    }

    fn sync(&self) {
        for name in self.files() {
            if let Ok((file, _)) = read::open_without_links(&self.target.folder.join(name)) {
                let _ = file.sync_all();
            }
        }
        write::sync_folder(&self.target.folder);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::decode::{Decoded, between};
    use super::texels::Texel;
    use super::*;
    use crate::settings::Settings;
    use crate::sheet::Sheet;

    const SIZE: [usize; 2] = [48, 40];
    /// Frames a second.
    const FPS: f64 = 30.0;

    /// White smoke around a place, 0 to 1 with y up, on the texels of a tile: a Gaussian of a tenth of the tile.
    fn blob(at: [f32; 2]) -> Tile {
        let [width, height] = SIZE;
        let texel = |index: usize| {
            let x = (index % width) as f32 / width as f32 + 0.5 / width as f32 - at[0];
            let y = 1.0 - (index / width) as f32 / height as f32 - 0.5 / height as f32 - at[1];
            let alpha = (-(x * x + y * y) / 0.02).exp();
            let alpha = if alpha < 1e-4 { 0.0 } else { alpha };
            [alpha, 0.5 * alpha, 0.25 * alpha, alpha]
        };
        (0..width * height).map(texel).collect()
    }

    /// A velocity [tiles/s] where the smoke is.
    fn motion(color: &[Texel], [x, y]: [f64; 2]) -> Tile {
        color.iter().map(|texel| [x as f32 * texel[3], y as f32 * texel[3], 0.0, texel[3]]).collect()
    }

    fn target(frames: u64, sheet: Sheet) -> Target {
        let images = Target::images(PathBuf::new(), 1..=frames);
        let about = crate::sink::About { fps: FPS, ..images.about.clone() };
        Target {
            settings: Settings { sheet, ..Settings::default() },
            about,
            layers: vec!["smoke".into(), "motion".into()],
            ..images
        }
    }

    /// The files of a flipbook with a blob at these places, which moves by `step` tiles from tile to tile.
    fn flipbook(target: &Target, places: &[[f32; 2]], step: [f64; 2]) -> Vec<(String, Vec<u8>)> {
        let layout = target.settings.sheet.layout(&target.frames).unwrap();
        let colors: Vec<Tile> = places.iter().map(|at| blob(*at)).collect();
        let vectors: Vec<Tile> = colors.iter().map(|color| motion(color, step.map(|part| part * FPS))).collect();
        let times = (0..places.len()).map(|frame| frame as f64 / FPS).collect();
        let sheets = [(Role::Color, colors), (Role::Motion, vectors)];
        let sheets = sheets.map(|(role, tiles)| (role, texels::looped(&tiles, layout.tiles()))).to_vec();
        Sheets { target, layout, size: SIZE, times, sheets }.files().unwrap()
    }

    /// Four channels of a file, 0 to 1, and its width.
    fn channels(files: &[(String, Vec<u8>)], ending: &str) -> (Vec<Texel>, usize) {
        let bytes = &files.iter().find(|(name, _)| name == ending).unwrap().1;
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        let count = info.color_type.samples();
        let texel =
            |bytes: &[u8]| std::array::from_fn(|part| bytes.get(part).map_or(1.0, |byte| f32::from(*byte) / 255.0));
        (data.chunks(count).map(texel).collect(), info.width as usize)
    }

    fn tile(texels: &[Texel], width: usize, [left, top]: [usize; 2]) -> Tile {
        (0..SIZE[1]).flat_map(|row| texels[(top + row) * width + left..][..SIZE[0]].to_vec()).collect()
    }

    #[test]
    fn a_blob_that_moves_a_tenth_of_a_tile_decodes_to_a_tenth_and_half_frames_beat_a_cross_fade() {
        let step = [0.1, -0.05];
        let places = [[0.3, 0.6], [0.4, 0.55], [0.5, 0.5], [0.6, 0.45]];
        let target = target(4, Sheet { padding: 3, ..Sheet::default() });
        let files = flipbook(&target, &places, step);
        let json: serde_json::Value =
            serde_json::from_slice(&files.iter().find(|(n, _)| n == ".json").unwrap().1).unwrap();
        let scale = json["motion_vectors"]["scale"].as_f64().unwrap();
        assert!((scale - 0.1).abs() < 1e-9, "{scale}");
        assert_eq!((&json["columns"], &json["rows"], &json["fps"]), (&2.into(), &2.into(), &30.0.into()));
        let ((color, width), (vectors, _)) = (channels(&files, "_color.png"), channels(&files, "_motion.png"));
        assert_eq!(width, 2 * (SIZE[0] + 6));
        let decoded = |at: [usize; 2]| {
            let place = [3 + at[0] * (SIZE[0] + 6), 3 + at[1] * (SIZE[1] + 6)];
            let straight = tile(&color, width, place);
            let of = |[r, g, b, a]: Texel| [r, g, b].map(|part| part * a).into_iter().chain([a]).collect::<Vec<_>>();
            let color = straight.into_iter().map(|texel| of(texel).try_into().unwrap()).collect();
            Decoded { size: SIZE, color, motion: tile(&vectors, width, place) }
        };
        let tiles = [decoded([0, 0]), decoded([1, 0]), decoded([0, 1]), decoded([1, 1])];
        for (index, tile) in tiles.iter().enumerate() {
            let got = tile.vector(places[index], scale as f32);
            let error = (0..2).map(|axis| (f64::from(got[axis]) - step[axis]).abs()).fold(0.0, f64::max);
            println!("tile {index}: {got:?}, error {error:.5}");
            assert!(error <= 0.5 / 255.0 * 2.0 * scale + 1e-6, "half a step of 8 bits: {error}");
        }
        // Alpha half way between the tiles, at all texels.
        let half = blob([0.45, 0.525]);
        let error = |scale: Option<f32>| {
            let errors = half.iter().enumerate().map(|(index, truth)| {
                let uv = [(index % SIZE[0]) as f32 + 0.5, (index / SIZE[0]) as f32 + 0.5];
                let uv = [uv[0] / SIZE[0] as f32, 1.0 - uv[1] / SIZE[1] as f32];
                (between(&tiles[1], &tiles[2], 0.5, scale, uv)[3] - truth[3]).powi(2)
            });
            (errors.sum::<f32>() / half.len() as f32).sqrt()
        };
        let (faded, moved) = (error(None), error(Some(scale as f32)));
        println!("error of a half frame: {moved:.5} along the vectors, {faded:.5} by a cross-fade");
        assert!(moved < 0.1 * faded, "{moved} {faded}");
        let exr = &files.iter().find(|(name, _)| name == "_motion.exr").unwrap().1;
        assert!(exr.starts_with(&[0x76, 0x2f, 0x31, 0x01]));
    }

    #[test]
    fn a_loop_has_no_seam() {
        // A blob that goes to the right and never comes back.
        let places: Vec<[f32; 2]> = (0..20u8).map(|frame| [0.1 + 0.04 * f32::from(frame), 0.5]).collect();
        let frames: Vec<Tile> = places.iter().map(|at| blob(*at)).collect();
        let tiles = texels::looped(&frames, 16);
        let change = |one: &Tile, other: &Tile| {
            let squares = one.iter().zip(other).map(|(one, other)| (one[3] - other[3]).powi(2));
            (squares.sum::<f32>() / one.len() as f32).sqrt()
        };
        let within: Vec<f32> = tiles.windows(2).map(|pair| change(&pair[0], &pair[1])).collect();
        let (largest, seam) = (within.iter().copied().fold(0.0, f32::max), change(&tiles[15], &tiles[0]));
        let cut = change(&frames[15], &frames[0]);
        println!("change from tile to tile: at most {largest:.4}, over the seam {seam:.4}, {cut:.4} without blending");
        assert!(seam < 1.1 * largest && cut > 2.0 * largest, "{seam} {largest} {cut}");
        let target = target(20, Sheet { looped: true, ..Sheet::default() });
        assert_eq!(target.settings.sheet.layout(&target.frames).unwrap().tiles(), 16);
    }

    #[test]
    fn empty_texels_take_the_colour_of_those_around_and_no_opacity() {
        let target = target(1, Sheet { padding: 2, ..Sheet::default() });
        let (color, width) = channels(&flipbook(&target, &[[0.5, 0.5]], [0.0, 0.0]), "_color.png");
        let empty: Vec<&Texel> = color.iter().filter(|texel| texel[3] == 0.0).collect();
        assert!(empty.len() > 500 && width == SIZE[0] + 4);
        // 0.5 and 0.25 on the sRGB curve (IEC 61966-2-1).
        assert!(
            empty
                .iter()
                .all(|texel| texel[0] == 1.0 && (texel[1] - 0.735).abs() < 0.005 && (texel[2] - 0.537).abs() < 0.005)
        );
        let target = Target {
            settings: Settings { sheet: Sheet { premultiplied: true, ..Sheet::default() }, ..target.settings },
            ..target
        };
        let (color, _) = channels(&flipbook(&target, &[[0.5, 0.5]], [0.0, 0.0]), "_color.png");
        // Half a step of alpha is 0.025 on the sRGB curve.
        assert!(color.iter().filter(|texel| texel[3] == 0.0).all(|texel| texel[0] < 0.03), "black, where nothing is");
    }
}
