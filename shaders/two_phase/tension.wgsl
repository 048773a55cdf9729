//! Tension by Attraction
//! Attraction within each fluid:  a = strength (V_f s_f + V_g s_g).  Together with pressure it acts as surface tension: for two fluids of the same
//! density rho and a Gaussian blur of standard deviation w it is  sigma = rho strength w / sqrt(2 pi)  [N/m]; for two densities use their
//! mean, and a flat interface then has a pressure jump of  strength (rho_f - rho_g) / 2.
//! Source: saharan, oil clock article, 2016, step 8.
//!
//! @in    shares: Grid<vec2f>                      Fractions whose sum is one
//! @in    attraction_f: Grid<Vec>                  Attraction of f [1/m]
//! @in    attraction_g: Grid<Vec>                  Attraction of g [1/m]
//! @out   acceleration: Grid<Vec>, like shares     Acceleration at cell centres [m/s^2]
//! @param strength: f32 = 0.01, soft 0..1          Acceleration per gradient [m^2/s^2]

fn stage(cell: Cell) -> Vec {
    let v = shares(cell);
    return params.strength * (v.x * attraction_f(cell) + v.y * attraction_g(cell));
}
