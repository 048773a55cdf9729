//! glTF: text and binary, nodes, and files that lie about themselves.

use crate::*;

/// A cube of 2 m as 8 positions and 36 indices of two bytes.
fn cube_bytes() -> Vec<u8> {
    let cube = Mesh::cube([0.0; 3], 1.0);
    let mut bytes: Vec<u8> = cube.points.iter().flatten().flat_map(|v| (*v as f32).to_le_bytes()).collect();
    bytes.extend(cube.triangles.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes()));
    bytes
}

/// The cube with nodes, and a buffer that is said to lie somewhere.
fn json(nodes: &str, buffer: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[-1,-1,-1],"max":[1,1,1]}},
        {{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":96}},{{"buffer":0,"byteOffset":96,"byteLength":72}}],
        "buffers":[{{"byteLength":168{buffer}}}]}}"#
    )
}

pub fn glb(json: &str, data: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", data)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

pub fn cube_glb(nodes: &str) -> Vec<u8> {
    glb(&json(nodes, ""), &cube_bytes())
}

/// A quarter turn about z, in a parent that scales by 1, 2, 3 tenths and moves to the middle: the longest half side is 0.3.
const TURNED: &str = r#"{"children":[1],"translation":[0.5,0.5,0.5],"scale":[0.1,0.2,0.3]},
    {"mesh":0,"rotation":[0,0,0.70710678118,0.70710678118]}"#;

#[test]
fn nodes_move_turn_and_scale() {
    let folder = Folder::new("nodes");
    let domain = domain(3, 16);
    // Sine and cosine of the turn are good to f32, and so is 0.1.
    let bar = 4.0 * f64::from(f32::EPSILON);
    let path = folder.file("cube.glb", cube_glb(TURNED));
    let values = distances(&path, &Placement::InPlace, &domain);
    check("turned", &values, &domain, bar, |p| to_box(p, MIDDLE, [0.1, 0.2, 0.3]));
    let values = distances(&path, &fit(0.9), &domain);
    check("fitted", &values, &domain, bar, |p| to_box(p, MIDDLE, [0.15, 0.3, 0.45]));
    // By columns; x is mirrored, which turns the cube inside out.
    let matrix = r#"{"mesh":0,"matrix":[-0.25,0,0,0, 0,0.25,0,0, 0,0,0.25,0, 0.5,0.5,0.5,1]}"#;
    let path = folder.file("mirrored.glb", cube_glb(matrix));
    let values = distances(&path, &Placement::InPlace, &domain);
    check("mirrored", &values, &domain, bar, |p| to_box(p, MIDDLE, [0.25; 3]));
}

/// A cube without the face at its high x, shown twice, face to face, with a thousandth of a metre in between: mirroring turns
/// triangles inside out, and they have to look outwards still.
#[test]
fn mirrored_nodes_look_outwards() {
    let folder = Folder::new("mirrored");
    let nodes = r#"{"children":[1,2]},{"mesh":0,"translation":[0.3495,0.5,0.5],"scale":[0.15,0.3,0.3]},
        {"mesh":0,"translation":[0.6505,0.5,0.5],"scale":[-0.15,0.3,0.3]}"#;
    let mut data = cube_bytes();
    // The third and fourth triangle.
    data.drain(96 + 12..96 + 24);
    let text = json(nodes, "").replace(":36", ":30").replace(":72", ":60").replace(":168", ":156");
    let path = folder.file("halves.glb", glb(&text, &data));
    let domain = domain(3, 16);
    for (value, p) in warned(&path, &Placement::InPlace, &domain).values.iter().zip(centers(&domain)) {
        assert_eq!(*value < 0.0, to_box(p, MIDDLE, [0.3; 3]) < 0.0, "{value} at {p:?}");
    }
}

#[test]
fn buffers_lie_in_the_file_or_beside_it() {
    let folder = Folder::new("buffers");
    let domain = domain(3, 8);
    folder.file("a cube.bin", cube_bytes());
    let node = r#"{"mesh":0,"translation":[0.5,0.5,0.5],"scale":[0.3,0.3,0.3]}"#;
    let beside = folder.file("beside.gltf", json(node, r#","uri":"a%20cube.bin""#));
    let base64 = {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(cube_bytes())
    };
    let uri = format!(r#","uri":"data:application/octet-stream;base64,{base64}""#);
    let within = folder.file("within.gltf", json(node, &uri));
    for path in [beside, within] {
        check("gltf", &distances(&path, &Placement::InPlace, &domain), &domain, 1e-7, |p| to_box(p, MIDDLE, [0.3; 3]));
    }
}

/// Triangles in strips, without indices, of bytes that stand for -1..1.
#[test]
fn strips_and_small_integers_are_read() {
    let folder = Folder::new("strip");
    // A strip around all of a cube, corner by corner.
    let strip = [
        [0, 1, 0],
        [1, 1, 0],
        [0, 0, 0],
        [1, 0, 0],
        [1, 0, 1],
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 0],
        [0, 1, 1],
        [0, 0, 0],
        [0, 0, 1],
        [1, 0, 1],
        [0, 1, 1],
        [1, 1, 1],
    ];
    let mut bytes = Vec::new();
    for corner in strip {
        bytes.extend(corner.map(|v: i8| (if v == 1 { 127i8 } else { -127 }) as u8));
        bytes.push(0);
    }
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"extensionsRequired":["KHR_mesh_quantization"],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":5}]}],
        "accessors":[{"bufferView":0,"componentType":5120,"normalized":true,"count":14,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteLength":56,"byteStride":4}],"buffers":[{"byteLength":56}]}"#;
    let path = folder.file("strip.glb", glb(text, &bytes));
    let domain = domain(3, 8);
    check("strip", &distances(&path, &fit(0.5), &domain), &domain, ROUNDING, |p| to_box(p, MIDDLE, [0.25; 3]));
}

/// Looks, lights and motion do not keep a shape from being read, whatever extension they need.
#[test]
fn what_is_not_shape_is_passed_over() {
    let folder = Folder::new("passed");
    let node = r#"{"mesh":0,"skin":0,"translation":[0.5,0.5,0.5],"scale":[0.3,0.3,0.3]},
        {"camera":0,"extensions":{"KHR_lights_punctual":{"light":0}}}"#;
    let rest = r#","extensionsRequired":["KHR_texture_basisu","KHR_lights_punctual"],
        "extensions":{"KHR_lights_punctual":{"lights":[{"type":"point"}]}},
        "cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":0.1}}],
        "skins":[{"joints":[1]}],
        "animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":0,"output":1}]}],
        "images":[{"uri":"missing.ktx2"}],"samplers":[{"magFilter":9729}],
        "textures":[{"sampler":0,"extensions":{"KHR_texture_basisu":{"source":0}}}],
        "materials":[{"normalTexture":{"index":0},"extensions":{"KHR_materials_new":{"new":[1]}}}]}"#;
    let text = json(node, "");
    let text = text.strip_suffix('}').unwrap().replace(r#""indices":1"#, r#""indices":1,"material":0"#) + rest;
    let path = folder.file("cube.glb", glb(&text, &cube_bytes()));
    let domain = domain(3, 8);
    let grid = warned(&path, &Placement::InPlace, &domain);
    check("dressed", &grid.values, &domain, 1e-7, |p| to_box(p, MIDDLE, [0.3; 3]));
    let apply = "apply it in the program that made the file, and export it again";
    let left_out = [
        format!("its skeleton gives no weights to 1 of its parts and is left out; {apply}"),
        format!("the pose at rest is used, and the animation (without a name) is left out; {apply}"),
    ];
    assert_eq!(grid.warnings, left_out);
}

