//! Images in full depth, grids, particles, sounds and tables from files.

use std::path::PathBuf;

use png::{BitDepth, ColorType};
use stagewright_base::files::Access;
use stagewright_language::graph::{Domain, ImageFit, MeshPoints};
use stagewright_language::stage::edges::Edges;
use stagewright_runtime::asset::envelope::Loudness;
use stagewright_runtime::asset::{Column, Number, Placement, Request, Timing, Wanted, Work};

use super::Target;
use super::asset::{make_obj, with_checksums};
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

const LEVELS: &[&str] = &["refused", "read"];

const fn target(name: &'static str, make: fn(&mut Random) -> Vec<u8>, run: fn(&[u8]) -> usize) -> Target {
    Target { name, ending: name, weight: 4, short: 100, levels: LEVELS, make, run }
}

pub const EXR: Target = target("exr", make_exr, |bytes| image("exr", bytes));
pub const PNG16: Target = Target { ending: "png", ..target("png16", make_png16, |bytes| image("png", bytes)) };
pub const NPY: Target = target("npy", make_npy, |bytes| grid("npy", bytes).max(particles("npy", bytes)));
// Its cases take longer.
pub const VDB: Target = Target { short: 25, ..target("vdb", make_vdb, |bytes| grid("vdb", bytes)) };
pub const PLY: Target = target("ply", make_ply, |bytes| particles("ply", bytes));
pub const NPZ: Target = target("npz", make_npz, |bytes| particles("npz", bytes));
pub const POINTS: Target = Target { ending: "obj", ..target("points", make_obj, |b| particles("obj", b)) };
pub const WAV: Target = target("wav", make_wav, |bytes| over_time("wav", bytes));
pub const CSV: Target = target("csv", make_csv, |bytes| over_time("csv", bytes));

fn domain(dim: u32) -> Domain {
    let resolution = if dim == 2 { [12, 9, 1] } else { [6, 5, 4] };
    Domain { name: "domain".into(), dim, resolution, cell_size: 0.1, edge: Edges::default(), finer: None, sliced: None }
}

/// The file of a case.
fn written(ending: &str, bytes: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright-campaign-{}", std::process::id()));
    let file: PathBuf = folder.join("file").with_extension(ending);
    std::fs::create_dir_all(&folder).expect("a folder for the case");
    std::fs::write(&file, bytes).expect("the case is written");
    file
}

/// Whether one of the requests is answered; the others must be refused in one sentence.
fn answered(requests: impl IntoIterator<Item = Request>, count: impl Fn(&Request) -> Option<u64>) -> usize {
    let mut level = 0;
    for request in requests {
        match request.load(&Work::default()) {
            Ok(grid) => {
                let right = count(&request).is_none_or(|count| count == grid.values.len() as u64);
                assert!(right, "{} numbers", grid.values.len());
                // The bits of whole numbers may be those of any float.
                let whole = |column: Column| column.kind != Number::Float;
                let bits = matches!(request.wanted, Wanted::Particles(column) if whole(column));
                assert!(bits || grid.values.iter().all(|number| number.is_finite()), "numbers are finite");
                level = 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("file.") && !text.contains('\n'), "{text}");
            }
        }
    }
    level
}

const FIT: Placement = Placement::Fit { center: [0.3; 3], size: 0.4 };

/// The colours of an image, and of a layer, in place and placed.
fn image(ending: &str, bytes: &[u8]) -> usize {
    let (file, domain) = (written(ending, bytes), domain(2));
    let of = |placement, linear| Request::image(&file, ImageFit::Contain, linear, placement, &domain);
    let layer = Request { layer: Some("velocity".into()), ..of(Placement::InPlace, true) };
    let cells = domain.cells();
    answered([of(FIT, false), of(Placement::InPlace, true), layer], |request| Some(cells * request.wanted.components()))
}

/// Numbers and vectors of a grid, in place, stretched and placed.
fn grid(ending: &str, bytes: &[u8]) -> usize {
    let file = written(ending, bytes);
    let mut requests = Vec::new();
    for dim in [2, 3] {
        let domain = domain(dim);
        for (placement, fit) in [(FIT, ImageFit::Cover), (Placement::InPlace, ImageFit::Stretch)] {
            for vector in [false, true] {
                let wanted = Wanted::Numbers { vector, fit };
                requests.push(Request { wanted, ..Request::distance(&file, placement, &domain) });
            }
        }
    }
    answered(requests, |_| None)
}

