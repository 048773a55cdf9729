//! The program as a person types it.

mod bake;
mod check;
mod checkpoints;
mod compare;
mod flipbook;
mod ignored;
mod keyframes;
mod keys;
mod outputs;
mod points;
mod resume;
mod stop;
mod sweep;
mod variants;

use std::path::PathBuf;
use std::process::{Command, Output};

fn stagewright(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("XDG_RUNTIME_DIR", runtime_folder())
        .args(arguments)
        .output()
        .expect("starts")
}

/// Where drivers look for a display. Without the variable they print errors of their own.
fn runtime_folder() -> PathBuf {
    std::env::var_os("XDG_RUNTIME_DIR")
        .filter(|folder| !folder.is_empty())
        .map_or_else(std::env::temp_dir, PathBuf::from)
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// An empty folder of this test alone.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stagewright-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a temporary folder");
    path
}

/// Names of the files in a folder, in order. The record of a complete export is hidden.
fn names(folder: &std::path::Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

const GRAPH: &str = "graphs/stable_fluids.ron";

#[test]
fn render_writes_numbered_frames() {
    let dir = folder("render");
    let frames = dir.join("frames");
    let output = stagewright(&[
        "render",
        GRAPH,
        "--frames",
        "3",
        "--out",
        frames.to_str().unwrap(),
        "--size",
        "96x64",
        "--stretch",
    ]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("3 frames") && out(&output).contains("ms per frame"), "{}", out(&output));
    let names = names(&frames);
    assert_eq!(names, ["frame.0001.png", "frame.0002.png", "frame.0003.png"], "whole frames and nothing else");
    let decoder =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(frames.join("frame.0003.png")).unwrap()));
    let reader = decoder.read_info().expect("a PNG");
    assert_eq!((reader.info().width, reader.info().height), (96, 64));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_range_of_frames_is_rendered_and_an_interrupted_one_is_resumed() {
    let dir = folder("range");
    let (graph, frames) = (dir.join("graph.ron"), dir.join("frames"));
    std::fs::copy("graphs/templates/waves.ron", &graph).unwrap();
    let render = |range: &str, more: &[&str]| {
        let mut arguments = vec!["render", graph.to_str().unwrap(), "--size", "48x30", "--frames", range];
        arguments.extend(["--out", frames.to_str().unwrap()]);
        arguments.extend(more);
        stagewright(&arguments)
    };
    let names = || names(&frames);
    let output = render("3-5", &[]);
    assert!(output.status.success() && out(&output).contains("3 frames in "), "{}{}", out(&output), err(&output));
    assert_eq!(names(), ["frame.0003.png", "frame.0004.png", "frame.0005.png"]);
    // One that is killed leaves a note of what it was; from then on whole frames alone count.
    let mut child = Command::new(env!("CARGO_BIN_EXE_stagewright"));
    child.args(["render", graph.to_str().unwrap(), "--size", "48x30", "--frames", "3-400"]);
    let mut child = child.arg("--out").arg(&frames).spawn().expect("starts");
    let since = std::time::Instant::now();
    while !frames.join("frame.0030.png").exists() {
        assert!(since.elapsed().as_secs() < 60, "it does not render");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(names().contains(&"frame.export.ron".to_string()));
    let resumed = render("3-400", &["--resume"]);
    assert!(resumed.status.success() && out(&resumed).contains("frames already existed"), "{}", out(&resumed));
    let png = names().iter().filter(|name| name.ends_with(".png")).count();
    assert!(png == 398 && names().iter().all(|name| !name.ends_with(".ron")), "{png} frames");
    for wrong in ["0", "5-3", "x", "3-"] {
        let refused = render(wrong, &[]);
        assert!(err(&refused).contains("is not a range of frames"), "{wrong}: {}", err(&refused));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn check_says_what_is_wrong_and_fails() {
    let good = stagewright(&["check", GRAPH]);
    assert!(good.status.success() && out(&good).contains("no problems"), "{}{}", out(&good), err(&good));
    let dir = folder("check");
    let file = dir.join("bad.ron");
    std::fs::write(
        &file,
        r#"(version: 1, nodes: {"a": (stage: "fluid/divergense"), "b": (stage: "fluid/divergence")})"#,
    )
    .unwrap();
    let bad = stagewright(&["check", file.to_str().unwrap()]);
    let said = err(&bad);
    assert_eq!(bad.status.code(), Some(1));
    assert!(
        said.contains("fluid/divergense")
            && said.contains("did you mean")
            && said.contains("not wired")
            && said.contains("problems"),
        "{said}"
    );
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn errors_in_wgsl_show_the_line() {
    let dir = folder("wgsl");
    std::fs::create_dir(dir.join("mine")).unwrap();
    std::fs::write(dir.join("mine/red.wgsl"), "//! Red\n//! @out image: Image\n\nfn stage(cell: Cell) -> vec4f {\n    return vec4f(1.0, 0.0, 0.0, 1.0) * brightness;\n}\n").unwrap();
    let file = dir.join("g.ron");
    std::fs::write(&file, r#"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "red": (stage: "mine/red"), "o": (output: (), inputs: {"image": "red"})})"#).unwrap();
    let bad = stagewright(&["check", file.to_str().unwrap(), "--stages", dir.to_str().unwrap()]);
    let said = err(&bad);
    assert_eq!(bad.status.code(), Some(1));
    assert!(
        said.contains("brightness") && said.contains("5:40") || said.contains(":5:"),
        "the line and its text are shown:\n{said}"
    );
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn stages_beside_the_graph_are_found_and_one_that_replaces_a_built_in_is_reported() {
    let dir = folder("beside");
    std::fs::create_dir_all(dir.join("stages/view")).unwrap();
    let stage =
        "//! Red\n//! @out image: Image\n\nfn stage(cell: Cell) -> vec4f {\n    return vec4f(1.0, 0.0, 0.0, 1.0);\n}\n";
    std::fs::write(dir.join("stages/red.wgsl"), stage).unwrap();
    let file = dir.join("g.ron");
    std::fs::write(&file, r#"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "red": (stage: "red"), "o": (output: (), inputs: {"image": "red"})})"#).unwrap();
    let good = stagewright(&["check", file.to_str().unwrap()]);
    assert_eq!((good.status.code(), err(&good).contains("replaces the")), (Some(0), false), "{}", err(&good));
    std::fs::write(dir.join("stages/view/color_map.wgsl"), stage).unwrap();
    let output = stagewright(&["check", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(err(&output).contains("color_map.wgsl") && err(&output).contains("replaces the"), "{}", err(&output));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn plan_prints_text_and_json() {
    let text = stagewright(&["plan", GRAPH]);
    assert!(out(&text).starts_with("plan of") && out(&text).contains("dispatches a frame"));
    let json = stagewright(&["plan", GRAPH, "--json"]);
    let plan: stagewright_compiler::Plan = serde_json::from_slice(&json.stdout).expect("is a plan");
    assert_eq!(plan.to_text(), out(&text));
    assert!(out(&stagewright(&["plan", GRAPH, "--wgsl"])).contains("fn _main"));
}

#[test]
fn stages_are_listed_and_explained() {
    let list = out(&stagewright(&["stages"]));
    assert!(list.contains("fluid/divergence") && list.contains("fluid/pressure_jacobi"), "{list}");
    let one = out(&stagewright(&["stages", "fluid/pressure_jacobi"]));
    assert!(
        one.contains("Pressure (Jacobi)") && one.contains("relaxation") && one.contains("fn stage(cell: Cell)"),
        "{one}"
    );
    let none = stagewright(&["stages", "fluid/presure_jacobi"]);
    assert!(!none.status.success() && err(&none).contains("did you mean `fluid/pressure_jacobi`?"), "{}", err(&none));
}

#[test]
fn wrong_arguments_get_one_sentence() {
    let dir = folder("arguments");
    let frames = dir.to_str().unwrap();
    let cases: [(&[&str], &str); 8] = [
        (&["render", GRAPH, "--frames", "0", "--out", frames], "0"),
        (&["render", GRAPH, "--frames", "1", "--out", frames, "--size", "big"], "WIDTHxHEIGHT"),
        (&["render", GRAPH, "--frames", "1", "--out", frames, "--param", "nobody.x=1"], "no node `nobody`"),
        (&["render", GRAPH, "--frames", "1", "--out", frames, "--param", "radius"], "NODE.PARAM=VALUE"),
        (&["render", GRAPH, "--frames", "1", "--out", frames, "--adapter", "no such adapter"], "no such adapter"),
        (&["render", GRAPH, "--frames", "1", "--out", frames, "--output", "nobody"], "no such Output"),
        (&["render", GRAPH, "--frames", "1", "--out", frames, "--fps", "0"], "above 0"),
        (&["check", "no/such/file.ron"], "no/such/file.ron"),
    ];
    for (arguments, says) in cases {
        let output = stagewright(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        assert!(err(&output).contains(says), "{arguments:?}: {}", err(&output));
        assert!(!err(&output).contains("panicked"), "{arguments:?}: {}", err(&output));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_missing_driver_says_what_to_install() {
    let output = Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // An empty list hides every driver.
        .env("VK_ICD_FILENAMES", "")
        .env("VK_DRIVER_FILES", "")
        .args(["render", GRAPH, "--frames", "1", "--out", "never"])
        .output()
        .expect("starts");
    let said = err(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("mesa-vulkan-drivers") && !said.contains("panicked"), "{said}");
}

#[test]
fn a_parameter_may_be_a_number_that_shapes_the_plan() {
    let dir = folder("numbers");
    let file = dir.join("numbers.ron");
    let nodes = r#"(version: 1, nodes: {
        "h": (number: 0.25), "n": (number: "ceil(2 / h)"), "domain": (domain: (resolution: ("n", 4), width: "n * h", edge: "wall")),
        "s": (state: "Grid<f32>", inputs: {"next": "fade.field"}),
        "fade": (stage: "fluid/dissipate", inputs: {"field": "s.value"}, iterations: "ceil(0.4 / h)"),
        "look": (stage: "view/color_map", inputs: {"field": "fade.field"}), "screen": (output: (), inputs: {"image": "look.image"}),
    })"#;
    std::fs::write(&file, nodes).unwrap();
    let plan = |params: &[&str]| {
        let param_options = params.iter().flat_map(|p| ["--param", *p]);
        let output = stagewright(
            &["plan", file.to_str().unwrap(), "--target", "plain"].into_iter().chain(param_options).collect::<Vec<_>>(),
        );
        if output.status.success() { out(&output) } else { err(&output) }
    };
    let says = |params: &[&str], what: &str| assert!(plan(params).contains(what), "{params:?}: {}", plan(params));
    says(&[], "8x4 cells of 0.25 m");
    says(&[], "h.value, shapes domain.resolution, domain.width, fade.iterations");
    says(&["h.value=0.1"], "20x4 cells of 0.1 m");
    says(&["h.value=0.08"], " x5");
    says(&["h.value=0.1", "n.value=4 + 1 / h"], "14x4 cells of 0.1");
    says(&["domain.resolution=max(n, 3),2 * 3", "domain.width=h * 8"], "8x6 cells of 0.25 m");
    says(&["fade.iterations=2 / h"], " x8");
    says(&["h.value=time + 1"], "changes from frame to frame");
    says(&["h.value=3 * n"], "cycle");
    says(&["domain.resolution=n"], "512,512");
    let frames = dir.join("frames");
    let render = [
        "render",
        file.to_str().unwrap(),
        "--frames",
        "1",
        "--out",
        frames.to_str().unwrap(),
        "--param",
        "h.value=0.5",
    ];
    assert!(stagewright(&render).status.success());
    let decoder =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(frames.join("frame.0001.png")).unwrap()));
    assert_eq!(decoder.read_info().expect("a PNG").info().width, 4);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_parameter_may_be_a_curve_or_a_gradient() {
    let dir = folder("curves");
    let file = dir.join("curves.ron");
    let nodes = r#"(version: 1, nodes: {
        "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")), "s": (state: "Grid<f32>", inputs: {"next": "s.value"}),
        "shape": (stage: "grid/remap", inputs: {"field": "s.value"}),
        "look": (stage: "view/gradient", inputs: {"field": "shape.result"}), "screen": (output: (), inputs: {"image": "look.image"}),
    })"#;
    std::fs::write(&file, nodes).unwrap();
    let frames = dir.join("frames");
    let render = |params: &[&str]| {
        let param_options = params.iter().flat_map(|p| ["--param", *p]);
        let fixed = ["render", file.to_str().unwrap(), "--frames", "1", "--out", frames.to_str().unwrap()];
        stagewright(&fixed.into_iter().chain(param_options).collect::<Vec<_>>())
    };
    let good = render(&["shape.shape=[(0, 0.5)]", r##"look.ramp=[(0, "#000000"), (0.5, "#ff8800"), (1, "#ffffff")]"##]);
    assert!(good.status.success(), "{}", err(&good));
    let picture = std::fs::File::open(frames.join("frame.0001.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(picture)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("pixels");
    let near = pixels.iter().zip([255u8, 136, 0, 255]).all(|(got, wanted)| got.abs_diff(wanted) <= 1);
    assert!(near, "the middle of the gradient, not {:?}", &pixels[..4]);
    println!("{:?}", &pixels[..4]);
    let said = err(&render(&["shape.shape=[(0, 1), (2, 0)]"]));
    assert!(said.contains("point 2 of the curve is at t = 2"), "{said}");
    let said = err(&render(&[r##"look.ramp=[(0, "red")]"##]));
    assert!(said.contains("an expression was given for a gradient") && said.contains("give its stops as"), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// llvmpipe takes memory until the system has none, so the process is capped: then the driver reports it.
#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_an_error_that_names_the_largest_wire() {
    let dir = folder("memory");
    let file = dir.join("large.ron");
    let mut nodes = String::from(r#""domain": (domain: (resolution: (2800, 2800), width: 1, edge: "wall")),"#);
    // 60 States of 125 MB each: 7.5 GB, under the budget of a plan and over the cap of 6 GB.
    for i in 0..60 {
        nodes.push_str(&format!(r#""s{i}": (state: "Grid<vec4f>", inputs: {{"next": "a{i}.field"}}), "a{i}": (stage: "fluid/add", inputs: {{"field": "s{i}.value", "source": "s{}.value"}}),"#, (i + 1) % 60));
    }
    nodes.push_str(r#""o": (output: (), inputs: {"image": "a0.field"}),"#);
    std::fs::write(&file, format!("(version: 1, nodes: {{ {nodes} }})")).unwrap();
    let command = format!(
        "ulimit -v 6000000; exec {} render {} --frames 1 --out {}",
        env!("CARGO_BIN_EXE_stagewright"),
        file.display(),
        dir.join("f").display()
    );
    let output = Command::new("bash").args(["-c", &command]).output().expect("bash");
    let said = err(&output);
    println!("{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the GPU does not have enough memory for the") && !said.contains("panicked"), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// Width, height and pixels of a PNG.
fn decoded(path: &std::path::Path) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).expect("the frame is there")));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("its pixels");
    (info.width, info.height, pixels)
}

#[test]
fn any_wire_renders_and_its_statistics_are_printed() {
    let dir = folder("wire");
    let file = dir.join("deep.ron");
    let nodes = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (6, 5, 4), width: 1, edge: "wall")),
        "layers": (custom: "//! Layers\n//! @out z: Grid<f32>\nfn stage(cell: Cell) -> f32 { return f32(cell.z); }", on: "box"),
        "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "grey": (stage: "image/checker", on: "flat"),
        "screen": (output: (), inputs: {"image": "grey"}),
    })"#;
    std::fs::write(&file, nodes).unwrap();
    let frames = dir.join("frames");
    let render = |more: &[&str]| {
        let file = [file.to_str().unwrap(), "--frames", "2", "--out", frames.to_str().unwrap(), "--wire", "layers.z"];
        stagewright(&[&["render"], &file[..], more].concat())
    };
    let middle = render(&["--map", "grey", "--range", "0,3", "--slice", "z=0.3"]);
    assert!(middle.status.success(), "{}", err(&middle));
    assert!(out(&middle).contains("layers.z: 120 values, min 0, max 3, mean 1.5, rms 1.87"), "{}", out(&middle));
    let (width, height, pixels) = decoded(&frames.join("frame.0002.png"));
    assert_eq!((width, height, &pixels[..3]), (6, 5, &[85; 3][..]), "layer 1 of 0..3");
    let across = render(&["--map", "grey", "--range=-3,3", "--slice", "x=max", "--stats", "json"]);
    let json =
        out(&across).lines().last().map(|l| serde_json::from_str::<serde_json::Value>(l).expect("JSON")).unwrap();
    assert_eq!(
        (json["mean"].as_f64(), json["nan"].as_u64(), json["range"][0].as_f64()),
        (Some(1.5), Some(0), Some(-3.0))
    );
    let (width, height, pixels) = decoded(&frames.join("frame.0001.png"));
    assert_eq!((width, height, pixels[0], pixels[9]), (4, 5, 128, 255), "z to the right");
    let orbit = render(&["--slice", "orbit", "--size", "40x30"]);
    assert!(orbit.status.success(), "{}", err(&orbit));
    assert_eq!(decoded(&frames.join("frame.0001.png")).0, 40);
    for (more, says) in [
        (&["--slice", "w=1"][..], "z=max"),
        (&["--map", "rainbow"], "viridis, magma"),
        (&["--range", "1"], "LOW,HIGH"),
        (&["--show", "3"], "no component 3"),
        (&["--show", "direction"], "no direction"),
    ] {
        let output = render(more);
        assert!(!output.status.success() && err(&output).contains(says), "{more:?}: {}", err(&output));
    }
    let unknown =
        stagewright(&["render", GRAPH, "--frames", "1", "--out", frames.to_str().unwrap(), "--wire", "no.wire"]);
    assert!(!unknown.status.success(), "{}", err(&unknown));
    for says in ["no: there is no such node", "name a node of the graph"] {
        assert!(err(&unknown).contains(says), "{says}: {}", err(&unknown));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn bench_times_a_case_and_says_so_in_json() {
    let output = stagewright(&["bench", "b1", "--size", "16,24", "--json", "--show", "pressure.pressure"]);
    assert!(output.status.success(), "{}", err(&output));
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.iter().map(|l| l["size"].as_u64().unwrap()).collect::<Vec<_>>(), [16, 24]);
    for line in &lines {
        assert_eq!(line["case"], "b1");
        assert_eq!(line["domains"]["field"], serde_json::json!([line["size"], line["size"]]));
        for time in ["gpu_ms", "wall_ms", "cpu_ms", "cpu_awake_ms", "compile_ms"] {
            let [min, median, max] = ["min", "median", "max"].map(|which| line[time][which].as_f64().expect(which));
            assert!(0.0 < min && min <= median && median <= max, "{time}: {line}");
        }
        for number in ["pipelines_ms", "gb_s", "copy_gb_s", "share_of_copy"] {
            assert!(line[number].as_f64().is_some_and(|n| n > 0.0), "{number}: {line}");
        }
        let nodes = line["nodes"].as_array().expect("nodes");
        let bytes = nodes.iter().map(|n| n["bytes"].as_u64().unwrap()).sum::<u64>();
        assert_eq!(Some(bytes), line["bytes"].as_u64());
        assert!(nodes.iter().any(|n| n["node"] == "pressure" && n["ms"].as_f64() > Some(0.0)), "{line}");
        assert_eq!(line["shown"]["pressure.pressure"].as_array().map(Vec::len), Some(8));
    }
}

#[test]
fn bench_prints_a_table_and_how_a_residual_falls() {
    let output = stagewright(&["bench", "mg", "--size", "32"]);
    let said = out(&output);
    assert!(output.status.success(), "{}", err(&output));
    for part in [
        "GB/s",
        "GPU time per step",
        "wall clock per step",
        "CPU time per step",
        "% of a copy",
        "residual_left.largest",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("times smaller after the first") && said.contains("solve/smooth_0"), "{said}");
}

#[test]
fn bench_takes_graphs_of_any_size_and_compares_their_states() {
    let dir = folder("bench");
    let states = dir.join("states");
    let bench = |more: &[&str]| stagewright(&[&["bench", "graphs/unity_fluid.ron", "--size", "40"], more].concat());
    let dumped = bench(&["--dump", states.to_str().unwrap()]);
    assert!(dumped.status.success(), "{}", err(&dumped));
    assert!(states.join("unity_fluid.velocity.f32").exists());
    let same = bench(&["--compare", states.to_str().unwrap()]);
    assert!(out(&same).contains("velocity after the first frame: largest difference 0e0"), "{}", out(&same));
    let other = bench(&["--size", "80", "--compare", states.to_str().unwrap()]);
    assert!(!other.status.success(), "another size can't be compared: {}", out(&other));
    let timed = bench(&["--json"]);
    let line: serde_json::Value = serde_json::from_str(out(&timed).trim()).expect("one line of JSON");
    let cells = line["domains"].as_object().unwrap().values().flat_map(|d| d.as_array().unwrap());
    assert_eq!(cells.filter_map(serde_json::Value::as_u64).max(), Some(40));
    let unknown = stagewright(&["bench", "b17"]);
    assert!(!unknown.status.success() && err(&unknown).contains("b1, b2, b3"), "{}", err(&unknown));
    let wire = stagewright(&["bench", "b6", "--size", "9", "--show", "no.wire"]);
    assert!(!wire.status.success() && err(&wire).contains("no such wire"), "{}", err(&wire));
    std::fs::remove_dir_all(dir).unwrap();
}

/// A grid whose values are known: x + 10 t, and a vector (y, 1).
const KNOWN: &str = r#"(version: 1, name: "known", fps: 10, nodes: {
    "box": (domain: (resolution: (4, 2), width: 1, edge: "wall")),
    "ramp": (stage: "grid/expression", on: "box", params: {"value": "position.x + 10 * time"}),
    "pair": (stage: "grid/vector_expression", on: "box", params: {"value": "[position.y, 1]"}),
    "slow": (number: "2 * time"),
    "level": (stage: "grid/expression", on: "box", params: {"value": "slow"}),
})"#;

#[test]
fn record_writes_numbers_over_time_and_lines_as_tables() {
    let dir = folder("record");
    let (graph, table) = (dir.join("known.ron"), dir.join("table.csv"));
    std::fs::write(&graph, KNOWN).expect("written");
    let (graph, table) = (graph.to_str().expect("UTF-8"), table.to_str().expect("UTF-8"));
    let numbers = ["--number", "ramp.result:sum", "--number", "pair.result:max:0", "--number", "slow"];
    let run =
        stagewright(&[&["record", graph, "--frames", "4", "--every", "2", "--csv", table], &numbers[..]].concat());
    assert!(run.status.success(), "{}", err(&run));
    let rows: Vec<Vec<f64>> = std::fs::read_to_string(table)
        .expect("written")
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|value| value.parse().expect("a number")).collect())
        .collect();
    // Frame 2 computes with the time 0.1 s, and ends at 0.2 s. Eight cells with a mean of x of 1/2.
    let expected = [[2.0, 0.2, 4.0 + 8.0, 0.375, 0.2], [4.0, 0.4, 4.0 + 24.0, 0.375, 0.6]];
    for (row, expected) in rows.iter().zip(expected) {
        assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{rows:?}");
    }
    assert_eq!(rows.len(), 2);

    let run = stagewright(&["record", graph, "--frames", "1", "--profile", "ramp.result:x"]);
    assert_eq!(out(&run), "x,ramp.result\n0.125,0.125\n0.375,0.375\n0.625,0.625\n0.875,0.875\n", "{}", err(&run));
    let run = stagewright(&["record", graph, "--frames", "1", "--profile", "pair.result:x:0.25"]);
    assert!(out(&run).starts_with("x,pair.result.x,pair.result.y\n0.125,0.25,1\n"), "{}", out(&run));
    for (arguments, sentence) in [
        (["--number", "ramp.result"], "the wire has many values, and no statistic is named"),
        (["--number", "ramp.result:most"], "there is no statistic `most`"),
        (["--number", "pair.result:max:2"], "there is no component 2"),
        (["--number", "nothing:max"], "there is no node `nothing`"),
        (["--profile", "pair.result:z"], "a 2D domain has no axis z"),
        (["--profile", "pair.result:x:9"], "9 m is outside the domain, which ends at 0.5 m"),
        (["--profile", "slow:x"], "wire"),
    ] {
        let run = stagewright(&[&["record", graph, "--frames", "1"], &arguments[..]].concat());
        assert!(!run.status.success() && err(&run).contains(sentence), "{arguments:?}: {}", err(&run));
    }
}
