//! Brings two sides to the same elements, or says why that is not possible.

use std::sync::Arc;

use super::super::host_copy::HostCopy;
use crate::graph::Domain;
use crate::problem::Problem;
use crate::stage::types::{Scalar, ValueType, WireType};

/// Two sides with the same elements.
pub(super) struct Fitted {
    pub a: Arc<HostCopy>,
    pub b: Arc<HostCopy>,
    pub remarks: Vec<String>,
}

/// # Errors
/// Sides that do not fit.
pub(super) fn fit(a: &Arc<HostCopy>, b: &Arc<HostCopy>) -> Result<Fitted, Problem> {
    let refuse = |cause: String, remedy: &str| {
        let cause = format!("{} cannot be compared with {}: {cause}", a.subject, b.subject);
        Err(Problem::new("", a.subject.name(), cause, remedy))
    };
    let same_kind = "choose two wires of the same type";
    if kind(a) != kind(b) {
        return refuse(format!("the first has {}, the second {}", kind(a), kind(b)), same_kind);
    }
    if a.components() != b.components() {
        let cause = format!("the first has {} for each value, the second {}", components(a), b.components());
        return refuse(cause, same_kind);
    }
    if a.dim() != b.dim() {
        let cause = format!("the first has {} dimensions, the second {}", a.dim(), b.dim());
        return refuse(cause, "choose two wires of domains with as many dimensions");
    }
    let mut remarks = Vec::new();
    if let (Some(here), Some(there)) = (a.domain(), b.domain()) {
        remarks.extend(sizes(here, there));
    }
    if a.resolution() == b.resolution() {
        return Ok(Fitted { a: a.clone(), b: b.clone(), remarks });
    }
    let (Some(here), Some(there)) = (a.domain(), b.domain()) else {
        let (here, there) = (a.elements(), b.elements());
        remarks.push(format!("A has {here} particles and B has {there}: the first {} are compared", here.min(there)));
        return Ok(Fitted { a: a.clone(), b: b.clone(), remarks });
    };
    if a.is_on_faces() {
        let cause = format!("the first has {} cells, the second {}", size(here), size(there));
        return refuse(cause, "give both domains the same resolution, or compare wires with values at cell centres");
    }
    let sampled = |name: &str, finer: &Domain, other: &str, coarser: &Domain| {
        format!("{name} has {} cells and is sampled at the {} of {other}", size(finer), size(coarser))
    };
    match here.cells() > there.cells() {
        true => {
            remarks.push(sampled("A", here, "B", there));
            Ok(Fitted { a: Arc::new(sample(a, here, there)), b: b.clone(), remarks })
        }
        false => {
            remarks.push(sampled("B", there, "A", here));
            Ok(Fitted { a: a.clone(), b: Arc::new(sample(b, there, here)), remarks })
        }
    }
}

fn components(side: &HostCopy) -> String {
    match side.components() {
        1 => "1 component".into(),
        count => format!("{count} components"),
    }
}

/// What the elements of a side are.
fn kind(side: &HostCopy) -> &'static str {
    match side.ty() {
        WireType::Grid(_) => "cells",
        WireType::FaceGrid => "faces",
        WireType::Attribute(_) => "particles",
        _ => "a single number",
    }
}

fn size(domain: &Domain) -> String {
    let parts: Vec<String> = domain.resolution.iter().take(domain.dim as usize).map(u32::to_string).collect();
    parts.join(" x ")
}

/// A remark where boxes differ in size, other than by rounding.
fn sizes(a: &Domain, b: &Domain) -> Option<String> {
    let near = a.size().iter().zip(b.size()).take(a.dim as usize).all(|(a, b)| (a - b).abs() <= 1e-6 * a.max(b));
    let text = |domain: &Domain| {
        let parts: Vec<String> = domain.size().iter().take(domain.dim as usize).map(f64::to_string).collect();
        parts.join(" x ")
    };
    (!near).then(|| {
        format!("The domain of A is {} m and that of B {} m: both are compared from edge to edge", text(a), text(b))
    })
}

/// The values of a grid at the cell centres of another domain: linear between the nearest cells, the nearest cell at the edge; whole
/// numbers are those of the nearest cell.
fn sample(side: &HostCopy, from: &Domain, onto: &Domain) -> HostCopy {
    let whole = side.ty().value().scalar() != Scalar::F32;
    let places: [Vec<[(usize, f64); 2]>; 3] = std::array::from_fn(|axis| {
        let (fine, coarse) = (from.resolution[axis], onto.resolution[axis]);
        (0..coarse).map(|cell| around(cell, coarse, fine, whole)).collect()
    });
    let [nx, ny, _] = from.resolution.map(|n| n as usize);
    let [along_x, along_y, along_z] = &places;
    let mut words = Vec::with_capacity(onto.cells() as usize * side.components());
    for z in along_z {
        for y in along_y {
            for x in along_x {
                for component in 0..side.components() {
                    let mut sum = 0.0;
                    for (&(k, wz), &(j, wy), &(i, wx)) in
                        z.iter().flat_map(|z| y.iter().flat_map(move |y| x.iter().map(move |x| (z, y, x))))
                    {
                        // A weight of zero hides what is not finite.
                        let weight = wx * wy * wz;
                        if weight > 0.0 {
                            sum += weight * side.number((k * ny + j) * nx + i, component);
                        }
                    }
                    words.push(match side.ty().value().scalar() {
                        Scalar::F32 => (sum as f32).to_bits(),
                        Scalar::I32 => sum as i32 as u32,
                        Scalar::U32 => sum as u32,
                    });
                }
            }
        }
    }
    side.in_domain(Domain { finer: None, sliced: None, ..onto.clone() }, words)
}

/// The two cells of `fine` around the centre of one of `coarse`, with their weights.
fn around(cell: u32, coarse: u32, fine: u32, whole: bool) -> [(usize, f64); 2] {
    let last = fine.saturating_sub(1) as usize;
    let at = (f64::from(cell) + 0.5) / f64::from(coarse.max(1)) * f64::from(fine) - 0.5;
    if whole {
        return [((at.round().max(0.0) as usize).min(last), 1.0), (0, 0.0)];
    }
    let low = at.floor().max(0.0);
    let share = (at - low).clamp(0.0, 1.0);
    [((low as usize).min(last), 1.0 - share), ((low as usize + 1).min(last), share)]
}

/// Values on faces as vectors at the cell centres, each component the mean of the two faces across; anything else as it is.
pub(super) fn centered(side: Arc<HostCopy>) -> Arc<HostCopy> {
    let Some([nx, ny, nz]) = side.domain().filter(|_| side.is_on_faces()).map(|domain| domain.resolution) else {
        return side;
    };
    let [wide, high, _] = side.resolution().map(|n| n as usize);
    let dim = side.components();
    let (mut vectors, strides) = (Vec::new(), [1, wide, wide * high]);
    for (z, y) in (0..nz as usize).flat_map(|z| (0..ny as usize).map(move |y| (z, y))) {
        for x in 0..nx as usize {
            let lower = (z * high + y) * wide + x;
            let component = |axis: usize| 0.5 * (side.number(lower, axis) + side.number(lower + strides[axis], axis));
            vectors.extend((0..dim).map(component));
        }
    }
    Arc::new(side.with_values(ValueType::Vec, vectors.into_iter()))
}
