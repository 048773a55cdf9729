//! Gravity (two fluids)
//! Acceleration of a cell, with a separate gravity for each fluid:  a = V_f g_f + V_g g_g.  In the article only f has weight.
//! With a temperature, each fluid's weight falls as it expands (Boussinesq):  g (1 - expansion (T - reference)).  Where g is reduced by the
//! buoyancy in the other fluid, so is the density difference that the expansion refers to, and a fluid rises where expansion (T - reference) > 1.
//! Source: saharan, oil clock article, 2016, step 2; Boussinesq, Theorie analytique de la chaleur 2, 1903 (density that depends on temperature).
//!
//! @in  shares: Grid<vec2f>                    Fractions whose sum is one
//! @in  gravity_f: Vec = (0, -9.81, 0)         Gravity of fluid f [m/s^2]
//! @in  gravity_g: Vec = (0, -9.81, 0)         Gravity of fluid g [m/s^2]
//! @in  temperature: Grid<f32> = 0             Temperature; unless wired, it has no effect [K]
//! @out acceleration: Grid<Vec>, like shares   Acceleration at cell centres [m/s^2]
//! @param expansion_f: f32 = 0, soft 0..0.2    Part of its weight that fluid f loses per kelvin [1/K]
//! @param expansion_g: f32 = 0, soft 0..0.2    The same of fluid g [1/K]
//! @param reference: f32 = 293, soft 273..373  Temperature at which both have their full weight [K]

fn stage(cell: Cell) -> Vec {
    let v = shares(cell);
    if temperature_wired {
        let warmer = temperature(cell) - params.reference;
        return v.x * (1.0 - params.expansion_f * warmer) * gravity_f() + v.y * (1.0 - params.expansion_g * warmer) * gravity_g();
    }
    return v.x * gravity_f() + v.y * gravity_g();
}
