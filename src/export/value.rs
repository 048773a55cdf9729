//! Values of wires on their way into files: images, grids, particles and numbers, each with what a file says about it.
//!
//! A [`Layer`] holds the words as they came from the GPU. They are unpacked where a file is encoded, on a thread of its own.

use std::borrow::Cow;

use crate::graph::Domain;
use crate::graph::measurement::Measurement;
use crate::plan::Wire;
use crate::sim::expect::{Sample, evaluate};
use crate::stage::types::{Scalar, WireType};

/// A value after a frame, under the name that files give it.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The name in files.
    pub name: String,
    /// Unit of the numbers, such as `m/s`; empty where it is not known.
    pub unit: String,
    memory: Memory,
}

/// Words of a frame as they lie in GPU memory.
#[derive(Clone, Debug)]
pub(super) enum Memory {
    /// The image of a grid of colours, at a size \[pixels\].
    Picture(Box<(Wire, Domain)>, [u32; 2], Vec<u32>),
    Grid(Box<(Wire, Domain)>, Vec<u32>),
    Particles {
        /// The box that they are in, where it is known.
        domain: Option<Box<Domain>>,
        attributes: Vec<(String, Wire, Vec<u32>)>,
        count: Vec<u32>,
    },
    Number(Box<(Sample, Measurement)>),
}

/// An unpacked value.
#[derive(Clone, Debug)]
pub enum ExportedValue<'a> {
    /// Colours of pixels.
    Picture(Picture),
    /// Values of cells.
    Grid(Grid<'a>),
    /// Attributes of particles.
    Particles(Particles),
    /// The components of a number, or of a statistic.
    Number(Vec<f64>),
}

/// Linear RGBA with straight alpha, top row first.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// \[pixels\]
    pub width: u32,
    /// \[pixels\]
    pub height: u32,
    /// Four numbers a pixel.
    pub rgba: Vec<f32>,
}

/// Values of cells, x fastest, then y, then z. Cell (0, 0, 0) has its lower corner at the origin.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    /// Dimensions of space, 2 or 3.
    pub dim: u32,
    /// Cells along x, y, z; z is 1 in 2D.
    pub cells: [u32; 3],
    /// Elements along x, y, z: the cells, or one more along each axis where faces are stored.
    pub elements: [u32; 3],
    /// Lengths of a cell's edges \[m\].
    pub edges: [f64; 3],
    /// Numbers of an element.
    pub components: usize,
    /// Whether these are so many numbers, and neither a vector nor a colour.
    pub array: bool,
    /// How the words are read.
    pub scalar: Scalar,
    /// Whether each component lies on the lower face of the cell that it is normal to, instead of the centre.
    pub faces: bool,
    /// The components of each element in sequence: bits of `f32`, or integers.
    pub words: Cow<'a, [u32]>,
}

/// Live particles.
#[derive(Clone, Debug)]
pub struct Particles {
    /// How many.
    pub count: usize,
    /// Dimensions of space, 2 or 3.
    pub dim: u32,
    /// Attributes of the particles by name, `position` first.
    pub attributes: Vec<Attribute>,
}

/// An attribute of all particles.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Name of the attribute.
    pub name: String,
    /// Numbers of a particle.
    pub components: usize,
    /// How the words are read.
    pub scalar: Scalar,
    /// The components of each particle in sequence: bits of `f32`, or integers.
    pub words: Vec<u32>,
}

impl Layer {
    pub(super) fn new(name: &str, unit: &str, memory: Memory) -> Layer {
        Layer { name: name.into(), unit: unit.into(), memory }
    }

    /// Host memory that it takes \[bytes\].
    pub fn bytes(&self) -> usize {
        4 * match &self.memory {
            Memory::Picture(_, _, words) | Memory::Grid(_, words) => words.len(),
            Memory::Particles { attributes, .. } => attributes.iter().map(|(.., words)| words.len()).sum(),
            Memory::Number(number) => match &number.0 {
                Sample::Field(field, _) => 2 * field.words.len(),
                _ => 0,
            },
        }
    }

    /// Calls a function with every floating-point number of the value, as it was computed.
    pub(super) fn each(&self, mut look: impl FnMut(f64)) {
        let mut floats = |wire: &Wire, words: &[u32], elements: usize| {
            if wire.ty.value().scalar() != Scalar::F32 {
                return;
            }
            let numbers = elements * wire.ty.value().components(wire.dim) as usize;
            unpacked(wire, words, numbers).iter().for_each(|word| look(f64::from(f32::from_bits(*word))));
        };
        match &self.memory {
            Memory::Picture(carrier, _, words) | Memory::Grid(carrier, words) => {
                let (wire, domain) = &**carrier;
                let faces = wire.ty == WireType::FaceGrid;
                let elements = if faces { domain.face_resolution() } else { domain.resolution };
                floats(wire, words, elements.iter().map(|n| *n as usize).product());
            }
            Memory::Particles { attributes, count, .. } => {
                let capacity = attributes.iter().map(|(_, wire, _)| wire.capacity as usize).min().unwrap_or(0);
                let count = count.first().map_or(0, |count| *count as usize).min(capacity);
                attributes.iter().for_each(|(_, wire, words)| floats(wire, words, count));
            }
            Memory::Number(_) => {
                if let ExportedValue::Number(values) = self.value() {
                    values.into_iter().for_each(look);
                }
            }
        }
    }

