//! Order within Cells
//! Fourth step of the counting sort: sorts each quarter's list by index, so that the result does not depend on timing on
//! the GPU. The sort is stable, and results are reproducible to the bit. An entry's rank is the number of smaller ones in its quarter.
//! Source: Knuth, The Art of Computer Programming 3, sec. 5.2 (comparison counting).
//!
//! @in    count: Grid<u32>    Particles in each cell
//! @in    start: Grid<u32>    Index of each cell's first particle
//! @inout particles: Particles{position: Vec, item: u32} -> {order: u32}, put    The set; gains the list in its final order
//! @out   fullest: u32, reduce max, expect 0..16384    Particles in the fullest quarter of a cell. Above 16384 the order of arrival is kept, so runs differ, and searches are slow: spread the particles, keep them from blowing up, or make the cells smaller

const MOST = 16384u;

fn stage(particle: Particle) -> u32 {
    let item = particle.item;
    let cell = bin(particles(item).position);
    let first = start(cell);
    let held = count(cell);
    var smaller = particle.index - first;
    if held <= MOST {
        smaller = 0u;
        for (var entry = 0u; entry < MOST; entry++) {
            if entry >= held { break; }
            smaller += u32(particles(first + entry).item < item);
        }
    }
    put_order(first + smaller, item);
    return held;
}
