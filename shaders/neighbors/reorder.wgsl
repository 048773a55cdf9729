//! Reorder by Cell
//! Last step of the counting sort: moves the particles themselves, so that those of a cell lie together in memory.
//! Source: Green, Particle Simulation using CUDA, NVIDIA 2010 (sorted particles).
//!
//! @in    start: Grid<u32>                                  Place of each cell's first particle
//! @inout particles: Particles{order: u32}, gather          The set, sorted by cell
//! @out   neighbors: NeighborGrid, like start               Finds the particles around a position

fn stage(particle: Particle) -> u32 {
    return particle.order;
}
