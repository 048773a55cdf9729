//! Files that a run keeps and another continues from: checkpoints, and the index and the frames of caches. Most cases have right hashes
//! and checksums, so that they get past them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::json;
use stagewright::bake::{self, Condition};
use stagewright::cache::{Cache, Index, Writer};
use stagewright::document::{Bake, Document};
use stagewright::files::Access;
use stagewright::graph::Graph;
use stagewright::library::Library;
use stagewright::plan::{Plan, PlanOptions};
use stagewright::sim::Snapshot;
use stagewright::sim::checkpoint::{Checkpoint, CheckpointFile};

use super::{Target, lossy};
use crate::corpus::SMALL;
use crate::forge;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const CHECKPOINT: Target = Target {
    name: "checkpoint",
    ending: "safetensors",
    weight: 4,
    short: 400,
    levels: &["refused", "opened", "loaded"],
    make: make_checkpoint,
    run: run_checkpoint,
};
pub const CACHE_INDEX: Target = Target {
    name: "cache-index",
    ending: "json",
    weight: 2,
    short: 200,
    levels: &["refused", "opened", "plays"],
    make: make_index,
    run: run_index,
};
pub const CACHE_FRAME: Target = Target {
    name: "cache-frame",
    ending: "bake",
    weight: 4,
    short: 400,
    levels: &["refused", "plays"],
    make: make_frame,
    run: run_frame,
};

/// A small graph, and valid files of it.
struct Seed {
    document: Document,
    graph: Graph,
    plan: Plan,
    checkpoint: Vec<u8>,
    index: Index,
    frame: Vec<u8>,
}

/// A grid in one graph, particles in the other.
fn seeds() -> &'static [Seed; 2] {
    static SEEDS: OnceLock<[Seed; 2]> = OnceLock::new();
    SEEDS.get_or_init(|| [seed(SMALL[0], "blur.field"), seed(SMALL[4], "drops")])
}

fn seed(text: &str, wire: &str) -> Seed {
    let mut document = Document::parse(text).expect("a graph of the corpus reads");
    document.bakes.insert("all".into(), Bake { wires: vec![wire.into()], frames: (1, 2), ..Bake::default() });
    let graph = Graph::build(&document, Library::builtin()).expect("it builds");
    let plan = Plan::compile(&graph, &PlanOptions::default()).expect("it compiles");
    let folder = folder("seed");
    let path = folder.join("checkpoint");
    let snapshot = Snapshot::of_zeros(&plan, 5);
    let checkpoint = Checkpoint::of_plan(&plan, "a card", snapshot, text.into(), Some("inputs".into()));
    checkpoint.write(&path).expect("the seed is written");
    let status = bake::look(&graph, "all", &document.bakes["all"], &Access::new(&folder, false)).expect("a bake");
    let index = status.index("a card", (1, 2));
    let (writer, _) = Writer::begin(&folder.join("all.bake"), index.clone(), false).expect("a cache");
    let live = |words: u64, capacity: u32| words.checked_div(u64::from(capacity)).map_or(words, |each| 3 * each);
    let parts = index.placed().map(|(wire, part)| match part.name.as_str() {
        "count" => vec![3, 7],
        _ => (0..live(part.words, wire.capacity)).map(|at| (at as f32 * 0.1).to_bits()).collect(),
    });
    let parts: Vec<Vec<u32>> = parts.collect();
    writer.write(1, 0.5, &parts.iter().map(Vec::as_slice).collect::<Vec<_>>()).expect("a frame");
    let read = |path: PathBuf| std::fs::read(path).expect("the seed is there");
    let (checkpoint, frame) = (read(path), read(folder.join("all.bake/frame.0001.bake")));
    Seed { document, graph, plan, checkpoint, index, frame }
}

/// A folder of this process.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright-campaign-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the case");
    folder
}

fn sentence(text: &str) {
    assert!(!text.contains('\n') && text.len() < 2000, "{text}");
}

fn make_checkpoint(random: &mut Random) -> Vec<u8> {
    let [one, other] = seeds();
    let seed = if random.chance(50) { one } else { other };
    let mut known = forge::Checkpoint::of(&seed.checkpoint);
    let words: Vec<&str> = ["dtype", "shape", "data_offsets", "F32", "F16", "U8", "I64", "null", "true", "[]", "{}"]
        .into_iter()
        .chain(["states", "held", "frame", "time", "version", "sha256", "not_finite", "since", "stop", "recording"])
        .chain(NUMBERS.iter().copied())
        .collect();
    match random.below(10) {
        0..=3 => {
            let text = known.about.to_string();
            known.with_texts(&mutate::text(random, &text, &[], &words))
        }
        4..=6 => {
            let mut header = known.tensors.clone();
            let texts = json!({"sha256": "0".repeat(64), "stagewright": known.about.to_string()});
            header.insert("__metadata__".into(), texts);
            let header = serde_json::Value::Object(header).to_string();
            forge::with_header(&mutate::text(random, &header, &[], &words), &known.data)
        }
        7..=8 => {
            // Numbers of the States: counts among them.
            known.data = mutate::bytes(random, &known.data);
            let names: Vec<String> = known.tensors.keys().cloned().collect();
            if let Some(tensor) = known.tensors.get_mut(random.one(&names)).filter(|_| random.chance(50)) {
                tensor["shape"] = json!([*random.one(&[0u64, 1, 2, 8, 192, 1 << 20, 1 << 62])]);
            }
            known.sealed()
        }
        _ => mutate::bytes(random, &seed.checkpoint),
    }
}

