//! Particles from arrays of NumPy, and points of meshes.

use std::panic::catch_unwind;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use stagewright_language::graph::MeshPoints;
use stagewright_runtime::asset::{AssetGrid, Column, Number, Request, Shared, Wanted, Work};

use crate::*;

const VECTORS: Column = Column { components: 3, stride: 4, kind: Number::Float, capacity: 10 };
const PAIRS: Column = Column { components: 2, stride: 2, ..VECTORS };
const NUMBER: Column = Column { components: 1, stride: 1, ..VECTORS };
const WHOLE: Column = Column { kind: Number::Unsigned, ..NUMBER };

fn request(path: &Path, name: Option<&str>, column: Column) -> Request {
    let request = Request::distance(path, Placement::InPlace, &domain(3, 4));
    Request { layer: name.map(String::from), wanted: Wanted::Particles(column), ..request }
}

fn load(path: &Path, name: &str, column: Column) -> Result<AssetGrid, AssetError> {
    request(path, Some(name), column).load(&Work::default())
}

fn values(path: &Path, name: &str, column: Column) -> Vec<f32> {
    load(path, name, column).unwrap_or_else(|e| panic!("{e}")).values
}

/// What `numpy.savez_compressed` of NumPy 2 writes of `position` [2, 3] as `f4`, `radius` as `f2`, `id` as `u4`, and a number `time`.
const ARCHIVE: &[u8] = include_bytes!("grids/numpy.npz");

fn array(descr: &str, shape: &str, data: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({shape}), }}\n");
    let head = b"\x93NUMPY\x01\x00".iter().copied().chain((header.len() as u16).to_le_bytes());
    head.chain(header.bytes()).chain(data).collect()
}

#[test]
fn arrays_are_particles_and_each_cut_of_them_is_refused() {
    let folder = Folder::new("npz");
    let archive = ARCHIVE.to_vec();
    let record = "[('position', '<f4', (3,)), ('id', '<u8'), ('name', '|S3'), ('radius', '<f8')]";
    let rows = [([0.0f32, 0.5, 1.0], u64::from(u32::MAX), 0.25f64), ([2.0, 0.5, 1.0], 5, 3.0)];
    let rows = rows.iter().flat_map(|(at, id, radius)| {
        let at = at.iter().flat_map(|n| n.to_le_bytes());
        at.chain(id.to_le_bytes()).chain(*b"abc").chain(radius.to_le_bytes()).collect::<Vec<u8>>()
    });
    for (path, bytes) in [("a.npz", archive), ("a.npy", array(record, "2,", rows))] {
        let file = folder.file(path, &bytes);
        assert_eq!(values(&file, "position", VECTORS), [0.0, 0.5, 1.0, 0.0, 2.0, 0.5, 1.0, 0.0], "{path}");
        assert_eq!(values(&file, "radius", NUMBER), [0.25, 3.0]);
        assert_eq!(values(&file, "velocity", VECTORS), [0.0; 8], "what the file lacks is zero");
        let ids: Vec<u32> = values(&file, "id", WHOLE).into_iter().map(f32::to_bits).collect();
        assert_eq!(ids, [u32::MAX, 5]);
        // Each place of the archive and of the record would take seconds.
        for end in (0..bytes.len()).step_by(5) {
            let file = folder.file(path, &bytes[..end]);
            let result = catch_unwind(|| load(&file, "position", VECTORS));
            assert!(result.unwrap_or_else(|_| panic!("it panicked at {end}")).is_err(), "cut off at {end}");
        }
    }
    let far = array("'<f8'", "1, 3", [1.0f64, 2.0, 1e300].iter().flat_map(|n| n.to_le_bytes()));
    let refused = refusal(load(&folder.file("far.npy", far), "position", VECTORS));
    assert!(refused.contains("a vertex lies at (1, 2, 1"), "{refused}");
    let far =
        array("[('position', '<f4', (2,)), ('age', '<f8')]", "1,", [0; 8].into_iter().chain(1e300f64.to_le_bytes()));
    let far = load(&folder.file("far.npy", far), "age", NUMBER).unwrap();
    assert_eq!((&far.values[..], far.warnings.len()), (&[0.0][..], 1), "beyond what 32 bits hold");
    let pairs = array("'<f8'", "3, 2", (0..6).flat_map(|n| f64::from(n).to_le_bytes()));
    assert_eq!(values(&folder.file("b.npy", &pairs), "position", PAIRS), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);

    let refused = |name: &str, bytes: &[u8]| refusal(load(&folder.file(name, bytes), "position", VECTORS));
    assert_eq!(
        refused("c.npy", &array("'<f4'", "4, 4, 4", [0; 256])),
        "c.npy: its array has 3 axes, and points have 2; save positions as [point, 2 or 3], or records as [point]"
    );
    let huge = array("'<f4'", "99999999999999, 3", [0; 12]);
    assert!(refused("c.npy", &huge).contains("it holds more than"), "{}", refused("c.npy", &huge));
    let huge = array(record, "99999999999999,", [0; 12]);
    assert!(refused("c.npy", &huge).contains("it holds more than"), "{}", refused("c.npy", &huge));
    let file = folder.file("c.npz", ARCHIVE);
    let set = Request { set: Some("water".into()), ..request(&file, Some("position"), VECTORS) };
    assert_eq!(
        refusal(set.load(&Work::default())),
        "c.npz: it has no array `water.position`; its arrays are position, radius, id, time; save the positions as `position`, \
         or name one of several sets as its `layer`"
    );
    let mut damaged = ARCHIVE.to_vec();
    damaged[120] ^= 1;
    assert!(
        refused("d.npz", &damaged).starts_with("d.npz: it is not a valid NPZ file"),
        "{}",
        refused("d.npz", &damaged)
    );
}

