//! About how large the files of an export become.

use super::job::{ExportSubject, Item, Source};
use crate::graph::Graph;

/// The longer side of an image of a wire that is no grid in 2D \[pixels\].
const VIEW: f64 = 512.0;
/// A number in a table \[bytes\].
const NUMBER: f64 = 16.0;

/// Size of the files of a series \[bytes a frame\]; `size` is that of images, if one is chosen. Compressed files are often smaller.
pub fn frame_bytes(item: &Item, size: Option<(u32, u32)>, graph: &Graph) -> f64 {
    let format = item.format;
    let pixels = |image_size: Option<(u32, u32)>| {
        size.or(image_size).map_or(VIEW * VIEW, |(width, height)| f64::from(width) * f64::from(height))
    };
    let flat = |wire: &str| {
        let carried = graph.carried(wire).ok().filter(|carried| carried.dim == 2)?;
        Some((carried.cells[0], carried.cells[1])).filter(|(width, _)| *width > 0)
    };
    let value = |source: &Source| match source {
        Source::Picture(wire, image_size) => pixels(image_size.or_else(|| flat(wire))) * format.bytes_per_pixel,
        Source::Grid(wire) | Source::Particles(wire, _) => {
            let half = if format.name.ends_with("-half") { 0.5 } else { 1.0 };
            graph.carried(wire).map_or(0.0, |carried| carried.bytes as f64 * half)
        }
        Source::Number(_) => NUMBER,
    };
    match &item.subject {
        ExportSubject::Output(name) => {
            let mut outputs = graph.outputs().into_iter().filter_map(|id| graph.nodes.get(id));
            let output = outputs.find(|node| name.as_ref().is_none_or(|name| node.path == *name));
            pixels(output.and_then(|node| graph.image_size(node))) * format.bytes_per_pixel
        }
        ExportSubject::Wire(view) => pixels(flat(&view.wire)) * format.bytes_per_pixel,
        ExportSubject::Values(parts) => parts.iter().map(|part| value(&part.source)).sum(),
    }
}
