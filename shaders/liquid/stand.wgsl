//! Clock Stand
//! The stand of a clock, seen from the front: a round cap with rounded edges at either end and a round post on either side.
//! It gives distance and normal together, so that thin posts are both smooth and sharp.
//! Source: Quilez, 2D distance functions (rounded box).
//!
//! @out   stand: Field<vec3f>                                         Signed distance, negative inside [m]; x and y of the unit normal inside
//! @param center: Vec = (0.05, 0.08, 0), soft -2..2, handle position  Its centre [m]
//! @param reach: f32 = 0.0795, 0.., soft 0..1                         Distance from the centre to a cap [m]
//! @param cap: vec2f = (0.053, 0.012), 0.., soft 0..0.2               Radius of a cap, and its height [m]
//! @param rounding: f32 = 0.0022, 0.0001.., soft 0.0005..0.01  Radius of the caps' edges [m]
//! @param post: f32 = 0.0016, 0.., soft 0..0.01                       Radius of a post; 0 omits them [m]
//! @param post_place: f32 = 0.0508, 0.., soft 0..0.2                  Distance from the centre to a post [m]

fn stage(position: Vec) -> vec3f {
    let away = (position - params.center).xy;
    let side = vec2f(select(-1.0, 1.0, away.x > 0.0), select(-1.0, 1.0, away.y > 0.0));
    let p = abs(away);
    let size = vec2f(params.cap.x, 0.5 * params.cap.y) - params.rounding;
    let beyond = p - vec2f(0.0, params.reach + 0.5 * params.cap.y);
    let corner = max(abs(beyond) - size, vec2f());
    let nearest = min(max(abs(beyond.x) - size.x, abs(beyond.y) - size.y), 0.0);
    let cap = length(corner) + nearest - params.rounding;

    let across = (p.x - params.post_place) / max(params.post, 1e-6);
    let post = max((abs(across) - 1.0) * params.post, p.y - params.reach - params.rounding);
    if post < cap && params.post > 0.0 { return vec3f(post, side.x * clamp(0.96 * across, -1.0, 1.0), 0.0); }
    // A disc from the side: it turns away to the left and right, and at its rounded edges up and down.
    let edge = 0.95 * min(corner.y / params.rounding, 1.0) * select(-1.0, 1.0, beyond.y > 0.0);
    let lathed = 0.97 * min(p.x / params.cap.x, 1.0) * sqrt(1.0 - edge * edge);
    return vec3f(cap, side * vec2f(lathed, edge));
}
