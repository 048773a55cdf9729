//! Going back in time: every frame that is computed again has the bits that it had.

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, NodeKind, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::hashes::{Row, Run};
use stagewright_runtime::sim::timeline::{Applies, Budget, Storage};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_test_support::seed::{self, today};

use super::{ADD, counter, gpu, plan};

/// Frames of the runs of shipped graphs. `STAGEWRIGHT_FRAMES` sets another number: 300 for the full test.
fn frames() -> u64 {
    std::env::var("STAGEWRIGHT_FRAMES").ok().and_then(|frames| frames.parse().ok()).unwrap_or(16)
}

/// Numbers that look random, the same in every run from a seed.
struct Random(u64);

impl Random {
    /// 0..1
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: u64) -> u64 {
        (self.unit() * count as f64) as u64
    }

    fn input(&mut self) -> FrameInput {
        let mut pair = || [self.unit() as f32, self.unit() as f32];
        let (mouse, mouse_velocity) = (pair(), pair().map(|v| 4.0 * (v - 0.5)));
        FrameInput { dt: None, mouse, mouse_velocity, buttons: self.below(4) as u32, keys: self.below(2) as u32 }
    }
}

/// Hashes of the States; of particles, of those that live.
fn states(simulation: &Simulation, run: &Run) -> Vec<Row> {
    run.clone().take(simulation).expect("a device").to_vec()
}

fn go(simulation: &mut Simulation, frame: u64) -> u64 {
    let left = simulation.seek(frame).expect("a device");
    for _ in 0..left {
        simulation.step(&simulation.next_input()).expect("a device");
    }
    assert_eq!(simulation.frame(), frame);
    left
}

fn of_counter(budget: Budget) -> Simulation {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).unwrap()).unwrap();
    simulation.keep_timeline(budget);
    simulation
}

/// The value of the counter's first cell.
fn value(simulation: &Simulation) -> f32 {
    simulation.read("s").unwrap().data[0]
}

fn rate(simulation: &mut Simulation, rate: f64) {
    simulation.set_param("c.rate", ParamValue::Number(rate)).unwrap();
}

fn set(frames: u64, simulation: &mut Simulation) {
    for _ in 0..frames {
        simulation.step(&simulation.next_input()).unwrap();
    }
}

#[test]
fn a_frame_is_reached_from_the_nearest_checkpoint() {
    let mut simulation = of_counter(Budget::default());
    set(100, &mut simulation);
    assert_eq!(simulation.timeline().unwrap().end(), 100);
    for frame in [99, 3, 50, 0, 100, 64, 65, 1] {
        let left = go(&mut simulation, frame);
        assert_eq!(value(&simulation), frame as f32);
        assert!(left <= 17, "{left} frames to compute for {frame}");
        assert!((simulation.time() - frame as f64 / 60.0).abs() < 1e-5);
    }
    let cached = simulation.timeline_mut().unwrap().cached();
    assert_eq!(cached.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [16, 32, 48, 64, 80, 96]);
    assert!(cached.iter().all(|(_, place)| *place == Storage::Gpu));
}

#[test]
fn a_change_applies_from_here_and_undone_it_leaves_the_cached_frames_valid() {
    let mut simulation = of_counter(Budget::default());
    set(60, &mut simulation);
    go(&mut simulation, 20);
    rate(&mut simulation, 3.0);
    let valid = |simulation: &mut Simulation| simulation.timeline_mut().unwrap().cached().len();
    assert_eq!(valid(&mut simulation), 1, "only the frames before it");
    let stale = |simulation: &mut Simulation| simulation.timeline_mut().unwrap().stale();
    assert_eq!(stale(&mut simulation), Some(21));
    go(&mut simulation, 40);
    assert_eq!(value(&simulation), 20.0 + 60.0);
    assert_eq!(stale(&mut simulation), Some(41), "those that were not computed again");
    go(&mut simulation, 10);
    assert_eq!(value(&simulation), 10.0, "earlier frames have the earlier value");
    go(&mut simulation, 30);
    assert_eq!(value(&simulation), 20.0 + 30.0, "later ones that of the change");
    go(&mut simulation, 20);
    rate(&mut simulation, 1.0);
    assert_eq!(valid(&mut simulation), 3, "as it was before the change");
    assert!(go(&mut simulation, 50) <= 3);
    assert_eq!(value(&simulation), 50.0);
}

