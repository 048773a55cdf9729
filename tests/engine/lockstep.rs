//! A simulation that follows another: the same input and parameters, frame by frame, forwards and back.

use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::timeline::Budget;
use stagewright_runtime::sim::{FrameInput, Simulation};

use super::{counter, gpu, plan};

/// The value depends on the pointer, on the order of frames and on a parameter.
const PUSHED: &str = "return 0.5 * x(cell) + params.rate * frame.mouse.x + f32(cell.x);";

fn simulation(body: &str) -> Simulation {
    let mut simulation = Simulation::new(gpu(), plan(&counter(body)).unwrap()).unwrap();
    simulation.keep_timeline(Budget::default());
    simulation
}

fn words(simulation: &Simulation) -> Vec<u32> {
    simulation.read("s").expect("a State").words
}

/// Brings a simulation to the frame of its leader.
fn follow(follower: &mut Simulation, leader: &Simulation, shared: impl Fn(&str) -> bool) {
    follower.follow_run(leader, shared);
    for _ in 0..follower.seek(leader.frame()).expect("a device") {
        follower.step(&follower.next_input()).expect("a device");
    }
    assert_eq!(follower.frame(), leader.frame());
}

fn run(leader: &mut Simulation, frames: u64) {
    for _ in 0..frames {
        let at = leader.frame() as f32;
        leader.step(&FrameInput { mouse: [0.1 * at, 0.3], buttons: 1, ..FrameInput::default() }).expect("a device");
    }
}

#[test]
fn a_follower_has_the_bits_of_its_leader_forwards_and_back() {
    let (mut leader, mut follower) = (simulation(PUSHED), simulation(PUSHED));
    run(&mut leader, 6);
    leader.set_param("c.rate", ParamValue::Number(3.0)).unwrap();
    run(&mut leader, 5);
    follow(&mut follower, &leader, |_| true);
    assert_eq!(words(&follower), words(&leader), "it catches up, with the change at its frame");
    run(&mut leader, 1);
    follow(&mut follower, &leader, |_| true);
    assert_eq!(words(&follower), words(&leader));
    for frame in [4, 9, 12] {
        for _ in 0..leader.seek(frame).unwrap() {
            leader.step(&leader.next_input()).unwrap();
        }
        follow(&mut follower, &leader, |_| true);
        assert_eq!(words(&follower), words(&leader), "frame {frame}");
    }
    leader.seek(3).unwrap();
    for _ in leader.frame()..3 {
        leader.step(&leader.next_input()).unwrap();
    }
    leader.step(&FrameInput { mouse: [0.9, 0.0], ..FrameInput::default() }).unwrap();
    follow(&mut follower, &leader, |_| true);
    assert_eq!(words(&follower), words(&leader), "another input for a known frame");
    leader.reset();
    run(&mut leader, 2);
    follow(&mut follower, &leader, |_| true);
    assert_eq!(words(&follower), words(&leader), "from the start");
}

#[test]
fn what_is_not_shared_stays_its_own() {
    let (mut leader, mut follower) = (simulation(PUSHED), simulation(PUSHED));
    let mut expected = simulation(PUSHED);
    for simulation in [&mut follower, &mut expected] {
        simulation.set_param("c.rate", ParamValue::Number(7.0)).unwrap();
    }
    run(&mut leader, 2);
    leader.set_param("c.rate", ParamValue::Number(2.0)).unwrap();
    run(&mut leader, 2);
    run(&mut expected, 4);
    follow(&mut follower, &leader, |path| path != "c.rate");
    assert_eq!(words(&follower), words(&expected));
    assert_ne!(words(&follower), words(&leader));
}

#[test]
fn a_preview_is_known_until_a_frame_is_computed() {
    let mut simulation = simulation(PUSHED);
    run(&mut simulation, 1);
    assert_eq!(simulation.previewed(), None);
    let input = FrameInput { mouse: [0.5, 0.5], ..FrameInput::default() };
    simulation.preview(&input).unwrap();
    assert_eq!((simulation.previewed(), simulation.frame()), (Some(&input), 1));
    run(&mut simulation, 1);
    assert_eq!(simulation.previewed(), None);
}
