//! Cut Weight
//! Weight of the faces that bodies cut,  a w,  for the pressure of two fluids around them: through a face flows what its open part lets through.
//! Source: Batty, Bertails and Bridson, SIGGRAPH 2007, section 4.2.
//!
//! @in  weight: FaceGrid                   Inverse mass on each face, 0 on walls [m^3/kg]
//! @in  fraction: FaceGrid                 Open part a of each face (see Obstacle)
//! @out cut: FaceGrid, like weight         Weight of the open part [m^3/kg]

fn stage(cell: Cell) -> Vec {
    return weight(cell) * fraction(cell);
}
