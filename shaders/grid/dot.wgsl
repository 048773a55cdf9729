//! Dot Product of Grids
//! The dot product of two vectors in each cell:  a . b.
//! Source: none.
//!
//! @in  a: Grid<Vec>                    A grid of vectors
//! @in  b: Grid<Vec>                    Another
//! @out result: Grid<f32>, like a         Their dot product

fn stage(cell: Cell) -> f32 {
    return dot(a(cell), b(cell));
}
