//! Meshes and images from files.

use std::path::PathBuf;

use png::{BitDepth, ColorType};
use stagewright_language::graph::{Domain, ImageFit};
use stagewright_language::stage::edges::Edges;
use stagewright_runtime::asset::{Placement, Request, Work};
use stagewright_test_support::jpeg::jpeg;

use super::Target;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

const LEVELS: &[&str] = &["refused", "measured"];

const fn target(name: &'static str, make: fn(&mut Random) -> Vec<u8>, run: fn(&[u8]) -> usize) -> Target {
    Target { name, ending: name, weight: 4, short: 400, levels: LEVELS, make, run }
}

pub const OBJ: Target = target("obj", make_obj, |bytes| measure("obj", bytes));
pub const GLTF: Target = target("gltf", make_gltf, |bytes| measure("gltf", bytes));
pub const GLB: Target = target("glb", make_glb, |bytes| measure("glb", bytes));
pub const PNG: Target = target("png", make_png, |bytes| measure("png", bytes));

pub const JPG: Target = target("jpg", make_jpg, |bytes| measure("jpg", bytes));

/// Distances, and colours of an image, on few cells, for the file placed by a person and as it lies.
fn measure(ending: &str, bytes: &[u8]) -> usize {
    let folder = std::env::temp_dir().join(format!("stagewright-campaign-{}", std::process::id()));
    let file: PathBuf = folder.join("shape").with_extension(ending);
    std::fs::create_dir_all(&folder).expect("a folder for the case");
    std::fs::write(&file, bytes).expect("the case is written");
    if ending == "gltf" {
        std::fs::write(folder.join("cube.bin"), cube()).expect("the buffer beside it");
    }
    let image = matches!(ending, "png" | "jpg");
    let dim = if image { 2 } else { 3 };
    let resolution = if dim == 2 { [12, 9, 1] } else { [6, 5, 4] };
    let domain = Domain {
        name: "domain".into(),
        dim,
        resolution,
        cell_size: 0.1,
        edge: Edges::default(),
        finer: None,
        sliced: None,
    };
    let fit = Placement::Fit { center: [0.3; 3], size: 0.4 };
    let mut requests = Vec::from([fit, Placement::InPlace].map(|at| Request::distance(&file, at, &domain)));
    if image {
        requests
            .extend([fit, Placement::InPlace].map(|at| Request::image(&file, ImageFit::Contain, false, at, &domain)));
    }
    let mut level = 0;
    for request in requests {
        match request.load(&Work::default()) {
            Ok(grid) => {
                assert_eq!(grid.values.len() as u64, domain.cells() * request.wanted.components());
                assert!(grid.values.iter().all(|d| d.is_finite()), "distances are finite");
                if request.wanted.components() == 4 {
                    assert!(grid.values.iter().all(|d| (0.0..=1.0).contains(d)), "colours are from 0 to 1");
                }
                level = 1;
            }
            Err(error) => assert!(error.to_string().contains(&format!("shape.{ending}")), "{error}"),
        }
    }
    level
}

/// A cube of 2 m: 8 positions of three `f32`, 36 indices of two bytes.
fn cube() -> Vec<u8> {
    let corner = |at: u32| [at & 1, at >> 1 & 1, at >> 2 & 1].map(|bit| bit as f32 * 2.0 - 1.0);
    let mut bytes: Vec<u8> = (0..8).flat_map(corner).flat_map(f32::to_le_bytes).collect();
    bytes.extend(TRIANGLES.iter().flat_map(|index| index.to_le_bytes()));
    bytes
}

const TRIANGLES: [u16; 36] =
    [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];

const WORDS: &[&str] = &[
    "v",
    "f",
    "l",
    "p",
    "vt",
    "vn",
    "g",
    "o",
    "s",
    "usemtl",
    "mtllib /dev/zero",
    "1/1/1",
    "-1",
    "1//2",
    "\\",
    "#",
    "\"nodes\"",
    "\"meshes\"",
    "\"buffers\"",
    "\"bufferViews\"",
    "\"accessors\"",
    "\"byteLength\"",
    "\"byteOffset\"",
    "\"byteStride\"",
    "\"count\"",
    "\"type\"",
    "\"VEC3\"",
    "\"SCALAR\"",
    "\"sparse\"",
    "\"uri\"",
    "\"cube.bin\"",
    "\"../../etc/passwd\"",
    "\"/dev/zero\"",
    "\"data:application/octet-stream;base64,AAAA\"",
    "\"children\"",
    "\"matrix\"",
    "\"mode\"",
    "5",
    "5126",
    "5123",
    "[0]",
    "[0,0,0]",
    "{}",
    "null",
];

fn texts(random: &mut Random, seeds: &[String]) -> String {
    let words: Vec<&str> = WORDS.iter().chain(NUMBERS).copied().collect();
    let one = random.one(seeds).clone();
    mutate::text(random, &one, seeds, &words)
}