/// Attributes of particles, and how many there are.
fn particles(ending: &str, bytes: &[u8]) -> usize {
    let (file, domain) = (written(ending, bytes), domain(3));
    let column = Column { components: 3, stride: 4, kind: Number::Float, capacity: 1 << 20 };
    let whole = Column { components: 1, stride: 1, kind: Number::Unsigned, ..column };
    let of = |name: Option<&str>, column, placement, points| Request {
        layer: name.map(String::from),
        wanted: Wanted::Particles(column),
        points,
        ..Request::distance(&file, placement, &domain)
    };
    let (some, number) = (MeshPoints::Surface { count: 50, seed: 3 }, Column { kind: Number::Float, ..whole });
    let requests = [
        of(None, whole, FIT, some),
        of(Some("id"), whole, FIT, some),
        of(Some("position"), column, FIT, some),
        of(Some("position"), column, Placement::InPlace, MeshPoints::Vertices),
        of(Some("color"), column, Placement::InPlace, some),
        of(Some("radius"), number, Placement::InPlace, some),
    ];
    answered(requests, |_| None)
}

/// A number for each frame, at once and slowly, of the first column and of another one.
fn over_time(ending: &str, bytes: &[u8]) -> usize {
    let file = written(ending, bytes);
    let timing = Timing { fps: 24.0, loudness: Loudness::Rms, attack: 0.0, release: 0.0 };
    let slow = Timing { loudness: Loudness::Peak, attack: 0.1, release: 2.0, ..timing };
    let of = |column: Option<&str>, timing| Request::track(&file, column.map(String::from), timing, Access::default());
    answered([of(None, timing), of(Some("wind"), slow)], |_| None)
}

fn make_exr(random: &mut Random) -> Vec<u8> {
    const SEEDS: [&[u8]; 8] = [
        include_bytes!("../../asset/exr/none.exr"),
        include_bytes!("../../asset/exr/rle.exr"),
        include_bytes!("../../asset/exr/zips.exr"),
        include_bytes!("../../asset/exr/zip.exr"),
        include_bytes!("../../asset/exr/piz.exr"),
        include_bytes!("../../asset/exr/pxr24.exr"),
        include_bytes!("../../asset/exr/tiles.exr"),
        include_bytes!("../../asset/exr/window.exr"),
    ];
    let seed = random.one(&SEEDS);
    begin_or_all(random, seed, 400)
}

/// Changes the header, where sizes are, as often as everything.
fn begin_or_all(random: &mut Random, seed: &[u8], header: usize) -> Vec<u8> {
    if random.chance(50) {
        return mutate::bytes(random, seed);
    }
    let (begin, rest) = seed.split_at(header.min(seed.len()));
    [&mutate::bytes(random, begin), rest].concat()
}

fn make_png16(random: &mut Random) -> Vec<u8> {
    let (color, samples) = *random.one(&[(ColorType::Grayscale, 1), (ColorType::Rgb, 3), (ColorType::Rgba, 4)]);
    let (width, height) = *random.one(&[(1, 1), (4, 4), (16, 9)]);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Sixteen);
    let pixels: Vec<u8> = (0..2 * width * height * samples).map(|_| random.below(256) as u8).collect();
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).expect("a small picture is written");
    let bytes = mutate::bytes(random, &bytes);
    if random.chance(70) { with_checksums(bytes) } else { bytes }
}