#[test]
fn a_file_is_decoded_once_for_all_attributes() {
    let folder = Folder::new("once");
    let file = folder.file("a.npz", ARCHIVE);
    let shared = Shared::default();
    let of = |name: &str, column| Request { shared: shared.clone(), ..request(&file, Some(name), column) };
    of("position", VECTORS).load(&Work::default()).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(of("radius", NUMBER).load(&Work::default()).unwrap().values, [0.25, 3.0]);
    assert!(load(&file, "radius", NUMBER).is_err(), "another node reads the file itself");
}

/// Two metres along x and one along y. The colours of its corners are their places, and so are those on a texture.
const QUAD: &str =
    "v 0 0 0 0 0 0\nv 2 0 0 1 0 0\nv 2 1 0 1 1 0\nv 0 1 0 0 1 0\nvt 0 1\nvt 1 1\nvt 0 0\nvt 1 0\nf 1/3 2/4 3/2 -1/-4\n";

#[test]
fn points_of_a_mesh_have_its_colours_and_places_on_its_texture() {
    let folder = Folder::new("mesh_points");
    let file = folder.file("quad.obj", QUAD);
    let four = Column { components: 4, ..VECTORS };
    let agree = |places: &[f32], uvs: &[f32], colors: &[f32]| {
        for ((at, uv), color) in places.chunks(4).zip(uvs.chunks(2)).zip(colors.chunks(4)) {
            for (value, expected) in [(uv[0], at[0] / 2.0), (uv[1], at[1]), (color[0], at[0] / 2.0), (color[1], at[1])]
            {
                assert!((value - expected).abs() < 1e-6, "{at:?} {uv:?} {color:?}");
            }
        }
    };
    let corners = values(&file, "position", VECTORS);
    let mut sorted: Vec<[i32; 2]> = corners.chunks(4).map(|at| [at[0] as i32, at[1] as i32]).collect();
    sorted.sort();
    assert_eq!(sorted, [[0, 0], [0, 1], [2, 0], [2, 1]]);
    assert_eq!(values(&file, "normal", VECTORS), [0.0, 0.0, 1.0, 0.0].repeat(4));
    agree(&corners, &values(&file, "uv", PAIRS), &values(&file, "color", four));
    let many = Column { capacity: 1000, ..VECTORS };
    let spread = |name: &str, column: Column, seed: u64| {
        let points = MeshPoints::Surface { count: 1000, seed };
        let request = Request { points, ..request(&file, Some(name), column) };
        request.load(&Work::default()).unwrap().values
    };
    let places = spread("position", many, 1);
    let uvs = spread("uv", Column { capacity: 1000, ..PAIRS }, 1);
    let colors = spread("color", Column { capacity: 1000, ..four }, 1);
    agree(&places, &uvs, &colors);
    let left = places.chunks(4).filter(|at| at[0] < 0.5).count();
    // Four standard deviations.
    assert!((195..=305).contains(&left), "a quarter of the area has {left} of 1000");
    assert_eq!(places, spread("position", many, 1));
    assert_ne!(places, spread("position", many, 2));
    let bytes = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":1,"TEXCOORD_0":2}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5121,"normalized":true,"count":3,"type":"VEC4"},{"bufferView":2,"componentType":5126,"count":3,"type":"VEC2"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":12},{"buffer":0,"byteOffset":48,"byteLength":24}],
"buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,DATA"}]}"#;
    let mut data: Vec<u8> = [0., 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|n: &f32| n.to_le_bytes()).collect();
    data.extend([255, 0, 51, 255, 0, 255, 0, 0, 0, 0, 0, 255]);
    data.extend([0.5f32, 0.25, 1.0, 0.0, 0.0, 1.0].iter().flat_map(|n| n.to_le_bytes()));
    let file = folder.file("triangle.gltf", bytes.replace("DATA", &STANDARD.encode(data)));
    assert_eq!(values(&file, "color", four), [1., 0., 0.2, 1., 0., 1., 0., 0., 0., 0., 0., 1.]);
    assert_eq!(values(&file, "uv", PAIRS), [0.5, 0.25, 1.0, 0.0, 0.0, 1.0]);
}
