//! Image processing: blend modes, levels, hues, channels, ramps, crops and transformations, each pixel against f64.

use std::fmt::Write as _;

use stagewright_solver_support::harness::*;

const SIZE: [usize; 2] = [32, 16];
const PIXELS: usize = SIZE[0] * SIZE[1];
const DOMAIN: &str = r#""domain": (domain: (resolution: (32, 16), width: 2, edge: "clamp")),"#;

/// Colours and alphas of 0..1, among them 0, 1 and equal ones.
fn image(seed: u32) -> Vec<f32> {
    let mut image: Vec<f32> = random(4 * PIXELS, seed).iter().map(|v| (0.6 * v + 0.5).clamp(0.0, 1.0)).collect();
    image.chunks_mut(4).step_by(5).for_each(|p| p[1] = p[0]);
    image.chunks_mut(4).step_by(7).for_each(|p| p[2] = p[1]);
    image
}

fn pixels(values: &[f32]) -> Vec<[f64; 4]> {
    values.chunks(4).map(|p| std::array::from_fn(|k| f64::from(p[k]))).collect()
}

#[track_caller]
fn same(what: &str, got: &[f64], expected: &[[f64; 4]], bar: f64, because: &str) {
    within(what, max_abs(&difference(got, expected.as_flattened())), bar, because);
}

/// B(back, front) as the W3C's Compositing and Blending Level 1 writes it; add, subtract and divide besides.
fn blended(mode: usize, b: f64, f: f64) -> f64 {
    let screen = |b: f64, f: f64| 1.0 - (1.0 - b) * (1.0 - f);
    let hard_light = |b: f64, f: f64| if f <= 0.5 { b * 2.0 * f } else { screen(b, 2.0 * f - 1.0) };
    match mode {
        0 => f,
        1 => b + f,
        2 => (b - f).max(0.0),
        3 => b * f,
        4 if f == 0.0 => 0.0,
        4 => b / f,
        5 => b.min(f),
        6 => b.max(f),
        7 => (b - f).abs(),
        8 => screen(b, f),
        9 => hard_light(f, b),
        10 => hard_light(b, f),
        11 if f <= 0.5 => b - (1.0 - 2.0 * f) * b * (1.0 - b),
        11 => {
            let d = if b <= 0.25 { ((16.0 * b - 12.0) * b + 4.0) * b } else { b.sqrt() };
            b + (2.0 * f - 1.0) * (d - b)
        }
        12 if b == 0.0 => 0.0,
        12 if f == 1.0 => 1.0,
        12 => (b / (1.0 - f)).min(1.0),
        13 if b == 1.0 => 1.0,
        13 if f == 0.0 => 0.0,
        13 => 1.0 - ((1.0 - b) / f).min(1.0),
        14 => b + f - 2.0 * b * f,
        _ => unreachable!(),
    }
}

