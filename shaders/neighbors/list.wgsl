//! List by Cell
//! Last step of the counting sort where particles keep their positions in memory: they are found through the list.
//! Source: Green, Particle Simulation using CUDA, NVIDIA 2010.
//!
//! @in  start: Grid<u32>                        Index of each cell's first entry
//! @in  particles: Particles{order: u32}        The set with its list
//! @out neighbors: NeighborGrid, like start     Finds the particles around a position

fn stage(particle: Particle) -> u32 {
    return particle.order;
}
