//! Reorder by Cell
//! Last step of the counting sort: moves the particles themselves, so that those of a cell, and of each quarter of it, are adjacent
//! in memory. The order within a quarter is kept, so the sort is stable, and results are reproducible to the bit.
//! Source: Green, Particle Simulation using CUDA, NVIDIA 2010 (sorted particles).
//! Source: Knuth, The Art of Computer Programming 3, sec. 5.2 (comparison counting).
//!
//! @in    start: Grid<u32>                                                    Index of each cell's first particle
//! @inout particles: Particles{position: Vec, rank: u32, item: u32}, scatter  The set, sorted by quarters of cells
//! @out   neighbors: NeighborGrid, like start         Finds the particles around a position
//! @out   fullest: u32, reduce max, expect 0..16384    Particles in the fullest quarter of a cell. Above 16384 the order of arrival is kept, so runs differ, and searches are slow: spread the particles, keep them from blowing up, or make the cells smaller

const MOST = 16384u;

fn stage(particle: Particle) -> Result {
    let cell = bin(particle.position);
    let first = start(cell);
    let held = end(cell) - first;
    var before = particle.rank;
    if held <= MOST {
        before = 0u;
        for (var entry = 0u; entry < MOST; entry++) {
            if entry >= held { break; }
            before += u32(particles(first + entry).item < particle.index);
        }
    }
    return Result(first + before, held);
}

// The place behind a cell's last particle: that of the next cell's first.
fn end(cell: Cell) -> u32 {
    var next = cell;
    for (var axis = 0; axis < DIM; axis++) {
        next[axis] += 1;
        if next[axis] < RESOLUTION[axis] { return start(next); }
        next[axis] = 0;
    }
    return particles_count();
}
