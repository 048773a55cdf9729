//! Memory of runs on a software adapter, whose driver must not compile a kernel again in each frame.

use super::*;

/// Memory of the process [bytes], where the system tells.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * pages.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

#[test]
fn branches_on_parameters_take_no_memory_in_each_frame() {
    if !gpu().is_software() || resident().is_none() {
        return;
    }
    let look = "\"look\": (stage: \"view/color_map\", inputs: {\"field\": \"c.x\"}),";
    let branches = "if params.rate > 5.0 { return 2.0 * x(cell); } \
        var sum = 0.0; for (var i = 0; i < i32(params.rate); i++) { sum += 0.5 * sin(x(cell) + f32(i)); } return sum;";
    let plan = plan(&format!(
        "{}{look}",
        counter(branches).replace("\"look\":", "\"first\":").replace("look.image", "first.image")
    ));
    let mut simulation =
        Simulation::new(gpu(), plan.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    let mut run = |frames: u64| {
        for _ in 0..frames {
            simulation.step(&FrameInput::default()).unwrap();
        }
        simulation.read("s").unwrap();
        resident().unwrap_or_default()
    };
    let (frames, before) = (400, run(100));
    let grown = run(frames).saturating_sub(before);
    println!("{grown} bytes in {frames} frames");
    // It was 170 kB a frame for each image of a colour map.
    assert!(grown < frames * 10_000, "{} bytes a frame", grown / frames);
}
