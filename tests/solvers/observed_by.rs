//! Looking at a run by any means does not change it: views, plots, expectations, conditions, the debugger, exports, bakes and all else
//! that reads wires lead to the States of a run at which nobody looks.
//!
//! The graph [`nodes`] has a wire of each kind and computes whole numbers alone, so its States have the same bits with every plan on every
//! adapter. `STAGEWRIGHT_COUNT` is the number of wires that each means looks at, in this graph and in each of those that ship, or of the
//! folder `STAGEWRIGHT_GRAPHS`. `STAGEWRIGHT_GRAPH` is a part of the name of the only one, `STAGEWRIGHT_MEANS` of the only means.

mod kinds;
mod means;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use stagewright_base::cancel::Cancel;
use stagewright_base::files::Access;
use stagewright_compiler::{Keep, Outputs, Plan, PlanOptions, Tuning};
use stagewright_export::checkpoints::Checkpoints;
use stagewright_export::format_named;
use stagewright_export::job::{self, Export, ExportSubject, Item};
use stagewright_export::place::Folder;
use stagewright_export::record::Fingerprint;
use stagewright_export::select::{self, Choices, Request};
use stagewright_export::settings::Settings;
use stagewright_language::document::{Bake, Document, Expect};
use stagewright_language::graph::Graph;
use stagewright_language::graph::expect::Statistic;
use stagewright_language::graph::measurement::Measurement;
use stagewright_language::library::Library;
use stagewright_runtime::bake;
use stagewright_runtime::gpu::Profile;
use stagewright_runtime::sim::checkpoint::{Checkpoint, CheckpointFile};
use stagewright_runtime::sim::compare::{Measure, compare};
use stagewright_runtime::sim::debug::{
    Condition, Conditions, ElementPlace, Follower, FrameDebugger, FrameStart, NanSearch,
};
use stagewright_runtime::sim::expect::{Checker, needs};
use stagewright_runtime::sim::hashes::{Hashes, Origin, Run};
use stagewright_runtime::sim::record::{Record, Recorder};
use stagewright_runtime::sim::timeline::Budget;
use stagewright_runtime::sim::wire_view::{Show, View, Viewer, thumbnails};
use stagewright_runtime::sim::{FrameInput, Simulation, host_copy};

use stagewright_solver_support::harness::{gpu, pcg};

use super::observed::{States, checked, differences, number, seed};
use super::shipped::{ShippedGraph, all_graphs, state_words};
use kinds::{KINDS, nodes};
use means::{MEANS, Means, conditions, step};

/// Frames of each run. At most of them something is looked at.
const FRAMES: u64 = 6;

/// Wires of the graph of all kinds that each means looks at in a run among all tests.
const WIRES: usize = 3;

/// Graphs of the day whose wires are looked at then, each by one means.
const GRAPHS: usize = 2;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// The States at the end; `None` where the means is not for such wires.
type Observed = Fallible<Option<States>>;

/// A graph, and how its plans are made.
struct Scene {
    name: String,
    document: Document,
    library: Library,
    folder: PathBuf,
    graph: Graph,
    tuning: Tuning,
    outputs: Outputs,
}

impl Scene {
    /// `None` where the graph has errors and is none of those that ship.
    fn new(shipped: &ShippedGraph, tuning: Tuning, outputs: Outputs) -> Option<Scene> {
        let graph = checked(shipped)?;
        let ShippedGraph { name, document, library, folder } = shipped;
        let name = name.clone();
        let document = document.clone();
        let library = library.clone();
        let folder = folder.clone();
        Some(Scene { name, document, library, folder, graph, tuning, outputs })
    }

    fn access(&self) -> Access {
        Access::new(&self.folder, true)
    }

    fn plan(&self, options: PlanOptions) -> Fallible<Plan> {
        let options = PlanOptions { size: Some((64, 64)), folder: self.folder.clone(), allow_files: true, ..options };
        Ok(Plan::compile(&self.graph, &options)?)
    }

    /// The plan of a run in which these are looked at.
    fn keeping(&self, wires: &[String]) -> Fallible<Plan> {
        let keep = if wires.is_empty() { Keep::Needed } else { Keep::Wires(wires.to_vec()) };
        let (outputs, tuning) = (self.outputs.clone(), self.tuning.clone());
        self.plan(PlanOptions { keep, outputs, tuning, ..PlanOptions::default() })
    }