    /// Cells along x and y of the grid that it comes from.
    pub(super) fn cells(&self) -> Option<[u32; 2]> {
        match &self.memory {
            Memory::Picture(carrier, ..) | Memory::Grid(carrier, _) => {
                Some([carrier.1.resolution[0], carrier.1.resolution[1]])
            }
            Memory::Particles { .. } | Memory::Number(_) => None,
        }
    }

    /// The value. Unpacks half precision and padding, and scales images.
    pub fn value(&self) -> ExportedValue<'_> {
        match &self.memory {
            Memory::Picture(carrier, size, words) => {
                ExportedValue::Picture(picture(&grid(&carrier.0, &carrier.1, words), *size))
            }
            Memory::Grid(carrier, words) => ExportedValue::Grid(grid(&carrier.0, &carrier.1, words)),
            Memory::Particles { domain, attributes, count } => {
                let capacity = attributes.iter().map(|(_, wire, _)| wire.capacity as usize).min().unwrap_or(0);
                let count = count.first().map_or(0, |count| *count as usize).min(capacity);
                let dim = domain.as_ref().map(|domain| domain.dim);
                let dim = dim.or(attributes.first().map(|(_, wire, _)| wire.dim)).unwrap_or(3);
                let unpacked = attributes.iter().map(|(name, wire, words)| attribute(name, wire, words, count));
                ExportedValue::Particles(Particles { count, dim, attributes: unpacked.collect() })
            }
            Memory::Number(number) => {
                let (sample, measurement) = &**number;
                ExportedValue::Number(evaluate(sample, measurement.statistic, measurement.component).values)
            }
        }
    }
}

/// The numbers of a wire's elements; those that are stored as such are not copied.
fn unpacked<'a>(wire: &Wire, words: &'a [u32], numbers: usize) -> Cow<'a, [u32]> {
    let layout = wire.layout();
    if layout.is_half() || layout.numbers() != layout.components() || layout.numbers() != layout.adjacent() {
        let elements = numbers as u64 / u64::from(layout.components());
        let mut words = layout.unpack(words.get(..layout.words(elements) as usize).unwrap_or(words));
        words.resize(numbers, 0);
        return Cow::Owned(words);
    }
    words.get(..numbers).map_or_else(
        || {
            let mut words = words.to_vec();
            words.resize(numbers, 0);
            Cow::Owned(words)
        },
        Cow::Borrowed,
    )
}

fn grid<'a>(wire: &Wire, domain: &Domain, words: &'a [u32]) -> Grid<'a> {
    let faces = wire.ty == WireType::FaceGrid;
    let elements = if faces { domain.face_resolution() } else { domain.resolution };
    let components = wire.ty.value().components(wire.dim) as usize;
    let count = elements.iter().map(|n| *n as usize).product::<usize>();
    Grid {
        dim: domain.dim,
        cells: domain.resolution,
        elements,
        edges: domain.edges(),
        components,
        array: wire.ty.value().is_compound(),
        scalar: wire.ty.value().scalar(),
        faces,
        words: unpacked(wire, words, count * components),
    }
}

fn attribute(name: &str, wire: &Wire, words: &[u32], count: usize) -> Attribute {
    let components = wire.ty.value().components(wire.dim) as usize;
    let words = unpacked(wire, words, count * components).into_owned();
    Attribute { name: name.into(), components, scalar: wire.ty.value().scalar(), words }
}

impl Grid<'_> {
    /// Number of elements.
    pub fn count(&self) -> usize {
        self.elements.iter().map(|n| *n as usize).product()
    }

    /// The words of the element at an index.
    pub fn element(&self, element: usize) -> &[u32] {
        let start = element * self.components;
        self.words.get(start..start + self.components).unwrap_or_default()
    }

    /// The grid with values at cell centres: each component is the mean of its two faces. Grids of cells are returned unchanged.
    pub fn centered(&self) -> Grid<'_> {
        if !self.faces {
            return Grid { words: Cow::Borrowed(&self.words), ..*self };
        }
        let [nx, ny, _] = self.elements.map(|n| n as usize);
        let steps = [1, nx, nx * ny];
        let number = |element: usize, component: usize| {
            f32::from_bits(self.element(element).get(component).copied().unwrap_or_default())
        };
        let mut words = Vec::with_capacity(self.cells.iter().map(|n| *n as usize).product::<usize>() * self.components);
        for z in 0..self.cells[2] as usize {
            for y in 0..self.cells[1] as usize {
                for x in 0..self.cells[0] as usize {
                    let element = x + nx * (y + ny * z);
                    for (component, step) in steps.iter().enumerate().take(self.components) {
                        let mean = 0.5 * (number(element, component) + number(element + step, component));
                        words.push(mean.to_bits());
                    }
                }
            }
        }
        Grid { elements: self.cells, faces: false, words: Cow::Owned(words), ..*self }
    }
}

