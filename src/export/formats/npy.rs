//! NumPy arrays, one a file. Format: numpy.lib.format, version 1.0.

use crate::sequence::{Encoding, Sequence};
use crate::sink::{Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{ExportedValue, Grid};
use stagewright_formats::npy::write::numbers;
use stagewright_formats::points::Type;

pub(crate) const FORMAT: Format = Format {
    name: "npy",
    title: "NPY",
    about: "NumPy arrays of grids, [y, x] or [z, y, x], with a last axis for the components of vectors",
    takes: &[Kind::Grid2, Kind::Grid3],
    joins: false,
    beside: &[],
    single: false,
    bytes_per_pixel: 16.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "npy", encode, half: false, index: None };

fn encode(frame: &Frame, _: &Target) -> Result<Vec<u8>, String> {
    let Some(ExportedValue::Grid(grid)) = frame.layers()?.first().map(|layer| layer.value()) else {
        return Err("NPY files hold grids alone".into());
    };
    Ok(array(&shape(&grid), grid.scalar, &grid.words))
}

/// The axes of a grid's array, slowest first; vectors have one more, for their components.
pub(super) fn shape(grid: &Grid<'_>) -> Vec<usize> {
    let axes = grid.elements.iter().take(grid.dim as usize).rev().map(|n| *n as usize);
    axes.chain((grid.components > 1).then_some(grid.components)).collect()
}

/// A file with an array in C order.
pub(super) fn array(shape: &[usize], scalar: Scalar, words: &[u32]) -> Vec<u8> {
    numbers(shape, type_of(scalar), words.iter().flat_map(|word| word.to_le_bytes()), 4 * words.len())
}

/// How files store the numbers of a wire.
pub(super) fn type_of(scalar: Scalar) -> Type {
    match scalar {
        Scalar::F32 => Type::F32,
        Scalar::I32 => Type::I32,
        Scalar::U32 => Type::U32,
    }
}
