//! Stick
//! Gives faces that an obstacle closes its velocity.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007.
//!
//! @inout velocity: FaceGrid = 0     Flow on the faces [m/s]
//! @in    distance: FaceGrid         Distance of each face to the obstacles, 0 or negative on those that they close (see Obstacle) [m]
//! @in    motion: FaceGrid = 0, velocity of distance  Velocity of the obstacles [m/s]

fn stage(cell: Cell) -> Vec {
    return select(velocity(cell), motion(cell), distance(cell) <= Vec());
}
