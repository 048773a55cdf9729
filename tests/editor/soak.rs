//! A long session: what somebody edits and takes back leaves no memory behind. Growth of what the driver holds is not counted, for a
//! software driver may keep what it has compiled.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use eframe::egui::{Key, vec2};
use mimalloc::MiMalloc;
use stagewright_compiler::forget_passed;
use stagewright_language::library::Library;

use super::bench::Bench;
use super::random::{Play, coarse, undo_to};

static HELD: AtomicUsize = AtomicUsize::new(0);

/// The program's allocator, with a count of the bytes held.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to mimalloc unchanged; the count touches no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Relaxed);
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Relaxed);
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Relaxed);
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { MiMalloc.realloc(block, layout, size) }
    }
}

/// Memory of the process, with what the driver holds \[bytes\]; 0 where the system does not say.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).map_or(0, |pages| pages * 4096)
}

/// Views that were pinned stay until somebody closes them. What is open on top is closed first, which takes a click or Escape.
fn reset_layout(bench: &mut Bench) {
    // Keys may have scaled the interface, and places on the screen are those of no scale.
    bench.harness.ctx.set_zoom_factor(1.0);
    bench.rest();
    for _ in 0..8 {
        bench.press("Window");
        if let Some(entry) = bench.seen().into_iter().find(|seen| seen.name.starts_with("Reset layout")) {
            return bench.click(entry.rect.center());
        }
        bench.key(Key::Escape);
    }
    panic!("the menu does not open");
}

/// Rounds of random gestures, each undone to the start, in one editor for STAGEWRIGHT_MINUTES. Memory is compared where the graph has
/// just been opened again, without a step to undo. In the last third the program may hold more than in the second, which fills caches, by
/// 1 % of the whole process.
#[test]
#[ignore = "takes minutes: STAGEWRIGHT_MINUTES=30 cargo test --test editor -- --ignored a_long_session"]
fn a_long_session_does_not_grow() {
    let minutes = std::env::var("STAGEWRIGHT_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(5.0);
    let time = Duration::from_secs_f64(60.0 * minutes);
    // What is found out about a built-in stage when it is first used stays, so all of it is found out now.
    for stage in Library::builtin().stages() {
        for dim in [2, 3] {
            let _ = (stage.bounded(dim), stage.unrolled(dim), stage.search(dim), stage.interleaves(dim));
            stage.header.ports.iter().for_each(|port| {
                let _ = stage.footprint(&port.name, dim);
            });
        }
    }
    let mut bench = Bench::from_text(&coarse("stable_fluids").to_text(), vec2(1400.0, 900.0));
    let start = bench.document().clone();
    let mut play = Play::new(1);
    let began = Instant::now();
    let mut held = Vec::new();
    let mut events = 0;
    // The smallest seen, once the graph runs: what a driver keeps does not count in favour of the program.
    let mut process = f64::MAX;
    while began.elapsed() < time {
        for _ in 0..5 {
            events += 50;
            play.frames(&mut bench, 50);
            undo_to(&mut bench, &start, 200);
        }
        bench.reopen();
        bench.undo();
        assert!(*bench.document() == start, "what was just opened has a step to undo");
        bench.compiled();
        reset_layout(&mut bench);
        bench.forget_glyphs();
        // What has passed is kept up to a limit that only hours reach.
        forget_passed();
        held.push(HELD.load(Relaxed));
        process = process.min(resident() as f64);
        if held.len() % 10 == 0 {
            let (heap, total) = (held[held.len() - 1] / 1024, resident() >> 20);
            println!("{:5.0} s {events} events {heap} kB, {total} MB with the driver", began.elapsed().as_secs_f64());
        }
    }
    let third = held.len() / 3;
    // What is in flight when a round ends comes and goes.
    let least = |part: &[usize]| part.iter().copied().min().unwrap_or(0) as f64;
    let (before, after) = (least(&held[third..2 * third]), least(&held[2 * third..]));
    let growth = (after - before) / process;
    println!("{events} events: {before} bytes, then {after}: {:+.3} % of the process", 100.0 * growth);
    assert!(third >= 3, "{} rounds are too few", held.len());
    assert!(growth <= 0.01, "{before} bytes have become {after}, of a process of {process}");
}
