//! What graphs of earlier versions show: the same as when their row was written, or the change is named.
//!
//! `tests/stored/frames.txt` has a row for each graph of `tests/stored`: of its images after two frames, on few cells, the brightness of 4 x 4 tiles;
//! of a graph without images the root mean square of each wire. Graphs take turns by day; `STAGEWRIGHT_DAYS=1` compares all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::{Document, NodeKind, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::{Library, earlier};
use stagewright_language::stage::types::Scalar;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

use super::shipped::shrink;

/// Cells along the longest side of a domain.
const LONGEST: f64 = 24.0;
/// Tiles along each side of an image.
const TILES: usize = 4;
/// Days in which all graphs have had their turn.
const DAYS: u64 = 96;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored")
}

/// The graphs by name: the folder's path below `tests/stored`, and the time.
fn stored() -> BTreeMap<String, PathBuf> {
    let (mut folders, mut found) = (vec![root()], BTreeMap::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "ron") {
                found.insert(path.strip_prefix(root()).unwrap().with_extension("").display().to_string(), path);
            }
        }
    }
    found
}

/// What a graph shows, as numbers.
fn shown(name: &str, path: &Path) -> Vec<f64> {
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    earlier::update(&mut document, Library::builtin());
    for (number, value) in [("spacing", 0.1), ("picture_height", 36.0)] {
        if name.starts_with("sph_water") && document.nodes.contains_key(number) {
            document.set(number, "value", ParamValue::Number(value)).unwrap();
        }
    }
    // A built-in case has one number that all its sizes follow from: cells of a side, or particles.
    let size = document.nodes.get("size").map(|node| node.kind.clone());
    if let Some(NodeKind::Number(ParamValue::Number(size))) = size {
        let few = if size > 10_000.0 { 2_000.0 } else { 48.0 };
        document.set("size", "value", ParamValue::Number(few)).unwrap();
    }
    shrink(&mut document, LONGEST);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let folder = root().join("../../graphs").join(Path::new(name).parent().unwrap()).parent().unwrap().to_path_buf();
    let plan = |keep| {
        let (folder, tuning) = (folder.clone(), gpu().tuning());
        let options = PlanOptions { keep, folder, size: Some((64, 64)), tuning, ..PlanOptions::default() };
        Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let plan = match plan(Keep::Needed) {
        // Without an image everything that it computes is shown.
        needed if needed.outputs.is_empty() => plan(Keep::All),
        needed => needed,
    };
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{name}: {e}"));
    for _ in 0..2 {
        let input = sim.recorded_input();
        sim.step(&input).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let outputs: Vec<String> = sim.plan().outputs.iter().map(|output| output.node.clone()).collect();
    if outputs.is_empty() {
        let kept = sim.plan().wires.iter().filter(|(_, wire)| wire.kept && wire.ty.value().scalar() == Scalar::F32);
        return kept.map(|(wire, _)| rms(&read(&sim, wire))).collect();
    }
    outputs.iter().flat_map(|output| tiles(&sim, output)).collect()
}

/// Mean brightness of the tiles of an image, by rows.
fn tiles(sim: &Simulation, output: &str) -> Vec<f64> {
    let image = sim.image(Some(output)).unwrap();
    let width = sim.plan().output(Some(output)).unwrap().width as usize;
    let height = image.rgba.len() / 4 / width;
    let mut sums = vec![(0.0, 0.0); TILES * TILES];
    for (at, pixel) in image.rgba.chunks(4).enumerate() {
        let (x, y) = (at % width * TILES / width, at / width * TILES / height);
        let (sum, count) = &mut sums[y * TILES + x];
        *sum += pixel[..3].iter().map(|byte| f64::from(*byte)).sum::<f64>() / 3.0;
        *count += 1.0;
    }
    sums.into_iter().map(|(sum, count): (f64, f64)| (sum / count.max(1.0)).round()).collect()
}

fn row(numbers: &[f64]) -> String {
    let number = |n: &f64| if n.fract() == 0.0 { format!("{n}") } else { format!("{n:.3e}") };
    numbers.iter().map(number).collect::<Vec<_>>().join(" ")
}

/// Brightness within three levels of 8 bits, other numbers within two per cent: drivers round differently, and points fall on either side of a
/// pixel's edge.
fn same(a: &[f64], b: &[f64]) -> bool {
    let tile = |n: f64| n.fract() == 0.0 && n <= 255.0;
    let near = |(a, b): (&f64, &f64)| {
        let bar = if tile(*a) && tile(*b) { 3.0 } else { 0.02 * a.abs().max(b.abs()) };
        (a - b).abs() <= bar
    };
    a.len() == b.len() && a.iter().zip(b).all(near)
}

#[test]
fn stored_graphs_show_what_they_showed() {
    let (file, all) = (root().join("frames.txt"), stored());
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut rows: BTreeMap<String, Vec<f64>> = text
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, numbers)| (name.into(), numbers.split_whitespace().map(|n| n.parse().unwrap()).collect()))
        .collect();
    let bless = std::env::var_os("STAGEWRIGHT_BLESS").is_some();
    let (mut changed, mut compared) = (String::new(), 0);
    for (name, path) in today(&all, DAYS) {
        let numbers = shown(name, path);
        compared += 1;
        match rows.get(name) {
            Some(before) if same(before, &numbers) => {}
            before => {
                let before = before.map_or("nothing".to_string(), |before| row(before));
                let _ = writeln!(changed, "{name} shows {}, and showed {before}", row(&numbers));
                rows.insert(name.clone(), numbers);
            }
        }
    }
    println!("{compared} of {} stored graphs", all.len());
    if bless {
        rows.retain(|name, _| all.contains_key(name));
        let text: String = rows.iter().map(|(name, numbers)| format!("{name}: {}\n", row(numbers))).collect();
        std::fs::write(&file, text).unwrap();
        return;
    }
    let unknown: Vec<&String> = all.keys().filter(|name| !rows.contains_key(*name)).collect();
    assert!(
        changed.is_empty() && unknown.is_empty(),
        "{changed}without a row: {unknown:?}\nWhere the change is meant, name it in CHANGELOG.md and renew the rows: STAGEWRIGHT_BLESS=1 STAGEWRIGHT_DAYS=1 scripts/test stored_graphs_show"
    );
}