fn refused(name: &str, bytes: Vec<u8>) -> String {
    let folder = Folder::new("refused");
    refusal(distance_grid(&folder.file(name, bytes), &fit(0.5), &domain(3, 4)))
}

#[test]
fn files_that_lie_are_refused() {
    let good = json(r#"{"mesh":0}"#, "");
    let data = cube_bytes();
    let lie = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        refused("cube.glb", glb(&good.replacen(from, to, 1), &data))
            .replace("cube.glb: it is not a valid glTF file: ", "")
    };
    let again = "; export it again";
    assert_eq!(
        lie(r#""count":8"#, r#""count":18446744073709551615"#),
        format!("accessor 0 reaches outside its buffer{again}")
    );
    assert_eq!(lie(r#""count":8"#, r#""count":7"#), format!("a triangle refers to a missing vertex{again}"));
    assert_eq!(
        lie(r#""byteOffset":96"#, r#""byteOffset":18446744073709551615"#),
        format!("buffer view 1 reaches outside its buffer{again}")
    );
    assert_eq!(
        lie(r#""byteLength":96"#, r#""byteLength":96,"byteStride":0"#),
        format!("accessor 0 reaches outside its buffer{again}")
    );
    assert_eq!(lie(r#""POSITION":0"#, r#""POSITION":9"#), format!("there is no accessor 9{again}"));
    assert_eq!(lie(r#""POSITION":0"#, r#""POSITION":1"#), format!("accessor 1 has the wrong type{again}"));
    assert_eq!(lie(r#""mesh":0"#, r#""mesh":4"#), format!("there is no mesh 4{again}"));
    assert_eq!(lie(r#""mesh":0"#, r#""children":[0]"#), format!("its nodes form a cycle{again}"));
    assert_eq!(lie(r#""mesh":0"#, r#""children":[7]"#), format!("there is no node 7{again}"));
    assert_eq!(lie(r#""mesh":0}"#, r#""children":[1,1]},{"mesh":0}"#), format!("node 1 has two parents{again}"));
    assert_eq!(lie(r#""byteLength":168"#, r#""byteLength":169"#), format!("a buffer has 168 bytes of 169{again}"));
    assert_eq!(
        lie(r#""scene":0"#, r#""scene":0,"extensionsRequired":["KHR_draco_mesh_compression"]"#),
        "cube.glb: it uses the extension KHR_draco_mesh_compression, which is not supported; export it again without"
    );
    assert_eq!(
        lie(r#""mesh":0"#, r#""mesh":0,"scale":[1e38,1e38,1e38]"#),
        "cube.glb: a vertex lies at (-99999996802856920000000000000000000000, -99999996802856920000000000000000000000, \
         -99999996802856920000000000000000000000); clean the mesh: coordinates are finite numbers below 1e15"
    );
    let elsewhere = |uri: &str| refused("cube.gltf", json(r#"{"mesh":0}"#, &format!(r#","uri":"{uri}""#)).into());
    let outside = "move it into that folder, or allow files outside it (on the command line: --allow-files)";
    let remedy = "keep the buffer beside the .gltf file, or export a .glb, which holds everything";
    assert_eq!(
        elsewhere("no.bin"),
        format!("cube.gltf: cannot load its buffer `no.bin`: there is no such file; {remedy}")
    );
    assert_eq!(
        elsewhere("https://a.b/c"),
        format!("cube.gltf: cannot load its buffer `https://a.b/c`: it lies outside the graph's folder; {outside}")
    );
    assert_eq!(
        elsewhere("/dev/zero"),
        format!("cube.gltf: cannot load its buffer `/dev/zero`: it lies outside the graph's folder; {outside}")
    );
}

/// Wherever a binary file is cut off, it is refused.
#[test]
fn every_cut_is_noticed() {
    let folder = Folder::new("cut");
    let whole = cube_glb(TURNED);
    for length in 0..whole.len() {
        let path = folder.file("cube.glb", &whole[..length]);
        let text = refusal(distance_grid(&path, &fit(0.5), &domain(3, 2)));
        assert!(text.starts_with("cube.glb: it is not a valid glTF file: "), "{length}: {text}");
    }
}
