//! Residual Check
//! Whether a pressure solves its equation: the greatest residual over the greatest divergence, less what rounding leaves in 32 bits.
//! Source: definition; Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 2.
//!
//! @over once
//! @in  norms: vec4f                   Greatest residual, divergence and pressure (Residual Norms)
//! @out residual: f32                  Greatest residual [1/s]
//! @out relative: f32, expect 0..0.5   The pressure leaves {percent} % of the divergence somewhere, up to {residual} 1/s, so the flow still compresses. More than 50 % is not solved: use more iterations, start from the last frame's pressure, or take Pressure (multigrid)
//! @out percent: f32                   The same in per cent

const ROUNDING = 1e-6; // of the pressures that a residual is the difference of, with their sums

fn stage() -> Result {
    let sizes = norms();
    let relative = max(sizes.x - ROUNDING * sizes.z, 0.0) / max(sizes.y, 1e-20);
    return Result(sizes.x, relative, 100.0 * relative);
}