#[test]
fn a_change_from_the_start_makes_every_frame_another() {
    let mut simulation = of_counter(Budget::default());
    set(40, &mut simulation);
    simulation.timeline_mut().unwrap().applies = Applies::Start;
    rate(&mut simulation, 2.0);
    assert_eq!(simulation.timeline_mut().unwrap().cached(), []);
    go(&mut simulation, 10);
    assert_eq!(value(&simulation), 20.0);
    go(&mut simulation, 40);
    assert_eq!(value(&simulation), 80.0);
    simulation.reset();
    assert_eq!(simulation.timeline().unwrap().end(), 0, "a reset begins a new run");
    set(5, &mut simulation);
    assert_eq!(value(&simulation), 10.0, "with the parameters as they are");
}

/// A plan that keeps another wire computes the same States; one of another graph does not.
#[test]
fn checkpoints_outlive_a_plan_of_the_same_states_and_no_other() {
    let mut simulation = of_counter(Budget::default());
    set(40, &mut simulation);
    let same = counter(ADD).replace("view/color_map\"", "view/color_map\", params: {\"low\": -1.0}");
    simulation.replace(plan(&same).unwrap()).unwrap();
    assert_eq!(simulation.timeline_mut().unwrap().cached().len(), 2);
    assert!(go(&mut simulation, 34) < 4);
    assert_eq!(value(&simulation), 34.0);
    go(&mut simulation, 40);
    let other = counter("return x(cell) + 2.0 * params.rate;");
    simulation.replace(plan(&other).unwrap()).unwrap();
    assert_eq!(value(&simulation), 40.0, "States keep their values");
    assert_eq!(simulation.timeline_mut().unwrap().cached(), []);
    set(20, &mut simulation);
    assert_eq!(value(&simulation), 80.0);
    assert!(go(&mut simulation, 45) <= 5, "from where the other graph began");
    assert_eq!(value(&simulation), 50.0);
    go(&mut simulation, 20);
    assert_eq!(value(&simulation), 40.0, "before that, frames are computed with the graph as it is now");
    go(&mut simulation, 40);
    assert_eq!(value(&simulation), 80.0);
    simulation.replace(plan(&counter(ADD)).unwrap()).unwrap();
    assert_eq!(simulation.timeline_mut().unwrap().cached().len(), 2, "those of the first graph are valid again");
}

#[test]
fn written_states_are_where_a_run_goes_on_from() {
    let mut simulation = of_counter(Budget::default());
    set(20, &mut simulation);
    simulation.write("s", &[1000.0; 256]).unwrap();
    set(20, &mut simulation);
    go(&mut simulation, 25);
    assert_eq!(value(&simulation), 1005.0);
    go(&mut simulation, 12);
    assert_eq!(value(&simulation), 12.0);
}

/// The three kinds of memory, and intervals that grow with age.
#[test]
fn checkpoints_keep_to_their_budget() {
    let bytes = 16 * 16 * 4;
    let mut simulation = of_counter(Budget { gpu: 2 * bytes, host: 2 * bytes, disk: 2 * bytes });
    set(400, &mut simulation);
    gpu().wait();
    set(1, &mut simulation);
    let timeline = simulation.timeline_mut().unwrap();
    let used = [Storage::Gpu, Storage::Host, Storage::Disk].map(|place| timeline.used(place));
    assert!(used.iter().sum::<u64>() <= 6 * bytes, "{used:?}");
    let frames: Vec<u64> = timeline.cached().iter().map(|(frame, _)| *frame).collect();
    assert!(frames.len() >= 5 && frames[frames.len() - 1] >= 384, "{frames:?}");
    assert!(frames[1] - frames[0] > frames[frames.len() - 1] - frames[frames.len() - 2], "{frames:?}");
    for frame in [390, 5, 200, 333] {
        go(&mut simulation, frame);
        assert_eq!(value(&simulation), frame as f32);
    }
    simulation.timeline_mut().unwrap().set_budget(Budget { gpu: 0, host: 0, disk: 0 });
    set(1, &mut simulation);
    assert_eq!(simulation.timeline_mut().unwrap().cached(), []);
    go(&mut simulation, 7);
    assert_eq!(value(&simulation), 7.0, "without memory, from the start");
}