    /// The plan of the debugger.
    fn plain(&self) -> Fallible<Plan> {
        self.plan(FrameDebugger::options(&PlanOptions::default()))
    }

    fn start(&self, wires: &[String]) -> Fallible<Simulation> {
        Ok(Simulation::new(gpu(), self.keeping(wires)?)?)
    }

    /// Runs to the last frame, and looks after each.
    fn run(&self, wires: &[String], mut look: impl FnMut(&mut Simulation) -> Fallible<()>) -> Observed {
        let mut simulation = self.start(wires)?;
        while simulation.frame() < FRAMES {
            step(&mut simulation)?;
            look(&mut simulation)?;
        }
        Ok(Some(state_words(&simulation)))
    }

    /// The States of a run at which nobody looks.
    fn unobserved(&self) -> Fallible<States> {
        let plan = self.plan(PlanOptions { tuning: self.tuning.clone(), ..PlanOptions::default() })?;
        let mut simulation = Simulation::new(gpu(), plan)?;
        while simulation.frame() < FRAMES {
            step(&mut simulation)?;
        }
        Ok(state_words(&simulation))
    }

    /// Wires that are in memory where everything is kept.
    fn wires(&self) -> Fallible<Vec<String>> {
        let plan = self.plan(PlanOptions { keep: Keep::All, ..PlanOptions::default() })?;
        Ok(plan.wires.into_iter().filter(|(_, wire)| wire.kept).map(|(name, _)| name).collect())
    }

    /// A view of a wire; `None` of what has no memory of its own.
    fn view(&self, wire: &str) -> Option<View> {
        let (node, _) = wire.split_once('.')?;
        let is_number = self.document.node(node).is_some_and(|node| node.kind.is_number());
        (!is_number).then(|| View { size: Some((32, 32)), ..View::new(wire) })
    }

    /// What can be measured of a wire: a number, or a statistic.
    fn measurement(&self, wire: &str) -> Option<Measurement> {
        let parse = |text: &str| Measurement::parse(text, &self.document, &self.graph).ok();
        parse(wire).or_else(|| parse(&format!("{wire}:max"))).or_else(|| parse(&format!("{wire}:max:0")))
    }
}

/// The means that are tried: all, or those whose names `STAGEWRIGHT_MEANS` is in.
fn means() -> Vec<&'static Means> {
    let part = std::env::var("STAGEWRIGHT_MEANS").unwrap_or_default();
    MEANS.iter().filter(|(name, _)| name.contains(&part)).collect()
}

/// What was looked at, and what that has changed.
#[derive(Default)]
struct Tally {
    /// For each of the means.
    looks: Vec<usize>,
    states: usize,
    changed: Vec<String>,
}

impl Tally {
    /// Looks at a wire by the means with this index.
    fn observe(&mut self, scene: &Scene, unobserved: &States, (index, wire): (usize, &str), exact: bool) {
        let (name, means) = means()[index];
        let at = || format!("{}, {wire} by {name}", scene.name);
        self.looks.resize(self.looks.len().max(index + 1), 0);
        match means(scene, wire) {
            Ok(None) => {}
            Ok(Some(states)) => {
                self.looks[index] += 1;
                self.states += states.len();
                let changed = differences(unobserved, &states, exact);
                self.changed.extend(changed.iter().map(|state| format!("{}: {state}", at())));
            }
            Err(error) => self.changed.push(format!("{}: {error}", at())),
        }
        self.changed.extend(gpu().take_faults().iter().map(|fault| format!("{}: {fault}", at())));
    }

    fn finish(&self, what: &str, seed: usize) {
        let looks: usize = self.looks.iter().sum();
        let means = means();
        println!("{what}: {looks} looks by {} means at {} States, seed {seed}", means.len(), self.states);
        assert!(self.changed.is_empty(), "STAGEWRIGHT_SEED={seed}:\n{}", self.changed.join("\n"));
    }
}

/// Of the round `round`, the wire that the means with this index looks at. In as many rounds as there are wires, each means looks at
/// each of them.
fn drawn(round: usize, index: usize, wires: usize) -> usize {
    (round + index) % wires
}

