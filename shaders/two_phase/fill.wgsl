//! Fill
//! Two fluids that fill the open cells: f inside a shape, g around it. A cell on the outline contains both.
//! Shares are integer multiples of 2^-20, so that later steps can move them without loss.
//! Source: Hirt and Nichols, J. Comput. Phys. 39, 1981 (volume of fluid).
//!
//! @in  shape: Field<f32>                       Signed distance to fluid f, negative inside [m]
//! @in  open: Grid<f32> = 1                     1 in cells that fluid can fill, 0 in walls
//! @out fractions: Grid<vec2f>, like open       Volume fractions V_f and V_g

fn stage(cell: Cell) -> vec2f {
    let f = clamp(0.5 - shape(position(cell)) / CELL_SIZE, 0.0, 1.0);
    let whole = round(f * 1048576.0) / 1048576.0;
    return vec2f(whole, 1.0 - whole) * open(cell);
}
