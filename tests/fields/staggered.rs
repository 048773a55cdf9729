//! Curl noise on a staggered grid: its divergence is zero to rounding, whatever the potential.

use stagewright_solver_support::harness::*;

use super::noise::PARAMS;

const NODES: &str = r#"
    "space": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "sphere": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.4, 0.4), "radius": 0.2}),
    "noise": (stage: "curl_noise/noise", inputs: {"shape": "sphere.distance"}, params: {$noise}),
    "stream": (stage: "curl_noise/noise_2d", inputs: {"shape": "sphere.distance"}, params: {$noise}),
    "lifted": (stage: "curl_noise/stream_potential", inputs: {"stream": "stream.potential"}),
    "curl": (stage: "curl_noise/curl", inputs: {"potential": "$potential.potential"}, params: {"step": 0.002}),
    "faces": (stage: "curl_noise/staggered_curl", on: "space", inputs: {"potential": "$potential.potential"}),
    "divergence": (stage: "staggered/divergence", inputs: {"velocity": "faces.velocity"}),
    "samples": (stage: "staggered/from_field", on: "space", inputs: {"velocity": "curl.velocity"}),
    "sampled": (stage: "staggered/divergence", inputs: {"velocity": "samples.result"}),
    "centers": (stage: "staggered/face_to_center", inputs: {"velocity": "faces.velocity"}),
    "expected": (stage: "grid/from_field", on: "space", inputs: {"field": "curl.velocity"}),
"#;

/// Components of the faces in memory that lie on the grid: the layer beyond holds one axis' faces only.
fn real_faces(n: [usize; 3], dim: usize, values: &[f64]) -> Vec<f64> {
    let layered: Vec<usize> = (0..dim).map(|a| n[a] + 1).collect();
    let place = |i: usize, a: usize| i / layered[..a].iter().product::<usize>() % layered[a];
    let real = |i: usize, axis: usize| (0..dim).all(|a| a == axis || place(i, a) < n[a]);
    (0..values.len()).filter(|k| real(k / dim, k % dim)).map(|k| values[k]).collect()
}

fn divergence_free(n: [usize; 3], dim: usize, potential: &str) {
    let cells: Vec<String> = n[..dim].iter().map(usize::to_string).collect();
    let values = [
        ("$cells", cells.join(", ")),
        ("$edge", "wall".into()),
        ("$noise", PARAMS.into()),
        ("$potential", potential.into()),
    ];
    let mut sim = start(60.0, NODES, &pairs(&values));
    step(&mut sim, 1);
    let faces = real_faces(n, dim, &read(&sim, "faces.velocity"));
    let speed = max_abs(&faces);
    let h = 1.0 / n[0] as f64;
    let divergence = max_abs(&read(&sim, "divergence.divergence"));
    let eps = f64::from(f32::EPSILON);
    println!("{dim}D, {n:?}: up to {speed:.2} m/s");
    within("  divergence over max|u| / h", divergence / (speed / h), 4.0 * eps, "four times f32's epsilon");
    let sampled = max_abs(&read(&sim, "sampled.divergence"));
    println!("  asked at the faces instead: {:.1e} of max|u| / h", sampled / (speed / h));
    assert!(sampled > 100.0 * divergence, "samples of a divergence-free flow are not that");
    // The same flow: its mean over a cell differs from the middle's with the second order of h.
    let apart = difference(&read(&sim, "centers.result"), &read(&sim, "expected.result"));
    println!("  at the centres, rms difference from the flow itself: {:.3} of {speed:.2} m/s", rms(&apart));
    assert!(rms(&apart) < 0.15 * speed, "it is that flow");
}

#[test]
fn the_staggered_curl_has_no_divergence() {
    divergence_free([64, 48, 1], 2, "lifted");
    divergence_free([61, 45, 1], 2, "lifted");
    divergence_free([64, 48, 1], 2, "noise");
    divergence_free([32, 24, 28], 3, "noise");
    divergence_free([29, 23, 19], 3, "noise");
}
