//! Numbers on a lattice of cells, as a file has them.

/// The values of a grid in a file.
pub struct Volume {
    /// Numbers of a cell.
    pub components: usize,
    /// The lowest cell.
    pub low: [i64; 3],
    /// Cells along each axis.
    pub size: [usize; 3],
    /// Centre of cell 0, 0, 0 and the edges of a cell \[m\]; `None` where the file has no coordinates, so that its cells are those
    /// of the domain.
    pub place: Option<([f64; 3], [f64; 3])>,
    /// The value everywhere else.
    pub background: [f32; 3],
    /// A number of a cell: the cell, from `low`, and which of its numbers.
    pub cells: Box<dyn Fn([i64; 3], usize) -> f32>,
}
