//! The same wire in each format: the files agree to the bit, or to what the format says it keeps, and a file node reads from them what
//! the simulation has. `scripts/check_formats` compares the files with readers of other projects.

use std::path::Path;

use stagewright_base::files::Access;
use stagewright_export::job::Export;
use stagewright_language::document::Document;
use stagewright_language::graph::{Domain, ImageFit};
use stagewright_language::stage::edges::Edges;
use stagewright_runtime::asset::envelope::Loudness;
use stagewright_runtime::asset::{Column, Number, Placement, Request as File, Timing, Wanted, Work};
use stagewright_runtime::sim::FrameInput;

use crate::{Folder, export, gpu, simulation, typed};

const GRAPH: &str = r#"(version: 1, name: "formats", fps: 25, nodes: {
    "box": (domain: (resolution: (12, 9, 10), width: 1.2, edge: "wall")),
    "flat": (domain: (resolution: (12, 9), width: 1.2, edge: "wall")),
    "fill": (custom: "//! Fill
//! @out density: Grid<f32>
//! @out flow: Grid<Vec>
fn stage(cell: Cell) -> Result {
    let p = position(cell) - vec3f(0.5, 0.4, 0.3);
    let d = max(0.0, 1.0 - 3.0 * length(p)) * (1.0 + frame.time) - 1e-6 * f32(cell.x == 3);
    return Result(d, vec3f(-p.y, 3e4 * p.x, 1e-7 * p.z) * d);
}", on: "box"),
    "paint": (custom: "//! Paint
//! @out image: Image
//! @out height: Grid<f32>
fn stage(cell: Cell) -> Result {
    let p = position(cell);
    return Result(vec4f(0.8 * p.x, p.y, 0.5 + 0.4 * sin(9.0 * p.x + frame.time), 1.0), sin(20.0 * p.x) - 1e3 * p.y);
}", on: "flat"),
    "cloud": (stage: "particles/emit_box", params: {"amount": 60, "center": (0.5, 0.4, 0.3), "size": (0.4, 0.4, 0.4), "velocity": (0.3, 0.1, 0), "spread": 0.7}),
    "drops": (state: "Particles{position: Vec, velocity: Vec, id: u32}", on: "box", capacity: 200, inputs: {"init": "cloud.particles", "next": "move"}),
    "move": (stage: "particles/integrate", inputs: {"particles": "drops"}),
    "screen": (output: (), inputs: {"image": "paint.image"}),
})"#;

const WIRES: [&str; 17] = [
    "density=fill.density:npy",
    "flow=fill.flow:npy",
    "stack=fill.density+flows=fill.flow:npz",
    "cells=fill.density:vtk",
    "smoke=fill.density+wind=fill.flow:vdb",
    "half=fill.density+halves=fill.flow:vdb-half",
    "height=paint.height:npy",
    "relief=paint.height:vdb",
    "color=screen+height=paint.height:exr",
    "color_half=screen+height=paint.height:exr-half",
    "eight=screen:png",
    "sixteen=screen:png16",
    "drops:ply",
    "more=drops:npz",
    "table=drops:csv",
    "total=fill.density:sum+most=fill.density:max:csv",
    "lines=fill.density:sum:jsonl",
];
const FRAMES: u64 = 3;

fn domain(resolution: [u32; 3]) -> Domain {
    let dim = if resolution[2] > 1 { 3 } else { 2 };
    Domain { name: "domain".into(), dim, resolution, cell_size: 0.1, edge: Edges::default(), finer: None, sliced: None }
}

/// What a file node reads where the file lies.
fn read(path: &Path, layer: Option<&str>, wanted: Wanted, domain: &Domain) -> Vec<f32> {
    let file = File::distance(path, Placement::InPlace, domain);
    let grid = File { layer: layer.map(String::from), wanted, ..file }.load(&Work::default());
    grid.unwrap_or_else(|error| panic!("{error}")).values
}

/// Compares numbers: `precision` is the largest difference of a number of this size.
fn same(what: &str, is: &[f32], wanted: &[f32], precision: impl Fn(f32) -> f32) {
    assert_eq!(is.len(), wanted.len(), "{what}");
    assert!(wanted.iter().any(|number| *number != 0.0), "{what} has numbers");
    for (at, (is, wanted)) in is.iter().zip(wanted).enumerate() {
        assert!((is - wanted).abs() <= precision(wanted.abs()), "{what}: number {at} is {is:e}, not {wanted:e}");
    }
}

fn exact(_: f32) -> f32 {
    0.0
}

/// Eleven significant bits, down to the smallest number of 16 bits.
fn half(size: f32) -> f32 {
    (size / 2048.0).max(1.0 / f32::from(1u16 << 15) / 1024.0)
}

/// A colour as images of whole numbers have it.
fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

