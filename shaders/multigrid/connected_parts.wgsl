//! Connected Parts
//! Labels the connected parts of a fluid: cells of the same part, joined by open faces, have the same label. Parts from which an open border of the
//! domain leads out have the label 0. Labels of a fluid whose walls do not change are computed once.
//! Source: Playne and Hawick, IEEE Trans. Parallel Distrib. Syst. 29, 2018 (labels of connected components).
//!
//! @in  weight: FaceGrid                       Open part or inverse mass of each face, 0 on walls
//! @in  mask: Grid<f32> = 0                    1 in cells that fluid can fill: finds rooms of a single cell, too
//! @out part: Grid<u32>, like weight, connect  1 + the index of the part's first cell, 0 if an open border holds its pressure, 4294967295 in walls

fn stage(cell: Cell) -> u32 {
    var faces = 0u;
    var fluid = mask_wired && mask(cell) > 0.5;
    for (var face = 0; face < FACES; face++) {
        if weight_face(cell, face) <= 0.0 { continue; }
        fluid = true;
        let axis = face_axis(face);
        if open_face(cell + unit(axis) * (face & 1), axis) || !runs_in(neighbor(cell, face)) {
            faces |= 16u;
        } else if (face & 1) == 0 {
            faces |= 1u << u32(axis);
        }
    }
    return select(0u, faces | 8u, fluid);
}
