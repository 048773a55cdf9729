//! Every seek ends, during edits, searches and playback, and Escape ends it at any time.

use eframe::egui::{Key, Modifiers, Pos2, pos2, vec2};

use stagewright_language::document::ParamValue;

use super::bench::{Bench, SMOKE, WINDOW};
use super::heavy::slow;
use super::random::Random;

impl Bench {
    fn seeks(&self) -> Option<u64> {
        self.editor().seeking()
    }

    /// Where a frame is on the timeline, which shows 60 frames at least.
    fn on_timeline(&self, frame: u64) -> Pos2 {
        let rect = self.find("Timeline").expect("the timeline");
        let end = self.editor().timeline_end().max(60) as f32 * 1.02;
        pos2(rect.left() + frame as f32 / end * rect.width(), rect.bottom() - 6.0)
    }

    fn under_way(&self) -> bool {
        self.editor().simulation().is_some_and(|simulation| simulation.progress().is_some())
    }
}

fn says(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

/// A frame that is computed in slices while another one is entered is collected all the same: what comes later waits for it.
#[test]
fn a_frame_is_left_for_another_one_though_it_was_entered_while_the_next_was_under_way() {
    let mut bench = Bench::from_text(&slow(64, 60), vec2(1000.0, 700.0));
    bench.compiled();
    for key in [Key::F6, Key::F10] {
        let before = bench.computed();
        bench.until("a frame under way", |bench| bench.computed() >= before.max(2) && bench.under_way());
        bench.key(key);
        bench.until("the frame", |bench| says(bench, " of ") && says(bench, "Frame ") && bench.editor().debugs());
        assert!(!bench.under_way(), "its States are those of a whole frame");
        let first = bench.on_timeline(1);
        bench.click(first);
        bench.until("frame 1", |bench| bench.seeks().is_none() && !bench.editor().debugs() && bench.computed() == 1);
        bench.key(Key::Space);
    }
}

#[test]
fn escape_ends_a_seek_where_it_is_and_the_bar_says_so() {
    let mut bench = Bench::from_text(&slow(96, 100), vec2(1000.0, 700.0));
    bench.compiled();
    bench.until("a frame", |bench| bench.computed() >= 1);
    bench.key(Key::Space);
    let far = bench.on_timeline(55);
    bench.click(far);
    let target = bench.seeks().expect("a seek");
    assert!(target.abs_diff(55) <= 1, "{target}");
    bench.until("a word", |bench| says(bench, &format!("oing to frame {target}")));
    assert!(bench.find("Stop going to the frame (Escape)").is_some());
    bench.key(Key::Escape);
    assert_eq!(bench.seeks(), None);
    bench.until("the frame under way", |bench| !bench.under_way());
    let there = bench.computed();
    bench.rest();
    assert!(there < 55 && bench.computed() == there && !bench.under_way(), "{there}");
}

/// Edits, also of what cannot run, searches, steps inside a frame, seeks and plays in any order.
#[test]
fn a_seek_ends_whatever_comes_before_it() {
    for seed in super::random::seeds(3, 40) {
        let _case = super::seed::Case::begin(seed, "a_seek_ends_whatever");
        let mut bench = Bench::from_text(&burning(), WINDOW);
        bench.compiled();
        edits(&mut bench);
        let mut random = Random::new(seed);
        let mut done = Vec::new();
        for _ in 0..40 {
            done.push(act(&mut bench, &mut random));
            if random.chance(25) {
                bench.rest();
            }
            if random.chance(30) {
                let to = random.below(90) as u64;
                let at = bench.on_timeline(to);
                bench.click(at);
                done.push("seek");
                // A stop, an edit or a search may come in between.
                if random.chance(50) {
                    done.push(act(&mut bench, &mut random));
                }
                bench.until(&format!("the end of the seek to {to}, seed {seed} after {done:?},"), |bench| {
                    bench.seeks().is_none() && !bench.editor().compiling()
                });
            }
        }
        bench.key(Key::Escape);
        bench.key_with(Modifiers::SHIFT, Key::Space);
        bench.until("the end", |bench| bench.seeks().is_none() && !bench.editor().compiling());
    }
}

/// Smoke that becomes NaN some frames after the start.
fn burning() -> String {
    SMOKE
        .replace("(1.0 - params.rate)", "(1.0 - params.rate * sqrt(1.0 - field(cell)))")
        .replace("\"radius\": 0.1, \"rate\": 5", "\"radius\": 0.1, \"rate\": 30")
}

/// Steps of the history between which undo and redo lead: values, a bypass, another name, and a node that can't run.
fn edits(bench: &mut Bench) {
    bench.select("smoke");
    bench.set_number("rate", 9.0);
    bench.select("look");
    bench.rename("colours");
    bench.select("fade");
    bench.key(Key::M);
    bench.select("smoke");
    bench.set("rate", &ParamValue::Expression("nowhere * 2".into()));
    bench.compiled();
    assert!(!bench.problems().is_empty(), "this one can't run");
    for _ in 0..2 {
        bench.undo();
    }
    bench.compiled();
}

/// One thing that a person does. Returns what it was.
fn act(bench: &mut Bench, random: &mut Random) -> &'static str {
    let palette = |bench: &mut Bench, command: &str| {
        bench.key_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
        bench.write(command);
        bench.key(Key::Enter);
        if bench.seeks().is_none() {
            // A list whose command is not possible now stays open.
            bench.key(Key::Escape);
        }
    };
    match random.below(11) {
        0 | 1 => {
            bench.undo();
            "undo"
        }
        2 | 3 => {
            bench.redo();
            "redo"
        }
        4 | 5 => {
            palette(bench, "Find first NaN");
            "find"
        }
        6 => {
            bench.key(Key::Space);
            "play"
        }
        7 => {
            bench.key(Key::ArrowRight);
            "step"
        }
        8 => {
            bench.key(Key::F10);
            "dispatch"
        }
        9 => {
            bench.key_with(Modifiers::SHIFT, Key::F5);
            "leave"
        }
        _ => {
            bench.key_with(Modifiers::SHIFT, Key::Space);
            "reset"
        }
    }
}
