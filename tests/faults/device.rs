//! A device that is lost at any moment ends nothing but the work at hand: on another device the simulation continues where its last
//! snapshot was, with the same bits.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use stagewright_base::cancel::Cancel;
use stagewright_base::files::Access;
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_export::DEFAULT;
use stagewright_export::job::{self, Export, ExportSubject, Item};
use stagewright_export::record::Fingerprint;
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::wire_view::{View, Viewer};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_runtime::tune::{self, TuningCache};
use stagewright_test_support::seed;

/// A graph of States, a repeat that stops by itself, a loop without a bound and a number that is watched.
pub const GRAPH: &str = r#"(version: 1, name: "faults", fps: 30, nodes: {
    "domain": (domain: (resolution: (24, 16), width: 1, edge: "wall")),
    "smoke": (state: "Grid<f32>", inputs: {"next": "spread.field"}),
    "more": (stage: "fluid/add_source", inputs: {"field": "smoke.value"}, params: {"radius": 0.3, "rate": 1}),
    "spread": (stage: "fluid/diffuse", inputs: {"field": "more.field", "before": "more.field"}, params: {"diffusivity": 0.001}, iterations: 6),
    "walk": (custom: "//! Walk\n//! @in field: Grid<f32>\n//! @out sum: f32, reduce sum, expect ..100000   Sum\n\nfn stage(cell: Cell) -> f32 { var s = 0.0; var k = 0.0; while (k < field(cell) && k < 9.0) { k += 1.0; s += field(cell); } return s; }", inputs: {"field": "spread.field"}),
    "look": (stage: "view/color_map", inputs: {"field": "spread.field"}),
    "screen": (output: (size: (24, 16)), inputs: {"image": "look.image"}),
})"#;

/// Where the work is when the device goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    Compile,
    Start,
    Step,
    Read,
    Picture,
    Viewer,
    Export,
    Tune,
}

const MOMENTS: [Moment; 8] = [
    Moment::Compile,
    Moment::Start,
    Moment::Step,
    Moment::Read,
    Moment::Picture,
    Moment::Viewer,
    Moment::Export,
    Moment::Tune,
];

fn document() -> Document {
    Document::parse(GRAPH).unwrap_or_else(|error| panic!("{error}"))
}

fn compiled(tuning: Tuning) -> Plan {
    let graph = Graph::build(&document(), Library::builtin()).unwrap_or_else(|error| panic!("{error}"));
    let options = PlanOptions { keep: Keep::All, tuning, ..PlanOptions::default() };
    Plan::compile(&graph, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn plan() -> Plan {
    compiled(Tuning::default())
}

/// The same graph in other kernels.
fn tuned() -> Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| compiled(Tuning::gpu())).clone()
}

fn gpu() -> Gpu {
    Gpu::new(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A pseudorandom number below `end`, of a seed.
fn below(seed: u64, end: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 27)) % end
}

/// The seeds of losses that a run injects: many in a campaign (`STAGEWRIGHT_COUNT`), some in a test.
fn seeds(most: u64) -> std::ops::Range<u64> {
    let first = seed::first();
    first..first + seed::number("STAGEWRIGHT_COUNT").unwrap_or(32).min(most)
}

/// The device is destroyed by another thread after some microseconds of the work.
fn lose_during(gpu: &Gpu, delay: Duration, work: impl FnOnce()) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(delay);
            gpu.destroy();
        });
        work();
    });
    // The driver reports the loss once it has nothing left to do.
    let end = Instant::now() + Duration::from_secs(2);
    while !gpu.is_lost() && Instant::now() < end {
        gpu.wait();
    }
    assert!(gpu.is_lost());
}

/// Does a part of the work again and again until the device is gone, or for a second at most.
fn until_lost(gpu: &Gpu, mut work: impl FnMut()) {
    let end = Instant::now() + Duration::from_secs(1);
    while !gpu.is_lost() && Instant::now() < end {
        work();
    }
}

fn folder(seed: u64) -> PathBuf {
    std::env::temp_dir().join(format!("stagewright-faults-{}-{seed}", std::process::id()))
}

