//! Everything that ships: every stage alone, every graph as it is, at a size that a software driver likes.

use std::path::PathBuf;

use stagewright_compiler::tuning::{self, MAX_BUFFERS, MAX_JOINED_BUFFERS, Shape};
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::{Document, NodeKind, ParamValue};
use stagewright_language::graph::{Graph, Kind};
use stagewright_language::library::{self, Library};
use stagewright_language::stage::Stage;
use stagewright_language::stage::types::{Element, Scalar, ValueType};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

use super::feeds::{alone, looks};

/// Names of the wires that hold NaN or infinity.
fn wild_wires(sim: &Simulation) -> Vec<String> {
    let floats = sim.plan().wires.iter().filter(|(_, w)| w.kept && w.ty.value().scalar() == Scalar::F32);
    floats.map(|(name, _)| name.clone()).filter(|name| words(sim, name).into_iter().any(is_wild)).collect()
}

/// What goes wrong with a stage on its own; empty when nothing does.
fn trouble(stage: &Stage, generic: ValueType, dim: u32) -> Option<String> {
    let graph = Graph::build(&alone(stage, generic, dim), Library::builtin()).map_err(|e| e.to_string());
    let options = PlanOptions { keep: Keep::All, ..PlanOptions::default() };
    let plan = graph.and_then(|graph| Plan::compile(&graph, &options).map_err(|e| e.to_string()));
    let sim = plan.and_then(|plan| Simulation::new(gpu(), plan).map_err(|e| e.to_string()));
    let ran = sim.and_then(|mut sim| {
        let pressed = FrameInput { buttons: 7, mouse_velocity: [0.4, -0.3], ..FrameInput::default() };
        for _ in 0..2 {
            sim.step(&pressed).map_err(|e| e.to_string())?;
        }
        Ok(wild_wires(&sim))
    });
    let trouble = match ran {
        Ok(wild) if wild.is_empty() => return None,
        Ok(wild) => format!("not finite: {}", wild.join(", ")),
        Err(problem) => problem,
    };
    Some(format!("{} in {dim}D with {}: {trouble}", stage.name, generic.name()))
}

fn every_stage_runs(dim: u32) {
    let mut troubles: Vec<String> = Library::builtin().broken().map(|(name, e)| format!("{name}: {}", e[0])).collect();
    let mut count = 0;
    for stage in Library::builtin().stages().filter(|stage| dim == 3 || !looks(stage)) {
        let letter =
            stage.header.ports.iter().filter_map(|p| p.ty.element()).find(|e| matches!(e, Element::Generic(_)));
        let types = match letter {
            Some(letter) => {
                // One number and several; vectors of each length in one of the dimensions.
                let several = if dim == 2 { ValueType::Vec } else { ValueType::Vec4 };
                [ValueType::F32, several].into_iter().filter(|v| letter.takes(*v)).collect()
            }
            None => vec![ValueType::F32],
        };
        troubles.extend(types.iter().filter_map(|ty| trouble(stage, *ty, dim)));
        count += types.len();
    }
    troubles.extend(gpu().take_faults());
    println!("{dim}D: {count} stages and types ran two frames, {} with trouble", troubles.len());
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

#[test]
fn every_stage_runs_alone_in_2d() {
    every_stage_runs(2);
}

#[test]
fn every_stage_runs_alone_in_3d() {
    every_stage_runs(3);
}

/// What leaves a few hundred of a graph's particles, and a small image.
const FEW: [(&str, &str, f64); 2] = [("sph_water.ron", "spacing", 0.1), ("sph_water.ron", "picture_height", 36.0)];

/// Particles that a software driver moves in no time. What does not fit is left out, with a warning.
const PARTICLES: f64 = 3000.0;

/// Every graph that ships, with its domains cut down to so many cells along their longest side (3D: a third).
pub(super) fn graphs(longest: f64) -> Vec<(String, Document)> {
    graphs_with(longest, &|text| text)
}

/// A graph with what it was read with.
pub(super) struct ShippedGraph {
    pub name: String,
    pub document: Document,
    pub library: Library,
    pub folder: PathBuf,
}

/// Every graph in all folders but the library's, cut down in the same way, with the stages beside it; or those of the folder that
/// `STAGEWRIGHT_GRAPHS` names.
pub(super) fn all_graphs(longest: f64) -> Vec<ShippedGraph> {
    let shipped_graphs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("graphs");
    let root = std::env::var_os("STAGEWRIGHT_GRAPHS").map_or(shipped_graphs, PathBuf::from);
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.file_name().is_none_or(|name| name != "lib") => folders.push(path),
                _ if path.extension().is_some_and(|e| e == "ron") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "there are graphs in {}", root.display());
    let read = |path: PathBuf| {
        let mut document = Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for (_, number, value) in FEW.iter().filter(|(graph, ..)| path.ends_with(graph)) {
            document.set(number, "value", ParamValue::Number(*value)).unwrap();
        }
        shrink(&mut document, longest);
        let mut library = Library::builtin().clone();
        if let Some(stages) = library::folder_beside(&path) {
            library.add_folder(&stages).unwrap_or_else(|e| panic!("{}: {e}", stages.display()));
        }
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        ShippedGraph { name, document, library, folder: path.parent().unwrap().to_path_buf() }
    };
    files.into_iter().map(read).collect()
}