#[test]
fn blend_modes_are_those_of_the_w3c() {
    let mut nodes =
        format!(r#"{DOMAIN} "front": (state: "Image"), "back": (state: "Image"), "mask": (state: "Grid<f32>"),"#);
    for mode in 0..15 {
        let inputs = r#""front": "front", "back": "back", "mask": "mask""#;
        let params = format!(r#""mode": {mode}, "opacity": 0.75"#);
        let _ = writeln!(nodes, r#""m{mode}": (stage: "image/blend", inputs: {{{inputs}}}, params: {{{params}}}),"#);
    }
    nodes += r#""over": (stage: "image/over", inputs: {"front": "front", "back": "back"}, params: {"opacity": 0.75}),
        "plain": (stage: "image/blend", inputs: {"front": "front", "back": "back"}, params: {"opacity": 0.75}),"#;
    let mut sim = start(60.0, &nodes, &[]);
    let (front, back) = (image(1), image(2));
    let mask: Vec<f32> = random(PIXELS, 3).iter().map(|v| 0.75 * v + 0.5).collect();
    run(&mut sim, &[("front", &front), ("back", &back), ("mask", &mask)], 1, "m0.image");
    for mode in 0..15 {
        let got = read(&sim, &format!("m{mode}.image"));
        let mut worst: f64 = 0.0;
        for (i, (f, b)) in pixels(&front).iter().zip(pixels(&back)).enumerate() {
            let above = f[3] * 0.75 * f64::from(mask[i]).clamp(0.0, 1.0);
            let alpha = above + b[3] * (1.0 - above);
            let alpha_error = (got[4 * i + 3] - alpha).abs();
            assert!(alpha_error <= 6.0 * U, "alpha of mode {mode}: {alpha_error:.2e}");
            for k in 0..3 {
                let mixed = (1.0 - b[3]) * f[k] + b[3] * blended(mode, b[k], f[k]);
                let color = above * mixed + (1.0 - above) * b[3] * b[k];
                // As it is seen: a colour under a small alpha is a quotient of small numbers. A blended channel has a few
                // roundings of itself, and where it divides by a small one, as many of the quotient.
                let size = [4, 12, 13].contains(&mode).then(|| b[k].max(1.0 - b[k]) / f[k].min(1.0 - f[k]).max(1e-6));
                let bar = 30.0 * U * (1.0 + above * b[3] * size.unwrap_or(0.0));
                let error = (got[4 * i + k] * got[4 * i + 3] - color).abs();
                assert!(error <= bar, "mode {mode}, {f:?} over {b:?}: error {error:.2e}, bar {bar:.2e}");
                worst = worst.max(error);
            }
        }
        println!("mode {mode}: largest error {worst:.2e}");
    }
    let apart = difference(&read(&sim, "over.image"), &read(&sim, "plain.image"));
    let seen: Vec<f64> =
        apart.iter().enumerate().map(|(i, d)| d * f64::from(front[i / 4 * 4 + 3].max(back[i / 4 * 4 + 3]))).collect();
    within("normal against Over", max_abs(&seen), 30.0 * U, "roundings of both");
}

/// Hue in turns, saturation and value, by sectors.
fn hsv(c: &[f64]) -> [f64; 3] {
    let (high, low) = (c[0].max(c[1]).max(c[2]), c[0].min(c[1]).min(c[2]));
    let d = high - low;
    let hue = if d == 0.0 {
        0.0
    } else if high == c[0] {
        ((c[1] - c[2]) / d).rem_euclid(6.0)
    } else if high == c[1] {
        (c[2] - c[0]) / d + 2.0
    } else {
        (c[0] - c[1]) / d + 4.0
    };
    [hue / 6.0, if high == 0.0 { 0.0 } else { d / high }, high]
}

/// As in Foley and van Dam: six sectors of the hexcone.
fn rgb([hue, s, v]: [f64; 3]) -> [f64; 3] {
    let h = 6.0 * hue.rem_euclid(1.0);
    let (sector, f) = (h.floor(), h.fract());
    let (p, q, t) = (v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f)));
    match sector as i32 {
        0 => [v, t, p],
        1 => [q, v, p],
        2 => [p, v, t],
        3 => [p, q, v],
        4 => [t, p, v],
        _ => [v, p, q],
    }
}

#[test]
fn levels_hues_and_channels_are_those_of_f64() {
    let mut nodes = format!(
        r#"{DOMAIN} "image": (state: "Image"),
        "levels": (stage: "image/levels", inputs: {{"image": "image"}}, params: {{"black": 0.1, "white": 0.8, "gamma": 2.2, "low": 0.25, "high": 1.5}}),
        "invert": (stage: "image/levels", inputs: {{"image": "image"}}, params: {{"low": 1, "high": 0}}),
        "hue": (stage: "image/hue_saturation", inputs: {{"image": "image"}}, params: {{"hue": 100, "saturation": 1.5, "value": 2}}),
        "grey": (stage: "image/hue_saturation", inputs: {{"image": "image"}}, params: {{"saturation": 0}}),
        "rgb": (stage: "image/combine", inputs: {{"x": "c0", "y": "c1", "z": "c2", "alpha": "c3"}}),
        "hsv": (stage: "image/combine", inputs: {{"x": "c5", "y": "c6", "z": "c7", "alpha": "c3"}}, params: {{"model": 1}}),
        "fill": (stage: "image/constant", params: {{"color": (0.25, 2, 0, 0.5)}}),"#
    );
    for k in 0..8 {
        let _ = writeln!(
            nodes,
            r#""c{k}": (stage: "image/channel", inputs: {{"image": "image"}}, params: {{"channel": {k}}}),"#
        );
    }
    let mut sim = start(60.0, &nodes, &[]);
    let image = image(4);
    run(&mut sim, &[("image", &image)], 1, "levels.result");
    let image = pixels(&image);
    let each = |f: &dyn Fn(&[f64; 4]) -> [f64; 3]| -> Vec<[f64; 4]> {
        image.iter().map(|p| (f(p), p[3])).map(|([r, g, b], alpha)| [r, g, b, alpha]).collect()
    };
    let leveled = |c: f64| 0.25 + 1.25 * ((c - 0.1) / 0.7).clamp(0.0, 1.0).powf(1.0 / 2.2);
    // Next to black, the root of a rounding: (12 U)^(1/2.2).
    let bar = 1.25 * (12.0 * U).powf(1.0 / 2.2);
    same(
        "levels",
        &read(&sim, "levels.result"),
        &each(&|p| [leveled(p[0]), leveled(p[1]), leveled(p[2])]),
        bar,
        "at black",
    );
    same(
        "inverted",
        &read(&sim, "invert.result"),
        &each(&|p| [1.0 - p[0], 1.0 - p[1], 1.0 - p[2]]),
        8.0 * U,
        "a power of one",
    );
    let turned = |p: &[f64; 4]| {
        let [h, s, v] = hsv(p);
        rgb([h + 100.0 / 360.0, (1.5 * s).min(1.0), v]).map(|c| 2.0 * c)
    };
    let because = "hues of up to 8 sixths, with a division of 5 U, times 2";
    same("turned hues", &read(&sim, "hue.result"), &each(&turned), 2.0 * 8.0 * 40.0 * U, because);
    same("without saturation", &read(&sim, "grey.result"), &each(&|p| [hsv(p)[2]; 3]), 2.0 * U, "a difference");
    for (k, scale) in [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)] {
        let channel: Vec<f64> = image.iter().map(|p| scale * p[k]).collect();
        assert_eq!(read(&sim, &format!("c{k}.result")), channel);
    }
    let luminance: Vec<f64> = image.iter().map(|p| 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]).collect();
    within("luminance", max_abs(&difference(&read(&sim, "c4.result"), &luminance)), 5.0 * U, "products and sums");
    // A difference of channels is exact to U of them; chroma below 0.01 makes the quotient uncertain.
    for (k, part) in [(5, 0), (6, 1), (7, 2)] {
        let got = read(&sim, &format!("c{k}.result"));
        let error = image.iter().zip(got).map(|(p, got)| {
            let [h, s, v] = hsv(p);
            let apart = (got - [h, s, v][part]).abs();
            let apart = if part == 0 { apart.min(1.0 - apart) } else { apart };
            if s * v < 0.01 { 0.0 } else { apart }
        });
        within(
            ["hue", "saturation", "value"][part],
            error.fold(0.0, f64::max),
            12.0 * U + 2.0 * U / 0.01,
            "a quotient",
        );
    }
    let whole: Vec<[f64; 4]> = image.clone();
    same("channels together again", &read(&sim, "rgb.image"), &whole, 0.0, "nothing is computed");
    same("by hue, saturation and value", &read(&sim, "hsv.image"), &whole, 60.0 * U, "hues of up to 6 sixths");
    same("constant", &read(&sim, "fill.image"), &vec![[0.25, 2.0, 0.0, 0.5]; PIXELS], 0.0, "nothing is computed");
}

