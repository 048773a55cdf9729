//! Plans as text: order, lifetimes and memory of every shipped graph, kept as snapshots.

use std::collections::BTreeMap;

use stagewright_base::files::Access;
use stagewright_compiler::{BufferId, Dispatch, Keep, Outputs, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_language::library::reference;
use stagewright_runtime::bench::{self, cases};
use stagewright_test_support::seed::today;

use super::{compile, shipped};

fn plan_of(text: &str, options: &PlanOptions) -> Plan {
    let document = Document::parse(text).expect("parses");
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
    Plan::compile(&graph, options).unwrap_or_else(|p| panic!("{p}"))
}

/// Plans of more lines than somebody reads are recorded as a summary.
const READ: usize = 150;

/// A plan as text. Of a long one the head, the domains and the States, how many buffers there are of each size, how many
/// dispatches of each kernel a part of it has, and how many parameters.
fn recorded(plan: &Plan) -> String {
    let text = plan.to_text();
    if text.lines().count() <= READ {
        return text;
    }
    let mut summary = String::new();
    for section in text.split("\n\n") {
        let (title, lines) = section.split_once('\n').unwrap_or((section, ""));
        let counted = |key: &dyn Fn(&str) -> String| {
            let mut counts = BTreeMap::<String, usize>::new();
            lines.lines().for_each(|line| *counts.entry(key(line)).or_default() += 1);
            counts.iter().map(|(key, count)| format!("{count:>6} x {key}\n")).collect::<String>()
        };
        let size = |line: &str| {
            let before = line.split_once(" bytes)").map_or(line, |(before, _)| before);
            format!("{} bytes", before.rsplit('(').next().unwrap_or_default())
        };
        let kernel = |line: &str| {
            let (_, rest) = line.split_once('[').unwrap_or_default();
            rest.split(']').next().unwrap_or_default().to_string()
        };
        summary += &match title {
            "buffers" => format!("{title}\n{}\n", counted(&size)),
            "reset" | "once" | "frame" => format!("{title}\n{}\n", counted(&kernel)),
            "parameters" => format!("{} {title}\n\n", lines.lines().count()),
            _ => format!("{section}\n\n"),
        };
    }
    summary
}

#[test]
fn plans_of_shipped_graphs_are_as_recorded() {
    for (name, text) in shipped() {
        insta::assert_snapshot!(format!("plan_{name}"), recorded(&plan_of(&text, &PlanOptions::default())));
    }
}

/// What a GPU runs: all passes, with the shapes of one on which nothing was measured.
#[test]
fn optimised_plans_of_shipped_graphs_and_cases_are_as_recorded() {
    let options = || PlanOptions { tuning: Tuning::gpu(), ..PlanOptions::default() };
    for (name, text) in shipped() {
        insta::assert_snapshot!(format!("plan_gpu_{name}"), recorded(&plan_of(&text, &options())));
    }
    for name in cases::names() {
        let document = cases::case(&name).unwrap().expect("parses");
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
        let Keep::Wires(wires) = bench::options(&document, &Access::default(), &[]).keep else { panic!("{name}") };
        let plan = Plan::compile(&graph, &PlanOptions { keep: Keep::Wires(wires), ..options() });
        insta::assert_snapshot!(format!("plan_gpu_{name}"), recorded(&plan.unwrap_or_else(|p| panic!("{p}"))));
    }
}

/// Each pass says what it did, and a plan has the operations of the last one.
#[test]
fn passes_are_reported_in_their_order() {
    let (_, text) = shipped().into_iter().find(|(name, _)| name == "unity_fluid").unwrap();
    let document = Document::parse(&text).expect("parses");
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
    let reports = |tuning| {
        Plan::passes(&graph, &PlanOptions { tuning, ..PlanOptions::default() }).unwrap_or_else(|p| panic!("{p}"))
    };
    let gpu = reports(Tuning::gpu());
    let summary = |name: &str| gpu.iter().find(|report| report.name == name).map(|report| report.summary.as_str());
    assert_eq!(summary("lower"), Some("27 operations, 3 on reset"));
    assert_eq!(summary("temporal_blocking"), Some("blocked 20 operations into 3"));
    assert_eq!(summary("cse"), Some("unchanged"));
    let names: Vec<&str> = gpu.iter().map(|report| report.name).collect();
    assert_eq!(names[1..], Plan::pass_names().collect::<Vec<_>>());
    let plan = Plan::compile(&graph, &PlanOptions { tuning: Tuning::gpu(), ..PlanOptions::default() }).unwrap();
    assert_eq!(gpu.last().map(|report| report.frame.lines().count()), Some(plan.frame.len() + plan.invariant.len()));
    let plain = reports(Tuning::default());
    let fusion = plain.iter().find(|report| report.name == "fusion").unwrap();
    assert_eq!(fusion.summary, "not for this target");
}

/// An image that nobody asked for costs nothing.
#[test]
fn one_output_takes_only_what_it_needs() {
    let (_, text) = shipped().into_iter().find(|(name, _)| name == "oil_clock").unwrap();
    let plan = |outputs| plan_of(&text, &PlanOptions { outputs, ..PlanOptions::default() });
    let nodes = |plan: &Plan, part: &str| plan.frame.iter().any(|dispatch| dispatch.node.starts_with(part));
    let all = plan(Outputs::All);
    assert_eq!(all.outputs.len(), 4);
    assert!(nodes(&all, "12_render") && nodes(&all, "view_pressure"));
    // The map that keeps fluid out of the walls is made before the first frame, as in the article.
    let reach = |dispatches: &[Dispatch]| dispatches.iter().any(|d| d.node == "07_advect_fractions/reach");
    assert!(reach(&all.invariant) && !reach(&all.frame));
    let first = plan(Outputs::First);
    assert_eq!(first.outputs.iter().map(|o| o.node.as_str()).collect::<Vec<_>>(), ["screen"]);
    assert!(nodes(&first, "12_render") && !nodes(&first, "view_"));
    let one = plan(Outputs::One("screen_pressure".into()));
    assert_eq!(one.outputs.iter().map(|o| o.node.as_str()).collect::<Vec<_>>(), ["screen_pressure"]);
    assert!(nodes(&one, "view_pressure") && nodes(&one, "11_correct") && !nodes(&one, "12_render"));
    assert!(plan(Outputs::One("nothing".into())).outputs.is_empty());
}

#[test]
fn plans_are_data_that_survives_serialisation() {
    for (name, text) in shipped() {
        let mut plan = plan_of(&text, &PlanOptions::default());
        let json = serde_json::to_string(&plan).expect("serialises");
        // What its States depend on belongs to a version of the program and is not written.
        plan.dynamics = Default::default();
        let back: Plan = serde_json::from_str(&json).expect("deserialises");
        assert!(plan == back, "{name}: the plan changes on its way through JSON");
        assert_eq!(
            json,
            serde_json::to_string(&plan_of(&text, &PlanOptions::default())).unwrap(),
            "{name}: compiling is not repeatable"
        );
    }
}

#[test]
fn shipped_graphs_have_no_warnings() {
    for (name, text) in shipped() {
        let graph = Graph::build(&Document::parse(&text).unwrap(), Library::builtin())
            .unwrap_or_else(|p| panic!("{name}: {p}"));
        assert!(graph.warnings.is_empty(), "{name}: {}", graph.warnings);
    }
}

/// No two values that are alive at the same time may share memory.
#[test]
fn memory_is_never_shared_by_overlapping_lives() {
    for (name, text) in shipped() {
        let plan = plan_of(&text, &PlanOptions::default());
        for dispatch in &plan.frame {
            let kernel = &plan.kernels[dispatch.kernel];
            let written: Vec<BufferId> =
                kernel.bindings.iter().zip(&dispatch.buffers).filter(|(b, _)| b.writes).map(|(_, b)| *b).collect();
            let read: Vec<BufferId> =
                kernel.bindings.iter().zip(&dispatch.buffers).filter(|(b, _)| !b.writes).map(|(_, b)| *b).collect();
            assert!(written.iter().all(|w| !read.contains(w)), "{name}: {dispatch:?} reads what it writes");
        }
        let all = plan_of(&text, &PlanOptions { keep: Keep::All, ..PlanOptions::default() });
        assert!(all.memory >= plan.memory, "{name}: keeping every wire can't take less memory");
        assert!(all.wires.values().all(|w| w.kept), "{name}: Keep::All keeps every wire");
    }
}

const CHAIN: &str = r#""domain": (domain: (resolution: (32, 16), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>", inputs: {"next": "c.field"}),
    "a": (stage: "fluid/dissipate", inputs: {"field": "s.value"}),
    "b": (stage: "fluid/dissipate", inputs: {"field": "a.field"}, iterations: 3),
    "c": (stage: "fluid/dissipate", inputs: {"field": "b.field"}),
    "dead": (stage: "fluid/dissipate", inputs: {"field": "b.field"}),
    "look": (stage: "view/color_map", inputs: {"field": "s.value"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"#;

#[test]
fn stages_that_read_their_own_cell_work_in_place() {
    let plan = compile(CHAIN).expect("compiles");
    let floats = plan.buffers.iter().filter(|b| b.bytes == 32 * 16 * 4 && !b.label.contains("picture")).count();
    assert_eq!(floats, 1, "a State and five stages behind it share one buffer:\n{}", plan.to_text());
    assert!(plan.swaps.is_empty());
}

#[test]
fn readers_run_before_the_stage_that_overwrites() {
    let plan = compile(CHAIN).expect("compiles");
    let position = |node: &str| plan.frame.iter().position(|d| d.node == node).expect("is there");
    assert!(position("look") < position("a"), "the view reads the State before it is overwritten:\n{}", plan.to_text());
}

#[test]
fn dead_stages_are_dropped() {
    let plan = compile(CHAIN).expect("compiles");
    assert!(plan.frame.iter().all(|d| d.node != "dead"));
    assert_eq!(plan.frame.len(), 7, "five dissipations, the view and the picture:\n{}", plan.to_text());
}

#[test]
fn generated_wgsl_is_as_recorded() {
    for dim in ["(64, 48)", "(16, 12, 8)"] {
        let nodes = format!(
            r#""domain": (domain: (resolution: {dim}, width: 1, edge: "wall")), "s": (state: "Grid<f32>", inputs: {{"next": "p.pressure"}}),
            "p": (stage: "fluid/pressure_jacobi", inputs: {{"divergence": "s.value", "pressure": "s.value"}}, iterations: 2), "keep": (state: "Grid<f32>", inputs: {{"next": "s.value"}})"#
        );
        let document = Document::parse(&format!("(version: 1, name: \"jacobi\", nodes: {{{nodes}}})")).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
        let options = PlanOptions { keep: Keep::Wires(vec!["p.pressure".into()]), ..PlanOptions::default() };
        let plan = Plan::compile(&graph, &options).unwrap_or_else(|p| panic!("{p}"));
        let kernel = plan.kernels.iter().find(|k| k.name == "fluid/pressure_jacobi").expect("is compiled");
        assert!(kernel.finite, "the loop over faces is proven finite");
        let source = Library::builtin().stage("fluid/pressure_jacobi").unwrap().own_text();
        let kept = kernel.wgsl.chars().zip(source.chars()).all(|(found, original)| found == original || found == ' ');
        assert!(kept, "the user's text comes first, in its place, but for what is decided by ports that are not wired");
        insta::assert_snapshot!(format!("jacobi_{}d", if dim.matches(',').count() == 1 { 2 } else { 3 }), kernel.wgsl);
    }
}

#[test]
fn the_stage_reference_is_current() {
    let path = format!("{}/docs/stages.md", env!("CARGO_MANIFEST_DIR"));
    let page = reference::page(Library::builtin());
    if std::env::var_os("STAGEWRIGHT_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/stages.md is stale; run `stagewright stages --markdown > docs/stages.md`");
}

#[test]
fn every_shipped_stage_parses() {
    let broken: Vec<String> = Library::builtin().broken().map(|(name, errors)| format!("{name}: {errors:?}")).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    for stage in Library::builtin().stages() {
        assert!(
            !stage.header.source.is_empty()
                || stage.name.starts_with("grid/")
                || stage.name.starts_with("image/")
                || stage.name.starts_with("particles/")
                || stage.name.starts_with("view/"),
            "{} names no source",
            stage.name
        );
        assert!(stage.own_text().lines().count() <= 140, "{} is longer than a stage should be", stage.name);
    }
}

/// A plan whose stages can't share dispatches, because what was joined does not compile, runs apart and says so: of a graph that ships, none.
#[test]
fn stages_of_every_shipped_graph_share_dispatches_on_any_adapter() {
    let graphs = ["graphs", "graphs/templates", "graphs/validation"].into_iter().flat_map(crate::graphs_in);
    for (name, text) in today(graphs, 2) {
        let document = Document::parse(&text).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{name}: {p}"));
        for (target, tuning) in [("cpu", Tuning::cpu()), ("gpu", Tuning::gpu())] {
            for keep in [Keep::Needed, Keep::All] {
                let options = PlanOptions { keep: keep.clone(), tuning: tuning.clone(), ..PlanOptions::default() };
                let plan = Plan::compile(&graph, &options).unwrap_or_else(|p| panic!("{name}: {p}"));
                assert_eq!(plan.apart, None, "{name}, {target}, {keep:?}");
            }
        }
    }
}

/// What starts from a constant, and what is updated and then passed on without being stored, is joined and compiles on any adapter.
#[test]
fn updates_that_nothing_stores_share_dispatches_on_any_adapter() {
    const UPDATES: &str = r##"(version: 1, nodes: {
        "domain": (domain: (resolution: (64, 64), width: 1, edge: "wall")),
        "v": (stage: "grid/vector_expression", on: "domain", params: {"value": "[sin(9 * position.y + time), sin(7 * position.x)]"}),
        "d": (stage: "fluid/divergence", inputs: {"velocity": "v.result"}),
        "wall": (custom: r#"//! Wall
            //! @out open: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f32(cell.x != 7); }"#, on: "domain"),
        "p": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "d.divergence", "open": "wall"}, iterations: 3),
        "u": (stage: "fluid/project", inputs: {"velocity": "v.result", "pressure": "p.pressure", "open": "wall"}),
        "w": (stage: "fluid/confine_vorticity", inputs: {"velocity": "u.velocity"}),
        "s": (stage: "grid/length", inputs: {"a": "w.velocity"}),
        "look": (stage: "view/color_map", inputs: {"field": "s.magnitude"}),
        "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}),
    })"##;
    for tuning in [Tuning::cpu(), Tuning::gpu()] {
        let plan = plan_of(UPDATES, &PlanOptions { tuning, ..PlanOptions::default() });
        assert_eq!(plan.apart, None);
        assert!(plan.to_text().contains("look after w/confine, s"), "{}", plan.to_text());
    }
}

