//! Presets of exports in a graph of somebody else: which folders and files they name, and what these would replace.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use stagewright_base::files::{Access, portable};
use stagewright_base::problem::Problem;
use stagewright_export::job::Export;
use stagewright_export::place::{ExportPlace, Version};
use stagewright_export::preset;
use stagewright_language::document::{Document, ExportPreset, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{Target, folder, problem, problems, sentence};
use crate::corpus::SMALL;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const PRESET: Target = Target {
    name: "preset",
    ending: "ron",
    weight: 6,
    short: 200,
    levels: &["refused", "read", "placed", "exports"],
    make,
    run,
};

/// What a graph of the corpus can export, by its place.
const WIRES: [(usize, &[&str]); 2] = [
    (
        0,
        &[
            "screen",
            "deep=screen:png16",
            "a=blur.field:npy",
            "blur.field:exr",
            "half=blur.field:exr-half",
            "cells=field.value:vtk",
            "blur.field:sum",
            "m=blur.field:max:csv",
            "lines=blur.field:mean:jsonl",
            "all=blur.field+more=field.value:npz",
            "film=screen:apng",
            "screen:gif",
            "book=screen:flipbook",
            "水=blur.field:npy",
            "../up=blur.field:npy",
            "CON=blur.field:vtk",
            "a b\"c'=blur.field:npz",
        ],
    ),
    (
        4,
        &[
            "o",
            "drops:ply",
            "drops:npz",
            "d=drops:csv",
            "drops:usda",
            "amount=count.amount:npy",
            "count.amount:vdb",
            "total=count.amount:sum:csv",
        ],
    ),
];
const BAD_WIRES: &[&str] = &[
    "",
    "=",
    "nothing.x",
    "blur.field:mp5",
    "a=b=c",
    "screen:npy",
    "time=blur.field:sum:csv",
    "\u{1b}[2J=screen",
    "+",
];
const PARTS: &[&str] = &[
    "out",
    "Shots",
    "a b",
    "水",
    "{graph}",
    "{preset}",
    "{first}-{last}",
    "{version}",
    "{date}_{time}",
    "shot_{version}",
    "{name}",
    "{wire}",
    "{format}_x",
    "a.b",
];
const BAD_PARTS: &[&str] = &[
    "..",
    "../..",
    "link",
    "link/below",
    "away",
    ".",
    "",
    "/tmp",
    "~",
    "CON",
    "a:b",
    "{frame}",
    "{",
    "}",
    "{x}",
    "shots",
    "a\nb",
    "\u{202e}x",
    "x.",
    "{graph",
];
const FILE_NAMES: &[&str] = &[
    "",
    "{name}.{frame}",
    "{graph}_{name}.{frame}",
    "{frame}_{name}",
    "{name}-{preset}.{frame}",
    "{format}.{name}.{frame}",
    "{first}_{last}_{name}",
    "{wire} {frame}",
    "{date}.{name}.{frame}",
];
const BAD_FILE_NAMES: &[&str] = &[
    "../{name}.{frame}",
    ".{name}",
    "-{name}",
    "a/{name}",
    "{frame}{frame}",
    "CON",
    "{version}",
    "a\u{1b}b{name}",
    "{",
    "{nome}",
    "x",
    "a\nb",
];
const NAMES: &[&str] =
    &["comp", "a b", "水", "CON", "..", "a/b", "x.y", "{graph}", "a\"b", "line\nbreak", "\u{1b}[31m", "Comp", "~"];

fn one(random: &mut Random, good: &'static [&'static str], bad: &'static [&'static str]) -> &'static str {
    let texts = if random.chance(5) { bad } else { good };
    let text: &&str = random.one(texts);
    text
}

fn entry(random: &mut Random, wires: &'static [&'static str]) -> ExportPreset {
    let parts: Vec<&str> = (0..random.few(3)).map(|_| one(random, PARTS, BAD_PARTS)).collect();
    let first = 1 + random.below(4) as u64;
    let frames = match random.chance(95) {
        true => (first, first + random.below(200) as u64),
        false => *random.one(&[(0, 1), (5, 3), (1, u64::MAX), (u64::MAX, u64::MAX), (1, 100_000_000)]),
    };
    let number = |value: usize| ParamValue::Number(value as f64);
    let mut settings = std::collections::BTreeMap::new();
    for _ in 0..random.below(3) {
        let value = if random.chance(4) { number(1 << 40) } else { number(1 + random.below(3)) };
        let (name, value) = match random.below(7) {
            0 => ("every", value),
            1 => ("cutoff", value),
            2 => ("band", value),
            3 => ("padding", value),
            4 => ("timeout", value),
            5 => ("tiles", ParamValue::Vector(vec![2.0, 2.0])),
            _ => (*random.one(&["loop", "premultiplied"]), ParamValue::Bool(random.chance(50))),
        };
        settings.insert(name.to_string(), value);
    }
    ExportPreset {
        what: (0..random.below(4)).map(|_| one(random, wires, BAD_WIRES).to_string()).collect(),
        frames,
        size: random.chance(30).then(|| (8 << random.below(4), 8)),
        folder: parts.join("/"),
        names: one(random, FILE_NAMES, BAD_FILE_NAMES).into(),
        settings,
        checkpoints: random.chance(30).then(|| random.below(20) as u64),
        ..ExportPreset::default()
    }
}

