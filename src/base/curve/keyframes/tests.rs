use super::*;

fn scalar(keys: &[(f64, f64, Tangent)]) -> Keyframes {
    let key = |(frame, value, tangent): &(f64, f64, Tangent)| Key {
        frame: *frame,
        value: vec![*value],
        tangent: tangent.clone(),
    };
    Keyframes::new(keys.iter().map(key).collect())
}

/// The values of one component at 1/16 frames over a range.
fn sampled(keys: &Keyframes, from: i32, to: i32) -> Vec<(f64, f64)> {
    (from * 16..=to * 16).map(|i| f64::from(i) / 16.0).map(|frame| (frame, keys.component(0, frame))).collect()
}

#[test]
fn every_key_has_its_value_and_the_ends_are_held() {
    use Tangent::{Auto, Free, Linear, Step};
    let keys = scalar(&[
        (2.0, 1.0, Auto),
        (5.0, -3.0, Linear),
        (5.5, 4.0, Step),
        (9.0, 4.5, Free(vec![2.0], vec![-1.0])),
        (20.0, 0.1, Auto),
    ]);
    assert_eq!(keys.check(), Ok(()));
    for key in &keys.keys {
        assert_eq!(keys.at(key.frame), [key.value[0], 0.0, 0.0, 0.0], "frame {}", key.frame);
    }
    assert_eq!((keys.component(0, 0.0), keys.component(0, 1e6)), (1.0, 0.1));
    assert_eq!(keys.component(0, 8.999), 4.0, "a step holds until the next key");
}

#[test]
fn automatic_tangents_are_smooth_and_never_overshoot() {
    let keys = scalar(&[
        (0.0, 0.0, Tangent::Auto),
        (10.0, 1.0, Tangent::Auto),
        (12.0, 30.0, Tangent::Auto),
        (30.0, 31.0, Tangent::Auto),
        (40.0, -5.0, Tangent::Auto),
        (50.0, -5.0, Tangent::Auto),
    ]);
    let ranges: Vec<_> = keys.keys.windows(2).map(|k| (k[0].frame, k[1].frame, k[0].value[0], k[1].value[0])).collect();
    for (frame, value) in sampled(&keys, 0, 50) {
        let (.., a, b) = ranges.iter().find(|(from, to, ..)| (*from..=*to).contains(&frame)).unwrap();
        assert!((a.min(*b)..=a.max(*b)).contains(&value), "{value} at {frame}, between {a} and {b}");
    }
    for (from, to, a, b) in &ranges {
        let inside: Vec<f64> = (0..=64).map(|i| keys.component(0, from + (to - from) * f64::from(i) / 64.0)).collect();
        let rising = |pair: &[f64]| (pair[1] - pair[0]) * (b - a).signum() >= -1e-12;
        assert!(inside.windows(2).all(rising), "monotone from {from} to {to}");
    }
    // The slope is the same on both sides of each key, and 0 at the ends and at extrema.
    let h = 1e-6;
    for (index, key) in keys.keys.iter().enumerate() {
        let before = (keys.component(0, key.frame) - keys.component(0, key.frame - h)) / h;
        let after = (keys.component(0, key.frame + h) - keys.component(0, key.frame)) / h;
        assert!((before - after).abs() < 1e-3 * (1.0 + before.abs()), "{before} and {after} at {}", key.frame);
        if [0, 3, 4, 5].contains(&index) {
            assert!(before.abs() < 1e-3, "flat at {}", key.frame);
        }
    }
    // The mean of both secants (0.1 and 14.5) with weights of Fritsch and Butland.
    let (w0, w1) = (2.0 * 2.0 + 10.0, 2.0 + 2.0 * 10.0);
    let slope = (w0 + w1) / (w0 / 0.1 + w1 / 14.5);
    assert!((keys.slopes(1, 0).0 - slope).abs() < 1e-12, "{:?}", keys.slopes(1, 0));
}

#[test]
fn two_automatic_keys_ease_in_and_out() {
    let keys = scalar(&[(0.0, 0.0, Tangent::Auto), (8.0, 1.0, Tangent::Auto)]);
    for i in 0..=8 {
        let t = f64::from(i) / 8.0;
        assert!((keys.component(0, f64::from(i)) - t * t * (3.0 - 2.0 * t)).abs() < 1e-15, "{i}");
    }
}

