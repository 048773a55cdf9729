use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::*;

fn index(state: bool, last: u64) -> Index {
    let part = |name: &str, words, numbers| {
        let stored = format!("{name} f32");
        BakedPart { name: name.into(), stored, words, numbers }
    };
    let (count, position) = (part("count", 2, Numbers::Whole), part("position", 400, Numbers::Single));
    let dye = part("", 3000, Numbers::Single);
    let wires = vec![
        BakedWire { name: "advect.dye".into(), state: false, capacity: 0, parts: vec![dye] },
        BakedWire { name: "drops".into(), state, capacity: 100, parts: vec![count, position] },
    ];
    Index::new("a card", (1, last), wires, BTreeMap::from([("param jet.rate".into(), "10".into())]))
}

/// The words of a frame: a smooth grid, and fewer particles than fit.
fn parts(frame: u64) -> [Vec<u32>; 3] {
    let grid = (0..3000).map(|i| (1.0 + (i as f32 * 0.01 + frame as f32).sin()).to_bits());
    let position = (0..4 * frame as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 3);
    [grid.collect(), vec![frame as u32; 2], position.collect()]
}

fn write(folder: &std::path::Path, index: &Index, frames: std::ops::RangeInclusive<u64>) -> u64 {
    let (writer, kept) = Writer::begin(folder, index.clone(), true).unwrap();
    for frame in frames.filter(|frame| !kept.sound.contains(frame)) {
        let [a, b, c] = parts(frame);
        // Before the first frame States alone have a value.
        let a = if frame < index.first { &[][..] } else { &a };
        writer.write(frame, frame as f64 / 60.0, &[a, &b, &c]).unwrap();
    }
    writer.finish();
    kept.sound.len() as u64
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
fn files_of_others_are_neither_replaced_nor_removed() {
    for name in ["index.json", "frame.0001.bake", "frame.0000.bake", "state.0005.safetensors"] {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join(name);
        let package = r#"{"name": "web", "program": "webpack"}"#;
        fs::write(&other, package).unwrap();
        let refused = || [Writer::begin(folder.path(), index(false, 2), false).map(drop), remove(folder.path())];
        assert_eq!(refused(), [Err(CacheError::Foreign(other.clone())), Err(CacheError::Foreign(other.clone()))]);
        assert_eq!(fs::read_to_string(&other).unwrap(), package);
        #[cfg(unix)]
        {
            // A link, to a cache even, is none either.
            let cache = tempfile::tempdir().unwrap();
            write(cache.path(), &index(true, 2), 0..=2);
            fs::remove_file(&other).unwrap();
            std::os::unix::fs::symlink(cache.path().join("index.json"), &other).unwrap();
            assert!(refused().iter().all(Result::is_err) && Cache::open(cache.path()).is_ok(), "{name}");
        }
    }
}

#[test]
fn what_a_killed_or_newer_version_has_left_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(true, 3), 0..=3);
    fs::write(STATES.path(folder.path(), 2), br#"........{"__metadata__":{"stagewright":"{}"}}"#).unwrap();
    fs::write(FRAMES.path(folder.path(), 2), "").unwrap();
    // Killed between the index and the frames.
    fs::remove_file(folder.path().join(INDEX)).unwrap();
    let (writer, kept) = Writer::begin(folder.path(), index(true, 2), true).unwrap();
    assert_eq!((kept.sound.len(), writer.replaced()), (0, 5));
    drop(writer);
    let text = fs::read_to_string(folder.path().join(INDEX)).unwrap();
    fs::write(folder.path().join(INDEX), text.replace("\"version\": 2", "\"version\": 9")).unwrap();
    let (writer, _) = Writer::begin(folder.path(), index(true, 2), true).unwrap();
    assert_eq!(writer.replaced(), 1);
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

/// A frame with these parts and right hashes.
fn forged(cache: [u8; 32], frame: u64, time: f64, parts: &[&[u32]], lie: impl Fn(&mut frame::Header)) -> Vec<u8> {
    let packed: Vec<Vec<u8>> = parts.iter().map(|words| codec::pack(words).unwrap()).collect();
    let size = |(words, packed): (&&[u32], &Vec<u8>)| frame::Size {
        words: words.len() as u64,
        packed: packed.len() as u64,
        not_finite: 0,
    };
    let sizes = parts.iter().zip(&packed).map(size).collect();
    let mut header = frame::Header { hash: [0; 32], cache, frame, time, parts: sizes };
    lie(&mut header);
    [header.seal(&packed), packed.concat()].concat()
}

#[test]
fn damaged_and_lying_files_are_reported_and_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(false, 2);
    write(folder.path(), &index, 1..=2);
    let cache = Cache::open(folder.path()).unwrap();
    let path = FRAMES.path(folder.path(), 1);
    let whole = fs::read(&path).unwrap();
    let reported = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let error = cache.frame(1).map(drop).expect_err(what);
        assert!(matches!(error, CacheError::Damaged { .. }), "{what}: {error}");
        let verified = cache.verify(1).map(drop).expect_err(what);
        assert!(matches!(verified, CacheError::Damaged { .. }), "{what}: {verified}");
        error.to_string()
    };
    for length in [0, 7, 27, 91, 100, whole.len() - 1] {
        reported(&whole[..length], "half a file");
    }
    reported(&[&whole[..], b"x"].concat(), "more than a file");
    for at in (0..170).chain([200, whole.len() / 2, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        reported(&bytes, "a byte");
    }
    assert!(reported(&fs::read(FRAMES.path(folder.path(), 2)).unwrap(), "another").contains("it holds frame 2"));
    let other = Index { adapter: "another card".into(), ..index.clone() }.identity();
    let (identity, [a, b, c]) = (index.identity(), parts(1));
    let with = |parts: &[&[u32]]| forged(identity, 1, 0.5, parts, |_| {});
    assert!(fs::write(&path, with(&[&a, &b, &c])).is_ok() && cache.frame(1).is_ok(), "what is right is played");
    for (what, bytes, says) in [
        ("another cache", forged(other, 1, 0.5, &[&a, &b, &c], |_| {}), "it belongs to another cache"),
        ("another number", forged(identity, 2, 0.5, &[&a, &b, &c], |_| {}), "it holds frame 2"),
        ("no time", forged(identity, 1, f64::NAN, &[&a, &b, &c], |_| {}), "its time is out of range"),
        ("a short grid", with(&[&a[..10], &b, &c]), "has 10 words, and 3000 are right"),
        ("no grid", with(&[&[], &b, &c]), "has 0 words, and 3000 are right"),
        ("a long grid", with(&[&[&a[..], &a].concat(), &b, &c]), "has 6000 words, and 3000 are right"),
        ("a short count", with(&[&a, &b[..1], &c]), "count of drops has 1 words"),
        ("no count", with(&[&a, &[], &c]), "count of drops has 0 words"),
        ("workgroups", with(&[&a, &[1, 1, 0, 0, 2001, 2001, 2001, 0], &c]), "count of drops has 8 words"),
        ("many particles", with(&[&a, &[101, 101], &c]), "101 particles of drops, and there is room for 100"),
        ("2^32 - 1 particles", with(&[&a, &[u32::MAX; 2], &c]), "there is room for 100"),
        ("fewer positions", with(&[&a, &[2, 2], &c]), "position of drops has 4 words, and 2 particles have 8"),
        ("no positions", with(&[&a, &b, &[]]), "position of drops has 0 words"),
        ("a part less", with(&[&a, &b]), "it holds 2 parts"),
        ("a lie", forged(identity, 1, 0.5, &[&a, &b, &c], |h| h.parts[0].words = 1 << 62), "3000 are right"),
        ("bytes", forged(identity, 1, 0.5, &[&a, &b, &c], |h| h.parts[0].packed = 1 << 40), "do not fit its length"),
    ] {
        let said = reported(&bytes, what);
        assert!(said.contains(says) && !said.contains('\n'), "{what}: {said}");
    }
    let text = fs::read_to_string(folder.path().join(INDEX)).unwrap();
    for (text, says) in [
        (text.replace("\"version\": 2", "\"version\": 9"), "update Stagewright"),
        (text.replace("\"version\": 2", "\"version\": 1"), "in another format; bake it again"),
        (text.replace("\"first\": 1", "\"first\": 7"), "it has no frames 7-2"),
        (text.replace("\"last\": 2", "\"last\": 18446744073709551615"), "it has no frames 1-18446744073709551615"),
        ("{".into(), "is damaged"),
    ] {
        fs::write(folder.path().join(INDEX), text).unwrap();
        let error = Cache::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// A part that the plan has no room for is not decoded.
#[test]
fn parts_that_nobody_asks_for_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(false, 1), 1..=1);
    let cache = Cache::open(folder.path()).unwrap().with_parts(vec![2, 1]);
    let [_, count, position] = parts(1);
    assert_eq!(cache.frame(1).unwrap().parts, [vec![], count, position]);
}

