//! Grids from files: signed distances to triangle meshes (OBJ, glTF) in 3D and to shapes in images (PNG, JPEG, EXR) in 2D, and
//! the colours of images. Computed on the CPU; the results are reproducible.
//!
//! A mesh is read (`obj`, `gltf`), placed, welded and oriented (`surface`), and put into a tree (`tree`) that answers
//! two questions for each cell: how far is the surface (the exact distance to the nearest triangle), and is the cell
//! inside (the generalized winding number: Jacobson, Kavan & Sorkine-Hornung, "Robust inside-outside segmentation using
//! generalized winding numbers", SIGGRAPH 2013, with the far field of Barill et al., "Fast winding numbers for soups
//! and clouds", SIGGRAPH 2018). An image becomes the curve where its coverage is one half (`contour`), and the same
//! tree computes the distance to it. Colours are the image resampled in linear light (`colors`).
//! Arrays and volumes (`npy`, `vdb`) are interpolated at the centres of the cells (`volume`). Particles (`ply`, `npy`, `npz`, and
//! points of meshes from `points`) become the attributes that a State names (`particles`).

mod blosc;
mod colors;
mod contour;
pub mod envelope;
mod error;
mod exr;
mod exr_piz;
mod fill;
mod frames;
mod gltf;
mod image;
mod jpeg;
mod motion;
mod npy;
mod npz;
mod obj;
mod particles;
mod ply;
pub mod points;
mod shells;
mod surface;
pub mod table;
#[cfg(test)]
mod tests;
mod tree;
mod triangle;
mod vdb;
mod volume;
mod work;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DMat4, DVec3};

use crate::embedded::FILES;
use crate::files::{Access, read as regular};
use crate::graph::{Domain, ImageFit, MeshPoints};
use crate::printable;
pub use envelope::Timing;
pub use error::{AssetError, Cause, Text, sentence};
pub use frames::{Frames, MAX_FRAMES, files_of};
pub use image::MAX_PIXELS;
pub use particles::{Column, Number, Shared};
pub use work::{Phase, Work};

/// Size limit of a file, or of a buffer file \[bytes\].
pub const MAX_FILE: u64 = 1 << 30;
/// The same of a table \[bytes\]: a million frames have 256 bytes each.
pub const MAX_TABLE: u64 = 256 << 20;
/// Limit of triangles of a mesh, or of segments of an image's outline.
pub const MAX_TRIANGLES: usize = 5_000_000;
/// Limit of vertices of a mesh: enough for triangles that share none.
pub const MAX_VERTICES: usize = 3 * MAX_TRIANGLES;
/// Limit of numbers that are computed, one a cell for distances and four for colours: they take 4 GiB.
pub const MAX_NUMBERS: u64 = 1 << 30;
/// Bytes that are read between two checks for cancelling.
const CHUNK: u64 = 4 << 20;
/// What warnings about numbers that are not finite end with.
pub const COUNT_AS_ZERO: &str = "count as 0";
/// Remedy of warnings about what is left out of a mesh.
pub const APPLY: &str = "apply it in the program that made the file, and export it again";
/// Larger coordinates and sizes are considered errors \[m\].
const MAX_COORDINATE: f64 = 1e15;

/// Where a file's shape is placed in the domain, whose lower corner is the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// The centre of the shape's bounding box is moved to `center` \[m\], and its longest side (an image's width) is
    /// scaled to `size` \[m\]. A size of 0 keeps the file's units: metres for a mesh, cells for the pixels of an image.
    /// 2D ignores `center[2]`.
    Fit {
        /// Centre of the bounding box in the domain \[m\].
        center: [f64; 3],
        /// Longest side \[m\]; 0 keeps the file's units.
        size: f64,
    },
    /// The file's coordinates are metres in the domain. A pixel is a cell, the lower left one in the domain's corner.
    InPlace,
}

/// What is computed from a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// Signed distances to its shape.
    Distance,
    /// The colours of an image.
    Image {
        /// How the image fills the domain where it is [in place](Placement::InPlace).
        fit: ImageFit,
        /// Whether the image's numbers are taken as linear, and not as sRGB.
        linear: bool,
    },
    /// The numbers of a grid.
    Numbers {
        /// Whether each is a vector.
        vector: bool,
        /// Whether the grid is stretched over the domain where it is [in place](Placement::InPlace):
        /// [`ImageFit::Stretch`] alone.
        fit: ImageFit,
    },
    /// The velocity of a mesh's surface, at this many files a second: 0 without [`Request::neighbor`].
    Velocity {
        /// Frames per second of the graph.
        fps: f64,
    },
    /// An attribute of particles, which [`Request::layer`] names; how many there are where it does not.
    Particles(Column),
    /// A number for each frame; of a table the column that [`Request::layer`] names.
    Track(Timing),
}

