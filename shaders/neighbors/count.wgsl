//! Count by Cell
//! First step of the counting sort for neighbour grids: how many particles each quarter of a cell holds, and for each particle how
//! many of them came before it. That rank depends on timing on the GPU; Order corrects this. The quarters lie side by side along
//! x, so a search visits fewer candidates outside its sphere.
//! Source: Knuth, The Art of Computer Programming 3, sec. 5.2 (distribution counting); Hoetzlein, GTC 2014 (Fluids v.3).
//!
//! @inout particles: Particles{position: Vec} -> {rank: u32}    The set; gains its rank within its quarter
//! @out   count: Grid<u32>, scatter, slices 4                   Particles in each quarter of a cell

fn stage(particle: Particle) -> u32 {
    return add_count(bin(particle.position), 1u);
}
