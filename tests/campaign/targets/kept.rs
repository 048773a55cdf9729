//! Files that a run keeps and another continues from: checkpoints, and the index and the frames of caches. Most cases have right hashes
//! and checksums, so that they get past them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::json;
use stagewright_base::cache::{BakedWire, Cache, Index, Writer};
use stagewright_base::files::Access;
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Bake, Document};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::bake::{self, Condition};
use stagewright_runtime::sim::Snapshot;
use stagewright_runtime::sim::checkpoint::{Checkpoint, CheckpointFile};
use stagewright_test_support::forge;

use super::{Target, folder, lossy, sentence};
use crate::corpus::SMALL;
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
    let status = bake::status_of(&graph, "all", &document.bakes["all"], &Access::new(&folder, false)).expect("a bake");
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

fn make_checkpoint(random: &mut Random) -> Vec<u8> {
    let [one, other] = seeds();
    let seed = if random.chance(50) { one } else { other };
    let mut checkpoint = forge::Checkpoint::parse(&seed.checkpoint);
    let words: Vec<&str> = ["dtype", "shape", "data_offsets", "F32", "F16", "U8", "I64", "null", "true", "[]", "{}"]
        .into_iter()
        .chain(["states", "held", "frame", "time", "version", "sha256", "not_finite", "since", "stop", "recording"])
        .chain(NUMBERS.iter().copied())
        .collect();
    match random.below(20) {
        0..=11 => {
            (0..random.few(3)).for_each(|_| change(random, &mut checkpoint));
            checkpoint.sealed()
        }
        12..=13 => {
            let text = checkpoint.about.to_string();
            checkpoint.with_texts(&mutate::text(random, &text, &[], &words))
        }
        14..=15 => {
            let mut header = checkpoint.tensors.clone();
            let texts = json!({"sha256": "0".repeat(64), "stagewright": checkpoint.about.to_string()});
            header.insert("__metadata__".into(), texts);
            let header = serde_json::Value::Object(header).to_string();
            forge::with_header(&mutate::text(random, &header, &[], &words), &checkpoint.data)
        }
        16..=18 => {
            // Numbers of the States: counts among them.
            checkpoint.data = mutate::bytes(random, &checkpoint.data);
            let names: Vec<String> = checkpoint.tensors.keys().cloned().collect();
            if let Some(tensor) = checkpoint.tensors.get_mut(random.one(&names)).filter(|_| random.chance(50)) {
                tensor["shape"] = json!([*random.one(&[0u64, 1, 2, 8, 192, 1 << 20, 1 << 62])]);
            }
            checkpoint.sealed()
        }
        _ => mutate::bytes(random, &seed.checkpoint),
    }
}