impl Wanted {
    /// Numbers for each cell.
    pub fn components(self) -> u64 {
        match self {
            Wanted::Distance | Wanted::Particles(_) | Wanted::Track(_) => 1,
            Wanted::Image { .. } => 4,
            Wanted::Velocity { .. } => 3,
            Wanted::Numbers { vector, .. } => {
                if vector {
                    3
                } else {
                    1
                }
            }
        }
    }
}

/// The values that come from a file, and warnings about it.
#[derive(Clone, Debug, PartialEq)]
pub struct AssetGrid {
    /// One number for each cell centre, x fastest: signed distances \[m\], negative inside. For colours four numbers:
    /// linear red, green and blue, not multiplied by the alpha that follows. For a grid's numbers as many as the domain has
    /// dimensions where they are vectors. For a track one for each frame.
    pub values: Vec<f32>,
    /// Sentences for the user. The values are nevertheless usable.
    pub warnings: Vec<String>,
    /// The files of the sequence that these values are the first of.
    pub frames: Option<Arc<Frames>>,
}

/// Vertices and triangles as in the file.
#[derive(Clone, Debug, Default)]
struct Mesh {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Colours of the corners of each triangle; empty where they are not wanted, or the file has none.
    colors: Vec<[[f32; 4]; 3]>,
    /// The same: their places on a texture.
    uvs: Vec<[[f32; 2]; 3]>,
    warnings: Vec<String>,
}

/// A shipped file with this name below the folder of the shipped graphs, such as `vessels/pegs.png`. So that shipped
/// graphs work wherever they are, a graph reads it where no file below its own folder has that name.
pub fn built_in(named: &Path) -> Option<&'static [u8]> {
    FILES.get(&named.to_str()?.replace('\\', "/"))
}

/// A file next to another one in a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbor {
    /// The file.
    pub path: PathBuf,
    /// Whether the file comes later in the sequence.
    pub later: bool,
}

/// A file, and what is computed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The file. Its extension decides how it is read.
    pub path: PathBuf,
    /// Contents of the file, where it is a [shipped file](built_in).
    pub built_in: Option<&'static [u8]>,
    /// Decides which files the file may refer to.
    pub access: Access,
    /// The layer of an EXR file; its colours when `None`. The attribute of particles; their count when `None`.
    pub layer: Option<String>,
    /// The file before in a sequence, or the one after the first, where a velocity is wanted.
    pub neighbor: Option<Neighbor>,
    /// Name of a set of particles, in a file with several sets.
    pub set: Option<String>,
    /// Which points of a mesh are its particles.
    pub points: MeshPoints,
    /// What is computed.
    pub wanted: Wanted,
    /// Where the file's contents are placed in the domain.
    pub placement: Placement,
    /// The domain on which it is computed.
    pub domain: Domain,
    /// Particles that were decoded for another attribute.
    pub shared: Shared,
}

impl Request {
    /// A number for each frame. The domain has no meaning for it.
    pub fn track(path: &Path, column: Option<String>, timing: Timing, access: Access) -> Request {
        let request = Request::distance(path, Placement::InPlace, &no_domain());
        Request { layer: column, wanted: Wanted::Track(timing), access, ..request }
    }

    /// Signed distances to the shape in a file on the disk. Files that it refers to must be in its folder or below.
    pub fn distance(path: &Path, placement: Placement, domain: &Domain) -> Request {
        let access = Access::new(path.parent().unwrap_or(Path::new("")), false);
        let (path, domain) = (path.to_path_buf(), domain.clone());
        let (set, points, shared) = (None, MeshPoints::Vertices, Shared::default());
        let (built_in, layer, wanted) = (None, None, Wanted::Distance);
        Request { path, built_in, access, layer, neighbor: None, set, points, wanted, placement, domain, shared }
    }

    /// The colours of an image.
    pub fn image(path: &Path, fit: ImageFit, linear: bool, placement: Placement, domain: &Domain) -> Request {
        Request { wanted: Wanted::Image { fit, linear }, ..Request::distance(path, placement, domain) }
    }