/// The same, with their text changed.
fn graphs_with(longest: f64, change: &dyn Fn(String) -> String) -> Vec<(String, Document)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("graphs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ron"));
    files.sort();
    assert!(!files.is_empty(), "graphs ship");
    let read = |path: PathBuf| {
        let text = change(std::fs::read_to_string(&path).unwrap());
        let mut document = Document::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (_, number, value) in FEW.iter().filter(|(graph, ..)| *graph == name) {
            document.set(number, "value", ParamValue::Number(*value)).unwrap();
        }
        shrink(&mut document, longest);
        (name, document)
    };
    files.into_iter().map(read).collect()
}

pub(super) fn shrink(document: &mut Document, longest: f64) {
    for node in document.nodes.values_mut() {
        node.capacity = node.capacity.take().map(|_| ParamValue::Number(PARTICLES));
    }
    let domains: Vec<(String, Vec<u32>)> = document
        .nodes
        .iter()
        .filter_map(|(name, node)| match &node.kind {
            NodeKind::Domain(domain) => Some((name.clone(), domain.cells()?)),
            _ => None,
        })
        .collect();
    for (name, cells) in domains {
        let wanted = if cells.len() == 3 { longest / 3.0 } else { longest };
        let scale = (wanted / f64::from(*cells.iter().max().unwrap())).min(1.0);
        let smaller = cells.iter().map(|n| (f64::from(*n) * scale).round().max(4.0)).collect();
        document.set(&name, "resolution", ParamValue::Vector(smaller)).unwrap();
    }
}

/// A small image costs a software driver little.
fn small(document: &Document, keep: Keep) -> Plan {
    planned(document, PlanOptions { keep, ..PlanOptions::default() })
}

pub(super) fn planned(document: &Document, options: PlanOptions) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { size: Some((128, 128)), ..options }).unwrap_or_else(|e| panic!("{e}"))
}

/// Words of every State and of the images after so many frames with the graph's own input.
pub(super) fn played(plan: Plan, frames: usize) -> Vec<(String, Vec<u32>)> {
    let [at] = played_at(plan, [frames]);
    at
}

/// The same after each of these numbers of frames.
fn played_at<const N: usize>(plan: Plan, frames: [usize; N]) -> [Vec<(String, Vec<u32>)>; N] {
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    frames.map(|frames| {
        while (sim.frame() as usize) < frames {
            let input = sim.recorded_input();
            sim.step(&input).unwrap_or_else(|e| panic!("{e}"));
        }
        contents(&sim)
    })
}

/// Words of every State but what files fill; of particles, of those that live.
pub(super) fn state_words(sim: &Simulation) -> Vec<(String, Vec<u32>)> {
    let living = |name: &str| {
        let set = name.rsplit_once('.').map(|(set, _)| format!("{set}.count"));
        let count = set.filter(|set| sim.plan().states.iter().any(|s| s.node == *set)).map(|set| words(sim, &set)[0]);
        let mut state = words(sim, name);
        let components = sim.read(name).unwrap().components as usize;
        state.truncate(count.map_or(usize::MAX, |n| n as usize * components));
        state
    };
    let plan = sim.plan();
    let computed = plan.states.iter().filter(|state| !plan.files.iter().any(|file| file.buffer == state.buffer));
    computed.map(|state| (state.node.clone(), living(&state.node))).collect()
}

