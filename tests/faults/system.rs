//! A system that refuses: no room for a file, no home, no display, few descriptors, nowhere to print. Each ends in a sentence and an
//! exit code, never in a panic, and what was written is whole.

use std::path::Path;
use std::process::{Command, Output};

const FRAMES: u64 = 12;

/// Runs the program with these arguments in a shell that sets the system up first. The shell's own words come before the program's.
fn run(folder: &Path, setup: &str, arguments: &str) -> Output {
    std::fs::write(folder.join("graph.ron"), super::device::GRAPH).unwrap();
    let program = env!("CARGO_BIN_EXE_stagewright");
    let script = format!("{setup}; exec '{program}' {arguments}");
    Command::new("bash").args(["-c", &script]).current_dir(folder).output().unwrap()
}

/// What the program said; it must have ended by itself and without a panic.
fn said(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

fn frames(folder: &Path) -> Vec<Vec<u8>> {
    let frame = |index| std::fs::read(folder.join(format!("out/frame.{index:04}.png"))).unwrap();
    (1..=FRAMES).map(frame).collect()
}

#[test]
fn a_disk_that_takes_no_more_stops_a_render_which_then_resumes_to_the_same_bytes() {
    let (undisturbed, full) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let render = format!("render graph.ron --frames {FRAMES} --size 512x512 --out out");
    said(&run(undisturbed.path(), "true", &render), 0);
    let expected = frames(undisturbed.path());
    // Files end after as many KiB as the smallest frame has, as on a disk that is full.
    let least = expected.iter().map(Vec::len).min().unwrap_or(0);
    let limit = (least / 1024).saturating_sub(1).max(1);
    let text = said(&run(full.path(), &format!("trap '' XFSZ; ulimit -f {limit}"), &render), 1);
    assert!(text.contains("frame.0001.png") || text.contains("frame."), "{text}");
    for entry in std::fs::read_dir(full.path().join("out")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        assert!(!name.ends_with(".tmp"), "{name} was left");
        if name.ends_with(".png") {
            assert!(std::fs::read(entry.path()).unwrap().ends_with(b"IEND\xaeB`\x82"), "{name} is torn");
        }
    }
    said(&run(full.path(), "true", &format!("{render} --resume")), 0);
    assert!(frames(full.path()) == expected, "the resumed frames differ");
}

#[test]
fn without_a_home_or_a_bus_or_a_time_zone_everything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let bare = "unset HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME DBUS_SESSION_BUS_ADDRESS TZ LANG";
    let text = said(&run(folder.path(), bare, "render graph.ron --frames 2 --out out"), 0);
    // The Vulkan loader misses a folder of the session, which is none of ours.
    let ours: Vec<&str> = text.lines().filter(|line| !line.contains("XDG_RUNTIME_DIR")).collect();
    assert!(!ours.iter().any(|line| line.contains("error")), "{text}");
    said(&run(folder.path(), bare, "check graph.ron"), 0);
}

#[test]
fn a_home_that_can_not_be_written_costs_only_what_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    // A file where the folders would be: nobody, not even root, makes folders in it.
    std::fs::write(folder.path().join("home"), "").unwrap();
    let home = "export HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home XDG_CACHE_HOME=$PWD/home XDG_DATA_HOME=$PWD/home";
    said(&run(folder.path(), home, "render graph.ron --frames 2 --out out"), 0);
}

#[test]
#[cfg(feature = "editor")]
fn without_a_display_the_editor_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = said(&run(folder.path(), "unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET", "graph.ron"), 1);
    assert!(text.contains("no window can be opened"), "{text}");
    let text = said(&run(folder.path(), "unset WAYLAND_DISPLAY; export DISPLAY=:4711", "graph.ron"), 1);
    assert!(text.contains("no window can be opened"), "{text}");
}

#[test]
fn few_descriptors_and_closed_outputs_end_in_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for limit in [4, 6, 8, 12, 16, 24] {
        let output = run(folder.path(), &format!("ulimit -n {limit}"), "render graph.ron --frames 2 --out out");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1 | 127)), "{limit} descriptors: {:?} {text}", output.status);
        assert!(!text.contains("panicked"), "{limit} descriptors: {text}");
    }
    for closed in ["exec >&-", "exec 2>&-", "exec >&- 2>&-", "exec <&-"] {
        let output = run(folder.path(), closed, "check graph.ron");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{closed}: {:?} {text}", output.status);
        assert!(!text.contains("panicked"), "{closed}: {text}");
    }
    let output = run(folder.path(), "exec >/dev/full", "check graph.ron");
    let text = said(&output, 1);
    assert!(text.contains("standard output"), "{text}");
}
