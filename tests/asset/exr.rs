//! EXR images. The files in `tests/asset/exr` were written by OpenEXR's own Python module, version 3.5.3.

use std::panic::catch_unwind;

use stagewright_language::graph::ImageFit;
use stagewright_runtime::asset::{AssetGrid, Request, Work};

use crate::*;

const WIDTH: u32 = 21;
const HEIGHT: u32 = 35;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asset/exr").join(name)
}

/// A cell a pixel.
fn cells(width: u32, height: u32) -> Domain {
    Domain { resolution: [width, height, 1], ..domain(2, width) }
}

fn load(path: &Path, layer: Option<&str>, domain: &Domain) -> Result<AssetGrid, AssetError> {
    let request = Request::image(path, ImageFit::Stretch, true, Placement::InPlace, domain);
    Request { layer: layer.map(String::from), ..request }.load(&Work::default())
}

/// The numbers of a channel, from a column and a row from the top.
fn number(channel: u32, x: u32, y: u32) -> f32 {
    ((3 * x + 7 * y * y + 11 * channel) % 64) as f32 / 8.0 + channel as f32
}

/// Values of a grid by column and row from the top.
fn pixels(grid: &AssetGrid, width: u32, height: u32) -> impl Iterator<Item = (u32, u32, &[f32])> {
    let at = move |i: u32| (i % width, height - 1 - i / width);
    grid.values.chunks_exact(4).zip(0..).map(move |(pixel, i)| (at(i).0, at(i).1, pixel))
}

#[test]
fn every_compression_without_loss_gives_the_same_bits() {
    let domain = cells(WIDTH, HEIGHT);
    for name in ["none.exr", "rle.exr", "zips.exr", "zip.exr", "piz.exr", "pxr24.exr", "tiles.exr"] {
        let grid = load(&shipped(name), None, &domain).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(grid.warnings, Vec::<String>::new());
        for (x, y, pixel) in pixels(&grid, WIDTH, HEIGHT) {
            assert_eq!(pixel, [number(0, x, y), number(1, x, y), number(2, x, y), 1.0], "{name} at {x}, {y}");
        }
    }
}

#[test]
fn a_layer_is_read_by_its_name() {
    let domain = cells(WIDTH, HEIGHT);
    for name in ["zip.exr", "piz.exr", "pxr24.exr"] {
        let velocity = load(&shipped(name), Some("velocity"), &domain).unwrap();
        let depth = load(&shipped(name), Some("depth.Z"), &domain).unwrap();
        for ((x, y, v), (.., d)) in pixels(&velocity, WIDTH, HEIGHT).zip(pixels(&depth, WIDTH, HEIGHT)) {
            assert_eq!(v, [number(3, x, y), number(4, x, y), 0.0, 1.0], "{name} at {x}, {y}");
            assert_eq!(d, [(x + 100 * y) as f32; 3].into_iter().chain([1.0]).collect::<Vec<_>>());
        }
    }
    let said = refusal(load(&shipped("zip.exr"), Some("wind"), &domain));
    let layers = "B, G, R, depth, velocity";
    assert_eq!(
        said,
        format!("zip.exr: it has no layer `wind`; its layers are {layers}; name one of them as its `layer`")
    );
    let png = refusal(load(&shipped("none.png"), Some("wind"), &domain));
    assert_eq!(png, "none.png: files of its format have no layers; remove `layer`, or choose an .exr or .vdb file");
}

/// The file holds pixels 2 to 22 and 1 to 35 of an image of 24 x 40, multiplied by their alpha.
#[test]
fn alpha_is_straight_and_pixels_lie_in_the_display_window() {
    let grid = load(&shipped("window.exr"), None, &cells(24, 40)).unwrap();
    for (x, y, pixel) in pixels(&grid, 24, 40) {
        let inside = (2..2 + WIDTH).contains(&x) && (1..=HEIGHT).contains(&y);
        let expected = match (x.wrapping_sub(2), y.wrapping_sub(1)) {
            _ if !inside => [0.0; 4],
            (0, 0) => [0.0; 4],
            (x, y) => {
                let alpha = if (x + y) % 3 == 0 { 0.5 } else { 1.0 };
                [number(0, x, y), number(1, x, y), number(2, x, y), alpha]
            }
        };
        assert_eq!(pixel, expected, "at {x}, {y}");
    }
}

/// Damages the bytes of a file.
type Change<'a> = &'a dyn Fn(&mut Vec<u8>);

/// The place of an attribute's value in a file.
fn value(bytes: &[u8], attribute: &[u8]) -> usize {
    bytes.windows(attribute.len()).position(|part| part == attribute).unwrap() + attribute.len() + 4
}

