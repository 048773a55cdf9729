use stagewright::document::Document;
use stagewright::gpu::{Gpu, GpuOptions, Profile};
use stagewright::{graph::Graph, library::Library, plan::{Plan, PlanOptions}, sim::Simulation};

fn rss() -> u64 {
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    s.lines().find(|l| l.starts_with("VmRSS")).unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn main() {
    let document = Document::parse(&std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap()).unwrap();
    let gpu = Gpu::new(&GpuOptions::default()).unwrap();
    let compile = || {
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        Plan::compile(&graph, &PlanOptions { tuning: gpu.tuning(), ..Default::default() }).unwrap()
    };
    let mode = std::env::args().nth(2).unwrap();
    let mut simulation = Simulation::new(&gpu, compile()).unwrap();
    if mode.contains('p') { simulation.set_profiling(Profile::Nodes); }
    let plan = compile();
    for i in 0..60 {
        if mode.contains('c') { drop(compile()); }
        if mode.contains('r') { simulation.replace(plan.clone()).unwrap(); }
        if mode.contains('s') { for _ in 0..3 { simulation.step(&simulation.recorded_input()).unwrap(); } gpu.wait(); }
        if i % 20 == 19 { println!("{mode} {i}: {} kB", rss()); }
    }
}
