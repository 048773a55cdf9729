//! Trails, compositing, glow and tone curves against their formulas.

use stagewright_solver_support::harness::*;

const TRAIL: &str = r##"
    "domain": (domain: (resolution: (8, 4), width: 1, edge: "clamp")),
    "trail": (state: "Image", inputs: {"next": "fade.trail"}),
    "flash": (custom: r#"//! Flash
        //! @out image: Image
        //! @param frames: f32 = 1
        fn stage(cell: Cell) -> vec4f { return select(vec4f(), vec4f(1.0, 0.5, 4.0, 1.0), f32(frame.index) < params.frames); }"#,
        params: {"frames": $frames}),
    "fade": (stage: "image/trail", inputs: {"trail": "trail.value", "image": "flash.image"}, params: {"decay": $decay, "blend": $blend}),
"##;
const FLASH: [f64; 4] = [1.0, 0.5, 4.0, 1.0];

/// What is left of a flash of some frames, over its brightness.
fn left(fps: f64, decay: f64, blend: bool, flash: usize, frames: usize) -> f64 {
    let values = [("$frames", flash.to_string()), ("$decay", decay.to_string()), ("$blend", blend.to_string())];
    let mut sim = start(fps, TRAIL, &pairs(&values));
    let trail = run(&mut sim, &[], frames, "trail");
    let shares: Vec<f64> = trail.iter().zip(FLASH.iter().cycle()).map(|(t, f)| t / f).collect();
    let apart = max_abs(&difference(&shares, &vec![shares[0]; shares.len()]));
    assert_eq!(apart, 0.0, "every pixel and channel fades alike, by powers of two");
    shares[0]
}

/// Each step rounds by the exponent's 11 U of itself, `exp`'s 6 U, and a product.
fn decay_rounding(steps: usize, exponent: f64) -> f64 {
    steps as f64 * (11.0 * U * exponent + 7.0 * U + 4.0 * U * exponent)
}

#[test]
fn a_trail_fades_exponentially_at_any_frame_rate() {
    for fps in [30.0, 60.0, 240.0] {
        let (decay, seconds) = (0.2, 0.5);
        let frames = (fps * seconds) as usize;
        let dt = f64::from((1.0 / fps) as f32);
        let expected = (-(frames as f64) * dt / decay).exp();
        let got = left(fps, decay, false, 1, frames + 1);
        let bar = expected * decay_rounding(frames, dt / decay);
        let what = format!("a flash, {frames} frames of 1/{fps} s later: {got:.6} of it");
        within(&what, (got - expected).abs(), bar, "rounding of each step");
        within(
            "  against exp(-seconds / decay)",
            (got - (-seconds / decay).exp()).abs(),
            bar + U,
            "the same, of any rate",
        );
    }
}

#[test]
fn a_blending_trail_approaches_the_image_and_leaves_it_exponentially() {
    let (fps, decay) = (60.0, 0.1);
    let dt = f64::from((1.0 / fps) as f32);
    let k = (-dt / decay).exp();
    for (flash, frames) in [(1, 1), (20, 20), (20, 45)] {
        let expected = (1.0 - k.powi(flash as i32)) * k.powi((frames - flash) as i32);
        let bar = decay_rounding(frames, dt / decay) + 2.0 * frames as f64 * U;
        let got = left(fps, decay, true, flash, frames);
        within(&format!("{flash} frames lit, seen after {frames}: {got:.4}"), (got - expected).abs(), bar, "each step");
    }
}

#[test]
fn a_trail_keeps_the_brightest() {
    assert_eq!(left(60.0, 0.1, false, 5, 5), 1.0, "as long as the flash lasts, it is itself");
}

