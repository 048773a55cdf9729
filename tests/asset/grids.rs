//! Numbers from NumPy arrays and OpenVDB volumes. `tests/asset/grids/openvdb.vdb` was written by OpenVDB 10.0.1.

use std::panic::catch_unwind;

use stagewright_language::graph::ImageFit;
use stagewright_runtime::asset::{AssetGrid, Column, Number, Request, Wanted, Work};

use crate::*;

fn cells(resolution: [u32; 3], cell_size: f64) -> Domain {
    let dim = if resolution[2] > 1 { 3 } else { 2 };
    Domain { resolution, cell_size, ..domain(dim, 1) }
}

fn load(
    path: &Path,
    layer: &str,
    vector: bool,
    fit: ImageFit,
    placement: Placement,
    domain: &Domain,
) -> Result<AssetGrid, AssetError> {
    let layer = Some(layer.to_string()).filter(|layer| !layer.is_empty());
    let wanted = Wanted::Numbers { vector, fit };
    Request { layer, wanted, ..Request::distance(path, placement, domain) }.load(&Work::default())
}

/// A NumPy file of floats.
fn npy(kind: &str, shape: &str, data: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

#[test]
fn arrays_fill_the_cells_x_fastest() {
    let folder = Folder::new("arrays");
    let plain = |name: &str, bytes: Vec<u8>, vector: bool, domain: &Domain| {
        load(&folder.file(name, bytes), "", vector, ImageFit::Cover, Placement::InPlace, domain).unwrap().values
    };
    let count = |n: usize| (0..n).map(|n| n as f32);
    let (flat, deep) = (cells([3, 2, 1], 0.1), cells([4, 3, 2], 0.1));
    assert_eq!(plain("flat.npy", npy("<f4", "2, 3", floats(count(6))), false, &flat), count(6).collect::<Vec<_>>());
    assert_eq!(
        plain("deep.npy", npy("<f4", "2, 3, 4", floats(count(24))), false, &deep),
        count(24).collect::<Vec<_>>()
    );
    let vectors = npy("<f4", "2, 3, 2", floats(count(12)));
    assert_eq!(plain("vectors.npy", vectors, true, &flat), count(12).collect::<Vec<_>>());
    // The first three of four numbers.
    let four = npy("<f4", "2, 3, 4, 4", floats(count(96)));
    let three: Vec<f32> = count(96).filter(|n| n % 4.0 < 3.0).collect();
    assert_eq!(plain("four.npy", four, true, &deep), three);
    let numbers = [-1.0, 0.0, 1.0, 2.0, 3.0, 100.0];
    for (kind, data) in [
        ("<f8", numbers.iter().flat_map(|n: &f32| f64::from(*n).to_le_bytes()).collect::<Vec<u8>>()),
        ("<f2", [0xbc00u16, 0, 0x3c00, 0x4000, 0x4200, 0x5640].iter().flat_map(|n| n.to_le_bytes()).collect()),
        ("<i8", numbers.iter().flat_map(|n| (*n as i64).to_le_bytes()).collect()),
        ("<i2", numbers.iter().flat_map(|n| (*n as i16).to_le_bytes()).collect()),
        ("|i1", numbers.iter().map(|n| *n as i8 as u8).collect()),
    ] {
        assert_eq!(plain("kind.npy", npy(kind, "2, 3", data), false, &flat), numbers, "{kind}");
    }
}

#[test]
fn an_array_of_other_cells_is_stretched_or_placed() {
    let folder = Folder::new("stretched");
    // Values are positions along x [m], if the array is a metre wide.
    let ramp = npy("<f4", "2, 4", floats((0..8).map(|n| (n % 4) as f32 / 4.0 + 0.125)));
    let path = folder.file("ramp.npy", ramp);
    let wide = cells([10, 5, 1], 0.1);
    let stretched = load(&path, "", false, ImageFit::Stretch, Placement::InPlace, &wide).unwrap().values;
    for (n, value) in stretched.iter().enumerate() {
        let x = (n % 10) as f32 / 10.0 + 0.05;
        assert!((value - x.clamp(0.125, 0.875)).abs() < 1e-6, "{value} at {x}");
    }
    // Half a metre wide and a quarter high, in the middle of a metre by half a metre.
    let placed = Placement::Fit { center: [0.5, 0.25, 0.0], size: 0.5 };
    let placed = load(&path, "", false, ImageFit::Cover, placed, &wide).unwrap().values;
    for (n, value) in placed.iter().enumerate() {
        let (x, y) = ((n % 10) as f32 / 10.0 + 0.05, (n / 10) as f32 / 10.0 + 0.05);
        let inside = (0.25..=0.75).contains(&x) && (0.125..=0.375).contains(&y);
        let expected = if inside { (2.0 * (x - 0.25)).clamp(0.125, 0.875) } else { 0.0 };
        assert!((value - expected).abs() < 1e-6, "{value} at {x}, {y}, not {expected}");
    }
    let away = Placement::Fit { center: [5.0, 0.25, 0.0], size: 0.5 };
    let away = load(&path, "", false, ImageFit::Cover, away, &wide).unwrap();
    assert_eq!(away.warnings, ["its cells lie outside the domain; move its center"]);
}

#[test]
fn volumes_of_openvdb_lie_where_their_transform_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asset/grids/openvdb.vdb");
    let domain = cells([12, 9, 7], 0.1);
    let values = |layer: &str, vector: bool| {
        let grid = load(&path, layer, vector, ImageFit::Cover, Placement::InPlace, &domain).unwrap();
        assert_eq!(grid.warnings, Vec::<String>::new());
        grid.values
    };
    let place = |n: usize| [n % 12, n / 12 % 9, n / 108].map(|at| at as f32);
    for layer in ["", "density", "half"] {
        for (n, value) in values(layer, false).into_iter().enumerate() {
            let [x, y, z] = place(n);
            let inside = x < 10.0 && z < 6.0;
            assert_eq!(value, if inside { x + 0.5 * y + 0.25 * z + 1.0 } else { 0.0 }, "{layer} at {x}, {y}, {z}");
        }
    }
    for (n, value) in values("velocity", true).chunks(3).enumerate() {
        let [x, y, z] = place(n);
        let inside = x < 8.0 && y < 8.0;
        assert_eq!(value, if inside { [x, -y, 10.0 + z] } else { [0.0; 3] }, "at {x}, {y}, {z}");
    }
    for (n, value) in values("tile", false).into_iter().enumerate() {
        assert_eq!(value, if place(n)[1] < 8.0 { if place(n)[2] < 8.0 { 2.5 } else { 0.0 } } else { 0.0 });
    }
    for (n, value) in values("sphere", false).into_iter().enumerate() {
        let apart = place(n).map(|at| (at + 0.5) / 10.0 - 0.5).iter().map(|d| d * d).sum::<f32>().sqrt() - 0.3;
        // Its voxels are centred between the cells, and it holds distances up to 0.2.
        let near = apart.abs() > 0.05 || (value - apart).abs() < 0.01;
        assert!(near && value * apart > -1e-3 && value.abs() < 0.2001, "{value}, not {apart}");
    }
    // Twice as large, about the same middle.
    let twice = Placement::Fit { center: [0.6, 0.45, 0.35], size: 1.6 };
    let large = load(&path, "velocity", true, ImageFit::Cover, twice, &domain).unwrap().values;
    let [x, y, z] = [(5.5 - 6.0 + 8.0) / 2.0 - 0.5, (4.5 - 4.5 + 8.0) / 2.0 - 0.5, (3.5 - 3.5 + 8.0) / 2.0 - 0.5];
    let middle = &large[3 * (5 + 12 * (4 + 9 * 3))..][..3];
    assert!(middle.iter().zip([x, -y, 10.0 + z]).all(|(a, b)| (a - b).abs() < 1e-5), "{middle:?}");
}

