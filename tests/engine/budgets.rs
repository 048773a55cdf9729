//! Budgets of loops, and of the driver's compiler.

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::{FrameInput, Simulation};

use super::{ADD, counter, gpu, plan};

/// Once an invocation has spent its budget, those that begin later give up soon.
#[test]
fn an_endless_loop_in_a_large_grid_costs_little_more_than_in_a_small_one() {
    let nodes = counter("var n = x(cell); loop { n += params.rate * 0.0 + 1.0; } return n;")
        .replace("(16, 16)", "(1024, 1024)");
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    let rounds = simulation.read("s").expect("the State is kept").data;
    let mean = rounds.iter().map(|rounds| f64::from(*rounds)).sum::<f64>() / rounds.len() as f64;
    println!("{mean:.0} rounds a cell, without the alarm 60,000");
    assert!(mean < 12_000.0, "{mean}");
    assert!(simulation.warnings(true).to_string().starts_with("c: "));
}

/// An alarm ends loops of the frame that raised it, and of no other.
#[test]
fn an_alarm_ends_no_loops_of_later_frames() {
    let nodes = counter(
        "var n = 0.0; while (frame.index == 0u || n < 5000.0) { n += 1.0; } return n + 0.0 * (x(cell) + params.rate);",
    );
    let mut simulation = Simulation::new(gpu(), plan(&nodes).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    simulation.step(&FrameInput::default()).expect("steps");
    let rounds = simulation.read("s").expect("the State is kept").data;
    assert!(rounds.iter().all(|rounds| *rounds == 5000.0), "{:?}", rounds.iter().find(|rounds| **rounds != 5000.0));
    assert!(simulation.warnings(true).to_string().starts_with("c: "), "what happened in the first frame is still told");
}

/// Stages that share a dispatch have an alarm each.
#[test]
fn a_loop_of_a_fused_stage_is_reported_at_its_own_node() {
    let custom = |input: &str, body: &str| {
        format!("//! T\\n{input}//! @out y: Grid<f32>\\nfn stage(cell: Cell) -> f32 {{ {body} }}")
    };
    let endless = "var n = 0.0; loop { n += 1.0; if n > 1e30 { break; } } return n;";
    let ends = "var n = x(cell); while (n > 1.0) { n *= 0.5; } return n;";
    let read = "//! @in x: Grid<f32>\\n";
    for (first, second, named) in [
        (endless.to_string(), ends, "a: "),
        (
            "return f32(cell.x) + frame.time;".into(),
            &*format!("return 0.0 * x(cell) + f(); }} fn f() -> f32 {{ {endless}"),
            "b: ",
        ),
    ] {
        let nodes = format!(
            "\"domain\": (domain: (resolution: (16, 16), width: 1, edge: \"wall\")), \"a\": (custom: \"{}\"), \
             \"b\": (custom: \"{}\", inputs: {{\"x\": \"a.y\"}}), \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"b.y\"}}), \
             \"screen\": (output: (), inputs: {{\"image\": \"look.image\"}}),",
            custom("", &first),
            custom(read, second)
        );
        let document =
            Document::parse(&format!("(version: 1, name: \"test\", nodes: {{ {nodes} }})")).expect("valid RON");
        let graph = Graph::build(&document, Library::builtin()).expect("a graph");
        let options = PlanOptions { tuning: gpu().tuning(), ..PlanOptions::default() };
        let plan = Plan::compile(&graph, &options).expect("compiles");
        let dispatches = plan.frame.iter().chain(&plan.invariant);
        assert!(
            dispatches.into_iter().any(|d| d.nodes().any(|n| n == "a") && d.nodes().any(|n| n == "b")),
            "{}",
            plan.to_text()
        );
        let mut simulation = Simulation::new(gpu(), plan).expect("runs");
        simulation.step(&FrameInput::default()).expect("steps");
        let said = simulation.warnings(true).to_string();
        println!("{said}");
        assert!(said.starts_with(named) && said.lines().count() == 1, "{said}");
    }
}

/// Twenty-six squarings of a number that all invocations share: Mesa's software driver takes two to the power of that many steps.
fn slow_shader() -> String {
    let squarings: String = (0..SQUARINGS).map(|i| format!("s = s * s + {i}.5; ")).collect();
    counter(&format!("var s = params.rate; {squarings} return s + x(cell);"))
}

const SQUARINGS: usize = 26;

/// A call into the driver can't be interrupted, but nobody has to wait for it.
#[test]
fn a_shader_that_the_driver_compiles_for_long_can_be_given_up() {
    let gpu = Gpu::new(&GpuOptions::default()).expect("an adapter");
    let slow = plan(&slow_shader()).expect("compiles");
    let started = std::time::Instant::now();
    let mut seen = Vec::new();
    let given_up = gpu.prepare_while(&slow, &mut |making| {
        seen.push(making.clone());
        false
    });
    println!("{given_up:?} after {:?}, {seen:?}", started.elapsed());
    if let Err(problems) = given_up {
        let said = problems.to_string();
        assert!(said.contains("the driver had been compiling the shader"), "{said}");
        assert!(seen.len() == 1 && seen[0].done < seen[0].total, "{seen:?}");
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
    }
    // Others are made meanwhile, and it is there once the driver is done with it.
    gpu.prepare(&plan(&counter(ADD)).expect("compiles")).expect("the driver takes it");
    gpu.prepare(&slow).expect("the driver takes it in the end");
    assert!(stagewright_runtime::gpu::wait_for_pipelines(std::time::Duration::from_secs(60)));
}
