//! Checkpoints on disk: another simulation continues from one, and a file that does not fit is refused in a sentence.

use std::path::PathBuf;

use stagewright::document::{Document, ParamValue};
use stagewright::sim::Simulation;
use stagewright::sim::checkpoint::Checkpoint;

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
    assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint);
    (path, simulation)
}

#[test]
fn another_simulation_goes_on_with_the_same_bits() {
    let (path, mut first) = saved("goes-on");
    let mut second = simulation(ADD);
    let told = second.resume(&Checkpoint::read(&path).unwrap());
    assert!(told.is_empty(), "{told}");
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
    let told = simulation.resume(&Checkpoint::read(&path).unwrap()).to_string();
    assert!(told.contains("s: ") && told.contains("starts from its initial value"), "{told}");
    assert_eq!(simulation.read("s").unwrap().data[0], 0.0);
}

#[test]
fn a_file_that_is_damaged_or_of_another_kind_is_refused() {
    let (path, _) = saved("damaged");
    let whole = std::fs::read(&path).unwrap();
    let mut refused = Vec::new();
    for at in [0, 1, 9, 40, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        std::fs::write(&path, &bytes).unwrap();
        refused.push(Checkpoint::read(&path).map(|_| ()).expect_err("a damaged file").to_string());
    }
    for length in [0, 7, 8, 100, whole.len() - 4] {
        std::fs::write(&path, &whole[..length]).unwrap();
        refused.push(Checkpoint::read(&path).map(|_| ()).expect_err("half a file").to_string());
    }
    std::fs::write(&path, "(version: 1)").unwrap();
    refused.push(Checkpoint::read(&path).map(|_| ()).expect_err("a graph").to_string());
    assert!(refused.iter().all(|sentence| sentence.contains("there.safetensors")), "{refused:#?}");
    assert!(refused.iter().any(|sentence| sentence.contains("is damaged")), "{refused:#?}");
    assert!(refused.iter().any(|sentence| sentence.contains("is not a checkpoint")), "{refused:#?}");
    let missing = Checkpoint::read(&path.with_file_name("missing")).map(|_| ()).unwrap_err().to_string();
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
