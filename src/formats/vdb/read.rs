//! Reads a grid of an OpenVDB file: floats or vectors of three in a tree of 32^3, 16^3 and 8^3 nodes, uncompressed, or with zlib or Blosc.
//!
//! Layout: file versions 222 to 224 (`io/Archive.cc`, `tree/InternalNode.h`, `io/Compression.h` of OpenVDB 10).

use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;
use glam::DVec3;
use half::f16;

use super::blosc::unpacked;
use super::layout::{MAGIC, MASKED, VOXELS, ZIP};
use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::limits::{MAX_COORDINATE, MAX_HELD};
use crate::malformed::FormatName;
use crate::volume::Volume;
use crate::work::{Phase, Work};

/// Names of grids that an error lists.
const LISTED: usize = 12;
/// Limit of grids, and of named values of each.
const MAX_GRIDS: u32 = 10_000;
/// Remedies.
const FLOATS: &str = "export a grid of floats, or of vectors of floats";
const RESAMPLE: &str = "resample it along the axes where it was made";
/// Cosine that counts as that of a right angle: of voxels that lie a thousand apart, rounding moves none by more than a thousandth.
const STRAIGHT: f64 = 1e-6;
const BLOSC: u32 = 4;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("OpenVDB");

/// Reads a file.
///
/// # Errors
/// Errors of [`volume`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    volume(&file.bytes, file.layer, file.work).map(Content::Volume)
}

fn point(rest: &mut Cursor<'_>) -> Result<[i64; 3], Cause> {
    Ok([rest.i32()?, rest.i32()?, rest.i32()?].map(i64::from))
}

fn vector(rest: &mut Cursor<'_>) -> Result<[f64; 3], Cause> {
    Ok([rest.f64()?, rest.f64()?, rest.f64()?])
}

fn text(rest: &mut Cursor<'_>) -> Result<String, Cause> {
    let count = rest.u32()? as usize;
    Ok(String::from_utf8_lossy(rest.take(count)?).into_owned())
}

/// Skips named values, which nothing here depends on.
fn skip_metadata(rest: &mut Cursor<'_>) -> Result<(), Cause> {
    for _ in 0..rest.u32()?.min(MAX_GRIDS) {
        text(rest)?;
        text(rest)?;
        let count = rest.u32()? as usize;
        rest.take(count)?;
    }
    Ok(())
}

/// A grid in the file: its type, its number of components, and where it begins.
struct Listed {
    name: String,
    ty: String,
    /// The grid whose tree is its own too.
    shares: Option<String>,
    start: usize,
}

impl Listed {
    /// Numbers of a voxel; `None` for types that are not read.
    fn components(&self) -> Option<usize> {
        match self.ty.trim_end_matches("_HalfFloat") {
            "Tree_float_5_4_3" => Some(1),
            "Tree_vec3s_5_4_3" => Some(3),
            _ => None,
        }
    }

    /// Describes the grid's voxels, for messages.
    fn kind(&self) -> String {
        let tree_type = self.ty.trim_end_matches("_HalfFloat");
        let plain = tree_type.strip_prefix("Tree_").and_then(|ty| ty.strip_suffix("_5_4_3")).unwrap_or(tree_type);
        match plain {
            "bool" | "mask" => "true and false".into(),
            "int32" | "int64" => "whole numbers".into(),
            "double" | "vec3d" => "numbers of 64 bits".into(),
            "ptdataidx32" => "points".into(),
            plain => format!("the type {}", plain.chars().take(40).collect::<String>()),
        }
    }
}

