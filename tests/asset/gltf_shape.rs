//! What changes the shape of a glTF file besides its triangles: applied, named in a warning, or refused.

use std::time::Instant;

use stagewright_runtime::asset::{Column, Number, Request, Wanted, Work};

use crate::gltf::glb;
use crate::*;

/// A file with a cube of two tenths around the origin as mesh 0, and what a case adds.
#[derive(Default)]
struct File {
    nodes: &'static str,
    /// Fields of the mesh, its primitive, its attributes, its positions and the whole file, each after a comma.
    mesh: &'static str,
    primitive: &'static str,
    attributes: &'static str,
    positions: &'static str,
    rest: &'static str,
    /// Accessors from 2 on, and the buffer view of each.
    data: Vec<(&'static str, u32, Vec<u8>)>,
}

impl File {
    fn bytes(&self) -> Vec<u8> {
        self.edited("", "")
    }

    /// The same with another text in its JSON part.
    fn edited(&self, from: &str, to: &str) -> Vec<u8> {
        let cube = Mesh::cube([0.0; 3], 0.1);
        let points = floats(cube.points.iter().flatten().map(|v| *v as f32));
        let corners: Vec<u8> = cube.triangles.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes()).collect();
        let (mut data, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
        let geometry = [("VEC3", 5126, points), ("SCALAR", 5123, corners)];
        for (index, (kind, component, bytes)) in geometry.iter().chain(&self.data).enumerate() {
            let numbers = match *kind {
                "VEC3" => 3,
                "VEC4" => 4,
                "MAT4" => 16,
                _ => 1,
            };
            let width = match component {
                5126 => 4,
                5122 | 5123 => 2,
                _ => 1,
            };
            let count = bytes.len() / width / numbers;
            let more = if index == 0 { self.positions } else { "" };
            views.push(format!(r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#, data.len(), bytes.len()));
            accessors.push(format!(
                r#"{{"bufferView":{index},"componentType":{component},"count":{count},"type":"{kind}"{more}}}"#
            ));
            data.extend(bytes);
            data.resize(data.len().next_multiple_of(4), 0);
        }
        let File { nodes, mesh, primitive, attributes, rest, .. } = self;
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0{attributes}}},"indices":1{primitive}}}]{mesh}}}],
            "accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{}}}]{rest}}}"#,
            accessors.join(","),
            views.join(","),
            data.len()
        );
        assert!(json.contains(from), "{from}");
        glb(&json.replacen(from, to, 1), &data)
    }
}

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A matrix by columns that moves.
fn moving([x, y, z]: [f32; 3]) -> [f32; 16] {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

/// Displacements of the cube's corners.
fn key(of: impl Fn([f32; 3]) -> [f32; 3]) -> (&'static str, u32, Vec<u8>) {
    let corners = Mesh::cube([0.0; 3], 0.1).points.into_iter().map(|p| of(p.map(|v| v as f32)));
    ("VEC3", 5126, floats(corners.flatten()))
}

const SHIFT: &str = r#"{"mesh":0,"translation":[0.5,0.5,0.5]}"#;
const TWO_KEYS: &str = r#","targets":[{"POSITION":2},{"POSITION":3},{"NORMAL":3}]"#;
/// The mesh's own node, which must not matter, below a moved one, and two joints.
const BONES: &str = r#"{"translation":[0.1,0.2,0.1],"children":[1,2]},{"mesh":0,"skin":0,"scale":[9,9,9]},
    {"translation":[0.3,0.2,0.3],"children":[3]},{"translation":[0.1,0,0]}"#;

fn skin(weights: [f32; 4], bind: [[f32; 3]; 2]) -> Vec<(&'static str, u32, Vec<u8>)> {
    vec![
        ("VEC4", 5121, [0, 1, 0, 0].repeat(8)),
        ("VEC4", 5126, floats(weights.repeat(8))),
        ("MAT4", 5126, floats(bind.into_iter().flat_map(moving))),
    ]
}

/// The centre and the half sides of a box.
type Cuboid = ([f64; 3], [f64; 3]);

/// Each case, and the boxes that the scene must be.
fn cases() -> Vec<(&'static str, File, Vec<Cuboid>)> {
    let half = [0.1; 3];
    let one = |center: [f64; 3]| vec![(center, half)];
    let keys = || vec![key(|p| p.map(|v| 0.5 * v)), key(|_| [0.1, 0.0, 0.0])];
    let skinned = |nodes, weights, bind| File {
        nodes,
        attributes: r#","JOINTS_0":2,"WEIGHTS_0":3"#,
        rest: r#","skins":[{"joints":[2,3],"inverseBindMatrices":4}]"#,
        data: skin(weights, bind),
        ..File::default()
    };
    let sparse = |positions| File {
        nodes: SHIFT,
        positions,
        data: vec![
            ("SCALAR", 5121, vec![1, 3, 5, 7]),
            ("VEC3", 5126, floats([0.2, -0.1, -0.1, 0.2, 0.1, -0.1, 0.2, -0.1, 0.1, 0.2, 0.1, 0.1])),
        ],
        ..File::default()
    };
    let copies = vec![
        ("VEC3", 5126, floats([0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.8, 0.5, 0.5])),
        // A quarter turn about z, as 16 bits that stand for -1..1, for the second.
        (
            "VEC4",
            5122,
            [[0, 0, 0, 32767], [0, 0, 23170, 23170], [0, 0, 0, 32767]]
                .concat()
                .into_iter()
                .flat_map(i16::to_le_bytes)
                .collect(),
        ),
        ("VEC3", 5126, floats([1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, -1.0])),
    ];
    vec![
        (
            "weights of a mesh",
            File {
                nodes: SHIFT,
                mesh: r#","weights":[1,0.5,1]"#,
                primitive: TWO_KEYS,
                data: keys(),
                ..File::default()
            },
            vec![([0.55, 0.5, 0.5], [0.15; 3])],
        ),
        (
            "weights of a node",
            File {
                nodes: r#"{"mesh":0,"translation":[0.5,0.5,0.5],"weights":[0,-1]}"#,
                mesh: r#","weights":[1,0.5,1]"#,
                primitive: TWO_KEYS,
                data: keys(),
                ..File::default()
            },
            one([0.4, 0.5, 0.5]),
        ),
        (
            "keys without weights",
            File { nodes: SHIFT, primitive: TWO_KEYS, data: keys(), ..File::default() },
            one([0.5; 3]),
        ),
        // Joints at (0.4, 0.4, 0.4) and (0.5, 0.4, 0.4).
        ("one joint", skinned(BONES, [1.0, 0.0, 0.0, 0.0], [[0.1, 0.1, 0.1], [0.0; 3]]), one([0.5; 3])),
        ("two joints", skinned(BONES, [0.5, 1.5, 0.0, 0.0], [[0.1, 0.1, 0.1], [0.1; 3]]), one([0.575, 0.5, 0.5])),
        (
            "sparse",
            sparse(
                r#","sparse":{"count":4,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}"#,
            ),
            vec![([0.55, 0.5, 0.5], [0.15, 0.1, 0.1])],
        ),
        (
            "copies",
            File {
                nodes: r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":2,"ROTATION":3,"SCALE":4}}}}"#,
                rest: r#","extensionsRequired":["EXT_mesh_gpu_instancing"]"#,
                data: copies,
                ..File::default()
            },
            vec![([0.2, 0.5, 0.5], half), ([0.5; 3], [0.1, 0.05, 0.1]), ([0.8, 0.5, 0.5], half)],
        ),
        (
            "hidden",
            File {
                nodes: r#"{"mesh":0,"translation":[0.5,0.5,0.5]},{"extensions":{"KHR_node_visibility":{"visible":false}},"children":[2]},{"mesh":0}"#,
                rest: r#","extensionsUsed":["KHR_node_visibility"]"#,
                ..File::default()
            },
            one([0.5; 3]),
        ),
    ]
}

#[test]
fn a_shape_is_read_as_it_is_at_rest() {
    let folder = Folder::new("rest");
    let domain = domain(3, 16);
    for (name, file, boxes) in cases() {
        let path = folder.file("rest.glb", file.bytes());
        let values = distances(&path, &Placement::InPlace, &domain);
        // Sums of a few numbers of 32 bits; 16 bits for the turned copy.
        let bar = if name == "copies" { 1e-5 } else { 1e-6 };
        check(name, &values, &domain, bar, |p| {
            boxes.iter().map(|(center, half)| to_box(p, *center, *half)).fold(f64::INFINITY, f64::min)
        });
    }
}

/// The same for particles, whose count comes with the warnings.
fn as_points(path: &Path) -> stagewright_runtime::asset::AssetGrid {
    let column = Column { components: 1, stride: 1, kind: Number::Unsigned, capacity: 100 };
    let request = Request::distance(path, Placement::InPlace, &domain(3, 4));
    Request { wanted: Wanted::Particles(column), ..request }.load(&Work::default()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn what_is_left_out_is_named() {
    const APPLY: &str = "apply it in the program that made the file, and export it again";
    let folder = Folder::new("left-out");
    let file = |rest, nodes| File { nodes, rest, ..File::default() };
    let animated = r#","animations":[{"name":"Walk","channels":[],"samplers":[]},{"channels":[],"samplers":[]}]"#;
    let cases = [
        ("plain", file("", SHIFT), None),
        ("looks", file(r#","extensionsUsed":["KHR_materials_unlit","EXT_texture_webp"]"#, SHIFT), None),
        (
            "unknown",
            file(r#","extensionsUsed":["EXT_bend\n\u001b[2J"]"#, SHIFT),
            Some("the extension EXT_bend\\u{a}\\u{1b}[2J, which the file uses, is left out"),
        ),
        (
            "unlisted",
            file("", r#"{"mesh":0,"translation":[0.5,0.5,0.5],"extensions":{"A_one":{},"B_two":{}}}"#),
            Some("the extensions A_one, B_two, which the file uses, are left out"),
        ),
        (
            "animated",
            file(animated, SHIFT),
            Some("the pose at rest is used, and the animations (Walk, without a name) are left out"),
        ),
        (
            "weightless",
            file(r#","skins":[{"joints":[0]}]"#, r#"{"mesh":0,"skin":0,"translation":[0.5,0.5,0.5]}"#),
            Some("its skeleton gives no weights to 1 of its parts and is left out"),
        ),
    ];
    for (name, file, said) in cases {
        let path = folder.file("left.glb", file.bytes());
        let said: Vec<String> = said.into_iter().map(|said| format!("{said}; {APPLY}")).collect();
        assert_eq!(warned(&path, &Placement::InPlace, &domain(3, 8)).warnings, said, "{name}");
        assert_eq!(as_points(&path).warnings, said, "{name} as points");
    }
    let lines = r#"{"mesh":0,"translation":[0.5,0.5,0.5]},{"mesh":1}"#;
    let more = r#"},{"primitives":[{"attributes":{"POSITION":0},"mode":0},{"attributes":{"POSITION":0},"mode":3}]"#;
    let path = folder.file("lines.glb", File { nodes: lines, mesh: more, ..File::default() }.bytes());
    let said = format!("2 of its parts are points or lines and left out; {APPLY}");
    assert_eq!(warned(&path, &Placement::InPlace, &domain(3, 8)).warnings, [said]);
}

#[test]
fn what_cannot_be_applied_is_refused() {
    let folder = Folder::new("unfit");
    let read = |bytes: Vec<u8>| distance_grid(&folder.file("a.glb", bytes), &fit(0.5), &domain(3, 4));
    let refused = |file: File| refusal(read(file.bytes()));
    let unsupported =
        |name: &str| format!("a.glb: it uses the extension {name}, which is not supported; export it again without");
    let compressed = r#","extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}"#;
    let draco = File { nodes: SHIFT, primitive: compressed, ..File::default() };
    assert!(read(draco.bytes()).is_ok(), "the numbers are there as they are, too");
    let hollow = draco.edited(r#"{"bufferView":0,"componentType":5126"#, r#"{"componentType":5126"#);
    assert_eq!(refusal(read(hollow)), unsupported("KHR_draco_mesh_compression"));
    // The positions are in a second buffer, which only stands in for compressed ones.
    let (first, second) = (
        r#"{"buffer":0,"byteOffset":0,"#,
        r#"{"extensions":{"EXT_meshopt_compression":{"buffer":0}},"buffer":1,"byteOffset":0,"#,
    );
    let fallback = r#","skins":[]"#;
    let meshopt = File { nodes: SHIFT, rest: fallback, ..File::default() };
    let json = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let text = json(&meshopt.edited(first, second));
    let text = text.split_once("JSON").and_then(|(_, text)| text.split_once("BIN\0")).unwrap().0.trim_end();
    let text = text.trim_end_matches(|c: char| c != '}').replacen(
        r#"}],"skins""#,
        r#"},{"byteLength":96,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}],"skins""#,
        1,
    );
    assert_eq!(refusal(read(glb(&text, &[0; 168]))), unsupported("EXT_meshopt_compression"));
    let bare = text.replacen(r#""extensions":{"EXT_meshopt_compression":{"buffer":0}},"#, "", 1);
    let said = "a.glb: it is not a valid glTF file: buffer 1 has no data; export it again";
    assert_eq!(refusal(read(glb(&bare, &[0; 168]))), said);
    assert_eq!(
        refused(File { nodes: SHIFT, rest: r#","extensionsRequired":["EXT_bend"]"#, ..File::default() }),
        unsupported("EXT_bend")
    );
    let hidden = r#"{"mesh":0,"extensions":{"KHR_node_visibility":{"visible":false}}}"#;
    assert_eq!(
        refused(File { nodes: hidden, ..File::default() }),
        "a.glb: all its meshes are hidden; show one of them and export it again"
    );
    let broken = |file: File| {
        let said = refused(file);
        let said = said.strip_prefix("a.glb: it is not a valid glTF file: ").unwrap_or(&said).to_string();
        said.strip_suffix("; export it again").map(String::from).unwrap_or(said)
    };
    let copies = |attributes: &'static str| File {
        nodes: attributes,
        data: vec![("VEC3", 5126, vec![0; 24]), ("VEC3", 5126, vec![0; 36])],
        ..File::default()
    };
    let sparse = |positions: &'static str| File {
        nodes: SHIFT,
        positions,
        data: vec![("SCALAR", 5121, vec![9; 4]), ("VEC3", 5126, vec![0; 48])],
        ..File::default()
    };
    let bones = |rest| File {
        nodes: BONES,
        attributes: r#","JOINTS_0":2,"WEIGHTS_0":3"#,
        rest,
        data: skin([1.0; 4], [[0.0; 3]; 2]),
        ..File::default()
    };
    let cases = [
        (
            copies(r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":2,"SCALE":3}}}}"#),
            "the attributes of its instances differ in length",
        ),
        (
            copies(r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":-2}}}}"#),
            "TRANSLATION of its instances names no accessor",
        ),
        (
            copies(r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":44}}}}"#),
            "there is no accessor 44",
        ),
        (
            sparse(
                r#","sparse":{"count":4,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}"#,
            ),
            "the sparse values of accessor 0 are inconsistent",
        ),
        (
            sparse(
                r#","sparse":{"count":5,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}"#,
            ),
            "the sparse values of accessor 0 are inconsistent",
        ),
        (
            sparse(
                r#","sparse":{"count":18446744073709551615,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}"#,
            ),
            "the sparse values of accessor 0 are inconsistent",
        ),
        (bones(r#","skins":[{"joints":[2],"inverseBindMatrices":4}]"#), "a vertex refers to a missing joint 1"),
        (bones(r#","skins":[{"joints":[2,77]}]"#), "there is no joint 77"),
        (bones(""), "there is no skin 0"),
        (
            File {
                nodes: SHIFT,
                mesh: r#","weights":[1]"#,
                primitive: r#","targets":[{"POSITION":2}]"#,
                data: vec![("VEC3", 5126, vec![0; 12])],
                ..File::default()
            },
            "a shape key has 1 vertices of 8",
        ),
    ];
    for (file, said) in cases {
        assert_eq!(broken(file), said);
    }
}

/// Small files that name the same numbers many times end soon.
#[test]
fn few_bytes_cannot_ask_for_much_work() {
    let folder = Folder::new("work");
    let file = |nodes: &str, mesh: &str, count: &str| {
        let zeros = format!(r#"{{"componentType":5126,"count":{count},"type":"VEC3"}}"#);
        glb(
            &format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],"meshes":[{mesh}],"accessors":[{zeros}]}}"#),
            &[],
        )
    };
    let many = |text: &str, count: usize| vec![text; count].join(",");
    let copied = r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}}"#;
    let (node, plain) = (r#"{"mesh":0}"#, r#"{"primitives":[{"attributes":{"POSITION":0}}]}"#);
    let keys = format!(
        r#"{{"primitives":[{{"attributes":{{"POSITION":0}},"targets":[{}]}}],"weights":[{}]}}"#,
        many(r#"{"POSITION":0}"#, 3000),
        many("1", 3000)
    );
    let points = format!(r#"{{"primitives":[{}]}}"#, many(r#"{"attributes":{"POSITION":0},"mode":0}"#, 20_000));
    let cases = [
        ("keys", file(node, &keys, "200000")),
        ("copies", file(&many(copied, 2000), plain, "200000")),
        ("zeros", file(node, plain, "18446744073709551615")),
        ("parts", file(&many(node, 20_000), &points, "3")),
    ];
    for (name, bytes) in cases {
        let began = Instant::now();
        let said = refusal(distance_grid(&folder.file("a.glb", bytes), &fit(0.5), &domain(3, 4)));
        println!("{name}: {:.2} s, {said}", began.elapsed().as_secs_f64());
        assert_eq!(said.lines().count(), 1);
    }
}
