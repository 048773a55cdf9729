//! Measuring which shape is fastest: it ends, what it finds is kept, and nothing that is computed depends on it.

use std::cell::Cell;
use std::path::PathBuf;

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::bench::{self, cases};
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::tune::{self, TuningCache};
use stagewright_solver_support::harness::*;

const NODES: &str = r#"
    "domain": (domain: (resolution: (64, 48), width: 1, edge: "wall")),
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>", inputs: {"next": "sweep.pressure"}),
    "sweep": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "rhs.value", "pressure": "p.value"}, iterations: 6),
"#;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tuning").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn graph() -> Graph {
    Graph::build(&document(60.0, NODES, &[]), Library::builtin()).unwrap_or_else(|e| panic!("{e}"))
}

fn options() -> PlanOptions {
    PlanOptions { keep: Keep::Wires(vec!["p.value".into(), "rhs.value".into()]), ..PlanOptions::default() }
}

fn outcome(cache: &TuningCache) -> Vec<u32> {
    let plan = Plan::compile(&graph(), &PlanOptions { tuning: cache.tuning(gpu()), ..options() });
    let mut simulation =
        Simulation::new(gpu(), plan.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    simulation.write("p", &random(64 * 48, 1)).unwrap();
    simulation.write("rhs", &random(64 * 48, 2)).unwrap();
    step(&mut simulation, 2);
    words(&simulation, "p.value")
}

#[test]
fn the_fastest_shape_is_found_and_kept() {
    let file = folder("kept").join("below").join("tuning.json");
    let (mut cache, tried) = (TuningCache::from_file(&file), Cell::new(0));
    let before = outcome(&cache);
    let before_shape = || {
        tried.set(tried.get() + 1);
        true
    };
    let choices = tune::tune(gpu(), &graph(), &options(), &mut cache, &before_shape).unwrap_or_else(|e| panic!("{e}"));
    println!("{choices:?}, {} shapes tried", tried.get());
    let choice = choices.iter().find(|c| c.node == "sweep").expect("the sweep takes nearly the whole frame");
    // Alone, the usual shape may be slower than the plain one: the whole frame, where it was not, has the last word.
    let usual = Plan::compile(&graph(), &PlanOptions { tuning: gpu().tuning(), ..options() }).unwrap();
    let usual = usual.frame.iter().find(|d| d.node == "sweep").and_then(|d| d.shape).map(|(shape, _)| shape);
    assert!(0.0 < choice.ms && choice.ms.is_finite(), "{choice:?}");
    assert!(choice.ms <= choice.plain_ms || Some(choice.shape) == usual, "{choice:?}, usual {usual:?}");
    assert!(tried.get() > 5);
    cache.save().unwrap();
    let read = TuningCache::from_file(&file);
    assert_eq!(read, cache);
    assert_eq!(read.tuning(gpu()).shapes.values().next(), Some(&choice.shape));
    assert_eq!(outcome(&read), before, "no shape changes a bit");
    let again = tune::tune(gpu(), &graph(), &options(), &mut cache, &|| panic!("all is known")).unwrap();
    assert!(again.is_empty());
}

/// What runs over particles has one shape, so nothing is timed for it, and nothing is said to be chosen.
#[test]
fn only_what_has_shapes_is_chosen_from() {
    let mut document = cases::case("b3").unwrap().unwrap();
    cases::resize(&mut document, 1000);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let options = bench::options(&document, &stagewright_base::files::Access::default(), &[]);
    let mut cache = TuningCache::from_file(&folder("particles").join("tuning.json"));
    let choices = tune::tune(gpu(), &graph, &options, &mut cache, &|| true).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(choices, []);
    // The only one over cells, which takes the plain shape alone.
    let timed = cache.tuning(gpu()).shapes;
    assert!(timed.keys().all(|key| key.starts_with("neighbors/start ")), "{timed:?}");
}

#[test]
fn it_stops_when_asked_and_a_broken_book_is_an_empty_one() {
    let file = folder("broken").join("tuning.json");
    std::fs::write(&file, "{ not json").unwrap();
    let mut cache = TuningCache::from_file(&file);
    assert!(cache.tuning(gpu()).shapes.is_empty());
    let choices = tune::tune(gpu(), &graph(), &options(), &mut cache, &|| false).unwrap_or_else(|e| panic!("{e}"));
    assert!(choices.is_empty() && cache.tuning(gpu()).shapes.is_empty());
}