fn export(gpu: &Gpu, plan: &Plan, seed: u64) {
    let folder = folder(seed);
    let (frames, subject) = ((1..=10_000).into(), ExportSubject::Output(None));
    let export = Export {
        frames,
        size: None,
        items: vec![Item::images(subject, DEFAULT)],
        folder: folder.clone(),
        resume: false,
        overwrite: false,
        unseen: true,
        checkpoints: None,
    };
    let inputs = Fingerprint::of(&document(), Library::builtin(), &Access::default(), &Cancel::default()).unwrap();
    if let Ok(mut simulation) = Simulation::new(gpu, plan.clone()) {
        let ended = job::run(&export, &inputs, &mut simulation, |_, _| !gpu.is_lost());
        // Whatever came first: the look at the device, or an answer that did not come.
        drop(ended);
    }
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "png") {
            let bytes = std::fs::read(&path).unwrap();
            assert!(bytes.ends_with(b"IEND\xaeB`\x82"), "{} is torn", path.display());
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn work(moment: Moment, gpu: &Gpu, plan: &Plan, simulation: &mut Simulation, seed: u64) {
    let input = FrameInput::default();
    // Kernels that the device has not built yet.
    let other = tuned();
    match moment {
        Moment::Compile => until_lost(gpu, || {
            let _ = gpu.prepare(&other);
        }),
        Moment::Start => until_lost(gpu, || drop(Simulation::new(gpu, plan.clone()))),
        Moment::Step => until_lost(gpu, || drop(simulation.step(&input))),
        Moment::Read => until_lost(gpu, || {
            let _ = simulation.step(&input);
            let _ = simulation.read("spread.field");
        }),
        Moment::Picture => until_lost(gpu, || {
            let _ = simulation.step(&input);
            let _ = simulation.image(None);
        }),
        Moment::Viewer => {
            let Ok(mut viewer) = Viewer::new(gpu) else { return };
            until_lost(gpu, || {
                let _ = simulation.step(&input);
                let _ = viewer.update(simulation, &View::new("spread.field"));
                viewer.wait();
                let _ = viewer.statistics();
            });
        }
        Moment::Export => export(gpu, plan, seed),
        Moment::Tune => {
            let graph = Graph::build(&document(), Library::builtin()).unwrap();
            let mut cache = TuningCache::default();
            let _ = tune::tune(gpu, &graph, &PlanOptions::default(), &mut cache, &|| !gpu.is_lost());
        }
    }
}

#[test]
fn a_lost_device_is_replaced_and_the_simulation_continues_from_its_snapshot() {
    let plan = plan();
    let slowest = AtomicU64::new(0);
    let seeds = seeds(u64::MAX);
    for seed in seeds.clone() {
        let _case = seed::Case::begin(seed, "a_lost_device_is_replaced");
        let moment = MOMENTS[(seed % MOMENTS.len() as u64) as usize];
        let first = gpu();
        let mut simulation = Simulation::new(&first, plan.clone()).unwrap();
        simulation.set_param("more.rate", ParamValue::Number(2.0)).unwrap();
        let frames = below(seed + 77, 4);
        for _ in 0..=frames {
            simulation.step(&FrameInput::default()).unwrap();
        }
        let snapshot = simulation.snapshot().unwrap().wait().unwrap();
        assert_eq!(snapshot.frame, frames + 1);
        // What would come without a loss.
        simulation.step(&FrameInput::default()).unwrap();
        let expected = simulation.read("smoke").unwrap().data.clone();
        let delay = Duration::from_micros(below(seed, 30_000));
        lose_during(&first, delay, || work(moment, &first, &plan, &mut simulation, seed));
        drop(simulation);

        let started = Instant::now();
        let second = gpu();
        let mut simulation = Simulation::new(&second, plan.clone()).unwrap();
        simulation.set_param("more.rate", ParamValue::Number(2.0)).unwrap();
        simulation.restore(&snapshot);
        simulation.step(&FrameInput::default()).unwrap();
        let found = simulation.read("smoke").unwrap().data.clone();
        slowest.fetch_max(started.elapsed().as_millis() as u64, Ordering::Relaxed);
        assert_eq!(simulation.frame(), frames + 2);
        assert!(found == expected, "seed {seed}, lost in {moment:?}: the States differ");
    }
    let slowest = slowest.into_inner();
    println!("{} losses, back after {slowest} ms at the latest", seeds.count());
    assert!(slowest < 2_000, "{slowest} ms");
}

#[test]
fn a_document_that_was_being_compiled_is_compiled_again_on_another_device() {
    let plan = Arc::new(plan());
    for seed in seeds(16) {
        let _case = seed::Case::begin(seed, "a_document_that_was_being_compiled");
        let first = gpu();
        lose_during(&first, Duration::from_micros(below(seed + 5, 20_000)), || {
            // A shader that the lost device refuses is no fault of the graph.
            let _ = Simulation::new(&first, (*plan).clone());
        });
        assert!(Simulation::new(&gpu(), (*plan).clone()).is_ok(), "seed {seed}");
    }
    driver_at_rest();
}

/// Waits until no thread makes pipelines. Exit handlers of the driver free memory that such a thread still uses, and the process would
/// crash when the test ends; the program itself ends without them.
fn driver_at_rest() {
    let since = Instant::now();
    let compiling = || {
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let mut names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
        names.any(|name| name.trim() == "pipelines")
    };
    while compiling() && since.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
}
