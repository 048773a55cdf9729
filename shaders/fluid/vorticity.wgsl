//! Vorticity
//! Curl of the velocity, central differences:  w = curl(u) = sum over faces of n x u(neighbour) / 2h.  In 2D it is (0, 0, w).
//! Source: Fedkiw, Stam and Jensen, Visual Simulation of Smoke, SIGGRAPH 2001, equation 9.
//!
//! @in  velocity: Grid<Vec>        Flow [m/s]
//! @out vorticity: Grid<vec3f>     Twice the local angular velocity [1/s]

fn stage(cell: Cell) -> vec3f {
    var circulation = vec3f();
    for (var face = 0; face < FACES; face++) {
        circulation += cross(in_space(face_normal(face)), in_space(velocity(neighbor(cell, face))));
    }
    return circulation / (2.0 * CELL_SIZE);
}

// A domain vector in 3D; a 2D one lies in the plane z = 0.
fn in_space(v: Vec) -> vec3f {
    return vec3f(v.xy, select(0.0, v[DIM - 1], DIM == 3));
}
