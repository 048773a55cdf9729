//! Frames that are only simulated.

use std::path::Path;

use stagewright_compiler::Tuning;

use super::timeline::small;
use super::*;

#[test]
fn frames_without_images_lead_to_the_same_states_and_the_same_image() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs/templates/particles.ron");
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (node, param, value) in [("sparks", "capacity", "500"), ("picture", "resolution", "48, 32")] {
        document.set(node, param, ParamValue::from_text(value)).unwrap();
    }
    let graph = Graph::build(&document, Library::builtin()).unwrap();
    let options = PlanOptions { size: Some((32, 32)), tuning: gpu().tuning(), ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap();
    let simulating = plan.simulating();
    let count = simulating.iter().filter(|simulates| **simulates).count();
    println!("{count} of {} dispatches simulate", simulating.len());
    assert!(count > 0 && count < simulating.len());
    let mut simulations = [(); 2].map(|()| Simulation::new(gpu(), plan.clone()).unwrap());
    for frame in 1..=6 {
        let [seen, unseen] = &mut simulations;
        seen.step(&seen.next_input()).unwrap();
        match frame {
            3 | 6 => unseen.step(&unseen.next_input()).unwrap(),
            _ => unseen.step_unseen(&unseen.next_input()).unwrap(),
        }
        for state in &plan.states {
            let words = [&*seen, &*unseen].map(|simulation| simulation.engine().read(state.buffer, true));
            let words = words.map(|reading| reading.unwrap().unwrap().wait());
            assert!(words[0] == words[1], "{} after frame {frame}", state.node);
        }
        if frame % 3 == 0 {
            assert!(seen.image(None).unwrap().rgba == unseen.image(None).unwrap().rgba, "frame {frame}");
        }
    }
}

/// Water whose pressure is kept between frames and not read: its memory serves other wires meanwhile.
#[test]
fn water_that_nobody_sees_moves_alike() {
    let graph = Graph::build(&small("sph_water"), Library::builtin()).unwrap();
    let options = PlanOptions { folder: "graphs".into(), tuning: gpu().tuning(), ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap();
    let [mut seen, mut unseen] = [(); 2].map(|()| Simulation::new(gpu(), plan.clone()).unwrap());
    for frame in 1..=3 {
        seen.step(&seen.next_input()).unwrap();
        unseen.step_unseen(&unseen.next_input()).unwrap();
        let [seen, unseen] = [&seen, &unseen].map(|simulation| simulation.read("water.value.velocity").unwrap().words);
        assert!(seen == unseen, "frame {frame}");
    }
}

/// Of what a dispatch reads that simulates, the last one before it to write has to simulate too: by the order of the plan alone.
#[test]
fn what_simulates_reads_what_is_simulated() {
    let mut left_out = 0;
    for folder in ["graphs", "graphs/templates"] {
        let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "ron")) {
            let document = Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let graph = Graph::build(&document, Library::builtin()).unwrap();
            for tuning in [Tuning::cpu(), Tuning::gpu()] {
                let options = PlanOptions { folder: folder.into(), tuning, ..PlanOptions::default() };
                let plan = Plan::compile(&graph, &options).unwrap();
                left_out += plan.simulating().iter().filter(|simulates| !**simulates).count();
                reads_what_is_simulated(&plan, &path);
            }
        }
    }
    assert!(left_out > 200, "{left_out} dispatches draw only");
}

fn reads_what_is_simulated(plan: &Plan, path: &Path) {
    let simulating = plan.simulating();
    let mut writers = std::collections::HashMap::new();
    for (at, dispatch) in plan.frame.iter().enumerate() {
        let bindings = &plan.kernels[dispatch.kernel].bindings;
        for (buffer, _) in
            dispatch.buffers.iter().zip(bindings).filter(|(_, binding)| !binding.writes && simulating[at])
        {
            let writer = writers.get(buffer).copied();
            let place = |at: usize| format!("{} {}", plan.frame[at].node, plan.frame[at].part);
            assert!(
                writer.is_none_or(|writer: usize| simulating[writer]),
                "{}: {} reads b{buffer} of {}",
                path.display(),
                place(at),
                writer.map_or(String::new(), place)
            );
        }
        let written = dispatch.buffers.iter().zip(bindings).filter(|(_, binding)| binding.writes);
        writers.extend(written.map(|(buffer, _)| (*buffer, at)));
    }
}
