//! How the cells of a dispatch map to invocations.

use crate::ir::Op;
use crate::tuning::{CELLS_OF_A_ROW, CELLS_OF_A_WORD, Shape};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// One cell an invocation.
    Single,
    /// Two cells of a row, which share a word in half precision: what is stored at once can't be half written.
    Pair(Shape),
    /// Four cells of a row, read and written four words at a time.
    Row(Shape),
    /// Cells of a block, whose inputs come through workgroup memory: loaded once, with a halo.
    Halo(Shape),
    /// Several sweeps over a tile in workgroup memory.
    Tile(Shape),
}

impl Mapping {
    pub(crate) fn of(op: &Op) -> Mapping {
        match op.shape {
            Some(shape) if op.sweeps > 1 => Mapping::Tile(shape),
            Some(shape) if shape.halo > 0 => Mapping::Halo(shape),
            Some(shape) if shape.cells == CELLS_OF_A_ROW => Mapping::Row(shape),
            Some(shape) if shape.cells == CELLS_OF_A_WORD => Mapping::Pair(shape),
            _ => Mapping::Single,
        }
    }

    pub(crate) fn is_tile(self) -> bool {
        matches!(self, Mapping::Tile(_))
    }

    pub(crate) fn is_row(self) -> bool {
        matches!(self, Mapping::Row(_))
    }
}