pub(super) fn make_obj(random: &mut Random) -> Vec<u8> {
    let points: String = (0..8).map(|i| format!("v {} {} {}\n", i & 1, i >> 1 & 1, i >> 2 & 1)).collect();
    let faces: String = TRIANGLES.chunks(3).map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1)).collect();
    let quads = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvt 0 0\nvn 0 0 1\n\
                 f 1/1/1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf -6 -5 -1 -2\nf 4 1 5 8\n";
    let count = *random.one(&[5, 40, 400]);
    let ring: String = (0..count)
        .map(|i| {
            let turn = f64::from(i) / f64::from(count) * std::f64::consts::TAU;
            let radius = 1.0 + f64::from(i % 2);
            format!("v {} {} 0\n", radius * turn.cos(), radius * turn.sin())
        })
        .collect();
    let star = format!("{ring}f{}\n", (1..=count).map(|i| format!(" {i}")).collect::<String>());
    texts(random, &[format!("{points}{faces}"), quads.into(), star]).into_bytes()
}

fn json(buffer: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"mesh":0,"children":[1],"scale":[0.1,0.2,0.3]}},{{"mesh":0,"translation":[1,2,3],"rotation":[0,0,0.7071068,0.7071068]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[
{{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[-1,-1,-1],"max":[1,1,1]}},
{{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":96}},{{"buffer":0,"byteOffset":96,"byteLength":72}}],
"buffers":[{{"byteLength":168{buffer}}}]}}
"#
    )
}

/// The same cube with shape keys, a skeleton, copies, sparse positions, hidden nodes and an animation.
fn deformed(buffer: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["EXT_mesh_gpu_instancing","KHR_node_visibility","EXT_none"],
"nodes":[{{"children":[1,2,3],"scale":[0.1,0.2,0.3]}},{{"mesh":0,"skin":0,"weights":[0.5,-1]}},
{{"mesh":1,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":0,"SCALE":5}}}}}}}},
{{"mesh":0,"extensions":{{"KHR_node_visibility":{{"visible":false}}}}}}],
"skins":[{{"joints":[0,1,2,3,0,1,2,3]}}],"animations":[{{"name":"Walk","channels":[],"samplers":[]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":2,"WEIGHTS_0":3}},"indices":1,
"targets":[{{"POSITION":0}},{{"POSITION":4}}]}}]}},{{"weights":[1],"primitives":[{{"attributes":{{"POSITION":4,"COLOR_0":0}},
"targets":[{{"POSITION":5}}]}}]}}],
"accessors":[
{{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}},
{{"bufferView":1,"componentType":5121,"count":8,"type":"VEC4"}},
{{"bufferView":1,"componentType":5121,"normalized":true,"count":8,"type":"VEC4"}},
{{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3",
"sparse":{{"count":3,"indices":{{"bufferView":1,"componentType":5123}},"values":{{"bufferView":0,"byteOffset":12}}}}}},
{{"componentType":5122,"normalized":true,"count":8,"type":"VEC3"}}],
"bufferViews":[{{"buffer":0,"byteLength":96}},{{"buffer":0,"byteOffset":96,"byteLength":72}}],
"buffers":[{{"byteLength":168{buffer}}}]}}
"#
    )
}

fn make_gltf(random: &mut Random) -> Vec<u8> {
    let named = ",\"uri\":\"cube.bin\",\n\"name\":\"b\"";
    texts(random, &[json(",\"uri\":\"cube.bin\""), json(named), deformed(",\"uri\":\"cube.bin\"")]).into_bytes()
}

fn make_glb(random: &mut Random) -> Vec<u8> {
    let seeds = [json(""), deformed("")];
    let mut json = if random.chance(40) { texts(random, &seeds) } else { random.one(&seeds).clone() }.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let data = cube();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", data.as_slice())] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    mutate::bytes(random, &bytes)
}

fn make_png(random: &mut Random) -> Vec<u8> {
    let (color, samples) = *random.one(&[
        (ColorType::Grayscale, 1),
        (ColorType::GrayscaleAlpha, 2),
        (ColorType::Rgb, 3),
        (ColorType::Rgba, 4),
        (ColorType::Indexed, 1),
    ]);
    let (width, height) = *random.one(&[(1, 1), (4, 4), (16, 9), (33, 5)]);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![0_u8; 768]);
    }
    let pixels: Vec<u8> = (0..width * height * samples).map(|_| if random.chance(50) { 255 } else { 0 }).collect();
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).expect("a small picture is written");
    let bytes = mutate::bytes(random, &bytes);
    // A checksum that does not fit hides what lies behind it.
    if random.chance(70) { with_checksums(bytes) } else { bytes }
}

fn make_jpg(random: &mut Random) -> Vec<u8> {
    let channels = *random.one(&[1, 3]);
    let (across, down) = *random.one(&[(1, 1), (3, 2), (5, 1)]);
    let blocks: Vec<u8> = (0..across * down * channels).map(|_| if random.chance(50) { 230 } else { 20 }).collect();
    let orientation = *random.one(&[None, Some(6), Some(8)]);
    mutate::bytes(random, &jpeg(across, channels, &blocks, orientation))
}

/// Makes the checksum of every chunk right again.
pub(super) fn with_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 4) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(end) = at.checked_add(8).and_then(|start| start.checked_add(length)) else { break };
        let Some(chunk) = bytes.get(at + 4..end) else { break };
        let sum = crc(chunk).to_be_bytes();
        let Some(place) = bytes.get_mut(end..end + 4) else { break };
        place.copy_from_slice(&sum);
        at = end + 4;
    }
    bytes
}

/// CRC-32 as in the PNG specification.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 })
    };
    !bytes.iter().fold(u32::MAX, step)
}