/// The same, and the pixels of the images.
fn contents(sim: &Simulation) -> Vec<(String, Vec<u32>)> {
    let pixels = |node: &str| {
        let image = sim.image(Some(node)).unwrap();
        image.rgba.chunks(4).map(|p| u32::from_le_bytes([p[0], p[1], p[2], p[3]])).collect()
    };
    let pictures = sim.plan().outputs.iter().map(|o| (o.node.clone(), pixels(&o.node)));
    state_words(sim).into_iter().chain(pictures).collect()
}

pub(super) fn assert_same(name: &str, a: &[(String, Vec<u32>)], b: &[(String, Vec<u32>)]) {
    assert_eq!(a.len(), b.len());
    for ((wire, a), (other, b)) in a.iter().zip(b) {
        let differ = a.iter().zip(b).filter(|(a, b)| a != b).count();
        assert_eq!(
            (wire, differ, a.len()),
            (other, 0, b.len()),
            "{name}: {wire} differs in {differ} of {} words",
            a.len()
        );
    }
}

/// The graphs that follow an article have a variant with its constants and solver.
const ARTICLES: [&str; 6] =
    ["curl_noise.ron", "curl_noise_2d.ron", "oil_clock.ron", "sph_water.ron", "stable_fluids.ron", "unity_fluid.ron"];

#[test]
fn every_variant_compiles_and_runs() {
    let mut articles = Vec::new();
    for (name, document) in graphs(f64::INFINITY) {
        for variant in document.variant_names() {
            let mut varied = document.with_variant(Some(variant)).unwrap_or_else(|e| panic!("{name}: {e}"));
            for (_, number, value) in FEW.iter().filter(|(graph, ..)| *graph == name) {
                varied.set(number, "value", ParamValue::Number(*value)).unwrap();
            }
            if varied.nodes.get("substep").is_some_and(|node| node.params.contains_key("max_substeps")) {
                // Three frames need no more, and each is compiled.
                varied.set("substep", "max_substeps", ParamValue::Number(6.0)).unwrap();
            }
            shrink(&mut varied, 64.0);
            let mut sim = Simulation::new(gpu(), small(&varied, Keep::All)).unwrap_or_else(|e| panic!("{name}: {e}"));
            step(&mut sim, 3);
            let wild = wild_wires(&sim);
            assert!(wild.is_empty(), "{name}, {variant}, not finite: {}", wild.join(", "));
            let text = &document.variants[variant];
            let is_commented = text.comments.values().all(|comment| !comment.is_empty());
            assert!(is_commented && !text.about.is_empty(), "{name}: {variant} does not say what it is");
            if variant == "article" {
                articles.push(name.clone());
            }
        }
    }
    assert_eq!(articles, ARTICLES);
}

/// Nor does running again: these are two runs.
#[test]
fn sharing_memory_changes_no_bit() {
    for (name, document) in today(graphs(64.0), 2) {
        let [shared, apart] = [Keep::Needed, Keep::All].map(|keep| small(&document, keep));
        println!(
            "{name}: {} buffers when wires share, {} when all are kept",
            shared.buffers.len(),
            apart.buffers.len()
        );
        assert!(shared.buffers.len() < apart.buffers.len(), "{name}: something is shared");
        // An even and an odd number of frames: States may swap buffers.
        let [shared, mut apart] = [shared, apart].map(|plan| played_at(plan, [7, 16]));
        // States that only variants read are kept with all wires alone.
        for (shared, apart) in shared.iter().zip(&mut apart) {
            apart.retain(|(state, _)| shared.iter().any(|(other, _)| other == state));
        }
        shared.iter().zip(&apart).for_each(|(shared, apart)| assert_same(&name, shared, apart));
    }
}

