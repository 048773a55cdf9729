//! Curvature of interfaces whose area fractions are known exactly.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;

/// Square cells of edge 1 m.
const CURVATURE: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: $n, edge: "wall")),
    "shares": (state: "Grid<vec2f>"),
    "open": (state: "Grid<f32>", params: {"value": 1}),
    "normals": (stage: "two_phase/normal_curvature", inputs: {"shares": "shares", "open": "open"}),
    "heights": (stage: "two_phase/height_curvature", params: {"reach": $reach},
                inputs: {"shares": "shares", "open": "open", "otherwise": "normals.curvature", "found": "normals.found"}),
"#;

/// Integral of the chord of a disc at the origin that lies within y0..y1, over x0..x1: area of a cell's share.
fn disc_share(r: f64, [x0, x1]: [f64; 2], [y0, y1]: [f64; 2]) -> f64 {
    let half = |x: f64| (r * r - x * x).max(0.0).sqrt();
    let primitive = |x: f64| 0.5 * (x * half(x) + r * r * (x / r).clamp(-1.0, 1.0).asin());
    let mut ends: Vec<f64> = [r, half(y0), half(y1)].iter().flat_map(|x| [-x, *x]).chain([x0, x1]).collect();
    ends.retain(|x| (x0..=x1).contains(x));
    ends.sort_by(f64::total_cmp);
    let piece = |p: f64, q: f64| {
        // Where the circle's upper (or lower) half lies in the middle of a piece, there it lies in all of it.
        let side = |sign: f64| match sign * half(0.5 * (p + q)) {
            y if y <= y0 => y0 * (q - p),
            y if y >= y1 => y1 * (q - p),
            _ => sign * (primitive(q) - primitive(p)),
        };
        side(1.0) - side(-1.0)
    };
    ends.windows(2).map(|e| piece(e[0], e[1])).sum()
}

/// Area fractions of a disc on n x n cells, x fastest; lengths in cells.
pub fn disc(n: usize, centre: [f64; 2], r: f64) -> Vec<f64> {
    let span = |i: usize, c: f64| [i as f64 - c, i as f64 + 1.0 - c];
    (0..n * n).map(|i| disc_share(r, span(i % n, centre[0]), span(i / n, centre[1])).clamp(0.0, 1.0)).collect()
}

/// Both fluids' shares, as the wire holds them.
pub fn shares(f: &[f64]) -> Vec<f32> {
    f.iter().flat_map(|f| [*f as f32, 1.0 - *f as f32]).collect()
}

