//! Stick
//! Gives faces inside an obstacle its velocity, also those that it only cuts.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007.
//!
//! @inout velocity: FaceGrid = 0     Flow on the faces [m/s]
//! @in    distance: FaceGrid         Signed distance of each face to the obstacles, negative inside (see Obstacle) [m]
//! @in    motion: FaceGrid = 0       Velocity of the obstacles [m/s]

fn stage(cell: Cell) -> Vec {
    return select(velocity(cell), motion(cell), distance(cell) <= Vec());
}