const OVER: &str = r#"
    "domain": (domain: (resolution: (24, 16), width: 1, edge: "clamp")),
    "a": (state: "Image"), "b": (state: "Image"), "c": (state: "Image"),
    "ab": (stage: "image/over", inputs: {"front": "a.value", "back": "b.value"}, params: {"premultiplied": $kind, "opacity": $opacity}),
    "ab_c": (stage: "image/over", inputs: {"front": "ab.image", "back": "c.value"}, params: {"premultiplied": $kind}),
    "bc": (stage: "image/over", inputs: {"front": "b.value", "back": "c.value"}, params: {"premultiplied": $kind}),
    "a_bc": (stage: "image/over", inputs: {"front": "a.value", "back": "bc.image"}, params: {"premultiplied": $kind, "opacity": $opacity}),
"#;
const PIXELS: usize = 24 * 16;

/// Colours of 0..1 with alphas of 0..1, some of them 0 and 1.
fn layer(seed: u32) -> Vec<f32> {
    let mut layer: Vec<f32> = random(4 * PIXELS, seed).iter().map(|v| 0.5 + 0.5 * v).collect();
    layer.chunks_mut(4).for_each(|p| p[3] = (1.5 * p[3] - 0.25).clamp(0.0, 1.0));
    layer
}

fn premultiplied(layer: &[f32]) -> Vec<f32> {
    layer.chunks(4).flat_map(|p| [p[0] * p[3], p[1] * p[3], p[2] * p[3], p[3]]).collect()
}

fn composited(kind: bool, opacity: f64, layers: &[Vec<f32>; 3], wire: &str) -> Vec<f64> {
    let mut sim = start(60.0, OVER, &pairs(&[("$kind", kind.to_string()), ("$opacity", opacity.to_string())]));
    run(&mut sim, &[("a", &layers[0]), ("b", &layers[1]), ("c", &layers[2])], 1, wire)
}

#[test]
fn over_is_that_of_porter_and_duff() {
    let layers = [layer(1), layer(2), layer(3)];
    let weighted = layers.clone().map(|l| premultiplied(&l));
    let opacity = 0.75;
    let expected: Vec<f64> = weighted[0]
        .chunks(4)
        .zip(weighted[1].chunks(4))
        .flat_map(|(f, b)| {
            (0..4).map(|i| opacity * f64::from(f[i]) + f64::from(b[i]) * (1.0 - opacity * f64::from(f[3])))
        })
        .collect();
    let result = composited(true, opacity, &weighted, "ab.image");
    within("premultiplied", max_abs(&difference(&result, &expected)), 5.0 * U, "five roundings of 1 at most");
    let straight: Vec<f64> = composited(false, opacity, &layers, "ab.image");
    let back: Vec<f64> = straight.chunks(4).flat_map(|p| [p[0] * p[3], p[1] * p[3], p[2] * p[3], p[3]]).collect();
    within("straight, multiplied afterwards", max_abs(&difference(&back, &expected)), 12.0 * U, "and a division");
    for (kind, layers) in [(true, &weighted), (false, &layers)] {
        let [left, right] = ["ab_c.image", "a_bc.image"].map(|wire| composited(kind, opacity, layers, wire));
        // Straight colours under a small alpha are their sum over it: compared as they would be seen.
        let seen = |v: &[f64]| -> Vec<f64> {
            v.chunks(4).flat_map(|p| (0..3).map(|i| if kind { p[i] } else { p[i] * p[3] })).collect()
        };
        let error = max_abs(&difference(&seen(&left), &seen(&right)));
        within(&format!("(a over b) over c, premultiplied {kind}"), error, 24.0 * U, "two such steps on either side");
    }
    let clear = vec![0.0; 4 * PIXELS];
    let result = composited(true, 1.0, &[clear.clone(), weighted[1].clone(), clear], "ab.image");
    assert_eq!(result, f64s(&weighted[1]), "nothing over a picture is the picture");
}

const CURVE: &str = r##"
    "domain": (domain: (resolution: (64, 48), width: 1, edge: "clamp")),
    "light": (state: "Image"),
    "tone": (stage: "image/tonemap", inputs: {"image": "light.value"}, params: {"curve": $curve, "vignette": $vignette, "exposure": $exposure}),