    /// Computes the values: `.obj`, `.gltf` or `.glb` on a 3D domain, `.png`, `.jpg` or `.exr` on a 2D one, `.npy` or `.vdb` on either; particles from
    /// `.ply`, `.npy`, `.npz` and meshes. `work`, which must be
    /// new, reports the progress and can cancel it.
    ///
    /// Distances to the triangles (in 2D: to the segments of the outline) are exact up to f32's rounding.
    ///
    /// # Errors
    /// One sentence with the file, the cause and the remedy: a file that cannot be read or has another format than its
    /// extension, a shape that does not fit the domain's dimension, an empty shape, an invalid size or centre; and
    /// [`Cause::Stopped`].
    pub fn load(&self, work: &Work) -> Result<AssetGrid, AssetError> {
        let mut grid = self.compute(work).map_err(|cause| self.error(cause))?;
        // They may name what the file names.
        grid.warnings.iter_mut().for_each(|warning| *warning = printable::name(warning).into_owned());
        Ok(grid)
    }

    fn compute(&self, work: &Work) -> Result<AssetGrid, Cause> {
        let Request { wanted, placement, domain, .. } = self;
        if let Wanted::Particles(column) = *wanted {
            let points = self.shared.get(&self.path, || self.particles(work));
            return points
                .and_then(|points| particles::values(&points, self.layer.as_deref(), column, placement, domain, work));
        }
        if let Wanted::Velocity { fps } = *wanted {
            return self.velocity(fps, work);
        }
        self.read(work).and_then(|content| match (content, *wanted) {
            (Content::Image(pixels, note), wanted) => {
                let mut grid = match wanted {
                    Wanted::Image { fit, linear } => colors::colors(&pixels, fit, linear, placement, domain, work)?,
                    _ => {
                        let coverage = image::coverage(&pixels);
                        // A large image and its outline would be in memory at once.
                        drop(pixels);
                        contour::distances(coverage, placement, domain, work)?
                    }
                };
                grid.warnings.extend(note);
                Ok(grid)
            }
            (Content::Volume(volume), wanted) => {
                let (part, fit) = match wanted {
                    Wanted::Numbers { vector: true, fit } => (volume::Part::Vector, fit),
                    Wanted::Numbers { fit, .. } => (volume::Part::Value, fit),
                    _ => (volume::Part::Value, ImageFit::default()),
                };
                volume::values(&volume, part, fit, placement, domain, work)
            }
            (Content::Points(_), _) => Err(Cause::NoNumbers),
            (Content::Mesh(mesh), _) => surface::distances(mesh, placement, domain, work),
            (Content::Track(values), _) => Ok(AssetGrid { values, warnings: Vec::new(), frames: None }),
        })
    }

    /// Reads and decodes the file as [`Request::load`] does, and computes nothing.
    ///
    /// # Errors
    /// As [`Request::load`].
    pub fn check(&self) -> Result<(), AssetError> {
        let work = Work::default();
        let read = match self.wanted {
            Wanted::Particles(_) => self.shared.get(&self.path, || self.particles(&work)).map(drop),
            _ => self.read(&work).map(drop),
        };
        read.map_err(|cause| self.error(cause))
    }

    /// How the surface of a mesh moves.
    fn velocity(&self, fps: f64, work: &Work) -> Result<AssetGrid, Cause> {
        let mesh = |request: &Request| match request.read(work)? {
            Content::Mesh(mesh) => Ok(mesh),
            _ => Err(Cause::Unfit("only a mesh has a velocity".into(), "choose a mesh, or disconnect `velocity`")),
        };
        let own = mesh(self)?;
        let Some(Neighbor { path, later }) = &self.neighbor else {
            let count = usize::try_from(3 * self.domain.cells()).map_err(|_| Cause::Cells)?;
            return Ok(AssetGrid { values: vec![0.0; count], warnings: own.warnings, frames: None });
        };
        let other = mesh(&Request { path: path.clone(), neighbor: None, ..self.clone() })?;
        let rate = if *later { -fps } else { fps };
        motion::velocities(&own, &other, rate, &self.placement, &self.domain, work)
    }

    /// All particles of the file.
    fn particles(&self, work: &Work) -> Result<particles::Points, Cause> {
        match self.read(work)? {
            Content::Points(points) => Ok(points),
            Content::Mesh(mesh) => points::read(&mesh, self.points, work),
            _ => Err(Cause::NoPoints),
        }
    }

    /// The values of a sound or a table, frame by frame.
    fn values_over_time(&self, bytes: &[u8], ending: &str) -> Result<Vec<f32>, Cause> {
        let Wanted::Track(timing) = self.wanted else { return Err(Cause::NoEnvelope) };
        let points = if ending == "wav" {
            envelope::of_sound(bytes, timing.fps, timing.loudness)?
        } else {
            table::of_table(&String::from_utf8_lossy(bytes), timing.fps, self.layer.as_deref())?
        };
        timing.frames(&points)
    }

