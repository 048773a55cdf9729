//! PNG outlines.

use png::{BitDepth, ColorType};

use crate::*;

/// Writes samples, top row first.
pub fn png(width: u32, height: u32, color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![0, 0, 0, 255, 255, 255]);
    }
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

const PIXELS: u32 = 64;

/// How much of each pixel a disc covers, by 32 x 32 samples, 0..1, top row first.
fn disc(x: f64, y: f64, radius: f64) -> Vec<f64> {
    let covered = |i: u32| {
        let hits = (0..1024).filter(|s| {
            let px = f64::from(i % PIXELS) + (f64::from(s % 32) + 0.5) / 32.0;
            let py = f64::from(PIXELS - 1 - i / PIXELS) + (f64::from(s / 32) + 0.5) / 32.0;
            (px - x).hypot(py - y) < radius
        });
        hits.count() as f64 / 1024.0
    };
    (0..PIXELS * PIXELS).map(covered).collect()
}

/// How far the outline may lie off a smooth edge, in pixels. The coverage of pixels along an upright edge goes 1, c, 0, and
/// linear interpolation puts its half, for c < 1/2, at 1/2 / (1 - c) where the edge is at 1/2 + c: at most 3/2 - sqrt(2) = 0.086
/// off. A slanted edge blurs over more pixels and comes out better. A chord of a pixel's diagonal adds 2 / (8 R), and sampling
/// the disc at 1/32 pixel half of that.
fn bar(radius: f64) -> f64 {
    1.5 - 2.0f64.sqrt() + 2.0 / (8.0 * radius) + 1.0 / 64.0
}