/// Smaller domains, and fewer particles, of a shipped graph.
pub(super) fn small(name: &str) -> Document {
    let text = std::fs::read_to_string(format!("graphs/{name}.ron")).unwrap();
    let mut document = Document::parse(&text).unwrap();
    for (path, value) in [("spacing.value", 0.06), ("picture_height.value", 60.0), ("cells.value", 16.0)] {
        let (node, param) = path.split_once('.').unwrap();
        let number = document.nodes.get(node).and_then(|node| node.kind.number());
        if matches!(number, Some(ParamValue::Number(_))) {
            document.set(node, param, ParamValue::Number(value)).unwrap();
        }
    }
    for node in document.nodes.values_mut() {
        if let NodeKind::Domain(domain) = &mut node.kind
            && domain.resolution.iter().all(|cells| matches!(cells, ParamValue::Number(cells) if *cells > 48.0))
        {
            for cells in &mut domain.resolution {
                let ParamValue::Number(cells) = cells else { continue };
                *cells = (*cells / 8.0).round().max(24.0);
            }
        }
    }
    document
}

/// A run with a random pointer and random changes of parameters, and then its frames in random order.
fn replays(name: &str, frames: u64) {
    let document = small(name);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let run = Run::new(name, &document, &graph);
    let options = PlanOptions { tuning: gpu().tuning(), ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
    let slots = plan.settings.iter().filter_map(|slot| Some((slot.paths.first()?, &slot.value)));
    let numbers: Vec<(String, f64)> = slots
        .chain(plan.numbers.iter().filter_map(|number| Some((number.paths.first()?, &number.value))))
        .filter_map(|(path, value)| match value {
            ParamValue::Number(value) if *value != 0.0 => Some((path.clone(), *value)),
            _ => None,
        })
        .collect();
    let mut simulation = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{name}: {e}"));
    let bytes = simulation.state_bytes();
    simulation.keep_timeline(Budget { gpu: 2 * bytes, host: 2 * bytes, disk: 2 * bytes });
    let seed = seed::first();
    let _case = seed::Case::begin(seed, "shipped_graphs_replay");
    let mut random = Random(seed.wrapping_add(name.len() as u64));
    let mut seen = Vec::new();
    for frame in 0..frames {
        if random.below(5) == 0 && !numbers.is_empty() {
            let (path, value) = &numbers[random.below(numbers.len() as u64) as usize];
            // Values that the parameter's range does not allow change nothing.
            let _ = simulation.set_param(path, ParamValue::Number(value * (0.9 + 0.2 * random.unit())));
        }
        simulation.note_live(true);
        simulation.step(&random.input()).unwrap();
        if frame % (frames / 8).max(1) == 1 {
            seen.push((frame + 1, states(&simulation, &run)));
        }
    }
    println!("{name}: {} changes, {bytes} bytes", simulation.timeline().unwrap().journal().changes().count());
    for _ in 0..4 {
        let (frame, wanted) = &seen[random.below(seen.len() as u64) as usize];
        go(&mut simulation, *frame);
        assert_eq!(states(&simulation, &run), *wanted, "{name}");
    }
}

#[test]
fn shipped_graphs_replay_bit_for_bit() {
    let shipped = std::fs::read_dir("graphs").unwrap().flatten().map(|entry| entry.path());
    let mut names: Vec<String> = shipped
        .filter(|path| path.extension().is_some_and(|e| e == "ron"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 8);
    for name in today(names, 2) {
        let started = std::time::Instant::now();
        replays(&name, frames());
        println!("{name}: {:.1} s", started.elapsed().as_secs_f64());
    }
}
