//! How the window looks. Times and rates are masked; what the driver draws and times a little otherwise may differ in a few pixels.
//! Renewed with `UPDATE_SNAPSHOTS=1`.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, Rect, Vec2, pos2, vec2};
use egui_kittest::SnapshotOptions;

use super::bench::{Bench, SMOKE};

const SIZE: Vec2 = vec2(1360.0, 860.0);
/// Frames until there is something to see.
const FRAMES: u64 = 40;
/// Pixels that may differ: GPU times at the feet of nodes, and drivers that round otherwise. Of more than a million.
const FEW: usize = 4000;

/// Smoke after some frames, standing still.
fn still() -> Bench {
    let mut bench = Bench::from_text(SMOKE, SIZE);
    bench.compiled();
    bench.key(Key::Space);
    bench.key_with(Modifiers::SHIFT, Key::Space);
    for frame in 1..=FRAMES {
        bench.key(Key::ArrowRight);
        bench.until("a frame", |bench| bench.computed() == frame);
    }
    measured(&mut bench);
    bench
}

/// Numbers of the graph are read a while after their frame, or after another wire is looked at, into rows of their own.
fn measured(bench: &mut Bench) {
    bench.until("the Courant number", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("advect/courant")));
}

fn compare(bench: &mut Bench, name: &str) {
    bench.harness.remove_cursor();
    bench.harness.step();
    bench.rest();
    let foot = Rect::from_min_max(pos2(210.0, SIZE.y - 32.0), pos2(760.0, SIZE.y));
    bench.harness.mask(foot);
    // How often States are kept depends on the time of a frame.
    let kept = bench.find("Timeline").expect("the timeline").union(bench.find("Timeline memory").expect("its memory"));
    bench.harness.mask(kept);
    // The adapter's name.
    if let Some(row) = bench.seen().into_iter().find(|seen| seen.name == "GPU" && seen.rect.max.y < SIZE.y - 40.0) {
        let behind = Rect::from_x_y_ranges(row.rect.right() + 4.0..=SIZE.x, row.rect.y_range());
        bench.harness.mask(behind);
    }
    let options = SnapshotOptions::new().threshold(1.2).failed_pixel_count_threshold(FEW);
    bench.harness.snapshot_options(name, &options);
}

#[test]
fn the_window_in_the_dark_and_in_the_light() {
    let mut bench = still();
    bench.select("jet");
    compare(&mut bench, "editor_dark");
    bench.menu("Window", "Light theme");
    compare(&mut bench, "editor_light");
}

#[test]
fn the_palette() {
    let mut bench = still();
    let at = bench.canvas().min + vec2(120.0, 40.0);
    bench.hover(at);
    bench.key(Key::Tab);
    bench.write("advect");
    compare(&mut bench, "editor_palette");
}

#[test]
fn a_wire_on_show() {
    let mut bench = still();
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    measured(&mut bench);
    compare(&mut bench, "editor_wire");
}

#[test]
fn a_group_of_the_library() {
    let mut bench = still();
    bench.select("advect");
    bench.key(Key::Enter);
    compare(&mut bench, "editor_group");
}

#[test]
fn a_stage_with_an_error() {
    let mut bench = still();
    bench.select("fade");
    bench.ctrl(Key::Num4);
    bench.rest();
    let seen = bench.seen();
    let text = seen.iter().find(|seen| seen.name == "WGSL of fade" && seen.role == Role::MultilineTextInput);
    let at = text.expect("the text").rect.left_top() + vec2(60.0, 12.0);
    bench.click(at);
    bench.ctrl(Key::End);
    bench.write("const wrong: f32 = nothing;");
    (0..3).for_each(|_| bench.rest());
    bench.compiled();
    bench.until("the error", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("Line 8:")));
    compare(&mut bench, "editor_code");
}
