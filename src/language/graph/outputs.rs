//! The Outputs of a graph in their order on the canvas, and the sizes of their images.

use super::{Graph, Kind, Node, NodeId};

impl Graph {
    /// The Output nodes: from top to bottom as they stand on the canvas, then from left to right, then by name.
    pub fn outputs(&self) -> Vec<NodeId> {
        let outputs = self.nodes.entries().filter_map(|(id, node)| match node.kind {
            Kind::Output { at, .. } => Some((id, at)),
            _ => None,
        });
        let mut outputs: Vec<_> = outputs.collect();
        outputs.sort_by(|(_, (ax, ay)), (_, (bx, by))| ay.total_cmp(by).then(ax.total_cmp(bx)));
        outputs.into_iter().map(|(id, _)| id).collect()
    }

    /// Default width and height of an Output's image \[pixels\].
    pub fn image_size(&self, output: &Node) -> Option<(u32, u32)> {
        let Kind::Output { size, .. } = output.kind else { return None };
        let domain = output.domain.and_then(|d| self.domains.get(d));
        size.or(domain.map(|d| (d.resolution[0], d.resolution[1])))
    }
}

/// How many times wider and higher an image of this size \[pixels\] is than its part that shows a grid of these cells. An image of another
/// shape has the whole grid in its middle, between black bars, so one of both is 1. Everything that finds a place of the grid in the image,
/// or the other way round, uses this.
pub fn image_scale(cells: [u32; 2], size: [u32; 2]) -> [f64; 2] {
    let cells_a_pixel = [0, 1].map(|axis| f64::from(cells[axis].max(1)) / f64::from(size[axis].max(1)));
    let most = cells_a_pixel[0].max(cells_a_pixel[1]);
    cells_a_pixel.map(|ratio| most / ratio)
}

/// The largest size within `room` with the aspect ratio of `image`; `room` itself where it differs only by rounding.
pub fn fitted(room: (u32, u32), image: (u32, u32)) -> (u32, u32) {
    let [width, height] = [room.0, room.1].map(f64::from);
    let [x, y] = [image.0.max(1), image.1.max(1)].map(f64::from);
    let scale = (width / x).min(height / y);
    let (w, h) = (((x * scale).round() as u32).max(1), ((y * scale).round() as u32).max(1));
    if w.abs_diff(room.0) <= 1 && h.abs_diff(room.1) <= 1 { room } else { (w, h) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_shows_square_cells_and_the_whole_grid() {
        for cells in [[64, 128], [128, 64], [100, 100], [7, 3000]] {
            for size in [[256, 256], [640, 200], [200, 640], [1, 1]] {
                let scale = image_scale(cells, size);
                let pixels = [0, 1].map(|axis| f64::from(size[axis]) / scale[axis] / f64::from(cells[axis]));
                assert!((pixels[0] / pixels[1] - 1.0).abs() < 1e-12, "{cells:?} {size:?}: {pixels:?} pixels a cell");
                assert!(
                    scale.contains(&1.0) && scale.iter().all(|scale| *scale >= 1.0),
                    "{cells:?} {size:?}: {scale:?}"
                );
            }
        }
    }

    #[test]
    fn a_size_keeps_the_aspect_of_the_image() {
        for (room, image, wanted) in [
            ((640, 480), (512, 512), (480, 480)),
            ((1024, 1024), (512, 512), (1024, 1024)),
            ((100, 100), (300, 200), (100, 67)),
            ((101, 67), (300, 200), (101, 67)),
            ((16, 9), (1, 4000), (1, 9)),
        ] {
            assert_eq!(fitted(room, image), wanted, "{room:?} {image:?}");
        }
    }
}
