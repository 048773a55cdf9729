//! Values of a wire, and pictures, on the CPU.

use crate::graph::Domain;
use crate::stage::types::{Scalar, WireType};

/// A wire's value: `resolution` elements of `components` numbers, x fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub ty: WireType,
    pub resolution: [u32; 3],
    pub components: u32,
    /// Component by component within an element. Integers are converted.
    pub data: Vec<f32>,
    /// The words as they are in memory.
    pub words: Vec<u32>,
}

impl Field {
    pub(crate) fn new(
        ty: WireType,
        (dim, capacity): (u32, u32),
        domain: Option<&Domain>,
        mut words: Vec<u32>,
    ) -> Field {
        let resolution = match (domain, ty) {
            (Some(domain), WireType::FaceGrid) => domain.face_resolution(),
            (Some(domain), _) => domain.resolution,
            (None, _) => [capacity.max(1), 1, 1],
        };
        let components = ty.value().components(dim);
        if matches!(ty, WireType::Attribute(_)) && components == 3 {
            // Three numbers lie in four words.
            words = words.chunks(4).flat_map(|w| w.iter().take(3)).copied().collect();
        }
        let count = resolution.iter().map(|n| *n as usize).product::<usize>() * components as usize;
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

/// A picture: RGBA bytes in sRGB, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Image {
    pub fn new(width: u32, height: u32, words: &[u32]) -> Image {
        let count = width as usize * height as usize;
        let rgba = words.iter().take(count).flat_map(|w| w.to_le_bytes()).collect();
        Image { width, height, rgba }
    }
}
