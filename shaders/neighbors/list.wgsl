//! List by Cell
//! Last step of the counting sort where particles shall keep their places: the list alone finds them.
//! Source: Green, Particle Simulation using CUDA, NVIDIA 2010.
//!
//! @in  start: Grid<u32>                        Place of each cell's first entry
//! @in  particles: Particles{order: u32}        The set with its list
//! @out neighbors: NeighborGrid, like start     Finds the particles around a position

fn stage(particle: Particle) -> u32 {
    return particle.order;
}
