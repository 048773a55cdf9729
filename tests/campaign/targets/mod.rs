//! What the campaign feeds with hostile input: each target makes the bytes of a case and says how far the program got with them.

pub mod asset;
pub mod expression;
pub mod formats;
pub mod graph;
pub mod hostile;
pub mod keeping;
pub mod kept;
pub mod keys;
pub mod manifests;
pub mod preset;
pub mod stage;
pub mod variant;
pub mod wgsl;

use std::path::PathBuf;

use stagewright_base::printable;
use stagewright_base::problem::{Problem, Problems};

use super::random::Random;

pub struct Target {
    pub name: &'static str,
    /// Of the files of its cases.
    pub ending: &'static str,
    /// Of the time that all targets share.
    pub weight: u32,
    /// Cases in the short form; 0 leaves the target out of it.
    pub short: u64,
    /// How far a case can get, the least first. `run` answers with an index.
    pub levels: &'static [&'static str],
    pub make: fn(&mut Random) -> Vec<u8>,
    /// Panics where the program does not keep a promise.
    pub run: fn(&[u8]) -> usize,
}

impl Target {
    pub fn case(&self, seed: u64, index: u64) -> Vec<u8> {
        (self.make)(&mut Random::of_case(self.name, seed, index))
    }
}

pub const TARGETS: &[Target] = &[
    graph::GRAPH,
    graph::GROUP,
    graph::PASTE,
    variant::VARIANT,
    keys::KEYS,
    preset::PRESET,
    stage::STAGE,
    hostile::HOSTILE_GRAPH,
    hostile::HOSTILE_STAGE,
    expression::EXPRESSION,
    expression::VALUE,
    asset::OBJ,
    asset::GLTF,
    asset::GLB,
    asset::PNG,
    asset::JPG,
    formats::EXR,
    formats::PNG16,
    formats::NPY,
    formats::NPZ,
    formats::VDB,
    formats::PLY,
    formats::POINTS,
    formats::WAV,
    formats::CSV,
    keeping::RECORDING,
    keeping::SETTINGS,
    keeping::RECOVERY,
    kept::CHECKPOINT,
    kept::CACHE_INDEX,
    kept::CACHE_FRAME,
    manifests::MANIFEST,
    manifests::VALUES,
];

pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// A text as a program reads it from a file that may hold anything.
fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A folder of this process, for the cases of a target.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright-campaign-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the case");
    folder
}

/// An error as a terminal shows it: something is said, on one line.
fn sentence(text: &str) {
    let shown = printable::lines(text);
    let shown = printable::cut(&shown);
    assert!(!shown.trim().is_empty() && !shown.contains(char::is_control), "{shown:?}");
}

/// The same of a problem, whose node and port are shown with escapes.
fn problem(problem: &Problem) {
    sentence(&format!("{}; {}", problem.cause, problem.remedy));
}

/// The same of all problems of a graph.
fn problems(all: &Problems) {
    assert!(!all.is_empty(), "a refusal gives a reason");
    all.0.iter().for_each(problem);
}