fn make(random: &mut Random) -> Vec<u8> {
    let (at, wires) = *random.one(&WIRES);
    let mut document = Document::parse(SMALL[at]).expect("a graph of the corpus reads");
    for _ in 0..random.few(3) {
        let name = if random.chance(70) { NAMES[0] } else { *random.one(NAMES) };
        document.exports.insert(name.into(), entry(random, wires));
    }
    let text = document.to_text();
    if random.chance(85) {
        return text.into_bytes();
    }
    let words: Vec<&str> = [PARTS, BAD_PARTS, FILE_NAMES, BAD_FILE_NAMES, wires, BAD_WIRES, NUMBERS]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    mutate::text(random, &text, &[], &words).into_bytes()
}

/// The folder of a graph, with links that lead out of it, and what is beside it.
struct Ground {
    folder: PathBuf,
    outside: PathBuf,
}

fn ground() -> &'static Ground {
    static GROUND: OnceLock<Ground> = OnceLock::new();
    GROUND.get_or_init(|| {
        let [inside, outside] = ["preset/graph", "preset/outside"].map(folder);
        for name in ["Shots/v002", "shot_v003"] {
            fs::create_dir_all(inside.join(name)).expect("a folder");
        }
        fs::write(outside.join("screen.0001.png"), "precious").expect("a file");
        #[cfg(unix)]
        for (name, to) in [("link", outside.as_path()), ("away", Path::new("/nowhere/at/all"))] {
            let _ = fs::remove_file(inside.join(name));
            std::os::unix::fs::symlink(to, inside.join(name)).expect("a link");
        }
        Ground { folder: fs::canonicalize(inside).expect("it is there"), outside }
    })
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Where a path leads, of which the last parts need not exist.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find(|path| path.exists()).expect("a folder that exists");
    let mut real = fs::canonicalize(there).expect("it exists");
    for part in path.strip_prefix(there).expect("it begins there").components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    real
}

fn run(bytes: &[u8]) -> usize {
    let Some(document) = super::graph::read(bytes) else { return 0 };
    let graph = match Graph::build(&document, Library::builtin()) {
        Ok(graph) => graph,
        Err(all) => {
            problems(&all);
            return 1;
        }
    };
    let ground = ground();
    let before = [&ground.folder, &ground.outside].map(|folder| entries(folder));
    let level = document.exports.iter().map(|(name, preset)| placed(name, preset, &document, &graph)).max();
    assert_eq!(before, [&ground.folder, &ground.outside].map(|folder| entries(folder)), "looking changes nothing");
    level.unwrap_or(1)
}

/// How far a preset gets on its way to files, all of which have to be below the graph.
fn placed(name: &str, preset: &ExportPreset, document: &Document, graph: &Graph) -> usize {
    let ground = ground();
    let access = Access::new(&ground.folder, false);
    let version = if preset.frames.0.is_multiple_of(2) { Version::Next } else { Version::Unfinished };
    let place = ExportPlace {
        preset: Some(name.into()),
        version,
        ..ExportPlace::from_graph(&ground.folder.join("a graph.ron"))
    };
    let refused = |error: &Problem| {
        problem(error);
        assert!(error.cause.contains("the preset `"), "an error names the preset: {error}");
    };
    let folder = match preset::folder(name, preset, &place, &(preset.frames.0..=preset.frames.1), &access) {
        Ok(folder) => folder,
        Err(error) => {
            refused(&error);
            return 1;
        }
    };
    assert!(real(&folder.path).starts_with(&ground.folder), "{} is outside", folder.path.display());
    let mut items = Vec::new();
    for row in preset::rows(preset, &folder, document, graph) {
        match row {
            Ok(series) => items.extend(series),
            Err(error) => problem(&error),
        }
    }
    if items.is_empty() {
        return 2;
    }
    let export = preset::export(preset, items, &folder, document);
    if let Err(error) = export.check() {
        sentence(&error.to_string());
        return 2;
    }
    if let Err(error) = preset::check_folders(name, &export, &access) {
        refused(&error);
        return 2;
    }
    for item in &export.items {
        let alone = Export { items: vec![item.clone()], ..export.clone() };
        sentence(&alone.names());
        for path in [alone.path(export.frames.first()), alone.path(export.frames.last())] {
            let path = real(&path);
            let below = path.strip_prefix(&ground.folder);
            let below = below.unwrap_or_else(|_| panic!("{} is outside", path.display()));
            for part in below.components() {
                assert_eq!(portable::fault(&part.as_os_str().to_string_lossy()), None, "{}", path.display());
            }
        }
    }
    let (there, ours) = export.would_replace();
    assert!(ours || there > 0, "what is somebody else's is there");
    3
}