#[test]
fn what_is_not_read_says_so_before_it_costs_anything() {
    let folder = Folder::new("exr-errors");
    let whole = std::fs::read(shipped("zip.exr")).unwrap();
    let refused = |name: &str, change: Change| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        refusal(load(&folder.file(name, bytes), None, &cells(4, 4)))
    };
    let compression = value(&whole, b"compression\0compression\0");
    let window = value(&whole, b"dataWindow\0box2i\0");
    let far = |bytes: &mut Vec<u8>, right: i32, bottom: i32| {
        bytes[window + 8..window + 12].copy_from_slice(&right.to_le_bytes());
        bytes[window + 12..window + 16].copy_from_slice(&bottom.to_le_bytes());
    };
    let display = value(&whole, b"displayWindow\0box2i\0");
    let broken = |cause: &str| format!("it is not a valid EXR file: {cause}; export it again");
    let hollow = format!("{} bytes can't hold 8192 x 8192 pixels", whole.len());
    let cases: [(&str, Change, String); 9] = [
        (
            "dwaa",
            &|b| b[compression] = 8,
            "it has DWAA compression, which is not supported; save it with ZIP compression".into(),
        ),
        ("deep", &|b| b[5] |= 8, "it uses deep pixels, which is not supported; export it again without".into()),
        ("parts", &|b| b[5] |= 16, "it uses several parts, which is not supported; export it again without".into()),
        ("text", &|b| b[0] = 7, broken("it does not begin as one")),
        ("empty", &|b| far(b, -1, 3), broken("it has no pixels")),
        ("hollow", &|b| far(b, 8191, 8191), broken(&hollow)),
        (
            "large",
            &|b| far(b, i32::MAX - 1, 3),
            "an image of 2147483647 x 4 pixels is too large; shrink it to at most 8192 x 8192".into(),
        ),
        ("cut", &|b| b.truncate(b.len() - 1), broken("it is cut off")),
        ("moved", &|b| far(b, 20, 33), broken("a block is damaged")),
    ];
    for (name, change, said) in cases {
        assert_eq!(refused(&format!("{name}.exr"), change), format!("{name}.exr: {said}"));
    }
    // Of a large display window, only the pixels that the file has take memory.
    let mut around = whole.clone();
    around[display + 8..display + 16].copy_from_slice(&[0xff, 0x1f, 0, 0, 0xff, 0x1f, 0, 0]);
    let grid = load(&folder.file("around.exr", around), None, &cells(4, 4)).unwrap();
    let mut empty = grid.values.chunks_exact(4).take(12);
    assert!(empty.all(|pixel| pixel[..3] == [0.0; 3]), "all but the upper left corner");
    // A number that is none.
    let plain = std::fs::read(shipped("none.exr")).unwrap();
    let mut bytes = plain.clone();
    // Behind a line's head, the first number is a blue one of half precision.
    let first = u64::from_le_bytes(bytes[bytes.len() - plain_lines(&plain)..][..8].try_into().unwrap()) as usize;
    bytes[first + 8..first + 10].copy_from_slice(&0x7e00u16.to_le_bytes());
    let grid = load(&folder.file("nan.exr", bytes), None, &cells(WIDTH, HEIGHT)).unwrap();
    assert_eq!(grid.warnings, ["1 of its numbers are infinite or none, and count as 0"]);
    assert!(grid.values.iter().all(|v| v.is_finite()));
    // Beyond what 32 bits hold as light, where the numbers are taken as sRGB. Green comes second, as floats.
    let mut bytes = plain;
    let green = first + 8 + 2 * WIDTH as usize;
    bytes[green..green + 4].copy_from_slice(&1e38f32.to_le_bytes());
    let path = folder.file("bright.exr", bytes);
    let domain = cells(WIDTH, HEIGHT);
    let request = Request::image(&path, ImageFit::Stretch, false, Placement::InPlace, &domain);
    let grid = request.load(&Work::default()).unwrap();
    assert_eq!(grid.warnings, ["1 of the cells' numbers are infinite or none, and count as 0"]);
    assert!(grid.values.iter().all(|v| v.is_finite()));
}

/// Bytes from the table of offsets to the end of an uncompressed file.
fn plain_lines(bytes: &[u8]) -> usize {
    let line = 8 + WIDTH as usize * (2 + 4 + 2 + 4 + 4 + 4);
    assert!(bytes.len() > HEIGHT as usize * (8 + line));
    HEIGHT as usize * (8 + line)
}

/// Files of all compressions, cut off and with other bytes.
#[test]
fn damaged_exr_files_do_no_harm() {
    let folder = Folder::new("damaged-exr");
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut read, mut total) = (0, 0);
    for name in ["none.exr", "rle.exr", "zip.exr", "piz.exr", "pxr24.exr", "tiles.exr"] {
        let whole = std::fs::read(shipped(name)).unwrap();
        for round in 0..30 {
            let mut bytes = whole.clone();
            match round % 3 {
                0 => bytes.truncate(random(whole.len())),
                // Header, table and the first block.
                1 => (0..3).for_each(|_| bytes[random(700)] = random(256) as u8),
                _ => (0..3).for_each(|_| bytes[random(whole.len())] = random(256) as u8),
            }
            let path = folder.file("damaged.exr", &bytes);
            let result = catch_unwind(|| load(&path, None, &cells(5, 5)));
            match result.unwrap_or_else(|_| panic!("it panicked over {name}, round {round}")) {
                Ok(grid) => {
                    assert!(round % 3 > 0, "{name} was cut off");
                    assert!(grid.values.iter().all(|v| !v.is_nan()));
                    read += 1;
                }
                Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
            }
            total += 1;
        }
    }
    println!("{read} of {total} damaged files are still images");
    assert!(read > 5 && read < total * 2 / 3);
}
