//! Buoyancy
//! Hot fluid rises and dense smoke sinks:  u += dt (lift (T - T_ambient) - weight density) up,  up = +y.
//! Smoke and temperature may be finer grids than the velocity.
//! Source: Fedkiw, Stam and Jensen, SIGGRAPH 2001, equation 8; Bridson, Fluid Simulation for Computer Graphics, ch. 6.
//!
//! @inout velocity: Grid<Vec> = 0                 Flow [m/s]
//! @in    temperature: Grid<f32> = 0              Temperature [K]
//! @in    density: Grid<f32> = 0                  Smoke [kg/m^3]
//! @param lift: f32 = 2, soft 0..20               Upward acceleration for each kelvin above the ambient [m/s^2/K]
//! @param weight: f32 = 0.2, soft 0..10           Downward acceleration for each unit of smoke [m^4/s^2/kg]
//! @param ambient: f32 = 0, soft 0..400           Temperature at which nothing rises [K]

fn stage(cell: Cell) -> Vec {
    let here = position(cell);
    let warmth = temperature_at(here) - params.ambient;
    var flow = velocity(cell);
    flow.y += frame.dt * (params.lift * warmth - params.weight * density_at(here));
    return flow;
}
