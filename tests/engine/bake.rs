//! Graphs that are played from caches: the same images, bit for bit, without the solver.

use std::path::Path;

use stagewright_base::files::Access;
use stagewright_language::document::Bake;
use stagewright_runtime::bake::{self, job};
use stagewright_test_support::forge;

use super::*;

/// A shipped graph, small, with a bake of what its images read.
fn shipped(name: &str, sizes: &[(&str, &str, &str)], wires: &[&str]) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs").join(name);
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (node, param, value) in sizes {
        document.set(node, param, ParamValue::from_text(value)).unwrap();
    }
    let wires = wires.iter().map(|wire| wire.to_string()).collect();
    document.bakes.insert("all".into(), Bake { wires, frames: (1, 6), ..Bake::default() });
    document
}

/// Counts the frames.
fn counting(wires: &[&str], frames: (u64, u64)) -> Document {
    let mut document = Document::parse(&format!("(version: 1, nodes: {{ {} }})", counter(ADD))).unwrap();
    let wires = wires.iter().map(|wire| wire.to_string()).collect();
    document.bakes.insert("all".into(), Bake { wires, frames, ..Bake::default() });
    document
}

fn graph(document: &Document) -> Graph {
    Graph::build(document, Library::builtin()).unwrap()
}

fn options() -> PlanOptions {
    let size = Some((32, 32));
    PlanOptions { size, tuning: gpu().tuning(), ..PlanOptions::default() }
}

fn bake(document: &Document, access: &Access) -> job::Progress {
    bake_to(document, access, u64::MAX)
}

/// Ends after a frame, as if it was cancelled.
fn bake_to(document: &Document, access: &Access, last: u64) -> job::Progress {
    let graph = graph(document);
    let entry = &document.bakes["all"];
    let status = bake::status_of(&graph, "all", entry, access).unwrap();
    let options = job::plan_options(&status, &bake::playing(&graph, access), access);
    let plan = Plan::compile(&graph, &PlanOptions { tuning: gpu().tuning(), ..options }).unwrap();
    let mut simulation = Simulation::new(gpu(), plan).unwrap();
    let order = job::Order {
        folder: status.folder.clone(),
        frames: entry.frames.0..=entry.frames.1,
        resume: true,
        checkpoint_every: Some(2),
        graph: document.to_text(),
    };
    let go_on = |progress: &job::Progress| progress.frame < last;
    job::run(&order, status.index("card", entry.frames), &mut simulation, go_on).unwrap().0
}

fn played(document: &Document, access: &Access) -> Simulation {
    let graph = graph(document);
    let bakes = bake::playing(&graph, access);
    assert!(bakes.problems.is_empty(), "{}", bakes.problems);
    let plan = Plan::compile(&graph, &PlanOptions { played: bakes.played(), ..options() }).unwrap();
    Simulation::new(gpu(), plan).unwrap()
}

fn pixels(simulation: &mut Simulation) -> Vec<u8> {
    simulation.step(&simulation.next_input()).unwrap();
    simulation.image(None).unwrap().rgba
}

/// Whether playing gives the live images, and in any order of frames; returns the dispatches of both plans.
fn same_images(document: &Document) -> [usize; 2] {
    let folder = tempfile::tempdir().unwrap();
    let access = Access::new(folder.path(), false);
    assert_eq!(bake(document, &access).written, 6);
    assert_eq!(bake(document, &access).kept, 6, "nothing is written again");
    let mut live = Simulation::new(gpu(), Plan::compile(&graph(document), &options()).unwrap()).unwrap();
    let mut played = played(document, &access);
    let images: Vec<Vec<u8>> = (0..6).map(|_| pixels(&mut live)).collect();
    assert!(images[0] != images[5], "something happens");
    for (frame, image) in images.iter().enumerate() {
        assert!(pixels(&mut played) == *image, "frame {}", frame + 1);
    }
    assert_eq!((played.time(), played.frame()), (live.time(), live.frame()));
    assert_eq!(played.baked_frames(), Some(1..=6));
    for frame in [2, 5, 1, 6] {
        assert_eq!(played.seek(frame).unwrap(), 1, "any frame is one step away");
        assert!(pixels(&mut played) == images[frame as usize - 1], "frame {frame} of {}", played.frame());
    }
    played.preview(&FrameInput::default()).unwrap();
    assert!(played.image(None).unwrap().rgba == images[5] && played.frame() == 6, "an edit is shown in its frame");
    assert!(played.previewed().is_none());
    assert!(played.warnings(true).is_empty());
    pixels(&mut played);
    assert!(played.warnings(true).to_string().contains("frame 7 was not baked"));
    [&live, &played].map(|simulation| simulation.plan().frame.len())
}

const SMALL: [(&str, &str, &str); 3] =
    [("domain", "resolution", "32, 32"), ("fine", "resolution", "64, 64"), ("coarse", "resolution", "8, 8")];

#[test]
fn images_of_a_fluid_are_the_same_from_a_cache_and_its_solver_does_not_run() {
    let [live, played] = same_images(&shipped("stable_fluids.ron", &SMALL, &[]));
    assert!(played < live / 2, "{played} of {live} dispatches");
}

#[test]
fn images_of_particles_are_the_same_from_a_cache() {
    let small = [("sparks", "capacity", "500"), ("picture", "resolution", "48, 32")];
    let [live, played] = same_images(&shipped("templates/particles.ron", &small, &[]));
    assert!(played < live / 2, "{played} of {live} dispatches");
}

