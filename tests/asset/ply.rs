//! Particles from PLY files.

use std::panic::catch_unwind;

use stagewright_runtime::asset::{AssetGrid, Column, Number, Request, Wanted, Work};

use crate::*;

fn load(path: &Path, name: Option<&str>, column: Column, placement: Placement) -> Result<AssetGrid, AssetError> {
    let request = Request::distance(path, placement, &domain(3, 4));
    Request { layer: name.map(String::from), wanted: Wanted::Particles(column), ..request }.load(&Work::default())
}

const VECTORS: Column = Column { components: 3, stride: 4, kind: Number::Float, capacity: 10 };
const WHOLE: Column = Column { components: 1, stride: 1, kind: Number::Unsigned, capacity: 10 };

fn text() -> String {
    "ply\nformat ascii 1.0\ncomment a cube's corner\nelement camera 1\nproperty float view\nelement vertex 2\nproperty double x\n\
     property double y\nproperty double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty uint id\n\
     element face 1\nproperty list uchar int vertex_indices\nend_header\n7\n0 0.5 1 255 0 51 4294967295\n2 0.5 1 0 0 0 5\n3 0 1 2\n"
        .into()
}

#[test]
fn text_and_both_orders_of_bytes_give_the_same_particles() {
    let folder = Folder::new("ply");
    let header = text();
    let (header, _) = header.split_once("7\n").unwrap();
    let binary = |name: &str, big: bool| {
        let kind = if big { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = header.replace("ascii", kind).into_bytes();
        let mut put = |little: &[u8]| if big { bytes.extend(little.iter().rev()) } else { bytes.extend(little) };
        put(&7f32.to_le_bytes());
        for (place, color, id) in [([0.0f64, 0.5, 1.0], [255u8, 0, 51], u32::MAX), ([2.0, 0.5, 1.0], [0; 3], 5)] {
            place.iter().for_each(|number| put(&number.to_le_bytes()));
            color.iter().for_each(|number| put(&[*number]));
            put(&id.to_le_bytes());
        }
        folder.file(name, bytes)
    };
    let files = [folder.file("text.ply", text()), binary("little.ply", false), binary("big.ply", true)];
    for path in &files {
        let values = |name: Option<&str>, column: Column| load(path, name, column, Placement::InPlace).unwrap().values;
        assert_eq!(values(Some("position"), VECTORS), [0.0, 0.5, 1.0, 0.0, 2.0, 0.5, 1.0, 0.0]);
        assert_eq!(values(Some("color"), VECTORS), [1.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(values(Some("velocity"), VECTORS), [0.0; 8], "what the file lacks is zero");
        let words = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(words(values(Some("id"), WHOLE)), [u32::MAX, 5]);
        assert_eq!(words(values(None, WHOLE)), [2, 2, 0, 0, 1, 1, 1, 0], "the count");
        let placed = load(path, Some("position"), VECTORS, fit(1.0)).unwrap().values;
        assert_eq!(placed, [0.0, 0.5, 0.5, 0.0, 1.0, 0.5, 0.5, 0.0], "a metre long, in the middle");
    }

    let refused = |name: &str, bytes: &[u8], column: Column| {
        refusal(load(&folder.file(name, bytes), Some("position"), column, Placement::InPlace))
    };
    let whole = std::fs::read(&files[1]).unwrap();
    let cut = "a.ply: it is not a valid PLY file: it is cut off; export it again";
    assert_eq!(refused("a.ply", &whole[..whole.len() - 1], VECTORS), cut);
    let huge = text().replace("vertex 2", "vertex 99999999999");
    assert_eq!(refused("a.ply", huge.as_bytes(), VECTORS), cut);
    let few = Column { capacity: 1, ..VECTORS };
    assert_eq!(
        refused("a.ply", &whole, few),
        "a.ply: it holds 2 particles, and the State has room for 1; raise the State's capacity"
    );
    let flat = text().replace("double x", "double u");
    assert_eq!(
        refused("a.ply", flat.as_bytes(), VECTORS),
        "a.ply: it is not a valid PLY file: its points have no x and y; export it again"
    );
    let strange = text().replace("2 0.5 1 0", "nan 0.5 1 0");
    assert!(refused("a.ply", strange.as_bytes(), VECTORS).contains("a vertex lies at (NaN, 0.5, 1)"));
    assert_eq!(
        refused("a.ply", b"solid", VECTORS),
        "a.ply: it is not a valid PLY file: it does not begin as one; export it again"
    );
    for end in 0..whole.len() {
        let path = folder.file("part.ply", &whole[..end]);
        let result = catch_unwind(|| load(&path, Some("position"), VECTORS, Placement::InPlace));
        assert!(result.unwrap_or_else(|_| panic!("it panicked at {end}")).is_err(), "cut off at {end}");
    }
}

/// Lists at the points and before them have lengths of their own, which the data say.
#[test]
fn lists_are_passed_over() {
    let folder = Folder::new("lists");
    let header = |kind: &str| {
        format!(
            "ply\nformat {kind} 1.0\nelement strip 2\nproperty list int short index\nproperty uchar tag\nelement vertex 2\n\
             property float x\nproperty list uchar float tangents\nproperty float y\nproperty float z\nend_header\n"
        )
    };
    let text = header("ascii") + "3 1 2 3 9\n0 9\n1 2 5 5 2 3\n4 0 5 6\n";
    let binary = |big: bool| {
        let mut bytes = header(if big { "binary_big_endian" } else { "binary_little_endian" }).into_bytes();
        let mut put = |little: &[u8]| if big { bytes.extend(little.iter().rev()) } else { bytes.extend(little) };
        put(&3i32.to_le_bytes());
        (1..4i16).for_each(|n| put(&n.to_le_bytes()));
        put(&[9]);
        put(&0i32.to_le_bytes());
        put(&[9]);
        for (x, list, y, z) in [(1f32, vec![5f32, 5.0], 2f32, 3f32), (4.0, vec![], 5.0, 6.0)] {
            put(&x.to_le_bytes());
            put(&[list.len() as u8]);
            list.iter().for_each(|n| put(&n.to_le_bytes()));
            [y, z].iter().for_each(|n| put(&n.to_le_bytes()));
        }
        bytes
    };
    for bytes in [text.clone().into_bytes(), binary(false), binary(true)] {
        let path = folder.file("lists.ply", &bytes);
        let positions = load(&path, Some("position"), VECTORS, Placement::InPlace).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(positions.values, [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0]);
        let count = load(&path, None, WHOLE, Placement::InPlace).unwrap();
        assert_eq!(
            count.warnings,
            ["the lists that its points have (tangents) are left out; export what particles need as single numbers"]
        );
        for end in 0..bytes.len() - 1 {
            let path = folder.file("part.ply", &bytes[..end]);
            let result = catch_unwind(|| load(&path, Some("position"), VECTORS, Placement::InPlace));
            assert!(result.unwrap_or_else(|_| panic!("it panicked at {end}")).is_err(), "cut off at {end}");
        }
    }
    for (from, to) in [("1 2 5 5 2 3", "1 1e18 5 5 2 3"), ("1 2 5 5", "1 -1 5 5"), ("1 2 5 5", "1 nan 5 5")] {
        let path = folder.file("lie.ply", text.replace(from, to));
        let said = refusal(load(&path, Some("position"), VECTORS, Placement::InPlace));
        assert!(said.starts_with("lie.ply: it is not a valid PLY file: "), "{said}");
    }
}
