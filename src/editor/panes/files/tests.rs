//! Files as a user sees them: driven by the labels of the window, without a window.

use eframe::egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::tasks::Content;
use super::*;
use crate::commands::action::{Action, Actions};
use crate::document::{FileSource, ParamValue};
use crate::gpu::{Gpu, GpuOptions};
use crate::model::disk::Broken;
use crate::model::layout;
use crate::model::session::Draft;
use crate::panes::export::{Around, ExportDialog};
use crate::panes::problems::ProblemList;
use crate::toolkit::theme;
use stagewright_test_support::fixture::fluid;

struct Window {
    files: Files,
    export: ExportDialog,
    exporting: bool,
    session: Session,
    problems: ProblemList,
    events: Vec<Event>,
}

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("stagewright-files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn graph(&self, document: &Document) -> PathBuf {
        let path = self.0.join("graph.ron");
        disk::save(&path, document).unwrap();
        path
    }

    fn folders(&self) -> Folders {
        Folders { settings: Some(self.0.join("settings")), recovery: Some(self.0.join("recovery")) }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn window(folder: &Folder) -> Harness<'static, Window> {
    let session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
    let files = Files::new(folder.folders());
    let state = Window {
        files,
        export: ExportDialog::default(),
        exporting: false,
        session,
        problems: ProblemList::default(),
        events: Vec::new(),
    };
    let mut themed = false;
    let draw = move |ui: &mut egui::Ui, window: &mut Window| {
        if !std::mem::replace(&mut themed, true) {
            theme::install(ui.ctx());
        }
        let ctx = ui.ctx().clone();
        window.session.poll();
        window.files.recent_menu(ui, &mut window.session);
        let mut actions = Actions::new();
        window.problems.draw(ui, &mut window.session, &mut actions).unwrap();
        if actions.contains(&Action::AllowFiles) {
            window.files.allow(&mut window.session);
        }
        window.files.poll(&ctx, &mut window.session, window.export.running());
        window.files.show_dialog(&ctx, &mut window.session);
        window.events.extend(window.files.take_events());
        window.export.poll(&ctx, &window.session);
        if window.exporting {
            let around = Around::default();
            window.export.show(&ctx, &mut window.session, window.files.settings(), &around, false).1.unwrap();
        }
    };
    Harness::builder().with_size([1200.0, 900.0]).build_ui_state(draw, state)
}

fn click(window: &mut Harness<'_, Window>, label: &str) {
    window.get_by_role_and_label(Role::Button, label).click();
    window.run_steps(3);
}

fn until(window: &mut Harness<'_, Window>, mut there: impl FnMut(&Window) -> bool) {
    let since = Instant::now();
    while !there(window.state()) {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not come: {:?}", window.state().events);
        std::thread::sleep(Duration::from_millis(10));
        window.run_steps(1);
    }
}

fn load(window: &mut Harness<'_, Window>, source: Source) {
    let state = window.state_mut();
    state.files.load(&mut state.session, source);
    if state.files.reader.is_none() {
        until(window, |w| w.files.opening.is_none());
    }
    window.run_steps(2);
}

fn change(window: &mut Harness<'_, Window>, rate: f64) {
    window.state_mut().session.set_params(&["jet".to_string()], "rate", &ParamValue::Number(rate)).unwrap();
    window.run_steps(1);
}

