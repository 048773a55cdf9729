//! Open Faces
//! Face weights of a mask:  1 between two open cells, 0 on walls, closed borders and inflows.  The pressure solvers for variable density find walls by
//! them; with these weights they solve  lap(p) = div(u).
//! Source: Foster and Metaxas, Graphical Models and Image Processing 58, 1996 (obstacles of whole cells).
//!
//! @in  open: Grid<f32> = 1             1 in cells that fluid can fill, 0 in walls
//! @out weight: FaceGrid, like open     1 on open faces, 0 on others

fn stage(cell: Cell) -> Vec {
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(cell - unit(axis)) < 0.5;
        faces[axis] = select(1.0, 0.0, closed);
    }
    return faces;
}