/// A field blurred by a Gaussian of so many cells.
fn smeared(n: usize, f: &[f64], sigma: f64) -> Vec<f64> {
    let reach = (6.0 * sigma).ceil() as i64;
    let weights: Vec<f64> = (-reach..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let total: f64 = weights.iter().sum();
    let pass = |f: &[f64], stride: usize| -> Vec<f64> {
        let at = |i: usize, k: i64| (i / stride % n) as i64 + k;
        let term =
            |i: usize, k: i64| f[(i as i64 + (at(i, k).clamp(0, n as i64 - 1) - at(i, 0)) * stride as i64) as usize];
        (0..n * n).map(|i| (-reach..=reach).zip(&weights).map(|(k, w)| w / total * term(i, k)).sum()).collect()
    };
    pass(&pass(f, 1), n)
}

struct Curvatures {
    heights: Vec<f64>,
    method: Vec<f64>,
    normals: Vec<f64>,
    /// Cells that hold both fluids.
    mixed: Vec<usize>,
}

fn find(n: usize, reach: usize, f: &[f64], open: &[f32]) -> Curvatures {
    let mut sim = start(60.0, CURVATURE, &[("$n", &n.to_string()), ("$reach", &reach.to_string())]);
    let heights = run(&mut sim, &[("shares", &shares(f)), ("open", open)], 1, "heights.curvature");
    let [method, normals] = ["heights.method", "normals.curvature"].map(|wire| read(&sim, wire));
    let mixed = (0..n * n).filter(|i| open[*i] > 0.5 && f[*i] > 0.02 && f[*i] < 0.98).collect();
    Curvatures { heights, method, normals, mixed }
}

fn all_open(n: usize) -> Vec<f32> {
    vec![1.0; n * n]
}

/// Relative errors of a disc's curvature in all mixed cells, of the heights and of the normals, over some places of its centre.
fn disc_errors(r: f64, reach: usize, sigma: f64) -> [Vec<f64>; 2] {
    let n = (2.0 * r) as usize + 24;
    let mut errors = [Vec::new(), Vec::new()];
    for centre in [[0.0, 0.0], [0.31, 0.12], [0.5, 0.27]] {
        let f = disc(n, centre.map(|c| 0.5 * n as f64 + c), r);
        let found = find(n, reach, &if sigma > 0.0 { smeared(n, &f, sigma) } else { f }, &all_open(n));
        assert!(found.mixed.iter().all(|i| found.method[*i] == 2.0), "the heights give all curvatures of R = {r}");
        errors[0].extend(found.mixed.iter().map(|i| found.heights[*i] * r - 1.0));
        errors[1].extend(found.mixed.iter().map(|i| found.normals[*i] * r - 1.0));
    }
    errors
}

/// Heights are means over a cell's width, their slope and curvature central differences:  H' + 5/24 h^2 H''',  H'' + 1/8 h^2 H''''.
/// For a circle kappa is then too large by the part  3/8 (h / (R cos t))^2,  t from the axis of the columns.
#[test]
fn heights_are_second_order_on_discs_and_normals_do_not_converge() {
    let measured = [8.0, 16.0, 32.0].map(|r| {
        let [heights, normals] = disc_errors(r, 5, 0.0);
        println!(
            "R = {r} cells: heights max {:.3e}, rms {:.3e}, mean {:.3e} of 1/R",
            max_abs(&heights),
            rms(&heights),
            mean(&heights)
        );
        println!(
            "  normals max {:.3e}, rms {:.3e} of 1/R, rms {:.4} / h",
            max_abs(&normals),
            rms(&normals),
            rms(&normals) / r
        );
        let bar = 1.0 / (r * r);
        within(
            "heights",
            max_abs(&heights),
            bar,
            "3/4 (h / R)^2 at 45 degrees, a third more for cells beyond and higher orders",
        );
        [max_abs(&heights), rms(&heights), rms(&normals) / r]
    });
    for k in [0, 1] {
        has_order("largest error, R = 8 and 16", order(measured[0][k], measured[1][k]), 2.0);
        has_order("rms error, R = 16 and 32", order(measured[1][k], measured[2][k]), 2.0);
    }
    let part = 1.0 / 50.0;
    within("normals, rms times h", measured[2][2], part, "twice the 0.01 / h of the doc");
}

/// A blur of standard deviation s smooths the heights along the interface:  H' + s^2/2 H''',  H'' + s^2/2 H''''.
#[test]
fn a_smeared_disc_costs_the_square_of_the_smear() {
    for (r, sigma, reach) in [(16.0, 0.5, 5), (16.0, 0.7, 5), (32.0, 0.5, 5), (32.0, 0.7, 5), (32.0, 1.0, 6)] {
        let [heights, _] = disc_errors(r, reach, sigma);
        println!("R = {r}, smeared by {sigma} cells: max {:.3e}, rms {:.3e} of 1/R", max_abs(&heights), rms(&heights));
        // The outermost cell counted, of a share of 0.02, lies d outside; its column meets the interface beyond 45 degrees.
        let d = 2.054 * (sigma * sigma + 1.0 / 12.0_f64).sqrt();
        let sin2 = (0.5 * (1.0 + d / r).powi(2)).min(0.9);
        let bar = (0.375 / (1.0 - sin2) + 1.5 * sigma * sigma * (1.0 + sin2) / (1.0 - sin2).powi(2)) / (r * r);
        within(
            "heights",
            max_abs(&heights),
            1.3 * bar,
            "3/8 h^2 / cos^2 + 3/2 s^2 (1 + sin^2) / cos^4 over R^2, and 0.3 of it for higher orders",
        );
    }
}

/// y < 0.5 n + n/16 cos(4 pi x / n), which both walls cut at right angles; lengths in cells.
fn wave(n: usize) -> ([impl Fn(f64) -> f64; 5], Vec<f64>) {
    let (a, k) = (n as f64 / 16.0, 4.0 * PI / n as f64);
    let term = move |order: i32| move |x: f64| a * k.powi(order) * (k * x + 0.5 * PI * f64::from(order)).cos();
    let h = [0, 1, 2, 3, 4].map(term);
    const PARTS: usize = 500;
    let mut f = vec![0.0; n * n];
    for part in 0..n * PARTS {
        let height = 0.5 * n as f64 + h[0]((part as f64 + 0.5) / PARTS as f64);
        (0..n).for_each(|y| f[y * n + part / PARTS] += (height - y as f64).clamp(0.0, 1.0) / PARTS as f64);
    }
    (h, f)
}

#[test]
fn heights_are_second_order_on_a_wave() {
    let errors = [32, 64, 128].map(|n| {
        let ([_, d1, d2, d3, d4], f) = wave(n);
        let found = find(n, 5, &f, &all_open(n));
        let (mut errors, mut bar) = (Vec::new(), 0.0_f64);
        for i in &found.mixed {
            let x = (i % n) as f64 + 0.5;
            let stretch = 1.0 + d1(x) * d1(x);
            errors.push((found.heights[*i] + d2(x) / stretch.powf(1.5)) * n as f64);
            let term = d4(x).abs() / 8.0 + 3.0 * (d1(x) * d2(x) * d3(x)).abs() / stretch * 5.0 / 24.0;
            bar = bar.max(term / stretch.powf(1.5) * n as f64);
        }
        println!("wave on {n} cells: max {:.3e}, rms {:.3e} of 1/width", max_abs(&errors), rms(&errors));
        within("heights", max_abs(&errors), 1.2 * bar, "the leading terms, and a fifth for the next");
        [max_abs(&errors), rms(&errors)]
    });
    for k in [0, 1] {
        has_order("wave, 32 and 64 cells", order(errors[0][k], errors[1][k]), 2.0);
        has_order("wave, 64 and 128 cells", order(errors[1][k], errors[2][k]), 2.0);
    }
}

/// Area fractions below a straight line through the middle.
fn line(n: usize, slope: f64, offset: f64) -> Vec<f64> {
    // Integral of clamp(t, 0, 1).
    let primitive = |t: f64| if t <= 0.0 { 0.0 } else { 0.5 * t.min(1.0).powi(2) + (t - 1.0).max(0.0) };
    let share = |i: usize| {
        let start = 0.5 * n as f64 + offset + slope * ((i % n) as f64 - 0.5 * n as f64) - (i / n) as f64;
        if slope == 0.0 { start.clamp(0.0, 1.0) } else { (primitive(start + slope) - primitive(start)) / slope }
    };
    (0..n * n).map(share).collect()
}

#[test]
fn straight_lines_have_no_curvature() {
    let n = 32;
    for slope in [0.0, 0.1, -0.37, 0.5, 0.83, -1.0, 1.7, -3.0, 20.0] {
        let f = line(n, slope, 0.3);
        for (what, f) in [("f below", f.clone()), ("g below", f.iter().map(|f| 1.0 - f).collect())] {
            let found = find(n, 5, &f, &all_open(n));
            let inner = |i: &&usize| [**i % n, **i / n].iter().all(|c| (6..n - 6).contains(c));
            let inner: Vec<usize> = found.mixed.iter().filter(inner).copied().collect();
            assert!(inner.len() > 15 && inner.iter().all(|i| found.method[*i] == 2.0));
            let error = inner.iter().map(|i| found.heights[*i].abs()).fold(0.0, f64::max);
            within(
                &format!("slope {slope}, {what}"),
                error,
                4.0 * (3.0 + 3.0 * 2.0) * U,
                "four columns of three rounded shares and sums up to 2",
            );
        }
    }
}

/// A wall is a mirror: what stands on it at right angles has the curvature of the whole.
#[test]
fn a_half_disc_on_a_wall_has_the_curvature_of_the_disc() {
    let (n, r) = (48, 14.0);
    let whole = disc(n, [24.0, 23.7], r);
    let full = find(n, 5, &whole, &all_open(n));
    for wetting in [0.0, 0.5, 1.0] {
        let is_open = |i: usize| i % n < 24;
        let open: Vec<f32> = (0..n * n).map(|i| if is_open(i) { 1.0 } else { 0.0 }).collect();
        let half: Vec<f64> = (0..n * n).map(|i| if is_open(i) { whole[i] } else { wetting }).collect();
        let found = find(n, 5, &half, &open);
        let apart: Vec<f64> = found.mixed.iter().map(|i| (found.heights[*i] - full.heights[*i]).abs() * r).collect();
        println!("{} cells, {} of them at the wall", apart.len(), found.mixed.iter().filter(|i| *i % n == 23).count());
        let bar = 4.0 * (3.0 + 3.0 * 2.0) * U * r;
        within(&format!("wetting {wetting}: from the whole disc's"), max_abs(&apart), bar, "rounding of the sums");
        assert!((0..n * n).all(|i| is_open(i) || found.heights[i] == 0.0), "none in walls");
    }
}

/// Cells up to two beside the interface lie on contours of other radii, R + d.
#[test]
fn normals_of_a_thick_interface_give_the_curvature_of_its_middle() {
    let (n, r) = (40, 8.0);
    let found = find(n, 5, &smeared(n, &disc(n, [20.31, 20.12], r), 1.0), &all_open(n));
    let errors: Vec<f64> = found.mixed.iter().map(|i| found.normals[*i] * r - 1.0).collect();
    println!("R = {r} smeared by 1 cell: mean {:.3e}, max {:.3e} of 1/R", mean(&errors), max_abs(&errors));
    within("rms", rms(&errors), 0.01 * r + 1.0 / (r * r), "0.01 / h, and (s / R)^2");
}

/// Where columns can't see both sides the normals answer.
#[test]
fn small_drops_and_thin_threads_have_a_sound_curvature() {
    let n = 24;
    for (r, centre) in
        [1.5, 2.0, 3.0, 4.0].iter().flat_map(|r| [[12.0, 12.0], [12.31, 12.12], [12.5, 12.27]].map(|c| (*r, c)))
    {
        let found = find(n, 5, &disc(n, centre, r), &all_open(n));
        let [heights, normals] = [2.0, 1.0].map(|m| found.mixed.iter().filter(|i| found.method[**i] == m).count());
        println!("R = {r} at {centre:?}: {heights} cells by heights, {normals} by normals, of {}", found.mixed.len());
        assert_eq!(heights + normals, found.mixed.len());
        let errors: Vec<f64> = found.mixed.iter().map(|i| found.heights[*i] * r - 1.0).collect();
        within("drop", max_abs(&errors), 1.0 / r, "first order, h / R");
    }
    for (slope, width) in [0.0, 0.4, 1.0].iter().flat_map(|s| [1.6, 2.4, 3.3].map(|w| (*s, w))) {
        let f: Vec<f64> =
            line(n, slope, 0.5 * width).iter().zip(line(n, slope, -0.5 * width)).map(|(a, b)| a - b).collect();
        let found = find(n, 5, &f, &all_open(n));
        let inner = |i: &&usize| [**i % n, **i / n].iter().all(|c| (6..n - 6).contains(c));
        let inner: Vec<usize> = found.mixed.iter().filter(inner).copied().collect();
        let [heights, normals] = [2.0, 1.0].map(|m| inner.iter().filter(|i| found.method[**i] == m).count());
        println!(
            "thread {width} cells high, slope {slope}: {heights} by heights, {normals} by normals, of {}",
            inner.len()
        );
        assert!(width < 2.0 || heights + normals == inner.len(), "in the middle of a thin thread there is no normal");
        let largest = inner.iter().map(|i| found.heights[*i].abs()).fold(0.0, f64::max);
        within("thread", largest, 0.05, "five times the 0.01 / h by which normals are off");
    }
}
