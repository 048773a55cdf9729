//! Chebyshev damping
//! Weights of four damped Jacobi sweeps.

// A sweep's eigenvalues lie between 0 and 2. Wider cells represent those below 0.25. The longest step comes first: those after it damp
// its rounding errors.
fn relaxation() -> f32 {
    let root = cos((f32(iteration % 4) + 0.5) * 0.78539816);
    return 1.0 / (1.125 - 0.875 * root);
}
