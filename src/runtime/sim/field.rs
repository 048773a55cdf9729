//! Values of a wire, and images, on the CPU.

use crate::graph::Domain;
use crate::plan::Wire;
use crate::stage::types::{Scalar, WireType};

/// The value of a wire: `resolution` elements of `components` numbers, x fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Type of the wire.
    pub ty: WireType,
    /// Elements along x, y and z.
    pub resolution: [u32; 3],
    /// Components of an element.
    pub components: u32,
    /// The components of each element in sequence. Integers are converted to floating point.
    pub data: Vec<f32>,
    /// The components as words: the bits of each `f32`; integers unchanged.
    pub words: Vec<u32>,
}

impl Field {
    pub(crate) fn new(wire: &Wire, domain: Option<&Domain>, memory: &[u32]) -> Field {
        let ty = wire.ty;
        let resolution = match (domain, ty) {
            (Some(domain), WireType::FaceGrid) => domain.face_resolution(),
            (Some(domain), _) => domain.resolution,
            (None, _) => [wire.capacity.max(1), 1, 1],
        };
        let components = ty.value().components(wire.dim);
        let elements = resolution.iter().map(|n| *n as usize).product::<usize>();
        let (layout, count) = (wire.layout(), elements * components as usize);
        // Memory may be longer.
        let mut words = layout.unpack(memory.get(..layout.words(elements as u64) as usize).unwrap_or(memory));
        words.truncate(count);
        let data = words.iter().map(|w| match ty.value().scalar() {
            Scalar::F32 => f32::from_bits(*w),
            Scalar::I32 => *w as i32 as f32,
            Scalar::U32 => *w as f32,
        });
        Field { ty, resolution, components, data: data.collect(), words }
    }

    /// One component of every element.
    pub fn component(&self, index: usize) -> Vec<f32> {
        self.data.iter().skip(index).step_by(self.components.max(1) as usize).copied().collect()
    }
}

/// An image: RGBA bytes in sRGB, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// \[pixels\]
    pub width: u32,
    /// \[pixels\]
    pub height: u32,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// An image from one word a pixel, red in the lowest byte.
    pub fn new(width: u32, height: u32, words: &[u32]) -> Image {
        let count = width as usize * height as usize;
        let rgba = words.iter().take(count).flat_map(|w| w.to_le_bytes()).collect();
        Image { width, height, rgba }
    }
}
