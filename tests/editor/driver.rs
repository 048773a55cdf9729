//! Shaders that the driver compiles for long: shown, and no reason for a window to stay open.

use std::time::{Duration, Instant};

use super::bench::{Bench, WINDOW};

/// Squarings of a number that all invocations share: Mesa's software driver takes two to the power of that many steps.
fn slow(squarings: usize) -> String {
    let steps: String = (0..squarings).map(|i| format!("s = s * s + {i}.5; ")).collect();
    let source = format!(
        "//! Slow\\n//! @out x: Grid<f32>\\nfn stage(cell: Cell) -> f32 {{ var s = frame.time; {steps} return s; }}"
    );
    format!(
        "(version: 1, nodes: {{\"domain\": (domain: (resolution: (16, 16), width: 1)), \"slow\": (custom: \"{source}\"), \
         \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"slow.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}})}})"
    )
}

#[test]
fn a_window_closes_while_the_driver_compiles() {
    let mut bench = Bench::from_text(&slow(26), WINDOW);
    let shown = |bench: &Bench| bench.seen().iter().any(|seen| seen.name.starts_with("Compiling shaders: "));
    bench.until("progress or a plan", |bench| shown(bench) || !bench.editor().compiling());
    let was_compiling = shown(&bench);
    // What the test itself waits for afterwards is not part of closing.
    let Bench { harness, driver, .. } = bench;
    let started = Instant::now();
    drop(harness);
    let took = started.elapsed();
    println!("closed after {took:?}, while shaders were compiled: {was_compiling}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    drop(driver);
    // The process may not end before the driver has.
    assert!(stagewright_runtime::gpu::wait_for_pipelines(Duration::from_secs(300)));
}
