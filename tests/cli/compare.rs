//! `compare`: two graphs with the same input, frame by frame.

use super::*;

/// A number that grows by its rate in every cell, and once more in one of them.
const GROWS: &str = r#"(version: 1, nodes: {
    "flat": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "level": (state: "Grid<f32>", inputs: {"next": "grow.x"}),
    "grow": (custom: "//! G\n//! @inout x: Grid<f32>\n//! @param rate: f32 = 0.5, 0..10\n//! @param extra: f32 = 0, 0..10\nfn stage(cell: Cell) -> f32 { return x(cell) + params.rate + select(0.0, params.extra, all(cell.xy == vec2(3, 2))); }", inputs: {"x": "level.value"}),
    "look": (stage: "view/color_map", inputs: {"field": "level.value"}),
    "screen": (output: (size: (16, 12)), inputs: {"image": "look.image"}),
})"#;

#[test]
fn equal_graphs_exit_with_0_and_others_with_1_and_name_the_place() {
    let dir = folder("compare");
    let (graph, table, image) = (dir.join("grows.ron"), dir.join("found.csv"), dir.join("difference.png"));
    std::fs::write(&graph, GROWS).unwrap();
    let path = graph.to_str().unwrap();
    let run = |more: &[&str]| stagewright(&[&["compare", path, path, "--frames", "4"], more].concat());
    let equal = run(&[]);
    assert_eq!(equal.status.code(), Some(0), "{}", err(&equal));
    assert!(out(&equal).ends_with("A and B are equal in all frames\n"), "{}", out(&equal));
    let wire = ["--wire", "level.value", "--param-b", "grow.extra=0.25"];
    let files = ["--csv", table.to_str().unwrap(), "--image", image.to_str().unwrap(), "--every", "2"];
    let differs = run(&[&wire[..], &files].concat());
    assert_eq!(differs.status.code(), Some(1), "{}", err(&differs));
    let text = out(&differs);
    // One of 48 cells differs by a quarter a frame.
    for part in [
        "frame 2: max 5.000000e-1 at cell (3, 2) (A 1, B 1.5), L1 1.041667e-2",
        "A and B differ from frame 2 on; the greatest |A - B| is 1 in frame 4",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let rows: Vec<Vec<String>> = std::fs::read_to_string(&table)
        .unwrap()
        .lines()
        .map(|line| line.split(',').map(str::to_string).collect())
        .collect();
    assert_eq!((rows.len(), rows[1][0].as_str(), rows[2][2].as_str(), rows[2][7].as_str()), (3, "2", "1", "1"));
    assert!(std::fs::read(&image).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(run(&[&wire[..], &["--tolerance", "1"]].concat()).status.code(), Some(0));
    let unusable = run(&["--wire", "nothing.here"]);
    assert_eq!(unusable.status.code(), Some(2), "{}", out(&unusable));
    assert!(err(&unusable).contains("nothing: there is no such node"), "{}", err(&unusable));
}