/// A tile repeats a stage's text for each of its sweeps, which a large stage has no room for.
#[test]
fn a_stage_that_is_too_large_for_tiles_runs_without() {
    const HEAVY: &str = r##"(version: 1, nodes: {
        "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "x": (stage: "grid/expression", on: "domain", params: {"value": "position.x"}),
        "heavy": (custom: r#"//! Heavy
            //! @inout x: Grid<f32>, radius 1
            fn stage(cell: Cell) -> f32 {
                var s = x(cell + unit(0));
                for (var i = 0; i < 2; i++) { s = four(four(s)); }
                return s;
            }
            fn four(x: f32) -> f32 { return three(three(three(three(x)))); }
            fn three(x: f32) -> f32 {
                var s = x;
                for (var i = 0; i < 2; i++) { for (var j = 0; j < 2; j++) { s = two(two(two(two(s)))); } }
                return s;
            }
            fn two(x: f32) -> f32 { return pow(pow(pow(pow(pow(pow(pow(pow(abs(x), 1.1), 0.9), 1.1), 0.9), 1.1), 0.9), 1.1), 0.9); }
            "#, inputs: {"x": "x.result"}, iterations: 8),
        "look": (stage: "view/color_map", inputs: {"field": "heavy.x"}),
        "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}),
    })"##;
    let plan = plan_of(HEAVY, &PlanOptions { tuning: Tuning::gpu(), ..PlanOptions::default() });
    let why = plan.apart.as_deref().unwrap_or_default();
    assert!(why.contains("the shader has about"), "{why}");
}
