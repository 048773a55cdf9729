//! OBJ meshes against distances known on paper.

use stagewright_runtime::asset::{Neighbor, Request, Wanted, Work};

use crate::*;

const CELLS: u32 = 20;

#[test]
fn cube_is_exact() {
    let folder = Folder::new("cube");
    // In centimetres, somewhere.
    let path = folder.file("cube.obj", Mesh::cube([300.0, -20.0, 7.0], 50.0).obj());
    let domain = domain(3, CELLS);
    let values = distances(&path, &fit(0.4), &domain);
    check("cube", &values, &domain, ROUNDING, |p| to_box(p, MIDDLE, [0.2; 3]));
}

/// A polyhedron inscribed into a sphere lies between it and the sphere that it encloses, so its distance lies between theirs.
#[test]
fn icosphere_lies_between_its_spheres() {
    let folder = Folder::new("icosphere");
    let (radius, mesh) = (0.3, Mesh::sphere(MIDDLE, 0.3, 2));
    let path = folder.file("sphere.obj", mesh.obj());
    let domain = domain(3, CELLS);
    let values = distances(&path, &Placement::InPlace, &domain);
    let height = |[a, b, c]: [usize; 3]| {
        let centroid = std::array::from_fn(|i| (mesh.points[a][i] + mesh.points[b][i] + mesh.points[c][i]) / 3.0);
        distance(centroid, MIDDLE)
    };
    // The centroid is no nearer than the plane's foot, and for the almost equilateral triangles of this mesh hardly farther.
    let sagitta = radius - mesh.triangles.iter().map(|t| height(*t)).fold(f64::INFINITY, f64::min) * 0.999;
    println!("{} triangles, sagitta {sagitta:.4} m", mesh.triangles.len());
    check("sphere", &values, &domain, sagitta / 2.0 + ROUNDING, |p| distance(p, MIDDLE) - radius + sagitta / 2.0);
}

/// A cap with a notch is one concave face of six corners, which a fan of triangles would spill over.
#[test]
fn concave_prism_is_exact() {
    let folder = Folder::new("prism");
    let corners = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.4], [0.4, 0.4], [0.4, 0.8], [0.2, 0.8]];
    let mut text = String::new();
    for z in [0.3, 0.7] {
        corners.iter().for_each(|[x, y]| text += &format!("v {x} {y} {z}\n"));
    }
    text += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
    (0..6).for_each(|i| text += &format!("f {} {} {} {}\n", i + 1, (i + 1) % 6 + 1, (i + 1) % 6 + 7, i + 7));
    let path = folder.file("l.obj", text);
    let domain = domain(3, CELLS);
    let values = distances(&path, &Placement::InPlace, &domain);
    let flat = |[x, y, _]: [f64; 3]| {
        let to_edge = (0..6).map(|i| {
            let ([ax, ay], [bx, by]) = (corners[i], corners[(i + 1) % 6]);
            let t = (((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax).powi(2) + (by - ay).powi(2)))
                .clamp(0.0, 1.0);
            (x - ax - t * (bx - ax)).hypot(y - ay - t * (by - ay))
        });
        let inside = x > 0.2 && y > 0.2 && x < 0.8 && y < 0.8 && (x < 0.4 || y < 0.4);
        to_edge.fold(f64::INFINITY, f64::min) * if inside { -1.0 } else { 1.0 }
    };
    check("L prism", &values, &domain, ROUNDING, |p| {
        let (a, b) = (flat(p), (p[2] - 0.5).abs() - 0.2);
        a.max(b).min(0.0) + a.max(0.0).hypot(b.max(0.0))
    });
}

/// Corners on the straight edge of a face, shared with the small faces beside it: the mesh is closed, and says so.
#[test]
fn corners_on_a_straight_edge_do_not_open_a_mesh() {
    let folder = Folder::new("straight");
    let cube = Mesh::cube(MIDDLE, 0.2);
    let mut text: String = cube.points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    // The edge between corners 5 and 7 (x low, z high) has two more points.
    text += "v 0.3 0.4 0.7\nv 0.3 0.6 0.7\n";
    text += "f 1 5 9 10 7 3\nf 5 6 8 7 10 9\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\n";
    let path = folder.file("cube.obj", text);
    let domain = domain(3, CELLS);
    check("subdivided cube", &distances(&path, &Placement::InPlace, &domain), &domain, ROUNDING, |p| {
        to_box(p, MIDDLE, [0.2; 3])
    });
}

/// Needles and triangles without area are as near as their edges.
#[test]
fn needles_do_no_harm() {
    let folder = Folder::new("needles");
    let mut mesh = Mesh::cube(MIDDLE, 0.2);
    // Each face of the cube gets a crack: an edge is cut by a point that is off it by a millionth of a millionth.
    for index in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.triangles[index];
        let (p, q) = (mesh.points[a], mesh.points[b]);
        mesh.points.push(std::array::from_fn(|i| p[i] * 0.37 + q[i] * 0.63 + if i == 1 { 1e-12 } else { 0.0 }));
        let m = mesh.points.len() - 1;
        mesh.triangles[index] = [a, m, c];
        mesh.triangles.extend([[m, b, c], [a, b, m]]);
    }
    let path = folder.file("cube.obj", mesh.obj());
    let domain = domain(3, CELLS);
    check("cracked cube", &distances(&path, &Placement::InPlace, &domain), &domain, ROUNDING + 1e-12, |p| {
        to_box(p, MIDDLE, [0.2; 3])
    });
}

