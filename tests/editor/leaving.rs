//! Nothing is lost when a window is closed, another graph is opened, or the program dies.

use std::fs;
use std::path::{Path, PathBuf};

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, ViewportCommand, ViewportEvent, ViewportId, vec2};
use stagewright_editor::Source;

use super::bench::{Bench, Folder, SMOKE, WINDOW};

/// What the window reply the system of closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CloseReply {
    Nothing,
    Stay,
    Close,
}

impl Bench {
    /// The window's own button, with the first frame that follows.
    fn close(&mut self) -> CloseReply {
        let viewports = &mut self.harness.input_mut().viewports;
        viewports.entry(ViewportId::ROOT).or_default().events.push(ViewportEvent::Close);
        self.frame(Vec::new(), Modifiers::NONE);
        self.close_reply()
    }

    fn close_reply(&self) -> CloseReply {
        let commands = &self.harness.output().viewport_output[&ViewportId::ROOT].commands;
        if commands.contains(&ViewportCommand::CancelClose) {
            CloseReply::Stay
        } else if commands.contains(&ViewportCommand::Close) {
            CloseReply::Close
        } else {
            CloseReply::Nothing
        }
    }

    /// Presses a button and returns what the system was told in the frame of it or the next.
    #[track_caller]
    fn answer(&mut self, name: &str) -> CloseReply {
        let at = self.position_of(name);
        self.hover(at);
        let mut reply = CloseReply::Nothing;
        for pressed in [true, false] {
            self.pointer_button(at, eframe::egui::PointerButton::Primary, pressed, Modifiers::NONE);
            reply = if self.close_reply() == CloseReply::Nothing { reply } else { self.close_reply() };
        }
        self.frame(Vec::new(), Modifiers::NONE);
        if self.close_reply() == CloseReply::Nothing { reply } else { self.close_reply() }
    }

    fn says(&self, text: &str) -> bool {
        self.seen().iter().any(|seen| seen.name.contains(text))
    }

    /// Exports smoke, more of it than there is time for.
    fn exporting() -> (Bench, PathBuf) {
        let mut bench = Bench::smoke();
        let frames = bench.folder().join("frames");
        bench.ctrl(Key::E);
        bench.until("the wires of the graph", |bench| bench.says("screen.0001.png to"));
        bench.rest();
        let last = bench.seen().into_iter().find(|seen| seen.role == Role::SpinButton && seen.name == "to");
        bench.click(last.expect("the last frame").rect.center());
        bench.overwrite("100000");
        assert!(bench.says("100000 frames"));
        // The estimate makes the dialog larger, which moves its button.
        bench.until("an estimate", |bench| bench.says("to simulate"));
        bench.rest();
        // A new estimate may move it in the moment of the click.
        for _ in 0..5 {
            let button = bench.seen().into_iter().find(|seen| seen.role == Role::Button && seen.name == "Export");
            let Some(button) = button.filter(|_| bench.find("Cancel").is_none()) else { break };
            bench.click(button.rect.center());
        }
        bench.until("frames", |_| pictures(&frames) > 2);
        assert!(bench.find("Cancel").is_some());
        (bench, frames)
    }

    /// Smoke whose fading is a file of the user's, with a change that is not saved.
    fn drafting() -> (Bench, PathBuf) {
        let folder = Folder::new();
        let (path, file) = (folder.path().join("graph.ron"), folder.path().join("stages/fade.wgsl"));
        fs::create_dir_all(folder.path().join("stages")).unwrap();
        let begin = SMOKE.find("custom: r\"").unwrap();
        let end = begin + SMOKE[begin..].find("\", inputs").unwrap();
        fs::write(&file, &SMOKE[begin + "custom: r\"".len()..end]).unwrap();
        let graph = format!("{}stage: \"fade\"{}", &SMOKE[..begin], &SMOKE[end + 1..]);
        fs::write(&path, graph).unwrap();
        let mut bench = Bench::with(folder, Source::File(path), WINDOW);
        bench.compiled();
        assert_eq!(bench.problems(), Vec::<String>::new());
        bench.code("fade");
        bench.ctrl(Key::End);
        bench.write("// mine\n");
        bench.rest();
        assert!(bench.text("fade").contains("// mine"), "{}", bench.text("fade"));
        (bench, file)
    }

    /// Brings a node's text up, with the keyboard in it.
    #[track_caller]
    fn code(&mut self, node: &str) {
        self.select(node);
        self.ctrl(Key::Num4);
        self.rest();
        let seen = self.seen();
        let name = format!("WGSL of {node}");
        let field = seen.iter().find(|seen| seen.role == Role::MultilineTextInput && seen.name == name);
        self.click(field.expect("the text").rect.left_top() + vec2(60.0, 12.0));
    }

    /// The text on show.
    fn text(&self, node: &str) -> String {
        use egui_kittest::kittest::{NodeT, Queryable};
        let name = format!("WGSL of {node}");
        let field = self.harness.get_by_role_and_label(Role::MultilineTextInput, &name);
        field.accesskit_node().value().unwrap_or_default()
    }
}

fn pictures(folder: &Path) -> usize {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter(|file| file.path().extension().is_some_and(|ending| ending == "png")).count()
}

