//! Sizes of what goes into one file, which are known before the first frame.

use super::error::JobError;
use super::frames::Frames;
use super::item::Item;
use super::sheet::MAX_SIDE;
use super::subject::{ExportSubject, Part, Source};
use crate::graph::Domain;
use crate::plan::Plan;

/// What a value is, before it is computed.
struct Shape<'a> {
    name: &'a str,
    /// Size of the image \[pixels\]; `None` for grids.
    image: Option<[u32; 2]>,
    domain: &'a Domain,
}

/// Whether the values of each file have sizes that it can hold.
///
/// # Errors
/// Sizes that differ, with those that do not.
pub(super) fn check(items: &[Item], plan: &Plan, frames: &Frames) -> Result<(), JobError> {
    for item in items {
        let ExportSubject::Values(parts) = &item.subject else { continue };
        // What the plan lacks is reported when it is read.
        let shapes: Vec<Shape<'_>> = parts.iter().filter_map(|part| shape(part, plan)).collect();
        match item.format.name {
            "exr" | "exr-half" => one_size(&shapes),
            "vtk" => one_grid(&shapes),
            "flipbook" => tiles(item, &shapes, frames),
            _ => Ok(()),
        }
        .map_err(JobError::Sheet)?;
    }
    Ok(())
}

fn shape<'a>(part: &'a Part, plan: &'a Plan) -> Option<Shape<'a>> {
    let (wire, size) = match &part.source {
        Source::Picture(wire, size) => (wire, Some(*size)),
        Source::Grid(wire) => (wire, None),
        Source::Particles(..) | Source::Number(_) => return None,
    };
    let domain = plan.domains.get(plan.wires.get(wire)?.domain?)?;
    let cells = [domain.resolution[0], domain.resolution[1]];
    let image = size.map(|size| size.map_or(cells, |(width, height)| [width, height]));
    Some(Shape { name: &part.name, image, domain })
}

impl Shape<'_> {
    fn cells(&self) -> [u32; 2] {
        [self.domain.resolution[0], self.domain.resolution[1]]
    }

    fn size(&self) -> [u32; 2] {
        self.image.unwrap_or(self.cells())
    }
}

fn text([width, height]: [u32; 2]) -> String {
    format!("{width} x {height}")
}

/// Layers of an image.
fn one_size(shapes: &[Shape<'_>]) -> Result<(), String> {
    let Some(first) = shapes.first() else { return Ok(()) };
    let Some(other) = shapes.iter().find(|shape| shape.size() != first.size()) else { return Ok(()) };
    // Images take any size, grids have their own.
    let mut grids = shapes.iter().filter(|shape| shape.image.is_none()).map(Shape::cells);
    let fits = grids.next().filter(|cells| grids.all(|grid| grid == *cells));
    let fits = fits.map_or_else(String::new, |[width, height]| format!("--size {width}x{height}, or "));
    Err(format!(
        "`{}` is {} and `{}` {}, and layers of one file have one size; use {fits}a space instead of + for files of their own",
        other.name,
        text(other.size()),
        first.name,
        text(first.size())
    ))
}

/// Grids of a file for ParaView.
fn one_grid(shapes: &[Shape<'_>]) -> Result<(), String> {
    let of = |shape: &Shape<'_>| (shape.domain.resolution, shape.domain.edges(), shape.domain.dim);
    let Some(first) = shapes.first() else { return Ok(()) };
    let Some(other) = shapes.iter().find(|shape| of(shape) != of(first)) else { return Ok(()) };
    Err(format!(
        "`{}` has other cells than `{}`, and a file has one grid; use a space instead of + for files of their own",
        other.name, first.name
    ))
}

/// Values of a flipbook, all of the shape of its tiles.
fn tiles(item: &Item, shapes: &[Shape<'_>], frames: &Frames) -> Result<(), String> {
    let Some(size) = shapes.first().map(Shape::size) else { return Ok(()) };
    let [width, height] = size;
    for shape in shapes {
        fits_tile(shape.name, shape.cells(), size)?;
        if shape.image.is_some_and(|image| image != size) {
            return Err(format!(
                "`{}` is {} and a tile {}: use --size {width}x{height}",
                shape.name,
                text(shape.size()),
                text(size)
            ));
        }
    }
    let (sheet, layout) = (item.settings.sheet, item.settings.sheet.layout(frames)?);
    let side = |side: u32, count: u32| u64::from(count) * (u64::from(side) + 2 * u64::from(sheet.padding));
    let (wide, high) = (side(width, layout.columns), side(height, layout.rows));
    match wide.max(high) > u64::from(MAX_SIDE) {
        true => Err(format!(
            "the sheet is {wide} x {high} texels, and engines take at most {MAX_SIDE} a side: use a smaller --size or fewer tiles"
        )),
        false => Ok(()),
    }
}

/// Whether a grid has the shape of a tile \[texels\].
///
/// # Errors
/// The size of tiles that has.
pub(super) fn fits_tile(name: &str, cells: [u32; 2], [width, height]: [u32; 2]) -> Result<(), String> {
    let [x, y] = cells.map(u64::from);
    let (w, h) = (u64::from(width), u64::from(height));
    // Half a texel is as near as whole sizes come.
    if (x * h).abs_diff(y * w) <= x.max(y) {
        return Ok(());
    }
    let remedy = match y * w / x.max(1) < h {
        true => format!("{width}x{}", (w * y).div_ceil(x.max(1))),
        false => format!("{}x{height}", (h * x).div_ceil(y.max(1))),
    };
    Err(format!(
        "`{name}` is {} cells, of another shape than tiles of {width} x {height}: use --size {remedy}, or a wire of the tiles' shape",
        text(cells)
    ))
}
