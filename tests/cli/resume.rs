//! Exports that are extended, that have lost a file, that are of another graph, that fail, and what they say.

use super::*;

/// A grid that grows by `rate` in each frame.
const GROW: &str = r#"(version: 1, name: "Grow", fps: 60, nodes: {
    "box": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>", on: "box", inputs: {"next": "n.result"}),
    "rate": (number: 0.01),
    "n": (stage: "grid/expression", inputs: {"a": "s"}, params: {"value": "a + rate"}),
    "look": (stage: "view/color_map", inputs: {"field": "n.result"}),
    "screen": (output: (size: (16, 16)), inputs: {"image": "look.image"}),
})"#;

struct Bench {
    dir: PathBuf,
    /// Folder before all others in which programs are looked for.
    programs: Option<PathBuf>,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let dir = folder(name);
        std::fs::write(dir.join("g.ron"), GROW).unwrap();
        Bench { dir, programs: None }
    }

    /// The exit code, and what was said.
    fn run(&self, line: &str) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stagewright"));
        if let Some(programs) = &self.programs {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let paths = [programs.clone()].into_iter().chain(std::env::split_paths(&paths));
            command.env("PATH", std::env::join_paths(paths).unwrap());
        }
        let output = command.current_dir(&self.dir).args(line.split_whitespace()).output().expect("starts");
        let said = (out(&output) + &err(&output)).split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        (output.status.code(), said)
    }

    fn done(&self, line: &str) -> String {
        let (code, said) = self.run(line);
        assert_eq!(code, Some(0), "{line}: {said}");
        said
    }

    fn refused(&self, line: &str) -> String {
        let (code, said) = self.run(line);
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    }

    fn names(&self, folder: &str) -> Vec<String> {
        names(&self.dir.join(folder))
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(file)).unwrap()
    }

    /// A program `ffmpeg` of this text.
    fn ffmpeg(&mut self, text: &str) {
        let programs = self.dir.join("programs");
        std::fs::create_dir_all(&programs).unwrap();
        let file = programs.join("ffmpeg");
        std::fs::write(&file, format!("#!/bin/sh\n[ \"$1\" = -version ] && exit 0\nfor last; do :; done\n{text}\n"))
            .unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        self.programs = Some(programs);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

#[test]
fn a_finished_render_is_extended_and_mended_and_never_lost_by_accident() {
    let bench = Bench::new("extended");
    let render = |last: u64, more: &str| format!("render g.ron --frames {last} --out o --checkpoint-every 10 {more}");
    bench.done(&render(30, ""));
    // What is for the reader of the graph alone.
    let moved = GROW.replace("name: \"Grow\"", "name: \"Other\", about: \"text\"");
    let moved = moved.replace("(number: 0.01)", "(number: 0.01, at: (7, 8), comment: \"a note\")");
    std::fs::write(bench.dir.join("g.ron"), moved).unwrap();
    let said = bench.done(&render(40, "--resume"));
    assert!(said.contains("30 frames already existed") && said.contains("10 frames in o"), "{said}");
    assert!(said.contains("30 frames were not computed again: a checkpoint"), "{said}");
    std::fs::remove_file(bench.dir.join("o/frame.0038.png")).unwrap();
    let mut bytes = bench.bytes("o/frame.0007.png");
    bytes[60] ^= 1;
    std::fs::write(bench.dir.join("o/frame.0007.png"), bytes).unwrap();
    let said = bench.done(&render(40, "--resume"));
    assert!(said.contains("1 frame is missing (38), and computed again"), "{said}");
    assert!(said.contains("1 frame is not as it was written (7), and computed again"), "{said}");
    assert!(said.contains("38 frames already existed") && said.contains("2 frames in o"), "{said}");
    let before: Vec<Vec<u8>> = (1..=40).map(|frame| bench.bytes(&format!("o/frame.{frame:04}.png"))).collect();
    let after = || (1..=40).map(|frame| bench.bytes(&format!("o/frame.{frame:04}.png"))).collect::<Vec<_>>();
    for (more, differs) in [
        ("--resume --param rate.value=0.02", "which differs in the parameter `rate.value`"),
        ("--resume --fps 50", "which differs in the frames per second (fps)"),
        ("--resume --size 8x8", "which differs in the size of the images (--size: the Output's own before)"),
    ] {
        let said = bench.refused(&render(40, more));
        assert!(said.contains("o has 40 frames of another export") && said.contains(differs), "{said}");
        assert!(said.contains("give --overwrite to replace them") && after() == before, "{said}");
    }
    let said = bench.done(&render(40, "--resume --overwrite --param rate.value=0.02"));
    assert!(said.contains("40 frames of another export") && said.contains("they are replaced"), "{said}");
    assert!(after() != before && bench.names("o").iter().all(|name| !name.contains(".ron")));
}

#[test]
fn one_frame_in_three_has_consecutive_numbers_and_says_which_it_is() {
    let bench = Bench::new("consecutive");
    let line = "export g.ron --frames 10 --every 3 --out o screen s:npz s:vtk n=s:max";
    let said = bench.done(line);
    assert!(said.contains("screen.0001.png to screen.0004.png") && said.contains("4 frames in o"), "{said}");
    let numbers = |ending: &str| bench.names("o").into_iter().filter(|name| name.ends_with(ending)).collect::<Vec<_>>();
    assert_eq!(numbers(".npz"), [1, 2, 3, 4].map(|number| format!("s.{number:04}.npz")));
    let table = String::from_utf8(bench.bytes("o/n.csv")).unwrap();
    let frames: Vec<&str> = table.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    assert_eq!(frames, ["1", "4", "7", "10"]);
    let list = String::from_utf8(bench.bytes("o/s.pvd")).unwrap();
    for frame in 0..4u8 {
        let entry = format!("timestep=\"{}\" file=\"s.{:04}.vti\"", f64::from(3 * frame + 1) / 60.0, frame + 1);
        assert!(list.contains(&entry), "{entry} in {list}");
    }
    let image = bench.bytes("o/screen.0003.png");
    assert!(image.windows(7).any(|text| text == b"Frame\x007"), "the text chunk");
    // Longer, and in parts.
    let said = bench.done(&line.replace("--frames 10", "--frames 16 --resume"));
    assert!(said.contains("4 frames already existed") && said.contains("2 frames in o"), "{said}");
    bench.done("export g.ron --frames 13-16 --every 3 --out part screen");
    assert_eq!(bench.names("part"), ["screen.0005.png", "screen.0006.png"]);
    assert!(bench.bytes("part/screen.0006.png") == bench.bytes("o/screen.0006.png"));
    let said = bench.refused(&line.replace("--every 3", "--every 2 --resume"));
    assert!(said.contains("differs in the step of the frames (--every 3 from frame 1 on before)"), "{said}");
}

#[test]
fn an_export_that_can_not_be_is_refused_before_its_first_frame() {
    let bench = Bench::new("refused");
    for (line, sentence) in [
        ("a=screen+s:exr screen:apng --size 32x32", "use --size 16x16, or a space instead of +"),
        ("screen+emission=look:flipbook --size 40x16", "of another shape than tiles of 40 x 16: use --size"),
        ("s:npy --size 8x8", "--size is for images, and none is exported"),
        ("s:npy --cutoff 1", "--cutoff is for files of the format vdb, vdb-half, usda, and none is exported"),
        ("s:npy --band 3", "--band is for files of the format vdb-level-set"),
        ("s:npy --format npz", "--format is for wires without a format of their own"),
        ("screen --timeout 3", "--timeout is for files of the format mp4, webm, prores"),
        ("time=s:max", "a value is called `time`"),
    ] {
        let said = bench.refused(&format!("export g.ron --frames 2 --out o {line}"));
        assert!(said.contains(sentence) && !bench.dir.join("o").exists(), "{line}: {said}");
    }
    let said = bench.refused("render g.ron --frames 1 --out o --wire s.value --slice z=0.5");
    assert!(said.contains("--slice: s.value is in two dimensions, so there is nothing to slice"), "{said}");
    let said = bench.refused("export g.ron --frames 2 --out v/{version} nothing");
    assert!(said.contains("nothing") && !bench.dir.join("v/v001").exists(), "{said}");
    bench.done("export g.ron --frames 1 --out v/{version}/{name} screen");
    bench.done("export g.ron --frames 1 --out v/{version}/{name} screen");
    assert_eq!(bench.names("v"), ["v001", "v002"]);
}

#[test]
fn numbers_that_a_file_can_not_hold_are_counted_with_their_frame() {
    let bench = Bench::new("odd");
    let source = r#"(custom: "//! T
        //! @out result: Grid<f32>
        fn stage(cell: Cell) -> f32 { return select(f32(frame.index) * 1e5, log(-1.0 - frame.time), frame.index == 2u); }", on: "box")"#;
    let built_in = r#"(stage: "grid/expression", inputs: {"a": "s"}, params: {"value": "a + rate"})"#;
    let graph = GROW.replace(built_in, source);
    std::fs::write(bench.dir.join("g.ron"), graph).unwrap();
    let said = bench.done("export g.ron --frames 3 --out o half=s:exr-half full=s:npy");
    let half =
        "half: the files have 256 values beyond 65504, which half precision makes infinite, in 1 frame from frame 2 on";
    assert!(said.contains(half), "{said}");
    for name in ["half", "full"] {
        let none = format!("{name}: the files have 256 values that are NaN or infinite, in 1 frame from frame 3 on");
        assert!(said.contains(&none), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn an_ffmpeg_that_misbehaves_costs_a_sentence() {
    let mut bench = Bench::new("ffmpeg");
    let line = "export g.ron --frames 3 --out o screen:mp4 --timeout 2";
    for (text, sentence) in [
        ("yes message | head -c 300000 >&2; echo the cause >&2; cat > /dev/null; exit 1", "ffmpeg reports: the cause"),
        ("sleep 1000; true", "ffmpeg did nothing for 2 s and was stopped; raise --timeout if it needs longer"),
        ("exit 7", "it ended without a message (exit status: 7)"),
        ("cat > /dev/null; : > \"${last#file:}\"", "ffmpeg wrote an empty file and reported no error"),
        ("cat > /dev/null; echo 'x.mp4: No space left on device' >&2; exit 1", "there is no space left: free some"),
    ] {
        bench.ffmpeg(text);
        let said = bench.refused(line);
        assert!(said.contains(sentence), "{text}: {said}");
        assert_eq!(bench.names("o"), ["frame.export.ron"], "{text}");
    }
    bench.ffmpeg("yes message | head -c 300000 >&2; cat > \"${last#file:}\"");
    bench.done(line);
    assert_eq!(bench.names("o"), ["screen.mp4"]);
    assert_eq!(bench.bytes("o/screen.mp4").len(), 3 * 3 * 16 * 16);
}
