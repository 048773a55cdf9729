//! What is said of files that can't be used, and that none of them takes the program down.

use std::panic::catch_unwind;

use png::{BitDepth, ColorType};
use stagewright_formats::{ContentKind, READERS};
use stagewright_runtime::asset::{Cause, Column, Number, Request, Timing, Wanted, Work};

use crate::gltf::cube_glb;
use crate::images::png;
use crate::*;

fn refused(folder: &Folder, name: &str, bytes: impl AsRef<[u8]>, dim: u32) -> String {
    refusal(distance_grid(&folder.file(name, bytes), &fit(0.5), &domain(dim, 4)))
}

#[test]
fn errors_name_the_file_the_cause_and_the_remedy() {
    let folder = Folder::new("errors");
    let refused = |name: &str, bytes: &[u8], dim| refused(&folder, name, bytes, dim);
    let mut said = vec![
        refusal(distance_grid(&folder.0.join("gone.obj"), &fit(0.5), &domain(3, 4))),
        refused("part.stl", b"solid", 3),
        refused("part", b"", 3),
        refused("cube.obj", b"", 2),
        refused("disc.png", b"", 3),
        refused("empty.obj", b"", 3),
        refused("points.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\np 1\nf\nf 1\nf 1 2\n", 3),
        refused("flat.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 1\n", 3),
        refused("point.obj", b"v 1 1 1e-40\nv 1 1 2e-40\nv 1 1 3e-40\nf 1 2 3\n", 3),
        refused("range.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", 3),
        refused("zero.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", 3),
        refused("negative.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", 3),
        refused("nan.obj", b"v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", 3),
        refused("inf.obj", b"v 0 0 0\nv 1 1e999 0\nv 0 1 0\nf 1 2 3\n", 3),
        refused("word.obj", b"v 0 0 zero\n", 3),
        refused("empty.gltf", b"", 3),
        refused("empty.glb", b"", 3),
        refused("text.glb", b"{}", 3),
        refused("bare.gltf", br#"{"asset":{"version":"2.0"}}"#, 3),
        refused("empty.png", b"", 2),
        refused("text.png", b"not a picture", 2),
        refused("black.png", &png(4, 4, ColorType::Grayscale, BitDepth::Eight, &[127; 16]), 2),
    ];
    std::fs::create_dir(folder.0.join("folder.obj")).unwrap();
    said.push(refusal(distance_grid(&folder.0.join("folder.obj"), &fit(0.5), &domain(3, 4))));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn sizes_and_places_are_checked() {
    let folder = Folder::new("sizes");
    let path = folder.file("cube.obj", Mesh::cube(MIDDLE, 0.2).obj());
    let at = |center, size| refusal(distance_grid(&path, &Placement::Fit { center, size }, &domain(3, 4)));
    assert_eq!(
        at(MIDDLE, -1.0),
        "cube.obj: size must be positive, got -1 m; give the longest side in metres, or 0 to keep the file's units"
    );
    assert_eq!(
        at(MIDDLE, f64::NAN),
        "cube.obj: size must be positive, got NaN m; give the longest side in metres, or 0 to keep the file's units"
    );
    assert_eq!(
        at([f64::INFINITY, 0.0, 0.0], 1.0),
        "cube.obj: the center is out of range; give finite coordinates below 1e15 m"
    );
}

#[test]
fn too_much_is_refused() {
    let folder = Folder::new("much");
    let mut ring = String::new();
    (0..1001).for_each(|i| ring += &format!("v {i} {} 0\n", i * i));
    ring += "f";
    (1..=1001).for_each(|i| ring += &format!(" {i}"));
    assert_eq!(
        refused(&folder, "ring.obj", ring, 3),
        "ring.obj: it is not a valid OBJ file: a face has more than 1000 corners; export it again"
    );
    // An image says how large it is before the first pixel.
    let mut bytes = png(4, 4, ColorType::Grayscale, BitDepth::Eight, &[255; 16]);
    bytes[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
    let crc = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    assert_eq!(
        refused(&folder, "large.png", bytes, 2),
        "large.png: an image of 32768 x 32768 pixels is too large; shrink it to at most 8192 x 8192"
    );
    // A thousand nodes that show ten thousand triangles each.
    let sphere = Mesh::sphere([0.0; 3], 1.0, 4);
    let mut data: Vec<u8> = sphere.points.iter().flatten().flat_map(|v| (*v as f32).to_le_bytes()).collect();
    let indices = data.len();
    data.extend(sphere.triangles.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes()));
    let nodes = vec![r#"{"mesh":0}"#; 1000].join(",");
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},{{"bufferView":1,"componentType":5123,"count":{},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{indices}}},{{"buffer":0,"byteOffset":{indices},"byteLength":{}}}],"buffers":[{{"byteLength":{}}}]}}"#,
        sphere.points.len(),
        3 * sphere.triangles.len(),
        data.len() - indices,
        data.len()
    );
    assert_eq!(
        refused(&folder, "crowd.glb", crate::gltf::glb(&json, &data), 3),
        "crowd.glb: it has more than 5000000 triangles; reduce (decimate) the mesh"
    );
}