#[test]
fn a_damaged_file_opens_as_a_copy_of_what_is_whole_and_stays_as_it_is() {
    let folder = Folder::new("damaged");
    let path = folder.graph(&fluid());
    let text = std::fs::read_to_string(&path).unwrap().replace("\"smoke\": (stage:", "\"smoke\": (stage");
    std::fs::write(&path, &text).unwrap();
    let mut window = window(&folder);
    load(&mut window, Source::File(path.clone()));
    assert!(window.query_by_label_contains("graph.ron is not a valid graph: line ").is_some());
    assert!(window.query_by_label_contains("13 nodes could be recovered").is_some());
    assert!(window.query_by_label_contains("node `smoke`").is_some());
    assert!(window.state().files.has_dialog());
    click(&mut window, "Open recovered copy");
    let session = &window.state().session;
    assert_eq!((session.document().nodes.len(), session.path()), (13, None));
    assert!(session.modified(), "no file holds it");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_graph_that_is_not_modified_follows_its_file_and_keeps_its_frames() {
    let folder = Folder::new("follow");
    let path = folder.graph(&fluid());
    let mut window = window(&folder);
    load(&mut window, Source::File(path.clone()));
    until(&mut window, |w| w.session.running_simulation().is_some());
    for _ in 0..3 {
        window.state_mut().session.simulation().unwrap().step(&Default::default()).unwrap();
    }
    let mut other = fluid();
    other.set("pressure", "iterations", ParamValue::Number(7.0)).unwrap();
    other.nodes.get_mut("look").unwrap().comment = "from elsewhere".into();
    disk::save(&path, &other).unwrap();
    until(&mut window, |w| w.events.contains(&Event::Reloaded(path.clone())));
    until(&mut window, |w| !w.session.compiling());
    let session = &mut window.state_mut().session;
    assert_eq!(*session.document(), layout::placed(other));
    assert!(!session.modified());
    assert_eq!(session.running_simulation().unwrap().frame(), 3, "the States carried on");
    session.undo();
    assert_eq!(*session.document(), layout::placed(fluid()), "the reload is one step");
    assert!(!session.history().can_undo() && session.modified());
}

/// Writes as soon as a file `go` lies beside the graph: a slow disk.
fn slow(path: &Path, content: &Content) -> Result<(), String> {
    wait_for_go(path);
    content.write(path)
}

/// Reads as soon as a file `go` lies beside the graph.
fn slow_reader(path: &Path) -> Result<Document, Broken> {
    wait_for_go(path);
    disk::read(path)
}

fn wait_for_go(path: &Path) {
    while !path.with_file_name("go").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn rate(document: &Document) -> Option<ParamValue> {
    document.nodes.get("jet")?.params.get("rate").cloned()
}

fn save(window: &mut Harness<'_, Window>) {
    let ctx = window.ctx.clone();
    let state = window.state_mut();
    state.files.save(&ctx, &mut state.session);
    window.run_steps(1);
}

#[test]
fn a_slow_disk_holds_nothing_up_and_changes_made_meanwhile_are_not_taken_for_saved() {
    let folder = Folder::new("slow");
    let path = folder.graph(&fluid());
    let mut window = window(&folder);
    load(&mut window, Source::File(path.clone()));
    window.state_mut().files.writer = Some(slow);
    change(&mut window, 3.0);
    save(&mut window);
    change(&mut window, 4.0);
    until(&mut window, |w| w.events.contains(&Event::Saving(path.clone())));
    assert!(!window.state().events.contains(&Event::Saved(path.clone())) && window.state().session.modified());
    std::fs::write(folder.0.join("go"), "").unwrap();
    until(&mut window, |w| w.events.contains(&Event::Saved(path.clone())));
    assert_eq!(rate(&disk::read(&path).unwrap()), Some(ParamValue::Number(3.0)));
    assert!(window.state().session.modified(), "the second change is not in the file");
    // Saved twice at once, the file has what was there at the second time.
    std::fs::remove_file(folder.0.join("go")).unwrap();
    save(&mut window);
    change(&mut window, 5.0);
    save(&mut window);
    std::fs::write(folder.0.join("go"), "").unwrap();
    until(&mut window, |w| !w.session.modified());
    assert_eq!(rate(&disk::read(&path).unwrap()), Some(ParamValue::Number(5.0)));
    // Opened while it is being saved, the file is read once that is done.
    std::fs::remove_file(folder.0.join("go")).unwrap();
    let opened = |w: &Window| w.events.iter().filter(|event| **event == Event::Opened).count();
    let before = opened(window.state());
    change(&mut window, 6.0);
    save(&mut window);
    load(&mut window, Source::File(path.clone()));
    assert_eq!(opened(window.state()), before);
    std::fs::write(folder.0.join("go"), "").unwrap();
    until(&mut window, |w| opened(w) > before);
    assert_eq!(rate(window.state().session.document()), Some(ParamValue::Number(6.0)));
}

#[test]
fn a_file_on_a_slow_disk_opens_later_and_holds_nothing_up() {
    let folder = Folder::new("slow-open");
    let path = folder.graph(&fluid());
    let mut window = window(&folder);
    window.state_mut().files.reader = Some(slow_reader);
    load(&mut window, Source::File(path.clone()));
    until(&mut window, |w| w.events.contains(&Event::Opening(path.clone())));
    assert!(!window.state().events.contains(&Event::Opened));
    // Who opens something else meanwhile gets that, and it stays.
    let template = Source::Template(disk::templates()[0].clone());
    load(&mut window, template.clone());
    std::fs::write(folder.0.join("go"), "").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    window.run_steps(2);
    assert_eq!(*window.state().session.document(), layout::placed(disk::load(&template).unwrap()));
    std::fs::remove_file(folder.0.join("go")).unwrap();
    load(&mut window, Source::File(path.clone()));
    std::fs::write(folder.0.join("go"), "").unwrap();
    until(&mut window, |w| w.session.path() == Some(&path));
    // Changed by another program, it is read again without holding up either.
    std::fs::remove_file(folder.0.join("go")).unwrap();
    let mut other = fluid();
    other.fps = 24.0;
    disk::save(&path, &other).unwrap();
    until(&mut window, |w| w.files.opening.is_some());
    change(&mut window, 3.0);
    std::fs::write(folder.0.join("go"), "").unwrap();
    until(&mut window, |w| w.files.conflict.is_some());
}

#[test]
fn stage_files_on_a_slow_disk_are_saved_before_the_window_closes() {
    let folder = Folder::new("slow-stages");
    let path = folder.graph(&fluid());
    let stages = ["a.wgsl", "b.wgsl"].map(|name| folder.0.join(name));
    let mut window = window(&folder);
    load(&mut window, Source::File(path.clone()));
    window.state_mut().files.writer = Some(slow);
    change(&mut window, 3.0);
    for stage in &stages {
        let draft = Draft { text: "new".into(), of: "old".into(), overtaken: false };
        window.state_mut().session.set_draft(stage, Some(draft));
    }
    let state = window.state_mut();
    state.files.leave(&mut state.session, Leaving::Close);
    window.run_steps(2);
    click(&mut window, "Save");
    assert!(!window.state().events.contains(&Event::Close) && window.state().session.unsaved());
    // What is typed meanwhile is not taken for saved, and asked about again.
    let draft = Draft { text: "newer".into(), of: "old".into(), overtaken: false };
    window.state_mut().session.set_draft(&stages[0], Some(draft));
    std::fs::write(folder.0.join("go"), "").unwrap();
    until(&mut window, |w| w.files.saving.is_empty());
    assert!(!window.state().events.contains(&Event::Close));
    let draft = &window.state().session.drafts()[&stages[0]];
    assert_eq!((draft.text.as_str(), draft.of.as_str()), ("newer", "new"));
    assert_eq!(std::fs::read_to_string(&stages[1]).unwrap(), "new");
    assert_eq!(rate(&disk::read(&path).unwrap()), Some(ParamValue::Number(3.0)));
    window.run_steps(2);
    click(&mut window, "Save");
    until(&mut window, |w| w.events.contains(&Event::Close));
    assert_eq!(std::fs::read_to_string(&stages[0]).unwrap(), "newer");
}

#[test]
fn a_window_closes_although_the_disk_does_not_answer_and_its_changes_come_back() {
    let folder = Folder::new("hangs");
    let path = folder.graph(&fluid());
    let mut window_1 = window(&folder);
    load(&mut window_1, Source::File(path.clone()));
    window_1.state_mut().files.writer = Some(slow);
    change(&mut window_1, 3.0);
    save(&mut window_1);
    let state = window_1.state_mut();
    state.files.leave(&mut state.session, Leaving::Close);
    window_1.run_steps(2);
    assert!(!window_1.state().events.contains(&Event::Close));
    click(&mut window_1, "Close without waiting");
    assert!(window_1.state().events.contains(&Event::Close));
    drop(window_1);
    let window_2 = window(&folder);
    let left = &window_2.state().files.left[0];
    assert_eq!(rate(&left.document), Some(ParamValue::Number(3.0)));
    std::fs::write(folder.0.join("go"), "").unwrap();
}

#[test]
fn a_graph_with_changes_asks_before_its_file_takes_them() {
    let folder = Folder::new("conflict");
    let path = folder.graph(&fluid());
    let mut window = window(&folder);
    load(&mut window, Source::File(path.clone()));
    for (rate, answer) in [(3.0, "Keep my changes"), (4.0, "Discard my changes and reload")] {
        change(&mut window, rate);
        let mut other = fluid();
        other.fps = 20.0 + rate;
        disk::save(&path, &other).unwrap();
        until(&mut window, |w| w.files.has_dialog());
        click(&mut window, answer);
        let session = &window.state().session;
        let kept = answer == "Keep my changes";
        assert_eq!(session.modified(), kept);
        assert_eq!(session.document().fps == 60.0, kept);
    }
    // A save by this window causes no reload.
    change(&mut window, 5.0);
    let before = window.state().events.len();
    let ctx = window.ctx.clone();
    let state = window.state_mut();
    state.files.save(&ctx, &mut state.session);
    let since = Instant::now();
    while since.elapsed() < Duration::from_millis(600) {
        window.run_steps(1);
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(window.state().events[before..], [Event::Saved(path.clone())]);
    // A file that becomes invalid is reported once; the open document stays.
    for _ in 0..2 {
        std::fs::write(&path, "(").unwrap();
        let since = Instant::now();
        while since.elapsed() < Duration::from_millis(500) {
            window.run_steps(1);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let failures = &window.state().events[before + 1..];
    assert!(matches!(failures, [Event::Failed(text)] if text.contains("the version open here stays")), "{failures:?}");
    assert_eq!(window.state().session.document().nodes.len(), fluid().nodes.len());
}

#[test]
fn what_a_dead_window_had_is_recovered_discarded_or_left() {
    let folder = Folder::new("recover");
    let path = folder.graph(&fluid());
    let recovery = folder.0.join("recovery");
    std::fs::create_dir_all(&recovery).unwrap();
    let mut lost = layout::placed(fluid());
    lost.nodes.remove("look");
    // A window that crashed: its lock is free, its graph exists.
    let die = || {
        std::fs::write(recovery.join("1-1-0.lock"), "").unwrap();
        let text = format!("// Changes that were not saved to {:?}\n{}", path.display().to_string(), lost.to_text());
        std::fs::write(recovery.join("1-1-0.ron"), text).unwrap();
    };
    die();
    for answer in ["Later", "Recover"] {
        let mut window = window(&folder);
        window.run_steps(2);
        assert!(window.query_by_label_contains("a moment ago, 1 node differs from the file").is_some());
        click(&mut window, answer);
        assert!(!window.state().files.has_dialog());
        if answer == "Recover" {
            let session = &window.state().session;
            assert_eq!((session.document(), session.path()), (&lost, Some(path.as_path())));
            assert!(session.modified());
            until(&mut window, |_| !recovery.join("1-1-0.ron").exists());
            assert_eq!(std::fs::read_dir(&recovery).unwrap().count(), 2, "this window keeps it now");
        }
    }
    die();
    let mut window = window(&folder);
    window.run_steps(2);
    click(&mut window, "Discard");
    assert!(!window.state().files.has_dialog());
    assert!(!recovery.join("1-1-0.ron").exists());
}

#[test]
fn the_gallery_opens_a_template_once_changes_are_safe() {
    let folder = Folder::new("gallery");
    let mut window = window(&folder);
    load(&mut window, Source::File(folder.graph(&fluid())));
    change(&mut window, 3.0);
    let ctx = window.ctx.clone();
    window.state_mut().files.new_graph(&ctx);
    window.run_steps(3);
    click(&mut window, "Waves");
    assert!(window.query_by_label("Save changes to graph.ron?").is_some());
    click(&mut window, "Don't save");
    let session = &window.state().session;
    assert_eq!((session.document().name.as_str(), session.path()), ("Waves", None));
    assert!(!session.modified() && !window.state().files.has_dialog());
    window.state_mut().files.new_graph(&ctx);
    window.run_steps(3);
    click(&mut window, "Empty");
    assert!(window.state().session.document().nodes.is_empty());
}

#[test]
fn recent_files_are_remembered_and_those_that_are_gone_are_grey() {
    let folder = Folder::new("recent");
    let path = folder.graph(&fluid());
    let gone = folder.0.join("gone.ron");
    disk::save(&gone, &fluid()).unwrap();
    let mut first = window(&folder);
    load(&mut first, Source::File(gone.clone()));
    load(&mut first, Source::File(path.clone()));
    drop(first);
    std::fs::remove_file(&gone).unwrap();
    let mut window = window(&folder);
    window.run_steps(2);
    click(&mut window, "Open recent");
    assert!(window.get_by_label("gone.ron").accesskit_node().is_disabled());
    click(&mut window, "graph.ron");
    assert_eq!(window.state().session.path(), Some(std::fs::canonicalize(&path).unwrap().as_path()));
}

#[test]
fn what_is_dropped_is_opened_or_becomes_a_node() {
    let folder = Folder::new("drop");
    let path = folder.graph(&fluid());
    let mut window = window(&folder);
    let mut dropped = |name: &str, text: &str| {
        let file = folder.0.join(name);
        if !text.is_empty() {
            std::fs::write(&file, text).unwrap();
        }
        let state = window.state_mut();
        state.files.drop_in(&mut state.session, &file);
        window.run_steps(2);
        window.state_mut().events.pop().unwrap()
    };
    assert_eq!(dropped("graph.ron", ""), Event::Opened);
    let node = |event| match event {
        Event::Dropped(name, node) => (name, node.kind),
        other => panic!("{other:?}"),
    };
    assert_eq!(node(dropped("red.wgsl", "//! Red")), ("red".into(), NodeKind::Custom("//! Red".into())));
    assert_eq!(node(dropped("Bunny.OBJ", "v 0 0 0")), ("Bunny".into(), NodeKind::File(FileSource::new("Bunny.OBJ"))));
    assert!(
        matches!(dropped("song.mp3", "x"), Event::Failed(text) if text.contains("song.mp3 has an unsupported type"))
    );
    assert_eq!(window.state().session.path(), Some(path.as_path()));
}

#[test]
fn images_are_exported_while_the_window_goes_on_and_an_export_is_resumed() {
    let folder = Folder::new("export");
    let mut window = window(&folder);
    load(&mut window, Source::File(folder.graph(&fluid())));
    until(&mut window, |w| w.session.running_simulation().is_some());
    let open = |window: &mut Harness<'_, Window>| {
        let state = window.state_mut();
        state.export.prepare(&state.session, state.files.settings());
        state.exporting = true;
        window.run_steps(3);
        until(window, |w| !w.export.looking());
        window.run_steps(3);
    };
    open(&mut window);
    assert!(window.query_by_label("screen.0001.png to screen.0240.png").is_some());
    assert!(window.query_by_label_contains("240 frames, about 983 kB").is_some());
    click(&mut window, "Export");
    let frames = folder.0.join("frames");
    let count = |frames: &Path| std::fs::read_dir(frames).map_or(0, |files| files.count());
    until(&mut window, |_| count(&frames) > 12);
    window.state_mut().session.simulation().unwrap().step(&Default::default()).unwrap();
    click(&mut window, "Cancel");
    until(&mut window, |w| w.export.ended().is_some());
    window.run_steps(3);
    assert!(window.query_by_label_contains("can be resumed").is_some());
    assert_eq!(window.state().session.running_simulation().unwrap().frame(), 1);
    assert!(frames.join("frame.export.ron").exists() && count(&frames) < 241);
    open(&mut window);
    assert!(window.query_by_label_contains("Resume the interrupted export").is_some());
    // From here on with checkpoints every 100 frames and at the end; older ones are removed.
    window.get_by_role_and_label(Role::CheckBox, "every").click();
    window.run_steps(3);
    click(&mut window, "Resume");
    until(&mut window, |w| w.export.ended().is_some_and(|text| text.starts_with("Exported 240 frames to ")));
    assert!(
        frames.join("checkpoint.0240.safetensors").is_file() && !frames.join("checkpoint.0100.safetensors").exists()
    );
    assert!([".frame.export", ".frame.export.list"].iter().all(|hidden| frames.join(hidden).is_file()));
    assert_eq!(count(&frames), 244, "two checkpoints, and the record and the list, which are hidden");
    assert_eq!(window.state_mut().files.settings().get().export.checkpoints, Some(100));
}

const MESH: &str = r#"(version: 1, nodes: {
    "box": (domain: (resolution: (6, 6, 6), width: 1, edge: "wall")),
    "picture": (domain: (resolution: (6, 6), width: 1, edge: "clamp")),
    "shape": (file: "../a.obj", on: "box", params: {"center": (0.5, 0.5, 0.5), "size": 0.5}),
    "field": (stage: "field/from_grid", inputs: {"grid": "shape.distance"}),
    "camera": (stage: "view/camera"),
    "show": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "field.field"}),
    "screen": (output: (size: (6, 6)), inputs: {"image": "show.image"}),
})"#;

