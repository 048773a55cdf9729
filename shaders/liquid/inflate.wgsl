//! Liquid Inflate
//! Inflates both fluids between their outlines: one sweep of successive over-relaxation for  lap(q) - q / rim^2 = -+4,  q = 0 at the
//! outline, where sqrt(|q|) is the thickness of a lens. A drop of radius R << rim is a half ball, q = R^2 - r^2; a large blob is
//! round at its rim and 2 rim high inside. In g it is negative. The outline is where the share is one half, between cell centres.
//! Source: inflation by Poisson's equation, Sykora et al., Ink-and-Ray, ACM TOG 33, 2014; outline as Gibou et al., JCP 176, 2002.
//!
//! @inout relief: Grid<vec4f> = 0, radius 1            Share of f; 1 where it is known; q in m^2, refined by each sweep; a cell's width in metres
//! @param rim: f32 = 0.005, 0.0001.., soft 0.001..0.05    Width of the round rim of large blobs [m]
//! @param relaxation: f32 = 1.6, 0.1..1.95            1 is Gauss-Seidel, more is over-relaxation
//! @sweep checkerboard

fn stage(cell: Cell) -> vec4f {
    let here = relief(cell);
    let level = here.x - 0.5;
    if here.y == 0.0 { return here; }
    var sum = select(-4.0, 4.0, level > 0.0) * CELL_SIZE * CELL_SIZE;
    var total = CELL_SIZE * CELL_SIZE / (params.rim * params.rim);
    for (var face = 0; face < FACES; face++) {
        let there = relief(neighbor(cell, face));
        if there.y == 0.0 { continue; }
        let beyond = there.x - 0.5;
        if (level > 0.0) == (beyond > 0.0) {
            sum += there.z;
            total += 1.0;
        } else {
            // Zero at a part of the way to that neighbour.
            total += 1.0 / clamp(level / (level - beyond), 0.05, 1.0);
        }
    }
    return vec4f(here.xy, mix(here.z, sum / total, params.relaxation), here.w);
}
