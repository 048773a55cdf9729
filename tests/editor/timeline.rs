//! The timeline: dragging, stepping, changes while a past frame is on show, the loop, and what is recorded.

use eframe::egui::{Key, Modifiers, PointerButton, Pos2, pos2};

use super::bench::Bench;
use super::views::picture;

/// The words of a State as the next frame finds them.
fn state(bench: &Bench) -> Vec<u32> {
    bench.editor().simulation().unwrap().read("density").unwrap().words
}

/// Where a frame is on the timeline while all frames are in sight.
fn frame_position(bench: &Bench, frame: u64) -> Pos2 {
    let rect = bench.find("Timeline").expect("the timeline");
    let end = bench.editor().simulation().unwrap().timeline().unwrap().end();
    let last = (end as f64).max(60.0) * 1.02;
    pos2(rect.left() + (frame as f64 / last) as f32 * rect.width(), rect.bottom() - 6.0)
}

fn arrives(bench: &mut Bench, frame: u64) {
    bench.until(&format!("frame {frame}"), |bench| bench.computed() == frame);
    bench.rest();
    assert_eq!(bench.computed(), frame, "it stays there");
}

/// A paused run of at least so many frames. Returns its last frame and the State there.
fn paused(bench: &mut Bench, frames: u64) -> (u64, Vec<u32>) {
    bench.until("frames", |bench| bench.computed() >= frames);
    bench.key(Key::Space);
    bench.rest();
    (bench.computed(), state(bench))
}

fn palette(bench: &mut Bench, command: &str) {
    bench.key_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    bench.write(command);
    bench.key(Key::Enter);
    bench.rest();
}

#[test]
fn a_drag_and_keys_go_to_any_frame_and_it_is_the_frame_that_it_was() {
    let mut bench = Bench::smoke();
    let (last, there) = paused(&mut bench, 30);
    let seven = frame_position(&bench, 7);
    bench.click(seven);
    arrives(&mut bench, 7);
    let early = state(&bench);
    assert!(early != there);
    bench.key(Key::ArrowRight);
    arrives(&mut bench, 8);
    bench.key(Key::ArrowLeft);
    bench.key(Key::ArrowLeft);
    arrives(&mut bench, 6);
    bench.key(Key::ArrowRight);
    arrives(&mut bench, 7);
    assert!(state(&bench) == early);
    let (from, to) = (frame_position(&bench, 7), frame_position(&bench, 20));
    bench.drag(from, to);
    arrives(&mut bench, 20);
    bench.key_with(Modifiers::SHIFT, Key::ArrowRight);
    arrives(&mut bench, last);
    assert!(state(&bench) == there, "the same bits");
    bench.key_with(Modifiers::SHIFT, Key::ArrowLeft);
    arrives(&mut bench, 0);
    bench.key(Key::ArrowLeft);
    arrives(&mut bench, 0);
}

#[test]
fn a_change_at_a_past_frame_applies_from_there_or_from_the_start_and_undo_takes_it_back() {
    let mut bench = Bench::smoke();
    let (last, there) = paused(&mut bench, 30);
    let go = |bench: &mut Bench, frame: u64| {
        let place = frame_position(bench, frame);
        bench.click(place);
        arrives(bench, frame);
    };
    go(&mut bench, 10);
    let ten = state(&bench);
    bench.select("smoke");
    bench.set_number("rate", 40.0);
    go(&mut bench, last);
    assert!(state(&bench) != there, "more smoke from frame 10 on");
    go(&mut bench, 10);
    assert!(state(&bench) == ten, "and none before");
    bench.undo();
    go(&mut bench, last);
    assert!(state(&bench) == there);
    palette(&mut bench, "Changes apply from the start");
    bench.select("smoke");
    bench.set_number("rate", 40.0);
    go(&mut bench, 10);
    assert!(state(&bench) != ten);
}

#[test]
fn a_loop_plays_between_its_marks() {
    let mut bench = Bench::smoke();
    paused(&mut bench, 20);
    for (frame, key) in [(5, Key::I), (9, Key::O)] {
        let place = frame_position(&bench, frame);
        bench.click(place);
        arrives(&mut bench, frame);
        bench.key(key);
    }
    bench.key(Key::Space);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        bench.rest();
        seen.insert(bench.computed());
    }
    // On the way back it computes frames that it does not show.
    assert!(seen.iter().all(|frame| *frame <= 9) && seen.range(5..=9).count() >= 2, "{seen:?}");
}

#[test]
fn the_pointer_is_recorded_and_the_recording_can_be_kept_in_the_graph() {
    let mut bench = Bench::smoke();
    assert_eq!(bench.document().input, None);
    bench.until("frames", |bench| bench.computed() >= 5 && picture(bench, "image ").is_some());
    let view = picture(&bench, "image ").expect("the image").rect.center();
    bench.pointer_button(view, PointerButton::Primary, true, Modifiers::NONE);
    bench.plays();
    bench.pointer_button(view, PointerButton::Primary, false, Modifiers::NONE);
    bench.key(Key::Space);
    bench.rest();
    let timeline = bench.editor().simulation().unwrap().timeline().unwrap();
    assert!((0..timeline.end()).any(|frame| timeline.journal().is_live(frame)));
    palette(&mut bench, "Save input to graph");
    let kept = bench.document().input.clone().expect("a recording");
    let end = bench.computed() as f64 / 60.0;
    assert!((0..60).any(|part| kept.at(f64::from(part) / 60.0 * end, 1.0 / 60.0).buttons != 0));
    bench.undo();
    assert_eq!(bench.document().input, None);
    palette(&mut bench, "Discard all input");
    arrives(&mut bench, 0);
    let timeline = bench.editor().simulation().unwrap().timeline().unwrap();
    assert_eq!(timeline.end(), 0);
}
