//! Tension by Curvature
//! Surface tension on each face,  u_face += dt w sigma kappa (V_f(cell) - V_f(cell - e)) / h:  with the same difference and weight as the
//! projection's. So pressure balances a constant curvature exactly, and a round drop stays at rest. Explicit: stable below
//! dt = sqrt((rho_f + rho_g) h^3 / (4 pi sigma)).
//! Source: Francois et al., J. Comput. Phys. 213, 2006 (balanced force); Brackbill, Kothe and Zemach, J. Comput. Phys. 100, 1992 (step).
//!
//! @inout velocity: FaceGrid = 0             Flow on the faces [m/s]
//! @in    shares: Grid<vec2f>                Fractions whose sum is one
//! @in    weight: FaceGrid                   Inverse mass on each face, 0 on walls [m^3/kg]
//! @in    curvature: Grid<f32>               Curvature of the interface, positive for a drop of f [1/m]
//! @in    method: Grid<f32> = 1              Quality of the curvature: of a face's two cells the better one is used, of equal ones the mean
//! @param sigma: f32 = 0.05, 0.., soft 0..1  Surface tension [N/m]

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    let w = weight(cell);
    for (var axis = 0; axis < DIM; axis++) {
        if inflow_face(cell, axis) { continue; }
        let below = cell - unit(axis);
        let better = 0.5 + 0.5 * sign(method(cell) - method(below));
        let kappa = mix(curvature(below), curvature(cell), better);
        let force = params.sigma * kappa * (shares(cell).x - shares(below).x) / CELL_SIZE;
        faces[axis] = select(0.0, faces[axis] + frame.dt * w[axis] * force, w[axis] > 0.0);
    }
    return faces;
}