/// The check sum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    })
}

/// Thousands of damaged files: bytes changed, swapped for tokens that mean something, cut out, doubled.
#[test]
fn damaged_files_do_no_harm() {
    let folder = Folder::new("damaged");
    let disc: Vec<u8> = (0..64).map(|i| if (i % 8 + i / 8) % 3 == 0 { 255 } else { i }).collect();
    let obj = format!("{}f 1 2 3 4\nf -1 -2 -3 -4 -5 -6\n", Mesh::cube(MIDDLE, 0.2).obj());
    let seeds = [
        ("cube.obj", obj.into_bytes(), 3),
        ("cube.glb", cube_glb(r#"{"mesh":0}"#), 3),
        ("disc.png", png(8, 8, ColorType::Grayscale, BitDepth::Eight, &disc), 2),
    ];
    let tokens: [&[u8]; 12] = [
        b"-1",
        b"0",
        b"99999999999",
        b"nan",
        b"1e300",
        b"\n",
        b" ",
        b"\xff\xff",
        b"18446744073709551615",
        b"\"",
        b"-",
        b"f 1 1 1 2",
    ];
    // xorshift64
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % n.max(1)
    };
    let (mut read, mut total) = (0, 0);
    for (name, seed, dim) in seeds {
        for _ in 0..700 {
            let mut bytes = seed.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                let end = (at + random(9)).min(bytes.len());
                match random(4) {
                    0 => bytes[at] = random(256) as u8,
                    1 => drop(bytes.splice(at..end, tokens[random(tokens.len())].iter().copied())),
                    2 => drop(bytes.drain(at..end)),
                    _ => bytes.extend_from_within(at..end),
                }
            }
            // Images would stop at their check sums.
            if name == "disc.png" && bytes.len() > 33 {
                let crc = crc(&bytes[12..29]);
                bytes[29..33].copy_from_slice(&crc.to_be_bytes());
            }
            let path = folder.file(name, &bytes);
            let result = catch_unwind(|| distance_grid(&path, &fit(0.5), &domain(dim, 3)));
            let Ok(result) = result else { panic!("{name} panics: {:?}", String::from_utf8_lossy(&bytes)) };
            total += 1;
            if let Ok(grid) = result {
                assert!(grid.values.iter().all(|v| v.is_finite()), "{name}: {:?}", String::from_utf8_lossy(&bytes));
                read += 1;
            }
        }
    }
    println!("{read} of {total} damaged files were read all the same");
}

/// Faces with many corners, small files that announce large contents, buffers of no length: refused before the work is done or the
/// memory is taken.
#[test]
fn bombs_are_refused_before_they_go_off() {
    let folder = Folder::new("bombs");
    let since = std::time::Instant::now();
    // xorshift64
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % 100_000
    };
    let face = |corners: usize| (1..=corners).fold("f".to_string(), |text, i| text + " " + &i.to_string()) + "\n";
    let points: String = (0..10_000).map(|_| format!("v {} {} 0\n", random(), random())).collect();
    assert_eq!(
        refused(&folder, "face.obj", points.clone() + &face(10_000), 3),
        "face.obj: it is not a valid OBJ file: a face has more than 1000 corners; export it again"
    );
    assert_eq!(
        refused(&folder, "faces.obj", points + &face(1000).repeat(101), 3),
        "faces.obj: its polygons take too long to triangulate; triangulate the mesh and export it again"
    );
    let json = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}{{}}]}}"#, "{},".repeat(1_000_001));
    assert_eq!(
        refused(&folder, "nodes.gltf", json, 3),
        "nodes.gltf: it has more than 2000000 JSON values; join its parts and export it again"
    );
    let mut small = png(8, 8, ColorType::Rgba, BitDepth::Sixteen, &[0; 512]);
    small[16..24].copy_from_slice(&[0, 0, 0x20, 0, 0, 0, 0x20, 0]);
    let crc = crc(&small[12..29]);
    small[29..33].copy_from_slice(&crc.to_be_bytes());
    let length = small.len();
    assert_eq!(
        refused(&folder, "pixels.png", small, 2),
        format!(
            "pixels.png: it is not a valid PNG file: {length} bytes can't hold 8192 x 8192 pixels; export it again"
        )
    );
    let huge = Domain { resolution: [2048, 2048, 512], ..domain(3, 4) };
    let path = folder.file("cube.obj", Mesh::cube(MIDDLE, 0.2).obj());
    assert_eq!(
        refusal(distance_grid(&path, &fit(0.5), &huge)),
        "cube.obj: the domain's cells do not fit into memory; lower the resolution"
    );
    println!("refused in {:?}", since.elapsed());
    assert!(since.elapsed().as_secs() < 30, "{:?}", since.elapsed());
}

