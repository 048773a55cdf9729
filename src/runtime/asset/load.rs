//! Reads a file and computes what a request wants of it.

use std::path::Path;

use super::frames::Frames;
use super::grid::AssetGrid;
use super::placement::{Placement, check_placement};
use super::request::{Neighbor, Request, Wanted};
use super::{AssetError, Cause, Phase, Work, colors, contour, coverage, motion, particles, points, surface, volume};
use crate::formats::bytes::read;
use crate::formats::content::{Content, Source};
use crate::formats::points::Points;
use crate::formats::{ContentKind, extension, reader_of};
use crate::graph::ImageFit;
use crate::printable;

/// Limit of numbers that are computed, one a cell for distances and four for colours: they take 4 GiB.
pub const MAX_NUMBERS: u64 = 1 << 30;

impl Request {
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
        let current = mesh(self)?;
        let Some(Neighbor { path, later }) = &self.neighbor else {
            let count = usize::try_from(3 * self.domain.cells()).map_err(|_| Cause::Cells)?;
            return Ok(AssetGrid { values: vec![0.0; count], warnings: current.warnings, frames: None });
        };
        let neighbor_mesh = mesh(&Request { path: path.clone(), neighbor: None, ..self.clone() })?;
        let rate = if *later { -fps } else { fps };
        motion::velocities(&current, &neighbor_mesh, rate, &self.placement, &self.domain, work)
    }

    /// All particles of the file.
    fn particles(&self, work: &Work) -> Result<Points, Cause> {
        match self.read(work)? {
            Content::Points(points) => Ok(points),
            Content::Mesh(mesh) => points::read(&mesh, self.points, work),
            _ => Err(Cause::NoPoints),
        }
    }

    /// An error with the path of the requested file.
    pub(super) fn error(&self, cause: Cause) -> AssetError {
        AssetError { file: self.path.clone(), cause }
    }

    /// Reads and decodes the requested file.
    pub(super) fn read(&self, work: &Work) -> Result<Content, Cause> {
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

impl Frames {
    /// Reads the file with a number.
    ///
    /// # Errors
    /// As [`Request::load`].
    pub fn load(&self, number: u64) -> Result<AssetGrid, AssetError> {
        self.request(number)?.load(&Work::default())
    }
}