/// The first grid of floats or vectors, or the one of this name.
///
/// # Errors
/// An invalid or truncated file; other types, a transform that turns by other than right angles or skews; a grid that it does not have.
pub(crate) fn volume(bytes: &[u8], layer: Option<&str>, work: &Work) -> Result<Volume, Cause> {
    let mut rest = Cursor::new(NAME, bytes);
    if rest.u64()? != MAGIC {
        return Err(NAME.malformed("it does not begin as one"));
    }
    let version = rest.u32()?;
    if !(222..=224).contains(&version) {
        return Err(Cause::Unsupported(format!("version {version} of the format").into()));
    }
    rest.take(8)?;
    if rest.u8()? != 1 {
        return Err(Cause::Unsupported("grids without positions".into()));
    }
    rest.take(36)?;
    skip_metadata(&mut rest)?;
    let mut listed = Vec::new();
    for _ in 0..rest.u32()?.min(MAX_GRIDS) {
        // What follows a control character tells grids of one name apart.
        let name = text(&mut rest)?.split('\u{1e}').next().unwrap_or_default().to_string();
        let ty = text(&mut rest)?;
        let shares = Some(text(&mut rest)?).filter(|name| !name.is_empty());
        rest.take(16)?;
        let end = usize::try_from(rest.i64()?).map_err(|_| NAME.cut_off())?;
        listed.push(Listed { name, ty, shares, start: rest.position() });
        rest = rest.at_position(end)?;
    }
    let wanted = |grid: &&Listed| layer.map_or(grid.components().is_some(), |layer| grid.name == layer);
    let short = |name: &str| name.chars().take(40).collect::<String>();
    let Some(grid) = listed.iter().find(wanted) else {
        if layer.is_none() {
            let names = listed.iter().map(|grid| format!("`{}` of {}", short(&grid.name), grid.kind()));
            let names: Vec<String> = names.take(LISTED).collect();
            let cause = match names.is_empty() {
                true => "it holds no grids".to_string(),
                false => format!("none of its grids holds floats or vectors of floats: {}", names.join(", ")),
            };
            return Err(Cause::Unfit(cause.into(), FLOATS));
        }
        let available: Vec<String> = listed.iter().take(LISTED).map(|grid| short(&grid.name)).collect();
        return Err(Cause::Layer {
            wanted: short(layer.unwrap_or("density")).into(),
            available: available.join(", ").into(),
        });
    };
    let components = grid.components().ok_or_else(|| {
        Cause::Unfit(format!("its grid `{}` holds {}", short(&grid.name), grid.kind()).into(), FLOATS)
    })?;
    if let Some(other) = &grid.shares {
        let cause = format!("its grid `{}` shares the voxels of `{}`", short(&grid.name), short(other));
        return Err(Cause::Unfit(cause.into(), "save it with voxels of its own, or alone in a file"));
    }
    tree(rest.at_position(grid.start)?, components, grid.ty.ends_with("_HalfFloat"), work)
}

/// How the values of a tree are stored.
struct Coding {
    compression: u32,
    half: bool,
    components: usize,
    background: [f32; 3],
}

/// The values of a tree: leaves by their place in leaves, and tiles by their size and their place in tiles.
#[derive(Default)]
struct Tree {
    leaves: HashMap<[i64; 3], usize>,
    values: Vec<f32>,
    tiles: HashMap<(i64, [i64; 3]), [f32; 3]>,
    low: Option<[i64; 3]>,
    high: [i64; 3],
}

impl Tree {
    /// A box of active voxels.
    fn cover(&mut self, from: [i64; 3], side: i64) {
        let low = self.low.get_or_insert(from);
        for axis in 0..3 {
            if low[axis] >= from[axis] {
                low[axis] = from[axis];
            }
            self.high[axis] = self.high[axis].max(from[axis].saturating_add(side - 1));
        }
    }

    fn value_at(&self, [x, y, z]: [i64; 3], component: usize, components: usize, background: f32) -> f32 {
        let place = [x, y, z].map(|at| at.div_euclid(8));
        if let Some(leaf) = self.leaves.get(&place) {
            let [x, y, z] = [x, y, z].map(|at| at.rem_euclid(8) as usize);
            let voxel = x * 64 + y * 8 + z;
            return self.values.get((leaf * VOXELS + voxel) * components + component).copied().unwrap_or_default();
        }
        if self.tiles.is_empty() {
            return background;
        }
        let tile = |side: i64| self.tiles.get(&(side, [x, y, z].map(|at| at.div_euclid(side))));
        let tile = [8, 128, 4096].into_iter().find_map(tile);
        tile.and_then(|tile| tile.get(component)).copied().unwrap_or(background)
    }
}

