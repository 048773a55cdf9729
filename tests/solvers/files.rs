//! Meshes and images as signed distances and as colours: what a file holds is what the GPU reads.

use stagewright_base::problem::Problems;
use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::ParamValue;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::timeline::Budget;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

/// A cube of edge 0.4 around the origin.
fn cube() -> String {
    let mut text = String::new();
    for i in 0..8 {
        let side = |bit: i32| if i >> bit & 1 == 1 { 0.2 } else { -0.2 };
        text += &format!("v {} {} {}\n", side(0), side(1), side(2));
    }
    text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

fn start_in(folder: &std::path::Path, nodes: &str) -> Result<Simulation, Problems> {
    let document = document(60.0, nodes, &[]);
    let graph = Graph::build(&document, Library::builtin())?;
    let options = PlanOptions { keep: Keep::All, folder: folder.into(), ..PlanOptions::default() };
    Simulation::new(gpu(), Plan::compile(&graph, &options)?)
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright_files_{name}_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

const NODES: &str = r#"
    "tank": (domain: (resolution: (12, 10, 8), width: 1.2, edge: "wall")),
    "cube": (file: "cube.obj", params: {"center": (0.5, 0.45, 0.4), "size": 0.4}),
    "field": (stage: "field/from_grid", inputs: {"grid": "cube.distance"}),
    "sampled": (stage: "grid/from_field", inputs: {"field": "field.field"}),
    "kept": (state: "Grid<f32>", inputs: {"init": "sampled.result", "next": "kept"}),
"#;

#[test]
fn a_mesh_is_its_distance_on_the_gpu_and_at_the_start() {
    let folder = folder("mesh");
    std::fs::write(folder.join("cube.obj"), cube()).unwrap();
    let field = stagewright_language::library::Library::builtin().stage("field/from_grid").unwrap();
    let (input, output) = (field.inputs().next().unwrap().name.clone(), field.outputs().next().unwrap().name.clone());
    let nodes =
        NODES.replace("{\"grid\":", &format!("{{\"{input}\":")).replace("field.field", &format!("field.{output}"));
    let mut simulation = start_in(&folder, &nodes).unwrap_or_else(|e| panic!("{e}"));
    step(&mut simulation, 2);
    let exact = |index: usize| {
        let cell = [index % 12, index / 12 % 10, index / 120];
        let center = [0.5, 0.45, 0.4];
        let q: Vec<f64> = (0..3).map(|a| ((cell[a] as f64 + 0.5) * 0.1 - center[a]).abs() - 0.2).collect();
        let outside = q.iter().map(|v| v.max(0.0).powi(2)).sum::<f64>().sqrt();
        outside + q.iter().copied().fold(f64::MIN, f64::max).min(0.0)
    };
    // f32 holds coordinates of up to 1.2 m and distances of up to 1 m, a few roundings each.
    let bar = 8.0 * U;
    for wire in ["cube.distance", "kept.value"] {
        let error = read(&simulation, wire).iter().enumerate().map(|(i, v)| (v - exact(i)).abs()).fold(0.0, f64::max);
        println!("{wire}: off by {error:.1e} m of a cube's distance, bar {bar:.1e}");
        assert!(error <= bar, "{wire}: {error:e}");
    }
    simulation.reset();
    step(&mut simulation, 1);
    assert!((read(&simulation, "cube.distance")[0] - exact(0)).abs() <= bar, "a reset leaves the file's value alone");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_that_is_not_there_is_named_with_its_node() {
    let folder = folder("missing");
    let nodes = "\"tank\": (domain: (resolution: (8, 8, 8), width: 1)), \"shape\": (file: \"no.obj\"), \"s\": (state: \"Grid<f32>\", inputs: {\"next\": \"shape.distance\"}),";
    let said = start_in(&folder, nodes).err().map(|p| p.to_string()).unwrap_or_default();
    println!("{said}");
    assert!(said.starts_with("shape.file: ") && said.contains("no.obj"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Rows from the top: a white square in the middle of red, green, blue and grey.
fn square() -> Vec<u8> {
    let corner = |x: u32, y: u32| [[200, 0, 0], [0, 200, 0], [0, 0, 200], [90, 90, 90]][(x / 4 + 2 * (y / 4)) as usize];
    let pixel = |i: u32| {
        let (x, y) = (i % 8, i / 8);
        if (2..6).contains(&x) && (2..6).contains(&y) { [255; 3] } else { corner(x, y) }
    };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 8, 8);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels: Vec<u8> = (0..64).flat_map(pixel).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    bytes
}

/// One node gives both outputs, and a link without a port is the distance. A State can start from the colours.
#[test]
fn an_image_is_a_shape_and_its_colours() {
    let folder = folder("image");
    std::fs::write(folder.join("square.png"), square()).unwrap();
    let nodes = r#"
        "sheet": (domain: (resolution: (8, 8), width: 8, edge: "wall")),
        "square": (file: (path: "square.png", fit: "contain")),
        "same": (stage: "grid/scale", inputs: {"grid": "square"}),
        "dye": (state: "Grid<vec4f>", on: "sheet", inputs: {"init": "square.image", "next": "dye"}),
    "#;
    let scale = Library::builtin().stage("grid/scale").unwrap();
    let (input, output) = (scale.inputs().next().unwrap().name.clone(), scale.outputs().next().unwrap().name.clone());
    let mut simulation =
        start_in(&folder, &nodes.replace("{\"grid\":", &format!("{{\"{input}\":"))).unwrap_or_else(|e| panic!("{e}"));
    for round in 0..2 {
        step(&mut simulation, 2);
        let (distance, dye, image) =
            (read(&simulation, "square.distance"), read(&simulation, "dye.value"), read(&simulation, "square.image"));
        assert_eq!(read(&simulation, &format!("same.{output}")), distance);
        assert_eq!(dye, image, "round {round}");
        let light = |stored: f64| ((stored / 255.0 + 0.055) / 1.055).powf(2.4);
        // The lower left cell is blue, the one beside the middle white and inside.
        assert!(distance[0] > 1.0 && distance[3 * 8 + 3] < -1.0, "{distance:?}");
        assert!((image[2] - light(200.0)).abs() < U && image[0] == 0.0 && image[3] == 1.0, "{:?}", &image[..4]);
        assert_eq!(image[4 * (3 * 8 + 3)..][..4], [1.0; 4]);
        simulation.reset();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A shipped image is there in every folder, unless the folder has one of that name.
#[test]
fn shipped_images_are_found_everywhere_and_own_ones_come_first() {
    let folder = folder("shipped");
    let nodes = r#"
        "sheet": (domain: (resolution: (8, 8), width: 8, edge: "wall")),
        "photo": (file: "pictures/bay.jpg"),
        "dye": (state: "Grid<vec4f>", on: "sheet", inputs: {"init": "photo.image", "next": "dye"}),
    "#;
    let start = || {
        let mut simulation = start_in(&folder, nodes).unwrap_or_else(|e| panic!("{e}"));
        step(&mut simulation, 1);
        read(&simulation, "dye.value")
    };
    let shipped = start();
    assert!(shipped.chunks(4).all(|v| v[3] == 1.0) && shipped[0] != shipped[4 * 63], "a painting");
    std::fs::create_dir_all(folder.join("pictures")).unwrap();
    std::fs::write(folder.join("pictures/bay.jpg"), square()).unwrap();
    assert_eq!(start()[4 * (3 * 8 + 3)..][..4], [1.0; 4], "the square of the folder");
    let outside = nodes.replace("pictures/", "../pictures/");
    let said = start_in(&folder, &outside).err().map(|p| p.to_string()).unwrap_or_default();
    assert!(said.contains("it lies outside the graph's folder"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Such links are from before a file had a second output.
#[test]
fn a_link_to_a_file_without_a_port_is_its_distance() {
    let nodes = r#"
        "sheet": (domain: (resolution: (8, 8), width: 8)), "shape": (file: "a.png"), "s": (state: "Grid<f32>", inputs: {"next": "shape"}),
        "g": (group: (outputs: {"all": "inner"}, nodes: {"inner": (file: "a.png")})),
    "#;
    let text = document(60.0, nodes, &[]).to_text();
    assert!(text.contains("\"next\": \"shape.distance\"") && text.contains("\"all\": \"inner.distance\""), "{text}");
}

#[test]
fn options_of_a_file_that_do_not_exist_are_refused_with_the_list() {
    let nodes = "\"tank\": (domain: (resolution: (8, 8), width: 1)), \"photo\": (file: (path: \"a.png\", fit: \"crop\", space: \"rec709\")),
        \"s\": (state: \"Grid<vec4f>\", inputs: {\"next\": \"photo.image\"}),";
    let said = start_in(std::path::Path::new("."), nodes).err().map(|p| p.to_string()).unwrap_or_default();
    assert!(said.contains("photo.fit: there is no fit `crop`; choose one of: cover, contain, stretch"), "{said}");
    let spaced = start_in(std::path::Path::new("."), &nodes.replace("fit: \"crop\", ", ""));
    let said = spaced.err().map(|p| p.to_string()).unwrap_or_default();
    assert!(said.contains("photo.space: there is no space `rec709`; choose one of: srgb, linear"), "{said}");
}

/// Grey images of 4 x 4 pixels: frame n has the value 10 n / 255, in linear light.
fn plates(folder: &std::path::Path, numbers: std::ops::RangeInclusive<u8>) {
    for number in numbers {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 4, 4);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[10 * number; 16]).unwrap();
        std::fs::write(folder.join(format!("plate.{number:03}.png")), bytes).unwrap();
    }
}

/// `sum` adds up what the frames show; `start` begins with the first one; `double` could be computed once, but for the sequence.
fn sequence(options: &str) -> String {
    format!(
        r#"
    "sheet": (domain: (resolution: (4, 4), width: 1)),
    "plate": (file: (path: "plate.###.png", space: "linear"{options})),
    "add": (custom: "//! Add
//! @in sum: Grid<vec4f>
//! @in image: Image
//! @out result: Grid<vec4f>
fn stage(cell: Cell) -> vec4f {{ return sum(cell) + image(cell); }}", inputs: {{"sum": "sum", "image": "plate.image"}}),
    "double": (custom: "//! Double
//! @in image: Image
//! @out result: Grid<vec4f>
fn stage(cell: Cell) -> vec4f {{ return 2.0 * image(cell); }}", inputs: {{"image": "plate.image"}}),
    "sum": (state: "Grid<vec4f>", on: "sheet", inputs: {{"next": "add"}}),
    "twice": (state: "Grid<vec4f>", on: "sheet", inputs: {{"next": "double"}}),
    "start": (state: "Grid<vec4f>", on: "sheet", inputs: {{"init": "double", "next": "start"}}),
"#
    )
}

/// What a wire shows, in the numbers of the images.
fn shown(simulation: &Simulation, wire: &str) -> f64 {
    (read(simulation, wire)[0] * 25.5 * 64.0).round() / 64.0
}

#[test]
fn a_sequence_shows_the_same_file_in_the_same_frame_however_the_run_gets_there() {
    let folder = folder("sequence");
    plates(&folder, 3..=6);
    let run = |options: &str, frames: usize| {
        let mut simulation = start_in(&folder, &sequence(options)).unwrap_or_else(|e| panic!("{e}"));
        let mut numbers = Vec::new();
        for _ in 0..frames {
            step(&mut simulation, 1);
            numbers.push(shown(&simulation, "plate.image"));
            assert_eq!(shown(&simulation, "double.result"), 2.0 * numbers[numbers.len() - 1]);
            assert_eq!(shown(&simulation, "sum.value"), numbers.iter().sum::<f64>(), "{numbers:?}");
            assert_eq!(shown(&simulation, "start.value"), 2.0 * numbers[0]);
        }
        (numbers, simulation)
    };
    assert_eq!(run("", 6).0, [3.0, 4.0, 5.0, 6.0, 6.0, 6.0]);
    assert_eq!(run(", first: 1, beyond: \"hold\"", 4).0, [3.0, 3.0, 3.0, 4.0]);
    let (numbers, mut simulation) = run(", first: 5, beyond: \"loop\"", 7);
    assert_eq!(numbers, [5.0, 6.0, 3.0, 4.0, 5.0, 6.0, 3.0]);

    // Back and forth, with a look at the coming frame in between.
    simulation.keep_timeline(Budget::default());
    simulation.reset();
    step(&mut simulation, 6);
    for frame in [2, 5, 1] {
        for _ in 0..simulation.seek(frame).unwrap() {
            step(&mut simulation, 1);
        }
        simulation.preview(&FrameInput::default()).unwrap();
        assert_eq!(shown(&simulation, "plate.image"), numbers[frame as usize], "the coming frame");
        let before: f64 = numbers[..frame as usize].iter().sum();
        assert_eq!(shown(&simulation, "sum.value"), before, "frame {frame}");
    }

    let (_, mut simulation) = run(", beyond: \"error\"", 4);
    let said = simulation.step(&FrameInput::default()).unwrap_err().to_string();
    let cause = "the sequence has no number 7: it goes from 3 to 6; compute fewer frames, or let the node hold or loop its last file";
    assert!(said.contains(cause), "{said}");

    // A file that is cut off is reported by its frame, not before.
    let bytes = std::fs::read(folder.join("plate.005.png")).unwrap();
    std::fs::write(folder.join("plate.005.png"), &bytes[..bytes.len() / 2]).unwrap();
    let (_, mut simulation) = run("", 2);
    let said = simulation.step(&FrameInput::default()).unwrap_err().to_string();
    assert!(said.contains("plate.005.png: it is not a valid PNG file"), "{said}");
    std::fs::remove_file(folder.join("plate.005.png")).unwrap();
    let refused =
        |options: &str| start_in(&folder, &sequence(options)).err().map(|p| p.to_string()).unwrap_or_default();
    let gap = "plate.005.png is missing; add the file, or number the files without gaps";
    assert!(refused("").contains(gap), "{}", refused(""));
    let said = refused(", first: -1");
    assert!(said.contains("`first` is -1, and files have no negative numbers; give the number of"), "{said}");
    let said = refused(", beyond: \"stop\"");
    assert!(said.contains("there is no beyond `stop`; choose one of: hold, loop, error"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    let none = "plate.###.png: there is no file of this sequence; choose existing files";
    assert!(refused("").contains(none), "{}", refused(""));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A box of 0.2 m moves by 0.05 m a file at 24 files a second, and stands still where its last file is held.
#[test]
fn a_sequence_of_meshes_gives_the_velocity_of_its_surface() {
    let folder = folder("moving-mesh");
    for number in 0..3 {
        let x = 0.2 + 0.05 * f64::from(number);
        let corner = |i: u32| {
            format!(
                "v {} {} {}\n",
                x + 0.2 * f64::from(i & 1),
                0.4 + 0.1 * f64::from(i & 2),
                0.4 + 0.05 * f64::from(i & 4)
            )
        };
        let points: String = (0..8).map(corner).collect();
        let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
        std::fs::write(folder.join(format!("box.{number:02}.obj")), points + faces).unwrap();
    }
    let run = |beyond: &str| {
        let nodes = format!(
            r#"
    "room": (domain: (resolution: (5, 5, 5), width: 1)),
    "mesh": (file: (path: "box.##.obj", beyond: "{beyond}"), on: "room"),
    "kept": (state: "Grid<Vec>", on: "room", inputs: {{"next": "mesh.velocity"}}),
"#
        );
        let mut simulation = start_in(&folder, &nodes).unwrap_or_else(|e| panic!("{e}"));
        let fps = simulation.plan().fps;
        let speed = |_| {
            step(&mut simulation, 1);
            let values = read(&simulation, "mesh.velocity");
            let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            (largest / (0.05 * fps) * 1e4).round() / 1e4
        };
        (0..5).map(speed).collect::<Vec<_>>()
    };
    assert_eq!(run("hold"), [1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(run("loop"), [1.0; 5]);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Arrays of NumPy begin States, as numbers and as vectors in space.
#[test]
fn arrays_begin_states() {
    let folder = folder("arrays");
    let array = |shape: &str, numbers: std::ops::Range<u8>| {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let data = numbers.flat_map(|n| f32::from(n).to_le_bytes());
        let head = b"\x93NUMPY\x01\x00".iter().copied().chain((header.len() as u16).to_le_bytes());
        head.chain(header.bytes()).chain(data).collect::<Vec<u8>>()
    };
    std::fs::write(folder.join("density.npy"), array("2, 3, 4", 0..24)).unwrap();
    std::fs::write(folder.join("flow.npy"), array("2, 3, 4, 3", 0..72)).unwrap();
    let nodes = r#"
        "tank": (domain: (resolution: (4, 3, 2), width: 1)),
        "smoke": (file: "density.npy"),
        "wind": (file: "flow.npy"),
        "density": (state: "Grid<f32>", on: "tank", inputs: {"init": "smoke", "next": "density"}),
        "flow": (state: "Grid<Vec>", on: "tank", inputs: {"init": "wind.vector", "next": "flow"}),
    "#;
    let mut simulation = start_in(&folder, nodes).unwrap_or_else(|e| panic!("{e}"));
    step(&mut simulation, 2);
    assert_eq!(read(&simulation, "density.value"), (0..24).map(f64::from).collect::<Vec<_>>());
    assert_eq!(read(&simulation, "flow.value"), (0..72).map(f64::from).collect::<Vec<_>>());
    std::fs::remove_dir_all(folder).unwrap();
}

/// Three points with velocities, of which the last property is not used.
fn cloud() -> Vec<u8> {
    let names = ["x", "y", "z", "vx", "vy", "vz", "age", "other"];
    let properties: String = names.iter().map(|name| format!("property float {name}\n")).collect();
    let mut bytes =
        format!("ply\nformat binary_little_endian 1.0\nelement vertex 3\n{properties}end_header\n").into_bytes();
    for point in 0..3u8 {
        let number = |column: u8| f32::from(point) + f32::from(column) / 8.0;
        bytes.extend((0..8).flat_map(|column| number(column).to_le_bytes()));
    }
    bytes
}

#[test]
fn particles_of_a_file_start_a_state() {
    let folder = folder("particles");
    std::fs::write(folder.join("cloud.ply"), cloud()).unwrap();
    let nodes = |cells: &str, capacity: u32| {
        format!(
            r#"
        "tank": (domain: (resolution: {cells}, width: 1)),
        "cloud": (file: "cloud.ply"),
        "drops": (state: "Particles{{position: Vec, velocity: Vec, age: f32, id: u32}}", capacity: {capacity}, on: "tank", inputs: {{"init": "cloud.particles", "next": "move"}}),
        "move": (custom: "//! Move
//! @inout particles: Particles{{position: Vec, velocity: Vec}} -> {{position: Vec}}
fn stage(p: Particle) -> Vec {{ return p.position + p.velocity; }}", inputs: {{"particles": "drops"}}),
    "#
        )
    };
    for (cells, dim) in [("(8, 8)", 2), ("(8, 8, 8)", 3)] {
        let mut simulation = start_in(&folder, &nodes(cells, 600)).unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..2 {
            step(&mut simulation, 2);
            let number = |point: usize, column: usize| point as f64 + column as f64 / 8.0;
            let moved = |place: usize, times: f64| {
                number(place / dim, place % dim) + times * number(place / dim, 3 + place % dim)
            };
            let expected: Vec<f64> = (0..3 * dim).map(|place| moved(place, 2.0)).collect();
            assert_eq!(read(&simulation, "drops.position")[..3 * dim], expected);
            assert_eq!(read(&simulation, "drops.age")[..3], [0.75, 1.75, 2.75]);
            assert_eq!(words(&simulation, "drops.id")[..3], [0, 1, 2], "numbered, since the file does not");
            assert_eq!(words(&simulation, "drops.count")[0], 3);
            assert_eq!(
                read(&simulation, "cloud.position")[..dim],
                (0..dim).map(|axis| number(0, axis)).collect::<Vec<_>>()
            );
            simulation.reset();
        }
    }
    let refused = |nodes: &str| start_in(&folder, nodes).err().map(|p| p.to_string()).unwrap_or_default();
    let said = refused(&nodes("(8, 8)", 2));
    assert_eq!(
        said.matches("it holds 3 particles, and the State has room for 2; raise the State's capacity").count(),
        1,
        "{said}"
    );
    let alone = nodes("(8, 8)", 600)
        .replace("\"init\": \"cloud.particles\", ", "")
        .replace("\"particles\": \"drops\"", "\"particles\": \"cloud\"");
    let said = refused(&alone);
    assert!(
        said.contains("no State says which attributes the particles of the file have, and how many fit; connect them"),
        "{said}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

/// A column of a table is a number of the graph: in expressions, in parameters and on wires, in a group too; it has the same
/// value in a frame whenever that frame is computed.
#[test]
fn a_table_is_a_number_over_time() {
    let folder = folder("tracks");
    std::fs::write(folder.join("mix.csv"), "frame,jet,wind\n0,1,10\n2,3,30\n").unwrap();
    let nodes = |options: &str| {
        r#"
        "tank": (domain: (resolution: (4, 4), width: 1)),
        "beat": (file: (path: "mix.csv", column: "wind"OPTIONS)),
        "twice": (number: "2 * beat"),
        "fill": (custom: "//! Fill
//! @in gain: f32 = 0
//! @param rate: f32 = 0
//! @out field: Grid<f32>
fn stage(cell: Cell) -> f32 { return gain() + params.rate; }", on: "tank", inputs: {"gain": "beat"}, params: {"rate": "1000 * twice"}),
        "inner": (group: (inputs: {"loud": "f32"}, outputs: {"out": "add.field"}, nodes: {
            "add": (custom: "//! Add
//! @param rate: f32 = 0
//! @out field: Grid<f32>
fn stage(cell: Cell) -> f32 { return params.rate; }", params: {"rate": "loud + 1"}),
        }), inputs: {"loud": "beat.value"}),
    "#
        .replace("OPTIONS", options)
    };
    let course = |options: &str, frames: usize| {
        let mut simulation = start_in(&folder, &nodes(options)).unwrap_or_else(|e| panic!("{e}"));
        let mut run = || -> Vec<[f64; 3]> {
            let frame = |simulation: &mut Simulation| {
                simulation.step(&FrameInput::default()).unwrap_or_else(|e| panic!("{e}"));
                let value = simulation.value("beat.value").unwrap()[0];
                [value, read(simulation, "fill.field")[0], read(simulation, "inner.out")[0]]
            };
            (0..frames).map(|_| frame(&mut simulation)).collect()
        };
        let first = run();
        simulation.reset();
        let mut again = Vec::new();
        for _ in 0..frames {
            simulation.step(&FrameInput::default()).unwrap();
            again.push(read(&simulation, "fill.field")[0]);
        }
        assert_eq!(first.iter().map(|[_, field, _]| *field).collect::<Vec<_>>(), again);
        first
    };
    let expected = |values: &[f64]| values.iter().map(|v| [*v, v * 2001.0, v + 1.0]).collect::<Vec<_>>();
    assert_eq!(course("", 5), expected(&[10.0, 20.0, 30.0, 30.0, 30.0]));
    assert_eq!(course(", first: 1, beyond: \"loop\"", 5), expected(&[20.0, 30.0, 10.0, 20.0, 30.0]));

    let mut ending = start_in(&folder, &nodes(", beyond: \"error\"")).unwrap_or_else(|e| panic!("{e}"));
    step(&mut ending, 3);
    let said = ending.step(&FrameInput::default()).unwrap_err().to_string();
    assert_eq!(said, "beat.file: mix.csv ends after 3 frames; compute fewer frames, or let the node hold or loop it");
    let said = ending.set_param("beat.value", ParamValue::Number(1.0)).unwrap_err().to_string();
    assert!(said.contains("its value comes from mix.csv; connect a number node in its place"), "{said}");
    let refused = |options: &str| start_in(&folder, &nodes(options)).err().map(|p| p.to_string()).unwrap_or_default();
    let said = refused(", beyond: \"stop\"");
    assert!(said.contains("there is no beyond `stop`; choose one of: hold, loop, error"), "{said}");
    std::fs::remove_file(folder.join("mix.csv")).unwrap();
    let said = refused("");
    assert!(said.contains("mix.csv: there is no such file; choose an existing file"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}
