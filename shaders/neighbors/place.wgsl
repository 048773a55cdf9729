//! Place by Cell
//! Third step of the counting sort: writes each particle's index at the start of its cell plus its rank.
//! Source: Knuth, The Art of Computer Programming 3, sec. 5.2 (distribution counting).
//!
//! @in    start: Grid<u32>    Index of each cell's first particle
//! @inout particles: Particles{position: Vec, rank: u32} -> {item: u32}, put    The set; gains a list of indices sorted by quarters of cells

fn stage(particle: Particle) {
    put_item(start(bin(particle.position)) + particle.rank, particle.index);
}
