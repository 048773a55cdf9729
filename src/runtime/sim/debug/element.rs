//! Cells and particles: where they are in memory, and what their words mean.

use std::ops::Range;

use crate::graph::DomainId;
use crate::plan::{Plan, Wire};
use crate::stage::types::{Scalar, WireType};

/// A cell of a domain, or a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementPlace {
    /// A cell, along x, y, z.
    Cell(DomainId, [u32; 3]),
    /// A particle of the sets with this capacity in this domain, by its index.
    Particle {
        /// Capacity of its set.
        capacity: u32,
        /// Domain of its set.
        space: Option<DomainId>,
        /// Index of the particle in its set.
        index: u32,
    },
    /// A single number.
    Number,
}

/// An element of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Place of the element.
    pub place: ElementPlace,
    /// Index of the element in memory.
    pub index: u64,
}

impl Element {
    /// The element of a wire at an index.
    pub(super) fn from_index(plan: &Plan, wire: &Wire, index: u64) -> Element {
        Element { place: ElementPlace::from_index(plan, wire, index), index }
    }
}

impl ElementPlace {
    /// Where an element of a wire is.
    pub fn from_index(plan: &Plan, wire: &Wire, index: u64) -> ElementPlace {
        let domain = wire.domain.and_then(|id| Some((id, plan.domains.get(id)?)));
        match (wire.ty, domain) {
            (WireType::Grid(_) | WireType::FaceGrid, Some((id, domain))) => {
                let size = if wire.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution };
                let [x, y, _] = size.map(|n| u64::from(n.max(1)));
                ElementPlace::Cell(id, [index % x, index / x % y, index / (x * y)].map(|at| at as u32))
            }
            (WireType::Attribute(_), _) => {
                ElementPlace::Particle { capacity: wire.capacity, space: wire.space, index: index as u32 }
            }
            _ => ElementPlace::Number,
        }
    }

    /// The index of the element of a wire that is here; `None` where the wire has none here.
    pub fn index(&self, plan: &Plan, wire: &Wire) -> Option<u64> {
        match (self, wire.ty) {
            (ElementPlace::Cell(id, [x, y, z]), WireType::Grid(_) | WireType::FaceGrid) if wire.domain == Some(*id) => {
                let domain = plan.domains.get(*id)?;
                let size = if wire.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution };
                let inside = *x < size[0] && *y < size[1] && *z < size[2];
                let [nx, ny, _] = size.map(u64::from);
                inside.then(|| u64::from(*x) + nx * (u64::from(*y) + ny * u64::from(*z)))
            }
            (ElementPlace::Particle { capacity, space, index }, WireType::Attribute(_)) => {
                (wire.capacity == *capacity && wire.space == *space && index < capacity).then_some(u64::from(*index))
            }
            // Numbers are the same everywhere.
            (_, WireType::Number(_)) if wire.capacity == 0 => Some(0),
            _ => None,
        }
    }

    /// The middle of the cell \[m\].
    pub fn center(&self, plan: &Plan) -> Option<Vec<f64>> {
        let ElementPlace::Cell(id, cell) = self else { return None };
        let domain = plan.domains.get(*id)?;
        let along = |axis: usize| (f64::from(cell[axis]) + 0.5) * domain.edges()[axis];
        Some((0..domain.dim as usize).map(along).collect())
    }

    /// The place in words: `cell (3, 4) of box`, `particle 17`.
    pub fn describe(&self, plan: &Plan) -> String {
        match self {
            ElementPlace::Cell(id, cell) => {
                let (dim, name) = plan.domains.get(*id).map_or((3, ""), |domain| (domain.dim, domain.name.as_str()));
                let parts: Vec<String> = cell.iter().take(dim as usize).map(u32::to_string).collect();
                format!("cell ({}) of {name}", parts.join(", "))
            }
            ElementPlace::Particle { index, .. } => format!("particle {index}"),
            ElementPlace::Number => "the number".into(),
        }
    }
}

/// The words of memory that hold an element, one of so many; of arrays also what lies between its numbers.
pub(crate) fn words(wire: &Wire, index: u64, elements: u64) -> Range<u64> {
    let layout = wire.layout();
    let first = layout.place(index, 0, elements);
    let end = layout.place(index, layout.components() - 1, elements) + 1;
    if layout.is_half() { first / 2..end.div_ceil(2) } else { first..end }
}

/// The components of an element from its words.
pub(crate) fn decode(wire: &Wire, index: u64, words: &[u32]) -> Vec<f64> {
    let layout = wire.layout();
    // Between the first and the last plane lie so many words.
    let planes = u64::from(layout.numbers() / layout.adjacent());
    let elements = (words.len() as u64).saturating_sub(1) / (planes - 1).max(1);
    let numbers = if layout.is_half() { 2 } else { 1 };
    // Cells of single halves share a word.
    let first = layout.place(index, 0, elements) / numbers * numbers;
    let bits = |component: u32| {
        let at = layout.place(index, component, elements) - first;
        let word = *words.get((at / numbers) as usize)?;
        let half = half::f16::from_bits((word >> (16 * (at % numbers))) as u16);
        Some(if layout.is_half() { half.to_f32().to_bits() } else { word })
    };
    let number = |bits: u32| match wire.ty.value().scalar() {
        Scalar::F32 => f64::from(f32::from_bits(bits)),
        Scalar::I32 => f64::from(bits as i32),
        Scalar::U32 => f64::from(bits),
    };
    (0..layout.components()).filter_map(bits).map(number).collect()
}