/// The disc is off the middle, so that turning the image over would show.
#[test]
fn disc_is_found_between_pixels() {
    let folder = Folder::new("disc");
    let (x, y, radius) = (28.3, 38.9, 20.2);
    let covered = disc(x, y, radius);
    let grey: Vec<u8> = covered.iter().map(|c| (c * 255.0).round() as u8).collect();
    let path = folder.file("disc.png", png(PIXELS, PIXELS, ColorType::Grayscale, BitDepth::Eight, &grey));
    let domain = domain(2, 90);
    // The image spans 0.8 m about the middle.
    let pixel = 0.8 / f64::from(PIXELS);
    let center = [0.1 + x * pixel, 0.1 + y * pixel, 0.0];
    let exact = |p| distance(p, center) - radius * pixel;
    let grey_values = distances(&path, &fit(0.8), &domain);
    check("disc, 8 bit", &grey_values, &domain, bar(radius) * pixel, exact);

    let wide: Vec<u8> = covered.iter().flat_map(|c| ((c * 65535.0).round() as u16).to_be_bytes()).collect();
    let path = folder.file("wide.png", png(PIXELS, PIXELS, ColorType::Grayscale, BitDepth::Sixteen, &wide));
    check("disc, 16 bit", &distances(&path, &fit(0.8), &domain), &domain, bar(radius) * pixel, exact);

    // Alpha varies, so colour does not count.
    let rgba: Vec<u8> = grey.iter().flat_map(|a| [a ^ 0x5a, 255, 3, *a]).collect();
    let path = folder.file("alpha.png", png(PIXELS, PIXELS, ColorType::Rgba, BitDepth::Eight, &rgba));
    assert_eq!(distances(&path, &fit(0.8), &domain), grey_values);
    // Alpha is the same all over, so colour counts.
    let rgba: Vec<u8> = grey.iter().flat_map(|v| [*v, *v, *v, 77]).collect();
    let path = folder.file("opaque.png", png(PIXELS, PIXELS, ColorType::Rgba, BitDepth::Eight, &rgba));
    let difference =
        distances(&path, &fit(0.8), &domain).iter().zip(&grey_values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // The weights of red, green and blue add up to 1 but for rounding.
    assert!(difference < 1e-6, "{difference:e}");
}

/// Pixels without blur meet the border between them, and each is a square but for its corners, which the outline cuts off at a
/// half: the pixel at (2, 1) from below of an image 4 wide and 3 high is a diamond.
#[test]
fn rows_come_from_the_top() {
    let folder = Folder::new("rows");
    let mut bits = [0u8; 12];
    bits[4 + 2] = 255;
    bits[0] = 255;
    let path = folder.file("rows.png", png(4, 3, ColorType::Grayscale, BitDepth::Eight, &bits));
    // Cells of a quarter pixel.
    let domain = Domain { resolution: [16, 12, 1], ..domain(2, 4) };
    let values = distances(&path, &Placement::Fit { center: [2.0, 1.5, 0.0], size: 4.0 }, &domain);
    let diamond = |p: [f64; 3], x: f64, y: f64| ((p[0] - x).abs() + (p[1] - y).abs() - 0.5) / 2.0f64.sqrt();
    for (value, p) in values.iter().zip(centers(&domain)) {
        assert_eq!(*value < 0.0, diamond(p, 2.5, 1.5).min(diamond(p, 0.5, 2.5)) < 0.0, "{value} at {p:?}");
    }
}

/// A pixel is a cell without a size, and an image that is inside all over is a box: the outside begins at its border.
#[test]
fn a_full_image_is_a_box() {
    let folder = Folder::new("full");
    let path = folder.file("full.png", png(8, 4, ColorType::Indexed, BitDepth::One, &[0xff; 4]));
    let domain = domain(2, 16);
    for (placement, corner) in [
        (Placement::InPlace, [0.0, 0.0]),
        (Placement::Fit { center: MIDDLE, size: 0.0 }, [0.25, 0.375]),
        (Placement::Fit { center: MIDDLE, size: 0.5 }, [0.25, 0.375]),
    ] {
        let grid = warned(&path, &placement, &domain);
        assert_eq!(
            grid.warnings,
            ["the whole image is inside; paint the shape white on black, or opaque on transparent"]
        );
        for (value, p) in grid.values.iter().zip(centers(&domain)) {
            let inside = (0.0..0.5).contains(&(p[0] - corner[0])) && (0.0..0.25).contains(&(p[1] - corner[1]));
            // Corners of the box are cut off by half a pixel.
            let near_corner = [0.0, 0.5].iter().any(|x| (p[0] - corner[0] - x).abs() < 0.04)
                && [0.0, 0.25].iter().any(|y| (p[1] - corner[1] - y).abs() < 0.04);
            assert!(near_corner || (*value < 0.0) == inside, "{value} at {p:?}");
        }
        let middle = [corner[0] + 0.25, corner[1] + 0.125];
        let nearest = grid
            .values
            .iter()
            .zip(centers(&domain))
            .find(|(_, p)| (p[0] - middle[0]).abs() < 0.04 && (p[1] - middle[1]).abs() < 0.04);
        let (value, p) = nearest.unwrap();
        assert!((f64::from(*value) + 0.125 - (p[1] - middle[1]).abs()).abs() < 1e-7, "{value} at {p:?}");
    }
}

/// Two pixels that touch at a corner: interpolation decides, by brightness, whether they are joined, and the sign agrees with the
/// outline everywhere: it changes nowhere but next to it.
#[test]
fn signs_agree_with_the_outline() {
    let folder = Folder::new("saddle");
    let domain = domain(2, 64);
    for bright in [200u8, 255] {
        // A checkerboard of noise, the same on every run.
        let noise: Vec<u8> =
            (0..64u32).map(|i| if (i + i / 8) % 2 == 0 { bright } else { (i * 37 % 120) as u8 }).collect();
        let path = folder.file("noise.png", png(8, 8, ColorType::Grayscale, BitDepth::Eight, &noise));
        let values = distances(&path, &fit(0.9), &domain);
        let (n, cell) = (64, domain.cell_size as f32);
        let pairs = (0..n * n).flat_map(|i| [(i, i + 1, i % n + 1 < n), (i, i + n, i / n + 1 < n)]);
        let mut changes = 0;
        for (a, b, _) in pairs.filter(|pair| pair.2) {
            // The signed distance to a closed curve changes by at most a cell.
            assert!((values[a] - values[b]).abs() <= cell * 1.00001, "{} next to {}", values[a], values[b]);
            changes += u32::from((values[a] < 0.0) != (values[b] < 0.0));
        }
        assert!(changes > 100, "{changes}");
    }
}