/// Many buffers of one large file, none of which is to be read: neither is the file.
#[test]
fn buffers_are_read_once_and_no_further_than_declared() {
    let folder = Folder::new("buffers");
    let file = std::fs::File::create(folder.0.join("large.bin")).unwrap();
    // It has a hole, and takes no room on disk.
    file.set_len(900 << 20).unwrap();
    let buffers = vec![r#"{"uri":"large.bin","byteLength":0}"#; 2000].join(",");
    let json = format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{buffers}]}}"#);
    let since = std::time::Instant::now();
    assert!(refused(&folder, "none.gltf", json, 3).starts_with("none.gltf: it has no triangles"));
    assert!(since.elapsed().as_secs() < 5, "{:?}", since.elapsed());
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{}]}}"#,
        (0..1025).map(|i| format!(r#"{{"uri":"{i}.bin","byteLength":1}}"#)).collect::<Vec<_>>().join(",")
    );
    assert!(refused(&folder, "many.gltf", json, 3).starts_with("many.gltf: it has more than 1024 buffers"));
}

/// A mesh of a million triangles is given up soon after somebody says so, whatever is being done with it.
#[test]
fn long_work_is_stopped() {
    let folder = Folder::new("stop");
    let sphere = Mesh::sphere([0.5; 3], 0.3, 7);
    let path = folder.file("sphere.obj", sphere.obj());
    for after in [0, 300, 1000] {
        let work = Work::default();
        let request = Request::distance(&path, Placement::InPlace, &domain(3, 96));
        let (result, took) = std::thread::scope(|scope| {
            let run = scope.spawn(|| request.load(&work));
            std::thread::sleep(std::time::Duration::from_millis(after));
            work.stop();
            let since = std::time::Instant::now();
            (run.join().unwrap(), since.elapsed())
        });
        println!("stopped after {after} ms: {took:?}");
        assert!(result.is_err_and(|e| e.cause == Cause::Stopped), "it was done before");
        assert!(took.as_secs_f64() < 5.0, "{took:?}");
    }
}

