use super::*;

fn curve(points: &[(f64, f64)]) -> Curve {
    Curve { points: points.to_vec() }
}

/// A curve as the papers define it: slopes first (PCHIP: harmonic means with weights 1/3 + h/(h + h')), then the basis of Hermite.
fn pchip(points: &[(f64, f64)], t: f64) -> f64 {
    let n = points.len();
    let h: Vec<f64> = points.windows(2).map(|p| p[1].0 - p[0].0).collect();
    let d: Vec<f64> = points.windows(2).zip(&h).map(|(p, h)| (p[1].1 - p[0].1) / h).collect();
    let mut m = vec![d[0]; n];
    m[n - 1] = d[n - 2];
    for k in 1..n - 1 {
        let share = (1.0 + h[k] / (h[k - 1] + h[k])) / 3.0;
        m[k] = if d[k - 1].signum() * d[k].signum() > 0.0 && d[k - 1] != 0.0 && d[k] != 0.0 {
            1.0 / (share / d[k - 1] + (1.0 - share) / d[k])
        } else {
            0.0
        };
    }
    let k = (0..n - 1).rev().find(|k| points[*k].0 <= t).unwrap_or(0);
    let x = (t - points[k].0) / h[k];
    let (h00, h10) = ((1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x), x * (1.0 - x) * (1.0 - x));
    let (h01, h11) = (x * x * (3.0 - 2.0 * x), x * x * (x - 1.0));
    h00 * points[k].1 + h10 * h[k] * m[k] + h01 * points[k + 1].1 + h11 * h[k] * m[k + 1]
}

/// What linear interpolation of the samples gives.
fn from_table(samples: &[f64], t: f64) -> f64 {
    let x = t.clamp(0.0, 1.0) * (SAMPLES - 1) as f64;
    let i = (x as usize).min(SAMPLES - 2);
    let f = x - i as f64;
    samples[i] * (1.0 - f) + samples[i + 1] * f
}

fn places() -> impl Iterator<Item = f64> {
    (0..=4000).map(|i| f64::from(i) / 4000.0)
}

const SHAPES: [&[(f64, f64)]; 7] = [
    &[(0.0, 0.0), (1.0, 1.0)],
    &[(0.0, 1.0), (0.5, 0.8), (1.0, 0.0)],
    &[(0.0, 0.0), (0.1, 5.0), (0.6, 5.5), (0.7, -3.0), (1.0, 2.0)],
    &[(0.2, 3.0), (0.4, 3.0), (0.8, 1.0)],
    // A flat start before a steep rise: a plain cubic would overshoot.
    &[(0.0, 0.0), (0.4, 0.01), (0.5, 1.0), (1.0, 1.01)],
    // A step, between slopes.
    &[(0.0, 0.0), (0.5, 1.0), (0.5, 3.0), (1.0, 2.0)],
    // Narrower than the samples are apart.
    &[(0.0, 0.0), (0.5, 0.0), (0.505, 1.0), (0.51, 0.0), (1.0, 0.5)],
];

#[test]
fn curves_are_the_monotone_cubics_of_the_papers() {
    for shape in SHAPES.iter().take(5) {
        let curve = curve(shape);
        let (first, last) = (shape[0].0, shape[shape.len() - 1].0);
        let error = places().filter(|t| (first..=last).contains(t)).map(|t| (curve.at(t) - pchip(shape, t)).abs());
        let error = error.fold(0.0, f64::max);
        println!("{shape:?}: {error:.2e}");
        // A dozen roundings of numbers up to 6.
        assert!(error < 12.0 * 6.0 * f64::EPSILON, "{shape:?}: {error:.2e}");
    }
    // By hand: slopes 2 and 0 through (0, 0), (0.5, 1), (1, 1).
    let bend = curve(&[(0.0, 0.0), (0.5, 1.0), (1.0, 1.0)]);
    assert_eq!([0.125, 0.25, 0.75].map(|t| bend.at(t)), [0.296_875, 0.625, 1.0]);
}

#[test]
fn curves_go_through_their_points_and_never_beyond_them() {
    for shape in SHAPES {
        let curve = curve(shape);
        let steps = |t: f64| shape.iter().rev().find(|p| p.0 == t).map(|p| p.1);
        shape.iter().for_each(|(t, _)| assert_eq!(Some(curve.at(*t)), steps(*t), "{shape:?} at {t}"));
        for pair in shape.windows(2).filter(|p| p[1].0 > p[0].0) {
            let rises = (pair[1].1 - pair[0].1).signum();
            let inside: Vec<f64> =
                places().filter(|t| (pair[0].0..pair[1].0).contains(t)).map(|t| curve.at(t)).collect();
            let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            assert!(inside.iter().all(|v| (low..=high).contains(v)), "{shape:?} leaves {pair:?}");
            // Up to rounding.
            let back = inside.windows(2).map(|v| rises * (v[0] - v[1])).fold(0.0, f64::max);
            assert!(
                back <= 8.0 * high.abs().max(low.abs()) * f64::EPSILON,
                "{shape:?} turns back by {back:.1e} in {pair:?}"
            );
        }
    }
    let one = curve(&[(0.3, 7.0)]);
    assert_eq!([-1.0, 0.0, 0.3, 0.9, f64::INFINITY].map(|t| one.at(t)), [7.0; 5]);
    let ends = curve(SHAPES[3]);
    assert_eq!([-5.0, 0.0, 0.9, 5.0].map(|t| ends.at(t)), [3.0, 3.0, 1.0, 1.0]);
}