fn kinds() -> ShippedGraph {
    let text = format!("(version: 1, name: \"kinds\", fps: 60, seed: 7, nodes: {{\n{}}})", nodes());
    let document = Document::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let (library, folder) = (Library::builtin().clone(), PathBuf::new());
    ShippedGraph { name: "all kinds".into(), document, library, folder }
}

#[test]
fn observing_by_any_means_changes_no_state() {
    let graph = kinds();
    // With plans for a GPU and for no adapter, and where nothing but the wire is wanted.
    let scenes = [
        (gpu().tuning(), Outputs::None),
        (Tuning::gpu(), Outputs::All),
        (Tuning::default(), Outputs::None),
        (Tuning::cpu(), Outputs::All),
    ];
    let scenes = scenes.map(|(tuning, outputs)| Scene::new(&graph, tuning, outputs).expect("no errors"));
    let unobserved = scenes[0].unobserved().unwrap_or_else(|e| panic!("{e}"));
    let moves = |(_, words): &(String, Vec<u32>)| words.iter().any(|word| *word != words[0]);
    assert!(unobserved.iter().filter(|state| moves(state)).count() > 5, "something happens");
    let (seed, means) = (seed(), means());
    let first = pcg(seed as u32) as usize;
    let rounds = number("STAGEWRIGHT_COUNT").unwrap_or(WIRES).min(KINDS.len());
    let mut tally = Tally::default();
    for round in 0..rounds {
        for index in 0..means.len() {
            let (_, wire) = KINDS[drawn(first + round, index, KINDS.len())];
            tally.observe(&scenes[(round + index) % scenes.len()], &unobserved, (index, wire), true);
        }
    }
    if rounds == KINDS.len() {
        for ((name, _), looks) in means.iter().zip(&tally.looks) {
            println!("{name}: {looks} of {rounds} kinds");
            assert!(*looks > 0, "nothing was looked at by {name}");
        }
    }
    tally.finish("all kinds", seed);
}

#[test]
fn observing_by_any_means_changes_no_state_of_other_graphs() {
    let seed = seed();
    let means = means();
    let count = number("STAGEWRIGHT_COUNT");
    let first = pcg(seed as u32) as usize;
    let only = std::env::var("STAGEWRIGHT_GRAPH").unwrap_or_default();
    let graphs: Vec<ShippedGraph> = all_graphs(32.0).into_iter().filter(|graph| graph.name.contains(&only)).collect();
    let drawn_graphs = match count {
        Some(_) => (0..graphs.len()).collect(),
        None => (0..GRAPHS).map(|k| (first + k) % graphs.len()).collect::<Vec<_>>(),
    };
    let mut tally = Tally::default();
    for (k, graph) in drawn_graphs.into_iter().map(|at| &graphs[at]).enumerate() {
        let began = std::time::Instant::now();
        let Some(scene) = Scene::new(graph, gpu().tuning(), Outputs::All) else { continue };
        let prepared = scene.unobserved().and_then(|states| Ok((states, scene.wires()?)));
        let (unobserved, wires) = prepared.unwrap_or_else(|e| panic!("{}: {e}", graph.name));
        let before: usize = tally.looks.iter().sum();
        let rounds = count.unwrap_or(1).min(wires.len());
        let one = (first + k) % means.len();
        let indices = if count.is_some() { 0..means.len() } else { one..one + 1 };
        // In few rounds each means looks at wires that are far apart.
        for (round, index) in (0..rounds).flat_map(|round| indices.clone().map(move |index| (round, index))) {
            let wire = &wires[drawn(first + round * wires.len() / rounds, index, wires.len())];
            tally.observe(&scene, &unobserved, (index, wire), gpu().is_software());
        }
        let looks = tally.looks.iter().sum::<usize>() - before;
        println!("{}: {looks} looks in {:.1} s", graph.name, began.elapsed().as_secs_f64());
    }
    tally.finish("graphs", seed);
}

fn stagewright(folder: &Path, arguments: &[&str]) -> Output {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", runtime.map_or_else(std::env::temp_dir, PathBuf::from))
        .args(arguments)
        .output()
        .expect("starts")
}

