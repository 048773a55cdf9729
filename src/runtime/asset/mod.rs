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

mod colors;
mod contour;
mod coverage;
pub mod envelope;
mod fill;
mod frames;
mod motion;
mod particles;
pub mod points;
mod shells;
mod surface;
#[cfg(test)]
mod tests;
mod tree;
mod triangle;
mod volume;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DMat4, DVec3};

use crate::files::Access;
use crate::formats::bytes::read;
use crate::formats::content::{Content, Source};
use crate::formats::limits::MAX_COORDINATE;
pub use crate::formats::limits::{MAX_FILE, MAX_PIXELS, MAX_TABLE, MAX_TRIANGLES, MAX_VERTICES};
use crate::formats::mesh::is_point;
use crate::formats::numbers::finite;
use crate::formats::points::Points;
pub use crate::formats::warnings::{APPLY, COUNT_AS_ZERO};
pub use crate::formats::{AssetError, Cause, Phase, Text, Work, sentence};
use crate::formats::{ContentKind, extension, reader_of};
use crate::graph::{Domain, ImageFit, MeshPoints};
use crate::printable;
pub use envelope::Timing;
pub use frames::{Frames, MAX_FRAMES, files_of};
pub use particles::{Column, Number, Shared};
use stagewright_graphs::FILES;

/// Limit of numbers that are computed, one a cell for distances and four for colours: they take 4 GiB.
pub const MAX_NUMBERS: u64 = 1 << 30;
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
                        let coverage = coverage::coverage(&pixels);
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
            (Content::Track(points), Wanted::Track(timing)) => {
                Ok(AssetGrid { values: timing.frames(&points)?, warnings: Vec::new(), frames: None })
            }
            (Content::Track(_), _) => Err(Cause::NoShape),
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
    fn particles(&self, work: &Work) -> Result<Points, Cause> {
        match self.read(work)? {
            Content::Points(points) => Ok(points),
            Content::Mesh(mesh) => points::read(&mesh, self.points, work),
            _ => Err(Cause::NoPoints),
        }
    }

    fn error(&self, cause: Cause) -> AssetError {
        AssetError { file: self.path.clone(), cause }
    }

    fn read(&self, work: &Work) -> Result<Content, Cause> {
        if let Placement::Fit { center, size } = self.placement {
            check_placement(center, size)?;
        }
        let reader = reader_of(&self.path).ok_or_else(|| Cause::Ending(extension(&self.path)))?;
        let particles = matches!(self.wanted, Wanted::Particles(_));
        let points = particles.then_some(ContentKind::Points).filter(|kind| reader.becomes.contains(kind));
        let kind = points.or(reader.usual_kind()).ok_or(Cause::NoPoints)?;
        match (kind, self.domain.dim, self.wanted) {
            (ContentKind::Points, _, Wanted::Particles(_)) | (ContentKind::Track, _, Wanted::Track(_)) => {}
            (ContentKind::Track, ..) => return Err(Cause::NoShape),
            (_, _, Wanted::Track(_)) => return Err(Cause::NoEnvelope),
            (ContentKind::Points, ..) | (_, _, Wanted::Particles(_)) => return Err(Cause::NoPoints),
            (ContentKind::Grid | ContentKind::Image, _, Wanted::Velocity { .. }) => {
                return Err(Cause::Unfit(
                    "only a mesh has a velocity".into(),
                    "choose a mesh, or disconnect `velocity`",
                ));
            }
            (ContentKind::Grid, _, Wanted::Image { .. }) => return Err(Cause::NoImage),
            (ContentKind::Shape | ContentKind::Image, _, Wanted::Numbers { .. }) => return Err(Cause::NoNumbers),
            (ContentKind::Shape, _, Wanted::Image { .. }) => return Err(Cause::NoColors),
            (ContentKind::Shape, 2, _) => return Err(Cause::MeshIn2d),
            (ContentKind::Image, 3, _) => return Err(Cause::ImageIn3d),
            _ if self.layer.is_some() && !reader.has_layers => return Err(Cause::NoLayers),
            _ => {}
        }
        if !particles && self.domain.cells().saturating_mul(self.wanted.components()) > MAX_NUMBERS {
            return Err(Cause::Cells);
        }
        let bytes = match self.built_in {
            Some(bytes) => bytes.to_vec(),
            None => read(&self.path, reader.limit, work)?,
        };
        work.begin(Phase::Decoding, 0)?;
        let (fps, loudness) = match self.wanted {
            Wanted::Track(timing) => (timing.fps, timing.loudness),
            _ => Default::default(),
        };
        let reader = reader.by_content(&bytes);
        (reader.read)(Source {
            bytes,
            folder: self.path.parent().unwrap_or(Path::new("")),
            access: &self.access,
            kind,
            // That of particles is an attribute.
            layer: if particles { self.set.as_deref() } else { self.layer.as_deref() },
            dim: self.domain.dim as usize,
            fps,
            loudness,
            work,
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
    let Some(companions) = reader_of(path).and_then(|reader| reader.companions) else { return Vec::new() };
    let bytes = read(path, MAX_FILE, &Work::default()).unwrap_or_default();
    companions(&bytes, path.parent().unwrap_or(Path::new("")), access)
}

/// A domain for what needs none.
fn no_domain() -> Domain {
    let (dim, resolution, edge) = (3, [1; 3], Default::default());
    Domain { name: String::new(), dim, resolution, cell_size: 1.0, edge, finer: None, sliced: None }
}

fn check_placement(center: [f64; 3], size: f64) -> Result<(), Cause> {
    if !(0.0..=MAX_COORDINATE).contains(&size) {
        return Err(Cause::Size(size));
    }
    if is_point(DVec3::from(center)) { Ok(()) } else { Err(Cause::Center) }
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
