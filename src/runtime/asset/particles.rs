//! Particles from files: typed columns, and the attribute of a State that some of them are.
//!
//! `position` is `x y z`; a vector `NAME` is `NAME_x NAME_y ..`, a number `NAME`. Velocities may be called `vx`, normals `nx`,
//! colours `red`, and places on a texture `u v`.

use glam::DVec3;

use super::grid::AssetGrid;
use super::placement::{Placement, place};
use super::request::{Column, Number};
use super::{Cause, Phase, Work};
use crate::formats::limits::MAX_HELD;
use crate::formats::mesh::is_point;
use crate::formats::points::{Points, Property};
use crate::formats::warnings::not_finite;
use crate::graph::{Domain, count_words};

/// An attribute of the points, or their number where `name` is `None`.
///
/// # Errors
/// More points than there is room for, points without a place or with an invalid one; cancelling.
pub(super) fn values(
    points: &Points,
    name: Option<&str>,
    column: Column,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<AssetGrid, Cause> {
    if points.count as u64 > u64::from(column.capacity) {
        return Err(Cause::Capacity(points.count as u64, column.capacity));
    }
    let count = points.count as u32;
    let Some(name) = name else {
        let words = count_words(count, count);
        // The count of a set is read with all of its attributes: a warning is given once.
        let warnings = points.warnings.clone();
        return Ok(AssetGrid { values: words.map(f32::from_bits).to_vec(), warnings, frames: None });
    };
    if u64::from(count) * u64::from(column.stride) > MAX_HELD {
        return Err(Cause::Held);
    }
    work.begin(Phase::Decoding, 0)?;
    let places = places(&points.properties, name, column.components as usize);
    let mut numbers = numbers(points, &places, work)?;
    if name == "position" {
        if places.iter().take(2).any(Option::is_none) {
            return Err(points.kind.malformed("its points have no x and y"));
        }
        arrange(&mut numbers, column.components as usize, placement, domain)?;
    } else if name == "id" && places.iter().all(Option::is_none) {
        // Those that the file does not number.
        numbers.iter_mut().zip(0u32..).for_each(|(id, index)| *id = index.into());
    }
    let mut strange = 0usize;
    let mut values = Vec::with_capacity(points.count * column.stride as usize);
    for particle in numbers.chunks_exact((column.components as usize).max(1)) {
        for number in particle {
            // Numbers of 64 bits may be beyond those of 32.
            let usable = (*number as f32).is_finite();
            strange += usize::from(!usable);
            let number = if usable { *number } else { 0.0 };
            values.push(match column.kind {
                Number::Float => number as f32,
                Number::Signed => f32::from_bits(number as i32 as u32),
                Number::Unsigned => f32::from_bits(number as u32),
            });
        }
        values.extend((column.components..column.stride).map(|_| 0.0));
    }
    let note = not_finite(strange, "its numbers");
    Ok(AssetGrid { values, warnings: note.into_iter().collect(), frames: None })
}

/// The numbers of these columns, point by point; zero where there is no column.
fn numbers(points: &Points, places: &[Option<usize>], work: &Work) -> Result<Vec<f64>, Cause> {
    let columns: Vec<_> = places
        .iter()
        .map(|place| {
            let property = points.properties.get((*place)?)?;
            Some((points.blocks.get(property.block)?.get(property.offset..)?, property))
        })
        .collect();
    let mut numbers = Vec::with_capacity(points.count * places.len());
    for index in 0..points.count {
        let value = |(bytes, property): &(&[u8], &Property)| {
            let Property { ty, scale, stride, little, .. } = *property;
            ty.read(bytes.get(index * stride..).unwrap_or_default(), *little) * scale
        };
        numbers.extend(columns.iter().map(|column| column.as_ref().map_or(0.0, value)));
        if index % 65_536 == 0 {
            work.go_on(0)?;
        }
    }
    Ok(numbers)
}

/// Columns of an attribute's components; `None` for those that the file does not have.
fn places(properties: &[Property], name: &str, components: usize) -> Vec<Option<usize>> {
    let find = |wanted: &str| properties.iter().position(|property| property.name == wanted);
    let letters = ["x", "y", "z", "w"];
    let other: [&str; 4] = match name {
        "position" => letters,
        "velocity" => ["vx", "vy", "vz", ""],
        "normal" => ["nx", "ny", "nz", ""],
        "color" => ["red", "green", "blue", "alpha"],
        "uv" => ["u", "v", "", ""],
        _ => [""; 4],
    };
    let component = |(letter, other): (&str, &str)| {
        let column = if components == 1 { find(name) } else { None };
        column.or_else(|| find(&format!("{name}_{letter}"))).or_else(|| find(other))
    };
    // Of more numbers than letters.
    if components > letters.len() {
        return (0..components).map(|k| find(&format!("{name}_{k}"))).collect();
    }
    letters.into_iter().zip(other).take(components).map(component).collect()
}

/// Moves positions to their place, in a domain of two or three dimensions.
fn arrange(positions: &mut [f64], components: usize, placement: &Placement, domain: &Domain) -> Result<(), Cause> {
    let point = |p: &[f64]| {
        let at = |axis: usize| if axis < domain.dim as usize { p.get(axis).copied().unwrap_or(0.0) } else { 0.0 };
        DVec3::new(at(0), at(1), at(2))
    };
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for position in positions.chunks_exact(components.max(1)).map(point) {
        if !is_point(position) {
            return Err(Cause::Vertex(position.to_array()));
        }
        (min, max) = (min.min(position), max.max(position));
    }
    if positions.is_empty() || *placement == Placement::InPlace {
        return Ok(());
    }
    let transform = place(placement, min, max)?;
    for position in positions.chunks_exact_mut(components.max(1)) {
        let moved = transform.transform_point3(point(position)).to_array();
        position.iter_mut().zip(moved).for_each(|(to, from)| *to = from);
    }
    Ok(())
}