/// What a person types to look at wires, each held against the hashes of a run at which nobody looks.
#[test]
fn observing_from_the_command_line_changes_no_state() {
    let mut graph = kinds();
    let scene = Scene::new(&graph, gpu().tuning(), Outputs::All).expect("no errors");
    let plan = scene.plan(PlanOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    let mut run = Run::new("kinds.ron", &graph.document, &scene.graph);
    for _ in 0..FRAMES {
        step(&mut simulation).unwrap_or_else(|e| panic!("{e}"));
        run.take(&simulation).unwrap_or_else(|e| panic!("{e}"));
    }
    let unobserved = state_words(&simulation);
    let expected = Hashes { origin: Origin::of(&simulation), runs: vec![run] }.to_text();
    let wires: Vec<&str> = KINDS.iter().map(|(_, wire)| *wire).collect();
    let expect = |wire: &&str| {
        let Measurement { statistic, component, .. } = scene.measurement(wire)?;
        let statistic = (statistic != Statistic::Value).then(|| "max".to_string());
        let every = Some(1);
        let to = Some(FRAMES);
        let of = wire.to_string();
        let below = Some(1e30);
        Some(Expect { every, to, of, statistic, component, below, ..Expect::default() })
    };
    graph.document.expect = wires.iter().filter_map(expect).collect();
    let baked = ["mix.r", "flow.r", "tint.r", "sort.particles"].map(String::from).to_vec();
    let bake = Bake { wires: baked, frames: (1, FRAMES), folder: "cache".into(), play: false, ..Bake::default() };
    graph.document.bakes.insert("some".into(), bake);
    let held = tempfile::tempdir().unwrap();
    let folder = held.path();
    std::fs::write(folder.join("kinds.ron"), graph.document.to_text()).unwrap();
    std::fs::write(folder.join("unobserved.txt"), expected).unwrap();
    let frames = FRAMES.to_string();
    let views: Vec<&str> = wires.iter().filter(|wire| scene.view(wire).is_some()).copied().collect();
    // Sets are exported as a whole.
    let mut exported: Vec<String> = wires.iter().filter_map(|wire| scene.view(wire)).map(|view| view.keep()).collect();
    exported.sort();
    exported.dedup();
    let stops: Vec<String> = wires.iter().flat_map(|wire| conditions(&scene, wire)).map(|c| c.text()).collect();
    assert!(stops.len() > wires.len(), "{stops:?}");
    let stops: Vec<&str> = stops.iter().flat_map(|text| ["--stop-on", text]).collect();
    let render = ["render", "kinds.ron", "--frames", &frames, "--out", "frames", "--overwrite"];
    let compare = ["--deterministic", "--compare", "unobserved.txt"];
    // What depends on no State leads to none.
    let moving: Vec<&str> =
        views.into_iter().filter(|wire| !wire.starts_with("faces") && !wire.starts_with("wind")).collect();
    let wire = moving[pcg(seed() as u32) as usize % moving.len()];
    let commands: [(&str, Vec<&str>); 4] = [
        ("images", [&render[..], &["--profile", "--check-values", "--checkpoint-every", "2"]].concat()),
        ("images of a wire", [&render[..], &["--wire", wire]].concat()),
        ("conditions", [&render[..], &["--stop-on", "nan", "--stop-on", "alarm"], &stops].concat()),
        ("expectations", vec!["test", "kinds.ron"]),
    ];
    for (name, command) in commands {
        let output = stagewright(folder, &[&command[..], &compare].concat());
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success() && text.contains("hashes, all the same"), "{name} of {wire}: {text}");
    }
    // These print no hashes, but leave checkpoints.
    let values = ["export", "kinds.ron", "--frames", &frames, "--out", "values", "--checkpoint-every", &frames];
    let commands: [(&str, Vec<&str>); 2] = [
        ("values/checkpoint", values.into_iter().chain(exported.iter().map(String::as_str)).collect()),
        ("cache/state", vec!["bake", "kinds.ron"]),
    ];
    for (file, command) in commands {
        let output = stagewright(folder, &command);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let file = CheckpointFile::open(&folder.join(format!("{file}.000{FRAMES}.safetensors")));
        let file = file.unwrap_or_else(|e| panic!("{e}"));
        let states = file.load(simulation.plan()).unwrap_or_else(|e| panic!("{e}"));
        simulation.reset();
        assert!(simulation.resume(&states).is_empty(), "{} has all States", command[0]);
        assert_eq!(differences(&unobserved, &state_words(&simulation), true), [""; 0], "{}", command[0]);
    }
}
