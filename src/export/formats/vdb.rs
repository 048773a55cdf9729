//! OpenVDB files: grids in two and three dimensions, sparse, compressed, in one file.
//!
//! Layout: file version 224 as OpenVDB 10 writes it (`io/Archive.cc`, `tree/InternalNode.h`, `io/Compression.h`): a tree of 32^3, 16^3
//! and 8^3 nodes, with masks of active values and zlib blocks. A value is active unless its components are at most the cut-off, by
//! default zero. Nodes without active values are left out, and those of one value are tiles. A level set has the distances of a narrow band,
//! and the sign alone beyond it.

use crate::names::plain;
use crate::sequence::{Encoding, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{ExportedValue, Grid};
use stagewright_formats::vdb::tree::{Active, Cells, Element, Tree};
use stagewright_formats::vdb::write::{self, Metadata, Volume};

pub(crate) const FORMAT: Format = Format {
    name: "vdb",
    title: "OpenVDB",
    about: "OpenVDB volumes with 32 bits a number, sparse and compressed",
    takes: &[Kind::Grid3, Kind::Grid2],
    joins: true,
    beside: &[],
    single: false,
    bytes_per_pixel: 4.0,
    open: |target| {
        Box::new(Sequence::new(target, &Encoding { ending: "vdb", encode: float, half: false, index: None }))
    },
};

pub(crate) const HALF: Format = Format {
    name: "vdb-half",
    title: "OpenVDB, half",
    about: "the same with 16 bits a number",
    bytes_per_pixel: 2.0,
    open: |target| {
        Box::new(Sequence::new(target, &Encoding { ending: "vdb", encode: halves, half: true, index: None }))
    },
    ..FORMAT
};

pub(crate) const LEVEL_SET: Format = Format {
    name: "vdb-level-set",
    title: "OpenVDB level set",
    about: "signed distances as OpenVDB level sets: a narrow band around the surface, negative inside",
    takes: &[Kind::Distance],
    open: |target| {
        Box::new(Sequence::new(target, &Encoding { ending: "vdb", encode: level_set, half: false, index: None }))
    },
    ..FORMAT
};

pub(super) fn float(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    encode(frame, target, Class::Fog { cutoff: target.settings.cutoff, half: false })
}

fn halves(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    encode(frame, target, Class::Fog { cutoff: target.settings.cutoff, half: true })
}

fn level_set(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    encode(frame, target, Class::LevelSet { band: target.settings.band })
}

/// What the values of grids mean.
#[derive(Clone, Copy, Debug)]
enum Class {
    /// Numbers above the cut-off, of 32 or 16 bits; all else is empty.
    Fog { cutoff: f32, half: bool },
    /// Signed distances, up to so many voxels from the surface.
    LevelSet { band: f32 },
}

fn encode(frame: &Frame, target: &Target, class: Class) -> Result<Vec<u8>, String> {
    let mut volumes = Vec::new();
    for layer in frame.layers()? {
        let ExportedValue::Grid(grid) = layer.value() else { return Err("OpenVDB files hold grids alone".into()) };
        volumes.extend(volumes_of(&plain(&layer.name), &layer.unit, &grid, class)?);
    }
    Ok(file(&volumes, frame, &target.about))
}

fn file(volumes: &[Volume], frame: &Frame, about: &About) -> Vec<u8> {
    let mut meta = Metadata::default();
    meta.text("creator", About::PROGRAM);
    meta.text("graph", &about.graph);
    meta.text("graph_hash", &about.hash);
    meta.bytes("frame", "int64", &frame.index.to_le_bytes());
    meta.bytes("time", "double", &frame.time.to_le_bytes());
    meta.bytes("fps", "double", &about.fps.to_le_bytes());
    write::file(&identifier(frame, about), &meta, volumes)
}

/// An identifier of the file, in the form of a UUID: a hash of what the frames depend on, and the frame.
fn identifier(frame: &Frame, about: &About) -> String {
    let hash: String =
        about.hash.chars().filter(char::is_ascii_hexdigit).chain(std::iter::repeat('0')).take(20).collect();
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
    let frame = frame.index & 0xffff_ffff_ffff;
    format!("{}-{}-{}-{}-{frame:012x}", part(0, 8), part(8, 12), part(12, 16), part(16, 20))
}

/// The grids of a value. One of four components gives two: three in a vector, and the last, `NAME_w`; several numbers give `NAME_0`, `NAME_1`, ..
fn volumes_of(name: &str, unit: &str, grid: &Grid<'_>, class: Class) -> Result<Vec<Volume>, String> {
    if grid.scalar != Scalar::F32 {
        let wide = |word: &u32| grid.scalar == Scalar::U32 && i32::try_from(*word).is_err();
        if let Some(word) = grid.words.iter().find(|word| wide(word)) {
            return Err(format!("{word} of `{name}` does not fit the integers of OpenVDB; choose the format npy"));
        }
    }
    let parts: Vec<(String, usize, usize)> = match grid.components {
        n if grid.array => (0..n).map(|number| (format!("_{number}"), number, 1)).collect(),
        1 => vec![(String::new(), 0, 1)],
        2 | 3 => vec![(String::new(), 0, 3)],
        _ => vec![(String::new(), 0, 3), ("_w".into(), 3, 1)],
    };
    let Grid { dim, cells, elements, components, faces, ref words, .. } = *grid;
    let cells = Cells { dim, cells, elements, components, faces, words };
    let volume = |(ending, first, width): &(String, usize, usize)| {
        let element = match (grid.scalar, class) {
            (Scalar::F32, Class::Fog { half: true, .. }) => Element::F16,
            (Scalar::F32, _) => Element::F32,
            _ => Element::I32,
        };
        let active = match class {
            Class::Fog { cutoff, .. } => Active::Above(cutoff),
            // OpenVDB counts the band in voxels and stores world units.
            Class::LevelSet { band } => Active::Within(band * grid.edges[0] as f32),
        };
        let tree = Tree::new(&cells, (*first, *width), element, active);
        let scalar = if element == Element::I32 { "int32" } else { "float" };
        let ty = if *width == 3 { "vec3s" } else { scalar };
        let mut meta = Metadata::default();
        let class = match (grid.faces, width) {
            _ if matches!(class, Class::LevelSet { .. }) => "level set",
            (true, _) => "staggered",
            (_, 1) if element != Element::I32 => "fog volume",
            _ => "unknown",
        };
        meta.text("class", class);
        meta.text("name", &format!("{name}{ending}"));
        meta.text("creator", About::PROGRAM);
        if !unit.is_empty() {
            meta.text("unit", unit);
        }
        if *width == 3 {
            meta.text("vector_type", "contravariant relative");
        }
        meta.bytes("is_saved_as_half_float", "bool", &[u8::from(element == Element::F16)]);
        let corner = |corner: [i32; 3]| corner.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        meta.bytes("file_bbox_min", "vec3i", &corner(tree.low));
        meta.bytes("file_bbox_max", "vec3i", &corner(tree.high));
        meta.bytes("file_voxel_count", "int64", &tree.active.to_le_bytes());
        let suffix = if element == Element::F16 { "_HalfFloat" } else { "" };
        Volume {
            name: format!("{name}{ending}"),
            ty: format!("Tree_{ty}_5_4_3{suffix}"),
            meta,
            edges: grid.edges,
            topology: tree.topology,
            buffers: tree.buffers,
        }
    };
    Ok(parts.iter().map(volume).collect())
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::asset::{Placement, Request, Wanted, Work};
    use crate::graph::{Domain, ImageFit};
    use crate::stage::edges::Edges;

    const FOG: Class = Class::Fog { cutoff: 0.0, half: false };

    #[test]
    fn positions_lead_from_grid_to_grid() {
        let words = (0..4 * 3 * 2 * 4u32).map(|n| (n as f32).to_bits()).collect();
        let elements = [4, 3, 2];
        let scalar = Scalar::F32;
        let words = Cow::Owned(words);
        let grid = Grid {
            dim: 3,
            cells: elements,
            elements,
            edges: [0.5; 3],
            components: 4,
            array: false,
            scalar,
            faces: false,
            words,
        };
        let volumes = volumes_of("color", "", &grid, FOG).unwrap();
        assert_eq!(volumes.iter().map(|volume| volume.name.as_str()).collect::<Vec<_>>(), ["color", "color_w"]);
        assert_eq!(volumes[0].ty, "Tree_vec3s_5_4_3");
        let frame = Frame { index: 5, time: 0.5, content: crate::sink::Content::Layers(Vec::new()) };
        let bytes = file(&volumes, &frame, &About::default());
        comes_in(&bytes);
        let halves = volumes_of("color", "", &grid, Class::Fog { cutoff: 0.0, half: true }).unwrap();
        comes_in(&file(&halves, &frame, &About::default()));
        assert_eq!(identifier(&frame, &About::default()), "00000000-0000-0000-0000-000000000005");
        let integers = Grid { scalar: Scalar::U32, words: Cow::Owned(vec![u32::MAX; 96]), ..grid };
        assert!(volumes_of("n", "", &integers, FOG).err().unwrap().contains("4294967295 of `n` does not fit"));
    }

    #[test]
    fn distances_come_back_up_to_the_band_and_tiles_as_their_values() {
        let side = 24u32;
        let cell = |at: u32| [at % side, at / side % side, at / (side * side)].map(|at| f64::from(at) + 0.5);
        let grid = |value: &dyn Fn([f64; 3]) -> f32| {
            let words = (0..side.pow(3)).map(|at| value(cell(at)).to_bits()).collect();
            let elements = [side; 3];
            let scalar = Scalar::F32;
            let words = Cow::Owned(words);
            Grid {
                dim: 3,
                cells: elements,
                elements,
                edges: [0.5; 3],
                components: 1,
                array: false,
                scalar,
                faces: false,
                words,
            }
        };
        // All of the leaf in the middle is inside.
        let ball =
            |at: [f64; 3]| (0.5 * (at.map(|part| (part - 12.0).powi(2)).iter().sum::<f64>().sqrt() - 9.0)) as f32;
        let frame = Frame { index: 1, time: 0.0, content: crate::sink::Content::Layers(Vec::new()) };
        let volumes = volumes_of("ball", "m", &grid(&ball), Class::LevelSet { band: 2.0 }).unwrap();
        let bytes = file(&volumes, &frame, &About::default());
        let class = bytes.windows(9).filter(|window| *window == b"level set").count();
        assert_eq!(class, 1);
        let whole = Domain { resolution: [side; 3], ..domain() };
        let expected: Vec<f32> = (0..side.pow(3)).map(|at| ball(cell(at)).clamp(-1.0, 1.0)).collect();
        assert!(read(&bytes, &whole, "ball", false) == expected, "2 voxels of 0.5 m on each side");
        let steps = |[x, ..]: [f64; 3]| {
            if x < 8.0 {
                3.0
            } else if x < 18.0 {
                0.25
            } else {
                0.0
            }
        };
        let bytes = file(&volumes_of("steps", "", &grid(&steps), FOG).unwrap(), &frame, &About::default());
        let expected: Vec<f32> = (0..side.pow(3)).map(|at| steps(cell(at))).collect();
        assert!(read(&bytes, &whole, "steps", false) == expected, "tiles and leaves");
    }

    fn domain() -> Domain {
        Domain {
            name: "domain".into(),
            dim: 3,
            resolution: [4, 3, 2],
            cell_size: 0.5,
            edge: Edges::default(),
            finer: None,
            sliced: None,
        }
    }

    /// The values of a grid of a file, as a node of a graph reads them.
    fn read(bytes: &[u8], domain: &Domain, name: &str, vector: bool) -> Vec<f32> {
        let path = std::env::temp_dir().join(format!("stagewright-comes-in-{}-{name}.vdb", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let wanted = Wanted::Numbers { vector, fit: ImageFit::Cover };
        let request = Request::distance(&path, Placement::InPlace, domain);
        let values = Request { layer: Some(name.into()), wanted, ..request }.load(&Work::default()).unwrap().values;
        std::fs::remove_file(path).unwrap();
        values
    }

    /// What is exported can be read by a node of a graph.
    fn comes_in(bytes: &[u8]) {
        let values = |name: &str, vector: bool| read(bytes, &domain(), name, vector);
        let vectors: Vec<f32> = (0..24).flat_map(|cell| (0..3).map(move |n| (4 * cell + n) as f32)).collect();
        assert_eq!(values("color", true), vectors);
        assert_eq!(values("color_w", false), (0..24).map(|cell| (4 * cell + 3) as f32).collect::<Vec<_>>());
    }
}
