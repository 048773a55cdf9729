use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::*;

fn index(state: bool, last: u64) -> Index {
    let part = |name: &str, words| BakedPart { name: name.into(), stored: format!("{name} f32"), words };
    let wires = vec![
        BakedWire { name: "advect.dye".into(), state: false, parts: vec![part("", 3000)] },
        BakedWire { name: "drops".into(), state, parts: vec![part("count", 8), part("position", 400)] },
    ];
    Index::new("a card", (1, last), wires, BTreeMap::from([("param jet.rate".into(), "10".into())]))
}

/// The words of a frame: a smooth grid, and fewer particles than fit.
fn parts(frame: u64) -> [Vec<u32>; 3] {
    let grid = (0..3000).map(|i| (1.0 + (i as f32 * 0.01 + frame as f32).sin()).to_bits());
    let position = (0..10 * frame as u32).map(|i| i.wrapping_mul(0x9e37_79b9));
    [grid.collect(), vec![frame as u32; 8], position.collect()]
}

fn write(folder: &std::path::Path, index: &Index, frames: std::ops::RangeInclusive<u64>) -> u64 {
    let (writer, kept) = Writer::begin(folder, index.clone(), true).unwrap();
    for frame in frames.skip(kept as usize) {
        let [a, b, c] = parts(frame);
        writer.write(frame, frame as f64 / 60.0, &[&a, &b, &c]).unwrap();
    }
    writer.finish();
    kept
}

#[test]
fn frames_come_back_bit_for_bit_in_any_order_and_take_less_space() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(false, 9), 1..=9);
    let cache = Cache::open(folder.path()).unwrap();
    assert_eq!((cache.frames(), cache.index()), (Some(1..=9), &index(false, 9)));
    for frame in [9, 1, 5] {
        let read = cache.frame(frame).unwrap();
        assert_eq!((read.time, read.parts), (frame as f64 / 60.0, parts(frame).to_vec()));
    }
    let raw: u64 = (1..=9).map(|frame| parts(frame).iter().map(|words| words.len() as u64 * 4).sum::<u64>()).sum();
    assert!(cache.bytes() < raw * 9 / 10, "{} of {raw} bytes", cache.bytes());
    assert_eq!(cache.frame(10), Err(CacheError::Frame { path: folder.path().into(), frame: 10 }));
}

#[test]
fn an_interrupted_bake_is_resumed_and_another_one_replaces_it() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(write(folder.path(), &index(false, 6), 1..=4), 0);
    assert_eq!(Cache::open(folder.path()).unwrap().frames(), Some(1..=4), "what is there can be played");
    // The frame that was being written when the process was killed.
    fs::write(FRAMES.path(folder.path(), 4), "SWBAKE").unwrap();
    assert_eq!(write(folder.path(), &index(false, 6), 1..=6), 3);
    assert_eq!(Cache::open(folder.path()).unwrap().frame(4).unwrap().parts, parts(4));
    // A longer one continues, and a shorter one takes what it needs.
    fs::write(STATES.path(folder.path(), 5), "States").unwrap();
    assert_eq!(write(folder.path(), &index(false, 7), 7..=7), 6);
    assert_eq!(write(folder.path(), &index(false, 4), 4..=4), 4);
    assert_eq!(Cache::open(folder.path()).unwrap().frames(), Some(1..=4));
    assert!(!FRAMES.path(folder.path(), 7).exists() && !STATES.path(folder.path(), 5).exists());
    let other = Index { depends: BTreeMap::new(), ..index(false, 2) };
    fs::write(STATES.path(folder.path(), 2), "States").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    assert_eq!(write(folder.path(), &other, 1..=2), 0);
    assert_eq!(Cache::open(folder.path()).unwrap().frames(), Some(1..=2));
    assert!(!FRAMES.path(folder.path(), 4).exists() && !STATES.path(folder.path(), 2).exists());
    let held = Writer::begin(folder.path(), other, true).unwrap();
    assert_eq!(remove(folder.path()), Err(CacheError::Locked(folder.path().into())));
    drop(held);
    remove(folder.path()).unwrap();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"], "files of others stay");
    assert_eq!(Cache::open(folder.path()).unwrap_err(), CacheError::Missing(folder.path().into()));
}

#[test]
fn a_state_needs_the_frame_before_the_first() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(true, 3), 0..=3);
    let cache = Cache::open(folder.path()).unwrap();
    assert_eq!((cache.frames(), cache.frame(0).unwrap().time), (Some(1..=3), 0.0));
    fs::remove_file(FRAMES.path(folder.path(), 0)).unwrap();
    assert_eq!(Cache::open(folder.path()).unwrap().frames(), None);
}

#[test]
fn damaged_and_lying_files_are_reported_and_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(false, 2), 1..=2);
    let cache = Cache::open(folder.path()).unwrap();
    let path = FRAMES.path(folder.path(), 1);
    let whole = fs::read(&path).unwrap();
    let reported = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = cache.frame(1).unwrap_err();
        assert!(matches!(error, CacheError::Damaged { .. }), "{error}");
        error.to_string()
    };
    for length in [0, 7, 27, 40, whole.len() - 1] {
        reported(&whole[..length]);
    }
    for at in [0, 8, 24, 28, 36, 60, 200, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        reported(&bytes);
    }
    // A part that claims more words than the index allows, and a file that holds another frame.
    let mut huge = whole.clone();
    huge[28..36].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(reported(&huge).contains("at most 3000 fit"));
    assert!(reported(&fs::read(FRAMES.path(folder.path(), 2)).unwrap()).contains("it holds frame 2"));
    let text = fs::read_to_string(folder.path().join(INDEX)).unwrap();
    for (text, says) in [
        (text.replace("\"version\": 1", "\"version\": 9"), "update Stagewright"),
        (text.replace("\"first\": 1", "\"first\": 7"), "it has no frames 7-2"),
        ("{".into(), "is damaged"),
    ] {
        fs::write(folder.path().join(INDEX), text).unwrap();
        let error = Cache::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn frames_are_read_ahead_as_far_as_memory_goes() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(false, 30), 1..=30);
    let cache = Cache::open(folder.path()).unwrap();
    // Room for about four frames.
    let ahead = ReadAhead::new(cache, 4 * 13_000);
    for frame in [1, 2, 3, 20, 19, 18, 30, 1] {
        let first = ahead.frame(frame).unwrap();
        assert_eq!(first.parts, parts(frame));
        assert!(Arc::ptr_eq(&first, &ahead.frame(frame).unwrap()), "it stays in memory");
    }
    assert!(ahead.frame(31).is_err());
}

#[test]
fn a_damaged_frame_that_is_read_ahead_does_not_keep_others_from_being_read() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(false, 3), 1..=3);
    fs::write(FRAMES.path(folder.path(), 2), "SWBAKE").unwrap();
    let ahead = ReadAhead::new(Cache::open(folder.path()).unwrap(), 1 << 20);
    let (sender, answer) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        ahead.frame(1).unwrap();
        // The thread comes to the damaged one.
        std::thread::sleep(Duration::from_millis(50));
        sender.send((ahead.frame(2).is_err(), ahead.frame(3).is_ok())).unwrap();
    });
    assert_eq!(answer.recv_timeout(Duration::from_secs(20)), Ok((true, true)));
}
