//! Mass
//! Mass of a cell per volume:  m = V_f rho_f + V_g rho_g.
//! Source: saharan, oil clock article, 2016, step 1.
//!
//! @in    shares: Grid<vec2f>                           Fractions whose sum is one
//! @out   mass: Grid<f32>, like shares                  Mass per volume [kg/m^3]
//! @param density_f: f32 = 1200, 0.001.., soft 1..2000  Density of fluid f [kg/m^3]
//! @param density_g: f32 = 1000, 0.001.., soft 1..2000  Density of fluid g [kg/m^3]

fn stage(cell: Cell) -> f32 {
    return dot(shares(cell), vec2f(params.density_f, params.density_g));
}
