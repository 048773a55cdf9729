//! Checkpoints on disk: another simulation continues from one, and a file that does not fit is refused in a sentence.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stagewright_compiler::Plan;
use stagewright_language::document::{Document, ParamValue};
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::checkpoint::{Checkpoint, CheckpointError, CheckpointFile};
use stagewright_test_support::forge;

use super::{ADD, counter, gpu, plan};

fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright-checkpoint-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("there.safetensors")
}

/// The counter, with an expression that has no value from frame 3 on and keeps its last one.
fn simulation(body: &str) -> Simulation {
    let mut simulation = Simulation::new(gpu(), plan(&counter(body)).unwrap()).unwrap();
    simulation
        .set_param("c.rate", ParamValue::Expression("1 + frame / (if frame < 3 { 1 } else { 0 })".into()))
        .unwrap();
    simulation
}

fn steps(simulation: &mut Simulation, frames: u64) {
    (0..frames).for_each(|_| simulation.step(&simulation.recorded_input()).unwrap());
}

fn saved(name: &str) -> (PathBuf, Simulation) {
    let mut simulation = simulation(ADD);
    steps(&mut simulation, 5);
    let snapshot = simulation.snapshot().unwrap().wait().unwrap();
    let checkpoint = Checkpoint::new(&simulation, snapshot, Document::default().to_text(), Some("inputs".into()));
    let path = file(name);
    checkpoint.write(&path).unwrap();
    assert_eq!(read(&path, simulation.plan()).unwrap().snapshot, checkpoint.snapshot);
    (path, simulation)
}

fn read(path: &Path, plan: &Plan) -> Result<Checkpoint, CheckpointError> {
    CheckpointFile::open(path)?.load(plan)
}

/// What is said of a file that is refused: one sentence that names it.
fn refused(path: &Path, plan: &Plan, what: &str) -> String {
    let said = read(path, plan).map(|_| ()).expect_err(what).to_string();
    assert!(said.contains("there.safetensors") && !said.contains('\n') && said.len() < 400, "{what}: {said}");
    said
}

#[test]
fn another_simulation_goes_on_with_the_same_bits() {
    let (path, mut first) = saved("goes-on");
    let mut second = simulation(ADD);
    let checkpoint = read(&path, second.plan()).unwrap();
    let problems = second.resume(&checkpoint);
    assert!(problems.is_empty(), "{problems}");
    assert_eq!((second.frame(), second.time()), (first.frame(), first.time()));
    for _ in 0..4 {
        steps(&mut first, 1);
        steps(&mut second, 1);
        assert_eq!(first.read("s").unwrap().words, second.read("s").unwrap().words);
    }
    assert_eq!(first.read("s").unwrap().data[0], 6.0 + 6.0 * 3.0, "the expression keeps its last value");
}

#[test]
fn states_of_another_description_start_anew_and_it_says_so() {
    let (path, _) = saved("other");
    let other = counter(ADD).replace("(16, 16)", "(8, 8)");
    let mut simulation = Simulation::new(gpu(), plan(&other).unwrap()).unwrap();
    let checkpoint = read(&path, simulation.plan()).unwrap();
    let problems = simulation.resume(&checkpoint).to_string();
    assert!(problems.contains("s: ") && problems.contains("starts from its initial value"), "{problems}");
    assert_eq!(simulation.read("s").unwrap().data[0], 0.0);
}