#[test]
fn a_window_that_exports_asks_before_it_closes_and_the_export_can_be_resumed() {
    let (mut bench, frames) = Bench::exporting();
    for cancel in ["Keep exporting", "Escape"] {
        assert_eq!(bench.close(), CloseReply::Stay);
        bench.rest();
        assert!(bench.says("An export is running"));
        match cancel {
            "Escape" => bench.key(Key::Escape),
            answer => assert_eq!(bench.answer(answer), CloseReply::Nothing),
        }
        bench.rest();
        assert!(!bench.says("An export is running"), "{cancel}");
        let there = pictures(&frames);
        bench.until("another frame", |_| pictures(&frames) > there);
    }
    assert_eq!(bench.close(), CloseReply::Stay);
    bench.rest();
    assert_eq!(bench.answer("Stop and close"), CloseReply::Close);
    assert_ne!(bench.close(), CloseReply::Stay, "it is not asked twice");
    drop(bench.harness);
    assert!(frames.join("frame.export.ron").is_file(), "it knows what it was of, so it can be resumed");
    assert!(pictures(&frames) > 2);
}

#[test]
fn another_graph_is_opened_beside_an_export_or_in_its_place() {
    let (mut bench, frames) = Bench::exporting();
    let template = |bench: &mut Bench| {
        bench.ctrl(Key::N);
        bench.rest();
        let card = bench.seen().into_iter().find(|seen| seen.role == Role::Button && seen.name == "Empty");
        bench.click(card.expect("the card").rect.center());
        assert!(bench.says("An export is running"));
    };
    template(&mut bench);
    // The dialog of the export has a button of that name too.
    bench.key(Key::Escape);
    bench.rest();
    assert!(!bench.document().nodes.is_empty(), "Escape is to cancel");
    template(&mut bench);
    bench.answer("Keep exporting");
    bench.rest();
    assert!(bench.document().nodes.is_empty());
    let there = pictures(&frames);
    bench.until("another frame", |_| pictures(&frames) > there);
    template(&mut bench);
    bench.answer("Stop and open");
    bench.until("the end of it", |bench| bench.says("can be resumed"));
    assert!(frames.join("frame.export.ron").is_file());
}

#[test]
fn changes_are_given_up_by_one_answer() {
    let mut bench = Bench::smoke();
    bench.select("look");
    bench.key(Key::Delete);
    assert_eq!(bench.close(), CloseReply::Stay);
    bench.rest();
    bench.key(Key::Escape);
    bench.rest();
    assert!(!bench.says("Save changes to graph.ron?"), "Escape is to cancel");
    assert_eq!(bench.close(), CloseReply::Stay);
    bench.rest();
    assert_eq!(bench.answer("Don't save"), CloseReply::Close);
    assert_ne!(bench.close(), CloseReply::Stay, "it is not asked twice");
}

#[test]
fn the_text_of_a_stage_file_is_saved_with_the_question_on_closing() {
    let (mut bench, file) = Bench::drafting();
    assert!(!bench.editor().modified(), "the graph itself is as its file");
    assert_eq!(bench.close(), CloseReply::Stay);
    bench.rest();
    assert!(bench.says("Save changes to fade.wgsl?"));
    bench.key(Key::Escape);
    bench.rest();
    assert!(!fs::read_to_string(&file).unwrap().contains("// mine") && bench.text("fade").contains("// mine"));
    // With changes of the graph too, both are named and saved.
    bench.select("look");
    bench.key(Key::M);
    assert_eq!(bench.close(), CloseReply::Stay);
    bench.rest();
    assert!(bench.says("Save changes to graph.ron, fade.wgsl?"));
    assert_eq!(bench.answer("Save"), CloseReply::Close);
    assert!(fs::read_to_string(&file).unwrap().contains("// mine"));
    assert!(fs::read_to_string(bench.folder().join("graph.ron")).unwrap().contains("muted"));
}

#[test]
fn the_text_of_a_stage_file_survives_the_death_of_the_window() {
    let (mut bench, _) = Bench::drafting();
    let recovery = bench.folder().join("recovery");
    let kept = |recovery: &Path| {
        let files = fs::read_dir(recovery).into_iter().flatten().flatten().map(|file| file.path());
        files
            .filter(|file| file.extension().is_some_and(|ending| ending == "ron"))
            .find_map(|file| fs::read_to_string(file).ok().filter(|text| text.contains("mine")))
    };
    bench.until("what is kept aside", |_| kept(&recovery).is_some());
    // A folder as a killed window leaves it: the lock free, the changes there.
    let folder = Folder::new();
    for name in ["stages", "recovery"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    for name in ["graph.ron", "stages/fade.wgsl"] {
        fs::copy(bench.folder().join(name), folder.path().join(name)).unwrap();
    }
    let (from, to) = (bench.folder().display().to_string(), folder.path().display().to_string());
    fs::write(folder.path().join("recovery/1-1-0.lock"), "").unwrap();
    fs::write(folder.path().join("recovery/1-1-0.ron"), kept(&recovery).unwrap().replace(&from, &to)).unwrap();
    drop(bench);

    let file = folder.path().join("stages/fade.wgsl");
    let mut bench = Bench::with(folder, Source::Empty, WINDOW);
    assert!(bench.says("Stagewright closed with unsaved changes"));
    assert!(bench.says("same as the file; changes to fade.wgsl"));
    bench.press("Recover");
    bench.compiled();
    assert!(!bench.editor().modified(), "the graph is as its file has it");
    assert!(!fs::read_to_string(&file).unwrap().contains("// mine"), "the file is as it was");
    bench.code("fade");
    assert!(bench.text("fade").contains("// mine"));
    bench.ctrl(Key::S);
    bench.rest();
    assert!(fs::read_to_string(&file).unwrap().contains("// mine"));
    assert_ne!(bench.close(), CloseReply::Stay, "there is nothing left to ask");
}
