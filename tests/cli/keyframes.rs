//! Keys are played, and replaced by `--param`.

use super::*;

const KEYED: &str = r#"(version: 1, nodes: {
    "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "grey": (custom: "//! Grey\n//! @out image: Image\n//! @param level: f32 = 0, 0..1\nfn stage(cell: Cell) -> vec4f { return vec4f(vec3f(params.level), 1.0); }",
        on: "flat", params: {"level": (keys: [(0, 0, Linear), (4, 1, Linear)])}),
    "screen": (output: (), inputs: {"image": "grey"}),
    "n": (number: (keys: [(0, 1, Linear), (2, 5, Step), (3, 7)], expr: "keys * 10")),
})"#;

#[test]
fn the_command_line_plays_keys() {
    let dir = folder("keyframes");
    let (file, frames) = (dir.join("keyed.ron"), dir.join("frames"));
    std::fs::write(&file, KEYED).unwrap();
    let (file, frames_at) = (file.to_str().unwrap(), frames.to_str().unwrap());
    let said = |arguments: &[&str]| {
        let output = stagewright(arguments);
        assert!(output.status.success(), "{arguments:?}: {}{}", out(&output), err(&output));
        out(&output)
    };
    said(&["render", file, "--frames", "6", "--out", frames_at]);
    for frame in 0..6 {
        let level = (f64::from(frame) / 4.0).min(1.0);
        let srgb = if level <= 0.003_130_8 { level * 12.92 } else { 1.055 * level.powf(1.0 / 2.4) - 0.055 };
        let seen = decoded(&frames.join(format!("frame.{:04}.png", frame + 1))).2[0];
        assert!((f64::from(seen) - srgb * 255.0).abs() <= 1.0, "frame {frame}: {seen}, not {}", srgb * 255.0);
    }
    let column = |more: &[&str]| {
        let table = said(&[&["record", file, "--frames", "5", "--number", "n"], more].concat());
        table.lines().skip(1).filter_map(|line| Some(line.rsplit_once(',')?.1.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(column(&[]), ["10", "30", "50", "70", "70"]);
    assert_eq!(column(&["--param", "n.value=3"]), ["3"; 5]);
    assert_eq!(column(&["--param", "n.value=(keys: [(1, 2, Step), (4, 8)])"]), ["2", "2", "2", "2", "8"]);
    let output = stagewright(&["check", file, "--param", "n.value=(keys: [(3, 2), (1, 8)])"]);
    let said = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!output.status.success() && said.contains("sort the keys by frame"), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}
