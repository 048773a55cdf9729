//! Lathe
//! Signed distance to a body of revolution around y, such as a vase, a bottle or a chess piece, whose radius over its height is drawn as a
//! curve; in 2D to its section, mirrored at the axis. The profile is 64 straight pieces between points of the curve at equal heights, and flat
//! ends; to this outline the distance is exact, inside and outside. With `rounding` the profile is drawn in by it and the outline lies at that distance
//! around it, so that outer edges are round.
//! Keywords: revolve, vase, profile, bottle
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996; distances to segments as by Quilez, 2D distance functions.
//!
//! @out   distance: Field<f32>                                           Signed distance, negative inside [m]
//! @param center: Vec = (0.5, 0.5, 0.5), soft -2..2, handle position     Middle of the axis [m]
//! @param height: f32 = 0.8, 0.0001.., soft 0..2                         Length along y [m]
//! @param radius: f32 = 0.3, 0.., soft 0..1, handle radius of center     Radius where the profile is 1 [m]
//! @param profile: curve = [(0, 0.6), (0.35, 1), (0.75, 0.35), (1, 0.5)], 0..1   Radius over height, from the lower end to the upper
//! @param rounding: f32 = 0, 0.., soft 0..0.05                           Radius of the outer edges [m]

const PIECES = 64;

fn stage(position: Vec) -> f32 {
    let away = position - params.center;
    let p = vec2f(length(vec2f(away.x, select(0.0, away[DIM - 1], DIM == 3))), away.y);
    var squared = 1e18;
    var crossings = 0;
    var last = corner(0);
    // The lower end, the pieces, the upper end.
    var before = vec2f(0.0, last.y);
    for (var k = 0; k <= PIECES + 1; k++) {
        var next = vec2f(0.0, last.y);
        if k <= PIECES { next = corner(k); }
        let along = next - before;
        let offset = p - before;
        let t = clamp(dot(offset, along) / max(dot(along, along), 1e-20), 0.0, 1.0);
        let apart = offset - t * along;
        squared = min(squared, dot(apart, apart));
        // A ray to the right crosses the outline an odd number of times from inside.
        if (before.y <= p.y) != (next.y <= p.y) {
            let at = before.x + (p.y - before.y) * along.x / along.y;
            crossings += select(0, 1, at > p.x);
        }
        before = next;
        last = next;
    }
    return select(1.0, -1.0, (crossings & 1) == 1) * sqrt(squared) - edge();
}

// A point of the outline, drawn in by the rounding.
fn corner(index: i32) -> vec2f {
    let t = f32(index) / f32(PIECES);
    return vec2f(max(params.radius * profile(t) - edge(), 0.0), (t - 0.5) * (params.height - 2.0 * edge()));
}

fn edge() -> f32 { return clamp(params.rounding, 0.0, 0.49 * params.height); }
