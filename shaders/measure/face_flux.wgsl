//! Flux through a Plane (faces)
//! What a flow on faces carries through a plane across an axis: the sum over the layer of faces nearest to it. Exact for the discrete flow.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: definition.
//!
//! @in    velocity: FaceGrid                           Flow on the faces [m/s]
//! @out   flux: f32, reduce sum                        Volume towards +axis [m^DIM/s]
//! @param axis: i32 = 0, 0..2                          Axis across the plane: 0 x, 1 y, 2 z
//! @param place: f32 = 0.5, soft 0..2                  Where the plane cuts the axis [m]

fn stage(cell: Cell) -> f32 {
    let axis = min(params.axis, DIM - 1);
    let layer = clamp(i32(round(params.place / CELL_SIZE)), 0, RESOLUTION[axis]);
    let last = layer == RESOLUTION[axis] && cell[axis] == layer - 1;
    if cell[axis] != layer && !last { return 0.0; }
    return velocity_face(cell, 2 * axis + select(0, 1, last)) * pow(CELL_SIZE, f32(DIM - 1));
}