fn make_npy(random: &mut Random) -> Vec<u8> {
    let seeds = [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5, 6), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9, 12, 2), }\n",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (30, 3), }\n",
        "{'descr': '>i4', 'fortran_order': True, 'shape': (4, 5, 6), }\n",
        "{'descr': '>f8', 'fortran_order': True, 'shape': (20, 3), }\n",
        "{'descr': [('position', '<f4', (3,)), ('id', '<u4'), ('', '|V4'), ('radius', '<f8')], 'fortran_order': False, 'shape': (10,), }\n",
    ];
    let seeds = seeds.map(String::from);
    let words = [
        "'<f4'",
        "'>u2'",
        "'|V8'",
        "\n\u{1b}[2J",
        "'|b1'",
        "True",
        "(",
        ")",
        "[",
        "]",
        ",",
        "'shape':",
        "'descr':",
        "(3,)",
    ];
    let words: Vec<&str> = words.iter().chain(NUMBERS).copied().collect();
    let one = random.one(&seeds).clone();
    let header = if random.chance(60) { mutate::text(random, &one, &seeds, &words) } else { one };
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len().min(65_535) as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend((0..*random.one(&[480, 481, 1200])).map(|n| n as u8));
    if random.chance(40) { mutate::bytes(random, &bytes) } else { bytes }
}

fn make_npz(random: &mut Random) -> Vec<u8> {
    mutate::bytes(random, include_bytes!("../../asset/grids/numpy.npz"))
}

fn make_vdb(random: &mut Random) -> Vec<u8> {
    begin_or_all(random, include_bytes!("../../asset/grids/openvdb.vdb"), 2000)
}

fn make_ply(random: &mut Random) -> Vec<u8> {
    let header = "element camera 1\nproperty float view\nelement vertex 4\nproperty double x\nproperty float y\nproperty list uchar short tags\nproperty float z\n\
                  property uchar red\nproperty uint id\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let numbers = "7\n0 0.5 0 1 255 4294967295\n2 0.5 2 9 9 1 0 5\n1 1 0 1 3 2\n4 5 0 6 7 8\n3 0 1 2\n";
    if random.chance(50) {
        let words: Vec<&str> =
            ["element", "vertex", "property", "list", "float", "double", "end_header", "ascii"].into();
        let words: Vec<&str> = words.into_iter().chain(NUMBERS.iter().copied()).collect();
        let text = format!("ply\nformat ascii 1.0\n{header}{numbers}");
        return mutate::text(random, &text, std::slice::from_ref(&text), &words).into_bytes();
    }
    let order = random.one(&["binary_little_endian", "binary_big_endian"]);
    let mut bytes = format!("ply\nformat {order} 1.0\n{header}").into_bytes();
    let length = bytes.len();
    bytes.extend((0..4 + 4 * 21 + 13).map(|n| n as u8));
    begin_or_all(random, &bytes, length)
}

fn make_wav(random: &mut Random) -> Vec<u8> {
    let (tag, bits) = *random.one(&[(1u16, 8u16), (1, 16), (1, 24), (3, 32), (3, 64)]);
    let mut bytes = match random.chance(50) {
        true => b"RIFF\0\0\0\0WAVE".to_vec(),
        false => [&b"RF64\xff\xff\xff\xffWAVEds64\x18\0\0\0"[..], &[0; 8], &1600u64.to_le_bytes(), &[0; 8]].concat(),
    };
    bytes.extend(b"fmt \x10\0\0\0");
    bytes.extend(tag.to_le_bytes());
    bytes.extend([2, 0]);
    bytes.extend(1000u32.to_le_bytes());
    bytes.extend([0; 6]);
    bytes.extend(bits.to_le_bytes());
    bytes.extend(b"note\x03\0\0\0abc\0data");
    bytes.extend(1600u32.to_le_bytes());
    bytes.extend((0..1600).map(|n| (n * 7) as u8));
    begin_or_all(random, &bytes, 56)
}

fn make_csv(random: &mut Random) -> Vec<u8> {
    let seeds = [
        "time,jet,wind\n0,1,2\n0.5,3,4\n2,-1,8\n",
        "frame;total;wind\n1;5;1e3\n20;7;2\n",
        "0\t2\n10\t4\n",
        "sep=;\n# t [s];\"a;b\";wind\n0;1,5;2\n0,5;\"3,25\";4\n",
        "time (ms),\"a, \"\"b\"\"\",wind\n0,1,2\n500,3,4\n",
    ];
    let seeds = seeds.map(String::from);
    let words: Vec<&str> = ["time", "frame", "t [ms]", "wind", "\"", "\"\"", ",", ";", "\t", "#", "sep="]
        .into_iter()
        .chain(NUMBERS.iter().copied())
        .collect();
    let one = random.one(&seeds).clone();
    mutate::text(random, &one, &seeds, &words).into_bytes()
}