#[test]
fn grids_that_cannot_be_used_say_so_before_they_cost_anything() {
    let folder = Folder::new("grid-errors");
    let refused = |name: &str, bytes: Vec<u8>, layer: &str, vector: bool, domain: &Domain| {
        let path = folder.file(name, bytes);
        let said = refusal(load(&path, layer, vector, ImageFit::Cover, Placement::InPlace, domain));
        said.strip_prefix(&format!("{name}: ")).unwrap().to_string()
    };
    let flat = cells([3, 2, 1], 0.1);
    let six = floats((0..6).map(|n| n as f32));
    let plain = npy("<f4", "2, 3", six.clone());
    let huge = npy("<f4", "4294967296, 4294967296, 2", []);
    let vectors = npy("<f4", "2, 3, 2", floats((0..12).map(|n| n as f32)));
    let cut = "it is not a valid NPY file: it is cut off; export it again";
    for (bytes, vector, said) in [
        (plain[..plain.len() - 1].to_vec(), false, cut),
        (plain[..40].to_vec(), false, cut),
        (b"text".to_vec(), false, "it is not a valid NPY file: it does not begin as one; export it again"),
        (
            npy("<f4", "2, 4", floats((0..8).map(|n| n as f32))),
            false,
            "it has 4 x 2 cells, and the domain has 3 x 2; set its fit to stretch, place it with center and size, or change the domain's resolution",
        ),
        (
            npy("<f4", "6", six.clone()),
            false,
            "its array has 1 axes; save it as [y, x] in 2D or [z, y, x] in 3D, with one axis more for vectors",
        ),
        (
            npy("<c8", "2, 3", six.clone()),
            false,
            "its numbers have the type `<c8`, which is not read; convert them in NumPy with array.astype('float32'), and save them again",
        ),
        (
            npy("<f4\n\u{1b}[2J", "2, 3", six.clone()),
            false,
            "its numbers have the type `<f4\\u{a}\\u{1b}[2J`, which is not read; convert them in NumPy with array.astype('float32'), and save them again",
        ),
        (huge, false, "it holds more than 268435456 numbers; lower its resolution and export it again"),
        (npy("<f4", "0, 3", []), false, "it is not a valid NPY file: it holds no numbers; export it again"),
        (plain.clone(), true, "it holds 1 numbers a cell; connect its `value`"),
        (vectors, false, "it holds 2 numbers a cell; connect its `vector`"),
    ] {
        assert_eq!(refused("a.npy", bytes, "", vector, &flat), said);
    }
    let strange = npy("<f4", "2, 3", floats([0.0, f32::NAN, 1.0, f32::INFINITY, 2.0, 3.0]));
    let grid = load(&folder.file("nan.npy", strange), "", false, ImageFit::Cover, Placement::InPlace, &flat).unwrap();
    assert_eq!(
        (grid.values, grid.warnings),
        (vec![0.0, 0.0, 1.0, 0.0, 2.0, 3.0], vec!["2 of its numbers are infinite or none, and count as 0".to_string()])
    );

    let whole = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asset/grids/openvdb.vdb")).unwrap();
    let deep = cells([4, 4, 4], 0.1);
    assert_eq!(
        refused("a.vdb", whole.clone(), "wind", false, &deep),
        "it has no layer `wind`; its layers are mask, density, tile, velocity, half, sphere; name one of them as its `layer`"
    );
    assert_eq!(
        refused("a.vdb", whole.clone(), "mask", false, &deep),
        "its grid `mask` holds true and false; export a grid of floats, or of vectors of floats"
    );
    assert_eq!(
        refused("a.vdb", whole.clone(), "velocity", false, &deep),
        "it holds 3 numbers a cell; connect its `vector`"
    );
    assert_eq!(
        refused("a.vdb", whole.clone(), "", false, &flat),
        "a grid with 6 layers of cells cannot be used in a 2D domain; make the domain 3D, or export one layer"
    );
    assert_eq!(
        refused("a.vdb", b"text".to_vec(), "", false, &deep),
        "it is not a valid OpenVDB file: it is cut off; export it again"
    );

    // Cut off or damaged anywhere, a file is refused or read, and harms nothing.
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut read = 0;
    for round in 0..80 {
        let mut bytes = whole.clone();
        // The grid of density, and what leads to it.
        let within = if round % 4 == 1 { 0..260 } else { 9_900..31_000 };
        match round % 4 {
            0 => bytes.truncate(random(31_000)),
            3 => (0..4).for_each(|_| bytes[29_558 + random(1150)] = random(256) as u8),
            _ => (0..4).for_each(|_| bytes[within.start + random(within.len())] = random(256) as u8),
        }
        let path = folder.file("damaged.vdb", &bytes);
        let load = || load(&path, "density", false, ImageFit::Cover, Placement::InPlace, &deep);
        match catch_unwind(load).unwrap_or_else(|_| panic!("it panicked in round {round}")) {
            Ok(grid) => {
                assert!(round % 4 > 0 && grid.values.iter().all(|v| v.is_finite()), "round {round}");
                read += 1;
            }
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
        }
    }
    println!("{read} of 80 damaged files are still volumes");
    assert!((2..60).contains(&read), "{read}");
}

