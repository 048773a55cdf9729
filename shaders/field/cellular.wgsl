//! Cellular Noise
//! Distances to random points, one in each cell of a lattice: F1 to the nearest, F2 to the second nearest. F1 is a pattern of scales or stones,
//! F2 - F1 is 0 where two cells of the Voronoi diagram meet, and the random number is one for each of these cells.
//! In one unit of `evolution` the points move and return, so it loops. With `period` it tiles as well.
//! Keywords: Worley noise, Voronoi, cells, cracks, scales, mosaic, procedural texture
//! Source: Worley, A Cellular Texture Basis Function, SIGGRAPH 1996.
//!
//! @out   noise: Field<f32>                               Distances in units of `scale`, or a number in 0..1
//! @param result: i32 = 0, 0..3                           0 nearest (F1), 1 second nearest (F2), 2 difference (F2 - F1), 3 random number of the cell
//! @param scale: f32 = 0.1, 0.0001.., soft 0.02..1        Width of a lattice cell [m]
//! @param randomness: f32 = 1, 0..1                       0 puts the points into the middle of their cells
//! @param evolution: f32 = 0, soft 0..1                   Phase of the points' motion: an expression of time animates it [turns]
//! @param offset: Vec = (0, 0, 0), soft -2..2             Shifts the noise [m]
//! @param period: Vec = (0, 0, 0), 0.., soft 0..16        Cells after which it repeats along each axis, in whole numbers; 0 not at all
//! @param seed: u32 = 0, soft 0..100                      Random seed
//! @use shared/space
//! @use shared/hash

fn stage(position: Vec) -> f32 {
    let place = in_space(position - params.offset) / params.scale;
    let home = floor(place);
    let t = place - home;
    let inner = min(t, 1.0 - t);
    // The block of cells around, and a wider one only if a point outside could be nearer than the second that was found.
    var found = search(home, t, 1);
    let reach = 1.0 + min(min(inner.x, inner.y), select(1.0, inner.z, DIM == 3));
    if found.y > reach { found = search(home, t, 2); }
    switch params.result {
        case 0 { return found.x; }
        case 1 { return found.y; }
        case 2 { return found.y - found.x; }
        default { return found.z; }
    }
}

// The two smallest distances, and the number of the nearest point.
fn search(home: vec3f, t: vec3f, reach: i32) -> vec3f {
    var found = vec3f(1e9, 1e9, 0.0);
    let salt = vec3u(u32(random_at(params.seed, 77u) * 16777216.0), 0u, 0u);
    let deep = select(0, reach, DIM == 3);
    for (var z = -clamp(deep, 0, 2); z <= clamp(deep, 0, 2); z++) {
        for (var y = -clamp(reach, 0, 2); y <= clamp(reach, 0, 2); y++) {
            for (var x = -clamp(reach, 0, 2); x <= clamp(reach, 0, 2); x++) {
                let side = vec3f(f32(x), f32(y), f32(z));
                let hash = pcg(lattice(home + side) + salt);
                let chance = vec3f(hash >> vec3u(8u)) / 16777216.0;
                // Uniform in 0..1 for every evolution.
                let point = 0.5 + params.randomness * (2.0 * abs(fract(chance + params.evolution) - 0.5) - 0.5);
                let apart = length((side + point - t) * in_space(Vec(1.0)));
                if apart < found.x {
                    found = vec3f(apart, found.x, chance_of(hash));
                } else {
                    found.y = min(found.y, apart);
                }
            }
        }
    }
    return found;
}

fn chance_of(hash: vec3u) -> f32 {
    return f32(pcg(hash).x >> 8u) / 16777216.0;
}

// Half a cell keeps a whole number of periods from being rounded down.
fn lattice(cell: vec3f) -> vec3u {
    let period = round(in_space(params.period));
    let turns = floor((cell + 0.5) / max(period, vec3f(1.0)));
    return vec3u(vec3i(select(cell, cell - turns * period, period > vec3f())));
}