/// A graph reads no file outside its folder until the user allows it, which is remembered for the folder.
#[test]
fn files_outside_the_folder_are_asked_for_once() {
    let folder = Folder::new("outside");
    let inside = folder.0.join("graphs");
    std::fs::create_dir_all(&inside).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.0.join("a.obj"), corners).unwrap();
    let path = inside.join("graph.ron");
    std::fs::write(&path, MESH).unwrap();
    let mut window = self::window(&folder);
    load(&mut window, Source::File(path.clone()));
    until(&mut window, |w| w.session.problems().any(|p| p.cause.ends_with("it lies outside the graph's folder")));
    assert!(window.state().session.running_simulation().is_none());
    window.run_steps(2);
    click(&mut window, "Allow files outside the folder");
    until(&mut window, |w| w.session.running_simulation().is_some());
    assert_eq!(window.state().session.problems().count(), 0);
    // The next window, with the same settings.
    let mut next = self::window(&folder);
    load(&mut next, Source::File(path));
    until(&mut next, |w| w.session.running_simulation().is_some());
    // Another folder needs its own permission.
    let other = folder.0.join("others");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("graph.ron"), MESH).unwrap();
    load(&mut next, Source::File(other.join("graph.ron")));
    until(&mut next, |w| w.session.problems().any(|p| p.cause.ends_with("it lies outside the graph's folder")));
}

