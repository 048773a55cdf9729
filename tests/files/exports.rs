//! What an export writes, and what it takes for its own.

use std::fs;

use crate::*;

const PRECIOUS: &str = "# the user's own\n";

/// Starts an export and kills it when some frames are there.
fn interrupt(graph: &Path, frames: &str, out: &Path) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stagewright"));
    child.args(["render", graph.to_str().unwrap(), "--frames", frames, "--out", out.to_str().unwrap()]);
    let mut child = child.stdout(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    // Two threads write frames: a later one may be complete before an earlier one.
    while !(1..=10).all(|frame| out.join(format!("frame.{frame:04}.png")).exists()) {
        assert!(since.elapsed().as_secs() < 60, "it does not render");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(out.join("frame.export.ron").exists());
}

#[test]
fn links_in_the_folder_are_not_followed() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", graph(""));
    let victim = folder.file("home/.bashrc", PRECIOUS);
    for name in ["frame.export.ron", "frame.0001.png", "frame.0002.png"] {
        folder.link(&format!("frames/{name}"), &victim);
    }
    // The names that an earlier version would have written to.
    for id in 0..200 {
        folder.link(&format!("frames/frame.0001.{}-0.tmp", std::process::id() + id), &victim);
    }
    // They are no files of an export.
    let run = render(&graph, "1-3", &folder.path("frames"), &[]);
    run.refuses("frame.0001.png and 2 other files are there and were not written by an export");
    for more in [&["--overwrite"][..], &[], &["--resume"]] {
        render(&graph, "1-3", &folder.path("frames"), more).works();
        assert_eq!(fs::read_to_string(&victim).unwrap(), PRECIOUS);
        let frame = fs::symlink_metadata(folder.path("frames/frame.0001.png")).unwrap();
        assert!(frame.is_file() && frame.len() > 50);
        assert!(!folder.path("frames/frame.export.ron").exists());
    }
}

#[test]
fn a_folder_that_is_a_link_is_refused() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", graph(""));
    fs::create_dir(folder.path("elsewhere")).unwrap();
    folder.link("frames", folder.path("elsewhere"));
    let run = render(&graph, "2", &folder.path("frames"), &[]);
    run.refuses("it is a symbolic link to");
    assert!(run.says("name the folder itself"), "{}", run.text);
    assert!(folder.names("elsewhere").is_empty());
    // Further up in the path it is as the user says.
    render(&graph, "2", &folder.path("frames/deep"), &[]).works();
    assert_eq!(folder.names("elsewhere/deep"), ["frame.0001.png", "frame.0002.png"]);
}

