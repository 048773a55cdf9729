//! Points of a mesh as a file of particles.

use super::{err, folder, out, stagewright};

/// The edges of a box in metres.
const EDGES: [f64; 3] = [2.0, 1.0, 0.5];

fn obj() -> String {
    let corner = |i: usize| {
        (0..3)
            .map(|axis| if i >> axis & 1 == 1 { EDGES[axis].to_string() } else { "0".into() })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let corners: String = (0..8).map(|i| format!("v {}\n", corner(i))).collect();
    corners + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

#[test]
fn points_lie_evenly_on_a_mesh_and_are_the_same_every_time() {
    let dir = folder("points");
    let mesh = dir.join("box.obj");
    std::fs::write(&mesh, obj()).unwrap();
    let points = |name: &str, more: &[&str]| {
        let path = dir.join(name);
        let output =
            stagewright(&[&["points", mesh.to_str().unwrap(), "--out", path.to_str().unwrap()], more].concat());
        assert!(output.status.success(), "{}{}", out(&output), err(&output));
        let bytes = std::fs::read(path).unwrap();
        let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
        let numbers: Vec<f32> = bytes[end..].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        (bytes, numbers.as_chunks::<6>().0.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>())
    };
    let (_, corners) = points("corners.ply", &[]);
    assert_eq!(corners.len(), 8);
    for [x, y, z, nx, ny, nz] in &corners {
        let outwards = [(x, nx, EDGES[0]), (y, ny, EDGES[1]), (z, nz, EDGES[2])];
        assert!(outwards.iter().all(|(at, normal, edge)| (**at > edge / 2.0) == (**normal > 0.0)), "{corners:?}");
    }
    let (bytes, even) = points("even.ply", &["--count", "7000"]);
    // The areas of the faces with x, y and z constant are 1/2, 1 and 2 m^2, twice each: 7 m^2.
    for (axis, area) in [0.5, 1.0, 2.0].into_iter().enumerate() {
        for side in [0.0, EDGES[axis]] {
            let on: Vec<_> = even.iter().filter(|p| p[axis] == side && p[3 + axis].abs() == 1.0).collect();
            // One piece of area may lie over each of the edges of a face's two triangles.
            assert!((on.len() as f64 - 1000.0 * area).abs() <= 4.0, "{} on axis {axis}", on.len());
            let outwards = if side > 0.0 { 1.0 } else { -1.0 };
            assert!(on.iter().all(|p| p[3 + axis] == outwards));
        }
    }
    assert_eq!(points("again.ply", &["--count", "7000"]).0, bytes);
    assert_ne!(points("other.ply", &["--count", "7000", "--seed", "2"]).0, bytes);
    let none = dir.join("none.obj");
    std::fs::write(&none, "v 0 0 0\n").unwrap();
    let output = stagewright(&["points", none.to_str().unwrap(), "--out", "none.ply"]);
    assert!(
        !output.status.success() && err(&output).contains("none.obj: it has no triangles; export a mesh with faces"),
        "{}",
        err(&output)
    );
    std::fs::remove_dir_all(dir).unwrap();
}
