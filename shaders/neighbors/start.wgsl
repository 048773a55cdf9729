//! Start of Cells
//! Second step of the counting sort: the index of each cell's first particle in sorted order.
//! Source: Knuth, The Art of Computer Programming 3, sec. 5.2 (distribution counting).
//!
//! @in  count: Grid<u32>          Particles in each cell
//! @out start: Grid<u32>, scan    Particles in all cells before it

fn stage(cell: Cell) -> u32 {
    return count(cell);
}
