//! What is drawn from the values of a plane: streamlines and contours, in metres, and values between the cells.

use std::collections::HashMap;

use super::ticks;
use crate::sim::Field;
use crate::stage::types::WireType;

/// The most values along a side that are kept.
const SIDE: usize = 512;
/// Streamlines that fit beside each other along the longer side.
const LINES: f64 = 32.0;
/// Steps after which a line has left the place where it was.
const BACK: usize = 8;
/// Contours between the least and the greatest value, about.
const LEVELS: f64 = 10.0;

/// A place in a plane, or a vector there \[m\].
pub(super) type Flat = [f64; 2];

/// Which plane of a grid: its axes to the right and upwards, the axis across it, and where it cuts that one, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub axes: [usize; 2],
    pub across: usize,
    pub share: f64,
}

/// The values of a plane: of vectors the components in it, of numbers one.
pub(super) struct Layer {
    /// Values along each axis.
    count: [usize; 2],
    /// The first one, and the distance between them \[m\].
    first: Flat,
    spacing: Flat,
    /// Extent of the whole plane \[m\].
    extent: Flat,
    values: Vec<Flat>,
}

impl Layer {
    /// Vectors in a plane of a domain of this size \[m\].
    pub(super) fn vectors(field: &Field, size: [f64; 3], cut: Cut) -> Layer {
        let components = field.components as usize;
        let faces = field.ty == WireType::FaceGrid;
        Layer::new(field, size, cut, |cell| {
            cut.axes.map(|axis| {
                if axis >= components {
                    return 0.0;
                }
                let value = |cell| part(field, cell, axis);
                if !faces {
                    return value(cell);
                }
                // The mean of both faces.
                let mut next = cell;
                next[axis] += 1;
                0.5 * (value(cell) + value(next))
            })
        })
    }

    /// One component of each value, or its length.
    pub(super) fn numbers(field: &Field, size: [f64; 3], cut: Cut, component: Option<usize>) -> Layer {
        let all = 0..field.components as usize;
        Layer::new(field, size, cut, |cell| match component {
            Some(component) => [part(field, cell, component), 0.0],
            None => [all.clone().map(|component| part(field, cell, component).powi(2)).sum::<f64>().sqrt(), 0.0],
        })
    }

    fn new(field: &Field, size: [f64; 3], cut: Cut, value: impl Fn([usize; 3]) -> Flat) -> Layer {
        // The faces of a grid are one more than its cells.
        let faces = usize::from(field.ty == WireType::FaceGrid);
        let cells = field.resolution.map(|count| (count as usize).saturating_sub(faces).max(1));
        let stride = cut.axes.map(|axis| cells[axis].div_ceil(SIDE));
        let count: [usize; 2] = std::array::from_fn(|side| cells[cut.axes[side]].div_ceil(stride[side]));
        let edge = cut.axes.map(|axis| size[axis] / cells[axis] as f64);
        let mut cell = [0; 3];
        cell[cut.across] = ((cut.share.clamp(0.0, 1.0) * cells[cut.across] as f64) as usize).min(cells[cut.across] - 1);
        let mut values = Vec::with_capacity(count[0] * count[1]);
        for y in 0..count[1] {
            for x in 0..count[0] {
                (cell[cut.axes[0]], cell[cut.axes[1]]) = (x * stride[0], y * stride[1]);
                values.push(value(cell));
            }
        }
        let spacing = std::array::from_fn(|side| edge[side] * stride[side] as f64);
        Layer { count, first: edge.map(|edge| 0.5 * edge), spacing, extent: cut.axes.map(|axis| size[axis]), values }
    }

    /// Extent of the plane \[m\].
    pub(super) fn extent(&self) -> Flat {
        self.extent
    }

    fn value(&self, x: usize, y: usize) -> Flat {
        self.values
            .get(y.min(self.count[1] - 1) * self.count[0] + x.min(self.count[0] - 1))
            .copied()
            .unwrap_or_default()
    }

