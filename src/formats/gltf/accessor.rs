//! Reads numbers from the buffers of a glTF file. All offsets and lengths in the file are checked.

use std::borrow::Cow;
use std::cell::Cell;

use ::gltf::json::accessor::{ComponentType, IndexComponentType, Type, sparse::Sparse};
use ::gltf::json::buffer::View;
use ::gltf::json::validation::{Checked, USize64};
use ::gltf::json::{Accessor, Index, Root};
use glam::{DMat4, DVec3};

use super::extensions;
use crate::error::Cause;
use crate::limits::MAX_VERTICES;
use crate::malformed::FormatName;
use crate::work::Work;

/// Vertices that are read, for all nodes, instances and shape keys together: some seconds.
const MAX_READ: u64 = 1 << 28;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("glTF");

/// A file and its buffers, `None` for a buffer without data.
pub(super) struct Reader<'a> {
    pub root: &'a Root,
    pub buffers: Vec<Option<&'a [u8]>>,
    pub work: &'a Work,
    read: Cell<u64>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Root, buffers: Vec<Option<&'a [u8]>>, work: &'a Work) -> Reader<'a> {
        Reader { root, buffers, work, read: Cell::new(0) }
    }

    /// Counts vertices that are read: a small file may name the same ones many times.
    ///
    /// # Errors
    /// Too many of them; cancelling.
    pub(super) fn spend(&self, vertices: usize) -> Result<(), Cause> {
        self.work.go_on(0)?;
        self.read.set(self.read.get().saturating_add(1 + vertices as u64));
        if self.read.get() > MAX_READ { Err(Cause::Copies) } else { Ok(()) }
    }

    /// The bytes of a view, and the distance between its elements where it says so.
    fn view(&self, index: Index<View>) -> Result<(&'a [u8], Option<usize>), Cause> {
        let missing = || NAME.malformed(format!("there is no buffer view {}", index.value()));
        let view = self.root.get(index).ok_or_else(missing)?;
        let buffer = view.buffer.value();
        let data = self.buffers.get(buffer).ok_or_else(|| NAME.malformed(format!("there is no buffer {buffer}")))?;
        let Some(data) = data else {
            return Err(match extensions::compression(view) {
                Some(name) => extensions::unsupported(name),
                None if buffer == 0 => NAME.malformed("its binary part is missing"),
                None => NAME.malformed(format!("buffer {buffer} has no data")),
            });
        };
        let start = view.byte_offset.map_or(0, number);
        let bytes = data.get(start..).and_then(|data| data.get(..number(view.byte_length)));
        let outside = || NAME.malformed(format!("buffer view {} reaches outside its buffer", index.value()));
        Ok((bytes.ok_or_else(outside)?, view.byte_stride.map(|stride| stride.0)))
    }

    /// The elements of an accessor, with its sparse values.
    ///
    /// # Errors
    /// Anything inconsistent: indices, offsets, lengths, the type.
    pub(super) fn elements(&self, index: Index<Accessor>, ty: Type) -> Result<Elements<'a>, Cause> {
        self.spend(0)?;
        let outside = || NAME.malformed(format!("accessor {} reaches outside its buffer", index.value()));
        let accessor =
            self.root.get(index).ok_or_else(|| NAME.malformed(format!("there is no accessor {}", index.value())))?;
        let Checked::Valid(component) = accessor.component_type else { return Err(outside()) };
        if accessor.type_ != Checked::Valid(ty) {
            return Err(NAME.malformed(format!("accessor {} has the wrong type", index.value())));
        }
        let size = component.0.size() * ty.multiplicity();
        let count = number(accessor.count);
        let stored = match accessor.buffer_view {
            Some(view) => {
                let (bytes, stride) = self.view(view)?;
                let stride = stride.unwrap_or(size);
                let needed = match count.checked_sub(1) {
                    None => Some(0),
                    Some(last) => last.checked_mul(stride).and_then(|bytes| bytes.checked_add(size)),
                };
                let bytes = bytes.get(accessor.byte_offset.map_or(0, number)..);
                let bytes = bytes.zip(needed).and_then(|(bytes, needed)| bytes.get(..needed)).ok_or_else(outside)?;
                if stride < size {
                    return Err(outside());
                }
                Some((bytes, stride))
            }
            // Zeros, which take no bytes of the file.
            None if count > MAX_VERTICES => return Err(Cause::Vertices),
            None => None,
        };
        let (bytes, stride) = match (stored, &accessor.sparse) {
            (Some((bytes, stride)), None) => (Cow::Borrowed(bytes), stride),
            (stored, sparse) => {
                self.spend(count)?;
                let mut dense = vec![0; count * size];
                if let Some((bytes, stride)) = stored {
                    let elements = bytes.chunks(stride).zip(dense.chunks_exact_mut(size));
                    elements.for_each(|(from, to)| to.iter_mut().zip(from).for_each(|(to, from)| *to = *from));
                }
                if let Some(sparse) = sparse {
                    self.replace(sparse, &mut dense, size, count).map_err(|cause| match cause {
                        None => {
                            NAME.malformed(format!("the sparse values of accessor {} are inconsistent", index.value()))
                        }
                        Some(cause) => cause,
                    })?;
                }
                (Cow::Owned(dense), size)
            }
        };
        let (component, components) = (component.0, ty.multiplicity());
        Ok(Elements { bytes, stride, component, normalized: accessor.normalized, components, count })
    }

    /// Writes sparse values to their places; an error without a cause where they do not fit.
    fn replace(&self, sparse: &Sparse, dense: &mut [u8], size: usize, count: usize) -> Result<(), Option<Cause>> {
        let replaced = number(sparse.count);
        let Checked::Valid(IndexComponentType(kind)) = sparse.indices.component_type else { return Err(None) };
        if replaced > count {
            return Err(None);
        }
        let part = |view: Index<View>, offset: USize64, each: usize| {
            let (bytes, _) = self.view(view).map_err(Some)?;
            bytes.get(number(offset)..).and_then(|bytes| bytes.get(..replaced * each)).ok_or(None)
        };
        let indices = part(sparse.indices.buffer_view, sparse.indices.byte_offset, kind.size())?;
        let values = part(sparse.values.buffer_view, sparse.values.byte_offset, size)?;
        for (index, value) in indices.chunks_exact(kind.size()).zip(values.chunks_exact(size)) {
            let place = index.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte));
            let to = place.checked_mul(size).and_then(|start| dense.get_mut(start..start + size)).ok_or(None)?;
            to.copy_from_slice(value);
        }
        Ok(())
    }
}