/// The image of a grid of colours: as the Output of a graph shows it, in linear numbers that are not clamped. At the size of the grid
/// the colours are those of the cells, bit for bit; larger images are interpolated, smaller ones averaged, and what is beyond a grid of
/// another shape is black. Colours count by their alpha.
fn picture(grid: &Grid<'_>, [width, height]: [u32; 2]) -> Picture {
    let color = |words: &[u32]| numbers(words);
    if [grid.elements[0], grid.elements[1]] == [width, height] {
        let rgba = resampled(grid, [width, height], color, [0.0; 4]);
        return Picture { width, height, rgba: rgba.into_flattened() };
    }
    let weighted = |words: &[u32]| {
        let [r, g, b, a] = numbers(words);
        [r * a, g * a, b * a, a]
    };
    let pixels = resampled(grid, [width, height], weighted, [0.0, 0.0, 0.0, 1.0]).into_iter();
    let straight = |[r, g, b, a]: [f32; 4]| if a > 0.0 { [r / a, g / a, b / a, a] } else { [0.0; 4] };
    Picture { width, height, rgba: pixels.flat_map(straight).collect() }
}

/// The vectors of a grid in two dimensions at the pixels of an image, top row first, with zeros for the components that it lacks.
pub(super) fn vectors(grid: &Grid<'_>, size: [u32; 2]) -> Vec<[f32; 4]> {
    resampled(grid, size, numbers, [0.0; 4])
}

/// Four numbers of an element.
fn numbers(words: &[u32]) -> [f32; 4] {
    std::array::from_fn(|channel| f32::from_bits(words.get(channel).copied().unwrap_or_default()))
}

/// The elements of a grid in two dimensions at the pixels of an image, top row first: as they are where there are as many, otherwise
/// interpolated or averaged, with `outside` beyond a grid of another shape.
fn resampled(
    grid: &Grid<'_>,
    [width, height]: [u32; 2],
    numbers: impl Fn(&[u32]) -> [f32; 4],
    outside: [f32; 4],
) -> Vec<[f32; 4]> {
    let [nx, ny] = [grid.elements[0], grid.elements[1]];
    let color = |x: i64, y: i64| -> [f32; 4] {
        let (x, y) = (x.clamp(0, i64::from(nx) - 1), y.clamp(0, i64::from(ny) - 1));
        numbers(grid.element((y * i64::from(nx) + x) as usize))
    };
    if [nx, ny] == [width, height] {
        let rows = (0..i64::from(ny)).rev();
        return rows
            .flat_map(|row| (0..i64::from(nx)).map(move |column| (column, row)))
            .map(|(x, y)| color(x, y))
            .collect();
    }
    let stretch = [f64::from(nx) / f64::from(width), f64::from(ny) / f64::from(height)];
    let cells_a_pixel = stretch[0].max(stretch[1]);
    let taps = cells_a_pixel.ceil().clamp(1.0, 8.0);
    let sample = |at: [f64; 2]| -> [f32; 4] {
        let q = [at[0] * f64::from(nx) - 0.5, at[1] * f64::from(ny) - 0.5];
        let base = q.map(|q| q.floor() as i64);
        let part = [(q[0] - q[0].floor()) as f32, (q[1] - q[1].floor()) as f32];
        let corner = |i: i64, j: i64| color(base[0] + i, base[1] + j);
        let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
        std::array::from_fn(|channel| {
            let [a, b, c, d] = corners.map(|corner| corner[channel]);
            let (low, high) = (a + (b - a) * part[0], c + (d - c) * part[0]);
            low + (high - low) * part[1]
        })
    };
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for row in 0..height {
        for column in 0..width {
            let mut sum = [0.0; 4];
            for tap in 0..(taps * taps) as u32 {
                let place = [f64::from(tap) % taps, (f64::from(tap) / taps).floor()];
                let at = [
                    (f64::from(column) + (place[0] + 0.5) / taps) / f64::from(width),
                    1.0 - (f64::from(row) + (place[1] + 0.5) / taps) / f64::from(height),
                ];
                let seen: [f64; 2] = std::array::from_fn(|axis| (at[axis] - 0.5) * cells_a_pixel / stretch[axis] + 0.5);
                let inside = seen.iter().all(|part| (0.0..=1.0).contains(part));
                let found = if inside { sample(seen) } else { outside };
                sum.iter_mut().zip(found).for_each(|(sum, part)| *sum += part);
            }
            pixels.push(sum.map(|part| part / (taps * taps) as f32));
        }
    }
    pixels
}
