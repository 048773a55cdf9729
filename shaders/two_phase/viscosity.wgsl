//! Viscosity (two fluids)
//! Dynamic viscosity of a cell,  1 / mu = V_f / mu_f + V_g / mu_g:  the harmonic mean, with which the shear stress is continuous across an interface that fluids
//! slide along.
//! Source: Tryggvason, Scardovelli and Zaleski, Direct Numerical Simulations of Gas-Liquid Multiphase Flows, 2011, ch. 3.
//!
//! @in    shares: Grid<vec2f>                              Fractions whose sum is one
//! @out   viscosity: Grid<f32>, like shares                Dynamic viscosity [Pa s]
//! @param viscosity_f: f32 = 0.1, 1e-9.., soft 0.00001..1  Dynamic viscosity of fluid f: light oil 0.1, air 1.8e-5 [Pa s]
//! @param viscosity_g: f32 = 0.001, 1e-9.., soft 0.00001..1  Dynamic viscosity of fluid g: water 0.001 [Pa s]

fn stage(cell: Cell) -> f32 {
    return 1.0 / dot(shares(cell), 1.0 / vec2f(params.viscosity_f, params.viscosity_g));
}
