//! Files as signed distances, held against analytic distances, and as colours; and what broken files say. No GPU.

mod colors;
mod exr;
mod files;
mod gltf;
mod gltf_shape;
mod grids;
mod images;
mod meshes;
mod particles;
mod ply;
mod shells;
mod tracks;

use std::path::{Path, PathBuf};

use stagewright_language::graph::Domain;
use stagewright_language::stage::edges::Edges;
use stagewright_runtime::asset::{AssetError, AssetGrid, Placement, distance_grid};

/// A folder of its own for a test, gone after it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("stagewright-asset-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A metre cut into `cells` along x, so that positions read as shares.
fn domain(dim: u32, cells: u32) -> Domain {
    let resolution = [cells, cells, if dim == 3 { cells } else { 1 }];
    let cell_size = 1.0 / f64::from(cells);
    Domain { name: "domain".into(), dim, resolution, cell_size, edge: Edges::default(), finer: None, sliced: None }
}

const MIDDLE: [f64; 3] = [0.5, 0.5, 0.5];

fn fit(size: f64) -> Placement {
    Placement::Fit { center: MIDDLE, size }
}

/// Distances that must be there, without warnings.
fn distances(path: &Path, placement: &Placement, domain: &Domain) -> Vec<f32> {
    let grid = warned(path, placement, domain);
    assert_eq!(grid.warnings, Vec::<String>::new(), "{}", path.display());
    grid.values
}

fn warned(path: &Path, placement: &Placement, domain: &Domain) -> AssetGrid {
    let grid = distance_grid(path, placement, domain).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(grid.values.len() as u64, domain.cells());
    assert!(grid.values.iter().all(|v| v.is_finite()));
    grid
}

/// The sentence, without the folder.
fn refusal(result: Result<AssetGrid, AssetError>) -> String {
    let error = result.expect_err("a refusal");
    let folder = format!("{}/", error.file.parent().unwrap().display());
    error.to_string().replace(&folder, "")
}

/// Cell centres in the order of values \[m\].
fn centers(domain: &Domain) -> impl Iterator<Item = [f64; 3]> + use<> {
    let ([nx, ny, nz], h, dim) = (domain.resolution, domain.cell_size, domain.dim);
    let along = move |i: u32| (f64::from(i) + 0.5) * h;
    (0..nz).flat_map(move |z| {
        (0..ny).flat_map(move |y| (0..nx).map(move |x| [along(x), along(y), if dim == 3 { along(z) } else { 0.0 }]))
    })
}

/// The largest difference from a distance that is known, printed with the bar it has to keep under.
fn check(what: &str, values: &[f32], domain: &Domain, bar: f64, exact: impl Fn([f64; 3]) -> f64) {
    let error = values.iter().zip(centers(domain)).map(|(v, p)| (f64::from(*v) - exact(p)).abs()).fold(0.0, f64::max);
    println!("{what}: error {error:.3e} m, bar {bar:.3e} m");
    assert!(error <= bar, "{what}: {error:e} m is more than {bar:e} m");
}

/// What rounding a distance of up to a metre to f32 may cost \[m\].
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// Distance to a box \[m\].
fn to_box(p: [f64; 3], center: [f64; 3], half: [f64; 3]) -> f64 {
    let q: [f64; 3] = std::array::from_fn(|i| (p[i] - center[i]).abs() - half[i]);
    let outside = q.iter().map(|v| v.max(0.0).powi(2)).sum::<f64>().sqrt();
    outside + q[0].max(q[1]).max(q[2]).min(0.0)
}

fn distance(p: [f64; 3], q: [f64; 3]) -> f64 {
    p.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Points and triangles, looking outwards.
#[derive(Clone, Default)]
struct Mesh {
    points: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
}

impl Mesh {
    fn cube(center: [f64; 3], half: f64) -> Mesh {
        let corner =
            |i: usize| std::array::from_fn(|axis| center[axis] + if i >> axis & 1 == 1 { half } else { -half });
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Mesh { points: (0..8).map(corner).collect(), triangles }
    }

    /// An icosahedron whose triangles are quartered `levels` times, its points on the sphere.
    fn sphere(center: [f64; 3], radius: f64, levels: u32) -> Mesh {
        let g = (1.0 + 5.0f64.sqrt()) / 2.0;
        let mut points: Vec<[f64; 3]> = Vec::new();
        for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
            points.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
        }
        let mut triangles = Vec::new();
        for (i, j, k) in (0..12).flat_map(|i| (0..12).flat_map(move |j| (0..12).map(move |k| (i, j, k)))) {
            let near = |i: usize, j: usize| (distance(points[i], points[j]) - 2.0).abs() < 1e-9;
            let [a, b, c] = [points[i], points[j], points[k]];
            let det = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            if i < j && i < k && near(i, j) && near(j, k) && near(k, i) && det > 0.0 {
                triangles.push([i, j, k]);
            }
        }
        assert_eq!(triangles.len(), 20);
        for _ in 0..levels {
            let mut middles = std::collections::BTreeMap::new();
            let mut middle = |i: usize, j: usize| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    points.push(std::array::from_fn(|axis| (points[i][axis] + points[j][axis]) / 2.0));
                    points.len() - 1
                })
            };
            let quarters = triangles.iter().flat_map(|[a, b, c]| {
                let [d, e, f] = [middle(*a, *b), middle(*b, *c), middle(*c, *a)];
                [[*a, d, f], [*b, e, d], [*c, f, e], [d, e, f]]
            });
            triangles = quarters.collect();
        }
        for p in &mut points {
            let length = distance(*p, [0.0; 3]);
            *p = std::array::from_fn(|axis| center[axis] + p[axis] / length * radius);
        }
        Mesh { points, triangles }
    }

    fn flipped(mut self) -> Mesh {
        self.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        self
    }

    fn and(mut self, other: Mesh) -> Mesh {
        let first = self.points.len();
        self.points.extend(other.points);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| first + i)));
        self
    }

    fn obj(&self) -> String {
        let points = self.points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
        let triangles = self.triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
        points.chain(triangles).collect()
    }
}
