//! The outline of an image: where its coverage, interpolated between pixel centres, is one half. Marching squares
//! (Lorensen & Cline 1987 in 2D), with the asymptotic decider (Nielson & Hamann 1991) for squares with inside corners
//! on one diagonal.

use glam::{DVec2, DVec3};

use super::coverage::Coverage;
use super::grid::AssetGrid;
use super::placement::{Placement, place_warnings};
use super::tree::{Tree, bounds};
use super::{Cause, MAX_TRIANGLES, Phase, Work, fill};
use crate::graph::Domain;

const HALF: f64 = 0.5;

/// # Errors
/// An image without inside, an outline with too many segments, no memory for the cells; cancelling.
pub(super) fn distances(
    coverage: Coverage,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<AssetGrid, Cause> {
    work.begin(Phase::Preparing, 0)?;
    let placed = PlacedCoverage::new(coverage, placement, domain);
    let mut pieces = Vec::new();
    for y in 0..placed.coverage.height - 1 {
        for x in 0..placed.coverage.width - 1 {
            pieces.extend(placed.square(x, y).pieces().into_iter().flatten().map(|[a, b]| {
                let (a, b) = (placed.place(x, y, a), placed.place(x, y, b));
                [a, b, b]
            }));
        }
        work.go_on(0)?;
        if pieces.len() > MAX_TRIANGLES {
            return Err(Cause::TooMany("outline segments"));
        }
    }
    if pieces.is_empty() {
        return Err(Cause::NothingInside);
    }
    let (min, max) = bounds(pieces.iter().flatten().copied());
    let tree = Tree::new(pieces, work)?;
    let values = fill::fill(domain, &tree, true, &|p| placed.is_inside(p), work)?;
    let mut warnings = Vec::from_iter(place_warnings(domain, min, max, &values));
    if placed.is_full() {
        warnings.push("the whole image is inside; paint the shape white on black, or opaque on transparent".into());
    }
    Ok(AssetGrid { values, warnings, frames: None })
}

/// Coverage and its placement in the domain.
struct PlacedCoverage {
    coverage: Coverage,
    /// Position of the first pixel centre, which belongs to the border \[m\].
    origin: DVec2,
    /// Edge of a pixel \[m\].
    pixel: f64,
}

impl PlacedCoverage {
    fn new(coverage: Coverage, placement: &Placement, domain: &Domain) -> PlacedCoverage {
        // Without the border.
        let extent = DVec2::new(coverage.width as f64, coverage.height as f64) - 2.0;
        let (pixel, corner) = match *placement {
            Placement::Fit { center: [x, y, _], size } => {
                let pixel = if size > 0.0 { size / extent.x } else { domain.cell_size };
                (pixel, DVec2::new(x, y) - extent * pixel / 2.0)
            }
            Placement::InPlace => (domain.cell_size, DVec2::ZERO),
        };
        PlacedCoverage { coverage, origin: corner - pixel / 2.0, pixel }
    }

    /// A point in the square above and to the right of pixel centre (x, y), in the domain's coordinates.
    fn place(&self, x: usize, y: usize, in_square: DVec2) -> DVec3 {
        (self.origin + (DVec2::new(x as f64, y as f64) + in_square) * self.pixel).extend(0.0)
    }

    fn value(&self, x: usize, y: usize) -> f64 {
        self.coverage.values.get(y * self.coverage.width + x).copied().unwrap_or(0.0).into()
    }

    fn square(&self, x: usize, y: usize) -> Square {
        Square([self.value(x, y), self.value(x + 1, y), self.value(x + 1, y + 1), self.value(x, y + 1)])
    }

    fn is_inside(&self, p: DVec3) -> bool {
        let at = (p.truncate() - self.origin) / self.pixel;
        let last = DVec2::new(self.coverage.width as f64, self.coverage.height as f64) - 1.0;
        if !(at.cmpge(DVec2::ZERO) & at.cmplt(last)).all() {
            return false;
        }
        let square = at.floor();
        self.square(square.x as usize, square.y as usize).is_inside(at - square)
    }

    fn is_full(&self) -> bool {
        let inside = self.coverage.values.iter().filter(|v| f64::from(**v) > HALF).count();
        inside == (self.coverage.width - 2) * (self.coverage.height - 2)
    }
}

/// The values at four pixel centres, counter-clockwise from (0, 0).
struct Square([f64; 4]);

const CORNERS: [DVec2; 4] = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];

impl Square {
    /// The outline inside the square: up to two straight segments with the inside on their left.
    fn pieces(&self) -> [Option<[DVec2; 2]>; 2] {
        // The crossings into and out of the inside along the square's boundary.
        let cross = |from: usize, to: usize| {
            let (v, w) = (self.0[from], self.0[to]);
            ((v > HALF) != (w > HALF)).then(|| CORNERS[from].lerp(CORNERS[to], (HALF - v) / (w - v)))
        };
        let sides = [cross(0, 1), cross(1, 2), cross(2, 3), cross(3, 0)];
        let first_inside = self.0[0] > HALF;
        if let [Some(s0), Some(s1), Some(s2), Some(s3)] = sides {
            // Where the first and the third corner are inside, the boundary leaves the inside on sides 0 and 2,
            // otherwise on 1 and 3.
            return match (first_inside, self.is_joined()) {
                (true, true) => [Some([s0, s1]), Some([s2, s3])],
                (true, false) => [Some([s0, s3]), Some([s2, s1])],
                (false, true) => [Some([s1, s2]), Some([s3, s0])],
                (false, false) => [Some([s1, s0]), Some([s3, s2])],
            };
        }
        let mut crossings = sides.into_iter().flatten();
        let (Some(first), Some(second)) = (crossings.next(), crossings.next()) else { return [None, None] };
        // Starting at (0, 0), the first crossing leaves the inside if that corner is inside.
        [Some(if first_inside { [first, second] } else { [second, first] }), None]
    }

    /// Whether, for two inside corners on a diagonal, the inside is connected between the outside ones.
    fn is_joined(&self) -> bool {
        let [a, b, c, d] = self.0;
        // The value of the bilinear function at its saddle point.
        (a * c - b * d) / (a + c - b - d) > HALF
    }

    fn is_inside(&self, p: DVec2) -> bool {
        let is_left = |[from, to]: [DVec2; 2]| (to - from).perp_dot(p - from) > 0.0;
        match self.pieces() {
            [Some(s), Some(t)] if self.is_joined() => is_left(s) && is_left(t),
            [Some(s), Some(t)] => is_left(s) || is_left(t),
            [Some(s), None] => is_left(s),
            _ => self.0[0] > HALF,
        }
    }
}