#[test]
fn placement_scales_and_moves() {
    let folder = Folder::new("placement");
    let path = folder.file("cube.obj", Mesh::cube([0.25, 0.5, 0.75], 0.125).obj());
    let domain = domain(3, 16);
    let centre = [0.5, 0.4, 0.3];
    for (placement, center, half) in [
        (Placement::InPlace, [0.25, 0.5, 0.75], 0.125),
        (Placement::Fit { center: centre, size: 0.0 }, centre, 0.125),
        (Placement::Fit { center: centre, size: 0.5 }, centre, 0.25),
    ] {
        check("placed", &distances(&path, &placement, &domain), &domain, ROUNDING, |p| to_box(p, center, [half; 3]));
    }
}

/// What is written beside positions and faces does not matter, nor how faces count.
#[test]
fn odd_but_right_obj_files_are_read() {
    let folder = Folder::new("odd");
    let domain = domain(3, 12);
    let cube = Mesh::cube(MIDDLE, 0.2);
    let points: String = cube.points.iter().map(|[x, y, z]| format!("v {x} {y} {z} 1 0.5 0.25 1\r\n")).collect();
    let mut text = b"# h\xe4user\nmtllib missing.mtl\no Haus\nvt 0 0\nvn 0 0 1\n".to_vec();
    text.extend(points.as_bytes());
    text.extend(b"usemtl\ng a b\ns off\nl 1 2 8\np 1\n");
    for [a, b, c] in &cube.triangles {
        // From the last point backwards; texture and normal indices that lead nowhere; a line that continues.
        text.extend(format!("f {}/-9/77 \\\n {}//0 {}/5\n", *a as i64 - 8, *b as i64 - 8, *c as i64 - 8).as_bytes());
    }
    let path = folder.file("haus.OBJ", text);
    let grid = warned(&path, &Placement::InPlace, &domain);
    check("odd", &grid.values, &domain, ROUNDING, |p| to_box(p, MIDDLE, [0.2; 3]));
    let apply = "apply it in the program that made the file, and export it again";
    assert_eq!(grid.warnings, [format!("2 of its lines, points, curves and surfaces are left out; {apply}")]);
}

#[test]
fn a_second_run_gives_the_same_bits() {
    let folder = Folder::new("again");
    let path = folder.file("sphere.obj", Mesh::sphere(MIDDLE, 0.3, 2).obj());
    let bits = || distances(&path, &fit(0.7), &domain(3, 14)).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(), bits());
}

/// A box that moves, turns and grows from one file to the next: the nearest point of its surface has moved straight from its
/// place in the file before, in one frame.
#[test]
fn a_moving_mesh_has_the_velocity_of_its_surface() {
    const FPS: f64 = 24.0;
    let folder = Folder::new("moving");
    let domain = domain(3, 12);
    let cube = Mesh::cube([0.4, 0.5, 0.5], 0.1);
    let turn = |[x, y, z]: [f64; 3]| [x + 0.02 * (y - 0.5), y - 0.02 * (x - 0.4), z];
    let grow = |p: [f64; 3]| p.map(|v| 0.5 + 1.1 * (v - 0.5));
    let shift = |[x, y, z]: [f64; 3]| [x + 0.05, y, z];
    type Motion<'a> = &'a dyn Fn([f64; 3]) -> [f64; 3];
    let motions: [(&str, Motion<'_>); 3] = [("shift", &shift), ("turn", &turn), ("grow", &grow)];
    for (name, motion) in motions {
        let after = Mesh { points: cube.points.iter().map(|p| motion(*p)).collect(), ..cube.clone() };
        let (first, second) = (folder.file("a.0001.obj", cube.obj()), folder.file("a.0002.obj", after.obj()));
        let velocity = |path: &Path, neighbor: Option<Neighbor>| {
            let request = Request::distance(path, Placement::InPlace, &domain);
            Request { wanted: Wanted::Velocity { fps: FPS }, neighbor, ..request }
                .load(&Work::default())
                .unwrap()
                .values
        };
        assert!(velocity(&first, None).iter().all(|number| *number == 0.0), "a mesh that stands still");
        // In the first file, the way to the next one counts.
        let values = velocity(&first, Some(Neighbor { path: second.clone(), later: true }));
        for (value, p) in values.chunks_exact(3).zip(centers(&domain)) {
            // Inside, several points of the surface may be equally near.
            let nearest = [0, 1, 2].map(|axis| p[axis].clamp([0.3, 0.4, 0.4][axis], [0.5, 0.6, 0.6][axis]));
            if nearest == p {
                continue;
            }
            let moved = motion(nearest);
            for axis in 0..3 {
                let exact = FPS * (moved[axis] - nearest[axis]);
                assert!((f64::from(value[axis]) - exact).abs() < 1e-5, "{name}: {value:?} at {p:?}, not {exact}");
            }
        }
        if name == "shift" {
            let back = velocity(&second, Some(Neighbor { path: first.clone(), later: false }));
            assert!(back.chunks_exact(3).all(|v| (v[0] - 1.2).abs() < 1e-6 && v[1] == 0.0 && v[2] == 0.0));
        }
    }
    let other = folder.file("b.obj", Mesh::sphere(MIDDLE, 0.3, 1).obj());
    let request = Request::distance(&other, Placement::InPlace, &domain);
    let neighbor = Some(Neighbor { path: folder.0.join("a.0001.obj"), later: false });
    let request = Request { wanted: Wanted::Velocity { fps: FPS }, neighbor, ..request };
    assert_eq!(
        refusal(request.load(&Work::default())),
        "b.obj: its faces are not those of the file next to it in the sequence; export the sequence with the same faces in every \
         file, or disconnect `velocity`"
    );
}