#[test]
fn computing_once_what_does_not_change_changes_no_bit() {
    // As they ship, and with what moves by an expression held, so that more of them is still.
    let (ship, held) = (graphs(64.0), graphs_with(64.0, &|text| text.replace("* time", "* 0.3")));
    let held = held
        .into_iter()
        .filter(|(name, document)| !ship.iter().any(|(other, as_is)| (other, as_is) == (name, document)));
    let mut most = 0;
    for (name, document) in ship.iter().cloned().chain(held) {
        let every = planned(&document, PlanOptions { hoist: false, ..PlanOptions::default() });
        let once = small(&document, Keep::Needed);
        let (still, frame) = (once.invariant.len(), once.frame.len());
        println!("{name}: {still} operations once, {frame} a frame; {} before", every.frame.len());
        assert_eq!(still + frame, every.frame.len(), "{name}");
        most = most.max(still);
        let [once, every] = [once, every].map(|plan| played_at(plan, [1, 6]));
        once.iter().zip(&every).for_each(|(once, every)| assert_same(&name, once, every));
    }
    assert!(most >= 3, "{most} operations once at most");
}

/// Mean and standard deviation of an image's brightness, 0..255.
fn brightness(image: &stagewright_runtime::sim::Image) -> (f64, f64) {
    let light: Vec<f64> =
        image.rgba.chunks(4).map(|p| p[..3].iter().map(|v| f64::from(*v)).sum::<f64>() / 3.0).collect();
    let middle = mean(&light);
    (middle, rms(&light.iter().map(|v| v - middle).collect::<Vec<_>>()))
}