fn tree(mut rest: Cursor<'_>, components: usize, half: bool, work: &Work) -> Result<Volume, Cause> {
    let compression = rest.u32()?;
    skip_metadata(&mut rest)?;
    let place = transform(&mut rest)?;
    let mut tree = Tree { high: [i64::MIN; 3], ..Tree::default() };
    // Buffers of a leaf.
    rest.u32()?;
    let mut background = [0f32; 3];
    for value in background.iter_mut().take(components) {
        *value = rest.f32()?;
    }
    let coding = Coding { compression, half, components, background };
    let (tiles, children) = (rest.u32()?, rest.u32()?);
    for _ in 0..tiles {
        let at = point(&mut rest)?;
        let mut value = [0f32; 3];
        for value in value.iter_mut().take(components) {
            *value = rest.f32()?;
        }
        if rest.u8()? != 0 {
            tree.cover(at, 4096);
        }
        tree.tiles.insert((4096, at.map(|at| at.div_euclid(4096))), value);
    }
    let mut leaves = Vec::new();
    for _ in 0..children {
        work.go_on(0)?;
        let at = point(&mut rest)?;
        for (place, _) in inner(&mut rest, &mut tree, &coding, at, 32)? {
            for (place, mask) in inner(&mut rest, &mut tree, &coding, place, 16)? {
                leaves.push((place, mask));
            }
        }
    }
    if leaves.len() as u64 * VOXELS as u64 * components as u64 > MAX_HELD {
        return Err(Cause::Held);
    }
    work.begin(Phase::Decoding, leaves.len() as u64)?;
    for (place, mask) in leaves {
        // The mask again.
        rest.take(VOXELS / 8)?;
        let values = block(&mut rest, mask, VOXELS, &coding)?;
        for voxel in (0..VOXELS).filter(|voxel| is_on(mask, *voxel)) {
            let within = [voxel / 64, voxel / 8 % 8, voxel % 8].map(|at| at as i64);
            tree.cover([0, 1, 2].map(|axis| place[axis] + within[axis]), 1);
        }
        tree.leaves.insert(place.map(|at| at.div_euclid(8)), tree.values.len() / (VOXELS * components));
        tree.values.extend(values);
        work.go_on(1)?;
    }
    let low = tree.low.ok_or_else(|| NAME.malformed("it has no active voxels"))?;
    let high = tree.high;
    let axes = place.axes;
    let side = |axis: Axis| match axis.mirrored {
        true => [-high[axis.index], -low[axis.index]],
        false => [low[axis.index], high[axis.index]],
    };
    let sides = axes.map(side);
    let size = sides.map(|[low, high]| (high - low + 1) as usize);
    let cells = move |cell: [i64; 3], component: usize| {
        let mut voxel = [0; 3];
        for (axis, at) in axes.into_iter().zip(cell) {
            voxel[axis.index] = if axis.mirrored { -at } else { at };
        }
        tree.value_at(voxel, component, components, background.get(component).copied().unwrap_or_default())
    };
    let (low, place) = (sides.map(|[low, _]| low), Some((place.origin, place.edges)));
    Ok(Volume { components, low, size, place, background, cells: Box::new(cells) })
}

/// The axis of the voxels that lies along an axis of space, and whether it points the other way.
#[derive(Clone, Copy)]
struct Axis {
    index: usize,
    mirrored: bool,
}

/// The centre of voxel 0, 0, 0, the edges of a voxel along the axes of space, and which axis of the voxels each is.
struct Lattice {
    origin: [f64; 3],
    edges: [f64; 3],
    axes: [Axis; 3],
}