/// Centres of all pixels \[m\].
fn centers() -> impl Iterator<Item = [f64; 2]> {
    (0..PIXELS).map(|i| [(i % SIZE[0]) as f64 + 0.5, (i / SIZE[0]) as f64 + 0.5].map(|x| x / 16.0))
}

#[test]
fn ramps_and_crops_follow_their_shapes() {
    let ramp = |shape: usize, outside: usize| {
        format!(
            r#""r{shape}{outside}": (stage: "image/ramp", params: {{"shape": {shape}, "outside": {outside}, "first": (0.25, 0.375), "second": (0.5, 0.5),
                "ramp": [(0, (0, 1, 0, 1)), (1, (1, 0, 0, 0.5))]}}),"#
        )
    };
    let mut nodes = format!(
        r#"{DOMAIN} "image": (state: "Image"),
        "crop": (stage: "image/crop", inputs: {{"image": "image"}}, params: {{"low": (0.125, 0.25), "high": (0.75, 1), "feather": 0.3}}),"#
    );
    nodes.extend([(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0)].map(|(shape, outside)| ramp(shape, outside)));
    let image = image(5);
    let mut sim = start(60.0, &nodes, &[]);
    run(&mut sim, &[("image", &image)], 1, "crop.result");
    // From (0.5, 0.375) by (0.5, 0.125) metres.
    let local = |[x, y]: [f64; 2]| {
        let [x, y] = [x - 0.5, y - 0.375];
        [(0.5 * x + 0.125 * y) / 0.265625, (0.5 * y - 0.125 * x) / 0.265625]
    };
    let mirrored = |t: f64| (t - 2.0 * (0.5 * t).round()).abs();
    type Shape<'a> = &'a dyn Fn([f64; 2]) -> f64;
    let shapes: [(&str, Shape<'_>, f64); 6] = [
        ("r00", &|[x, _]| x.clamp(0.0, 1.0), 0.0),
        ("r01", &|[x, _]| x.rem_euclid(1.0), 0.0),
        ("r02", &|[x, _]| mirrored(x), 0.0),
        ("r10", &|[x, y]| x.hypot(y).min(1.0), 0.0),
        ("r12", &|[x, y]| mirrored(x.hypot(y)), 0.0),
        ("r20", &|[x, y]| (y.atan2(x) / std::f64::consts::TAU).rem_euclid(1.0), 4096.0 * U),
    ];
    for (name, shape, rounding) in shapes {
        let got = read(&sim, &format!("{name}.image"));
        let mut compared = 0;
        for (i, at) in centers().enumerate() {
            let t = shape(local(at));
            // At the seam of a ramp, rounding decides on which side a pixel is.
            let seam = ["r01", "r20"].contains(&name) && t.min(1.0 - t) < 1e-3;
            compared += usize::from(!seam);
            for (k, exact) in [t, 1.0 - t, 0.0, 1.0 - 0.5 * t].into_iter().enumerate() {
                let error = (got[4 * i + k] - exact).abs();
                // Places of up to 4 ramps, read from a table of 64 spans.
                assert!(seam || error <= rounding + 4.0 * 30.0 * U, "{name} at {at:?}: {error:.2e}");
            }
        }
        assert!(compared > PIXELS / 2 && compared <= PIXELS, "{name}");
    }
    let cropped: Vec<[f64; 4]> = pixels(&image)
        .into_iter()
        .zip(centers())
        .map(|([r, g, b, a], [x, y])| {
            let depth = (x - 0.25).min(1.5 - x).min(y - 0.25).min(1.0 - y);
            [r, g, b, a * (depth / 0.3).clamp(0.0, 1.0)]
        })
        .collect();
    same("crop", &read(&sim, "crop.result"), &cropped, 12.0 * U, "a division of 5 U");
}

