//! Jet
//! Accelerates the fluid around a point to a given velocity:  du/dt = rate w(d) (jet - u),  w = exp(-d^2 / radius^2).
//! Solved exactly over the step, so it never overshoots: the flow leaves at the jet's speed whatever the step or rate.
//! Source: implicit relaxation; Gaussian splat as in Harris, Fast Fluid Dynamics Simulation on the GPU, GPU Gems ch. 38, 2004.
//!
//! @inout velocity: Grid<Vec> = 0                                            Flow [m/s]
//! @param jet: Vec = (0, 1, 0), soft -4..4, handle vector of center          Target velocity of the jet [m/s]
//! @param center: Vec = (0.5, 0.1, 0.5), soft 0..1, handle position          Centre of the jet, as a fraction of the domain along each axis
//! @param radius: f32 = 0.05, 0.., soft 0.005..0.3, handle radius of center  Reach, as a fraction of the domain's width
//! @param rate: f32 = 30, 0.., soft 0..120                                   Rate at which the fluid reaches the jet's velocity [1/s]

fn stage(cell: Cell) -> Vec {
    let distance = length(position(cell) - params.center * SIZE) / max(params.radius * SIZE.x, 1e-6);
    let weight = exp(-distance * distance);
    return mix(params.jet, velocity(cell), exp(-params.rate * weight * frame.dt));
}
