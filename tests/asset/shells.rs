//! Inside and outside of meshes that were not made with care.

use crate::*;

const CELLS: u32 = 16;

fn sphere() -> Mesh {
    Mesh::sphere(MIDDLE, 0.3, 2)
}

fn grid(name: &str, mesh: &Mesh) -> AssetGrid {
    let folder = Folder::new(name);
    warned(&folder.file("mesh.obj", mesh.obj()), &Placement::InPlace, &domain(3, CELLS))
}

/// Holds a mesh against known insides, away from its surface by more than `margin`.
fn check_inside(what: &str, mesh: &Mesh, margin: f64, exact: impl Fn([f64; 3]) -> f64) {
    let grid = grid(what, mesh);
    for (value, p) in grid.values.iter().zip(centers(&domain(3, CELLS))) {
        let exact = exact(p);
        assert!(exact.abs() <= margin || (*value < 0.0) == (exact < 0.0), "{what}: {value} at {p:?}, known {exact}");
    }
}

#[test]
fn faces_may_look_anywhere() {
    let good = grid("good", &sphere());
    let mut shuffled = sphere();
    // A third of the faces, the same on every run.
    shuffled.triangles.iter_mut().enumerate().filter(|(i, _)| i * 7 % 3 == 0).for_each(|(_, t)| t.swap(0, 1));
    for (name, mesh) in [("inside-out", sphere().flipped()), ("shuffled", shuffled)] {
        let grid = grid(name, &mesh);
        let difference = grid.values.iter().zip(&good.values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        println!("{name}: differs by {difference:e} m");
        // The corners of a triangle come in another order, and its distance rounds differently.
        assert!(difference <= f32::EPSILON / 2.0, "{name}: {difference:e}");
        assert!(grid.warnings.is_empty(), "{:?}", grid.warnings);
    }
}

#[test]
fn small_holes_do_not_leak() {
    let mut mesh = sphere();
    let hole = mesh.triangles.remove(17).map(|i| mesh.points[i]);
    let size = distance(hole[0], hole[1]);
    let grid = grid("hole", &mesh);
    for (value, p) in grid.values.iter().zip(centers(&domain(3, CELLS))) {
        // The polyhedron lies within 0.02 m of the sphere.
        let exact = distance(p, MIDDLE) - 0.3;
        let is_far = exact.abs() > 0.02 && distance(p, hole[0]) > size;
        assert!(!is_far || (*value < 0.0) == (exact < 0.0), "{value} at {p:?}");
    }
    assert_eq!(
        grid.warnings,
        [
            "the mesh is not closed: 3 of its edges belong to one face only, and near them the inside is a guess; fill its holes"
        ]
    );
}

/// Half a sphere has the inside of a bowl whose opening bulges a little.
#[test]
fn wide_openings_are_closed_by_half_a_turn() {
    let mut mesh = sphere();
    let points = mesh.points.clone();
    mesh.triangles.retain(|t| t.iter().map(|i| points[*i][1]).sum::<f64>() < 1.5);
    let values = grid("bowl", &mesh).values;
    for (value, p) in values.iter().zip(centers(&domain(3, CELLS))) {
        let exact = distance(p, MIDDLE) - 0.3;
        if exact.abs() > 0.02 && !(-0.05..0.2).contains(&(p[1] - 0.5)) {
            assert_eq!(*value < 0.0, exact < 0.0 && p[1] < 0.5, "{value} at {p:?}");
        }
    }
}

#[test]
fn parts_that_overlap_are_one() {
    let [a, b] = [[0.4, 0.5, 0.5], [0.6, 0.5, 0.5]];
    let exact = |p| (distance(p, a) - 0.2).min(distance(p, b) - 0.2);
    let [one, other] = [a, b].map(|center| Mesh::sphere(center, 0.2, 2));
    check_inside("overlap", &one.clone().and(other.clone()), 0.02, exact);
    // Mirroring turns a part inside out.
    check_inside("mirrored", &one.and(other.flipped()), 0.02, exact);
}

#[test]
fn a_shell_that_looks_inwards_is_a_cavity() {
    let exact = |p| to_box(p, MIDDLE, [0.4; 3]).max(-to_box(p, MIDDLE, [0.2; 3]));
    let hollow = Mesh::cube(MIDDLE, 0.4).and(Mesh::cube(MIDDLE, 0.2).flipped());
    check_inside("hollow", &hollow, 0.0, exact);
    check_inside("hollow inside out", &hollow.flipped(), 0.0, exact);
    // A stone in it.
    let stone = Mesh::cube(MIDDLE, 0.4).and(Mesh::cube(MIDDLE, 0.2).flipped()).and(Mesh::cube(MIDDLE, 0.1));
    check_inside("stone", &stone, 0.0, |p| exact(p).min(to_box(p, MIDDLE, [0.1; 3])));
    // Both look outwards: one thing in another.
    let filled = Mesh::cube(MIDDLE, 0.4).and(Mesh::cube(MIDDLE, 0.2));
    check_inside("filled", &filled, 0.0, |p| to_box(p, MIDDLE, [0.4; 3]));
}

/// Two halves of a box that a thousandth of a metre keeps from being one, of quads and of triangles: all faces look outwards in
/// the file, and have to look outwards still.
#[test]
fn quads_and_triangles_look_the_same_way() {
    let folder = Folder::new("halves");
    // Cut off at x: the faces at its other end, without the ones between the halves.
    let half = |from: f64, to: f64| {
        let mut mesh = Mesh::cube(MIDDLE, 0.3);
        mesh.points.iter_mut().for_each(|p| p[0] = if p[0] < 0.5 { from } else { to });
        mesh
    };
    let (low, high) = (half(0.2, 0.4995), half(0.5005, 0.8));
    let points: String = low.points.iter().chain(&high.points).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let quads = low.triangles.chunks(2).enumerate().filter(|(side, _)| *side != 1);
    let quads = quads.map(|(_, t)| format!("f {} {} {} {}\n", t[0][0] + 1, t[0][1] + 1, t[0][2] + 1, t[1][2] + 1));
    let triangles = high.triangles.iter().skip(2).map(|[a, b, c]| format!("f {} {} {}\n", a + 9, b + 9, c + 9));
    let path = folder.file("box.obj", [points, quads.chain(triangles).collect()].concat());
    let domain = domain(3, CELLS);
    let values = warned(&path, &Placement::InPlace, &domain).values;
    for (value, p) in values.iter().zip(centers(&domain)) {
        assert_eq!(*value < 0.0, to_box(p, MIDDLE, [0.3; 3]) < 0.0, "{value} at {p:?}");
    }
}

#[test]
fn shapes_that_no_cell_sees_are_reported() {
    let far = grid("far", &Mesh::cube([3.0, 0.5, 0.5], 0.25));
    assert_eq!(
        far.warnings,
        [
            "the shape lies outside the domain: it goes from (2.750, 0.250, 0.250) to (3.250, 0.750, 0.750) m; move its center"
        ]
    );
    let small = grid("small", &Mesh::cube(MIDDLE, 0.01));
    assert_eq!(small.warnings, ["no cell centre lies inside the shape; make it larger or the cells smaller"]);
}