    fn error(&self, cause: Cause) -> AssetError {
        AssetError { file: self.path.clone(), cause }
    }

    fn read(&self, work: &Work) -> Result<Content, Cause> {
        if let Placement::Fit { center, size } = self.placement {
            check_placement(center, size)?;
        }
        let ending = ending(&self.path);
        enum Holds {
            Mesh,
            Image,
            Numbers,
            Points,
            Track,
        }
        let particles = matches!(self.wanted, Wanted::Particles(_));
        let holds = match ending.as_str() {
            "obj" | "gltf" | "glb" => Holds::Mesh,
            "png" | "jpg" | "jpeg" | "exr" => Holds::Image,
            "npy" if particles => Holds::Points,
            "npy" | "vdb" => Holds::Numbers,
            "ply" | "npz" => Holds::Points,
            "wav" | "csv" => Holds::Track,
            _ => return Err(Cause::Ending(ending)),
        };
        match (holds, self.domain.dim, self.wanted) {
            (Holds::Points | Holds::Mesh, _, Wanted::Particles(_)) | (Holds::Track, _, Wanted::Track(_)) => {}
            (Holds::Track, ..) => return Err(Cause::NoShape),
            (_, _, Wanted::Track(_)) => return Err(Cause::NoEnvelope),
            (Holds::Points, ..) | (_, _, Wanted::Particles(_)) => return Err(Cause::NoPoints),
            (Holds::Numbers | Holds::Image, _, Wanted::Velocity { .. }) => {
                return Err(Cause::Unfit(
                    "only a mesh has a velocity".into(),
                    "choose a mesh, or disconnect `velocity`",
                ));
            }
            (Holds::Numbers, _, Wanted::Image { .. }) => return Err(Cause::NoImage),
            (Holds::Mesh | Holds::Image, _, Wanted::Numbers { .. }) => return Err(Cause::NoNumbers),
            (Holds::Mesh, _, Wanted::Image { .. }) => return Err(Cause::NoColors),
            (Holds::Mesh, 2, _) => return Err(Cause::MeshIn2d),
            (Holds::Image, 3, _) => return Err(Cause::ImageIn3d),
            _ if self.layer.is_some() && ending != "exr" && ending != "vdb" => return Err(Cause::NoLayers),
            _ => {}
        }
        if !particles && self.domain.cells().saturating_mul(self.wanted.components()) > MAX_NUMBERS {
            return Err(Cause::Cells);
        }
        let bytes = match self.built_in {
            Some(bytes) => bytes.to_vec(),
            None => read(&self.path, if ending == "csv" { MAX_TABLE } else { MAX_FILE }, work)?,
        };
        work.begin(Phase::Decoding, 0)?;
        Ok(match ending.as_str() {
            "png" | "jpg" | "jpeg" => Content::Image(image::pixels(bytes, ending != "png")?, None),
            "exr" => {
                let (pixels, note) = exr::pixels(&bytes, self.layer.as_deref(), work)?;
                Content::Image(pixels, note)
            }
            "ply" => Content::Points(ply::read(bytes, work)?),
            "wav" | "csv" => Content::Track(self.values_over_time(&bytes, &ending)?),
            "npz" => Content::Points(npz::points(&bytes, self.set.as_deref(), work)?),
            "npy" if particles => Content::Points(npy::points(bytes)?),
            "npy" => Content::Volume(npy::read(bytes, self.domain.dim as usize)?),
            "vdb" => Content::Volume(vdb::read(&bytes, self.layer.as_deref(), work)?),
            "obj" => Content::Mesh(obj::read(&bytes, particles, work)?),
            _ => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                Content::Mesh(gltf::read(&bytes, folder, &self.access, particles, work)?)
            }
        })
    }
}

/// The signed distance from every cell centre to the shape in a file, as [`Request::load`] computes it.
///
/// # Errors
/// As [`Request::load`].
pub fn distance_grid(path: &Path, placement: &Placement, domain: &Domain) -> Result<AssetGrid, AssetError> {
    Request::distance(path, *placement, domain).load(&Work::default())
}

/// Files that a file stands on, and how much of each counts \[bytes\]: the buffers of a glTF file that may be read.
pub fn companions(path: &Path, access: &Access) -> Vec<(PathBuf, u64)> {
    if ending(path) != "gltf" {
        return Vec::new();
    }
    let bytes = read(path, MAX_FILE, &Work::default()).unwrap_or_default();
    gltf::companions(&bytes, path.parent().unwrap_or(Path::new("")), access)
}

