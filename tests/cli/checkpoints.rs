//! Checkpoints on the command line: one process writes them, another goes on.

use super::{err, folder, out, stagewright};

#[test]
fn a_render_goes_on_in_another_process_with_the_same_bytes() {
    let dir = folder("from");
    let graph = dir.join("graph.ron");
    std::fs::copy("graphs/templates/waves.ron", &graph).unwrap();
    let render = |to: &str, frames: &str, more: &[&str]| {
        let to = dir.join(to);
        let mut arguments = vec!["render", graph.to_str().unwrap(), "--size", "48x30", "--frames", frames];
        arguments.extend(["--out", to.to_str().unwrap()]);
        arguments.extend(more);
        stagewright(&arguments)
    };
    let whole = render("whole", "40", &["--checkpoint-every", "20"]);
    assert!(whole.status.success(), "{}", err(&whole));
    let checkpoint = dir.join("whole/checkpoint.0020.safetensors");
    let from = checkpoint.to_str().unwrap();
    let rest = render("rest", "40", &["--from", from]);
    assert!(rest.status.success() && out(&rest).contains("20 frames in"), "{}{}", out(&rest), err(&rest));
    assert_eq!(err(&rest).lines().next(), Some("frames up to 20 are before the checkpoint and are not written"));
    for frame in 21..=40 {
        let read = |part: &str| std::fs::read(dir.join(part).join(format!("frame.{frame:04}.png"))).unwrap();
        assert!(read("whole") == read("rest"), "frame {frame}");
    }
    // Another graph continues from it, and says so.
    let other = render("other", "22", &["--from", from, "--param", "domain.resolution=160x100"]);
    let said = err(&other);
    assert!(other.status.success(), "{said}");
    assert!(said.contains("of another version of the graph") && said.contains("from its initial value"), "{said}");
    let late = render("late", "1-20", &["--from", from]);
    assert!(err(&late).contains("the checkpoint holds frame 20, and --frames ends at 20; give --frames 21-M"));
    let none = render("none", "40", &["--from", graph.to_str().unwrap()]);
    assert!(err(&none).contains("is not a checkpoint of Stagewright"), "{}", err(&none));
    std::fs::remove_dir_all(dir).unwrap();
}

/// One cell becomes NaN in frame 4.
const BREAKS: &str = r##"(version: 1, name: "breaks", nodes: {
    "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>", on: "box", inputs: {"next": "bad.v"}),
    "bad": (custom: r#"//! Bad
//! @in s: Grid<f32>   before
//! @out v: Grid<f32>  value
//! @param broken: f32 = 1   1: NaN in frame 4
fn stage(cell: Cell) -> f32 {
    if params.broken > 0.5 && all(cell == Cell(5, 3)) && frame.index == 3u { return bitcast<f32>(0x7fc00000u + frame.index * 0u); }
    return s(cell) + 0.01;
}"#, inputs: {"s": "s"}),
    "look": (stage: "view/color_map", inputs: {"field": "bad.v"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"##;

#[test]
fn a_checkpoint_with_nan_is_not_continued_from_without_being_asked() {
    let dir = folder("nan");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (graph, frames, more) = (path("breaks.ron"), path("frames"), path("more"));
    std::fs::write(&graph, BREAKS).unwrap();
    let whole = stagewright(&[
        "render",
        &graph,
        "--frames",
        "24",
        "--out",
        &frames,
        "--checkpoint-every",
        "2",
        "--size",
        "8x8",
    ]);
    assert!(whole.status.success(), "{}", err(&whole));
    let line = "NaN or infinity in States after frame 24: s (1 number)";
    assert!(err(&whole).contains(line), "{}", err(&whole));
    let from = path("frames/checkpoint.0024.safetensors");
    let go_on = |options: &[&str]| {
        let arguments =
            ["render", &graph, "--frames", "25", "--out", &more, "--from", &from, "--param", "bad.broken=0"];
        stagewright(&[&arguments[..], options].concat())
    };
    let refused = go_on(&[]);
    let said = err(&refused);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    // The last sound one stays, although it is far behind.
    for part in
        ["s (1 number, seen first after frame 4)", "checkpoint.0002.safetensors, the last sound one", "--allow-nan"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    let allowed = go_on(&["--allow-nan"]);
    assert!(
        allowed.status.success() && err(&allowed).contains("NaN or infinity in States after frame 25"),
        "{}",
        err(&allowed)
    );
    std::fs::remove_dir_all(dir).unwrap();
}
