//! Memory layout of a wire's elements: packed, padded, or in half precision. Code that computes with them always has
//! `f32`.
//!
//! In half precision every store rounds, and what an inlined stage passes on is rounded as if it had been stored and read. So fused and plain
//! plans agree to the bit. Only a tile rounds less often: it holds `f32` over all its sweeps.
//!
//! A word of two halves has one writer, so an invocation computes both of its cells. Accessors, the compiler's own kernels, the host's reads and
//! views all go by this description; the GPU needs no feature for 16 bits.

use std::cmp::Ordering;

use half::f16;

use crate::stage::types::{Precision, Scalar, ValueType, WireType};

/// The memory layout of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub value: ValueType,
    pub dim: u32,
    /// Vectors of three are padded with a fourth word, and matrices of nine numbers with three words, so that one load or three are enough.
    /// Used for particles that are read in any order (pass `dense_vectors`); grids are read along rows and stay dense.
    pub padded: bool,
    /// [`Precision::F16`]: two numbers a word, the first in the lower half. Vectors of three are padded to four; of
    /// single numbers, two cells share a word, so one invocation must write both.
    pub precision: Precision,
    /// Fraction bits of numbers in fixed point, which are read as floats.
    pub fixed: Option<u32>,
}

impl Layout {
    pub(crate) fn new(ty: WireType, dim: u32, precision: Precision) -> Layout {
        Layout { value: ty.value(), dim, padded: matches!(ty, WireType::Attribute(_)), precision, fixed: None }
    }

    pub fn components(self) -> u32 {
        self.value.components(self.dim)
    }

    pub fn is_half(self) -> bool {
        self.precision == Precision::F16
    }

    pub(crate) fn wide(self) -> bool {
        self.padded && self.components() == 3
    }

    /// Whether an element is a matrix of nine numbers in three vectors of four.
    pub(crate) fn is_wide_matrix(self) -> bool {
        self.padded && self.value == ValueType::Mat && self.components() == 9
    }

    /// Numbers of an element, including padding.
    pub fn numbers(self) -> u32 {
        match self.components() {
            n if self.value.is_array() && self.is_half() => n.next_multiple_of(2),
            3 if !self.value.is_array() && (self.padded || self.is_half()) => 4,
            9 if self.is_wide_matrix() => 12,
            n => n,
        }
    }

    /// Numbers of an element that lie side by side: all of them, but of arrays. These lie plane by plane, each with one number of every
    /// element, or with a word of two halves, so that neighbouring cells are read at once.
    pub fn adjacent(self) -> u32 {
        match self.value.is_array() {
            true if self.is_half() => 2,
            true => 1,
            false => self.numbers(),
        }
    }

    /// Place of an element's component among all numbers of so many elements.
    pub fn place(self, element: u64, component: u32, elements: u64) -> u64 {
        let side = u64::from(self.adjacent());
        let (plane, within) = (u64::from(component) / side, u64::from(component) % side);
        (plane * elements + element) * side + within
    }

    /// Words of this many elements.
    pub fn words(self, elements: u64) -> u64 {
        let numbers = elements * u64::from(self.numbers());
        if self.is_half() { numbers.div_ceil(2) } else { numbers }
    }

    /// Whether two cells share a word.
    pub(crate) fn pairs(self) -> bool {
        self.is_half() && self.components() == 1
    }

    /// Numbers plane by plane, from element by element, or back.
    fn transposed(self, numbers: &[u32], to_planes: bool) -> Vec<u32> {
        let all = self.numbers();
        let elements = numbers.len() as u64 / u64::from(all);
        let mut out = vec![0; numbers.len()];
        for element in 0..elements {
            for component in 0..all {
                let plane = self.place(element, component, elements) as usize;
                let interleaved = (element * u64::from(all) + u64::from(component)) as usize;
                if to_planes { out[plane] = numbers[interleaved] } else { out[interleaved] = numbers[plane] }
            }
        }
        out
    }

    /// The components of elements with this layout, one a word.
    pub fn unpack(self, words: &[u32]) -> Vec<u32> {
        let numbers: Vec<u32> = match self.precision {
            Precision::F32 => words.to_vec(),
            Precision::F16 => words.iter().flat_map(|word| halves(*word)).collect(),
        };
        let numbers = if self.value.is_array() { self.transposed(&numbers, false) } else { numbers };
        let (all, used) = (self.numbers() as usize, self.components() as usize);
        if all == used {
            return numbers;
        }
        numbers.chunks(all).flat_map(|element| element.iter().take(used)).copied().collect()
    }

    /// The words of elements that are given component by component. Half precision rounds to the nearest number, ties
    /// to even.
    pub fn pack(self, components: &[u32]) -> Vec<u32> {
        let (all, used) = (self.numbers() as usize, self.components() as usize);
        let numbers: Vec<u32> = match all == used {
            true => components.to_vec(),
            false => {
                let padded =
                    |c: &[u32]| c.iter().copied().chain(std::iter::repeat_n(0, all - used)).collect::<Vec<u32>>();
                components.chunks(used).flat_map(padded).collect()
            }
        };
        let numbers = if self.value.is_array() { self.transposed(&numbers, true) } else { numbers };
        match self.precision {
            Precision::F32 => numbers,
            Precision::F16 => numbers.chunks(2).map(word).collect(),
        }
    }
}