/// One change of what a checkpoint says or holds that leaves it one.
fn change(random: &mut Random, checkpoint: &mut forge::Checkpoint) {
    let names: Vec<String> = checkpoint.tensors.keys().cloned().collect();
    let name = random.one(&names).clone();
    let place = |checkpoint: &forge::Checkpoint| {
        let offset = |at: usize| checkpoint.tensors[&name]["data_offsets"][at].as_u64().unwrap_or(0) as usize;
        offset(0)..offset(1)
    };
    match random.below(12) {
        0 => checkpoint.about["frame"] = json!(random.one(&[0u64, 1, 6, 99_999_999])),
        1 => checkpoint.about["time"] = json!(random.one(&[0.0f64, 1e-320, 5.0 / 60.0, 1e300]).to_bits()),
        2 => {
            let field = *random.one(&["program", "adapter", "graph", "inputs", "recording"]);
            checkpoint.about[field] =
                json!(random.one(&["", "another", "line\nbreak", "\u{1b}[31m", "(pointer: [])", "()"]));
        }
        3 => checkpoint.about[*random.one(&["inputs", "recording", "stop"])] = serde_json::Value::Null,
        4 => checkpoint.about["more"] = json!({"of": [1, "a later version"]}),
        5 => {
            let path = *random.one(&["look.high", "field.value", "nothing.here", "look.low"]);
            checkpoint.about["held"] = json!([[path, [random.one(&[0.0f64, 0.5, 1.0]).to_bits()]]]);
        }
        6 => checkpoint.about["states"][&name]["not_finite"] = json!(random.below(3)),
        7 => checkpoint.about["states"][&name]["since"] = json!(random.below(9)),
        8 if names.len() > 1 => checkpoint.remove(&name),
        9 => checkpoint.about["states"][&name]["description"] = json!("of another graph"),
        // Numbers of grids and of particles; a count is a small number.
        _ if name.ends_with("count") => {
            let bytes = place(checkpoint);
            checkpoint.data[bytes]
                .iter_mut()
                .take(4)
                .zip([random.below(101) as u8, 0, 0, 0])
                .for_each(|(to, from)| *to = from);
        }
        _ => {
            let bytes = place(checkpoint);
            let words = [0, 1f32.to_bits(), f32::NAN.to_bits(), f32::MAX.to_bits(), 1, u32::MAX];
            for word in checkpoint.data[bytes].chunks_exact_mut(4) {
                if random.chance(20) {
                    word.copy_from_slice(&random.one(&words).to_le_bytes());
                }
            }
        }
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
                // Written again, it holds the same.
                let copy = path.with_file_name("copy.safetensors");
                loaded.write(&copy).expect("what was loaded is written");
                let again =
                    CheckpointFile::open(&copy).and_then(|file| file.load(&seed.plan)).expect("and loaded again");
                assert!(again.snapshot == loaded.snapshot, "what was written is read as something else");
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
    if random.chance(65) {
        let mut index = random.one(seeds()).index.clone();
        (0..random.few(3)).for_each(|_| change_index(random, &mut index));
        let text = if random.chance(50) { serde_json::to_string(&index) } else { serde_json::to_string_pretty(&index) };
        return text.expect("JSON").into_bytes();
    }
    let one = random.one(&texts).clone();
    mutate::text(random, &one, &texts, &words).into_bytes()
}

/// One change that leaves it an index.
fn change_index(random: &mut Random, index: &mut Index) {
    let text = *random.one(&["", "another", "line\nbreak", "\u{1b}[31m", "水"]);
    let keys: Vec<&String> = index.depends.keys().collect();
    let key = if keys.is_empty() { String::new() } else { (*random.one(&keys)).clone() };
    match random.below(12) {
        0 => index.program = text.into(),
        1 => index.adapter = text.into(),
        2 => index.last = index.first + random.below(100_000) as u64,
        3 => index.first = 1,
        4 => drop(index.depends.insert(text.into(), text.into())),
        5..=7 => drop(index.depends.insert(key, text.into())),
        8..=9 => drop(index.depends.remove(&key)),
        // What no longer fits the graph.
        10 => {
            let numbers = [0, 1, 8, 1 << 32, u64::MAX];
            index.wires.iter_mut().flat_map(|wire| &mut wire.parts).for_each(|part| part.words = *random.one(&numbers));
        }
        _ => {
            let wires = index.wires.clone();
            index.wires.extend(wires.into_iter().map(|wire| BakedWire { name: text.into(), ..wire }));
        }
    }
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
    let written = serde_json::to_vec(cache.index()).expect("JSON");
    assert_eq!(
        serde_json::from_slice::<Index>(&written).ok().as_ref(),
        Some(cache.index()),
        "written again it is another index"
    );
    let frame = forge::Frame { cache: cache.index().identity(), ..forge::Frame::parse(&seed.frame) };
    // Where it holds a State, it begins with what the first frame starts from.
    for number in [0, 1] {
        let frame = forge::Frame { frame: number, ..frame.clone() }.sealed([0; 2]);
        std::fs::write(cache_folder.join(format!("frame.{number:04}.bake")), frame).expect("a frame");
    }
    let _ = both(&cache);
    let access = Access::new(folder, false);
    match bake::status_of(&seed.graph, "all", &seed.document.bakes["all"], &access)
        .expect("the bake is valid")
        .condition
    {
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
    let mut frame = forge::Frame::parse(&seed.frame);
    match random.below(20) {
        0..=12 => {
            (0..random.few(3)).for_each(|_| change_frame(random, &mut frame));
            frame.sealed([0; 2])
        }
        13..=15 => {
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
        16 => {
            let lies = [0, 1, u64::MAX, 1 << 32, 1 << 61];
            frame.sealed([*random.one(&lies), *random.one(&lies)])
        }
        17..=18 => {
            let after = frame.sealed([0; 2]).split_off(40);
            forge::sealed_frame(&mutate::bytes(random, &after))
        }
        _ => mutate::bytes(random, &seed.frame),
    }
}

/// One change that leaves it a frame of its cache.
fn change_frame(random: &mut Random, frame: &mut forge::Frame) {
    let words = [0, 1, 1f32.to_bits(), f32::NAN.to_bits(), f32::INFINITY.to_bits(), u32::MAX];
    let particles = frame.parts.iter().position(|part| part.len() == 2);
    match (random.below(6), particles) {
        (0, _) => frame.time = *random.one(&[0.0, 1e-320, 7.0, f64::MAX]),
        (1..=2, Some(count)) if frame.parts[count][0] > 0 => {
            // More and fewer particles, with as many numbers.
            let (before, live) = (frame.parts[count][0] as usize, random.below(101));
            frame.parts[count][0] = live as u32;
            for part in frame.parts.iter_mut().enumerate().filter(|(at, _)| *at != count).map(|(_, part)| part) {
                let each = part.len() / before;
                part.resize(live * each, 0);
            }
        }
        (3, Some(count)) => frame.parts[count][1] = *random.one(&words),
        _ => {
            for part in frame.parts.iter_mut().filter(|part| part.len() != 2) {
                part.iter_mut().for_each(|word| {
                    if random.chance(10) {
                        *word = *random.one(&words);
                    }
                });
            }
        }
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
