//! Table Reflection
//! Mirrors the object of an image in a glossy table below it, fainter and softer with its distance from the table. Pixels that cover
//! the table (alpha 1) do not change. The image becomes opaque.
//! Source: none; mirrored lookups.
//!
//! @in    image: Image                             The image; alpha 1 where the object is
//! @out   result: Image, like image                The image with the reflection, alpha 1
//! @param horizon: f32 = 0.0764, 0..1               Height at which the object stands, as a fraction of the image
//! @param mirror: f32 = 0.35, 0..1                 Fraction of the light that is reflected at the foot
//! @param fade: f32 = 0.05, 0.001.., soft 0.01..0.5    Height over which it fades, as a fraction of the image

fn stage(cell: Cell) -> vec4f {
    let here = image(cell);
    let p = position(cell);
    let below = params.horizon * SIZE.y - p.y;
    let soft = smoothstep(-0.5, 0.5, below / CELL_SIZE) * (1.0 - here.a);
    if soft == 0.0 { return vec4f(here.rgb, 1.0); }
    var sum = vec4f();
    for (var k = -3; k <= 3; k++) {
        for (var j = -1; j <= 1; j++) {
            var mirrored_place = p;
            mirrored_place.y += below * (2.0 + 0.22 * f32(k) / 3.0) + CELL_SIZE;
            mirrored_place.x += below * 0.08 * f32(j);
            sum += image_at(mirrored_place) / 21.0;
        }
    }
    let mirrored = params.mirror * exp(-below / (params.fade * SIZE.y)) * soft;
    // Little light comes to the foot from above. Of the mirrored picture the thing alone counts: the table has the backdrop's part.
    let shadow = 0.6 * sum.a * exp(-12.0 * below / (params.fade * SIZE.y));
    return vec4f(here.rgb * (1.0 - max(mirrored, shadow) * sum.a) + sum.rgb * sum.a * mirrored, 1.0);
}
