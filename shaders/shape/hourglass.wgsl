//! Hourglass
//! Signed distance to an hourglass: two bulbs with flat ends and round shoulders, joined by funnels to a neck. In 3D a body of
//! revolution around y. The outline consists of tangent lines and arcs, so the distance is exact inside and outside. If the funnels do not
//! fit the height, the shoulders become sharper; if this is not enough, the outline breaks.
//! Source: Hart, Sphere Tracing, The Visual Computer 12, 1996; distances to arcs and segments as by Quilez, 2D distance functions.
//!
//! @out   distance: Field<f32>                                           Signed distance, negative inside [m]
//! @param center: Vec = (0.05, 0.08, 0.05), soft -2..2, handle position  Centre of the neck [m]
//! @param half_height: f32 = 0.078, 0.., soft 0..1                       Distance from the neck's centre to an end [m]
//! @param half_width: f32 = 0.048, 0.., soft 0..1                        Largest radius of a bulb [m]
//! @param neck: f32 = 0.0029, 0.., soft 0..0.2                           Radius of the neck [m]
//! @param neck_length: f32 = 0.004, 0.., soft 0..0.2                     Length of its straight part [m]
//! @param slope: f32 = 47, 1..85                                         Angle between the funnel's wall and the horizontal [degrees]
//! @param neck_rounding: f32 = 0.012, 0.., soft 0..0.2                   Radius of the bend from neck to funnel [m]
//! @param belly: f32 = 0.02, 0.., soft 0..0.5                            Radius of the bend from funnel to wall [m]
//! @param shoulder: f32 = 0.02, 0.., soft 0..0.5                         Radius of the bend from wall to end [m]

fn stage(position: Vec) -> f32 {
    let away = position - params.center;
    let aside = length(vec2f(away.x, select(0.0, away[DIM - 1], DIM == 3)));
    // The quarter in which everything happens: the rest mirrors it.
    let p = vec2f(aside, abs(away.y));
    let tilt = radians(params.slope);
    let up = vec2f(cos(tilt), sin(tilt));
    let out = vec2f(up.y, -up.x);

    let bend = vec2f(params.neck + params.neck_rounding, 0.5 * params.neck_length);
    let funnel = bend - params.neck_rounding * out;
    let radius = min(params.belly, params.half_width - params.neck);
    let rise = ((params.half_width - radius - funnel.x) * up.y + radius) / up.x;
    let belly = vec2f(params.half_width - radius, funnel.y + rise);
    let corner = clamp(params.shoulder, 0.0, max(min(params.half_height - belly.y, params.half_width), 0.0));
    let shoulder = vec2f(params.half_width, params.half_height) - corner;

    var distance = segment(p, vec2f(params.neck, 0.0), vec2f(params.neck, bend.y));
    distance = nearer(distance, segment(p, funnel, belly + radius * out));
    distance = nearer(distance, segment(p, vec2f(params.half_width, belly.y), vec2f(params.half_width, shoulder.y)));
    distance = nearer(distance, segment(p, vec2f(shoulder.x, params.half_height), vec2f(0.0, params.half_height)));
    // An arc counts where its nearest point is not one of its ends, which belong to the segments.
    let v = p - bend;
    if v.y >= 0.0 && cross_2d(v, -out) <= 0.0 { distance = nearer(distance, params.neck_rounding - length(v)); }
    let w = p - belly;
    if w.y <= 0.0 && cross_2d(out, w) >= 0.0 { distance = nearer(distance, length(w) - radius); }
    let s = p - shoulder;
    if s.x >= 0.0 && s.y >= 0.0 { distance = nearer(distance, length(s) - corner); }
    return distance;
}

// Signed distance to a piece of the outline, which runs from the neck upwards with the inside on its left.
fn segment(p: vec2f, a: vec2f, b: vec2f) -> f32 {
    let along = b - a;
    let away = p - a;
    if dot(along, along) < 1e-20 { return 1e9; }
    let t = clamp(dot(away, along) / dot(along, along), 0.0, 1.0);
    return select(1.0, -1.0, cross_2d(along, away) > 0.0) * length(away - t * along);
}

fn cross_2d(a: vec2f, b: vec2f) -> f32 { return a.x * b.y - a.y * b.x; }

fn nearer(a: f32, b: f32) -> f32 { return select(a, b, abs(b) <= abs(a)); }
