//! Weighted inflow
//! Reads the inputs `weight` and `pressure`.

// Sum over the faces of  w (p_other - p),  and of the weights.
fn weighted_inflow(cell: Cell) -> vec2f {
    var inflow = 0.0;
    var total = 0.0;
    for (var face = 0; face < FACES; face++) {
        let w = weight_face(cell, face);
        inflow += w * (pressure(neighbor(cell, face)) - pressure(cell));
        total += w;
    }
    return vec2f(inflow, total);
}
