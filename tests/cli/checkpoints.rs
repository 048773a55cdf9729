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