#[test]
fn a_file_that_is_damaged_or_of_another_kind_is_refused() {
    let (path, simulation) = saved("damaged");
    let plan = simulation.plan();
    let whole = std::fs::read(&path).unwrap();
    let mut said = Vec::new();
    // Every byte of the header, and some of the numbers.
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for at in (0..header).chain([header, whole.len() / 2, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x01;
        std::fs::write(&path, &bytes).unwrap();
        said.push(refused(&path, plan, "a damaged file"));
    }
    for length in [0, 7, 8, 100, whole.len() - 4] {
        std::fs::write(&path, &whole[..length]).unwrap();
        said.push(refused(&path, plan, "half a file"));
    }
    std::fs::write(&path, [&whole[..], &[0; 4]].concat()).unwrap();
    said.push(refused(&path, plan, "more than a file"));
    std::fs::write(&path, "(version: 1)").unwrap();
    said.push(refused(&path, plan, "a graph"));
    assert!(said.iter().any(|sentence| sentence.contains("is damaged: its header")), "{said:#?}");
    assert!(said.iter().any(|sentence| sentence.contains("is damaged: the State s")), "{said:#?}");
    assert!(said.iter().any(|sentence| sentence.contains("is not a checkpoint")), "{said:#?}");
    let missing = read(&path.with_file_name("missing"), plan).map(|_| ()).unwrap_err().to_string();
    assert!(missing.contains("can't be read"), "{missing}");
}

/// Each tensor has the axes of its State.
#[test]
fn other_programs_read_the_numbers() {
    let (path, mut simulation) = saved("others");
    let bytes = std::fs::read(path).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let tensor = tensors.tensor("s").unwrap();
    assert_eq!((tensor.dtype(), tensor.shape()), (safetensors::Dtype::F32, &[1, 16, 16, 1][..]));
    let first = f32::from_le_bytes(tensor.data()[..4].try_into().unwrap());
    assert_eq!(first, simulation.read("s").unwrap().data[0]);
    steps(&mut simulation, 1);
    assert_ne!(first, simulation.read("s").unwrap().data[0]);
}

/// A change of a checkpoint, and what is said of it.
type Forgery = (&'static str, fn(&mut forge::Checkpoint), &'static str);

fn about(key: &'static str, value: Value) -> impl Fn(&mut forge::Checkpoint) {
    move |checkpoint| drop(checkpoint.about.as_object_mut().unwrap().insert(key.into(), value.clone()))
}

fn tensor(checkpoint: &mut forge::Checkpoint, key: &str, value: Value) {
    checkpoint.tensors["s"].as_object_mut().unwrap().insert(key.into(), value);
}

/// As many bytes, all of them the State's.
fn cut(checkpoint: &mut forge::Checkpoint, bytes: usize, kind: &str, shape: Value) {
    checkpoint.data.resize(bytes, 0);
    tensor(checkpoint, "dtype", kind.into());
    tensor(checkpoint, "shape", shape);
    tensor(checkpoint, "data_offsets", json!([0, bytes]));
}

#[test]
fn a_header_with_right_hashes_is_still_compared_with_the_plan() {
    let (path, simulation) = saved("forged");
    let whole = forge::Checkpoint::parse(&std::fs::read(&path).unwrap());
    let forged = |change: &dyn Fn(&mut forge::Checkpoint)| {
        let mut checkpoint = whole.clone();
        change(&mut checkpoint);
        std::fs::write(&path, checkpoint.sealed()).unwrap();
    };
    forged(&|_| {});
    assert!(read(&path, simulation.plan()).is_ok(), "the same is the same");
    let table: [Forgery; 16] = [
        ("whole numbers", |k| tensor(k, "dtype", "I32".into()), "as I32 of 1 x 16 x 16 x 1"),
        ("one axis", |k| tensor(k, "shape", json!([256])), "as F32 of 256, and the graph as F32 of 1 x 16 x 16 x 1"),
        ("transposed", |k| tensor(k, "shape", json!([16, 16, 1, 1])), "does not fit the graph"),
        ("no number", |k| cut(k, 0, "F32", json!([0])), "does not fit the graph"),
        ("one number", |k| cut(k, 4, "F32", json!([1])), "does not fit the graph"),
        ("many numbers", |k| cut(k, 1024 * 1000, "F32", json!([1000, 16, 16, 1])), "does not fit the graph"),
        ("7 bytes", |k| cut(k, 7, "U8", json!([7])), "does not fit the graph"),
        ("another size", |k| tensor(k, "shape", json!([1, 16, 16, 2])), "does not fit its shape"),
        ("too large a shape", |k| tensor(k, "shape", json!([1u64 << 62, 4])), "does not fit its shape"),
        ("a negative extent", |k| tensor(k, "data_offsets", json!([1024, 0])), "does not fit its shape"),
        ("a gap", |k| tensor(k, "data_offsets", json!([8, 1032])), "does not fit its shape"),
        ("another tensor", |k| drop(k.tensors.insert("t".into(), k.tensors["s"].clone())), "does not fit its shape"),
        ("no tensor", |k| (k.tensors.clear(), k.data.clear()).1, "not those that its header describes"),
        ("an old format", |k| about("version", json!(1))(k), "in another format; its contents can't be verified"),
        ("a later format", |k| about("version", json!(99))(k), "in another format; update Stagewright"),
        ("a State of no hash", |k| k.about["states"]["s"] = json!("Grid<f32>"), "is not a checkpoint"),
    ];
    for (what, change, says) in table {
        forged(&change);
        let said = refused(&path, simulation.plan(), what);
        assert!(said.contains(says), "{what}: {said}");
    }
    let out_of_range = "its frame or its time is out of range";
    for (key, value, says) in [
        ("frame", json!(u64::MAX), out_of_range),
        ("frame", json!(1u64 << 63), out_of_range),
        ("time", json!(f64::NAN.to_bits()), out_of_range),
        ("time", json!((-1f64).to_bits()), out_of_range),
        ("held", json!([["c.rate", [1e9f64.to_bits()]]]), "kept for c.rate: 1000000000 is outside 0..10"),
        ("held", json!([["c.rate", [f64::INFINITY.to_bits()]]]), "kept for c.rate is none"),
        ("held", json!([["c.rate", vec![0; 100]]]), "kept for c.rate is none"),
    ] {
        forged(&about(key, value.clone()));
        let said = refused(&path, simulation.plan(), key);
        assert!(said.contains(says), "{key}: {value}: {said}");
    }
}

#[test]
fn a_file_that_claims_gigabytes_is_refused_before_they_are_read() {
    let (path, simulation) = saved("sparse");
    let mut checkpoint = forge::Checkpoint::parse(&std::fs::read(&path).unwrap());
    let bytes = 5u64 << 30;
    let zeros = std::fs::File::create(&path).unwrap();
    zeros.set_len(bytes).unwrap();
    refused(&path, simulation.plan(), "zeros");
    for (kind, shape) in [("F32", json!([1, 16, 16, bytes / 1024])), ("U8", json!([bytes]))] {
        tensor(&mut checkpoint, "dtype", kind.into());
        tensor(&mut checkpoint, "shape", shape);
        tensor(&mut checkpoint, "data_offsets", json!([0, bytes]));
        checkpoint.data.clear();
        let header = checkpoint.sealed();
        std::fs::write(&path, &header).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(header.len() as u64 + bytes).unwrap();
        let said = refused(&path, simulation.plan(), "a sparse file");
        assert!(said.contains("does not fit the graph"), "{said}");
    }
    std::fs::remove_file(path).unwrap();
}

/// Two particles that stand still, where there is room for 100.
const DROPS: &str = r#""box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "drops": (state: "Particles{position: Vec, velocity: Vec}", capacity: 100, on: "box", inputs: {"next": "fall.particles"}),
    "fall": (stage: "particles/integrate", inputs: {"particles": "drops"}),
    "look": (stage: "particles/to_grid", inputs: {"particles": "fall.particles"}, on: "box"),
    "color": (stage: "view/color_map", inputs: {"field": "look.amount"}),
    "screen": (output: (), inputs: {"image": "color.image"}),"#;

#[test]
fn how_many_particles_there_are_is_checked_and_what_runs_over_them_comes_from_the_plan() {
    let mut simulation = Simulation::new(gpu(), plan(DROPS).unwrap()).unwrap();
    simulation.reset();
    simulation.write("drops.position", &[0.25, 0.5, 0.75, 0.5]).unwrap();
    simulation.set_count("drops", 2).unwrap();
    steps(&mut simulation, 1);
    let snapshot = simulation.snapshot().unwrap().wait().unwrap();
    let path = file("counts");
    Checkpoint::new(&simulation, snapshot, String::new(), None).write(&path).unwrap();
    let whole = forge::Checkpoint::parse(&std::fs::read(&path).unwrap());
    assert_eq!(whole.tensors["drops.count"]["shape"], json!([2]), "the count alone is kept");
    let at = whole.tensors["drops.count"]["data_offsets"][0].as_u64().unwrap() as usize;
    for live in [101, 2001, 1 << 31, u32::MAX] {
        let mut checkpoint = whole.clone();
        checkpoint.data[at..at + 4].copy_from_slice(&live.to_le_bytes());
        std::fs::write(&path, checkpoint.sealed()).unwrap();
        let said = refused(&path, simulation.plan(), "too many particles");
        assert!(said.contains(&format!("it holds {live} particles of drops, and there is room for 100")), "{said}");
    }
    // As files of the format before were, with workgroups of their own.
    let mut checkpoint = whole.clone();
    let count = checkpoint.tensors["drops.count"].as_object_mut().unwrap();
    let end = checkpoint.data.len();
    checkpoint.data.extend([2001u32; 8].iter().flat_map(|word| word.to_le_bytes()));
    count.insert("shape".into(), json!([8, 1]));
    count.insert("data_offsets".into(), json!([end, end + 32]));
    std::fs::write(&path, checkpoint.sealed()).unwrap();
    refused(&path, simulation.plan(), "workgroups");
    std::fs::write(&path, whole.sealed()).unwrap();
    let checkpoint = read(&path, simulation.plan()).unwrap();
    let mut second = Simulation::new(gpu(), plan(DROPS).unwrap()).unwrap();
    assert!(second.resume(&checkpoint).is_empty());
    let words = |simulation: &Simulation| simulation.read_async("drops.count").unwrap().wait().unwrap();
    assert_eq!(words(&second), [2, 2, 0, 0, 1, 1, 1, 0]);
    [&mut simulation, &mut second].into_iter().for_each(|simulation| steps(simulation, 2));
    for attribute in ["drops.position", "drops.velocity"] {
        let words = |simulation: &Simulation| simulation.read(attribute).unwrap().words[..4].to_vec();
        assert_eq!(words(&simulation), words(&second));
    }
}

#[test]
fn nan_in_a_state_is_marked_and_dead_particles_have_none() {
    let mut simulation = simulation(ADD);
    steps(&mut simulation, 1);
    let mut values = vec![1.0; 256];
    (values[3], values[77]) = (f32::NAN, f32::NEG_INFINITY);
    simulation.write("s", &values).unwrap();
    assert!(simulation.ends_with_nan().unwrap().unwrap().to_string().contains("s (2 numbers)"));
    let snapshot = simulation.snapshot().unwrap().wait().unwrap();
    let path = file("nan");
    let checkpoint = Checkpoint::new(&simulation, snapshot, String::new(), None);
    checkpoint.clone().after([("s".to_string(), 40)].into()).write(&path).unwrap();
    let opened = CheckpointFile::open(&path).unwrap();
    let marked = opened.marked();
    assert_eq!((marked.len(), marked[0].numbers, marked[0].since), (1, 2, 40));
    let said = opened.not_finite(&marked, Some(Path::new("c/checkpoint.0030.safetensors"))).to_string();
    for part in ["s (2 numbers, seen first after frame 40)", "continue from c/checkpoint.0030.safetensors"] {
        assert!(said.contains(part), "{said}");
    }
    // A file that says otherwise is not believed.
    let mut checkpoint = forge::Checkpoint::parse(&std::fs::read(&path).unwrap());
    checkpoint.about["states"]["s"]["not_finite"] = json!(0);
    std::fs::write(&path, checkpoint.sealed()).unwrap();
    assert!(CheckpointFile::open(&path).unwrap().marked().is_empty());
    assert_eq!(read(&path, simulation.plan()).unwrap().not_finite()[0].numbers, 2);

    let mut drops = Simulation::new(gpu(), plan(DROPS).unwrap()).unwrap();
    drops.reset();
    drops.write("drops.position", &[0.5, 0.5, 0.5, 0.5, f32::NAN, 0.5]).unwrap();
    for (live, bad) in [(2, 0), (3, 1)] {
        drops.set_count("drops", live).unwrap();
        let snapshot = drops.snapshot().unwrap().wait().unwrap();
        let found = Checkpoint::new(&drops, snapshot, String::new(), None).not_finite();
        assert_eq!(found.iter().map(|state| state.numbers).sum::<u64>(), bad, "{live} live");
    }
}
