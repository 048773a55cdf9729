//! Computes signed distances at all cell centres, rows in parallel.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope};

use glam::DVec3;

use super::tree::Tree;
use super::{Cause, Phase, Work};
use crate::graph::Domain;

/// Tolerance for rounding where a distance is compared with a cell.
const SLACK: f64 = 1.0 + 1e-9;

/// Fills a domain's cells. `closed`: `inside` can only change across the tree's triangles.
///
/// # Errors
/// No memory for the cells; cancelling.
pub(super) fn fill(
    domain: &Domain,
    tree: &Tree,
    closed: bool,
    inside: &(dyn Fn(DVec3) -> bool + Sync),
    work: &Work,
) -> Result<Vec<f32>, Cause> {
    let cell = domain.cell_size;
    rows(domain, 1, work, &|y, z, row| {
        let mut before: Option<(f64, bool)> = None;
        let mut near = 0;
        for (x, value) in row.iter_mut().enumerate() {
            let p = DVec3::new((x as f64 + 0.5) * cell, y, z);
            let distance;
            (distance, near) = tree.nearest(p, near);
            let is_inside = match before {
                // There is no surface between the last centre and this one.
                Some((d, was_inside)) if closed && d > cell * SLACK => was_inside,
                _ => inside(p),
            };
            *value = if is_inside { -distance } else { distance } as f32;
            before = Some((distance, is_inside));
        }
    })
}

/// Computes `components` numbers for each cell, rows in parallel. `row` gets y and z of the centres of a row, and its numbers.
///
/// # Errors
/// No memory for the cells; cancelling.
pub(super) fn rows(
    domain: &Domain,
    components: usize,
    work: &Work,
    row: &(dyn Fn(f64, f64, &mut [f32]) + Sync),
) -> Result<Vec<f32>, Cause> {
    let [width, height, _] = domain.resolution.map(|n| n as usize);
    let count = usize::try_from(domain.cells()).ok().and_then(|cells| cells.checked_mul(components));
    let count = count.ok_or(Cause::Cells)?;
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| Cause::Cells)?;
    values.resize(count, 0.0);
    if count == 0 {
        return Ok(values);
    }
    let center = |index: usize| (index as f64 + 0.5) * domain.cell_size;
    work.begin(Phase::Measuring, (count / width / components) as u64)?;
    let rows = Mutex::new(values.chunks_mut(width * components).enumerate());
    let next = || rows.lock().unwrap_or_else(PoisonError::into_inner).next();
    let measure = || {
        while let Some((index, cells)) = next().filter(|_| !work.stopped()) {
            // An image lies in the plane z = 0.
            row(center(index % height), if domain.dim == 3 { center(index / height) } else { 0.0 }, cells);
            // Cancelling is handled above.
            let _ = work.go_on(1);
        }
    };
    scope(|scope| {
        for _ in 1..available_parallelism().map_or(1, NonZero::get) {
            // If no thread can be started, this one does all the work.
            if Builder::new().spawn_scoped(scope, measure).is_err() {
                break;
            }
        }
        measure();
    });
    work.go_on(0)?;
    Ok(values)
}