#[test]
fn a_resumed_bake_continues_from_its_last_checkpoint_with_the_same_bytes() {
    let small = [("sparks", "capacity", "500"), ("picture", "resolution", "48, 32")];
    for mut document in
        [shipped("templates/particles.ron", &small, &["sparks"]), counting(&[], (1, 6)), counting(&["s"], (3, 6))]
    {
        let [whole, broken] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let first = document.bakes["all"].frames.0;
        bake(&document, &Access::new(whole.path(), false));
        // Cancelled: it continues where it was.
        let access = Access::new(broken.path(), false);
        bake_to(&document, &access, 4);
        // A longer one would, too.
        document.bakes.get_mut("all").unwrap().frames.1 = 5;
        let progress = bake(&document, &access);
        assert_eq!((progress.kept, progress.skipped), (5 - first, 4));
        // Killed, with a frame and a checkpoint that did not reach the disk.
        std::fs::remove_file(broken.path().join("all.bake/frame.0005.bake")).unwrap();
        std::fs::remove_file(broken.path().join("all.bake/state.0004.safetensors")).unwrap();
        document.bakes.get_mut("all").unwrap().frames.1 = 6;
        let progress = bake(&document, &access);
        assert_eq!((progress.kept, progress.skipped), (5 - first, 2));
        for frame in first..=6 {
            let read = |folder: &Path| std::fs::read(folder.join(format!("all.bake/frame.{frame:04}.bake"))).unwrap();
            assert!(read(whole.path()) == read(broken.path()), "frame {frame}");
        }
    }
}

#[test]
fn a_state_is_played_with_the_value_that_its_readers_find() {
    let document = counting(&["s"], (3, 5));
    let folder = tempfile::tempdir().unwrap();
    let access = Access::new(folder.path(), false);
    assert_eq!(bake(&document, &access).kept, 0);
    let mut simulation = played(&document, &access);
    for (frame, after) in [(3, 3.0), (5, 5.0), (4, 4.0)] {
        simulation.seek(frame).unwrap();
        pixels(&mut simulation);
        assert_eq!((value(&simulation), simulation.frame()), (after, frame));
    }
}

#[test]
fn a_damaged_frame_ends_the_step_and_says_so() {
    let document = counting(&[], (1, 6));
    let folder = tempfile::tempdir().unwrap();
    let access = Access::new(folder.path(), false);
    bake(&document, &access);
    let mut simulation = played(&document, &access);
    std::fs::write(folder.path().join("all.bake/frame.0004.bake"), "no frame").unwrap();
    simulation.seek(4).unwrap();
    let problems = simulation.step(&FrameInput::default()).unwrap_err().to_string();
    assert!(problems.contains("frame.0004.bake is damaged") && problems.contains("bake it again"), "{problems}");
}

#[test]
fn a_resumed_bake_computes_damaged_and_foreign_frames_again_and_no_other() {
    let mut document = counting(&[], (3, 6));
    document.set("c", "rate", ParamValue::from_text("1")).unwrap();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let access = folders.each_ref().map(|folder| Access::new(folder.path(), false));
    bake(&document, &access[0]);
    let path = |folder: usize, frame: u64| folders[folder].path().join(format!("all.bake/frame.{frame:04}.bake"));
    let whole: Vec<Vec<u8>> = (3..=6).map(|frame| std::fs::read(path(0, frame)).unwrap()).collect();
    // The same graph at another speed has frames of the same sizes.
    document.set("c", "rate", ParamValue::from_text("2")).unwrap();
    bake(&document, &access[1]);
    std::fs::copy(path(1, 4), path(0, 4)).unwrap();
    let mut bytes = whole[2].clone();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(path(0, 5), &bytes).unwrap();
    document.set("c", "rate", ParamValue::from_text("1")).unwrap();
    let mut simulation = played(&document, &access[0]);
    for (frame, says) in [(4, "it belongs to another cache"), (5, "is damaged")] {
        simulation.seek(frame).unwrap();
        let said = simulation.step(&FrameInput::default()).unwrap_err().to_string();
        assert!(said.contains(says) && said.contains(&format!("frame.{frame:04}.bake")), "{said}");
    }
    let progress = bake(&document, &access[0]);
    assert_eq!((progress.kept, progress.broken, progress.written, progress.frame), (2, 2, 2, 6));
    for frame in 3..=6 {
        assert!(std::fs::read(path(0, frame)).unwrap() == whole[frame as usize - 3], "frame {frame}");
    }
}

#[test]
fn a_frame_with_more_particles_than_fit_is_refused() {
    let small = [("sparks", "capacity", "500"), ("picture", "resolution", "48, 32")];
    let document = shipped("templates/particles.ron", &small, &["sparks"]);
    let folder = tempfile::tempdir().unwrap();
    let access = Access::new(folder.path(), false);
    bake(&document, &access);
    let path = folder.path().join("all.bake/frame.0003.bake");
    let frame = forge::Frame::parse(&std::fs::read(&path).unwrap());
    let graph = graph(&document);
    let stored = bake::status_of(&graph, "all", &document.bakes["all"], &access).unwrap().stored;
    let count = stored[0].parts.iter().position(|part| part.name == "count").unwrap();
    assert_eq!(frame.parts[count].len(), 2, "the count alone is kept");
    for live in [501, 2001, u32::MAX] {
        let mut forged = frame.clone();
        forged.parts[count] = vec![live; 2];
        std::fs::write(&path, forged.sealed([0; 2])).unwrap();
        let mut simulation = played(&document, &access);
        // The emission rate has States of its own, which the frames before lead to.
        let left = simulation.seek(3).unwrap();
        let refused = (0..left).find_map(|_| simulation.step(&FrameInput::default()).err());
        let said = refused.expect("it is refused").to_string();
        assert!(
            said.contains(&format!("it holds {live} particles of sparks.value, and there is room for 500")),
            "{said}"
        );
    }
}