/// Vectors of three in as many words as they are needed in: with padding from words without, or the other way round. Plans choose
/// between the two by themselves, so a State may be needed in the layout of another plan. In sets of fewer than four particles both take the
/// same memory and vectors are padded, so the number of words says which layout it is.
pub fn regrouped(words: &[u32], needed: usize) -> Vec<u32> {
    let mut out: Vec<u32> = match words.len().cmp(&needed) {
        Ordering::Equal => words.to_vec(),
        Ordering::Greater => words.chunks(4).flat_map(|vector| vector.iter().take(3)).copied().collect(),
        Ordering::Less => words.chunks_exact(3).flat_map(|vector| vector.iter().copied().chain([0])).collect(),
    };
    out.resize(needed, 0);
    out
}

/// Bits of the two `f32` that a word holds as halves.
fn halves(word: u32) -> [u32; 2] {
    [word as u16, (word >> 16) as u16].map(|bits| f16::from_bits(bits).to_f32().to_bits())
}

fn word(pair: &[u32]) -> u32 {
    let half = |at: usize| pair.get(at).map_or(0, |bits| f16::from_f32(f32::from_bits(*bits)).to_bits());
    u32::from(half(0)) | u32::from(half(1)) << 16
}

/// The precision of grids of a type whose node requests one: only floats at cell centres are stored as halves.
pub(crate) fn precision(ty: WireType, requested: Precision) -> Precision {
    match ty {
        WireType::Grid(value) if value.scalar() == Scalar::F32 && value != ValueType::Mat => requested,
        _ => Precision::F32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(value: ValueType, precision: Precision) -> Layout {
        Layout::new(WireType::Grid(value), 3, precision)
    }

    #[test]
    fn memory_halves_but_for_vectors_of_three() {
        let words = |value, precision| layout(value, precision).words(6);
        for (value, whole, half) in
            [(ValueType::F32, 6, 3), (ValueType::Vec2, 12, 6), (ValueType::Vec, 18, 12), (ValueType::Vec4, 24, 12)]
        {
            assert_eq!((words(value, Precision::F32), words(value, Precision::F16)), (whole, half), "{value:?}");
        }
    }

    #[test]
    fn numbers_of_a_cell_lie_in_planes_and_come_back() {
        let bits: Vec<u32> = (0..30).map(|i| (i as f32).to_bits()).collect();
        let numbers = |words: &[u32]| words.iter().map(|w| f32::from_bits(*w)).collect::<Vec<_>>();
        for (count, elements) in [(5, 6), (3, 10), (2, 15)] {
            let whole = layout(ValueType::Array(count), Precision::F32);
            let words = whole.pack(&bits);
            assert_eq!(words.len() as u64, whole.words(elements));
            let second = numbers(&words)[elements as usize..][..2].to_vec();
            assert_eq!(second, [1.0, 1.0 + f32::from(count)], "number 1 of cells 0 and 1");
            assert_eq!(whole.unpack(&words), bits);
            let half = layout(ValueType::Array(count), Precision::F16);
            let words = half.pack(&bits);
            assert_eq!(words.len() as u64, half.words(elements));
            assert_eq!(
                (words.len() as u64, half.unpack(&words)),
                (elements * u64::from(count).div_ceil(2), bits.clone())
            );
        }
    }

    #[test]
    fn vectors_of_particles_are_padded_or_dense() {
        let bits: Vec<u32> = (1..=15).collect();
        for (value, padded) in [
            (ValueType::Vec3, 20),
            (ValueType::Vec, 20),
            (ValueType::Vec4, 12),
            (ValueType::F32, 15),
            (ValueType::Mat, 12),
        ] {
            let wide = Layout::new(WireType::Attribute(value), 3, Precision::F32);
            let dense = Layout { padded: false, ..wide };
            let bits = &bits[..bits.len() / wide.components() as usize * wide.components() as usize];
            assert_eq!((wide.pack(bits).len(), dense.pack(bits).len()), (padded, bits.len()), "{value:?}");
            assert_eq!(
                (wide.unpack(&wide.pack(bits)), dense.unpack(&dense.pack(bits))),
                (bits.to_vec(), bits.to_vec())
            );
        }
        let wide = Layout::new(WireType::Attribute(ValueType::Vec3), 3, Precision::F32);
        // The end of a buffer is aligned to four words.
        let dense: Vec<u32> = bits.iter().copied().chain([0]).collect();
        assert_eq!(regrouped(&dense, 20), wide.pack(&bits));
        assert_eq!(regrouped(&wide.pack(&bits), 16), dense);
        assert_eq!(regrouped(&dense, 16), dense);
    }

    #[test]
    fn what_is_packed_comes_back_to_half_a_unit() {
        let values: Vec<f32> = (0..24).map(|i| (1.7f32 * i as f32).sin() * 10f32.powi(i % 5 - 2)).collect();
        let bits: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        for value in [ValueType::F32, ValueType::Vec2, ValueType::Vec3, ValueType::Vec4] {
            let half = layout(value, Precision::F16);
            let elements = 24 / value.components(3);
            let words = half.pack(&bits);
            assert_eq!(words.len() as u64, half.words(u64::from(elements)));
            let back = half.unpack(&words);
            for (value, back) in values.iter().zip(back.iter().map(|b| f32::from_bits(*b))) {
                assert!((back - value).abs() <= value.abs() / 2048.0, "{value} came back as {back}");
            }
            assert_eq!(half.pack(&back), words, "and is the same from then on");
        }
        assert_eq!(layout(ValueType::Vec3, Precision::F32).pack(&bits), bits, "grids of f32 are not padded");
    }
}