/// The value that bilinear interpolation gives at a place in cells.
fn sampled(image: &[f64], outside: usize, [x, y]: [f64; 2]) -> f64 {
    let column = |i: i64, n: usize| {
        let n = n as i64;
        match outside {
            2 => i.rem_euclid(n),
            3 => i.rem_euclid(2 * n).min(2 * n - 1 - i.rem_euclid(2 * n)),
            _ => i.clamp(0, n - 1),
        }
    };
    let out = x < 0.0 || y < 0.0 || x > SIZE[0] as f64 || y > SIZE[1] as f64;
    if outside == 0 && out {
        return 0.0;
    }
    let [x, y] = [x - 0.5, y - 0.5];
    let at = |i: f64, j: f64| image[(column(j as i64, SIZE[1]) * SIZE[0] as i64 + column(i as i64, SIZE[0])) as usize];
    let [i, j] = [x.floor(), y.floor()];
    let row = |j: f64| at(i, j) + (x - i) * (at(i + 1.0, j) - at(i, j));
    row(j) + (y - j) * (row(j + 1.0) - row(j))
}

#[test]
fn transformed_and_displaced_images_are_sampled_where_they_come_from() {
    let mut nodes = format!(
        r#"{DOMAIN} "image": (state: "Grid<f32>"), "by": (state: "Grid<Vec>"),
        "half": (stage: "image/transform", inputs: {{"image": "image"}}, params: {{"offset": (0.25, 0.5), "outside": 2}}),
        "flip": (stage: "image/transform", inputs: {{"image": "image"}}, params: {{"scale": (-1, 1)}}),
        "displaced": (stage: "image/displace", inputs: {{"image": "image", "by": "by"}}, params: {{"amount": 0.25}}),"#
    );
    for outside in 0..4 {
        let params = r#""offset": (0.1, -0.2), "angle": 30, "scale": (0.6, 0.4), "pivot": (0.4, 0.3)"#;
        let _ = writeln!(
            nodes,
            r#""t{outside}": (stage: "image/transform", inputs: {{"image": "image"}}, params: {{{params}, "outside": {outside}}}),"#
        );
    }
    let (image, by) = (random(PIXELS, 6), random(2 * PIXELS, 7));
    let mut sim = start(60.0, &nodes, &[]);
    run(&mut sim, &[("image", &image), ("by", &by)], 1, "flip.result");
    let image = f64s(&image);
    let (half, flip) = (read(&sim, "half.result"), read(&sim, "flip.result"));
    for (i, value) in image.iter().enumerate() {
        let [x, y] = [i % SIZE[0], i / SIZE[0]];
        assert_eq!(half[(y + 8) % 16 * 32 + (x + 8) % 32], *value, "repeated, shifted by whole pixels");
        assert_eq!(flip[y * 32 + 31 - x], *value, "mirrored");
    }
    let (s, c) = 30f64.to_radians().sin_cos();
    for outside in 0..4 {
        let got = read(&sim, &format!("t{outside}.result"));
        let mut worst: f64 = 0.0;
        for (at, got) in centers().zip(got) {
            let away = [at[0] - 0.5 * 2.0, at[1] - 0.1];
            let turned = [c * away[0] + s * away[1], c * away[1] - s * away[0]];
            let place = [0.8 + turned[0] / 0.6, 0.3 + turned[1] / 0.4].map(|v| 16.0 * v);
            // On the rim of the image, rounding decides whether a pixel is inside.
            let rim = [place[0], place[0] - 32.0, place[1], place[1] - 16.0].iter().any(|v| v.abs() < 1e-3);
            if outside > 0 || !rim {
                worst = worst.max((got - sampled(&image, outside, place)).abs());
            }
        }
        within(
            &format!("outside {outside}"),
            worst,
            100.0 * 12.0 * U * 2.0 * 2.0,
            "a place of up to 100 cells, twice a slope of 2",
        );
    }
    let displaced = read(&sim, "displaced.result");
    let expected = centers().zip(by.chunks(2)).map(|(at, by)| {
        let place = std::array::from_fn(|k| 16.0 * (at[k] + 0.25 * f64::from(by[k])));
        sampled(&image, 1, place)
    });
    let error = max_abs(&difference(&displaced, &expected.collect::<Vec<_>>()));
    within("displaced", error, 36.0 * 6.0 * U * 2.0 * 2.0, "a place of up to 36 cells, twice a slope of 2");
}

