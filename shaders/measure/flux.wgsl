//! Flux through a Plane
//! What a flow carries through a plane across an axis:  sum of q u . e A,  with q u interpolated linearly between the two layers of cells
//! around the plane, and A the face of a cell. Nearer to a border than half a cell, the nearest layer counts.
//! Added in f32 as a tree, so the error is below 2e-6 of the sum of magnitudes for up to a million cells, and typically 1e-7.
//! Source: definition.
//!
//! @in    velocity: Grid<Vec>                          Flow [m/s]
//! @in    amount: Grid<f32> = 1                        q, what is carried; 1 gives the volume
//! @out   flux: f32, reduce sum                        Flux towards +axis [m^DIM/s]
//! @param axis: i32 = 0, 0..2                          Axis across the plane: 0 x, 1 y, 2 z
//! @param place: f32 = 0.5, soft 0..2                  Where the plane cuts the axis [m]

fn stage(cell: Cell) -> f32 {
    let axis = min(params.axis, DIM - 1);
    let layer = clamp(params.place / CELL_SIZE - 0.5, 0.0, f32(RESOLUTION[axis] - 1));
    let weight = max(1.0 - abs(f32(cell[axis]) - layer), 0.0);
    if weight == 0.0 { return 0.0; }
    return weight * amount(cell) * dot(velocity(cell), Vec(unit(axis))) * pow(CELL_SIZE, f32(DIM - 1));
}
