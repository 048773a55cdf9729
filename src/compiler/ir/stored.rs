//! What is stored, without where: the type of a value, its size and its precision.

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use crate::arena::Arena;
use crate::graph::{COUNT_NUMBERS, Domain, DomainId};
use crate::stage::types::{Precision, WireType};

/// Type, size and precision of a value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Type of the wire.
    pub ty: WireType,
    /// The domain of a grid; `None` for numbers and particles.
    pub domain: Option<DomainId>,
    /// Number of dimensions of a `Vec`.
    pub dim: u32,
    /// Capacity of the particle set, for an attribute.
    pub capacity: u32,
    /// Domain of the particle set, for an attribute.
    pub space: Option<DomainId>,
    /// How the numbers are stored.
    pub precision: Precision,
    /// Fraction bits of sums that are still in fixed point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<u32>,
    /// Whether an attribute's vectors of three take three words instead of four (pass `dense_vectors`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dense: bool,
    /// Whether a grid's vectors of three take four words instead of three (pass `dense_vectors`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gathered: bool,
}

impl Stored {
    /// A value without a domain and without a particle set.
    pub fn number(ty: WireType) -> Stored {
        Stored {
            ty,
            domain: None,
            dim: 2,
            capacity: 0,
            space: None,
            precision: Precision::F32,
            fixed: None,
            dense: false,
            gathered: false,
        }
    }

    /// The memory layout of its elements.
    pub fn layout(&self) -> Layout {
        let layout = Layout::new(self.ty, self.dim, self.precision);
        Layout { fixed: self.fixed, padded: layout.padded && !self.dense || self.gathered, ..layout }
    }

    /// The layout in files and in host memory, whichever one a plan has chosen: vectors of three of particles are padded, as in every earlier version.
    pub fn portable_layout(&self) -> Layout {
        Stored { dense: false, gathered: false, ..*self }.layout()
    }

    /// Elements in memory: cells or faces, places of a particle set, or one number.
    pub fn elements(&self, domains: &Arena<Domain>) -> u64 {
        let domain = self.domain.and_then(|domain| domains.get(domain));
        domain.map_or(u64::from(self.capacity.max(1)), |domain| domain.elements(self.ty))
    }

    /// How the wire's memory is kept on disk: type, size and precision as text, and the words of 32 bits. `part` is
    /// empty for a whole wire, `count`, or the name of an attribute.
    pub(crate) fn on_disk(&self, domains: &Arena<Domain>, part: &str) -> (String, u64) {
        if part == "count" {
            return ("count".into(), COUNT_NUMBERS as u64);
        }
        let domain = self.domain.and_then(|domain| domains.get(domain));
        let elements = self.elements(domains);
        let size = match domain.map(|domain| domain.resolution) {
            Some([x, y, z]) => format!(" of {x} x {y} x {z} cells"),
            None if self.capacity > 0 => format!(" of {} particles", self.capacity),
            None => String::new(),
        };
        let half = if self.precision == Precision::F32 { "" } else { " in f16" };
        (format!("{} in {}D{size}{half}", self.ty, self.dim), self.portable_layout().words(elements))
    }

    /// Words of 32 bits of so many elements.
    pub fn words(&self, elements: u64) -> u64 {
        self.layout().words(elements)
    }
}