#[test]
fn nan_is_marked_in_the_frame_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = Writer::begin(folder.path(), index(false, 1), false).unwrap();
    let [mut dye, count, mut position] = parts(1);
    (dye[7], dye[8], position[0]) = (f32::NAN.to_bits(), f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits());
    writer.write(1, 0.0, &[&dye, &count, &position]).unwrap();
    let cache = Cache::open(folder.path()).unwrap();
    assert_eq!(cache.frame(1).unwrap().not_finite, [2, 0, 1]);
    assert_eq!(cache.verify(1).unwrap(), [("advect.dye".into(), 2), ("drops".into(), 1)]);
    assert_eq!(Numbers::Half.not_finite(&[0x7c00_3c00, 0x3c00_fe01, 0x7bff_7bff]), 2);
}

#[test]
fn a_resumed_bake_says_which_frames_are_broken_and_keeps_the_others() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &index(true, 5), 0..=5);
    let path = |frame| FRAMES.path(folder.path(), frame);
    let mut bytes = fs::read(path(2)).unwrap();
    bytes[150] ^= 1;
    fs::write(path(2), bytes).unwrap();
    fs::copy(path(4), path(3)).unwrap();
    fs::remove_file(path(5)).unwrap();
    let (_, kept) = Writer::begin(folder.path(), index(true, 5), true).unwrap();
    assert_eq!(kept.sound, [0, 1, 4].into());
    let said: Vec<String> = kept.broken.iter().map(|(frame, error)| format!("{frame}: {error}")).collect();
    assert!(said.len() == 2 && said[0].starts_with("2: ") && said[1].contains("it holds frame 4"), "{said:?}");
    assert_eq!(write(folder.path(), &index(true, 5), 0..=5), 3);
    assert_eq!(write(folder.path(), &index(true, 5), 0..=5), 6);
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