impl Lattice {
    /// `rows` are where the axes of the voxels go, a voxel's edge each.
    fn new(origin: [f64; 3], rows: [[f64; 3]; 3]) -> Result<Lattice, Cause> {
        let sound = |number: &f64| number.is_finite() && number.abs() < MAX_COORDINATE;
        let lengths = rows.map(|row| DVec3::from(row).length());
        if !(origin.iter().chain(&lengths).all(sound) && lengths.iter().all(|length| *length > 0.0)) {
            return Err(NAME.malformed("its voxels have no size"));
        }
        let mut found: [Option<(Axis, f64)>; 3] = [None; 3];
        for (index, (row, length)) in rows.into_iter().zip(lengths).enumerate() {
            // Turns by right angles leave rounding in the other numbers.
            let mut long = row.into_iter().enumerate().filter(|(_, number)| number.abs() > STRAIGHT * length);
            if let (Some((axis, edge)), None) = (long.next(), long.next())
                && let Some(entry) = found.get_mut(axis)
            {
                *entry = Some((Axis { index, mirrored: edge < 0.0 }, edge.abs()));
            }
        }
        let [Some(x), Some(y), Some(z)] = found else { return Err(turned(rows, lengths)) };
        Ok(Lattice { origin, edges: [x.1, y.1, z.1], axes: [x.0, y.0, z.0] })
    }
}

/// The refusal of a transform that is not along the axes.
fn turned(rows: [[f64; 3]; 3], lengths: [f64; 3]) -> Cause {
    let [x, y, z] = [0, 1, 2].map(|axis: usize| DVec3::from(rows[axis]) / lengths[axis]);
    let skewed = [x.dot(y), y.dot(z), z.dot(x)].into_iter().any(|cosine| cosine.abs() > STRAIGHT);
    let volume = x.cross(y).dot(z);
    let angle = (((x.x + y.y + z.z) * volume.signum() - 1.0) / 2.0).clamp(-1.0, 1.0).acos().to_degrees();
    let cause = match (skewed, volume < 0.0) {
        (true, _) => "its transform skews the voxels".to_string(),
        (_, true) => format!("its transform mirrors the voxels and turns them by {angle:.1} degrees"),
        _ => format!("its transform turns the voxels by {angle:.1} degrees"),
    };
    Cause::Unfit(cause.into(), RESAMPLE)
}

/// Positions of the voxels. Turns by right angles and mirrors are applied to them, not to the directions of vectors, which are those
/// of space.
fn transform(rest: &mut Cursor<'_>) -> Result<Lattice, Cause> {
    let name = text(rest)?;
    let along = |[x, y, z]: [f64; 3]| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    let (origin, rows) = match name.as_str() {
        "UniformScaleMap" | "ScaleMap" => {
            let edges = vector(rest)?;
            rest.take(4 * 24)?;
            ([0.0; 3], along(edges))
        }
        "UniformScaleTranslateMap" | "ScaleTranslateMap" => {
            let (origin, edges) = (vector(rest)?, vector(rest)?);
            rest.take(4 * 24)?;
            (origin, along(edges))
        }
        "TranslationMap" => (vector(rest)?, along([1.0; 3])),
        "AffineMap" | "UnitaryMap" => {
            let mut rows = [[0.0; 4]; 4];
            for number in rows.as_flattened_mut() {
                *number = rest.f64()?;
            }
            let [rows @ .., [x, y, z, _]] = rows;
            ([x, y, z], rows.map(|[x, y, z, _]| [x, y, z]))
        }
        _ => return Err(Cause::Unfit("its transform is not linear".into(), RESAMPLE)),
    };
    Lattice::new(origin, rows)
}

fn is_on(mask: &[u8], bit: usize) -> bool {
    mask.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

/// The place of a node in a node, and its mask if it is a leaf.
type Child<'a> = ([i64; 3], &'a [u8]);

/// Reads an inner node of `width` children along an edge. Returns the places of its children; for those that are leaves, with
/// their masks.
fn inner<'a>(
    rest: &mut Cursor<'a>,
    tree: &mut Tree,
    coding: &Coding,
    at: [i64; 3],
    width: usize,
) -> Result<Vec<Child<'a>>, Cause> {
    let count = width * width * width;
    let (children, active) = (rest.take(count / 8)?, rest.take(count / 8)?);
    let values = block(rest, active, count, coding)?;
    let side = if width == 32 { 128 } else { 8 };
    let place = |index: usize| {
        let within = [index / (width * width), index / width % width, index % width];
        [0, 1, 2].map(|axis| at[axis] + side * within[axis] as i64)
    };
    for index in (0..count).filter(|index| !is_on(children, *index)) {
        let mut value = [0f32; 3];
        let tile_value = values.get(index * coding.components..).unwrap_or_default();
        value.iter_mut().zip(tile_value).take(coding.components).for_each(|(to, from)| *to = *from);
        // What is not active may still have a value: the inside of a level set.
        match is_on(active, index) {
            true => tree.cover(place(index), side),
            false if value == coding.background => continue,
            false => {}
        }
        tree.tiles.insert((side, place(index).map(|at| at.div_euclid(side))), value);
    }
    let mut found = Vec::new();
    for index in (0..count).filter(|index| is_on(children, *index)) {
        // A leaf begins with its mask here; its values come later.
        let mask = if width == 16 { rest.take(VOXELS / 8)? } else { &[] };
        found.push((place(index), mask));
    }
    Ok(found)
}

