//! Gravity (two fluids)
//! Acceleration of a cell, with a separate gravity for each fluid:  a = V_f g_f + V_g g_g.  In the article only f has weight.
//! Source: saharan, oil clock article, 2016, step 2.
//!
//! @in  shares: Grid<vec2f>                    Fractions whose sum is one
//! @in  gravity_f: Vec = (0, -9.81, 0)         Gravity of fluid f [m/s^2]
//! @in  gravity_g: Vec = (0, -9.81, 0)         Gravity of fluid g [m/s^2]
//! @out acceleration: Grid<Vec>, like shares   Acceleration at cell centres [m/s^2]

fn stage(cell: Cell) -> Vec {
    let v = shares(cell);
    return v.x * gravity_f() + v.y * gravity_g();
}
