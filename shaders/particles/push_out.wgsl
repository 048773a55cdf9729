//! Push Out
//! Moves particles inside a shape back onto its surface, along the gradient of its distance. For massless particles,
//! which have no velocity that could bounce (see Collide). None is removed. A particle whose last step has crossed the whole shape is not
//! seen: shapes have to be thicker than a step is long.
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise, SIGGRAPH 2007, sec. 2.4 (integration may leave the boundary).
//!
//! @in    shape: Field<f32>                    Signed distance [m], negative inside
//! @in    sizes: Particles{radius: f32} = 0    The same particles with a radius each, which then counts instead of the margin [m]
//! @inout particles: Particles{position: Vec} -> {position: Vec}    The particle set
//! @param margin: f32 = 0, 0.., soft 0..0.1    Distance kept from the surface, unless `sizes` is wired [m]
//! @param probe: f32 = 0.1, 0.0001..1          Step of the differences for the surface normal, as a fraction of a cell

fn stage(particle: Particle) -> Vec {
    var place = particle.position;
    var radius = params.margin;
    if sizes_wired { radius = sizes(particle.index).radius; }
    for (var round = 0; round < 2; round++) {
        let depth = radius - shape(place);
        if depth <= 0.0 { break; }
        let slope = shape_gradient(place, params.probe * CELL_SIZE);
        let steepness = length(slope);
        // Where the distance is level (a sphere's middle) any way out will do.
        let out = select(Vec(unit(1)), slope / max(steepness, 1e-12), steepness > 1e-6);
        place += out * (depth / max(steepness, 0.5));
    }
    return place;
}