/// Names and texts of files that act on a terminal, or would break a sentence in two, are shown as text, by every reader.
#[test]
fn texts_of_files_are_shown_on_one_line() {
    const NASTY: &str = "a\n\u{1b}[2Jb";
    let folder = Folder::new("texts");
    let shipped =
        |name: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asset").join(name)).unwrap();
    // In place of a text of the same length, wherever it is.
    let with = |mut bytes: Vec<u8>, from: &str| {
        let nasty = NASTY.as_bytes();
        let at: Vec<usize> =
            (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
        assert!(!at.is_empty(), "{from}");
        for at in at {
            let end = at + from.len().min(nasty.len());
            bytes[at..end].copy_from_slice(&nasty[..end - at]);
        }
        bytes
    };
    let gltf = |json: String| json.replace('\n', "\\n").replace('\u{1b}', "\\u001b").into_bytes();
    let asset = r#""asset":{"version":"2.0"}"#;
    let npy = |header: String| {
        [&b"\x93NUMPY\x01\0"[..], &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat()
    };
    let column = Column { components: 3, stride: 4, kind: Number::Float, capacity: 10 };
    let timing = Timing { fps: 10.0, loudness: Default::default(), attack: 0.0, release: 0.0 };
    let (distance, image) = (Wanted::Distance, Wanted::Image { fit: Default::default(), linear: true });
    let (numbers, particles) = (Wanted::Numbers { vector: false, fit: Default::default() }, Wanted::Particles(column));
    let cases: [(&str, Vec<u8>, Wanted, u32); 17] = [
        ("a.obj", format!("v {NASTY}").into(), distance, 3),
        ("a.gltf", gltf(format!(r#"{{{asset},"extensionsRequired":["{NASTY}"]}}"#)), distance, 3),
        ("a.gltf", gltf(format!(r#"{{{asset},"buffers":[{{"byteLength":1,"uri":"{NASTY}"}}]}}"#)), distance, 3),
        ("a.gltf", gltf(format!(r#"{{{asset},"nodes":"{NASTY}"}}"#)), distance, 3),
        ("a.gltf", format!(r#"{{{asset},{NASTY}"#).into(), distance, 3),
        ("a.png", NASTY.into(), image, 2),
        ("a.jpg", NASTY.into(), image, 2),
        ("a.exr", with(shipped("exr/zip.exr"), "depth.Z"), image, 2),
        ("a.npy", npy(format!("{{'descr': '{NASTY}', 'fortran_order': False, 'shape': (2, 3), }}")), numbers, 2),
        (
            "a.npy",
            npy(format!("{{'descr': [('{NASTY}', '{NASTY}')], 'fortran_order': False, 'shape': (2,), }}")),
            particles,
            3,
        ),
        ("a.npz", with(shipped("grids/numpy.npz"), "position"), particles, 3),
        ("a.vdb", with(shipped("grids/openvdb.vdb"), "sphere"), numbers, 3),
        ("a.ply", format!("ply\nformat {NASTY} 1.0\nend_header\n").into(), particles, 3),
        ("a.csv", format!("{},b\n0,1\n", NASTY.replace('\n', "\r")).into(), Wanted::Track(timing), 3),
        ("a.wav", NASTY.into(), Wanted::Track(timing), 3),
        ("a\n\u{1b}[2J.obj", b"".to_vec(), distance, 3),
        ("a.b\n\u{1b}[2J", b"".to_vec(), distance, 3),
    ];
    for (name, bytes, wanted, dim) in cases {
        let path = folder.file(name, &bytes);
        let layer =
            matches!(wanted, Wanted::Image { .. } | Wanted::Numbers { .. } | Wanted::Particles(_) | Wanted::Track(_));
        let layer = layer.then(|| format!("{NASTY}c")).filter(|_| !name.ends_with("npy"));
        let request = Request::distance(&path, Placement::InPlace, &domain(dim, 4));
        let error = Request { wanted, layer: layer.clone(), set: layer, ..request }.load(&Work::default());
        let error = error.expect_err(name);
        for text in [
            error.to_string(),
            error.cause.to_string(),
            stagewright_runtime::asset::sentence(&error.file, &error.cause),
        ] {
            assert!(text.chars().all(|c| !c.is_control()), "{name}: {text:?}");
        }
    }
}

/// Each reader, with the extensions that it lists: a file of other contents is refused as what its extension says.
#[test]
fn every_reader_says_what_a_file_of_its_extension_should_be() {
    let folder = Folder::new("readers");
    let column = Column { components: 3, stride: 4, kind: Number::Float, capacity: 10 };
    let timing = Timing { fps: 10.0, loudness: Default::default(), attack: 0.0, release: 0.0 };
    for reader in READERS {
        for extension in reader.all_extensions() {
            let path = folder.file(&format!("a.{}", extension.to_uppercase()), "\n");
            for kind in reader.becomes {
                let (wanted, dim) = match kind {
                    ContentKind::Shape => (Wanted::Distance, 3),
                    ContentKind::Image => (Wanted::Image { fit: Default::default(), linear: true }, 2),
                    ContentKind::Grid => (Wanted::Numbers { vector: false, fit: Default::default() }, 2),
                    ContentKind::Points => (Wanted::Particles(column), 3),
                    ContentKind::Track => (Wanted::Track(timing), 2),
                };
                let request = Request::distance(&path, Placement::InPlace, &domain(dim, 4));
                let error = Request { wanted, ..request }.load(&Work::default()).expect_err(extension);
                match error.cause {
                    Cause::Malformed(malformed) => assert_eq!(malformed.kind, reader.name, "{extension}"),
                    // Lines of OBJ files that are no part of a shape are skipped.
                    cause => assert_eq!((reader.name.0, cause), ("OBJ", Cause::NoTriangles)),
                }
            }
        }
    }
}

#[test]
fn the_manual_names_every_extension_that_is_read() {
    let manual = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/graph_file.md")).unwrap();
    let extensions = READERS.iter().flat_map(|reader| reader.extensions);
    let missing: Vec<_> = extensions.filter(|extension| !manual.contains(&format!(".{extension}"))).collect();
    assert_eq!(missing, [&""; 0]);
}
