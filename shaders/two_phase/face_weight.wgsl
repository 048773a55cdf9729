//! Face Weight
//! Inverse mean mass of a face:  w = 2 / (m_a + m_b)  between two open cells, 0 where either is a wall. Pressure solvers and
//! projections detect walls by this weight alone.
//! Source: saharan, oil clock article, 2016 (w_l, w_r, w_t, w_b).
//!
//! @in  mass: Grid<f32>                     Mass per volume [kg/m^3]
//! @in  open: Grid<f32> = 1                 1 in cells that fluid can fill, 0 in walls
//! @out weight: FaceGrid, like mass         Inverse of the mean mass on each face, 0 on walls [m^3/kg]

fn stage(cell: Cell) -> Vec {
    var faces = Vec();
    for (var axis = 0; axis < DIM; axis++) {
        let below = cell - unit(axis);
        let closed = wall_face(cell, axis) || open(cell) < 0.5 || open(below) < 0.5;
        faces[axis] = select(2.0 / (mass(below) + mass(cell)), 0.0, closed);
    }
    return faces;
}