#[test]
fn sharpening_adds_what_a_blur_removes() {
    let nodes = format!(
        r#"{DOMAIN} "image": (state: "Grid<f32>"),
        "blur": (stage: "filter/gaussian", inputs: {{"field": "image"}}, params: {{"sigma": 1.5, "radius": 5}}),
        "same": (stage: "image/blur", inputs: {{"image": "image"}}, params: {{"size": 1.5}}),
        "none": (stage: "image/blur", inputs: {{"image": "image"}}, params: {{"size": 0}}),
        "sharp": (stage: "image/sharpen", inputs: {{"image": "image"}}, params: {{"amount": 0.75, "sigma": 1.5, "radius": 5}}),"#
    );
    let image = random(PIXELS, 8);
    let mut sim = start(60.0, &nodes, &[]);
    run(&mut sim, &[("image", &image)], 1, "blur.result");
    let blur = read(&sim, "blur.result");
    assert_eq!(read(&sim, "same.result"), blur, "three deviations");
    assert_eq!(read(&sim, "none.result"), f64s(&image));
    let expected: Vec<f64> = image.iter().zip(blur).map(|(v, b)| f64::from(*v) + 0.75 * (f64::from(*v) - b)).collect();
    within(
        "sharpened",
        max_abs(&difference(&read(&sim, "sharp.result"), &expected)),
        8.0 * U,
        "three roundings of up to 3",
    );
}