/// The values of a node, those that are not active too.
fn block(rest: &mut Cursor<'_>, active: &[u8], count: usize, coding: &Coding) -> Result<Vec<f32>, Cause> {
    let components = coding.components;
    let kind = rest.u8()?;
    let value = |rest: &mut Cursor<'_>| {
        let mut value = [0f32; 3];
        for value in value.iter_mut().take(components) {
            *value = rest.f32()?;
        }
        Ok::<_, Cause>(value)
    };
    let (background, negative) = (coding.background, coding.background.map(|value| -value));
    // Values that are not active where a second mask is off, and where it is on.
    let [off, on] = match kind {
        0 | 6 => [background; 2],
        1 | 3 => [negative, background],
        2 | 4 => [value(rest)?, background],
        5 => [value(rest)?, value(rest)?],
        _ => return Err(NAME.malformed("a node is damaged")),
    };
    let selected = if (3..=5).contains(&kind) { rest.take(count / 8)? } else { &[] };
    let masked = coding.compression & MASKED != 0 && kind != 6;
    let stored = if masked { (0..count).filter(|bit| is_on(active, *bit)).count() } else { count };
    let numbers = numbers(rest, stored * components, coding)?;
    if stored == count {
        return Ok(numbers);
    }
    let mut next = numbers.chunks_exact(components);
    let mut values = Vec::with_capacity(count * components);
    for bit in 0..count {
        let active_value = if is_on(active, bit) { next.next() } else { None };
        let inactive = if is_on(selected, bit) { &on } else { &off };
        values.extend(active_value.unwrap_or(inactive).iter().take(components));
    }
    Ok(values)
}

/// The bytes of a zlib stream, no more than one beyond those that are expected.
fn inflated(packed: &[u8], count: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count);
    ZlibDecoder::new(packed).take(count as u64 + 1).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn numbers(rest: &mut Cursor<'_>, count: usize, coding: &Coding) -> Result<Vec<f32>, Cause> {
    if coding.half && count == 0 {
        return Ok(Vec::new());
    }
    let width = if coding.half { 2 } else { 4 };
    let bytes;
    let raw = if coding.compression & (ZIP | BLOSC) != 0 {
        match rest.i64()? {
            plain @ ..=0 => {
                let size = usize::try_from(plain.unsigned_abs()).map_err(|_| NAME.cut_off())?;
                rest.take(size)?
            }
            size => {
                let packed = rest.take(usize::try_from(size).map_err(|_| NAME.cut_off())?)?;
                let inflated = match coding.compression & BLOSC != 0 {
                    true => unpacked(Cursor::new(NAME, packed), count * width),
                    false => inflated(packed, count * width),
                };
                bytes = inflated.ok_or_else(|| NAME.malformed("a node is damaged"))?;
                &bytes
            }
        }
    } else {
        rest.take(count * width)?
    };
    if raw.len() != count * width {
        return Err(NAME.malformed("a node is damaged"));
    }
    let word = |bytes: &[u8]| bytes.first_chunk().copied().unwrap_or_default();
    let pair = |bytes: &[u8]| bytes.first_chunk().copied().unwrap_or_default();
    Ok(raw
        .chunks_exact(width)
        .map(|bytes| match coding.half {
            true => f16::from_le_bytes(pair(bytes)).to_f32(),
            false => f32::from_le_bytes(word(bytes)),
        })
        .collect())
}