/// The elements of an accessor, checked to lie inside its buffer.
pub(super) struct Elements<'a> {
    bytes: Cow<'a, [u8]>,
    stride: usize,
    component: ComponentType,
    normalized: bool,
    /// Numbers of an element.
    components: usize,
    pub count: usize,
}

impl Elements<'_> {
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

    /// The first numbers of an element; `None` beyond the last element.
    pub(super) fn array<const N: usize>(&self, element: usize) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        for (index, number) in numbers.iter_mut().enumerate().take(self.components) {
            *number = self.component(element, index)?;
        }
        Some(numbers)
    }

    pub(super) fn point(&self, element: usize) -> Option<DVec3> {
        self.array(element).map(DVec3::from_array)
    }

    /// A matrix of 4 by 4, column by column.
    pub(super) fn matrix(&self, element: usize) -> Option<DMat4> {
        self.array(element).map(|numbers: [f64; 16]| DMat4::from_cols_array(&numbers))
    }

    /// The numbers of an element; those that it does not have, or that are not finite, as in `other`.
    pub(super) fn numbers<const N: usize>(&self, element: usize, other: [f32; N]) -> [f32; N] {
        let mut numbers = other;
        for (index, number) in numbers.iter_mut().enumerate().take(self.components) {
            let component = self.component(element, index).map(|component| component as f32);
            *number = component.filter(|component| component.is_finite()).unwrap_or(*number);
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
