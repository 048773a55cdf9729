//! Numbers over time from sounds and tables.

use std::panic::catch_unwind;

use stagewright_base::files::Access;
use stagewright_runtime::asset::envelope::Loudness;
use stagewright_runtime::asset::{AssetGrid, Request, Timing, Work};

use crate::*;

const TIMING: Timing = Timing { fps: 10.0, loudness: Loudness::Rms, attack: 0.0, release: 0.0 };

fn load(path: &Path, column: Option<&str>, timing: Timing) -> Result<AssetGrid, AssetError> {
    Request::track(path, column.map(String::from), timing, Access::default()).load(&Work::default())
}

fn values(path: &Path, column: Option<&str>, timing: Timing) -> Vec<f32> {
    load(path, column, timing).unwrap_or_else(|e| panic!("{e}")).values
}

/// A tenth of a second of each of these amplitudes, as squares of 16 bits in two channels, 1000 samples a second.
fn sound(amplitudes: &[f64]) -> Vec<u8> {
    let sample = |n: usize| {
        let amplitude = amplitudes[n / 100] * if n.is_multiple_of(2) { 1.0 } else { -1.0 };
        ((amplitude * 32_768.0) as i16).to_le_bytes()
    };
    let data: Vec<u8> = (0..100 * amplitudes.len()).flat_map(|n| [sample(n); 2]).flatten().collect();
    let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\xe8\x03\0\0\xa0\x0f\0\0\x04\0\x10\0data".to_vec();
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn a_sound_is_a_number_that_rises_and_falls_as_slowly_as_wanted() {
    let folder = Folder::new("sound");
    let bytes = sound(&[0.0, 0.5, 0.5, 0.0, 0.25]);
    let file = folder.file("beat.wav", &bytes);
    assert_eq!(values(&file, None, TIMING), [0.0, 0.5, 0.5, 0.0, 0.25]);
    assert_eq!(values(&file, None, Timing { loudness: Loudness::Peak, ..TIMING }), [0.0, 0.5, 0.5, 0.0, 0.25]);
    // After the time, all but 1/e of the way is done.
    let slow = values(&file, None, Timing { attack: 0.2, release: 0.1, ..TIMING });
    let (rise, fall) = (1.0 - (-0.5f64).exp(), (-1.0f64).exp());
    let mut expected = [0.0, 0.5 * rise, 0.0, 0.0, 0.0];
    expected[2] = expected[1] + (0.5 - expected[1]) * rise;
    expected[3] = expected[2] * fall;
    expected[4] = expected[3] + (0.25 - expected[3]) * if expected[3] < 0.25 { rise } else { 1.0 - fall };
    for (value, expected) in slow.iter().zip(expected) {
        assert!((f64::from(*value) - expected).abs() < 1e-7, "{slow:?}");
    }
    for end in (0..bytes.len()).step_by(7) {
        let file = folder.file("cut.wav", &bytes[..end]);
        let result = catch_unwind(|| load(&file, None, TIMING));
        assert!(result.unwrap_or_else(|_| panic!("it panicked at {end}")).is_err(), "cut off at {end}");
    }
    let refused = refusal(load(&folder.file("far.wav", &bytes), None, Timing { fps: 1e9, ..TIMING }));
    assert!(refused.starts_with("far.wav: it has more than 1000000 frames"), "{refused}");
}

#[test]
fn a_column_of_a_table_is_a_number() {
    let folder = Folder::new("table");
    let of = |text: &str, column: Option<&str>| values(&folder.file("a.csv", text), column, TIMING);
    // Straight lines between points, and nothing beyond the last whole frame.
    assert_eq!(of("time,jet,wind\n0,1,9\n0.2,3,8\n0.45,0.5,7\n", Some("jet")), [1.0, 2.0, 3.0, 2.0, 1.0]);
    assert_eq!(of("time,jet,wind\n0.1,1,9\n0.2,3,8\n", Some("wind")), [9.0, 9.0, 8.0], "the first one holds before it");
    // As `export` writes numbers.
    assert_eq!(of("frame,time,total\n1,0.1,5\n2,0.2,7\n", None), [5.0, 5.0, 7.0]);
    assert_eq!(of("\u{feff}\"frame\";\"a b\"\r\n0;1\r\n# more\r\n1;2\r\n", Some("a b")), [1.0, 2.0]);
    assert_eq!(of("0\t2\n2\t4\n", None), [2.0, 3.0, 4.0]);
    assert_eq!(of("-2,0\n2,4\n", None), [2.0, 3.0, 4.0], "frames before 0 are left out");
    let refused = |text: &str, column: Option<&str>| refusal(load(&folder.file("a.csv", text), column, TIMING));
    assert_eq!(
        refused("time,jet,wind\n0,1,9\n", Some("rain")),
        "a.csv: it has no column `rain`; its columns are jet, wind; name one of them as its `column`"
    );
    let broken = |message: &str| format!("a.csv: it is not a valid CSV file: {message}; export it again");
    assert_eq!(refused("0,1\n", Some("jet")), broken("its first line does not name its columns"));
    assert_eq!(refused("time,jet\n0,1\n1\n", None), broken("line 3 has too few columns"));
    assert_eq!(refused("time,jet\n0,1\n1,inf\n", None), broken("line 3 has no number in one of its columns"));
    assert_eq!(refused("time,jet\n0,1\n1,1e39\n", None), broken("line 3 has no number in one of its columns"));
    assert_eq!(refused("time,jet\n", None), broken("it has no numbers"));
    assert!(refused("0,1\n1e300,1\n", None).starts_with("a.csv: it has more than 1000000 frames"));
    assert!(
        refusal(distance_grid(&folder.file("a.csv", "0,1"), &Placement::InPlace, &domain(2, 4)))
            .contains("a sound or a table has no shape")
    );
}

/// Tables as spreadsheets, instruments and programs write them. Values are 0, 1.5 and 3 at 0, 0.1 and 0.2 s.
#[test]
fn tables_of_all_kinds_are_read_or_refused_in_a_sentence() {
    let folder = Folder::new("tables");
    let read = |text: &str, column: Option<&str>| load(&folder.file("a.csv", text), column, TIMING);
    let good: [(&str, Option<&str>); 22] = [
        ("frame;a;b\n0;0,0;9\n1;1,5;9\n2;3;9\n", None),
        ("frame\ta\n0\t0\n1\t1,5\n2\t3\n", None),
        ("frame;a\n0;0\n1;1.5\n2;3\n", None),
        ("time [s],a\n0,0\n0.1,1.5\n0.2,3\n", None),
        ("t,a\n0,0\n0.1,1.5\n0.2,3\n", None),
        ("Time (s),a\n0,0\n0.1,1.5\n0.2,3\n", None),
        ("seconds,a\n0,0\n0.1,1.5\n0.2,3\n", None),
        ("time_s,a\n0,0\n0.1,1.5\n0.2,3\n", None),
        ("t / ms;a\n0;0\n100;1,5\n200;3\n", None),
        ("time in seconds;a\n0;0\n0,1;1,5\n0,2;3\n", None),
        ("FRAME,a\n0,0\n1,1.5\n2,3\n", None),
        ("frame,\"a, b\",c\n0,0,9\n1,1.5,9\n2,3,9\n", Some("a, b")),
        ("frame,\"a \"\"b\"\"\"\n0,0\n1,\"1.5\"\n2,3\n", Some("a \"b\"")),
        ("frame;\"a;b\"\n0;0\n\"1\";\"1,5\"\n2;3\n", Some("a;b")),
        ("\u{feff}sep=;\r\nframe;a\r\n0;0\r\n1;1,5\r\n2;3\r\n", None),
        ("sep=,\nframe,a\n0,0\n1,1.5\n2,3\n", None),
        ("frame,a,,\n0,0,,\n1,1.5,,\n2,3,,\n", None),
        ("# made by hand, in May\n0,0\n1,1.5\n2,3\n", None),
        ("# time,a\n0,0\n0.1,1.5\n0.2,3\n", Some("a")),
        ("frame,time,a\n0,0,0\n1,0.1,1.5\n2,0.2,3\n", None),
        ("0;0\n1;1,5\n2;3\n", None),
        ("frame;a\n0;0e0\n1;15e-1\n2;3\n", None),
    ];
    for (text, column) in good {
        let values = read(text, column).unwrap_or_else(|e| panic!("{text:?}: {e}")).values;
        assert_eq!(values, [0.0, 1.5, 3.0], "{text:?}");
    }
    let unnamed = "name it frame, or time for seconds, in the first line";
    let broken = |message: &str| format!("it is not a valid CSV file: {message}; export it again");
    let refused = [
        ("a,b\n0,1\n", None, format!("its first column is `a`; {unnamed}")),
        (",a,b\n0,1,2\n", None, format!("its first column has no name; {unnamed}")),
        ("time [furlongs],b\n0,1\n", None, format!("its first column is `time [furlongs]`; {unnamed}")),
        ("timestamp,b\n0,1\n", None, format!("its first column is `timestamp`; {unnamed}")),
        ("a\u{1b}[2J\u{202e},b\n0,1\n", None, format!("its first column is `a\\u{{1b}}[2J\\u{{202e}}`; {unnamed}")),
        ("frame,a\n0,1,5\n", None, broken("line 2 has 3 columns, and the first one has 2")),
        ("frame,a\n0,\"1,5\"\n", None, broken("line 2 has no number in one of its columns")),
        ("frame;a\n0;1.000,5\n", None, broken("line 2 has no number in one of its columns")),
        ("frame\ta\n0\t1,000\n1\t0.5\n", None, broken("line 2 has a decimal `,`, and line 3 a decimal `.`")),
        ("frame,a,a\n0,1,2\n", Some("a"), broken("two of its columns are called `a`")),
        ("frame,\"a\n0,1\n", None, broken("line 1 has a quote that does not end")),
        ("frame,\"a\"b\n0,1\n", None, broken("line 1 has text after a quote")),
        ("0 1.5\n1 3\n", None, format!("its first column is `0 1.5`; {unnamed}")),
        ("0\n1\n", None, broken("its columns are not separated by commas, semicolons or tabs")),
    ];
    for (text, column, said) in refused {
        assert_eq!(refusal(read(text, column)), format!("a.csv: {said}"), "{text:?}");
    }
    let long = refusal(read(&"0".repeat((1 << 20) + 1), None));
    assert_eq!(long, format!("a.csv: {}", broken("line 1 is longer than 1 MiB")));
}

#[test]
fn sounds_of_other_kinds_are_named() {
    let folder = Folder::new("sounds");
    let whole = sound(&[0.5, 0.25]);
    // A size of the data beyond 32 bits is in a chunk of its own, here of the first tenth of a second.
    let mut long = b"RF64\xff\xff\xff\xffWAVEds64\x18\0\0\0".to_vec();
    long.extend([[0; 8], 400u64.to_le_bytes(), [0; 8]].concat());
    long.extend(&whole[12..]);
    let at = long.windows(4).position(|word| word == b"data").unwrap();
    long[at + 4..at + 8].fill(0xff);
    assert_eq!(values(&folder.file("long.wav", &long), None, TIMING), [0.5]);
    let refused = |bytes: &[u8]| refusal(load(&folder.file("a.wav", bytes), None, TIMING));
    let coded = |tag: u8| {
        let mut bytes = whole.clone();
        bytes[20] = tag;
        bytes
    };
    let pcm = "save it as PCM, which WAV files usually hold";
    for (bytes, said) in [
        (coded(7), format!("its sound is stored as u-law; {pcm}")),
        (coded(2), format!("its sound is stored as ADPCM; {pcm}")),
        (coded(0x77), format!("its sound is stored as the coding 0x77; {pcm}")),
        (b"fLaC\0\0\0\x22".to_vec(), "it is a FLAC file by its contents; convert it to WAV".into()),
        (b"OggS\0\0\0\x22".to_vec(), "it is an Ogg file by its contents; convert it to WAV".into()),
    ] {
        assert_eq!(refused(&bytes), format!("a.wav: {said}"));
    }
}
