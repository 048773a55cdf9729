//! Norms of the difference of two sides with the same elements, in f64.

use std::fmt;

use serde::Serialize;

use super::super::host_copy::HostCopy;
use super::length;
use crate::stage::types::WireType;

/// Where something is, and the values of both sides there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedElement {
    /// Index of the element, x fastest.
    pub index: u64,
    /// The cell along x, y, z, or the cell whose lower face it is; `None` for particles and numbers.
    pub cell: Option<[u32; 3]>,
    /// Dimensions of the domain.
    #[serde(skip)]
    pub dim: u32,
    /// The axis across which a face lies.
    pub axis: Option<u32>,
    /// Components of A there.
    pub a: Vec<f64>,
    /// Components of B there.
    pub b: Vec<f64>,
}

impl fmt::Display for ComparedElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = |cell: [u32; 3]| {
            let parts: Vec<String> = cell.iter().take(self.dim.max(1) as usize).map(u32::to_string).collect();
            parts.join(", ")
        };
        match (self.cell, self.axis) {
            (Some(cell), Some(axis)) => {
                let axis = ["x", "y", "z"].get(axis as usize).copied().unwrap_or_default();
                write!(f, "the lower {axis} face of cell ({})", parts(cell))
            }
            (Some(cell), None) => write!(f, "cell ({})", parts(cell)),
            (None, _) => write!(f, "particle {}", self.index),
        }
    }
}

/// Elements with components that are NaN or infinite. They are in no norm.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NotFinite {
    /// Number of elements where only A has such components.
    pub only_a: u64,
    /// Number of elements where only B has.
    pub only_b: u64,
    /// Number of elements where both have.
    pub both: u64,
    /// The first element where only one side has.
    pub first: Option<ComparedElement>,
}

/// Norms of A - B over the elements that are finite on both sides. An element of several components counts by the length of its
/// difference; faces count one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Elements in the norms: cells, faces, particles, one for a number.
    pub count: u64,
    /// Number of these where A and B differ at all.
    pub differing: u64,
    /// The greatest |A - B|.
    pub max: f64,
    /// Place of the greatest |A - B|, first in memory; `None` where nothing differs.
    pub place: Option<ComparedElement>,
    /// The mean of |A - B|.
    pub l1: f64,
    /// The root mean square of A - B.
    pub l2: f64,
    /// The root mean square of A - B, divided by that of B; infinite where B is zero and A is not, 0 where nothing differs.
    pub relative: f64,
    /// The mean of A - B, of each component.
    pub mean: Vec<f64>,
    /// Elements that are left out.
    pub not_finite: NotFinite,
}

impl Statistics {
    /// Whether no element differs by more than this, and none is finite on one side only.
    pub fn within(&self, tolerance: f64) -> bool {
        self.max <= tolerance && self.not_finite.only_a + self.not_finite.only_b == 0
    }
}

/// The statistics of two sides.
pub(super) fn compare(a: &HostCopy, b: &HostCopy) -> Statistics {
    let faces = a.is_on_faces();
    let components = a.components();
    // Of faces and of several numbers in a cell, each is an element of its own.
    let apart = faces || a.ty().value().is_array();
    let elements = a.elements().min(b.elements());
    let (elements, parts) = if apart { (elements * components, 1) } else { (elements, components) };
    let parts_of = |side: &HostCopy, at: usize, part: usize| match apart {
        true => side.number(at / components, at % components),
        false => side.number(at, part),
    };
    let mut found = Statistics { mean: vec![0.0; components], ..Statistics::default() };
    let mut absolute = 0.0;
    let mut squares = 0.0;
    let mut reference = 0.0;
    let mut counts = vec![0u64; components];
    for at in (0..elements).filter(|at| !faces || is_face(a, *at)) {
        let finite = |side: &HostCopy| (0..parts).all(|part| parts_of(side, at, part).is_finite());
        match (finite(a), finite(b)) {
            (true, true) => {}
            (left, right) => {
                let not_finite = &mut found.not_finite;
                match (left, right) {
                    (false, true) => not_finite.only_a += 1,
                    (true, false) => not_finite.only_b += 1,
                    _ => not_finite.both += 1,
                }
                if left != right && not_finite.first.is_none() {
                    not_finite.first = Some(place(a, b, at));
                }
                continue;
            }
        }
        found.count += 1;
        let difference = |part: usize| parts_of(a, at, part) - parts_of(b, at, part);
        for part in 0..parts {
            let component = if apart { at % components } else { part };
            found.mean[component] += difference(part);
            counts[component] += 1;
            reference += parts_of(b, at, part).powi(2);
        }
        let long = if parts == 1 { difference(0).abs() } else { length((0..parts).map(difference)) };
        absolute += long;
        squares += long * long;
        found.differing += u64::from(long != 0.0);
        if long > found.max {
            found.max = long;
            found.place = Some(place(a, b, at));
        }
    }
    let count = found.count.max(1) as f64;
    found.mean.iter_mut().zip(counts).for_each(|(sum, count)| *sum /= count.max(1) as f64);
    found.l1 = absolute / count;
    found.l2 = (squares / count).sqrt();
    found.relative = if found.differing == 0 { 0.0 } else { (squares / reference).sqrt() };
    found
}

/// Whether a component of a grid of faces lies on a face: the layer that is stored beyond the box along the other axes has none.
fn is_face(side: &HostCopy, at: usize) -> bool {
    let Some(domain) = side.domain() else { return true };
    let (element, axis) = (at / side.components(), at % side.components());
    let cell = cell(side, element);
    (0..side.components()).all(|other| other == axis || cell[other] < domain.resolution[other])
}

fn cell(side: &HostCopy, element: usize) -> [u32; 3] {
    let [x, y, _] = side.resolution().map(|n| n.max(1) as usize);
    [element % x, element / x % y, element / (x * y)].map(|at| at as u32)
}

fn place(a: &HostCopy, b: &HostCopy, at: usize) -> ComparedElement {
    let faces = a.is_on_faces();
    let element = if faces { at / a.components() } else { at };
    let axis = faces.then(|| at % a.components());
    let values = |side: &HostCopy| axis.map_or_else(|| side.numbers(element), |axis| vec![side.number(element, axis)]);
    ComparedElement {
        index: element as u64,
        cell: matches!(a.ty(), WireType::Grid(_) | WireType::FaceGrid).then(|| cell(a, element)),
        dim: a.dim(),
        axis: axis.map(|axis| axis as u32),
        a: values(a),
        b: values(b),
    }
}
