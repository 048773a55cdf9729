//! Sounds and tables as keys of a parameter.

use stagewright_base::curve::Keyframes;
use stagewright_language::document::ParamValue;

use super::{err, folder, out, stagewright};

/// Two seconds with 8,000 samples of 16 bits each: the first grows from silence to the loudest, the second is silent.
fn sound() -> Vec<u8> {
    let sample = |n: u32| {
        let loud = if n < 8000 { f64::from(n) / 8000.0 } else { 0.0 };
        (loud * 32_767.0 * (f64::from(n) * 0.9).sin()) as i16
    };
    let data: Vec<u8> = (0..16_000).flat_map(|n| sample(n).to_le_bytes()).collect();
    let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    bytes.extend(8000u32.to_le_bytes());
    bytes.extend(16_000u32.to_le_bytes());
    bytes.extend([2, 0, 16, 0]);
    // A chunk that means nothing here, of odd length.
    bytes.extend(b"note\x03\0\0\0abc\0data");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn a_sound_and_a_table_become_keys() {
    let dir = folder("keys");
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_string()
    };
    let keys = |arguments: &[&str]| -> Keyframes {
        let output = stagewright(&[&["keys"], arguments].concat());
        assert!(output.status.success(), "{}", err(&output));
        let value = ParamValue::from_ron(out(&output).trim()).expect("the notation of graph files");
        value.keys().cloned().expect("keys")
    };
    let beat = file("beat.wav", &sound());
    // A frame has 400 samples, many of the sine's periods: its root mean square is the amplitude in its middle by sqrt(2).
    let rms = keys(&[&beat, "--fps", "20", "--tolerance", "0.002"]);
    for frame in 0..20 {
        let expected = (f64::from(frame) + 0.5) / 20.0 / 2f64.sqrt();
        let value = rms.component(0, f64::from(frame));
        assert!((value - expected).abs() < 0.01, "frame {frame}: {value}, not {expected}");
    }
    assert!((20..40).all(|frame| rms.component(0, f64::from(frame)) == 0.0));
    assert!(rms.keys.len() < 15, "straight lines have few keys: {}", rms.keys.len());
    let peak = keys(&[&beat, "--fps", "20", "--peak", "--range", "10..-10"]);
    assert!((peak.component(0, 19.0) + 10.0).abs() < 0.5 && peak.component(0, 30.0) == 10.0, "{peak:?}");

    let table = file("table.csv", b"time,value\n0,1\n0.5,3\n1.5,-1\n");
    let table = keys(&[&table, "--fps", "30"]);
    assert_eq!(
        table.keys.iter().map(|key| (key.frame, key.value[0])).collect::<Vec<_>>(),
        [(0.0, 1.0), (15.0, 3.0), (45.0, -1.0)]
    );
    let plain = keys(&[&file("plain.csv", b"0;2\n10;2.001\n20;2\n40;7\n")]);
    assert_eq!(
        plain.keys.iter().map(|key| (key.frame, key.value[0])).collect::<Vec<_>>(),
        [(0.0, 2.0), (20.0, 2.0), (40.0, 7.0)]
    );

    let refused = |name: &str, bytes: &[u8], said: &str| {
        let output = stagewright(&["keys", &file(name, bytes)]);
        assert!(!output.status.success() && err(&output).contains(said), "{name}: {}{}", out(&output), err(&output));
        assert_eq!(err(&output).trim().lines().count(), 1, "{}", err(&output));
    };
    let whole = sound();
    refused("cut.wav", &whole[..whole.len() - 1], "it is not a valid WAV file: it is cut off; export it again");
    refused("head.wav", &whole[..20], "it is not a valid WAV file: it is cut off; export it again");
    refused("text.wav", b"RIFFnothing", "it is not a valid WAV file: it does not begin as one");
    let packed: Vec<u8> = whole.iter().enumerate().map(|(at, byte)| if at == 20 { 85 } else { *byte }).collect();
    refused("packed.wav", &packed, "its sound is stored as MP3; save it as PCM");
    refused(
        "words.csv",
        b"frame,value\n0,1\nten,2\n",
        "it is not a valid CSV file: line 3 has no number in one of its columns",
    );
    refused("back.csv", b"0,1\n0,2\n", "line 2 is not later than the one before");
    refused("beat.mp3", b"", ".mp3 files are not supported; convert the sound to .wav");
    std::fs::remove_dir_all(dir).unwrap();
}
