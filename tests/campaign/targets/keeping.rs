//! Small files that the program keeps or reads beside graphs: recordings, settings, and what a dead window left.

use std::path::PathBuf;

use stagewright_base::input::InputTrack;
use stagewright_editor::storage;

use super::{Target, lossy};
use crate::corpus::corpus;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const RECORDING: Target = Target {
    name: "recording",
    ending: "ron",
    weight: 2,
    short: 2000,
    levels: &["refused", "plays"],
    make: make_recording,
    run: run_recording,
};
pub const SETTINGS: Target = Target {
    name: "settings",
    ending: "ron",
    weight: 2,
    short: 300,
    levels: &["defaults", "read"],
    make: make_settings,
    run: run_settings,
};
pub const RECOVERY: Target = Target {
    name: "recovery",
    ending: "ron",
    weight: 2,
    short: 150,
    levels: &["nothing", "offered"],
    make: make_recovery,
    run: run_recovery,
};

const TRACKS: [&str; 3] = [
    "(repeat: true, pointer: [\n(t: 0, x: 0.1, y: 0.5, buttons: 1),\n(t: 1.5, x: 0.9, y: 0.5),\n(t: 2, x: 0.9, y: 0.1)],\nkeys: [(from: 0.5, to: 1, keys: 1)])",
    "(repeat: false, pointer: [(t: 0, x: 0, y: 0)], keys: [\n(from: 0, to: 100, keys: 1),\n(from: 1, to: 2, keys: 3)])",
    "()",
];

const WORDS: &[&str] = &[
    "repeat", "pointer", "keys", "buttons", "from", "to", "t", "x", "y", "true", "false", "(", ")", "[", "]", ":", ",",
    "-", "None",
];

fn changed(random: &mut Random, seeds: &[String]) -> Vec<u8> {
    let words: Vec<&str> = WORDS.iter().chain(NUMBERS).copied().collect();
    let one = random.one(seeds).clone();
    mutate::text(random, &one, seeds, &words).into_bytes()
}

fn make_recording(random: &mut Random) -> Vec<u8> {
    changed(random, &TRACKS.map(String::from))
}

fn run_recording(bytes: &[u8]) -> usize {
    let Ok(track) = InputTrack::parse(&lossy(bytes)) else { return 0 };
    for time in [-1.0, 0.0, 0.75, 1.5, 1e6, f64::MAX] {
        let input = track.at(time, 1.0 / 60.0);
        assert!(input.mouse.iter().all(|x| x.is_finite()), "the pointer is somewhere: {input:?} at {time}");
    }
    let text = track.to_ron().expect("a track that was read can be written");
    assert_eq!(InputTrack::parse(&text).as_ref(), Ok(&track), "{text}");
    let inputs = (0..40).map(|frame| f64::from(frame) / 60.0).map(|time| (time, track.at(time, 1.0 / 60.0)));
    let recorded = InputTrack::recorded(inputs);
    assert_eq!(recorded.check(), Ok(()), "what is recorded is sound: {recorded:?}");
    1
}

fn make_settings(random: &mut Random) -> Vec<u8> {
    let plain = storage::default_settings();
    let some = plain.replace("recent: []", "recent: [\"/a.ron\", \"/b c.ron\"]").replace("hints: []", "hints: [0, 1]");
    changed(random, &[plain, some])
}

/// A folder of the process, empty.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright-campaign-{}", std::process::id())).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the case");
    folder
}

fn run_settings(bytes: &[u8]) -> usize {
    let folder = folder("settings");
    std::fs::write(folder.join("settings.ron"), bytes).expect("the case is written");
    let read = storage::settings(&folder);
    // Written by the next change, they are read as they are.
    storage::remember(&folder, &folder.join("g.ron")).expect("settings can be written");
    let again = storage::settings(&folder);
    assert!(again.contains("g.ron"), "what is remembered is there: {again}");
    usize::from(read != storage::default_settings())
}

fn make_recovery(random: &mut Random) -> Vec<u8> {
    let head = "// Changes that were not saved to \"/some/where.ron\"\n// Not saved either: (\"/stages/fade.wgsl\",(text:\"//! Fade\\n\",of:\"\",overtaken:true))\n";
    let graphs = &corpus().graphs;
    let seeds: Vec<String> = graphs.iter().take(6).map(|graph| format!("{head}{graph}")).collect();
    match random.below(4) {
        0 => {
            let one = random.one(&seeds).clone();
            mutate::bytes(random, one.as_bytes())
        }
        _ => changed(random, &seeds),
    }
}

fn run_recovery(bytes: &[u8]) -> usize {
    let folder = folder("recovery");
    std::fs::write(folder.join("1-2-0.lock"), "").expect("the lock is written");
    std::fs::write(folder.join("1-2-0.ron"), bytes).expect("the case is written");
    let left = storage::recovered(&folder);
    let level = usize::from(!left.is_empty());
    for document in &left {
        super::graph::check_round_trip(document);
    }
    level
}
