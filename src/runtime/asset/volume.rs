//! Numbers on a lattice of cells, from NumPy arrays and OpenVDB grids, on the cells of a domain.
//!
//! A cell gets the value at its centre, interpolated linearly between the file's cells. Where both lattices agree, it gets the
//! file's bits. Outside of the file's cells, values are 0, or the background
//! of an OpenVDB grid.

use super::grid::AssetGrid;
use super::placement::Placement;
use super::{Cause, Phase, Work};
use crate::formats::numbers::finite;
use crate::formats::volume::Volume;
use crate::formats::warnings::not_finite;
use crate::graph::{Domain, ImageFit};

/// Positions on a lattice that differ by less are equal \[cells\].
const SAME: f64 = 1e-6;

/// What a node wants of a file's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Value,
    Vector,
}

/// # Errors
/// Other numbers or axes than wanted, an array without coordinates of another size than the domain, no memory; cancelling.
pub(super) fn values(
    volume: &Volume,
    part: Part,
    fit: ImageFit,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<AssetGrid, Cause> {
    let dim = domain.dim as usize;
    let count = match part {
        Part::Value if volume.components > 1 => return Err(Cause::Numbers(volume.components, "connect its `vector`")),
        Part::Vector if volume.components == 1 => return Err(Cause::Numbers(1, "connect its `value`")),
        Part::Vector if volume.components < dim => return Err(Cause::Numbers(2, "export vectors of three")),
        Part::Value => 1,
        Part::Vector => dim,
    };
    if dim == 2 && volume.size[2] != 1 {
        return Err(Cause::Layers(volume.size[2]));
    }
    let axes = [0, 1, 2].map(|axis| along(volume, axis, fit, placement, domain));
    let cells = domain.resolution.map(|n| n as usize);
    let needed = volume.place.is_none() && fit != ImageFit::Stretch && *placement == Placement::InPlace;
    if needed && (0..dim).any(|axis| volume.size[axis] != cells[axis]) {
        let text = |sides: &[usize]| sides.iter().take(dim).map(usize::to_string).collect::<Vec<_>>().join(" x ");
        return Err(Cause::Resolution(text(&volume.size).into(), text(&cells).into()));
    }
    let mut values = Vec::new();
    values.try_reserve_exact(cells.iter().product::<usize>() * count).map_err(|_| Cause::Cells)?;
    work.begin(Phase::Measuring, cells[2] as u64)?;
    let (mut strange, mut seen) = (0usize, false);
    let [x_axis, y_axis, z_axis] = &axes;
    for z in z_axis {
        for y in y_axis {
            work.go_on(0)?;
            for x in x_axis {
                let inside = [x, y, z].iter().all(|place| place.is_some());
                seen |= inside;
                for component in 0..count {
                    let value = match (x, y, z) {
                        (Some(x), Some(y), Some(z)) => mean(volume, [x, y, z], component),
                        _ => volume.background.get(component).copied().unwrap_or_default(),
                    };
                    values.push(finite(value, &mut strange));
                }
            }
        }
        work.go_on(1)?;
    }
    let mut warnings = Vec::new();
    if !seen {
        warnings.push("its cells lie outside the domain; move its center".into());
    }
    warnings.extend(not_finite(strange, "its numbers"));
    Ok(AssetGrid { values, warnings, frames: None })
}

/// Two cells of a file along an axis, and the weight of the second.
type Pair = ([i64; 2], f64);

/// Where the cells of a domain are in the file, along an axis; `None` outside.
fn along(volume: &Volume, axis: usize, fit: ImageFit, placement: &Placement, domain: &Domain) -> Vec<Option<Pair>> {
    let (low, size) = (volume.low[axis] as f64, volume.size[axis] as f64);
    let cells = domain.resolution[axis];
    let edges = volume.place.map_or([domain.cell_size; 3], |(_, edges)| edges);
    let place = |cell: u32| {
        let center = (f64::from(cell) + 0.5) * domain.cell_size;
        match *placement {
            // Two dimensions show the only layer.
            _ if domain.dim == 2 && axis == 2 => low,
            Placement::Fit { center: middle, size: longest } => {
                let dim = domain.dim as usize;
                let longest_edge = (0..dim).map(|axis| volume.size[axis] as f64 * edges[axis]).fold(0.0, f64::max);
                let scale = if longest > 0.0 { longest / longest_edge } else { 1.0 };
                low - 0.5 + size / 2.0 + (center - middle[axis]) / (edges[axis] * scale)
            }
            Placement::InPlace if fit == ImageFit::Stretch => {
                low - 0.5 + (f64::from(cell) + 0.5) / f64::from(cells) * size
            }
            Placement::InPlace => match volume.place {
                Some((origin, edges)) => (center - origin[axis]) / edges[axis],
                None => low + f64::from(cell),
            },
        }
    };
    (0..cells).map(|cell| pair(place(cell), volume.low[axis], volume.size[axis])).collect()
}

fn pair(at: f64, low: i64, size: usize) -> Option<Pair> {
    let high = low + size as i64 - 1;
    let at = if (at - at.round()).abs() < SAME { at.round() } else { at };
    if !(at >= low as f64 - 0.5 - SAME && at <= high as f64 + 0.5 + SAME) {
        return None;
    }
    let at = at.clamp(low as f64, high as f64);
    let first = at.floor() as i64;
    Some(([first, (first + 1).min(high)], at - at.floor()))
}

fn mean(volume: &Volume, places: [&Pair; 3], component: usize) -> f32 {
    if places.iter().all(|(_, weight)| *weight == 0.0) {
        return (volume.cells)(places.map(|([first, _], _)| *first), component);
    }
    let mut sum = 0.0;
    for corner in 0..8usize {
        let (mut weight, mut cell) = (1.0, [0; 3]);
        for (axis, (cells, second)) in places.into_iter().enumerate() {
            let upper = corner >> axis & 1;
            cell[axis] = cells[upper];
            weight *= if upper == 1 { *second } else { 1.0 - second };
        }
        if weight > 0.0 {
            sum += weight * f64::from((volume.cells)(cell, component));
        }
    }
    sum as f32
}
