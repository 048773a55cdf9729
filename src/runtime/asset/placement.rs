//! The placement of a shape in a domain.

use glam::{DMat4, DVec3};

use super::Cause;
use crate::formats::limits::MAX_COORDINATE;
use crate::formats::mesh::is_point;
use crate::graph::Domain;

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

/// Checks the centre and the size of a [`Placement::Fit`].
pub(super) fn check_placement(center: [f64; 3], size: f64) -> Result<(), Cause> {
    if !(0.0..=MAX_COORDINATE).contains(&size) {
        return Err(Cause::Size(size));
    }
    if is_point(DVec3::from(center)) { Ok(()) } else { Err(Cause::Center) }
}

/// Takes a shape's bounding box to its place.
pub(super) fn place(placement: &Placement, min: DVec3, max: DVec3) -> Result<DMat4, Cause> {
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
pub(super) fn place_warnings(domain: &Domain, min: DVec3, max: DVec3, values: &[f32]) -> Option<String> {
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