#[test]
fn lines_are_straight_and_free_slopes_are_the_hermite_basis() {
    let lines = scalar(&[(0.0, 1.0, Tangent::Linear), (4.0, 9.0, Tangent::Linear), (6.0, 5.0, Tangent::Linear)]);
    let wanted = |frame: f64| if frame < 4.0 { 1.0 + 2.0 * frame } else { 9.0 - 2.0 * (frame - 4.0) };
    for (frame, value) in sampled(&lines, 0, 6) {
        assert!((value - wanted(frame)).abs() < 1e-13, "{value} at {frame}");
    }
    let step = scalar(&[(0.0, 1.0, Tangent::Linear), (4.0, 9.0, Tangent::Step), (6.0, 5.0, Tangent::Linear)]);
    let wanted = |frame: f64| if frame < 4.0 { 1.0 + 2.0 * frame } else { 9.0 };
    assert!(sampled(&step, 0, 5).iter().all(|(frame, value)| (value - wanted(*frame)).abs() < 1e-13));
    let (a, b) = (2.0, -1.0);
    let (m0, m1) = (3.0, 0.5);
    let width = 4.0;
    let free = |value: f64, before: f64, after: f64| (value, Tangent::Free(vec![before], vec![after]));
    let ((a, first), (b, last)) = (free(a, 9.0, m0), free(b, m1, -9.0));
    let keys = scalar(&[(1.0, a, first), (5.0, b, last)]);
    for (frame, value) in sampled(&keys, 1, 5) {
        let t = (frame - 1.0) / width;
        let (h00, h10) = ((1.0 + 2.0 * t) * (1.0 - t) * (1.0 - t), t * (1.0 - t) * (1.0 - t));
        let (h01, h11) = (t * t * (3.0 - 2.0 * t), t * t * (t - 1.0));
        let hermite = h00 * a + h10 * width * m0 + h01 * b + h11 * width * m1;
        assert!((value - hermite).abs() < 1e-13, "{value} at {frame}, not {hermite}");
    }
    assert!(keys.component(0, 2.0) > a, "a free slope may overshoot");
}

#[test]
fn components_are_curves_of_their_own() {
    let keys = Keyframes::new(vec![
        Key { frame: 0.0, value: vec![0.0, 5.0, -1.0], tangent: Tangent::Linear },
        Key { frame: 10.0, value: vec![1.0, 5.0, 1.0], tangent: Tangent::Linear },
    ]);
    assert_eq!(keys.components(), 3);
    assert_eq!(keys.at(5.0), [0.5, 5.0, 0.0, 0.0]);
}

#[test]
fn wrong_keys_are_refused_in_a_sentence() {
    let key = |frame: f64, value: &[f64]| Key::new(frame, value.to_vec());
    let free = |before: &[f64], after: &[f64]| Tangent::Free(before.to_vec(), after.to_vec());
    let cases = [
        (vec![], "there are no keys"),
        (vec![key(3.0, &[1.0]), key(2.0, &[1.0])], "key 2 is at frame 2, but the one before it is at 3"),
        (vec![key(3.0, &[1.0]), key(3.0, &[1.0])], "two keys are at frame 3"),
        (vec![key(-1.0, &[1.0])], "key 1 is at frame -1"),
        (vec![key(f64::NAN, &[1.0])], "key 1 is at frame NaN"),
        (vec![key(1e10, &[1.0])], "key 1 is at frame 10000000000"),
        (
            vec![key(0.0, &[1.0]), key(1.0, &[1.0, 2.0])],
            "the value of the key at frame 1 has 2 numbers, the first key has 1",
        ),
        (vec![key(0.0, &[])], "the value of the key at frame 0 has 0 numbers"),
        (vec![key(0.0, &[0.0; 5])], "the value of the key at frame 0 has 5 numbers"),
        (vec![key(0.0, &[f64::INFINITY])], "the value of the key at frame 0 is inf"),
        (vec![key(0.0, &[1e39])], "more than 1e38"),
        (vec![Key { tangent: free(&[1.0], &[]), ..key(0.0, &[1.0]) }], "the slope of the key at frame 0 has 0 numbers"),
        (
            vec![Key { tangent: free(&[1.0], &[f64::NAN]), ..key(0.0, &[1.0]) }],
            "the slope of the key at frame 0 is NaN",
        ),
    ];
    for (keys, says) in cases {
        let keys = Keyframes::new(keys);
        let (cause, remedy) = keys.check().expect_err(says);
        assert!(cause.contains(says) && !remedy.is_empty(), "{cause}; {remedy}");
        let _ = [-1.0, 0.0, 2.5, f64::NAN].map(|frame| keys.at(frame));
    }
    let steep =
        scalar(&[(0.0, 1e38, Tangent::Auto), (1e-300, -1e38, Tangent::Linear), (1e9, 1e38, free(&[1e38], &[-1e38]))]);
    assert_eq!(steep.check(), Ok(()));
    assert!([0.0, 5e-301, 1e-300, 1.0, 5e8, 1e9].iter().all(|frame| steep.component(0, *frame).is_finite()));
}
