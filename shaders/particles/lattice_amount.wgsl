//! Lattice Amount
//! Number of sites of a cubic lattice in a box: along each axis as many whole spacings as fit, at least one.
//! Emit a Lattice with the same box and spacing fills each site once.
//!
//! @over once
//! @out   amount: u32                                  Number of sites
//! @param size: Vec = (0.4, 0.4, 0.4), 0.., soft 0..1  Edges of the box [m]
//! @param spacing: f32 = 0.02, 0.00001.., soft 0.005..0.1    Distance of neighbouring sites [m]

fn stage() -> u32 {
    // A hundredth, so that rounding does not lose a layer of a box that is a multiple of the spacing.
    let sites = max(floor(params.size / params.spacing + 0.01), Vec(1.0));
    var amount = 1u;
    for (var axis = 0; axis < DIM; axis++) { amount *= u32(sites[axis]); }
    return amount;
}