#[test]
fn every_graph_shows_something_that_moves() {
    for (name, document) in graphs(64.0) {
        let mut sim = Simulation::new(gpu(), small(&document, Keep::All)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut pictures = Vec::new();
        // A recorded hand needs some time to stir.
        for frame in 1..=40 {
            let input = sim.recorded_input();
            sim.step(&input).unwrap_or_else(|e| panic!("{name}: {e}"));
            if ![4, 20, 40].contains(&frame) {
                continue;
            }
            let wild = wild_wires(&sim);
            assert!(wild.is_empty(), "{name}, frame {frame}, not finite: {}", wild.join(", "));
            pictures.push(sim.image(None).unwrap_or_else(|e| panic!("{name}: {e}")));
        }
        let (first, last) = (&pictures[0], &pictures[2]);
        let (light, spread) = brightness(last);
        let changed = first.rgba.iter().zip(&last.rgba).filter(|(a, b)| a != b).count();
        println!("{name}: brightness {light:.1} +- {spread:.1}, {changed} of {} bytes changed", last.rgba.len());
        // One level of 8 bits is what dithering of a flat image would show.
        assert!(spread > 1.0, "{name}: the picture is blank");
        assert!(changed * 1000 > last.rgba.len(), "{name}: less than a thousandth of the picture moved");
    }
}

/// What is taken on a GPU, but with few cells per invocation: a software driver takes long over much text.
pub(super) fn small_tiles(document: &Document) -> Tuning {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let mut tuning = Tuning::gpu();
    for node in &graph.nodes {
        let flat = node.domain.is_some_and(|d| graph.domains[d].dim == 2);
        if let (Kind::Stage(stage), true) = (&node.kind, flat)
            && !stage.has_wide_footprint(2)
        {
            let shape = Shape { group: [32, 8, 1], cells: 4, sweeps: 4, halo: 0 };
            tuning.shapes.insert(tuning::key(&graph, node, stage), shape);
        }
    }
    tuning
}

/// Storage buffers of the kernel that binds most of them.
fn most_buffers(plan: &Plan) -> usize {
    plan.kernels.iter().map(|kernel| kernel.bindings.len() + usize::from(kernel.warns)).max().unwrap_or(0)
}

/// Stages that share a dispatch and sweeps on tiles: faster on a GPU, and the same to the bit.
#[test]
fn joining_dispatches_changes_no_bit() {
    for (name, document) in today(graphs(64.0), 2) {
        let tuned = |tuning| planned(&document, PlanOptions { tuning, ..PlanOptions::default() });
        let (apart, joined) = (tuned(Tuning::default()), tuned(small_tiles(&document)));
        let with: usize = joined.frame.iter().map(|d| d.with.len()).sum();
        let (before, after) = (apart.frame.len(), joined.frame.len());
        println!("{name}: {after} dispatches a frame of {before}, {with} stages built into others");
        assert!(with > 0 && after < before, "{name}");
        assert_eq!(joined.apart, None, "{name}");
        let (most, needed) = (most_buffers(&joined), most_buffers(&apart));
        assert!(most <= needed.max(8), "{name}: a kernel binds {most} buffers, plain ones {needed}");
        // Where an adapter offers more, more is joined, and no kernel binds more than it offers, whatever that is.
        let offering = |offered: u32| {
            let (buffers, joined_buffers) = (offered.min(MAX_BUFFERS), offered.min(MAX_JOINED_BUFFERS));
            let plan = tuned(Tuning { buffers, joined_buffers, ..small_tiles(&document) });
            for kernel in &plan.kernels {
                let bindings: Vec<&str> = kernel.bindings.iter().map(|binding| binding.name.as_str()).collect();
                let bound = bindings.len() + usize::from(kernel.warns);
                // Fusion leaves room for a cache and a pack.
                let most =
                    if kernel.name == "one workgroup" { joined_buffers } else { joined_buffers.min(buffers + 2) };
                assert!(
                    bound <= most as usize,
                    "{name}: {} at {} binds {bound} of {offered}: {bindings:?}",
                    kernel.name,
                    kernel.node
                );
            }
            plan
        };
        [16, 17, 18, 24, 25].into_iter().for_each(|offered| drop(offering(offered)));
        let wide = offering(40);
        assert!(wide.frame.len() <= after, "{name}: {} dispatches of {after}", wide.frame.len());
        assert_eq!(wide.apart, None, "{name}");
        if wide.frame.len() < after {
            println!("{name}: {} with kernels of 24 buffers", wide.frame.len());
            assert_same(&name, &played(wide, 2), &played(joined.clone(), 2));
        }
        // Tiles are swept from one buffer to another where single sweeps of a colour work in place, and what a search has found is kept.
        let kept: u64 = joined.buffers.iter().filter(|b| b.label.ends_with(".found")).map(|b| b.bytes).sum();
        let (memory, before) = (joined.memory - kept, apart.memory);
        assert!(memory <= before * 5 / 4, "{name}: {memory} bytes of {before}, and {kept} of what is found");
        let (joined, apart) = (played(joined, 6), played(apart, 6));
        assert_same(&name, &joined, &apart);
    }
}

/// Greatest depth below the surface of an obstacle in so many frames of a curl noise graph [m].
fn deepest(name: &str, frames: usize, change: &dyn Fn(&mut Document)) -> f64 {
    let (_, mut document) = graphs(64.0).into_iter().find(|(graph, _)| graph == name).unwrap();
    document.set("picture", "resolution", ParamValue::Vector(vec![16.0, 16.0])).unwrap();
    document.set("rate", "rate", ParamValue::Number(1500.0)).unwrap();
    change(&mut document);
    let mut sim = Simulation::new(gpu(), small(&document, Keep::All)).unwrap_or_else(|e| panic!("{e}"));
    let depth = |_| {
        step(&mut sim, 1);
        read(&sim, "depth.depth")[0]
    };
    (0..frames).map(depth).fold(0.0, f64::max)
}

#[test]
fn nothing_enters_the_obstacles_of_curl_noise() {
    let moves = |document: &mut Document| {
        let place = ParamValue::Expression("[1 + 0.3 * sin(4 * time), 0.6, 1]".into());
        document.set("sphere", "path", place).unwrap();
    };
    for (what, name, radius, change) in [
        ("a sphere at rest", "curl_noise.ron", 0.34, &(|_: &mut Document| {}) as &dyn Fn(&mut Document)),
        ("a sphere that moves", "curl_noise.ron", 0.34, &moves),
        ("discs at rest and one that moves", "curl_noise_2d.ron", 0.09, &|_| {}),
    ] {
        let because = "the bar: a thousandth of the radius";
        within(&format!("{what}: deepest of 60 frames"), deepest(name, 60, change) / radius, 1e-3, because);
    }
    let bypassed = deepest("curl_noise.ron", 60, &|document| {
        moves(document);
        document.nodes.get_mut("push_out").unwrap().muted = true;
    });
    println!("a sphere that moves, without push_out: {bypassed:.3} m");
    assert!(bypassed > 0.01, "a sphere that moves into the smoke would hold some");
}
