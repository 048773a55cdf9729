//! Frames that are only simulated.

use std::path::Path;

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
