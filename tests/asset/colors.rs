//! The colours of images: PNG and JPEG, in linear light, on the cells of a domain.

use std::panic::catch_unwind;

use png::{BitDepth, ColorType};
use stagewright_language::graph::ImageFit;
use stagewright_runtime::asset::{AssetGrid, Request, Work};
use stagewright_test_support::jpeg::jpeg;

use crate::images::png;
use crate::*;

fn colors(path: &Path, fit: ImageFit, placement: Placement, domain: &Domain) -> Result<AssetGrid, AssetError> {
    Request::image(path, fit, false, placement, domain).load(&Work::default())
}

fn seen(path: &Path, fit: ImageFit, placement: Placement, domain: &Domain) -> Vec<f32> {
    let grid = colors(path, fit, placement, domain).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(grid.warnings, Vec::<String>::new());
    assert_eq!(grid.values.len() as u64, 4 * domain.cells());
    grid.values
}

/// IEC 61966-2-1.
fn light(stored: f64) -> f64 {
    if stored <= 0.04045 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) }
}

/// Bytes that look random, the same in every run.
fn noise(count: usize) -> Vec<u8> {
    (0..count as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Red, green, blue and alpha of a pixel, as stored from 0 to 1; the row from below.
type Pixel = [f64; 4];

/// An image as a function of column and row.
struct Reference {
    width: usize,
    height: usize,
    pixels: Vec<Pixel>,
}

impl Reference {
    /// Of rows from the top.
    fn new(width: usize, height: usize, channels: usize, stored: &[f64]) -> Reference {
        let pixel = |i: usize| {
            let at = ((height - 1 - i / width) * width + i % width) * channels;
            let s = &stored[at..at + channels];
            match channels {
                1 => [s[0], s[0], s[0], 1.0],
                2 => [s[0], s[0], s[0], s[1]],
                3 => [s[0], s[1], s[2], 1.0],
                _ => [s[0], s[1], s[2], s[3]],
            }
        };
        Reference { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    /// What a cell should show: all pixels, weighed by a tent whose half width is that of the cell or of a pixel, whichever
    /// is larger; and how much of the cell is in the image. `corner` and `edge` are those of the image and of a pixel.
    fn cell(&self, center: [f64; 2], cell: f64, corner: [f64; 2], edge: [f64; 2]) -> [f64; 4] {
        let count = [self.width, self.height];
        let mut covered = 1.0;
        let mut weights = [Vec::new(), Vec::new()];
        for axis in 0..2 {
            let end = corner[axis] + edge[axis] * count[axis] as f64;
            let low = (center[axis] - cell / 2.0).max(corner[axis]);
            covered *= ((center[axis] + cell / 2.0).min(end) - low).max(0.0) / cell;
            let inside = center[axis].clamp(corner[axis] + edge[axis] / 2.0, end - edge[axis] / 2.0);
            let reach = cell.max(edge[axis]);
            let middle = |i: usize| corner[axis] + (i as f64 + 0.5) * edge[axis];
            weights[axis] = (0..count[axis]).map(|i| (1.0 - (middle(i) - inside).abs() / reach).max(0.0)).collect();
        }
        if covered < 1e-9 {
            return [0.0; 4];
        }
        let mut sum = [0.0; 3];
        let mut plain = [0.0; 3];
        let mut alpha = 0.0;
        let mut total = 0.0;
        for (i, pixel) in self.pixels.iter().enumerate() {
            let weight = weights[0][i % self.width] * weights[1][i / self.width];
            total += weight;
            alpha += weight * pixel[3];
            for c in 0..3 {
                sum[c] += weight * pixel[3] * light(pixel[c]);
                plain[c] += weight * light(pixel[c]);
            }
        }
        let color = |c: usize| if alpha > 0.0 { sum[c] / alpha } else { plain[c] / total };
        [color(0), color(1), color(2), alpha / total * covered]
    }
}

/// Colours are at most 1 and computed in f64, so only the last rounding is left.
const BAR: f64 = f32::EPSILON as f64;

fn compare(what: &str, values: &[f32], expected: impl Iterator<Item = [f64; 4]>) {
    let expected: Vec<f64> = expected.flatten().collect();
    assert_eq!(values.len(), expected.len());
    let error = values.iter().zip(&expected).map(|(v, e)| (f64::from(*v) - e).abs()).fold(0.0, f64::max);
    println!("{what}: off by {error:.1e}, bar {BAR:.1e}");
    assert!(error <= BAR, "{what}: {error:e}");
}

#[test]
fn a_pixel_is_a_cell_in_every_kind_of_png() {
    let folder = Folder::new("kinds");
    let domain = domain(2, 8);
    for (color, channels) in
        [(ColorType::Grayscale, 1), (ColorType::GrayscaleAlpha, 2), (ColorType::Rgb, 3), (ColorType::Rgba, 4)]
    {
        for (depth, bytes) in [(BitDepth::Eight, 1), (BitDepth::Sixteen, 2)] {
            let data = noise(64 * channels * bytes);
            let stored: Vec<f64> = match bytes {
                1 => data.iter().map(|b| f64::from(*b) / 255.0).collect(),
                _ => data.chunks(2).map(|b| f64::from(u16::from_be_bytes([b[0], b[1]])) / 65535.0).collect(),
            };
            let path = folder.file("kind.png", png(8, 8, color, depth, &data));
            let image = Reference::new(8, 8, channels, &stored);
            for fit in [ImageFit::Cover, ImageFit::Contain, ImageFit::Stretch] {
                let values = seen(&path, fit, Placement::InPlace, &domain);
                let exact = image.pixels.iter().map(|p| [light(p[0]), light(p[1]), light(p[2]), p[3]]);
                compare(&format!("{color:?} {depth:?} {fit:?}"), &values, exact);
            }
            let request = Request::image(&path, ImageFit::Cover, true, Placement::InPlace, &domain);
            let values = request.load(&Work::default()).unwrap().values;
            compare(&format!("{color:?} {depth:?} linear"), &values, image.pixels.iter().copied());
        }
    }
}

/// Wide and high images on a square and on a wide domain, shrunk and enlarged, by every rule and at a place.
#[test]
fn images_fill_the_domain_as_they_are_told() {
    let folder = Folder::new("fits");
    for (width, height) in [(12, 5), (5, 12), (3, 3)] {
        let data = noise(width * height * 4);
        let stored: Vec<f64> = data.iter().map(|b| f64::from(*b) / 255.0).collect();
        let path = folder.file("fit.png", png(width as u32, height as u32, ColorType::Rgba, BitDepth::Eight, &data));
        let image = Reference::new(width, height, 4, &stored);
        for resolution in [[7, 7, 1], [4, 4, 1], [20, 9, 1]] {
            let domain = Domain { resolution, cell_size: 1.0 / f64::from(resolution[0]), ..domain(2, 1) };
            let cell = domain.cell_size;
            let w = width as f64;
            let h = height as f64;
            let size = [cell * f64::from(resolution[0]), cell * f64::from(resolution[1])];
            let per_pixel = [size[0] / w, size[1] / h];
            let centered = |edge: [f64; 2], center: [f64; 2]| {
                (edge, [center[0] - edge[0] * w / 2.0, center[1] - edge[1] * h / 2.0])
            };
            let middle = [size[0] / 2.0, size[1] / 2.0];
            let (large, small) = (per_pixel[0].max(per_pixel[1]), per_pixel[0].min(per_pixel[1]));
            let at = |size| Placement::Fit { center: [0.3, 0.2, 0.0], size };
            for (what, fit, placement, (edge, corner)) in [
                ("cover", ImageFit::Cover, Placement::InPlace, centered([large; 2], middle)),
                ("contain", ImageFit::Contain, Placement::InPlace, centered([small; 2], middle)),
                ("stretch", ImageFit::Stretch, Placement::InPlace, centered(per_pixel, middle)),
                ("0.4 m wide", ImageFit::Cover, at(0.4), centered([0.4 / w; 2], [0.3, 0.2])),
                ("a pixel a cell", ImageFit::Cover, at(0.0), centered([cell; 2], [0.3, 0.2])),
            ] {
                let values = seen(&path, fit, placement, &domain);
                let expected = centers(&domain).map(|p| image.cell([p[0], p[1]], cell, corner, edge));
                compare(&format!("{width} x {height} on {resolution:?}, {what}"), &values, expected);
            }
        }
    }
}

/// Squares of black and white, shrunk until they vanish, are as bright as half the light: 0.5, not the light of a stored 0.5.
#[test]
fn shrinking_keeps_the_light() {
    let folder = Folder::new("light");
    let data: Vec<u8> = (0..64 * 64).map(|i| if (i % 64 + i / 64) % 2 == 0 { 255 } else { 0 }).collect();
    let path = folder.file("squares.png", png(64, 64, ColorType::Grayscale, BitDepth::Eight, &data));
    let values = seen(&path, ImageFit::Cover, Placement::InPlace, &domain(2, 8));
    for (i, value) in values.chunks(4).enumerate() {
        // The tent of a cell at the border is cut off, so it does not weigh both colours equally.
        let border = [i % 8, i / 8].iter().any(|place| [0, 7].contains(place));
        let bar = if border { 1e-3 } else { BAR };
        assert!((f64::from(value[0]) - 0.5).abs() <= bar && value[3] == 1.0, "{value:?} in cell {i}");
    }
}

#[test]
fn a_jpeg_is_what_its_blocks_say() {
    let folder = Folder::new("jpeg");
    let domain = Domain { resolution: [3, 2, 1], ..domain(2, 3) };
    let middle = |blocks: &[u8], channels: usize, name: &str| {
        let path = folder.file(name, jpeg(3, channels, blocks, None));
        // Cells as large as blocks would see their neighbours: a pixel is a cell.
        let fine = Domain { resolution: [24, 16, 1], ..domain.clone() };
        let values = seen(&path, ImageFit::Stretch, Placement::InPlace, &fine);
        let at = |x: usize, y: usize| values[4 * ((15 - (8 * y + 4)) * 24 + 8 * x + 4)..][..4].to_vec();
        (0..6).map(|i| at(i % 3, i / 3)).collect::<Vec<_>>()
    };
    let grey = [0, 10, 128, 200, 255, 90];
    // The name does not matter, the content does.
    for name in ["grey.jpg", "grey.JPEG", "grey.png"] {
        for (value, stored) in middle(&grey, 1, name).iter().zip(grey) {
            let exact = light(f64::from(stored) / 255.0);
            assert!(value[..3].iter().all(|v| (f64::from(*v) - exact).abs() < BAR), "{stored}: {value:?}, {exact}");
            assert!(value[3] == 1.0);
        }
    }
    let blocks: Vec<u8> = vec![76, 85, 255, 150, 44, 21, 29, 255, 107, 128, 128, 128, 255, 128, 128, 90, 160, 100];
    for (value, ycc) in middle(&blocks, 3, "color.jpg").iter().zip(blocks.chunks(3)) {
        let [y, cb, cr] = [f64::from(ycc[0]), f64::from(ycc[1]) - 128.0, f64::from(ycc[2]) - 128.0];
        // JFIF 1.02.
        let rgb = [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb];
        for (v, stored) in value.iter().zip(rgb) {
            // Decoders round to whole steps, once or twice.
            let near = [-1.0, 1.0].map(|off: f64| light((stored + off).clamp(0.0, 255.0) / 255.0));
            let v = f64::from(*v);
            assert!(v >= near[0] - BAR && v <= near[1] + BAR, "{ycc:?}: {v} is not in {near:?}");
        }
    }
}

/// Exif 2.3, tag 0x0112: on which side of what is seen the first row and the first column of what is stored are.
#[test]
fn photographs_are_turned_as_the_camera_was() {
    let folder = Folder::new("turned");
    let sides = [
        ("top", "left"),
        ("top", "right"),
        ("bottom", "right"),
        ("bottom", "left"),
        ("left", "top"),
        ("right", "top"),
        ("right", "bottom"),
        ("left", "bottom"),
    ];
    let blocks = [20, 60, 100, 140, 180, 220];
    for (tag, (row_side, column_side)) in (1..).zip(sides) {
        let path = folder.file("turned.jpg", jpeg(3, 1, &blocks, Some(tag)));
        let (wide, high) = if tag < 5 { (3, 2) } else { (2, 3) };
        let fine = Domain { resolution: [8 * wide, 8 * high, 1], ..domain(2, 3) };
        let values = seen(&path, ImageFit::Stretch, Placement::InPlace, &fine);
        for (i, stored) in blocks.iter().enumerate() {
            let (mut x, mut y) = (0, 0);
            for (side, steps) in [(row_side, i as u32 / 3), (column_side, i as u32 % 3)] {
                match side {
                    "left" => x = steps,
                    "right" => x = wide - 1 - steps,
                    // Cells count from below.
                    "bottom" => y = steps,
                    _ => y = high - 1 - steps,
                }
            }
            let value = f64::from(values[(4 * ((8 * y + 4) * 8 * wide + 8 * x + 4)) as usize]);
            let exact = light(f64::from(*stored) / 255.0);
            assert!((value - exact).abs() < BAR, "orientation {tag}, block {i}: {value}, {exact}");
        }
    }
}

#[test]
fn errors_of_images_name_the_file_the_cause_and_the_remedy() {
    let folder = Folder::new("image-errors");
    let refused = |name: &str, bytes: &[u8], dim: u32| {
        refusal(colors(&folder.file(name, bytes), ImageFit::Cover, Placement::InPlace, &domain(dim, 4)))
    };
    let whole = jpeg(4, 3, &noise(48), None);
    let cut = &whole[..whole.len() - 9];
    let frame = whole.windows(2).position(|m| m == [0xff, 0xc0]).unwrap();
    let sized = |width: u16, height: u16| {
        let mut bytes = whole.clone();
        bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
        bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
        bytes
    };
    let gone = refusal(colors(&folder.0.join("gone.jpg"), ImageFit::Cover, Placement::InPlace, &domain(2, 4)));
    assert_eq!(gone, "gone.jpg: there is no such file; choose an existing file, or correct the path");
    let colorless = "cube.obj: a mesh has no colours; connect its distance, or choose a .png, .jpg or .exr image";
    assert_eq!(refused("cube.obj", b"", 2), colorless);
    assert_eq!(refused("cube.obj", b"", 3), colorless);
    let flat =
        "photo.jpg: an image cannot be used in a 3D domain; choose an .obj, .gltf or .glb mesh, or make the domain 2D";
    assert_eq!(refused("photo.jpg", b"", 3), flat);
    for (name, bytes, cause) in [
        ("cut.jpg", cut, "it is not a valid JPEG file: it is cut off; export it again"),
        (
            "large.jpg",
            &sized(65_500, 65_500),
            "an image of 65500 x 65500 pixels is too large; shrink it to at most 8192 x 8192",
        ),
        (
            "hollow.jpg",
            &sized(8192, 8192),
            &format!(
                "it is not a valid JPEG file: {} bytes can't hold 8192 x 8192 pixels; export it again",
                whole.len()
            ),
        ),
    ] {
        assert_eq!(refused(name, bytes, 2), format!("{name}: {cause}"));
    }
    for (name, bytes) in [("empty.jpg", &b""[..]), ("text.jpg", b"not a picture"), ("start.jpg", &[0xff, 0xd8])] {
        let said = refused(name, bytes, 2);
        assert!(said.starts_with(&format!("{name}: it is not a valid JPEG file: ")), "{said}");
        assert!(said.ends_with("; export it again") && said.lines().count() == 1, "{said}");
    }
    let away = Placement::Fit { center: [5.0, 0.5, 0.0], size: 1.0 };
    let grid = colors(&folder.file("whole.jpg", &whole), ImageFit::Cover, away, &domain(2, 4)).unwrap();
    assert_eq!(grid.warnings, ["the image lies outside the domain; move its center"]);
    assert!(grid.values.iter().all(|v| *v == 0.0));
}

/// Thousands of damaged files: bytes changed, cut out, doubled.
#[test]
fn damaged_jpegs_do_no_harm() {
    let folder = Folder::new("damaged-jpeg");
    let whole = jpeg(3, 3, &noise(54), Some(6));
    let (mut state, mut read) = (7u64, 0);
    let mut number = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..=number(3) {
            let at = number(bytes.len());
            match number(4) {
                0 => bytes[at] = number(256) as u8,
                1 => bytes[at] ^= 1 << number(8),
                2 => drop(bytes.drain(at..(at + number(6)).min(bytes.len()))),
                _ => bytes.insert(at, [0xff, 0xd8, 0xda, 0xc2, 0x00][number(5)]),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let path = folder.file("damaged.jpg", &bytes);
        let result = catch_unwind(|| colors(&path, ImageFit::Cover, Placement::InPlace, &domain(2, 3)));
        match result.unwrap_or_else(|_| panic!("it panicked over {bytes:?}")) {
            Ok(grid) => {
                assert!(grid.values.iter().all(|v| (0.0..=1.0).contains(v)));
                read += 1;
            }
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
        }
    }
    println!("{read} of 3000 damaged files are still images");
    assert!(read > 100 && read < 2900);
}
