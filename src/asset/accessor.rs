//! Reads numbers from the buffers of a glTF file. All offsets and lengths in the file are checked.

use glam::DVec3;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Accessor, Index, Root};

use super::error::Cause;

/// The error for a glTF file with inconsistent contents.
pub(super) fn broken(message: impl Into<String>) -> Cause {
    Cause::Broken { kind: "glTF", message: message.into() }
}

/// The elements of an accessor, checked to lie inside its buffer.
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    component: ComponentType,
    normalized: bool,
    /// Numbers of an element.
    components: usize,
    pub count: usize,
}

impl<'a> Elements<'a> {
    /// # Errors
    /// Anything inconsistent: indices, offsets, lengths, the type.
    pub(super) fn new(
        root: &Root,
        buffers: &[&'a [u8]],
        index: Index<Accessor>,
        ty: Type,
    ) -> Result<Elements<'a>, Cause> {
        let outside = || broken(format!("accessor {} reaches outside its buffer", index.value()));
        let accessor = root.get(index).ok_or_else(|| broken(format!("there is no accessor {}", index.value())))?;
        if accessor.sparse.is_some() {
            return Err(Cause::Unsupported("sparse accessors".into()));
        }
        let Checked::Valid(component) = accessor.component_type else { return Err(outside()) };
        if accessor.type_ != Checked::Valid(ty) {
            return Err(broken(format!("accessor {} has the wrong type", index.value())));
        }
        let view = accessor.buffer_view.and_then(|view| root.get(view)).ok_or_else(outside)?;
        let buffer = *buffers.get(view.buffer.value()).ok_or_else(outside)?;
        let size = component.0.size() * ty.multiplicity();
        let stride = view.byte_stride.map_or(size, |stride| stride.0);
        let (count, length) = (number(accessor.count), number(view.byte_length));
        let start = view.byte_offset.map_or(0, number);
        let skip = accessor.byte_offset.map_or(0, number);
        let needed = match count.checked_sub(1) {
            None => Some(0),
            Some(last) => last.checked_mul(stride).and_then(|bytes| bytes.checked_add(size)),
        };
        let bytes = buffer.get(start..).and_then(|b| b.get(..length)).and_then(|b| b.get(skip..));
        let bytes = bytes.zip(needed).and_then(|(bytes, needed)| bytes.get(..needed)).ok_or_else(outside)?;
        if stride < size {
            return Err(outside());
        }
        let (component, components) = (component.0, ty.multiplicity());
        Ok(Elements { bytes, stride, component, normalized: accessor.normalized, components, count })
    }

    fn component(&self, element: usize, component: usize) -> Option<f64> {
        let bytes = self.bytes.get(element * self.stride + component * self.component.size()..)?;
        // Integers of KHR_mesh_quantization may represent 0..1 or -1..1.
        let (value, largest) = match self.component {
            ComponentType::I8 => (i8::from_le_bytes(*bytes.first_chunk()?).into(), f64::from(i8::MAX)),
            ComponentType::U8 => (u8::from_le_bytes(*bytes.first_chunk()?).into(), f64::from(u8::MAX)),
            ComponentType::I16 => (i16::from_le_bytes(*bytes.first_chunk()?).into(), f64::from(i16::MAX)),
            ComponentType::U16 => (u16::from_le_bytes(*bytes.first_chunk()?).into(), f64::from(u16::MAX)),
            ComponentType::U32 => (u32::from_le_bytes(*bytes.first_chunk()?).into(), f64::from(u32::MAX)),
            ComponentType::F32 => return Some(f32::from_le_bytes(*bytes.first_chunk()?).into()),
        };
        Some(if self.normalized { f64::max(value / largest, -1.0) } else { value })
    }

    pub(super) fn point(&self, element: usize) -> Option<DVec3> {
        Some(DVec3::new(self.component(element, 0)?, self.component(element, 1)?, self.component(element, 2)?))
    }

    /// The numbers of an element; those that it does not have, or that are not finite, as in `other`.
    pub(super) fn numbers<const N: usize>(&self, element: usize, other: [f32; N]) -> [f32; N] {
        let mut numbers = other;
        for (index, number) in numbers.iter_mut().enumerate().take(self.components) {
            let own = self.component(element, index).map(|own| own as f32);
            *number = own.filter(|own| own.is_finite()).unwrap_or(*number);
        }
        numbers
    }

    /// A vertex index; `None` where the value is not a valid one.
    pub(super) fn index(&self, element: usize) -> Option<u32> {
        match self.component {
            ComponentType::U8 | ComponentType::U16 | ComponentType::U32 => self.component(element, 0).map(|v| v as u32),
            _ => None,
        }
    }
}

/// Limited to the address space; a larger value fails where it is used.
fn number(value: USize64) -> usize {
    usize::try_from(value.0).unwrap_or(usize::MAX)
}