#[test]
fn the_table_is_as_near_as_it_says() {
    for shape in SHAPES {
        let curve = curve(shape);
        let (samples, bar) = (curve.samples(), curve.table_error());
        let error = places().map(|t| (from_table(&samples, t) - curve.at(t)).abs()).fold(0.0, f64::max);
        println!("{shape:?}: table {error:.2e}, bar {bar:.2e}");
        assert!(error <= bar + 1e-12, "{shape:?}: {error:.2e} over {bar:.2e}");
        assert_eq!((samples.len(), samples[0], samples[SAMPLES - 1]), (SAMPLES, curve.at(0.0), curve.at(1.0)));
    }
    assert!(curve(SHAPES[1]).table_error() < 2e-3, "for a plain curve that is little");
}

#[test]
fn gradients_are_linear_between_their_stops() {
    let black = [0.0, 0.0, 0.0, 1.0];
    let white = [1.0; 4];
    let red = [2.0, 0.0, 0.0, 0.0];
    let ramp = Gradient { stops: vec![(0.25, black), (0.5, white), (0.5, red), (0.75, black)] };
    assert_eq!(ramp.at(0.0), black);
    assert_eq!(ramp.at(0.375), [0.5, 0.5, 0.5, 1.0]);
    assert_eq!(ramp.at(0.5), red);
    assert_eq!(ramp.at(0.625), [1.0, 0.0, 0.0, 0.5]);
    assert_eq!([ramp.at(1.0), ramp.at(f64::NAN)], [black; 2]);
    let samples = ramp.samples();
    assert_eq!(samples.len(), 4 * SAMPLES);
    assert_eq!((&samples[..4], &samples[4 * (SAMPLES - 1)..]), (&black[..], &black[..]));
    let two = Gradient { stops: vec![(0.0, black), (1.0, white)] }.samples();
    let error = (0..SAMPLES).map(|i| (two[4 * i] - i as f64 / 64.0).abs()).fold(0.0, f64::max);
    assert_eq!(error, 0.0);
}

#[test]
fn colours_are_written_as_they_are_read() {
    for text in ["#000000", "#ffffff", "#ff8800", "#0a0b0c80", "#12345600"] {
        assert_eq!(color_from_hex(text).and_then(hex_from_color).as_deref(), Some(text));
    }
    // IEC 61966-2-1 in f64: 188 is 0.502886.
    let [grey, ..] = color_from_hex("#bcbcbc").unwrap();
    assert!((grey - 0.502_886_458_033).abs() < 1e-9, "{grey}");
    assert_eq!(hex_from_color([0.5, 0.0, 0.0, 1.0]), None);
    assert_eq!(hex_from_color([2.0, 0.0, f64::NAN, 1.0]), None);
    for wrong in ["ff8800", "#ff880", "#ff88001", "#gg8800", "#", "#ffé80", "#+f8800"] {
        assert_eq!(color_from_hex(wrong), None, "{wrong}");
    }
}

#[test]
fn wrong_curves_say_what_is_wrong_and_stay_harmless() {
    let none = (None, None);
    let many: Vec<(f64, f64)> = (0..10_000).map(|i| (f64::from(i) / 9999.0, f64::from(i % 7))).collect();
    assert_eq!(curve(&many).check(none), Ok(()));
    assert!(curve(&many).samples().iter().all(|v| (0.0..=6.0).contains(v)));
    for (points, range, says) in [
        (&[][..], none, "no points"),
        (&[(f64::NAN, 1.0)], none, "at t = NaN"),
        (&[(0.0, 1.0), (1.5, 1.0)], none, "point 2 of the curve is at t = 1.5"),
        (&[(-0.1, 1.0)], none, "at t = -0.1"),
        (
            &[(0.0, 1.0), (0.6, 1.0), (0.5, 2.0)],
            none,
            "point 3 of the curve is at t = 0.5, but the one before it is at 0.6",
        ),
        (&[(0.0, f64::NAN), (1.0, 1.0)], none, "has the value NaN"),
        (&[(0.0, 1e39)], none, "more than 1e38"),
        (&[(0.0, f64::NEG_INFINITY)], none, "-inf"),
        (&[(0.0, 0.5), (1.0, 2.0)], (Some(0.0), Some(1.0)), "2, outside 0..1"),
    ] {
        let curve = curve(points);
        let (cause, remedy) = curve.check(range).expect_err(says);
        println!("{cause}; {remedy}");
        assert!(cause.contains(says) && !remedy.is_empty(), "{cause}");
        assert_eq!(curve.samples().len(), SAMPLES);
    }
    assert_eq!(curve(&[]).at(0.5), 0.0);
    // Slopes of points that are as near and as far apart as can be.
    let far = 1e38;
    let steep = curve(&[(0.0, -far), (2e-9, far), (3e-9, -far), (4e-9, -far + 1e30), (5e-9, 1e-300), (1.0, far)]);
    assert_eq!(steep.check(none), Ok(()));
    assert!(places().all(|t| steep.at(t).abs() <= far));
    let ramp = Gradient { stops: vec![(0.0, [0.0; 4]), (0.5, [0.0, f64::NAN, 0.0, 1.0])] };
    assert!(ramp.check().expect_err("NaN").0.contains("stop 2 of the gradient has NaN"));
    assert!(Gradient::default().check().expect_err("empty").0.contains("no stops"));
    assert_eq!(Gradient::default().at(0.5), [0.0; 4]);
}