/// The same array in both orders of its axes and of its bytes, and the same numbers as positions of particles.
#[test]
fn arrays_of_all_orders_are_the_same() {
    let folder = Folder::new("orders");
    let domain = cells([4, 3, 2], 0.1);
    let bytes = |kind: &str, value: u16| match kind {
        "f2" => half::f16::from_f32(value.into()).to_le_bytes().to_vec(),
        "f4" => f32::from(value).to_le_bytes().to_vec(),
        "f8" => f64::from(value).to_le_bytes().to_vec(),
        "i2" | "u2" => value.to_le_bytes().to_vec(),
        "i4" | "u4" => u32::from(value).to_le_bytes().to_vec(),
        _ => u64::from(value).to_le_bytes().to_vec(),
    };
    let file = |kind: &str, big: bool, fortran: bool, shape: &[usize]| {
        let all = shape.iter().product::<usize>();
        // The number in C order of the element that is the n-th in the file.
        let number = |n: usize| {
            let mut rest = n;
            let mut value = 0;
            let mut step = all;
            for side in shape.iter().filter(|_| fortran) {
                step /= side;
                value += rest % side * step;
                rest /= side;
            }
            if fortran { value } else { n }
        };
        let data = (0..all).flat_map(|n| {
            let mut element = bytes(kind, number(n) as u16);
            if big {
                element.reverse();
            }
            element
        });
        let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
        let mut file = npy(&format!("{}{kind}", if big { '>' } else { '<' }), &sides.join(", "), data);
        let at = file.windows(5).position(|word| word == b"False").unwrap();
        file[at..at + 5].copy_from_slice(if fortran { b"True " } else { b"False" });
        folder.file("a.npy", file)
    };
    let column = Column { components: 3, stride: 3, kind: Number::Float, capacity: 10 };
    for kind in ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8"] {
        for (big, fortran) in [(false, false), (true, false), (false, true), (true, true)] {
            let numbers = |path: &Path, vector| load(path, "", vector, ImageFit::Cover, Placement::InPlace, &domain);
            let counted = |count: u16| (0..count).map(f32::from).collect::<Vec<_>>();
            let what = format!("{kind}, {big}, {fortran}");
            let path = file(kind, big, fortran, &[2, 3, 4]);
            assert_eq!(numbers(&path, false).unwrap().values, counted(24), "{what}");
            let path = file(kind, big, fortran, &[2, 3, 4, 3]);
            assert_eq!(numbers(&path, true).unwrap().values, counted(72), "vectors, {what}");
            let path = file(kind, big, fortran, &[7, 3]);
            let request = Request::distance(&path, Placement::InPlace, &domain);
            let request = Request { layer: Some("position".into()), wanted: Wanted::Particles(column), ..request };
            assert_eq!(request.load(&Work::default()).unwrap().values, counted(21), "points, {what}");
        }
    }
}