/// A graph with presets of its one Output.
fn with_presets(presets: &[(&str, &str, &str, &str)]) -> String {
    let preset = |(name, what, folder, names): &(&str, &str, &str, &str)| {
        format!(r#""{name}": (what: ["{what}"], frames: (1, 2), folder: "{folder}", names: "{names}"), "#)
    };
    let presets: String = presets.iter().map(preset).collect();
    graph("").replace("nodes: {", &format!("exports: {{{presets}}}, nodes: {{"))
}

fn export(graph: &Path, preset: &str, more: &[&str]) -> Run {
    stagewright(&[&["export", graph.to_str().unwrap(), "--preset", preset][..], more].concat())
}

#[test]
fn a_preset_writes_below_the_folder_of_its_graph() {
    let folder = Folder::empty();
    std::fs::create_dir_all(folder.path("pics/deep")).unwrap();
    std::fs::create_dir_all(folder.path("dl/inside")).unwrap();
    folder.link("dl/lnk", folder.path("pics"));
    folder.link("dl/dangling", folder.path("pics/new"));
    folder.link("dl/series/screen", folder.path("pics"));
    let absolute = folder.path("pics").to_str().unwrap().to_string();
    let refused = [
        ("above", "../pics", "outside of the graph's folder"),
        ("around", "inside/../../pics", "outside of the graph's folder"),
        ("absolute", absolute.as_str(), "outside of the graph's folder"),
        ("middle", "lnk/deep", "outside of the graph's folder"),
        ("last", "lnk", "outside of the graph's folder"),
        ("nowhere", "dangling/x", "outside of the graph's folder"),
        ("series", "series/{name}/deep", "outside of the graph's folder"),
        ("token", "{name}/../../pics", "outside of the graph's folder"),
        ("new", "new/../../pics", "outside of the graph's folder"),
        ("empty", "", "it names no folder"),
        ("device", "CON/x", "the name of a device"),
        ("drive", "a:", "can't contain ':'"),
        ("dot", "out./x", "end with a dot"),
    ];
    let presets: Vec<_> = refused.iter().map(|(name, path, _)| (*name, "screen:png", *path, "")).collect();
    let graph = folder.file("dl/g.ron", with_presets(&presets));
    for (name, path, says) in refused {
        let run = export(&graph, name, &[]);
        run.refuses(says);
        assert!(run.says("--out"), "{path}: {}", run.text);
    }
    let names: Vec<_> = refused.iter().map(|(name, ..)| (*name, "screen:png", "out", "../{frame}")).collect();
    folder.file("dl/g.ron", with_presets(&names[..1]));
    export(&graph, "above", &[]).refuses("a file name can't contain '/'");
    assert_eq!((folder.names("pics"), folder.names(".").len()), (vec!["deep".to_string()], 2));

    let allowed = [
        ("tilde", "screen:png", "~/x", "{name}.{frame}"),
        ("here", "screen:png", ".", "{preset}.{frame}"),
        ("back", "screen:png", "inside/../out", ""),
        ("out", "screen:png", "../pics", ""),
    ];
    folder.file("dl/g.ron", with_presets(&allowed));
    for (name, ..) in &allowed[..3] {
        export(&graph, name, &[]).works();
    }
    export(&graph, "out", &["--allow-files"]).works();
    export(&graph, "out", &["--out", folder.path("mine").to_str().unwrap()]).works();
    for path in [
        "dl/~/x/screen.0001.png",
        "dl/here.0001.png",
        "dl/out/screen.0001.png",
        "pics/screen.0002.png",
        "mine/screen.0002.png",
    ] {
        assert!(folder.path(path).is_file(), "{path}");
    }
}

/// Whatever the format: what no export has written is refused, and what one has is replaced and counted.
#[test]
fn only_files_that_an_export_has_written_are_replaced() {
    let folder = Folder::empty();
    let presets = [
        ("png", "screen:png", "pics", "IMG_{frame}"),
        ("apng", "screen:apng", "pics", "holiday"),
        ("csv", "smoke.value:sum:csv", "pics", "finance"),
        ("vtk", "smoke:vtk", "pics", "scan.{frame}"),
    ];
    let graph = folder.file("g.ron", with_presets(&presets));
    let files =
        ["IMG_0002.png", "holiday.apng", "finance.csv", "scan.pvd", "img_0001.PNG", "IMG_9000.png", "IMG_2.png"];
    let all = || -> Vec<String> {
        let text =
            |name: &&str| String::from_utf8_lossy(&fs::read(folder.path("pics").join(name)).unwrap()).into_owned();
        files.iter().map(text).collect()
    };
    files.iter().for_each(|name| drop(folder.file(&format!("pics/{name}"), PRECIOUS)));
    for (name, ..) in presets {
        let run = export(&graph, name, &[]);
        run.refuses("not written by an export; choose another folder, or give --overwrite to replace");
        assert!(run.says(if name == "png" { "and another file are there" } else { "is there" }), "{}", run.text);
    }
    assert!(all().iter().all(|text| text == PRECIOUS), "{:?}", all());
    for (name, _, _, count) in presets.map(|(name, a, b, _)| (name, a, b, if name == "vtk" { 3 } else { 2 })) {
        let run = export(&graph, name, &["--overwrite"]);
        run.works();
        assert!(run.says("1 existing file replaced"), "{}", run.text);
        let _ = fs::remove_file(folder.path("pics/img_0001.PNG"));
        let again = export(&graph, name, &[]);
        again.works();
        let count = if matches!(name, "apng" | "csv") { "1 existing file" } else { &format!("{count} existing files") };
        assert!(again.says(&format!("{count} replaced")), "{name}: {}", again.text);
    }
    for name in ["IMG_9000.png", "IMG_2.png"] {
        assert_eq!(fs::read_to_string(folder.path("pics").join(name)).unwrap(), PRECIOUS, "{name} is no frame of it");
    }
    // What the user has put into the place of a frame.
    folder.file("pics/IMG_0002.png", PRECIOUS);
    export(&graph, "png", &[]).refuses("IMG_0002.png is there and was not written by an export");
    // What an archive claims.
    fs::create_dir_all(folder.path("forged")).unwrap();
    fs::copy(folder.path("pics/.frame.export.list"), folder.path("forged/.frame.export.list")).unwrap();
    folder.file("forged/IMG_0001.png", PRECIOUS);
    folder.file("g.ron", with_presets(&[("png", "screen:png", "forged", "IMG_{frame}")]));
    export(&graph, "png", &[]).refuses("forged/IMG_0001.png is there");
}

#[test]
fn graphs_of_different_names_have_different_folders() {
    let folder = Folder::empty();
    let names = ["水", "火", "a b", "a_b", "a+b"];
    let shots = folder.path("shots/{graph}");
    for name in names {
        render(&folder.file(&format!("{name}.ron"), graph("")), "1", &shots, &[]).works();
    }
    let mut found = folder.names("shots");
    assert_eq!(found.len(), names.len(), "{found:?}");
    found.retain(|name| names.contains(&name.as_str()));
    assert_eq!(found, ["a_b", "水", "火"]);
    // Some systems take both for one folder.
    render(&folder.file("A_b.ron", graph("")), "1", &shots, &[]).refuses("differs from `A_b` by case only");
}

#[test]
fn a_bake_replaces_no_file_of_others() {
    let folder = Folder::empty();
    let bake = |name: &str| {
        graph("").replace("nodes: {", &format!(r#"bakes: {{"b": (frames: (1, 2), folder: "{name}")}}, nodes: {{"#))
    };
    let file = folder.file("dl/g.ron", bake("."));
    let of = |more: &[&str]| stagewright(&[&["bake", file.to_str().unwrap()][..], more].concat());
    let web = folder.path("web").to_str().unwrap().to_string();
    for path in ["web/index.json", "dl/index.json"] {
        folder.file(path, r#"{"name": "web"}"#);
    }
    of(&["--out", &web]).refuses("web/index.json is there and was not written by a bake; choose another folder");
    of(&[]).refuses("index.json is there and was not written by a bake");
    folder.link("dl/lnk", folder.path("web"));
    for name in ["lnk/new", "lnk", "../web", "CON"] {
        folder.file("dl/g.ron", bake(name));
        of(&[]).refuses("the bake b names the folder");
    }
    assert_eq!(folder.names("web"), ["index.json"]);
    assert_eq!(fs::read_to_string(folder.path("dl/index.json")).unwrap(), r#"{"name": "web"}"#);
    of(&["--out", folder.path("cache").to_str().unwrap()]).works();
    let again = of(&["--out", folder.path("cache").to_str().unwrap()]);
    again.works();
    assert!(again.says("files of an earlier bake were replaced"), "{}", again.text);
}

#[test]
fn dumps_replace_links() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", graph(""));
    let victim = folder.file("home/.bashrc", PRECIOUS);
    folder.link("dump/g.smoke.f32", &victim);
    stagewright(&["bench", graph.to_str().unwrap(), "--dump", folder.path("dump").to_str().unwrap()]).works();
    assert_eq!(fs::read_to_string(&victim).unwrap(), PRECIOUS);
    assert_eq!(fs::symlink_metadata(folder.path("dump/g.smoke.f32")).unwrap().len(), 16 * 16 * 4);
}

#[test]
fn the_record_holds_no_text_of_the_graph() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", graph(""));
    interrupt(&graph, "1-100000", &folder.path("out"));
    let record = fs::read_to_string(folder.path("out/frame.export.ron")).unwrap();
    let (head, files) = record.split_once('\n').unwrap();
    assert!(!head.contains("owned") && !head.contains("smoke"), "{head}");
    let plain = |c: char| c.is_ascii_alphanumeric() || "(),:\"{}[] ".contains(c);
    assert!(head.chars().all(plain), "{head}");
    assert!(files.chars().all(|c| c.is_ascii_hexdigit() || " \n".contains(c)), "{files}");
}

#[test]
fn frames_that_are_not_whole_are_rendered_again() {
    let (folder, whole) = (Folder::empty(), Folder::empty());
    let graph = folder.file("g.ron", graph(""));
    let (out, kept) = (folder.path("out"), whole.path("out"));
    render(&graph, "1-60", &kept, &[]).works();
    interrupt(&graph, "1-60000", &out);
    for (damage, frame) in [("empty", 4), ("cut", 5), ("other size", 6), ("longer", 7)] {
        let path = out.join(format!("frame.{frame:04}.png"));
        let bytes = fs::read(&path).unwrap();
        let bytes = match damage {
            "empty" => Vec::new(),
            "cut" => bytes[..bytes.len() - 1].to_vec(),
            "other size" => [&bytes[..19], &[17], &bytes[20..]].concat(),
            _ => [&bytes[..], &[0]].concat(),
        };
        fs::write(&path, bytes).unwrap();
    }
    // A shorter range of the same.
    let run = render(&graph, "1-60", &out, &["--resume"]);
    run.works();
    assert!(run.says("4 frames are not as they were written (4, 5, 6, 7), and computed again"), "{}", run.text);
    for frame in 1..=60 {
        let name = format!("frame.{frame:04}.png");
        assert!(fs::read(out.join(&name)).unwrap() == fs::read(kept.join(&name)).unwrap(), "{name}");
    }
}

/// Whatever the frames follow from: when it changes, none of the old frames count, and none is lost unasked.
#[test]
fn another_stage_mesh_or_recording_is_another_export() {
    let folder = Folder::empty();
    let half = |value: &str| {
        format!(
            "//! Half\n//! @out image: Image\n\nfn stage(cell: Cell) -> vec4f {{ return vec4f({value} + 0.0 * frame.time); }}\n"
        )
    };
    folder.file("stages/half.wgsl", half("0.5"));
    folder.file("stages/unused.wgsl", half("0.5"));
    let nodes = r#""mine": (stage: "half"), "other": (output: (size: (16, 16)), inputs: {"image": "mine.image"}),"#;
    let graph = folder.file("g.ron", graph(nodes));
    let recording = folder.file("input.ron", "(keys: [])");
    let out = folder.path("out");
    let resume = |more: &[&str]| {
        let more: Vec<&str> = ["--output", "other", "--resume"].iter().chain(more).copied().collect();
        render(&graph, "1-12", &out, &more)
    };
    let killed = || {
        let _ = fs::remove_dir_all(&out);
        let mut child = Command::new(env!("CARGO_BIN_EXE_stagewright"));
        child.args(["render", graph.to_str().unwrap(), "--output", "other", "--frames", "1-100000", "--out"]).arg(&out);
        let mut child = child.stdout(Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        // Two threads write frames: a later one may be complete before the twelfth.
        while !(1..=12).all(|frame| out.join(format!("frame.{frame:04}.png")).exists()) {
            assert!(since.elapsed().as_secs() < 60, "it does not render");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    killed();
    folder.file("stages/unused.wgsl", half("0.7"));
    assert!(resume(&[]).says("12 frames already existed"), "a stage that the graph does not use");
    folder.file("stages/half.wgsl", half("0.5").replace("return", "/* of white */ return"));
    assert!(resume(&[]).says("12 frames already existed"), "a comment");
    folder.file("stages/half.wgsl", half("0.25"));
    let before = fs::read(out.join("frame.0012.png")).unwrap();
    resume(&[]).refuses("12 frames of another export, which differs in the stage `half`; give --overwrite");
    assert!(fs::read(out.join("frame.0012.png")).unwrap() == before);
    let run = resume(&["--overwrite"]);
    run.works();
    assert!(run.says("they are replaced") && run.says("12 frames in"), "{}", run.text);
    assert!(fs::read(out.join("frame.0012.png")).unwrap() != before);
    resume(&["--input", recording.to_str().unwrap()]).refuses("which differs in the recorded input");
}

#[test]
fn a_mesh_that_changed_is_another_export() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", mesh("a.obj"));
    folder.file("a.obj", TETRAHEDRON);
    let inputs = || {
        use stagewright_base::{cancel::Cancel, files::Access};
        use stagewright_language::{document::Document, library::Library};
        let document = Document::parse(&fs::read_to_string(&graph).unwrap()).unwrap();
        let access = Access::new(graph.parent().unwrap(), false);
        stagewright_export::record::Fingerprint::of(&document, Library::builtin(), &access, &Cancel::default()).unwrap()
    };
    let first = inputs();
    assert_eq!(first, inputs());
    folder.file("a.obj", TETRAHEDRON.replace("v 0 0 1", "v 0 0 2"));
    let second = inputs();
    assert!(first != second);
    // Buffers that a glTF file names count too.
    let json = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":1}]}"#;
    folder.file("c.gltf", json);
    folder.file("g.ron", mesh("c.gltf"));
    folder.file("b.bin", "1");
    let third = inputs();
    folder.file("b.bin", "2");
    assert!(third != inputs());
}

#[test]
fn one_folder_takes_one_export_and_is_swept() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", graph(""));
    let out = folder.path("out");
    let mut child = Command::new(env!("CARGO_BIN_EXE_stagewright"));
    child.args(["render", graph.to_str().unwrap(), "--frames", "100000", "--out"]).arg(&out);
    let mut child = child.stdout(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    // Two threads write frames: a later one may be complete before an earlier one.
    while !(1..=10).all(|frame| out.join(format!("frame.{frame:04}.png")).exists()) {
        assert!(since.elapsed().as_secs() < 60, "it does not render");
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = render(&graph, "5", &out, &[]);
    second.refuses(&format!("another export is writing into {}", out.display()));
    child.kill().unwrap();
    child.wait().unwrap();
    // What a killed export may leave.
    folder.file("out/.stagewright-frame-0123456789ab.tmp", "half a frame");
    folder.file("out/mine.tmp", "");
    render(&graph, "5", &out, &[]).works();
    let names = folder.names("out");
    assert!(names.iter().all(|name| !name.starts_with(".stagewright")), "{names:?}");
    assert!(names.contains(&"mine.tmp".to_string()));
}

/// A number of frames that nobody waits for renders like any other until it is stopped.
#[test]
fn any_number_of_frames_begins() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", graph(""));
    render(&graph, "18446744073709551615", &folder.path("out"), &[]).refuses("at most ");
    interrupt(&graph, "99999999", &folder.path("out"));
    let mut resumed = Command::new(env!("CARGO_BIN_EXE_stagewright"));
    resumed.args(["render", graph.to_str().unwrap(), "--frames", "99999999", "--resume", "--out"]);
    let mut resumed = resumed.arg(folder.path("out")).stdout(Stdio::null()).spawn().unwrap();
    let count = folder.names("out").len();
    let since = Instant::now();
    while folder.names("out").len() < count + 10 {
        assert!(since.elapsed().as_secs() < 60, "it does not go on");
        std::thread::sleep(Duration::from_millis(2));
    }
    resumed.kill().unwrap();
    resumed.wait().unwrap();
}