fn run_checkpoint(bytes: &[u8]) -> usize {
    let path = folder("checkpoint").join("file.safetensors");
    std::fs::write(&path, bytes).expect("the case is written");
    let file = match CheckpointFile::open(&path) {
        Ok(file) => file,
        Err(error) => {
            sentence(&error.to_string());
            return 0;
        }
    };
    sentence(&file.not_finite(&file.marked(), None).to_string());
    let _ = file.hash();
    let mut level = 1;
    for seed in seeds() {
        match file.load(&seed.plan) {
            Ok(loaded) => {
                let _ = loaded.not_finite();
                assert!(loaded.snapshot.time.is_finite());
                level = level.max(1 + usize::from(loaded.snapshot.bytes() > 0));
            }
            Err(error) => sentence(&error.to_string()),
        }
    }
    level
}

fn make_index(random: &mut Random) -> Vec<u8> {
    let texts = seeds().each_ref().map(|seed| serde_json::to_string_pretty(&seed.index).expect("JSON"));
    let words: Vec<&str> = ["version", "first", "last", "wires", "parts", "words", "capacity", "state", "numbers"]
        .into_iter()
        .chain(["single", "half", "whole", "count", "depends", "null", "true", "[]", "{}"])
        .chain(NUMBERS.iter().copied())
        .collect();
    let one = random.one(&texts).clone();
    mutate::text(random, &one, &texts, &words).into_bytes()
}

/// The level of the cache in a folder for one of the graphs, with a frame of its own.
fn played(folder: &Path, seed: &Seed, text: &str) -> usize {
    let cache_folder = folder.join("all.bake");
    std::fs::create_dir_all(&cache_folder).expect("a folder");
    std::fs::write(cache_folder.join("index.json"), text).expect("the case is written");
    let cache = match Cache::open(&cache_folder) {
        Ok(cache) => cache,
        Err(error) => {
            sentence(&error.to_string());
            return 0;
        }
    };
    let frame = forge::Frame { cache: cache.index().identity(), ..forge::Frame::of(&seed.frame) };
    std::fs::write(cache_folder.join("frame.0001.bake"), frame.sealed([0; 2])).expect("a frame");
    let _ = both(&cache);
    let access = Access::new(folder, false);
    match bake::look(&seed.graph, "all", &seed.document.bakes["all"], &access).expect("the bake is valid").condition {
        Condition::Fresh | Condition::Stale(_) => 2,
        _ => 1,
    }
}

fn run_index(bytes: &[u8]) -> usize {
    let text = lossy(bytes);
    seeds().iter().map(|seed| played(&folder("index"), seed, &text)).max().unwrap_or(0)
}

/// Reads the first frame and verifies it, which must agree. Returns whether it plays.
fn both(cache: &Cache) -> bool {
    let (read, verified) = (cache.frame(1), cache.verify(1));
    for error in [read.as_ref().err(), verified.as_ref().err()].into_iter().flatten() {
        sentence(&error.to_string());
    }
    assert_eq!(read.is_ok(), verified.is_ok(), "{read:?} {verified:?}");
    read.is_ok()
}

fn make_frame(random: &mut Random) -> Vec<u8> {
    let [one, other] = seeds();
    let seed = if random.chance(30) { one } else { other };
    let mut frame = forge::Frame::of(&seed.frame);
    match random.below(10) {
        0..=4 => {
            let place = random.below(frame.parts.len());
            let part = &mut frame.parts[place];
            let number = *random.one(&[0, 1, 2, 99, 100, 101, 2001, 0x7fc0_0000, u32::MAX]);
            match random.below(4) {
                0 => part.truncate(random.below(part.len() + 1)),
                1 => part.extend([number; 3]),
                2 => part.iter_mut().take(2).for_each(|word| *word = number),
                _ => part.fill(number),
            }
            frame.sealed([0; 2])
        }
        5..=6 => {
            let lies = [0, 1, u64::MAX, 1 << 32, 1 << 61];
            frame.sealed([*random.one(&lies), *random.one(&lies)])
        }
        7..=8 => {
            let after = frame.sealed([0; 2]).split_off(40);
            forge::sealed_frame(&mutate::bytes(random, &after))
        }
        _ => mutate::bytes(random, &seed.frame),
    }
}

fn run_frame(bytes: &[u8]) -> usize {
    let plays = seeds().iter().any(|seed| {
        let folder = folder("frame");
        std::fs::write(folder.join("index.json"), serde_json::to_vec(&seed.index).expect("JSON")).expect("an index");
        std::fs::write(folder.join("frame.0001.bake"), bytes).expect("the case is written");
        both(&Cache::open(&folder).expect("a cache"))
    });
    usize::from(plays)
}