/// A block of 8 x 4 x 4 voxels, whose transform is changed: the 48 turns by right angles and mirrors move each cell to the cell
/// that they should, and any other transform is named.
#[test]
fn turned_volumes_are_read_along_the_axes_or_refused() {
    const SIDE: u32 = 12;
    let whole = include_bytes!("grids/turned.vdb");
    let begin = whole.windows(9).position(|word| word == b"AffineMap").unwrap() + 9;
    let folder = Folder::new("turned");
    let domain = cells([SIDE; 3], 0.1);
    let read = |rows: [[f64; 3]; 3], origin: [f64; 3]| {
        let mut bytes = whole.to_vec();
        let rows = rows.into_iter().map(|[x, y, z]| [x, y, z, 0.0]).chain([[origin[0], origin[1], origin[2], 1.0]]);
        let numbers = rows.flatten().flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
        bytes[begin..begin + 128].copy_from_slice(&numbers);
        let path = folder.file("turned.vdb", bytes);
        load(&path, "", false, ImageFit::Cover, Placement::InPlace, &domain)
    };
    let straight = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    let origin = [0.25, 0.35, 0.45];
    let plain = read(straight, origin).unwrap().values;
    assert!(plain.iter().filter(|value| **value != 0.0).count() > 50, "the block is in the domain");
    let middle = 0.05 * f64::from(SIDE);
    let mut seen = 0;
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for signs in 0..8u32 {
            let sign = |axis: usize| if signs >> axis & 1 == 1 { -1.0 } else { 1.0 };
            // Axis i goes to axis order[i]. A turn by a program leaves some rounding.
            let turn = |v: [f64; 3]| {
                let mut turned = [0.0; 3];
                (0..3).for_each(|axis| turned[order[axis]] = sign(axis) * v[axis]);
                turned
            };
            let rows = straight.map(|row| turn(row).map(|number| if number == 0.0 { 4e-9 } else { number }));
            let moved = turn(origin.map(|at| at - middle)).map(|at| at + middle);
            let grid = read(rows, moved).unwrap_or_else(|e| panic!("{order:?} {signs}: {e}"));
            for (n, value) in plain.iter().enumerate() {
                let cell = [n as u32 % SIDE, n as u32 / SIDE % SIDE, n as u32 / SIDE / SIDE];
                let center = cell.map(|at| 0.1 * (f64::from(at) + 0.5) - middle);
                let to = turn(center).map(|at| ((at + middle) / 0.1 - 0.5).round() as usize);
                let got = grid.values[to[0] + SIDE as usize * (to[1] + SIDE as usize * to[2])];
                assert!((got - value).abs() < 1e-5, "{order:?} {signs}: {got}, not {value}");
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 48);
    let (c, s) = (0.1 * 0.5f64.sqrt(), 0.1 * 0.5f64.sqrt());
    let remedy = "resample it along the axes where it was made";
    for (rows, said) in [
        ([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 0.1]], "its transform turns the voxels by 45.0 degrees"),
        (
            [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, -0.1]],
            "its transform mirrors the voxels and turns them by 135.0 degrees",
        ),
        ([[0.1, 0.05, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], "its transform skews the voxels"),
        ([[0.1, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.1]], "its transform skews the voxels"),
    ] {
        assert_eq!(refusal(read(rows, origin)), format!("turned.vdb: {said}; {remedy}"));
    }
    let flat = refusal(read([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0; 3]], origin));
    assert_eq!(flat, "turned.vdb: it is not a valid OpenVDB file: its voxels have no size; export it again");
}