"##;
const WIDTH: usize = 64;
const HEIGHT: usize = 48;

fn toned(curve: u32, vignette: f64, exposure: f64, light: &[f32]) -> Vec<f64> {
    let values =
        [("$curve", curve.to_string()), ("$vignette", vignette.to_string()), ("$exposure", exposure.to_string())];
    run(&mut start(60.0, CURVE, &pairs(&values)), &[("light", light)], 1, "tone.result")
}

/// Rows of a matrix times a colour.
fn times(rows: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    rows.map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum())
}

/// Hill's fit, by rows as published.
fn aces(light: [f64; 3]) -> [f64; 3] {
    let rgb = times([[0.59719, 0.35458, 0.04823], [0.07600, 0.90834, 0.01566], [0.02840, 0.13383, 0.83777]], light);
    let fit = |v: f64| (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
    let out = [[1.60475, -0.53108, -0.07367], [-0.10208, 1.10813, -0.00605], [-0.00327, -0.07276, 1.07602]];
    times(out, rgb.map(fit)).map(|v| v.clamp(0.0, 1.0))
}

/// Wrensch's fit, by rows.
fn agx(light: [f64; 3]) -> [f64; 3] {
    let inset = [
        [0.842479062253094, 0.0784335999999992, 0.0792237451477643],
        [0.0423282422610123, 0.878468636469772, 0.0791661274605434],
        [0.0423756549057051, 0.0784336, 0.879142973793104],
    ];
    let outset = [
        [1.19687900512017, -0.0980208811401368, -0.0990297440797205],
        [-0.0528968517574562, 1.15190312990417, -0.0989611768448433],
        [-0.0529716355144438, -0.0980434501171241, 1.15107367264116],
    ];
    let curve = |v: f64| {
        let x = ((v.max(1e-10).log2() + 12.47393) / 16.5).clamp(0.0, 1.0);
        [-0.00232, 0.1191, 0.4298, -6.868, 31.96, -40.14, 15.5].iter().rev().fold(0.0, |sum, c| sum * x + c)
    };
    times(outset, times(inset, light).map(curve)).map(|v| v.clamp(0.0, 1.0).powf(2.2))
}

/// From 2^-13 to 2^7, greys and colours, and black.
fn lights() -> Vec<f32> {
    let chance = random(3 * WIDTH * HEIGHT, 12);
    let pixel = |i: usize| {
        let grey = 2f32.powf(20.0 * (i / 2) as f32 / (WIDTH * HEIGHT / 2) as f32 - 13.0);
        let color: [f32; 3] =
            std::array::from_fn(|k| if i.is_multiple_of(2) { 1.0 } else { 0.5 + 0.5 * chance[3 * i + k] });
        if i == 0 { [0.0, 0.0, 0.0, 0.25] } else { [grey * color[0], grey * color[1], grey * color[2], 0.25] }
    };
    (0..WIDTH * HEIGHT).flat_map(pixel).collect()
}

#[test]
fn tone_curves_are_the_published_fits() {
    let lights = lights();
    // A twentieth of a step of an 8-bit image. AgX sums terms of 95 in all: 95 * 14 U through the power of 2.2.
    let bar = 0.05 / 255.0;
    for (name, curve, reference) in [("ACES", 1, aces as fn([f64; 3]) -> [f64; 3]), ("AgX", 2, agx)] {
        let result = toned(curve, 0.0, 1.0, &lights);
        let colors = lights.chunks(4).map(|p| [f64::from(p[0]), f64::from(p[1]), f64::from(p[2])]);
        let expected: Vec<f64> = colors
            .flat_map(|c| {
                let [r, g, b] = reference(c);
                [r, g, b, 0.25]
            })
            .collect();
        within(
            &format!("{name} from 2^-13 to 2^7"),
            max_abs(&difference(&result, &expected)),
            bar,
            "a 20th of an 8-bit step",
        );
        let greys: Vec<f64> = result.chunks(4).step_by(2).map(|p| p[1]).collect();
        assert!(greys.windows(2).all(|w| w[1] >= w[0] - bar), "{name} never darkens what is brighter");
        println!("  {name}: 0.18 becomes {:.4}, 1 becomes {:.4}", reference([0.18; 3])[1], reference([1.0; 3])[1]);
    }
    let plain = toned(0, 0.0, 2.0, &lights);
    let expected: Vec<f64> = lights
        .iter()
        .enumerate()
        .map(|(i, v)| if i % 4 == 3 { 0.25 } else { (2.0 * f64::from(*v)).min(1.0) })
        .collect();
    assert_eq!(plain, expected, "exposure alone doubles");
    let wild = toned(1, 0.0, 1.0, &vec![f32::INFINITY; lights.len()]);
    assert!(wild.chunks(4).all(|p| p[..3].iter().all(|v| *v == 1.0)), "infinite light is white");
}

#[test]
fn the_vignette_is_the_fourth_power_of_the_cosine() {
    let tangent = 0.6;
    let result = toned(0, tangent, 1.0, &vec![1.0; 4 * WIDTH * HEIGHT]);
    let [w, h] = [WIDTH as f64, HEIGHT as f64];
    let expected = (0..WIDTH * HEIGHT).map(|i| {
        let [x, y] = [(i % WIDTH) as f64 + 0.5 - w / 2.0, (i / WIDTH) as f64 + 0.5 - h / 2.0];
        let angle = (tangent * 2.0 * x.hypot(y) / w.hypot(h)).atan();
        angle.cos().powi(4)
    });
    let green: Vec<f64> = result.chunks(4).map(|p| p[1]).collect();
    let error = max_abs(&difference(&green, &expected.collect::<Vec<_>>()));
    within("vignette", error, 40.0 * U, "two lengths and a division of 5 U each, squared twice");
}

const BLOOM: &str = r#"
    "domain": (domain: (resolution: (64, 48), width: 1, edge: "zero")),
    "light": (state: "Image"),
    "bloom": (stage: "image/bloom", inputs: {"image": "light.value"}, params: {"radius": 12, "sigma": 4, "threshold": 1, "knee": 0, "strength": 0.25}),
"#;

/// Twice a quarter of the light above the threshold is added, spread by blurs that keep its sum.
#[test]
fn bloom_adds_a_share_of_the_light_above_the_threshold() {
    let mut light = vec![0.0f32; 4 * WIDTH * HEIGHT];
    light.chunks_mut(4).for_each(|p| p.copy_from_slice(&[0.5, 0.25, 0.125, 1.0]));
    let middle = 4 * (24 * WIDTH + 32);
    light[middle..middle + 3].copy_from_slice(&[9.0, 4.5, 0.0]);
    let result = run(&mut start(60.0, BLOOM, &[]), &[("light", &light)], 1, "bloom.result");
    let added = difference(&result, &f64s(&light));
    let sum = |k: usize| added.iter().skip(k).step_by(4).sum::<f64>();
    for (channel, expected) in [(0, 0.5 * 8.0), (1, 0.5 * 4.0), (2, 0.0), (3, 0.0)] {
        // Each pixel's sum with the image rounds to U of 9; the blurs round by (25 + 30) U of their own values.
        let bar = U * (2.0 * 0.5 * (WIDTH * HEIGHT) as f64 + 2.0 * 9.0 + 4.0 * 110.0);
        within(&format!("light added in channel {channel}"), (sum(channel) - expected).abs(), bar, "rounding");
    }
    let far = 4 * (24 * WIDTH + 32 + 19);
    assert!(added[middle] > added[middle + 8] && added[middle + 8] > added[middle + 32] && added[middle + 32] > 0.0);
    assert_eq!(added[far], 0.0, "no glow beyond both radii, 18 cells");
}