/// What a file holds.
enum Content {
    Mesh(Mesh),
    /// With a warning.
    Image(image::Pixels, Option<String>),
    Volume(volume::Volume),
    Points(particles::Points),
    Track(Vec<f32>),
}

/// For what needs none.
fn no_domain() -> Domain {
    let (dim, resolution, edge) = (3, [1; 3], Default::default());
    Domain { name: String::new(), dim, resolution, cell_size: 1.0, edge, finer: None, sliced: None }
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn check_placement(center: [f64; 3], size: f64) -> Result<(), Cause> {
    if !(0.0..=MAX_COORDINATE).contains(&size) {
        return Err(Cause::Size(size));
    }
    if is_point(DVec3::from(center)) { Ok(()) } else { Err(Cause::Center) }
}

/// Whether coordinates can be reckoned with; NaN and infinity can't.
fn is_point(p: DVec3) -> bool {
    p.abs().cmple(DVec3::splat(MAX_COORDINATE)).all()
}

/// The first of many names, and how many follow.
fn listed(names: &[&str]) -> String {
    const LISTED: usize = 5;
    let short = |name: &&str| name.chars().take(60).collect::<String>();
    let first = names.iter().take(LISTED).map(short).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(LISTED) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}

/// A number as a graph may get it: 0 in place of one that is infinite or none, which is counted.
fn finite(number: f32, strange: &mut usize) -> f32 {
    if number.is_finite() {
        return number;
    }
    *strange += 1;
    0.0
}

/// The warning about them.
fn not_finite(strange: usize, what: &str) -> Option<String> {
    (strange > 0).then(|| format!("{strange} of {what} are infinite or none, and {COUNT_AS_ZERO}"))
}

/// A whole regular file of at most `limit` bytes.
fn read(path: &Path, limit: u64, work: &Work) -> Result<Vec<u8>, Cause> {
    let (file, length) = regular::open(path)?;
    if length > limit { Err(Cause::TooLarge(limit)) } else { read_start(file, length, work) }
}

/// The first bytes of an open file, as many as it has up to `count`.
fn read_start(file: std::fs::File, count: u64, work: &Work) -> Result<Vec<u8>, Cause> {
    let failed = |e: std::io::Error| Cause::Unreadable(e.to_string().into());
    work.begin(Phase::Reading, count)?;
    let mut bytes = Vec::new();
    let room = usize::try_from(count).map_err(|_| Cause::TooLarge(MAX_FILE))?;
    bytes.try_reserve_exact(room).map_err(|_| Cause::Unreadable("there is not enough memory for it".into()))?;
    // It may grow while it is read.
    let mut file = file.take(count);
    loop {
        let count = file.by_ref().take(CHUNK).read_to_end(&mut bytes).map_err(failed)?;
        work.go_on(count as u64)?;
        if count == 0 {
            return Ok(bytes);
        }
    }
}

/// Takes a shape's bounding box to its place.
fn place(placement: &Placement, min: DVec3, max: DVec3) -> Result<DMat4, Cause> {
    let longest = (max - min).max_element();
    match *placement {
        // A point would need an endless scale.
        Placement::Fit { size, .. } if size > 0.0 && longest <= 1e-30 => Err(Cause::NoExtent),
        Placement::Fit { center, size } => {
            let scale = if size > 0.0 { size / longest } else { 1.0 };
            let middle = (min + max) / 2.0;
            Ok(DMat4::from_translation(DVec3::from(center))
                * DMat4::from_scale(DVec3::splat(scale))
                * DMat4::from_translation(-middle))
        }
        Placement::InPlace => Ok(DMat4::IDENTITY),
    }
}

/// What is worth knowing once a shape is in its place and measured.
fn place_warnings(domain: &Domain, min: DVec3, max: DVec3, values: &[f32]) -> Option<String> {
    let size = DVec3::from(domain.size());
    let mut apart = max.cmplt(DVec3::ZERO) | min.cmpgt(size);
    if domain.dim == 2 {
        apart.set(2, false);
    }
    if apart.any() {
        return Some(format!(
            "the shape lies outside the domain: it goes from {} to {} m; move its center",
            corner(domain, min),
            corner(domain, max)
        ));
    }
    let inside = values.iter().any(|v| *v < 0.0);
    (!inside).then(|| "no cell centre lies inside the shape; make it larger or the cells smaller".into())
}

fn corner(domain: &Domain, point: DVec3) -> String {
    match domain.dim {
        2 => format!("({:.3}, {:.3})", point.x, point.y),
        _ => format!("({:.3}, {:.3}, {:.3})", point.x, point.y, point.z),
    }
}
