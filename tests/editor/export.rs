//! The export dialog: several wires and formats in one pass, presets in the graph, and the queue.

use std::path::Path;

use eframe::egui::{Key, Modifiers, OutputCommand, PointerButton};

use super::bench::{Bench, SMOKE, WINDOW};

impl Bench {
    fn reads(&self, text: &str) -> bool {
        self.seen().iter().any(|seen| seen.name.contains(text))
    }

    /// Presses the first widget whose name begins so.
    #[track_caller]
    fn press_start(&mut self, name: &str) {
        let found = self.seen().into_iter().find(|seen| seen.name.starts_with(name));
        let at = found.unwrap_or_else(|| panic!("there is no `{name}`")).rect.center();
        self.click(at);
        self.rest();
    }

    /// Presses a button, and returns what is in the clipboard then.
    #[track_caller]
    fn press_to_copy(&mut self, name: &str) -> String {
        let at = self.position_of(name);
        self.hover(at);
        let mut copied = String::new();
        for pressed in [true, false] {
            self.pointer_button(at, PointerButton::Primary, pressed, Modifiers::NONE);
            for command in &self.harness.output().platform_output.commands {
                if let OutputCommand::CopyText(text) = command {
                    copied.clone_from(text);
                }
            }
        }
        copied
    }

    /// The dialog of the paused smoke, with its first row.
    fn export_dialog() -> Bench {
        let mut bench = Bench::from_text(SMOKE, WINDOW);
        bench.compiled();
        bench.key(Key::Space);
        bench.ctrl(Key::E);
        bench.until("the wires", |bench| bench.reads("screen.0001.png to screen.0240.png"));
        bench.rest();
        bench
    }
}

#[test]
fn wires_are_found_joined_exported_and_kept_as_a_preset() {
    let mut bench = Bench::export_dialog();
    let spin = bench.seen().into_iter().rfind(|seen| seen.name == "to").expect("the last frame").rect.center();
    bench.click(spin);
    bench.overwrite("2");
    bench.press_start("+ Add wire");
    bench.write("density.value");
    bench.key(Key::Enter);
    bench.rest();
    assert!(bench.reads("density.0001.exr to density.0002.exr"), "the usual format of a grid");
    bench.press_start("Add a wire to these files");
    bench.write("velocity");
    bench.key(Key::Enter);
    bench.rest();
    bench.press_start("Format 2: EXR");
    bench.press_start("NPZ");
    assert!(bench.reads("density.0001.npz to density.0002.npz"));
    let line = bench.press_to_copy("Copy as command");
    assert!(line.starts_with("stagewright export ") && line.contains(" --frames 2 --out "), "{line}");
    assert!(line.ends_with(" screen:png density.value+velocity.value:npz"), "{line}");

    bench.press("Save as…");
    bench.rest();
    bench.write("comp");
    bench.press("Save");
    bench.rest();
    let kept = &bench.document().exports["comp"];
    assert_eq!(kept.what, ["screen:png", "density.value+velocity.value:npz"]);
    assert_eq!((kept.frames, kept.folder.as_str()), ((1, 2), "frames"));
    let again = stagewright_language::document::Document::parse(&bench.document().to_text()).unwrap();
    assert_eq!(again.exports, bench.document().exports);

    let button = bench.seen().into_iter().find(|seen| seen.name == "Export" && seen.rect.width() < 200.0);
    bench.click(button.expect("the button").rect.center());
    let folder = bench.folder().join("frames");
    let there = |name: &str| Path::new(&folder).join(name).is_file();
    bench.until("the files", |bench| bench.reads("Exported 2 frames"));
    assert!(there("screen.0002.png") && there("density.0002.npz"));
    bench.undo();
    assert!(bench.document().exports.is_empty(), "saving a preset can be undone");
}

#[test]
fn exports_wait_for_each_other_and_can_be_removed() {
    let mut bench = Bench::export_dialog();
    let frame = |bench: &mut Bench, field: &str, frame: &str| {
        let spin = bench.seen().into_iter().rfind(|seen| seen.name == field).expect("a frame").rect.center();
        bench.click(spin);
        bench.overwrite(frame);
    };
    // So many that it does not end meanwhile.
    frame(&mut bench, "to", "400000");
    // Before, there is nothing to confirm.
    bench.until("that the folder is known", |bench| bench.reads("free on the disk"));
    bench.key(Key::Enter);
    bench.until("the first one", |bench| bench.reads("Add to queue"));
    bench.rest();
    // The same files again would delete those of the first one.
    bench.press("Add to queue");
    bench.rest();
    assert!(bench.reads("its files would be deleted") && !bench.reads("Waiting:"));
    frame(&mut bench, "to", "400240");
    frame(&mut bench, "from", "400000");
    assert!(bench.reads("its files would be deleted"), "one frame is common to both");
    frame(&mut bench, "from", "400001");
    // The line about the folder moves the buttons when it comes.
    let is_checked = |bench: &Bench| !bench.reads("its files would be deleted") && bench.reads("free on the disk");
    bench.until("that the folder is known", is_checked);
    bench.rest();
    bench.press("Add to queue");
    bench.until("the second one", |bench| bench.reads("Waiting: 240 frames"));
    bench.rest();
    bench.press("Remove from the queue");
    bench.rest();
    assert!(!bench.reads("Waiting"));
    bench.press("Cancel");
    bench.until("the end", |bench| bench.reads("can be resumed"));
}
