//! PLIC: Courant Number
//! Checks the Courant number of a substep,  sum over axes of |u| dt / h.  Up to 1/2, no sweep can overdraw or overfill a cell,
//! and no cell gets more than two volumes, up to which sums of PLIC's quanta are exact in f32.
//! Source: Weymouth and Yue, J. Comput. Phys. 229, 2010 (condition of boundedness).
//!
//! @in  flow: FaceGrid                                Volume through each face in a substep [cells]
//! @out courant: f32, reduce max, expect 0..0.5       Courant number of a substep, summed over the axes. Above 0.5 the interface may lose its shape, and volume is lost to rounding where a cell gets more than two volumes: use more substeps

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    for (var axis = 0; axis < DIM; axis++) {
        sum += max(abs(flow_face(cell, 2 * axis)), abs(flow_face(cell, 2 * axis + 1)));
    }
    return sum;
}
