//! Exports: what is written, what an interrupted one leaves, and what else runs meanwhile.

mod read_back;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stagewright_base::cancel::Cancel;
use stagewright_base::files::Access;
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_export::checkpoints::Checkpoints;
use stagewright_export::frames::Frames;
use stagewright_export::job::{self, Ended, Export, ExportSubject, Item, Job, Progress};
use stagewright_export::place::ExportPlace;
use stagewright_export::record::Fingerprint;
use stagewright_export::select::{Choices, DEFAULT_NAMES, Request, items};
use stagewright_export::settings::Settings;
use stagewright_export::{DEFAULT, format_named};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::checkpoint::CheckpointFile;
use stagewright_runtime::sim::wire_view::View;
use stagewright_runtime::sim::{FrameInput, Simulation};

const GRAPH: &str = r#"(version: 1, name: "count", nodes: {
    "domain": (domain: (resolution: (24, 16), width: 1, edge: "wall")),
    "smoke": (state: "Grid<f32>", inputs: {"next": "more.field"}),
    "more": (stage: "fluid/add_source", inputs: {"field": "smoke.value"}, params: {"radius": 0.3, "rate": 1}),
    "look": (stage: "view/color_map", inputs: {"field": "more.field"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("stagewright-export-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn export(&self, first: u64, last: u64) -> Export {
        Export {
            frames: (first..=last).into(),
            size: None,
            items: vec![Item::images(ExportSubject::Output(None), DEFAULT)],
            folder: self.0.clone(),
            resume: false,
            overwrite: false,
            unseen: true,
            checkpoints: None,
        }
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        // The record of a complete export is hidden.
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        names
    }

    fn frame(&self, index: u64) -> Vec<u8> {
        std::fs::read(self.0.join(name(index))).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The name of a frame's file.
fn name(index: u64) -> String {
    format!("frame.{index:04}.png")
}

fn document() -> Document {
    Document::parse(GRAPH).unwrap()
}

fn inputs(document: &Document) -> Fingerprint {
    Fingerprint::of(document, Library::builtin(), &Access::default(), &Cancel::default()).unwrap()
}

fn gpu() -> Gpu {
    Gpu::new(&GpuOptions::default()).unwrap()
}

fn simulation(gpu: &Gpu, document: &Document, options: &PlanOptions) -> Simulation {
    let graph = Graph::build(document, Library::builtin()).unwrap();
    Simulation::new(gpu, Plan::compile(&graph, options).unwrap()).unwrap()
}

fn export(gpu: &Gpu, document: &Document, export: &Export, mut go_on: impl FnMut(&Progress) -> bool) -> Progress {
    let mut simulation = simulation(gpu, document, &export.plan_options(&Access::default()));
    job::run(export, &inputs(document), &mut simulation, |progress, _| go_on(progress)).unwrap().0
}

fn start(gpu: &Gpu, export: Export) -> Job {
    Job::start(gpu, Arc::new(Library::builtin().clone()), document(), &Access::default(), export, || {}).unwrap()
}

fn end(mut job: Job) -> Ended {
    let since = Instant::now();
    loop {
        if let Some(ended) = job.ended() {
            return ended;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "it does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_range_is_written_as_part_of_the_whole() {
    let gpu = gpu();
    let whole = Folder::new("whole");
    let part = Folder::new("part");
    let all = export(&gpu, &document(), &whole.export(1, 12), |_| true);
    assert_eq!((all.written, all.frame, all.kept), (12, 12, 0));
    let some = export(&gpu, &document(), &part.export(7, 12), |_| true);
    assert_eq!((some.written, some.frame), (6, 12));
    assert_eq!(part.names(), (7..=12).map(name).collect::<Vec<_>>());
    assert!((7..=12).all(|frame| whole.frame(frame) == part.frame(frame)));
    assert!(whole.frame(7) != whole.frame(12), "the picture changes");
}

#[test]
fn one_frame_in_three_is_that_of_the_whole_and_no_other_is_rendered() {
    let gpu = gpu();
    let whole = Folder::new("all_frames");
    let part = Folder::new("a_third");
    export(&gpu, &document(), &whole.export(1, 12), |_| true);
    let third = Export { frames: Frames::new(2..=12, 3), ..part.export(1, 1) };
    assert_eq!(third.names(), "frame.0001.png to frame.0004.png", "numbers are consecutive");
    let first = export(&gpu, &document(), &third, |progress| progress.frame < 6);
    assert_eq!((first.written, first.last), (2, 11), "2 and 5");
    let again = export(&gpu, &document(), &Export { resume: true, ..third.clone() }, |_| true);
    assert_eq!((again.kept, again.written, again.frame), (2, 2, 11));
    assert_eq!(part.names(), [1, 2, 3, 4].map(name));
    // Each file says which frame of the simulation it is.
    assert!([2, 5, 8, 11].into_iter().zip(1..).all(|(frame, number)| whole.frame(frame) == part.frame(number)));
    // Parts of a range have the numbers of the whole.
    let rest = Folder::new("rest");
    export(&gpu, &document(), &Export { frames: Frames::new(8..=12, 3), ..rest.export(1, 1) }, |_| true);
    assert_eq!(rest.names(), [3, 4].map(name));
    assert!(rest.frame(4) == part.frame(4));
    let mut simulation = simulation(&gpu, &document(), &PlanOptions::default());
    assert_eq!(simulation.plan().simulating(), [true, false, false], "the source, and not its colours");
    simulation.step_unseen(&FrameInput::default()).unwrap();
    assert_eq!(simulation.frame(), 1);
}

#[test]
fn an_interrupted_export_continues_where_it_was_and_ends_as_if_it_had_not_been() {
    let gpu = gpu();
    let whole = Folder::new("one_go");
    let cut = Folder::new("cut");
    export(&gpu, &document(), &whole.export(3, 14), |_| true);
    let first = export(&gpu, &document(), &cut.export(3, 14), |progress| progress.frame < 8);
    assert_eq!((first.frame, first.written), (8, 6), "frame 8 is the last computed, 3 to 8 are written");
    assert!(cut.names().contains(&"frame.export.ron".to_string()));
    // A frame that is missing in the middle, and one that has changed, are written again, and no other.
    std::fs::remove_file(cut.0.join(name(6))).unwrap();
    let mut bytes = cut.frame(4);
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(cut.0.join(name(4)), bytes).unwrap();
    let again = Export { resume: true, ..cut.export(3, 14) };
    assert_eq!(again.interrupted(&inputs(&document())), Some(4));
    let second = export(&gpu, &document(), &again, |_| true);
    assert_eq!((second.kept, second.written, second.frame, second.first), (4, 8, 14, 4));
    assert_eq!(cut.names(), whole.names(), "nothing else is left");
    assert!((3..=14).all(|frame| whole.frame(frame) == cut.frame(frame)));
    assert_eq!(again.interrupted(&inputs(&document())), None, "it is complete");
}

#[test]
fn an_interrupted_export_goes_on_from_its_checkpoint_with_the_same_bytes() {
    let gpu = gpu();
    let whole = Folder::new("no_checkpoint");
    let cut = Folder::new("checkpoint");
    export(&gpu, &document(), &whole.export(1, 60), |_| true);
    let checkpoints = Some(Checkpoints { every: 5, graph: document().to_text() });
    let first = Export { checkpoints: checkpoints.clone(), ..cut.export(1, 60) };
    export(&gpu, &document(), &first, |progress| progress.frame < 43);
    let there = |folder: &Folder| -> Vec<String> {
        folder.names().into_iter().filter(|name| name.starts_with("checkpoint")).collect()
    };
    let names = [20, 25, 30, 35, 40].map(|frame| format!("checkpoint.{frame:04}.safetensors"));
    assert_eq!(there(&cut), names, "older ones are removed");
    // Frames that had not reached the disk are computed again, from an earlier checkpoint; one that is damaged is passed over.
    (38..=43).for_each(|frame| std::fs::remove_file(cut.0.join(name(frame))).unwrap());
    std::fs::write(cut.0.join(&names[3]), b"damaged").unwrap();
    let again = Export { resume: true, ..first.clone() };
    let second = export(&gpu, &document(), &again, |_| true);
    assert_eq!((second.kept, second.skipped, second.written), (37, 30, 23));
    let names = [40, 45, 50, 55, 60].map(|frame| format!("checkpoint.{frame:04}.safetensors"));
    assert_eq!(there(&cut), names, "those of the interrupted one are removed, too");
    // A frame of the complete one that is lost later: from the checkpoint before it to the frame, and no further.
    std::fs::remove_file(cut.0.join(name(58))).unwrap();
    let lost = export(&gpu, &document(), &again, |progress| progress.frame < 59 || progress.frame == 60);
    assert_eq!((lost.kept, lost.skipped, lost.written, lost.frame), (59, 55, 1, 60));
    let none = export(&gpu, &document(), &again, |_| panic!("nothing is computed"));
    assert_eq!((none.kept, none.written, none.frame), (60, 0, 60));
    assert!((1..=60).all(|frame| whole.frame(frame) == cut.frame(frame)));
    // A longer export continues from the last one.
    let longer = Folder::new("longer");
    let mut simulation = simulation(&gpu, &document(), &PlanOptions::default());
    let last = CheckpointFile::open(&cut.0.join("checkpoint.0060.safetensors")).unwrap();
    let last = last.load(simulation.plan()).unwrap();
    assert!(simulation.resume(&last).is_empty());
    let early = job::run(&longer.export(60, 61), &inputs(&document()), &mut simulation, |_, _| true).unwrap_err();
    assert_eq!(
        early.to_string(),
        "frame 60 is not after frame 60, which the checkpoint holds; give --frames from 61 on"
    );
    job::run(&longer.export(61, 64), &inputs(&document()), &mut simulation, |_, _| true).unwrap();
    export(&gpu, &document(), &whole.export(61, 64), |_| true);
    assert!((61..=64).all(|frame| whole.frame(frame) == longer.frame(frame)));
    // Those of other inputs are not used.
    let mut other = document();
    other.set("more", "rate", ParamValue::Number(9.0)).unwrap();
    export(&gpu, &other, &Export { checkpoints: None, ..first }, |progress| progress.frame < 40);
    assert_eq!(export(&gpu, &other, &again, |_| true).skipped, 0);
}

/// The encoder of a killed export may still be starting: it creates its file after the next export has removed those of the killed one.
#[test]
fn a_temporary_file_that_appears_during_an_export_is_gone_when_it_is_complete() {
    let (gpu, folder) = (gpu(), Folder::new("late"));
    let (late, other) = (folder.0.join(".stagewright-frame-late.tmp"), folder.0.join(".stagewright-other.tmp"));
    let done = export(&gpu, &document(), &folder.export(1, 6), |progress| {
        if progress.frame == 3 {
            std::fs::write(&late, b"of a killed export").unwrap();
            std::fs::write(&other, b"of another program").unwrap();
        }
        true
    });
    assert_eq!((done.written, folder.names().len()), (6, 6));
    assert!(!late.exists() && other.exists());
}

#[test]
fn frames_of_another_graph_are_neither_kept_nor_lost_unless_asked() {
    let (gpu, folder) = (gpu(), Folder::new("other"));
    export(&gpu, &document(), &folder.export(1, 6), |progress| progress.frame < 4);
    let mut other = document();
    other.set("more", "rate", ParamValue::Number(9.0)).unwrap();
    let again = Export { resume: true, ..folder.export(1, 6) };
    assert_eq!(again.interrupted(&inputs(&document())), Some(4));
    assert_eq!(again.interrupted(&inputs(&other)), None);
    let small = Export { size: Some((9, 9)), ..again.clone() };
    assert_eq!(small.interrupted(&inputs(&document())), None);
    let before = folder.frame(4);
    let refused = |export: &Export, document: &Document| {
        let mut simulation = simulation(&gpu, document, &export.plan_options(&Access::default()));
        let error = job::run(export, &inputs(document), &mut simulation, |_, _| true).unwrap_err().to_string();
        assert!(folder.frame(4) == before && error.contains("give --overwrite to replace them"), "{error}");
        error.split("which ").nth(1).unwrap_or(&error).split(';').next().unwrap().to_string()
    };
    assert_eq!(refused(&again, &other), "differs in the parameter `more.rate`");
    assert_eq!(refused(&small, &document()), "differs in the size of the images (--size: the Output's own before)");
    let wire = vec![Item::images(ExportSubject::Wire(View::new("smoke.value")), DEFAULT)];
    let what = Export { items: wire, ..again.clone() };
    assert_eq!(refused(&what, &document()), "differs in what the files show");
    std::fs::write(folder.0.join(name(6)), "of somebody else").unwrap();
    let unknown = refused(&again, &document());
    assert!(unknown.contains("has 1 frame that no export of this graph is recorded to have written"), "{unknown}");
    let done = export(&gpu, &document(), &Export { overwrite: true, ..again.clone() }, |_| true);
    assert_eq!((done.kept, done.replaced, done.written), (4, 1, 2));
    let done = export(&gpu, &other, &Export { overwrite: true, ..again }, |_| true);
    assert_eq!((done.kept, done.replaced, done.written), (0, 6, 6));
    assert!(folder.frame(4) != before);
}

/// The same numbers in a table, a movie and images: each gets what it lacks, when the range grows.
#[test]
fn a_longer_range_computes_the_new_frames_alone() {
    let gpu = gpu();
    let folder = Folder::new("grows");
    let whole = Folder::new("grown");
    let kinds = typed(&document(), &["screen:png", "smoke:npy", "n=smoke:sum", "screen:apng"], &[]).unwrap();
    let of = |folder: &Folder, items: &[Item], last: u64| Export {
        items: items.to_vec(),
        resume: true,
        ..folder.export(1, last)
    };
    let [png, npy, csv, apng] = kinds.as_slice() else { unreachable!() };
    let done = export(&gpu, &document(), &of(&folder, &[png.clone(), csv.clone()], 4), |_| true);
    assert_eq!((done.kept, done.written), (0, 4));
    let checkpoints = Some(Checkpoints::new(3, &document()));
    let longer = Export { checkpoints, ..of(&folder, &[png.clone(), csv.clone()], 6) };
    let done = export(&gpu, &document(), &longer, |_| true);
    assert_eq!((done.kept, done.written, done.first), (4, 2, 5));
    let done = export(&gpu, &document(), &of(&folder, &[png.clone(), csv.clone()], 8), |_| true);
    assert_eq!((done.kept, done.written, done.skipped), (6, 2, 6), "from the checkpoint of its end");
    // Another series joins, and a range in the middle changes nothing.
    let done = export(&gpu, &document(), &of(&folder, &kinds, 8), |_| true);
    assert_eq!((done.kept, done.written), (0, 8), "the movie and the arrays are new");
    let middle = Export { frames: (3..=5).into(), ..of(&folder, &[npy.clone(), csv.clone()], 8) };
    assert_eq!(export(&gpu, &document(), &middle, |_| true).written, 0);
    let done = export(&gpu, &document(), &of(&folder, &kinds, 9), |_| true);
    assert_eq!((done.kept, done.written), (0, 9), "the movie begins again");
    export(&gpu, &document(), &Export { resume: false, ..of(&whole, &kinds, 9) }, |_| true);
    let same =
        |name: &String| std::fs::read(folder.0.join(name)).unwrap() == std::fs::read(whole.0.join(name)).unwrap();
    let names: Vec<String> = folder.names().into_iter().filter(|name| !name.starts_with("checkpoint")).collect();
    assert_eq!(names, whole.names());
    assert!(names.iter().all(same), "{:?}", names.iter().filter(|name| !same(name)).collect::<Vec<_>>());
    let table = std::fs::read_to_string(folder.0.join("n.csv")).unwrap();
    assert_eq!(table.lines().count(), 10, "{table}");
    // A movie that is not complete has no file, and what is complete is not made again.
    let cut = Folder::new("cut_movie");
    export(&gpu, &document(), &of(&cut, std::slice::from_ref(apng), 9), |progress| progress.frame < 5);
    assert_eq!(cut.names(), ["frame.export.ron"]);
    export(&gpu, &document(), &of(&cut, std::slice::from_ref(apng), 9), |_| true);
    assert_eq!(export(&gpu, &document(), &of(&cut, std::slice::from_ref(apng), 9), |_| true).kept, 9);
}

#[test]
fn what_runs_on_the_same_device_keeps_its_state() {
    let gpu = gpu();
    let folder = Folder::new("beside");
    let alone = Folder::new("alone");
    export(&gpu, &document(), &alone.export(1, 40), |_| true);
    let mut live = simulation(&gpu, &document(), &PlanOptions::default());
    let mut twin = simulation(&gpu, &document(), &PlanOptions::default());
    let job = start(&gpu, folder.export(1, 40));
    for _ in 0..10 {
        live.step(&FrameInput::default()).unwrap();
    }
    let Ended::Complete(progress) = end(job) else { panic!("it is complete") };
    assert_eq!((progress.written, progress.share()), (40, 1.0));
    for _ in 0..10 {
        twin.step(&FrameInput::default()).unwrap();
    }
    assert_eq!(live.frame(), 10);
    assert_eq!(live.image(None).unwrap(), twin.image(None).unwrap());
    assert!((1..=40).all(|frame| folder.frame(frame) == alone.frame(frame)));
}

#[test]
fn a_job_is_cancelled_by_word_and_by_letting_go() {
    let (gpu, folder) = (gpu(), Folder::new("cancel"));
    let job = start(&gpu, folder.export(1, 1_000_000));
    while job.progress().written < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(job.progress().left.is_some());
    job.cancel();
    let Ended::Cancelled(progress) = end(job) else { panic!("it was cancelled") };
    assert!(progress.frame < 1_000_000 && progress.written == progress.frame);
    let again = Export { resume: true, ..folder.export(1, 1_000_000) };
    assert_eq!(again.interrupted(&inputs(&document())), Some(progress.written));
    let since = Instant::now();
    drop(start(&gpu, again));
    assert!(since.elapsed() < Duration::from_secs(10));
}

#[test]
fn errors_are_sentences() {
    let (gpu, folder) = (gpu(), Folder::new("errors"));
    let failed = |export: Export| match end(start(&gpu, export)) {
        Ended::Failed(error) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let backwards = failed(folder.export(5, 4));
    assert!(backwards.starts_with("invalid frame range 5-4"), "{backwards}");
    let gone = vec![Item::images(ExportSubject::Output(Some("gone".into())), DEFAULT)];
    let none = failed(Export { items: gone, ..folder.export(1, 2) });
    assert!(none.contains("gone"), "{none}");
    std::fs::write(&folder.0, "in the way").unwrap();
    let message = failed(folder.export(1, 2));
    assert!(message.contains("cannot create the folder"), "{message}");
    std::fs::remove_file(&folder.0).unwrap();
}

/// A mesh that takes its time is given up with the export that reads it.
#[test]
fn an_export_is_cancelled_while_it_reads_a_mesh() {
    const SIDE: usize = 300;
    let gpu = gpu();
    let folder = Folder::new("reading");
    let files = Folder::new("files");
    let mut mesh = String::new();
    for i in 0..SIDE * SIDE {
        mesh += &format!("v {} {} {}\n", i % SIDE, i / SIDE, (i * 7919) % 10);
        if i % SIDE > 0 && i >= SIDE {
            let (a, b, c, d) = (i - SIDE, i - SIDE + 1, i + 1, i);
            mesh += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    std::fs::create_dir_all(&files.0).unwrap();
    std::fs::write(files.0.join("a.obj"), mesh).unwrap();
    let graph = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (128, 128, 128), width: 1, edge: "wall")),
        "picture": (domain: (resolution: (8, 8), width: 1, edge: "clamp")),
        "shape": (file: "a.obj", on: "box", params: {"center": (0.5, 0.5, 0.5), "size": 0.9}),
        "field": (stage: "field/from_grid", inputs: {"grid": "shape.distance"}),
        "camera": (stage: "view/camera"),
        "show": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "field.field"}),
        "screen": (output: (size: (8, 8)), inputs: {"image": "show.image"}),
    })"#;
    let (library, access) = (Arc::new(Library::builtin().clone()), Access::new(&files.0, false));
    let document = Document::parse(graph).unwrap();
    let job = Job::start(&gpu, library, document, &access, folder.export(1, 2), || {}).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let since = Instant::now();
    job.cancel();
    let Ended::Cancelled(progress) = end(job) else { panic!("it was done before") };
    println!("cancelled in {:?}", since.elapsed());
    assert!(progress.frame == 0 && since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    assert!(!folder.0.exists());
}

/// What is typed, as series of files.
fn typed(document: &Document, wires: &[&str], formats: &[&str]) -> Result<Vec<Item>, String> {
    let formats: Vec<_> = formats.iter().map(|name| format_named(name).unwrap()).collect();
    let choices = Choices {
        formats: &formats,
        names: DEFAULT_NAMES,
        folder: &ExportPlace::default().resolve("", &(1..=1)).unwrap(),
        size: None,
        settings: Settings::default(),
    };
    let requests = wires.iter().map(|wire| Request::parse(wire)).collect::<Result<Vec<_>, _>>()?;
    let graph = Graph::build(document, Library::builtin()).unwrap();
    items(&requests, &choices, document, &graph).map_err(|problem| problem.to_string())
}

#[test]
fn several_wires_leave_in_one_pass_with_the_bits_of_the_simulation() {
    let gpu = gpu();
    let folder = Folder::new("values");
    let cut = Folder::new("values_cut");
    let items = typed(&document(), &["screen", "deep=screen:png16", "smoke:npy", "total=smoke:sum:npy"], &[]);
    assert!(items.unwrap_err().contains("`total=smoke:sum:npy`: `total` is of numbers, which NPY files can't hold"));
    let items = ["screen", "deep=screen:png16", "density=smoke:npy", "total=smoke:sum", "cells=smoke:vtk"];
    let items = typed(&document(), &items, &[]).unwrap();
    let several = Export { items, ..folder.export(1, 6) };
    let names = "screen.0001.png to screen.0006.png, deep.0001.png to deep.0006.png, density.0001.npy to density.0006.npy, \
                 total.csv, cells.0001.vti to cells.0006.vti";
    assert_eq!(several.names(), names);
    let done = export(&gpu, &document(), &several, |_| true);
    assert_eq!((done.written, folder.names().len()), (6, 26), "a table, and a list of the vti files");
    let options = several.plan_options(&Access::default());
    let mut simulation = simulation(&gpu, &document(), &options);
    for frame in 1..=6 {
        simulation.step(&FrameInput::default()).unwrap();
        let expected = simulation.read("smoke").unwrap();
        let bytes = std::fs::read(folder.0.join(format!("density.{frame:04}.npy"))).unwrap();
        let (header, data) = bytes.split_at(bytes.len() - 24 * 16 * 4);
        assert!(String::from_utf8_lossy(header).contains("'shape': (16, 24)"));
        let words: Vec<u32> = data.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert!(words == expected.words && words.iter().any(|word| *word != 0), "frame {frame}");
    }
    // An interrupted export goes on with all series, from the frame that one of them lacks.
    let first = Export { folder: cut.0.clone(), ..several.clone() };
    export(&gpu, &document(), &first, |progress| progress.frame < 4);
    std::fs::remove_file(cut.0.join("density.0003.npy")).unwrap();
    let second = export(&gpu, &document(), &Export { resume: true, ..first }, |_| true);
    assert_eq!((second.kept, second.written), (3, 3));
    let same = |name: &String| std::fs::read(folder.0.join(name)).unwrap() == std::fs::read(cut.0.join(name)).unwrap();
    assert!(cut.names() == folder.names() && folder.names().iter().all(same));
}

#[test]
fn what_is_typed_becomes_files_or_a_sentence() {
    let document = document();
    let kinds = |wires: &[&str], formats: &[&str]| -> Vec<String> {
        let items = typed(&document, wires, formats).unwrap();
        items.iter().map(|item| format!("{} {:?}", item.format.name, item.kind)).collect()
    };
    assert_eq!(kinds(&[], &[]), ["png Image"], "the topmost Output");
    assert_eq!(kinds(&["screen"], &["npy", "png16"]), ["npy Grid2", "png16 Picture"]);
    assert_eq!(kinds(&["smoke", "look.image", "n=smoke:max"], &[]), ["exr Grid2", "exr Picture", "csv Number"]);
    assert_eq!(kinds(&["a=smoke+look+screen"], &["npz", "vdb"]), ["npz Grid2", "vdb Grid2"]);
    assert_eq!(kinds(&["look:png16", "smoke:png"], &[]), ["png16 Picture", "png Image"], "a view of a wire");
    for (wires, formats, cause) in [
        (&["smok"][..], &[][..], "did you mean `smoke`?"),
        (&["smok:sum"], &[], "did you mean `smoke`?"),
        (&["smoke"], &["png16"], "`smoke` is of grids in 2D, which PNG, 16 bit files can't hold"),
        (&["a=look+look:png16"], &[], "files hold one value each; leave a space between the wires"),
        (&["smoke:vtk", "smoke=look:vtk"], &[], "two exports have the files smoke.0001.vti"),
        (&["screen", "screen:png16"], &[], "two exports have the files screen.0001.png"),
        (&["=smoke"], &[], "write [NAME=]WIRE[:FORMAT]"),
        (&["smoke:mp5"], &[], "`mp5` is neither a format nor a statistic"),
        (&["time=smoke:sum"], &[], "a value is called `time`, which is a name of the format csv itself"),
        (&["n=smoke:max+frame=smoke:sum:jsonl"], &[], "`frame`, which is a name of the format jsonl itself"),
        (&["a=smoke+a=smoke:sum:npz"], &[], "two values of a file are called `a`; give one of them another name"),
        (&["fps=smoke:npz"], &[], "`fps`, which is a name of the format npz itself"),
        (&["a=smoke+a.cell_size=smoke:sum:npz"], &[], "two values of a file are called `a.cell_size`"),
        (&["n=smoke:max+n=smoke:sum"], &[], "two values of a file are called `n`"),
        (&["a b=smoke+a_b=smoke:exr"], &[], "two values of a file are called `a_b`"),
        (&["a=look+a=smoke:vtk"], &[], "two values of a file are called `a`"),
    ] {
        let error = typed(&document, wires, formats).unwrap_err();
        assert!(error.contains(cause), "{wires:?}: {error}");
    }
}

/// An image in 2D shows the shape, which is exported on a domain in 3D all the same.
#[test]
fn a_field_that_is_read_elsewhere_leaves_on_any_domain_of_its_dimension() {
    let graph = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")),
        "wide": (domain: (resolution: (4, 6, 4), width: 2, edge: "wall")),
        "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "camera": (stage: "view/camera"),
        "a": (stage: "shape/sphere", on: "box", params: {"center": (0.5, 0.5, 0.5), "radius": 0.3}),
        "b": (stage: "shape/sphere", on: "box", params: {"center": (9, 9, 9), "radius": 0.3}),
        "u": (stage: "shape/union", inputs: {"a": "a.distance", "b": "b.distance"}),
        "show": (stage: "view/shape", on: "flat", inputs: {"camera": "camera.camera", "shape": "u.distance"}),
        "screen": (output: (size: (8, 8)), inputs: {"image": "show.image"}),
    })"#;
    let document = Document::parse(graph).unwrap();
    let (gpu, folder) = (gpu(), Folder::new("field"));
    let wires = ["u.distance@box:npz", "wide=u.distance@wide:vdb-level-set", "u.distance:npy", "screen:png"];
    let items = typed(&document, &wires, &[]).unwrap();
    let of = Export { items, ..folder.export(1, 1) };
    let mut simulation = simulation(&gpu, &document, &of.plan_options(&Access::default()));
    job::run(&of, &inputs(&document), &mut simulation, |_, _| true).unwrap();
    assert_eq!(folder.names().len(), 4);
    for (wire, cells, size) in [("u.distance@box", [8, 8, 8], 0.125), ("u.distance@wide", [4, 6, 4], 0.5)] {
        let values = simulation.read(wire).unwrap();
        let place = |at: usize| [at % cells[0], at / cells[0] % cells[1], at / (cells[0] * cells[1])];
        for (at, word) in values.words.iter().enumerate() {
            let offset = place(at).map(|cell| (cell as f64 + 0.5) * size - 0.5);
            let expected = offset.iter().map(|part| part * part).sum::<f64>().sqrt() - 0.3;
            let error = (f64::from(f32::from_bits(*word)) - expected).abs();
            assert!(error < 24.0 * f64::from(f32::EPSILON), "{wire} {at}: {error:e}");
        }
    }
    let error = typed(&document, &["u.distance@flat:npz"], &[]).unwrap_err();
    assert!(error.contains("it is a field in 3D, and the domain `flat` is in 2D; name a domain in 3D"), "{error}");
}

/// What leaves as NPZ comes back as the particles of a file with the same bits.
#[test]
fn exported_particles_come_back() {
    let (gpu, folder) = (gpu(), Folder::new("particles_back"));
    let nodes = |first: &str, init: &str| {
        let nodes = r#"(version: 1, name: "count", nodes: {
            "tank": (domain: (resolution: (8, 8, 8), width: 1)),
            FIRST,
            "drops": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 600, on: "tank", inputs: {"init": "INIT", "next": "move"}),
            "move": (stage: "particles/integrate", inputs: {"particles": "drops"}),
        })"#;
        Document::parse(&nodes.replace("FIRST", first).replace("INIT", init)).unwrap()
    };
    let emitting =
        r#""box": (stage: "particles/emit_box", params: {"amount": 300, "velocity": (0.3, 0.1, 0), "spread": 0.7})"#;
    let emitted = nodes(emitting, "box.particles");
    let run = Export { items: typed(&emitted, &["drops:npz"], &[]).unwrap(), ..folder.export(3, 3) };
    export(&gpu, &emitted, &run, |_| true);
    let back = nodes(r#""cloud": (file: "drops.0003.npz")"#, "cloud.particles");
    let options = PlanOptions { folder: folder.0.clone(), ..run.plan_options(&Access::default()) };
    let (mut first, mut second) = (simulation(&gpu, &emitted, &options), simulation(&gpu, &back, &options));
    for _ in 0..3 {
        first.step(&FrameInput::default()).unwrap();
    }
    second.reset();
    for frame in 0..2 {
        for attribute in ["position", "velocity", "id"] {
            let words = |simulation: &Simulation| simulation.read(&format!("drops.{attribute}")).unwrap().words;
            let (ours, theirs) = (words(&first), words(&second));
            let live = ours.len() / 2;
            assert!(ours.iter().any(|word| *word != 0) && ours[..live] == theirs[..live], "{attribute} after {frame}");
        }
        first.step(&FrameInput::default()).unwrap();
        second.step(&FrameInput::default()).unwrap();
    }
}
