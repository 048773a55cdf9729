//! Vorticity Component
//! One signed component of the vorticity, to view or to measure; in 2D there is only z.
//! Source: definition.
//!
//! @in    vorticity: Grid<vec3f>      Curl of the velocity [1/s]
//! @out   result: Grid<f32>           Its component along the axis, positive counter-clockwise [1/s]
//! @param axis: i32 = 2, 0..2         0 x, 1 y, 2 z

fn stage(cell: Cell) -> f32 {
    var curl = vorticity(cell);
    return curl[params.axis];
}
