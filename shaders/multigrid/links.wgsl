//! Links
//! The pressure equation  div(w grad p)  as links between cells,  sum of l (p_other - p) - s p,  l = w / h^2. Each cell keeps the links to
//! the cells at +x, +y, +x+y and -x+y; the other four are its neighbours'. Open borders, where the pressure is zero, are the sink s.
//! The finest level of Galerkin's coarse operators. 2D only.
//! Source: Dendy, J. Comput. Phys. 48, 1982 (black box multigrid).
//!
//! @in  weight: FaceGrid                   Inverse mass on each face, 0 on walls [m^3/kg]
//! @out links: Grid<vec4f>, like weight    Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @out sink: Grid<f32>, like weight       Links to open borders [m/kg]

fn stage(cell: Cell) -> Result {
    var links = vec4f();
    var sink = 0.0;
    for (var face = 0; face < 4; face++) {
        let axis = face_axis(face);
        let l = weight_face(cell, face) / (CELL_SIZE * CELL_SIZE);
        let open = open_face(cell + unit(axis) * (face & 1), axis) || !runs_in(neighbor(cell, face));
        sink += select(0.0, l, open);
        if (face & 1) == 1 && !open { links[axis] = l; }
    }
    return Result(links, sink);
}