/// A pipe or folder in place of the open graph does not block, and the open document stays.
#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_open_graph_is_not_read() {
    let folder = Folder::new("pipe");
    let path = folder.graph(&fluid());
    let mut window = self::window(&folder);
    load(&mut window, Source::File(path.clone()));
    until(&mut window, |w| w.session.running_simulation().is_some());
    std::fs::remove_file(&path).unwrap();
    stagewright_test_support::make_pipe(&path);
    let since = Instant::now();
    while since.elapsed() < Duration::from_millis(800) {
        let frame = Instant::now();
        window.run_steps(1);
        assert!(frame.elapsed() < Duration::from_secs(5), "{:?}", frame.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(*window.state().session.document(), layout::placed(fluid()));
    // Opening it is refused with a message.
    load(&mut window, Source::File(path));
    let is_refused = window.state().events.iter().any(|e| matches!(e, Event::Failed(s) if s.contains("it is a pipe")));
    assert!(is_refused, "{:?}", window.state().events);
}

/// NaN equals nothing, but a document that was just read or saved has no unsaved changes.
#[test]
fn a_file_with_nan_can_be_saved() {
    let folder = Folder::new("nan");
    let path = folder.0.join("graph.ron");
    std::fs::write(&path, r#"(version: 1, nodes: {"a": (number: NaN, at: (NaN, 0)), "b": (number: 1, at: (3, 4))})"#)
        .unwrap();
    let mut window = self::window(&folder);
    load(&mut window, Source::File(path.clone()));
    assert!(!window.state().session.unsaved());
    window.state_mut().session.arrange("move", |document| document.seed = 7);
    assert!(window.state().session.unsaved());
    let ctx = window.ctx.clone();
    let state = window.state_mut();
    state.files.save(&ctx, &mut state.session);
    until(&mut window, |w| !w.session.unsaved());
}
