//! Links in Space
//! The pressure equation  div(w grad p)  as links between cells,  sum of l (p_other - p) - s p,  l = w / h^2. Each cell keeps those to the cells at
//! +x, +y and +z. Open borders, where the pressure is zero, are the sink s. The finest level of Galerkin's coarse operators in 3D.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  weight: FaceGrid                     Inverse mass on each face, 0 on walls [m^3/kg]
//! @out links_a: Grid<vec4f>, like weight    Links to the cells at +x, +y and +z, and the sink [m/kg]

fn stage(cell: Cell) -> vec4f {
    var links = vec4f();
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        let l = weight_face(cell, face) / (CELL_SIZE * CELL_SIZE);
        if open_face(cell + unit(axis) * (face & 1), axis) || !runs_in(neighbor(cell, face)) { links.w += l; } else if (face & 1) == 1 { links[axis] = l; }
    }
    return links;
}