#[test]
fn every_format_holds_the_same_and_is_read_back() {
    let (gpu, folder) = (gpu(), Folder::new("read_back"));
    let document = Document::parse(GRAPH).unwrap();
    let all = Export { items: typed(&document, &WIRES, &[]).unwrap(), ..folder.export(1, FRAMES) };
    export(&gpu, &document, &all, |_| true);
    let mut simulation = simulation(&gpu, &document, &all.plan_options(&Access::default()));
    let (deep, flat) = (domain([12, 9, 10]), domain([12, 9, 1]));
    for frame in 1..=FRAMES {
        simulation.step(&FrameInput::default()).unwrap();
        let wire = |name: &str| simulation.read(name).unwrap();
        let path = |name: &str, ending: &str| folder.0.join(format!("{name}.{frame:04}.{ending}"));
        let numbers = |path: &Path, layer: Option<&str>, domain: &Domain, vector: bool| {
            read(path, layer, Wanted::Numbers { vector, fit: ImageFit::Cover }, domain)
        };

        // Grids: NPY, NPZ and VTK have the very bytes.
        let (density, flow, height) = (wire("fill.density"), wire("fill.flow"), wire("paint.height"));
        for (field, files) in [
            (&density, &[path("density", "npy"), path("stack", "npz"), path("cells", "vti")][..]),
            (&flow, &[path("flow", "npy"), path("stack", "npz")]),
            (&height, &[path("height", "npy")]),
        ] {
            let bytes: Vec<u8> = field.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            for file in files {
                let there = std::fs::read(file).unwrap().windows(bytes.len()).any(|part| part == bytes);
                assert!(there, "{} has the bits of the wire", file.display());
            }
        }
        same("npy", &numbers(&path("density", "npy"), None, &deep, false), &density.data, exact);
        same("npy", &numbers(&path("flow", "npy"), None, &deep, true), &flow.data, exact);
        same("npy", &numbers(&path("height", "npy"), None, &flat, false), &height.data, exact);
        let smoke = path("smoke", "vdb");
        same("vdb", &numbers(&smoke, Some("smoke"), &deep, false), &density.data, exact);
        same("vdb", &numbers(&smoke, Some("wind"), &deep, true), &flow.data, exact);
        same("vdb", &numbers(&path("relief", "vdb"), None, &flat, false), &height.data, exact);
        let halves = path("half", "vdb");
        same("vdb-half", &numbers(&halves, Some("half"), &deep, false), &density.data, half);
        same("vdb-half", &numbers(&halves, Some("halves"), &deep, true), &flow.data, half);

        // Images: EXR has the numbers of the colours, PNG the nearest of its steps.
        let colors = wire("paint.image").data;
        let image = |path: &Path, layer: Option<&str>, linear: bool| {
            read(path, layer, Wanted::Image { fit: ImageFit::Cover, linear }, &flat)
        };
        for (name, precision) in [("color", exact as fn(f32) -> f32), ("color_half", half)] {
            let file = path(name, "exr");
            same(name, &image(&file, None, true), &colors, precision);
            // One channel is grey.
            let grey: Vec<f32> = image(&file, Some("height"), true).into_iter().step_by(4).collect();
            same(name, &grey, &height.data, precision);
        }
        for (name, steps) in [("eight", 255.0), ("sixteen", 65535.0)] {
            let encoded = |colors: &[f32]| colors.iter().map(|number| srgb(*number)).collect::<Vec<f32>>();
            let read = image(&path(name, "png"), None, false);
            same(name, &encoded(&read), &encoded(&colors), |_| 0.51 / steps + 2e-6);
        }

        // Particles, of which the file has those alive.
        for file in [path("drops", "ply"), path("more", "npz")] {
            for (attribute, components) in [("position", 3), ("velocity", 3), ("id", 1)] {
                let kind = if attribute == "id" { Number::Unsigned } else { Number::Float };
                let column = Column { components, stride: components, kind, capacity: 200 };
                let read = read(&file, Some(attribute), Wanted::Particles(column), &deep);
                let words: Vec<u32> = read.iter().map(|number| number.to_bits()).collect();
                let wanted = wire(&format!("drops.{attribute}")).words;
                let live = 60 * components as usize;
                assert_eq!(words[..live], wanted[..live], "{attribute} of {}", file.display());
            }
        }
        let table = std::fs::read_to_string(path("table", "csv")).unwrap();
        let positions = wire("drops.position").data;
        let cells = table.lines().skip(1).flat_map(|line| line.split(',').skip(2).take(3).map(str::parse::<f32>));
        let cells: Vec<f32> = cells.collect::<Result<_, _>>().unwrap();
        same("csv", &cells, &positions[..cells.len()], exact);
    }

    // Numbers over time: the table as a file node reads it, and the lines of JSON.
    let timing = Timing { fps: 25.0, loudness: Loudness::Rms, attack: 0.0, release: 0.0 };
    let lines = std::fs::read_to_string(folder.0.join("lines.jsonl")).unwrap();
    let number =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["lines"].as_f64().unwrap() as f32;
    let sums: Vec<f32> = lines.lines().map(number).collect();
    let track = File::track(&folder.0.join("total.csv"), Some("total".into()), timing, Access::default());
    let track = track.load(&Work::default()).unwrap().values;
    // Frame 0 has the number of the first that is written.
    same("csv", &track[1..=FRAMES as usize], &sums, exact);
}
