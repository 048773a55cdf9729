//! Domains: their cells, and those that stages request of finer ones.

use serde::{Deserialize, Serialize};

use crate::arena::Id;
use crate::stage::edges::Edges;
use crate::stage::types::WireType;

/// The id of a domain.
pub type DomainId = Id<Domain>;

/// A box in space, cut into cubic cells, or into slices of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Path of the domain node.
    pub name: String,
    /// Number of dimensions, 2 or 3.
    pub dim: u32,
    /// Cells along x, y, z; z is 1 in 2D.
    pub resolution: [u32; 3],
    /// Cell size \[m\]; the size along y where cells are cut into slices.
    pub cell_size: f64,
    /// What is read beyond the box.
    pub edge: Edges,
    /// The finer domain, where a stage requested this one by `half`.
    pub finer: Option<Finer>,
    /// The domain whose cells are cut, where a stage requested this one by `slices`.
    pub sliced: Option<Sliced>,
}

/// How the cells of a domain were cut into slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sliced {
    /// The domain whose cells are cut.
    pub domain: DomainId,
    /// Slices of a cell, side by side along x.
    pub into: u32,
}

/// The finer version of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finer {
    /// The domain whose cells are half as wide.
    pub domain: DomainId,
    /// Cells along x, y, z of the finest domain.
    pub finest: [u32; 3],
    /// The width of a cell in cells of the finest domain.
    pub widening: u32,
}

impl Domain {
    /// Whether a periodic axis has an odd number of cells, so that two cells of one colour of a checkerboard meet.
    pub fn wraps_oddly(&self, edges: Edges) -> bool {
        self.resolution.iter().take(self.dim as usize).enumerate().any(|(axis, n)| edges.wraps(axis) && n % 2 == 1)
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.resolution.iter().map(|n| u64::from(*n)).product()
    }

    /// Slices of a cell along x; 1 where cells are not cut.
    pub fn slices(&self) -> u32 {
        self.sliced.map_or(1, |sliced| sliced.into)
    }

    /// Lengths of a cell's edges along x, y, z \[m\].
    pub fn edges(&self) -> [f64; 3] {
        [self.cell_size / f64::from(self.slices()), self.cell_size, self.cell_size]
    }

    /// Size of the box along x, y, z \[m\].
    pub fn size(&self) -> [f64; 3] {
        let ([nx, ny, nz], [x, y, z]) = (self.resolution.map(f64::from), self.edges());
        [nx * x, ny * y, nz * z]
    }

    /// Whether a stage requested it, rather than a Domain node.
    pub fn derived(&self) -> bool {
        self.finer.is_some() || self.sliced.is_some()
    }

    /// Elements of a wire on this domain: its cells, with one more layer along each axis where faces are stored.
    pub fn elements(&self, ty: WireType) -> u64 {
        match ty {
            WireType::Grid(_) => self.cells(),
            WireType::FaceGrid => self.face_resolution().iter().map(|n| u64::from(*n)).product(),
            _ => 1,
        }
    }

    /// Resolution with the additional layer for upper faces.
    pub fn face_resolution(&self) -> [u32; 3] {
        let [x, y, z] = self.resolution;
        [x.saturating_add(1), y.saturating_add(1), if self.dim == 3 { z.saturating_add(1) } else { z }]
    }
}
