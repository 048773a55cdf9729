//! Project (variable density)
//! Applies the pressure gradient to the faces:  u_face += w (p_below - p) / h,  0 on walls; an inflow is kept.
//! Around bodies that cut cells, which have a `fraction`, the weight here is that of the fluid alone, and faces that a body covers take its velocity; the pressure
//! has the weights of Cut Weight.
//! Source: saharan, oil clock article, 2016, step 5:  v += (p_l - p_r) 2 / (m_l + m_r).
//!
//! @inout velocity: FaceGrid = 0     Flow on the faces [m/s]
//! @in    pressure: Grid<f32>, open zero        Pressure x dt [Pa s]
//! @in    weight: FaceGrid           Inverse mass on each face, 0 on walls [m^3/kg]
//! @in    fraction: FaceGrid = 1     Open part of each face (see Obstacle)
//! @in    motion: FaceGrid = 0, velocity of fraction  Velocity of the bodies [m/s]

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    let w = weight(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if inflow_face(cell, axis) { continue; }
        let pushed = faces[axis] + w[axis] * (pressure(cell - unit(axis)) - pressure(cell)) / CELL_SIZE;
        faces[axis] = select(0.0, pushed, w[axis] > 0.0);
        if fraction_wired && fraction(cell)[axis] == 0.0 { faces[axis] = motion(cell)[axis]; }
    }
    return faces;
}
