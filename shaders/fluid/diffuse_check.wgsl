//! Diffuse Check
//! Whether the sweeps of Diffuse were enough: the greatest residual over the greatest change.
//! Source: definition; Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @over once
//! @in  norms: vec2f                   Greatest residual and greatest change (Diffuse Norms)
//! @out relative: f32, expect 0..0.1   The sweeps leave {percent} % of the change that diffusion makes in a step, so the field spreads too little. More than 10 % is not solved: use more sweeps, or smaller steps
//! @out percent: f32                   The same in per cent

fn stage() -> Result {
    let relative = norms().x / max(norms().y, 1e-20);
    return Result(relative, 100.0 * relative);
}