    fn place(&self, x: usize, y: usize) -> Flat {
        [self.first[0] + x as f64 * self.spacing[0], self.first[1] + y as f64 * self.spacing[1]]
    }

    /// The value at a place, linear between the cells; `None` outside of the plane and where it is not finite.
    pub(super) fn sample_at(&self, place: Flat) -> Option<Flat> {
        let inside = place.iter().zip(self.extent).all(|(at, extent)| (0.0..=extent).contains(at));
        let cell = |side: usize| {
            let at = ((place[side] - self.first[side]) / self.spacing[side]).clamp(0.0, (self.count[side] - 1) as f64);
            (at.floor() as usize, at.fract())
        };
        let ((x, right), (y, up)) = (cell(0), cell(1));
        let mix = |a: Flat, b: Flat, share: f64| [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
        let low = mix(self.value(x, y), self.value(x + 1, y), right);
        let high = mix(self.value(x, y + 1), self.value(x + 1, y + 1), right);
        Some(mix(low, high, up)).filter(|value| inside && value.iter().all(|part| part.is_finite()))
    }

    /// The greatest length of a vector.
    pub(super) fn greatest(&self) -> f64 {
        self.values.iter().map(|value| value[0].hypot(value[1])).filter(|length| length.is_finite()).fold(0.0, f64::max)
    }

    /// Lines along the vectors, about equally far from each other.
    pub(super) fn streamlines(&self) -> Vec<Vec<Flat>> {
        let slowest = 1e-3 * self.greatest();
        let apart = self.extent[0].max(self.extent[1]) / LINES;
        if slowest <= 0.0 || apart <= 0.0 {
            return Vec::new();
        }
        let boxes = self.extent.map(|extent| ((extent / apart).ceil() as usize).max(1));
        let of = |place: Flat| {
            let index = |side: usize| ((place[side] / apart) as usize).min(boxes[side] - 1);
            index(1) * boxes[0] + index(0)
        };
        let mut occupied = vec![false; boxes[0] * boxes[1]];
        let mut lines = Vec::new();
        // Seeds far from each other first: a step without a common factor visits every box.
        let total = occupied.len();
        let step = (1..).map(|more| total * 5 / 8 + more).find(|step| common(*step, total) == 1).unwrap_or(1);
        for seed in (0..total).map(|index| index * step % total) {
            if occupied.get(seed).copied().unwrap_or(true) {
                continue;
            }
            let start = [seed % boxes[0], seed / boxes[0]].map(|index| (index as f64 + 0.5) * apart);
            let stops = |place: Flat| occupied.get(of(place)) != Some(&false);
            let (mut line, closed) = self.trace(start, -1.0, apart, slowest, stops);
            line.reverse();
            if !closed {
                line.extend(self.trace(start, 1.0, apart, slowest, stops).0.into_iter().skip(1));
            }
            line.iter().for_each(|place| occupied.iter_mut().skip(of(*place)).take(1).for_each(|box_| *box_ = true));
            if line.len() > 8 {
                lines.push(line);
            }
        }
        lines
    }

    /// Follows the vectors from a place by the midpoint rule, in steps of equal length. Returns also whether the line came back to
    /// itself, where it ends: a circle or a spiral would be drawn over and over.
    fn trace(
        &self,
        start: Flat,
        sign: f64,
        apart: f64,
        slowest: f64,
        stops: impl Fn(Flat) -> bool,
    ) -> (Vec<Flat>, bool) {
        let step = 0.25 * apart;
        let direction = |place: Flat| {
            let value = self.sample_at(place)?;
            let length = value[0].hypot(value[1]);
            (length > slowest).then(|| value.map(|part| sign * part / length))
        };
        let ahead = |place: Flat, by: Flat, way: f64| [place[0] + way * by[0], place[1] + way * by[1]];
        let mut line = vec![start];
        // Twice around the plane.
        let most = (8.0 * LINES * 4.0) as usize;
        let mut now = start;
        // When the line was in which box.
        let cell = |place: Flat| place.map(|part| (2.0 * part / apart).floor() as i64);
        let mut passed: HashMap<[i64; 2], usize> = HashMap::from([(cell(start), 0)]);
        while line.len() < most {
            let Some(next) = direction(now)
                .and_then(|first| direction(ahead(now, first, 0.5 * step)))
                .map(|middle| ahead(now, middle, step))
                .filter(|next| self.sample_at(*next).is_some() && !stops(*next))
            else {
                break;
            };
            let first = *passed.entry(cell(next)).or_insert(line.len());
            line.push(next);
            if line.len() - first > BACK {
                return (line, true);
            }
            now = next;
        }
        (line, false)
    }

    /// Lines of equal value, and the step between them: marching squares between the centres of cells.
    pub(super) fn contours(&self) -> (Vec<[Flat; 2]>, f64) {
        let finite = || self.values.iter().map(|value| value[0]).filter(|value| value.is_finite());
        let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (levels, step) = ticks::linear(low, high, LEVELS, 0.0);
        let mut lines = Vec::new();
        for y in 0..self.count[1].saturating_sub(1) {
            for x in 0..self.count[0].saturating_sub(1) {
                // Around the square.
                let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
                let corners = corners.map(|(x, y)| (self.place(x, y), self.value(x, y)[0]));
                let least = corners.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
                let most = corners.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
                if corners.iter().any(|(_, value)| !value.is_finite()) {
                    continue;
                }
                let from = levels.partition_point(|level| *level < least);
                for level in levels.iter().skip(from).take_while(|level| **level < most) {
                    square(&corners, *level, &mut lines);
                }
            }
        }
        (lines, step)
    }
}

/// The lines of a value within a square of four places with their values.
fn square(corners: &[(Flat, f64); 4], level: f64, lines: &mut Vec<[Flat; 2]>) {
    let mut met = Vec::with_capacity(4);
    for side in 0..4 {
        let ((from, a), (to, b)) = (corners[side], corners[(side + 1) % 4]);
        if (a < level) != (b < level) {
            let share = (level - a) / (b - a);
            met.push([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
        }
    }
    match met.as_slice() {
        [a, b] => lines.push([*a, *b]),
        // A saddle: the value in the middle says which corners belong together.
        [a, b, c, d] => {
            let middle = 0.25 * corners.iter().map(|(_, value)| value).sum::<f64>();
            let joined = (corners[0].1 < level) == (middle < level);
            lines.extend(if joined { [[*a, *b], [*c, *d]] } else { [[*d, *a], [*b, *c]] });
        }
        _ => {}
    }
}

/// A component at a cell.
fn part(field: &Field, cell: [usize; 3], component: usize) -> f64 {
    let [nx, ny, _] = field.resolution.map(|count| count as usize);
    let index = (cell[2] * ny + cell[1]) * nx + cell[0];
    field.data.get(index * field.components as usize + component).map_or(f64::NAN, |value| f64::from(*value))
}

/// The greatest common divisor.
fn common(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::types::ValueType;

    const FLAT: Cut = Cut { axes: [0, 1], across: 2, share: 0.5 };

    /// A grid on the unit square with the values of a function at the centres of its cells.
    fn field(count: u32, components: u32, value: impl Fn(Flat) -> Vec<f64>) -> Field {
        let center = |index: u32| (f64::from(index) + 0.5) / f64::from(count);
        let cells = (0..count).flat_map(|y| (0..count).map(move |x| [center(x), center(y)]));
        let data: Vec<f32> = cells.flat_map(value).map(|value| value as f32).collect();
        let ty = WireType::Grid(if components == 2 { ValueType::Vec2 } else { ValueType::F32 });
        Field { ty, resolution: [count, count, 1], components, words: data.iter().map(|v| v.to_bits()).collect(), data }
    }

    fn from_middle([x, y]: Flat) -> Flat {
        [x - 0.5, y - 0.5]
    }

    #[test]
    fn streamlines_of_a_rotation_are_circles() {
        let turning = field(64, 2, |place| {
            let [x, y] = from_middle(place);
            vec![-y, x]
        });
        let lines = Layer::vectors(&turning, [1.0; 3], FLAT).streamlines();
        assert!(lines.len() > 8, "{}", lines.len());
        for line in &lines {
            let radii: Vec<f64> = line.iter().map(|place| from_middle(*place)).map(|[x, y]| x.hypot(y)).collect();
            let (least, most) = radii.iter().fold((1.0f64, 0.0f64), |(a, b), r| (a.min(*r), b.max(*r)));
            // The midpoint rule with a step h widens a circle by h^3 / (8 r^2) a step; h is 1/128, and a line has at most 1,024.
            let step = 1.0 / (4.0 * LINES);
            let allowed = radii.len() as f64 * step.powi(3) / (8.0 * least * least) + 1e-3;
            assert!(most - least < allowed, "{least} to {most} in {} steps", radii.len());
        }
    }

    #[test]
    fn contours_of_a_slope_are_straight_and_those_of_a_cone_are_circles() {
        let slope = field(16, 1, |[x, _]| vec![x]);
        let (lines, step) = Layer::numbers(&slope, [1.0; 3], FLAT, Some(0)).contours();
        assert_eq!(step, 0.1);
        // Nine levels over fifteen squares each.
        assert_eq!(lines.len(), 9 * 15);
        for end in lines.iter().flatten() {
            let level = (end[0] / 0.1).round() * 0.1;
            assert!((end[0] - level).abs() < 1e-6, "{end:?}");
        }
        let cone = field(128, 1, |place| {
            let [x, y] = from_middle(place);
            vec![x.hypot(y)]
        });
        let (lines, step) = Layer::numbers(&cone, [1.0; 3], FLAT, None).contours();
        for end in lines.iter().flatten() {
            let [x, y] = from_middle(*end);
            let level = (x.hypot(y) / step).round() * step;
            // Linear between cells: h^2 / (8 r).
            assert!((x.hypot(y) - level).abs() < 1.0 / (128.0 * 128.0 * 8.0 * level) * 2.0, "{x} {y} {level}");
        }
        assert!(lines.len() > 500);
    }

    #[test]
    fn vectors_between_faces_are_their_means() {
        // Two cells along x, one along y: x on three faces, y on two.
        let data = vec![1.0, 0.0, 3.0, 2.0, 5.0, 0.0, 0.0, 4.0, 0.0, 6.0, 0.0, 0.0];
        let words = data.iter().map(|value: &f32| value.to_bits()).collect();
        let field = Field { ty: WireType::FaceGrid, resolution: [3, 2, 1], components: 2, data, words };
        let layer = Layer::vectors(&field, [2.0, 1.0, 1.0], FLAT);
        assert_eq!(layer.sample_at([0.5, 0.5]), Some([2.0, 2.0]));
        assert_eq!(layer.sample_at([1.5, 0.5]), Some([4.0, 4.0]));
        assert_eq!(layer.sample_at([1.0, 0.5]), Some([3.0, 3.0]));
        assert_eq!((layer.sample_at([2.5, 0.5]), layer.greatest()), (None, 4.0 * 2f64.sqrt()));
    }

    #[test]
    fn a_slice_has_the_values_of_its_layer() {
        // Three layers with the values 0, 1, 2 along y.
        let data: Vec<f32> = (0..27).map(|index| (index / 3 % 3) as f32).collect();
        let words = data.iter().map(|value| value.to_bits()).collect();
        let field = Field { ty: WireType::Grid(ValueType::F32), resolution: [3; 3], components: 1, data, words };
        for (share, value) in [(0.0, 0.0), (0.5, 1.0), (1.0, 2.0)] {
            let layer = Layer::numbers(&field, [1.0; 3], Cut { axes: [0, 2], across: 1, share }, Some(0));
            assert_eq!(layer.sample_at([0.4, 0.6]), Some([value, 0.0]));
        }
    }
}
