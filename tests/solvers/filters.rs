//! Bilateral, narrow-range and Gaussian filters against brute force in f64.

use stagewright_compiler::Keep;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

use super::filter_reference::*;

/// A State and a filter over it.
const FILTER: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "image": (state: "Grid<$type>"),
    "filter": (stage: "filter/$filter", inputs: {"$port": "image.value"}, params: {$params}),
"#;
/// What `scatter min` leaves in a pixel that nothing reached.
const EMPTY: f32 = f32::MAX;

fn filter_values(grid: &Grid, filter: &str, params: &str, ty: &str) -> [(&'static str, String); 6] {
    let (port, edge) = match filter.split('_').next() {
        Some("gaussian") => ("field", grid.edge.name()),
        Some("narrow") => ("depth", "wrap"),
        // The domain's rule must not matter: these filters have their own.
        _ => ("image", "wrap"),
    };
    [
        ("$cells", grid.resolution()),
        ("$edge", edge.into()),
        ("$type", ty.into()),
        ("$filter", filter.into()),
        ("$port", port.into()),
        ("$params", params.into()),
    ]
}

/// Runs a filter over an image of numbers, or of colours if it has four times as many.
fn filtered(grid: &Grid, filter: &str, params: &str, image: &[f32]) -> Vec<f64> {
    let values =
        filter_values(grid, filter, params, if image.len() == 4 * grid.cell_count() { "vec4f" } else { "f32" });
    run(&mut start(60.0, FILTER, &pairs(&values)), &[("image", image)], 1, "filter.result")
}

fn clamped(resolution: &[usize]) -> Grid {
    Grid::new(resolution, 1.0, EdgeRule::Clamp)
}

#[test]
fn windows_are_proven_finite() {
    for filter in ["bilateral", "bilateral_pass", "narrow_range", "gaussian_pass"] {
        let values = filter_values(&clamped(&[8, 8]), filter, "", "f32");
        let plan = compile(&document(60.0, FILTER, &pairs(&values)), Keep::All);
        let kernel = plan.kernels.iter().find(|kernel| kernel.name == format!("filter/{filter}"));
        assert!(kernel.is_some_and(|kernel| kernel.finite), "{filter} runs without a budget of rounds");
    }
}

const DATA: &str = include_str!("../reference/bilateral.csv");
/// Side of the data's image, and its radius, sigma_space and sigma_range.
const SIDE: usize = 48;
const RADIUS: i64 = 5;
const SPACE: f64 = 2.0;
const RANGE: f64 = 0.1;

/// A column of the data.
fn column(index: usize) -> Vec<f64> {
    let rows = DATA.lines().filter(|line| !line.starts_with(['#', 'x']));
    rows.map(|row| row.split(',').nth(index).unwrap().parse().unwrap()).collect()
}

/// The data's image by its formula: a step, a disc, a slope and noise.
fn noisy_step() -> Vec<f32> {
    let value = |i: usize| {
        let (x, y) = ((i % SIDE) as f64, (i / SIDE) as f64);
        let step = if x >= 24.0 { 0.5 } else { 0.0 };
        let disc = if (x - 16.0).powi(2) + (y - 30.0).powi(2) < 64.0 { 0.2 } else { 0.0 };
        let noise = f64::from(pcg(i as u32)) / 2f64.powi(32) - 0.5;
        (0.25 + step + disc + 0.1 * y / 48.0 + 0.08 * noise) as f32
    };
    (0..SIDE * SIDE).map(value).collect()
}

#[test]
fn the_exact_bilateral_filter_is_the_stored_one() {
    let (grid, image) = (clamped(&[SIDE, SIDE]), noisy_step());
    assert_eq!(image, f32s(&column(2)), "the data's image is that of its formula");
    let result = filtered(&grid, "bilateral", "", &image);
    assert_eq!(result.len(), SIDE * SIDE);
    let expected = Filtered::new(&image).then(&grid, bilateral(grid, square(RADIUS), SPACE, RANGE));
    within("the f64 reference", max_abs(&difference(&expected.image, &column(3))), 1e-9, "nine digits stored");
    expected.is("bilateral against f64", &result);
    let error = max_abs(&difference(&result, &column(3)));
    let because = format!("asked for; rounding may reach {:.1e}", max_abs(&expected.rounding));
    within("bilateral against the stored filter, 48 x 48 pixels", error, 2e-6, &because);
}

/// The stored filter with a disc mirrors without repeating the border, which no edge rule of ours does: only pixels
/// whose window lies inside are comparable.
#[test]
fn a_disc_is_the_window_of_opencv() {
    let (grid, image) = (clamped(&[SIDE, SIDE]), noisy_step());
    let result = filtered(&grid, "bilateral", r#""disc": true"#, &image);
    let inner = |c: &[i64; 3]| (0..2).all(|a| (RADIUS..SIDE as i64 - RADIUS).contains(&c[a]));
    let stored = column(4);
    let errors: Vec<f64> = grid.cells().filter(inner).map(|c| result[grid.index(c)] - stored[grid.index(c)]).collect();
    assert_eq!(errors.len(), 38 * 38);
    within("disc against the stored filter, inner 38 x 38 pixels", max_abs(&errors), 2e-6, "asked for");
    let squares = max_abs(&difference(&column(3), &stored));
    println!("  (a square window would differ by up to {squares:.1e})");
    Filtered::new(&image)
        .then(&grid, bilateral(grid, disc(RADIUS), SPACE, RANGE))
        .is("disc against f64, with its edges", &result);
}

/// A pass per axis in f64.
fn separable(grid: Grid, image: &[f32], radius: i64, space: f64, range: f64) -> Filtered {
    let pass = |axis| bilateral(grid, window(axis, radius), space, range);
    Filtered::new(image).then(&grid, pass(0)).then(&grid, pass(1))
}

#[test]
fn the_separable_bilateral_filter_is_two_passes() {
    let image = noisy_step();
    let grid = clamped(&[SIDE, SIDE]);
    let result = filtered(&grid, "bilateral_separable", "", &image);
    separable(grid, &image, RADIUS, SPACE, RANGE).is("separable against f64", &result);
    let wide = clamped(&[45, 23]);
    let image = &image[..wide.cell_count()];
    let params = r#""radius": 7, "sigma_space": 3.5, "sigma_range": 0.3"#;
    let result = filtered(&wide, "bilateral_separable", params, image);
    separable(wide, image, 7, 3.5, 0.3).is("separable, another size and sigmas, against f64", &result);
}

/// Weights by value lie between exp(-s^2 / (2 sigma_range^2)) and 1 where values of a window span s, so that a mean is within
/// s tanh(s^2 / (8 sigma_range^2)) of the Gaussian's. The exact filter is such a mean and the separable one two of them:
/// three times that keeps them together, and s itself, for both are means of the window.
#[test]
fn the_separable_filter_stays_near_the_exact_one() {
    let (grid, image) = (clamped(&[SIDE, SIDE]), noisy_step());
    let values = f64s(&image);
    let exact = filtered(&grid, "bilateral", "", &image);
    let apart = difference(&filtered(&grid, "bilateral_separable", "", &image), &exact);
    let allowed = |c| {
        let around = square(RADIUS).into_iter().map(|offset| grid.read(&values, offset_cell(c, offset)));
        let (low, high) = around.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let span: f64 = high - low;
        span.min(3.0 * span * (span * span / (8.0 * RANGE * RANGE)).tanh())
    };
    let shares: Vec<f64> = grid.cells().map(|c| apart[grid.index(c)] / allowed(c)).collect();
    println!("separable from exact: {:.1e} at most, {:.1e} rms, of a step of 0.5", max_abs(&apart), rms(&apart));
    within("  distance over its bound, worst pixel", max_abs(&shares), 1.0, "both near the Gaussian mean");
}

#[test]
fn the_separable_filter_becomes_exact_as_sigma_range_grows() {
    let (grid, image) = (clamped(&[SIDE, SIDE]), noisy_step());
    let apart = |range: f64| {
        let run = |filter| filtered(&grid, filter, &format!("\"sigma_range\": {range}"), &image);
        max_abs(&difference(&run("bilateral_separable"), &run("bilateral")))
    };
    let [near, far] = [2.0, 4.0].map(apart);
    println!("separable from exact: {near:.1e} at sigma_range 2, {far:.1e} at 4");
    has_order("distance over 1 / sigma_range", order(near, far), 2.0);
}

#[test]
fn constants_and_windows_of_one_pixel_stay_as_they_are() {
    let grid = clamped(&[31, 17]);
    let (constant, noise) = (vec![3.7f32; grid.cell_count()], random(grid.cell_count(), 5));
    for filter in ["bilateral", "bilateral_separable", "narrow_range", "narrow_range_separable"] {
        let same = filtered(&grid, filter, "", &constant);
        assert_eq!(same, f64s(&constant), "{filter} of a constant");
        let clean = if filter == "narrow_range_separable" { r#", "clean_radius": 0"# } else { "" };
        let point = filtered(&grid, filter, &format!("\"radius\": 0{clean}"), &noise);
        assert_eq!(point, f64s(&noise), "{filter} of radius 0");
    }
    assert_eq!(filtered(&grid, "gaussian", r#""radius": 0"#, &noise), f64s(&noise), "gaussian of radius 0");
}

/// A ball in front of a slope with relief, noise, and empty pixels around and within.
fn depths(grid: &Grid, noise: f64) -> Vec<f32> {
    let grit = random(grid.cell_count(), 11);
    let depth = |(i, c): (usize, [i64; 3])| {
        let [x, y] = [c[0] as f64, c[1] as f64];
        let ball = 1.0 - ((x - 15.0).powi(2) + (y - 14.0).powi(2)) / 100.0;
        let hole = (x - 30.0).powi(2) + (y - 20.0).powi(2) < 16.0 || y > 28.0 || (c[0] * 7 + c[1] * 3) % 41 == 0;
        match (ball > 0.0, hole) {
            (true, _) => (2.0 - 0.5 * ball.sqrt() + noise * f64::from(grit[i])) as f32,
            (false, true) => EMPTY,
            (false, false) => (3.0 + 0.02 * x + 0.1 * (0.4 * y).sin() + noise * f64::from(grit[i])) as f32,
        }
    };
    grid.cells().enumerate().map(depth).collect()
}

#[test]
fn empty_pixels_stay_empty_and_do_not_count() {
    let grid = clamped(&[45, 33]);
    let image = depths(&grid, 0.02);
    let exact = Filtered::new(&image).then(&grid, bilateral(grid, square(RADIUS), SPACE, RANGE));
    exact.is("bilateral with empty pixels", &filtered(&grid, "bilateral", "", &image));
    let result = filtered(&grid, "bilateral_separable", "", &image);
    separable(grid, &image, RADIUS, SPACE, RANGE).is("separable with empty pixels", &result);
    // Weights by value that hardly fade, so that an empty pixel that counted would show; and other marks for them.
    let (even, narrow) = (r#""sigma_range": 50, "empty": 7"#, r#""empty": 7"#);
    for (filter, params) in [
        ("bilateral", even),
        ("bilateral_separable", even),
        ("narrow_range", narrow),
        ("narrow_range_separable", narrow),
    ] {
        let marked = |mark: f32| -> Vec<f32> { image.iter().map(|v| if *v == EMPTY { mark } else { *v }).collect() };
        let results = [EMPTY, f32::INFINITY, 9.0].map(|mark| (mark, filtered(&grid, filter, params, &marked(mark))));
        for (mark, result) in &results {
            for (i, value) in image.iter().enumerate() {
                let expected = if *value == EMPTY { f64::from(*mark) } else { results[0].1[i] };
                assert_eq!(result[i], expected, "{filter}, pixel {i}: {mark} is as empty as any");
                assert!(*value == EMPTY || (1.0..5.0).contains(&result[i]), "{filter}, pixel {i}: {}", result[i]);
            }
        }
    }
    println!("{} of {} pixels stay empty", image.iter().filter(|v| **v == EMPTY).count(), image.len());
}

fn narrow(grid: Grid, axis: usize, radius: i64, sigma: f64) -> NarrowRange {
    NarrowRange { grid, axis, radius, sigma, range: 0.25, drop: 0.03 }
}

#[test]
fn the_narrow_range_filter_is_that_of_the_paper() {
    let grid = clamped(&[45, 33]);
    let image = depths(&grid, 0.04);
    for axis in 0..3 {
        let params = format!(r#""axis": {axis}, "radius": 7, "sigma": 2.5, "range": 0.25, "drop": 0.03"#);
        let result = filtered(&grid, "narrow_range", &params, &image);
        let expected = Filtered::new(&image).then(&grid, narrow(grid, axis, 7, 2.5).mean());
        expected.is(&format!("narrow range, axis {axis}, against f64"), &result);
        let changed = difference(&result, &f64s(&image));
        assert!(max_abs(&changed) > 0.03, "it does something");
    }
    let params = r#""radius": 7, "sigma": 2.5, "range": 0.25, "drop": 0.03"#;
    let result = filtered(&grid, "narrow_range_separable", params, &image);
    let pass = |axis, radius, sigma| narrow(grid, axis, radius, sigma).mean();
    let rows = Filtered::new(&image).then(&grid, pass(0, 7, 2.5));
    let expected = rows.then(&grid, pass(1, 7, 2.5)).then(&grid, pass(2, 2, 1.0));
    expected.is("narrow range, separable, against f64", &result);
}

/// Far pixels: nearer samples and those opposite to them do not count, which leaves the pixel itself. Near pixels: what
/// is farther counts as z0 + drop, so that a rim recedes by the window's share beyond it.
#[test]
fn a_step_higher_than_the_range_is_not_blurred() {
    let grid = clamped(&[40, 24]);
    let step: Vec<f32> = grid.cells().map(|c| if c[0] < 20 { 1.0 } else { 2.0 }).collect();
    for axis in [0, 2] {
        let params = |drop: f64| format!(r#""axis": {axis}, "range": 0.5, "drop": {drop}"#);
        let sharp = filtered(&grid, "narrow_range", &params(0.0), &step);
        assert_eq!(sharp, f64s(&step), "without a drop, a step stays to the bit");
        let rounded = filtered(&grid, "narrow_range", &params(0.03), &step);
        let share = |beyond: &dyn Fn(i64) -> bool| {
            let weights = (-6i64..=6).map(|k| ((-(k * k) as f64 / 8.0).exp(), beyond(k)));
            let (all, part) = weights.fold((0.0, 0.0), |(a, p), (w, b)| (a + w, if b { p + w } else { p }));
            part / all
        };
        let expected = grid.cells().map(|c| match c[0] {
            20.. => 2.0,
            x => 1.0 + 0.03 * share(&|k| x + k >= 20),
        });
        let errors = difference(&rounded, &expected.collect::<Vec<_>>());
        let far = grid.cells().filter(|c| c[0] >= 20).map(|c| errors[grid.index(c)]);
        assert_eq!(max_abs(&far.collect::<Vec<_>>()), 0.0, "the surface behind stays to the bit");
        let bar = 2.0 * U + 0.03 * (2.0 * 169.0 + 40.0) * U;
        let because = "sum with the centre, sums of 169 terms and their weights, of a drop of 0.03";
        within(&format!("rim of a step, axis {axis}"), max_abs(&errors), bar, because);
    }
}

/// A slope of 0.045 a pixel at most, along the diagonal.
fn slope(grid: &Grid, noise: f32) -> Vec<f32> {
    let plane = grid.cells().map(|c| (2.0 + 0.03 * c[0] as f64 - 0.015 * c[1] as f64) as f32);
    plane.zip(random(grid.cell_count(), 6)).map(|(depth, grit)| depth + noise * grit).collect()
}

/// Errors at pixels whose windows do not reach the border: 6 pixels, and 2 more for the separable filter's cleaning.
fn inner(grid: &Grid, errors: &[f64]) -> Vec<f64> {
    let inside = |c: &[i64; 3]| (0..2).all(|a| (8..grid.n[a] - 8).contains(&c[a]));
    grid.cells().filter(inside).map(|c| errors[grid.index(c)]).collect()
}

/// Samples opposite to each other cancel.
#[test]
fn a_plane_stays_a_plane() {
    let grid = clamped(&[48, 40]);
    let plane = slope(&grid, 0.0);
    for (filter, passes) in [("narrow_range", 1.0), ("narrow_range_separable", 3.0)] {
        for range in [0.068, 10.0] {
            let result = filtered(&grid, filter, &format!("\"range\": {range}"), &plane);
            let errors = inner(&grid, &difference(&result, &f64s(&plane)));
            // The depths round, by up to U of the largest, and their differences, of up to 6 steps, do.
            let bar = passes * (3.0 * U * max_abs(&f64s(&plane)) + 4.0 * U * 6.0 * 0.045);
            let what = format!("{filter} of a plane, range {range}");
            within(&what, max_abs(&errors), bar, "rounding of depths and differences");
        }
    }
}

/// The window's far side rises by 4 times the range, but each ring by less, and widens it for the next.
#[test]
fn on_a_slope_the_range_widens_until_the_whole_window_counts() {
    let grid = clamped(&[48, 40]);
    let rough = slope(&grid, 0.004);
    let result = filtered(&grid, "narrow_range", r#""range": 0.068"#, &rough);
    let whole = Filtered::new(&rough).then(&grid, gaussian(grid, square(6), 2.0));
    let errors = inner(&grid, &difference(&result, &whole.image));
    let before = inner(&grid, &difference(&f64s(&rough), &f64s(&slope(&grid, 0.0))));
    let after = inner(&grid, &difference(&result, &f64s(&slope(&grid, 0.0))));
    println!("roughness {:.2e} became {:.2e} rms", rms(&before), rms(&after));
    within("narrow range against the Gaussian", max_abs(&errors), max_abs(&whole.rounding), "rounding of 169 terms");
}

#[test]
fn the_gaussian_is_the_whole_kernel() {
    for edge in [EdgeRule::Clamp, EdgeRule::Mirror, EdgeRule::Wrap] {
        let grid = Grid::new(&[45, 23], 1.0, edge);
        let image: Vec<f32> = random(grid.cell_count(), 3).iter().map(|v| v + 0.5).collect();
        let params = r#""radius": 8, "sigma": 2.6"#;
        let result = filtered(&grid, "gaussian", params, &image);
        let pass = |window| gaussian(grid, window, 2.6);
        let expected = Filtered::new(&image).then(&grid, pass(window(0, 8))).then(&grid, pass(window(1, 8)));
        expected.is(&format!("gaussian, {}, against two passes in f64", edge.name()), &result);
        let whole = Filtered::new(&image).then(&grid, pass(square(8)));
        let error = max_abs(&difference(&expected.image, &whole.image));
        within("  these against the whole 17 x 17 kernel", error, 1e-14, "f64's rounding");
        let bar = max_abs(&expected.rounding);
        let sums = [f64s(&image).iter().sum::<f64>(), result.iter().sum()];
        if edge == EdgeRule::Clamp {
            println!("  clamp does not keep the sum: {:.3} became {:.3}", sums[0], sums[1]);
        } else {
            within(
                "  sum over all cells",
                (sums[1] - sums[0]).abs(),
                grid.cell_count() as f64 * bar,
                "each pixel's rounding",
            );
        }
        let flat = filtered(&grid, "gaussian", params, &vec![3.7; grid.cell_count()]);
        let bar = 2.0 * 3.7 * (17.0 + 3.0 + 6.0) * U;
        within(
            "  a constant",
            max_abs(&flat.iter().map(|v| v - f64::from(3.7f32)).collect::<Vec<_>>()),
            bar,
            "two passes",
        );
    }
}

#[test]
fn the_gaussian_blurs_colours_alike_and_a_point_in_3d_to_a_product() {
    let grid = Grid::new(&[30, 22], 1.0, EdgeRule::Mirror);
    let image = random(grid.cell_count(), 8);
    let alone = filtered(&grid, "gaussian", "", &image);
    // Powers of two scale every rounding along.
    let scales = [1.0f32, -2.0, 0.5, 4.0];
    let colors: Vec<f32> = image.iter().flat_map(|v| scales.map(|s| s * v)).collect();
    let expected: Vec<f64> = alone.iter().flat_map(|v| scales.map(|s| f64::from(s) * v)).collect();
    let error = max_abs(&difference(&filtered(&grid, "gaussian", "", &colors), &expected));
    within("gaussian of colours against numbers", error, 4.0 * 4.0 * 32.0 * U, "two passes, twice, times 4");

    let grid = Grid::new(&[15, 15, 15], 1.0, EdgeRule::Wrap);
    let mut point = vec![0.0; grid.cell_count()];
    point[grid.index([7, 7, 7])] = 1.0;
    let blurred = filtered(&grid, "gaussian_3d", r#""radius": 5, "sigma": 1.7"#, &point);
    let weight = |k: i64| if k.abs() > 5 { 0.0 } else { (-(k * k) as f64 / (2.0 * 1.7 * 1.7)).exp() };
    let total: f64 = (-5..=5).map(weight).sum();
    let expected: Vec<f64> = grid.cells().map(|c| c.iter().map(|x| weight(x - 7) / total).product()).collect();
    // The middle is the largest; no weight there, but each total has 11.
    let bar = max_abs(&expected) * 3.0 * (11.0 + 6.0 + 18.0 + 6.0) * U;
    within("gaussian of a point in 3D", max_abs(&difference(&blurred, &expected)), bar, "three passes");
}

/// Repeats of (1 2 1) / 4 are rows of Pascal's triangle: powers of two, so of a point every digit is exact.
#[test]
fn binomial_blurs_of_a_point_are_binomial_coefficients() {
    let nodes = r#"
        "domain": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
        "image": (state: "Grid<f32>"),
        "blur": (stage: "filter/binomial", inputs: {"field": "image.value"}, iterations: 2),
    "#;
    for grid in [Grid::new(&[9, 8], 1.0, EdgeRule::Wrap), Grid::new(&[9, 8, 7], 1.0, EdgeRule::Wrap)] {
        let middle = [4, 4, if grid.dim == 3 { 3 } else { 0 }];
        let mut point = vec![0.0; grid.cell_count()];
        point[grid.index(middle)] = 1.0;
        let mut sim = start(60.0, nodes, &[("$cells", &grid.resolution())]);
        let blurred = run(&mut sim, &[("image", &point)], 1, "blur.field");
        let weight = |k: i64| [6.0, 4.0, 1.0].get(k.unsigned_abs() as usize).map_or(0.0, |w| w / 16.0);
        let expected = grid.cells().map(|c| (0..grid.dim).map(|a| weight(c[a] - middle[a])).product());
        assert_eq!(blurred, expected.collect::<Vec<f64>>(), "{}D", grid.dim);
    }
}
