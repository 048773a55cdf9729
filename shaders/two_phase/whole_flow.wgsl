//! Flow with Bodies
//! Velocity of what passes a face, fluid and body together,  a u + (1 - a) u_body.  Behind a projection it has no divergence, in cells that a body cuts or fills neither. So PLIC may carry
//! fractions with it as if there were no body: inside, a body carries along what stands there for fluid, and displaces the real one.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007, section 4 (divergence of cut cells).
//!
//! @in  velocity: FaceGrid                                 Flow on the faces [m/s]
//! @in  fraction: FaceGrid                                 Open part a of each face (see Obstacle)
//! @in  motion: FaceGrid = 0, velocity of fraction         Velocity of the bodies [m/s]
//! @out flow: FaceGrid, like velocity                      Flow of fluid and bodies [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if !wall_face(cell, axis) { faces[axis] = mix(motion(cell)[axis], faces[axis], fraction(cell)[axis]); }
    }
    return faces;
}
