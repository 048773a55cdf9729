//! Flipbooks from the command line: the sheets, what they say about themselves, and numbers that do not fit.

use super::*;

/// A square of smoke that moves to the right by an eighth of the image a frame.
const MOVING: &str = r#"(version: 1, fps: 10, nodes: {
    "flat": (domain: (resolution: (16, 16), width: 2, edge: "clamp")),
    "square": (custom: "//! Square
        //! @out image: Image
        //! @out flow: Grid<Vec>
        fn stage(cell: Cell) -> Result {
            let left = 2 * i32(frame.index);
            let on = cell.x >= left && cell.x < left + 4 && cell.y >= 8 && cell.y < 12;
            return Result(vec4f(1.0, 0.5, 0.0, select(0.0, 1.0, on)), vec2f(2.5, 0.0));
        }", on: "flat"),
    "screen": (output: (), inputs: {"image": "square.image"}),
})"#;

#[test]
fn a_flipbook_has_its_sheets_and_numbers_and_says_what_does_not_fit() {
    let dir = folder("flipbook");
    let (file, out) = (dir.join("moving.ron"), dir.join("out"));
    std::fs::write(&file, MOVING).unwrap();
    let export = |more: &[&str]| {
        let fixed = ["export", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
        stagewright(&[&fixed, more].concat())
    };
    let few = export(&["--frames", "1-5", "screen:flipbook", "--tiles", "2x2", "--every", "2"]);
    let said = err(&few);
    assert!(!few.status.success() && !out.exists(), "{said}");
    assert!(
        said.contains("2 x 2 tiles need 4 frames, and the range 1-5 has 3, one in 2: use --frames 1-7 or --tiles 3x1"),
        "{said}"
    );
    let without = err(&export(&["--frames", "1-4", "screen:png", "--tiles", "2x2"]));
    assert!(without.contains("--tiles is for files of the format flipbook, and none is exported; leave it out, or name one, as in WIRE:flipbook"), "{without}");
    let unknown = err(&export(&["--frames", "1-4", "screen+flow=square.flow:flipbook"]));
    assert!(unknown.contains("name it motion, normal, right_top_back"), "{unknown}");

    let done = export(&["--frames", "1-4", "puff=screen+motion=square.flow:flipbook", "screen:gif", "--padding", "1"]);
    assert!(done.status.success(), "{}", err(&done));
    let files =
        ["puff.json", "puff_color.png", "puff_motion.exr", "puff_motion.png", "puff_preview.apng", "screen.gif"];
    assert_eq!(names(&out), files);
    let (width, height, color) = decoded(&out.join("puff_color.png"));
    assert_eq!((width, height), (36, 36));
    // The first tile, without its padding: the square is at 0..4 from the left, and 4..8 from the top.
    let alpha = |x: usize, y: usize| color[4 * ((1 + y) * 36 + 1 + x) + 3];
    assert_eq!([alpha(0, 4), alpha(3, 7), alpha(4, 5), alpha(0, 3), alpha(0, 8)], [255, 255, 0, 0, 0]);
    let text = std::fs::read_to_string(out.join("puff.json")).unwrap();
    // 2.5 m/s in 0.1 s are an eighth of 2 m.
    for part in [r#""columns": 2"#, r#""rows": 2"#, r#""fps": 10.0"#, r#""scale": 0.125"#, r#""padding": 1"#] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (_, _, motion) = decoded(&out.join("puff_motion.png"));
    assert!(motion.chunks(3).all(|texel| texel == [255, 128, 0]), "an eighth to the right is the scale");
    std::fs::remove_dir_all(dir).unwrap();
}
